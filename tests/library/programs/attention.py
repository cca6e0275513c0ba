"""Masked self-attention of several heads, written with views and batched products."""

import math

import torch

torch.manual_seed(5)
batch, steps, width, heads = 2, 5, 8, 2
X = torch.randn(batch, steps, width)
Wq, Wk, Wv, Wo = (torch.randn(width, width) / math.sqrt(width) for _ in range(4))


def split(x):
    return x.view(batch, steps, heads, width // heads).transpose(1, 2)


q, k, v = split(X @ Wq), split(X @ Wk), split(X @ Wv)
scores = q @ k.transpose(-2, -1) / math.sqrt(width // heads)
mask = torch.tril(torch.ones(steps, steps)).bool()
weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
print(weights[0, 0])
out = (weights @ v).transpose(1, 2).contiguous().view(batch, steps, width) @ Wo
print(out.shape, out.stride(), out[0, -1])
by_letters = torch.einsum("bhqk,bhkd->bqhd", weights, v).reshape(batch, steps, width) @ Wo
print(torch.allclose(out, by_letters, atol=1e-6), weights.sum(-1).eq(1).float().mean() > 0.5)
