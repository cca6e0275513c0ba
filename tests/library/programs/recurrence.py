"""A recurrent network's forward pass over padded sequences, with a mask for the padding."""

import torch

torch.manual_seed(11)
vocabulary, width, hidden = 10, 4, 5
table = torch.randn(vocabulary, width)
sequences = [[1, 5, 3], [2, 7], [9, 8, 4, 6], [3]]
lengths = torch.tensor([len(s) for s in sequences])
tokens = torch.zeros(len(sequences), int(lengths.max()), dtype=torch.long)
for row, sequence in enumerate(sequences):
    tokens[row, : len(sequence)] = torch.tensor(sequence)
mask = torch.arange(tokens.size(1))[None, :] < lengths[:, None]
print(tokens, mask.int())
W_x, W_h, b = torch.randn(width, hidden), torch.randn(hidden, hidden) * 0.3, torch.zeros(hidden)
H, outputs = torch.zeros(len(sequences), hidden), []
for X, alive in zip(table[tokens].permute(1, 0, 2), mask.T):
    H = torch.where(alive[:, None], torch.tanh(X @ W_x + H @ W_h + b), H)
    outputs.append(H)
outputs = torch.stack(outputs, dim=1)
last = outputs.gather(1, (lengths - 1).view(-1, 1, 1).expand(-1, 1, hidden)).squeeze(1)
print(outputs.shape, torch.equal(last, H), last[0])
mean = (outputs * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1)
print(mean.shape, mean[3].sub(outputs[3, 0]).abs().max())
