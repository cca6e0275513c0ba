"""The ranks of pages that link to each other: a matrix of chances, applied until nothing moves."""

import torch

links = {0: [1, 2], 1: [2], 2: [0], 3: [0, 2], 4: [1, 3]}
size = len(links)
chances = torch.zeros(size, size, dtype=torch.float64)
for source, targets in links.items():
    chances[targets, source] = 1 / len(targets)
google = 0.85 * chances + 0.15 / size
rank = torch.full((size,), 1 / size, dtype=torch.float64)
for step in range(200):
    moved = google @ rank
    done = torch.allclose(moved, rank, atol=1e-10)
    rank = moved
    if done:
        break
print(step, rank, rank.sum())
print(torch.argsort(rank, descending=True), google.sum(0).allclose(torch.ones(size).double()))
print(torch.linalg.matrix_power(google, 50)[:, 0].sub(rank).abs().max() < 1e-3)
