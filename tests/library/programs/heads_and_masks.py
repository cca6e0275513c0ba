"""Multi-head attention from its parts, with masks, beside the function of the library."""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(7)
B, T, D, H = 2, 5, 8, 2
x = torch.randn(B, T, D, requires_grad=True)
Wqkv = torch.randn(3 * D, D) / math.sqrt(D)
Wo = torch.randn(D, D) / math.sqrt(D)
q, k, v = F.linear(x, Wqkv).chunk(3, dim=-1)


def split(t):
    return t.view(B, T, H, D // H).transpose(1, 2)


q, k, v = (split(t) for t in (q, k, v))
print(q.shape, q.stride(), q.is_contiguous())
scores = q @ k.transpose(-2, -1) / math.sqrt(D // H)
mask = torch.tril(torch.ones(T, T)).bool()
scores = scores.masked_fill(~mask, float("-inf"))
weights = scores.softmax(-1)
print(weights[0, 0], weights.sum(-1).allclose(torch.ones(B, H, T)))
out = (weights @ v).transpose(1, 2).contiguous().view(B, T, D) @ Wo.T
ref = F.scaled_dot_product_attention(q, k, v, is_causal=True)
print(torch.allclose(weights @ v, ref, atol=1e-6), out.shape)
loss = out.pow(2).mean()
loss.backward()
print(f"{loss.item():.4f} {x.grad.norm().item():.4f}", x.grad.shape)
pad = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).bool()
s2 = (q.detach() @ k.detach().mT).masked_fill(~pad[:, None, None, :], -1e9)
print(s2.softmax(-1)[0, 0, 0], s2.argmax(-1)[0])
try:
    q.transpose(1, 2).view(B, T, D)
    print("viewed")
except RuntimeError as e:
    print(type(e).__name__)
print(q.transpose(1, 2).reshape(B, T, D).shape, q.transpose(1, 2).flatten(2).shape)
g = torch.tensor([1.0, 2.0, 3.0])
ln = F.layer_norm(x.detach(), (D,))
print(ln.mean(-1).abs().max() < 1e-6, ln.var(-1, unbiased=False).sub(1).abs().max() < 1e-3)
bias = -torch.arange(T).sub(torch.arange(T)[:, None]).abs().float()
print(bias, (bias + mask.float().log()).softmax(-1))
