"""A masked language model: padding, positions, two heads of attention, a loss over the hidden words."""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(11)
B, T, C, V = 2, 6, 8, 10
ids = torch.randint(1, V, (B, T))
lengths = torch.tensor([6, 4])
pad = torch.arange(T)[None] >= lengths[:, None]
ids = ids.masked_fill(pad, 0)
print(ids, pad)
mask = (torch.rand(B, T) < 0.3) & ~pad
labels = torch.where(mask, ids, -100)
inp = ids.clone()
inp[mask] = V - 1
print(inp, labels)
emb = torch.randn(V, C)
pos = torch.arange(T).unsqueeze(1)
div = torch.exp(torch.arange(0, C, 2) * (-math.log(10000.0) / C))
pe = torch.zeros(T, C)
pe[:, 0::2] = torch.sin(pos * div)
pe[:, 1::2] = torch.cos(pos * div)
print(pe)
x = (F.embedding(inp, emb) * math.sqrt(C) + pe).requires_grad_()
h = 2
qkv = torch.randn(C, 3 * C) / C**0.5
q, k, v = (x @ qkv).view(B, T, 3, h, C // h).permute(2, 0, 3, 1, 4)
att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
att = att.masked_fill(pad[:, None, None, :], float("-inf"))
w = att.softmax(-1)
print(w[1, 0], w.sum(-1).allclose(torch.ones(1)))
y = (w @ v).transpose(1, 2).contiguous().view(B, T, C)
ref = F.scaled_dot_product_attention(q, k, v, attn_mask=~pad[:, None, None, :])
print((ref.transpose(1, 2).reshape(B, T, C) - y).abs().max() < 1e-5)
y = F.layer_norm(x + y, (C,))
logits = y @ emb.T
loss = F.cross_entropy(logits.view(-1, V), labels.view(-1))
print(loss, F.cross_entropy(logits.transpose(1, 2), labels))
loss.backward()
print(x.grad[0, :2], x.grad.norm())
causal = torch.triu(torch.full((T, T), float("-inf")), diagonal=1)
print(causal, F.softmax(causal, -1))
alibi = -(torch.arange(T)[:, None] - torch.arange(T)).abs() * torch.tensor([0.5, 0.25]).view(2, 1, 1)
print(alibi)
rot = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
print(rot[0, 0], (rot * x).sum().abs() < 1e-4)
