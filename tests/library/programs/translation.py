"""Sequence to sequence: packed sentences, attention over the encoder, teacher forcing, greedy decoding."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, SOS, EOS = 0, 1, 2
random.seed(0)
torch.manual_seed(0)


def make_pair():
    length = random.randint(2, 6)
    source = [random.randint(3, 9) for _ in range(length)]
    return torch.tensor(source), torch.tensor(source[::-1] + [EOS])


def collate(batch):
    batch.sort(key=lambda pair: len(pair[0]), reverse=True)
    sources, targets = zip(*batch)
    lengths = torch.tensor([len(s) for s in sources])
    return pad_sequence(sources, padding_value=PAD), lengths, pad_sequence(targets, padding_value=PAD)


class Encoder(nn.Module):
    def __init__(self, vocab, emb=12, hidden=16):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hidden, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, hidden)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu())
        outputs, hidden = self.rnn(packed)
        outputs, _ = pad_packed_sequence(outputs)
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return outputs, hidden.unsqueeze(0)


class Attention(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.attn = nn.Linear(3 * hidden, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, hidden, outputs, mask):
        hidden = hidden.permute(1, 0, 2).repeat(1, outputs.shape[0], 1)
        outputs = outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, outputs), dim=2)))
        scores = self.v(energy).squeeze(2).masked_fill(mask == 0, -1e10)
        return F.softmax(scores, dim=1)


class Decoder(nn.Module):
    def __init__(self, vocab, emb=12, hidden=16):
        super().__init__()
        self.vocab = vocab
        self.embedding = nn.Embedding(vocab, emb)
        self.attention = Attention(hidden)
        self.rnn = nn.GRU(emb + 2 * hidden, hidden)
        self.out = nn.Linear(emb + 3 * hidden, vocab)
        self.dropout = nn.Dropout(0.0)

    def forward(self, token, hidden, outputs, mask):
        embedded = self.dropout(self.embedding(token.unsqueeze(0)))
        a = self.attention(hidden, outputs, mask).unsqueeze(1)
        weighted = torch.bmm(a, outputs.permute(1, 0, 2)).permute(1, 0, 2)
        output, hidden = self.rnn(torch.cat((embedded, weighted), dim=2), hidden)
        parts = (output.squeeze(0), weighted.squeeze(0), embedded.squeeze(0))
        return self.out(torch.cat(parts, dim=1)), hidden, a.squeeze(1)


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, src, lengths, trg, teacher_forcing_ratio=0.5):
        steps, batch = trg.shape
        results = torch.zeros(steps, batch, self.decoder.vocab)
        outputs, hidden = self.encoder(src, lengths)
        mask = (src != PAD).permute(1, 0)
        token = torch.full((batch,), SOS, dtype=torch.long)
        for t in range(steps):
            results[t], hidden, _ = self.decoder(token, hidden, outputs, mask)
            token = trg[t] if random.random() < teacher_forcing_ratio else results[t].argmax(1)
        return results


def init_weights(m):
    for name, param in m.named_parameters():
        if "weight" in name:
            nn.init.normal_(param.data, mean=0, std=0.1)
        else:
            nn.init.constant_(param.data, 0)


model = Seq2Seq(Encoder(10), Decoder(10))
model.apply(init_weights)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
for step in range(20):
    src, lengths, trg = collate([make_pair() for _ in range(16)])
    optimizer.zero_grad()
    output = model(src, lengths, trg)
    loss = criterion(output.view(-1, output.shape[-1]), trg.view(-1))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 5 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    src, lengths, trg = collate([make_pair() for _ in range(3)])
    outputs, hidden = model.encoder(src, lengths)
    mask = (src != PAD).permute(1, 0)
    token = torch.full((3,), SOS)
    for _ in range(3):
        logits, hidden, attention = model.decoder(token, hidden, outputs, mask)
        token = logits.argmax(1)
    print(attention.shape, attention.sum(1).round(decimals=3), (attention * ~mask).sum())
print(model.encoder.embedding.weight[PAD], model.encoder.rnn)
