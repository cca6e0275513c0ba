"""A transformer encoder that classifies sequences: positions, a padding mask, rates of one cycle."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sequences(Dataset):
    """Does a 7 come before the first 3?"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(n):
            length = torch.randint(4, 11, (1,), generator=g).item()
            tokens = torch.randint(1, 10, (length,), generator=g)
            listed = tokens.tolist() + [3]
            self.items.append((tokens, float(7 in listed[: listed.index(3)])))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def pad(batch):
    tokens, labels = zip(*batch)
    padded = nn.utils.rnn.pad_sequence(tokens, batch_first=True)
    return padded, padded == 0, torch.tensor(labels)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=32):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)])


class Classifier(nn.Module):
    def __init__(self, vocab=10, d_model=16, nhead=4, layers=2):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab, d_model, padding_idx=0)
        self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(
            d_model, nhead, dim_feedforward=32, dropout=0.0, activation="gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.cls = nn.Parameter(torch.zeros(1, 1, d_model))
        self.head = nn.Sequential(nn.LayerNorm(d_model), nn.Linear(d_model, 1))

    def forward(self, tokens, mask):
        x = self.pos(self.embedding(tokens) * math.sqrt(self.d_model))
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], dim=1)
        mask = torch.cat([mask.new_zeros(len(mask), 1), mask], dim=1)
        return self.head(self.encoder(x, src_key_padding_mask=mask)[:, 0]).squeeze(-1)


torch.manual_seed(1)
model = Classifier()
for p in model.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
loader = DataLoader(Sequences(160, 0), batch_size=32, shuffle=True, collate_fn=pad)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, epochs=3, steps_per_epoch=len(loader))
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(1.5))
for epoch in range(3):
    total = 0
    for tokens, mask, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(tokens, mask), labels)
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / len(loader):.3f} at {scheduler.get_last_lr()[0]:.6f}")

model.eval()
confusion = torch.zeros(2, 2, dtype=torch.long)
with torch.inference_mode():
    for tokens, mask, labels in DataLoader(Sequences(64, 1), batch_size=64, collate_fn=pad):
        guesses = (torch.sigmoid(model(tokens, mask)) > 0.5).long()
        for t, p in zip(labels.long(), guesses):
            confusion[t, p] += 1
print(confusion.sum().item(), sorted(name for name, _ in model.named_buffers()))
short = model(torch.tensor([[5, 7, 3]]), torch.zeros(1, 3, dtype=torch.bool))
long = model(torch.tensor([[5, 7, 3, 0, 0]]), torch.tensor([[False, False, False, True, True]]))
print(torch.allclose(short, long, atol=1e-5))
print(model.encoder.layers[0])
