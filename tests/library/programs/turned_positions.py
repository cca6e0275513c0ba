"""Positions as turns: rotary embeddings see distances alone, and a cache gives what the whole gives."""

import torch
import torch.nn.functional as F

torch.manual_seed(13)
length, heads, width = 7, 2, 8
angles = torch.outer(torch.arange(length), 100.0 ** -(torch.arange(0, width, 2) / width))
print(angles.shape, angles[1].round(decimals=4))


def turned(x, angles):
    cos, sin = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


q, k, v = torch.randn(3, heads, length, width).unbind(0)
print(q.shape, q.stride(), q.storage_offset(), v.storage_offset())
print("lengths stay:", torch.allclose(turned(q, angles).norm(dim=-1), q.norm(dim=-1), atol=1e-5))
one, two = torch.randn(2, width)
table = torch.stack([turned(one, a) for a in angles]) @ torch.stack([turned(two, a) for a in angles]).T
diagonals = [table.diagonal(shift) for shift in range(-2, 3)]
print("distances alone:", [bool((d - d[0]).abs().max() < 1e-4) for d in diagonals])

whole = F.scaled_dot_product_attention(turned(q, angles), turned(k, angles), v, is_causal=True)
scores = turned(q, angles) @ turned(k, angles).mT / width**0.5
scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), -torch.inf)
print("by hand:", torch.allclose(whole, scores.softmax(-1) @ v, atol=1e-5))

keys, values = torch.empty(heads, length, width), torch.empty(heads, length, width)
steps = []
for place in range(length):
    keys[:, place], values[:, place] = turned(k[:, place], angles[place]), v[:, place]
    query = turned(q[:, place : place + 1], angles[place])
    seen = query @ keys[:, : place + 1].transpose(1, 2) / width**0.5
    steps.append(seen.softmax(-1) @ values[:, : place + 1])
print("with a cache:", torch.allclose(torch.cat(steps, 1), whole, atol=1e-5))
slopes = torch.tensor([2.0 ** -(head + 1) for head in range(heads)])
bias = -(torch.arange(length)[:, None] - torch.arange(length)).abs() * slopes[:, None, None]
print(bias.shape, bias[0, 0].tolist())
print(F.scaled_dot_product_attention(q, k, v, attn_mask=bias).shape)
