"""An encoder and a decoder: nn.Transformer with masks, tied weights, label smoothing, greedy decoding."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
V, D, L = 12, 16, 6


class Copier(nn.Module):
    def __init__(self):
        super().__init__()
        self.src_emb = nn.Embedding(V, D)
        self.pos = nn.Embedding(L + 1, D)
        self.transformer = nn.Transformer(
            d_model=D, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=32, dropout=0.0,
            batch_first=True,
        )  # fmt: skip
        self.generator = nn.Linear(D, V, bias=False)
        self.generator.weight = self.src_emb.weight

    def embed(self, tokens):
        return self.src_emb(tokens) + self.pos(torch.arange(tokens.size(1), device=tokens.device))

    def forward(self, src, tgt):
        tgt_mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        out = self.transformer(self.embed(src), self.embed(tgt), tgt_mask=tgt_mask, tgt_is_causal=True)
        return self.generator(out)


model = Copier()
print(sum(p.numel() for p in model.parameters()), len(list(model.parameters())), len(model.state_dict()))
optimizer = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1.0)
for group in optimizer.param_groups:
    group["lr"] = 3e-3
for step in range(12):
    src = torch.randint(1, V, (16, L))
    tgt = torch.cat([torch.zeros(16, 1, dtype=torch.long), src], dim=1)
    logits = model(src, tgt[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), tgt[:, 1:], label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 0:
        print(f"{step} {loss.item():.4f}")

model.eval()
with torch.no_grad():
    src = torch.randint(1, V, (1, L))
    memory = model.transformer.encoder(model.embed(src))
    ys = torch.zeros(1, 1, dtype=torch.long)
    for _ in range(3):
        mask = nn.Transformer.generate_square_subsequent_mask(ys.size(1)).bool()
        out = model.transformer.decoder(model.embed(ys), memory, mask)
        ys = torch.cat([ys, model.generator(out[:, -1]).argmax(1, keepdim=True)], dim=1)
    print(ys.shape, memory.shape, mask.dtype)
attn = nn.MultiheadAttention(D, 4, batch_first=True, bias=False)
q = torch.randn(2, 3, D)
out, weights = attn(q, q, q, average_attn_weights=False)
print(out.shape, weights.shape, weights.sum(-1).round(decimals=3).unique())
