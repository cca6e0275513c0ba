"""Averages over the past in three ways, attention with several heads, its gradients, sampling."""

import torch
import torch.nn.functional as F

torch.manual_seed(1337)
B, T, C = 2, 6, 8
x = torch.randn(B, T, C)
bow = torch.zeros((B, T, C))
for b in range(B):
    for t in range(T):
        bow[b, t] = torch.mean(x[b, : t + 1], 0)
wei = torch.tril(torch.ones(T, T))
wei = wei / wei.sum(1, keepdim=True)
print(wei, torch.allclose(wei @ x, bow, atol=1e-6))
tril = torch.tril(torch.ones(T, T))
wei = torch.zeros((T, T)).masked_fill(tril == 0, float("-inf"))
print(wei, torch.allclose(F.softmax(wei, dim=-1) @ x, bow, atol=1e-6))
heads, size = 2, C // 2
Wk, Wq, Wv, Wo = (torch.randn(C, C) * C**-0.5 for _ in range(4))
for W in (Wk, Wq, Wv, Wo):
    W.requires_grad_()


def split(z):
    return z.view(B, T, heads, size).transpose(1, 2)


def attend(x):
    q, k, v = split(x @ Wq), split(x @ Wk), split(x @ Wv)
    wei = q @ k.transpose(-2, -1) * size**-0.5
    wei = wei.masked_fill(tril[:T, :T] == 0, float("-inf"))
    wei = F.softmax(wei, dim=-1)
    return (wei @ v).transpose(1, 2).contiguous().view(B, T, C) @ Wo, wei


out, wei = attend(x)
print(out.shape, wei[0, 1], out[0, 0, :3])
fused = F.scaled_dot_product_attention(split(x @ Wq), split(x @ Wk), split(x @ Wv), is_causal=True)
print(torch.allclose(fused.transpose(1, 2).reshape(B, T, C) @ Wo, out, atol=1e-5))
y = F.layer_norm(x + out, (C,))
print(y.mean(-1).abs().max() < 1e-6, y.var(-1, unbiased=False)[0, :2])
loss = F.mse_loss(y, torch.zeros_like(y)) + out.pow(2).mean()
loss.backward()
print(loss, Wq.grad.norm(), Wv.grad[0, :3])
logits = torch.tensor([[1.0, 2.0, 0.5, -1.0]])
idx = torch.zeros((1, 1), dtype=torch.long)
for _ in range(8):
    top, _ = torch.topk(logits, 3)
    cut = logits.masked_fill(logits < top[:, [-1]], -float("Inf"))
    idx = torch.cat((idx, torch.multinomial(F.softmax(cut / 0.8, dim=-1), num_samples=1)), dim=1)
print(idx, idx[0].tolist(), idx.dtype)
position = torch.arange(T, dtype=torch.float32).unsqueeze(1)
frequency = torch.exp(torch.arange(0, C, 2).float() * (-torch.log(torch.tensor(10000.0)) / C))
P = torch.zeros(T, C)
P[:, 0::2] = torch.sin(position * frequency)
P[:, 1::2] = torch.cos(position * frequency)
print(P[:3])
