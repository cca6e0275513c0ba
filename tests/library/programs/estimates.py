"""Estimates from random numbers: pi, walks, a Metropolis chain, draws from many distributions."""

import math

import torch

torch.manual_seed(123)
n = 20000
pts = torch.rand(n, 2) * 2 - 1
inside = (pts**2).sum(1) <= 1
print(4 * inside.float().mean(), inside.sum(), inside.float().std() / math.sqrt(n))
coin = torch.bernoulli(torch.full((10,), 0.3))
print(coin, torch.poisson(torch.tensor([1.0, 5.0, 20.0])), torch.randint(1, 7, (2, 6)), torch.randperm(8))
walk = torch.where(torch.rand(5, 100) < 0.5, -1, 1).cumsum(1)
print(walk[:, -1], walk.abs().amax(1), (walk == 0).sum(1), walk.dtype)
e = torch.empty(6).exponential_(2.0)
g = torch.empty(4).geometric_(0.4)
c = torch.empty(3).cauchy_()
ln = torch.empty(3).log_normal_(0, 0.5)
print(e, g, c, ln)
print(
    torch.normal(torch.arange(3.0), torch.ones(3)),
    torch.normal(2.0, torch.tensor([0.1, 0.2])),
    torch.randn(2, 2, dtype=torch.float64),
)
w = torch.tensor([0.1, 0.0, 0.5, 0.4])
print(
    torch.multinomial(w, 3), torch.multinomial(w, 8, replacement=True), torch.multinomial(torch.ones(2, 4), 2)
)
x = torch.zeros(4)
accepted = 0
for step in range(200):
    prop = x + 0.8 * torch.randn_like(x)
    logr = 0.5 * (x @ x - prop @ prop)
    if torch.rand(()).log() < logr:
        x, accepted = prop, accepted + 1
print(accepted, x)
state = torch.get_rng_state()
a = torch.rand(2)
torch.set_rng_state(state)
print(torch.equal(a, torch.rand(2)), torch.initial_seed(), state.shape, state.dtype)
u = torch.rand(1000)
z = torch.sqrt(-2 * torch.log(u[:500])) * torch.cos(2 * math.pi * u[500:])
print(z.mean(), z.var(), z.min(), z.max(), (z.abs() < 1).float().mean())
print(
    torch.randint_like(torch.zeros(3), 10),
    torch.rand_like(torch.zeros(2, dtype=torch.float64)),
    torch.rand(0).shape,
)
