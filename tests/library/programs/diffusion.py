"""Diffusion of points on a circle: noise by a schedule, a network that finds it, the way back."""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(33)
T = 50
betas = torch.linspace(1e-4, 0.2, T)
alphas = 1 - betas
abar = torch.cumprod(alphas, dim=0)
abar_prev = F.pad(abar[:-1], (1, 0), value=1.0)
post_var = betas * (1 - abar_prev) / (1 - abar)
print(abar[::10], post_var[:3])


def extract(a, t, shape):
    return a.gather(-1, t).reshape(t.shape[0], *((1,) * (len(shape) - 1)))


def time_embedding(t, dim=8):
    freqs = torch.exp(torch.arange(dim // 2) * -(math.log(10000) / (dim // 2 - 1)))
    e = t[:, None] * freqs[None]
    return torch.cat((e.sin(), e.cos()), dim=-1)


theta = torch.rand(128) * 2 * math.pi
x0 = torch.stack((theta.cos(), theta.sin()), -1)
W = [
    torch.randn(32, 10) / 10**0.5,
    torch.zeros(32),
    torch.randn(32, 32) / 32**0.5,
    torch.zeros(32),
    torch.zeros(2, 32),
    torch.zeros(2),
]
for p in W:
    p.requires_grad_()


def model(x, t):
    h = torch.cat([x, time_embedding(t)], 1)
    h = F.silu(F.linear(h, W[0], W[1]))
    h = F.silu(F.linear(h, W[2], W[3])) + h
    return F.linear(h, W[4], W[5])


opt = [(torch.zeros_like(p), torch.zeros_like(p)) for p in W]
for step in range(1, 101):
    t = torch.randint(0, T, (len(x0),))
    noise = torch.randn_like(x0)
    xt = extract(abar.sqrt(), t, x0.shape) * x0 + extract((1 - abar).sqrt(), t, x0.shape) * noise
    loss = F.mse_loss(model(xt, t), noise)
    grads = torch.autograd.grad(loss, W)
    with torch.no_grad():
        for p, g, (m, v) in zip(W, grads, opt):
            m.mul_(0.9).add_(g, alpha=0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            p.addcdiv_(m / (1 - 0.9**step), (v / (1 - 0.999**step)).sqrt() + 1e-8, value=-1e-2)
    if step % 25 == 0:
        print(step, f"{loss.item():.3f}")
with torch.no_grad():
    x = torch.randn(4, 2)
    for i in reversed(range(T)):
        t = torch.full((4,), i, dtype=torch.long)
        eps = model(x, t)
        x = (x - betas[i] / (1 - abar[i]).sqrt() * eps) / alphas[i].sqrt()
        if i:
            x = x + post_var[i].sqrt() * torch.randn_like(x)
print(x.shape, x.norm(dim=1) < 3)
