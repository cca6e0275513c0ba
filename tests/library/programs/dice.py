"""Chance: dice, the area of a circle, a random walk, a shuffle; the same numbers for the same seed."""

import torch

torch.manual_seed(12)
rolls = torch.randint(1, 7, (10000,))
share = torch.bincount(rolls)[1:] / len(rolls)
print(share, (share - 1 / 6).abs().max() < 0.02)
points = torch.rand(10000, 2) * 2 - 1
print("pi is about", (points.square().sum(1) <= 1).float().mean() * 4)
walk = (torch.bernoulli(torch.full((1000,), 0.5)) * 2 - 1).cumsum(0)
print(walk[-1], walk.max(), walk.min(), (walk == 0).sum(), walk.argmax())
running = rolls.float().cumsum(0) / torch.arange(1, len(rolls) + 1)
print(running[[0, 9, 99, 999, 9999]])
print(torch.randperm(10), torch.normal(2.0, 3.0, (2, 2)), torch.randn(3).abs().sort(descending=True).values)
g = torch.Generator().manual_seed(5)
state = g.get_state()
first = torch.rand(3, generator=g)
g.set_state(state)
print(first, torch.equal(first, torch.rand(3, generator=g)))
