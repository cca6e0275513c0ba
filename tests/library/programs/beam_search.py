"""The likeliest sentences of a chain of words: greedily, by a beam, and by trying all."""

import itertools

import torch

torch.manual_seed(11)
words = ["<s>", "the", "cat", "dog", "sees", "runs", "."]
size, length, stop = len(words), 5, 6
scores = torch.randn(size, size) * 2
scores[:, 0] = -torch.inf
scores.fill_diagonal_(-torch.inf)
chances = scores.log_softmax(dim=-1)
chances[stop] = -torch.inf
chances[stop, stop] = 0


def text(sentence):
    return " ".join(words[i] for i in sentence if i != stop)


def greedy():
    word, total, said = 0, 0.0, []
    for _ in range(length):
        best = chances[word].max(dim=0)
        word, total = best.indices.item(), total + best.values.item()
        said.append(word)
    return said, total


def beam(width):
    said = torch.zeros(1, 1, dtype=torch.long)
    totals = torch.zeros(1)
    for _ in range(length):
        everywhere = (totals[:, None] + chances[said[:, -1]]).flatten()
        found = everywhere.topk(min(width, int(everywhere.isfinite().sum())))
        before = torch.div(found.indices, size, rounding_mode="floor")
        said = torch.cat([said[before], (found.indices % size)[:, None]], dim=1)
        totals = found.values
    return said[:, 1:], totals


sentence, total = greedy()
print(f"greedy {total:.3f}: {text(sentence)}")
for width in (1, 2, 4, 16):
    found, totals = beam(width)
    print(f"beam of {width}: {totals[0]:.3f} {text(found[0].tolist())} ({len(found)} kept)")
everything = torch.tensor(list(itertools.product(range(1, size), repeat=length)))
starts = torch.cat([torch.zeros_like(everything[:, :1]), everything[:, :-1]], 1)
totals = chances[starts, everything].sum(1)
best = totals.argmax()
print(f"all {len(everything)}: {totals[best]:.3f} {text(everything[best].tolist())}")
print("none is better than all:", bool(totals.max() >= beam(16)[1][0] - 1e-5))
print("mass of what was tried", round(totals.exp().sum().item(), 3))
