"""Fourier features and a discrete Fourier transform as a matrix."""

import math

import torch

N = 16
n = torch.arange(N)
k = n[:, None]
angle = 2 * math.pi * k * n / N
C, S = torch.cos(angle), -torch.sin(angle)
x = torch.sin(2 * math.pi * 3 * n / N) + 0.5 * torch.cos(2 * math.pi * 5 * n / N)
re, im = C @ x, S @ x
power = (re**2 + im**2).sqrt()
print(power.topk(4).indices.sort().values, power.max().round())
torch.set_printoptions(precision=3, sci_mode=False)
print(power)
back = (C @ re + S @ im) / N
print(torch.allclose(back, x, atol=1e-5))
pos = torch.linspace(0, 1, 5).unsqueeze(1)
freqs = 2.0 ** torch.arange(3)
enc = torch.cat([torch.sin(pos * freqs * math.pi), torch.cos(pos * freqs * math.pi)], dim=-1)
print(enc.shape, enc)
pe = torch.zeros(6, 4)
div = torch.exp(torch.arange(0, 4, 2).float() * (-math.log(10000.0) / 4))
position = torch.arange(6).float().unsqueeze(1)
pe[:, 0::2] = torch.sin(position * div)
pe[:, 1::2] = torch.cos(position * div)
print(pe)
print(0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(8) / 8))
t = torch.linspace(-1, 1, 9)
print(torch.where(t.abs() < 0.5, 1.0, 0.0), torch.sign(t), torch.atan2(t, 1 - t.abs()))
torch.set_printoptions(profile="default")
print(enc.sum(), pe.std(), pe.var(0), pe.mean(1, keepdim=True).squeeze())
