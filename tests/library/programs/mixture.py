"""A mixture of two normal distributions found by expectation and maximisation."""

import math

import torch

torch.manual_seed(9)
data = torch.cat([torch.randn(150) * 0.5 - 2, torch.randn(100) + 1.5])
mean, deviation, share = torch.tensor([-1.0, 1.0]), torch.ones(2), torch.full((2,), 0.5)
for step in range(25):
    z = (data[:, None] - mean) / deviation
    joint = -0.5 * z**2 - deviation.log() - 0.5 * math.log(2 * math.pi) + share.log()
    evidence = torch.logsumexp(joint, dim=1, keepdim=True)
    weight = torch.exp(joint - evidence)
    total = weight.sum(0)
    mean = (weight * data[:, None]).sum(0) / total
    deviation = (weight * (data[:, None] - mean) ** 2).sum(0).div(total).sqrt()
    share = total / len(data)
    if step % 8 == 0:
        print(step, f"{evidence.mean():.4f}")
print(mean, deviation, share, (weight[:, 0] > 0.5).sum())
