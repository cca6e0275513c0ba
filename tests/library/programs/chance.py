"""Chance: circles by points, dice, walks, a bootstrap, correlated normals, a Metropolis chain, states."""

import torch

torch.manual_seed(123)
pts = torch.rand(2000, 2)
inside = (pts**2).sum(1) <= 1
print(4 * inside.float().mean(), inside.sum(), inside[:5])
d = torch.randint(1, 7, (6, 5))
print(d, d.sum(0), d.float().mean(1), torch.bincount(d.flatten(), minlength=7))
n = torch.randn(500)
print(n.mean(), n.std(), n.var(unbiased=False), n.median(), n.min(), n.argmax())
print(torch.histc(n, bins=5, min=-3, max=3), (n.abs() < 1.96).double().mean())
u = torch.empty(4).uniform_(-1, 1)
e = torch.empty(3).exponential_(2.0)
b = torch.bernoulli(torch.full((3, 3), 0.4))
print(u, e, b)
walk = torch.where(torch.rand(20) < 0.5, -1, 1).cumsum(0)
print(walk, walk.max(), walk.abs().argmax(), torch.diff(walk).unique(return_counts=True))
perm = torch.randperm(8)
print(perm, perm.argsort(), perm[perm.argsort()], torch.sort(perm, descending=True))
boot = n[torch.randint(0, 500, (50, 100))].mean(1)
print(boot.mean(), boot.std(), boot.kthvalue(25))
c = torch.tensor([[2.0, 0.6], [0.6, 1.0]])
s = torch.randn(300, 2) @ torch.linalg.cholesky(c).T
cov = (s - s.mean(0)).T @ (s - s.mean(0)) / (len(s) - 1)
print(cov, cov / cov.diag().sqrt().outer(cov.diag().sqrt()))
x = torch.zeros(1)
acc = []
for _ in range(30):
    prop = x + torch.randn(1)
    if torch.rand(1) < torch.exp(-0.5 * (prop**2 - x**2)):
        x = prop
    acc.append(x.item())
print(torch.tensor(acc).mean(), acc[:3])
state = torch.get_rng_state()
a = torch.rand(3)
torch.set_rng_state(state)
print(
    torch.equal(a, torch.rand(3)),
    torch.normal(2.0, torch.tensor([0.1, 1.0])),
    torch.multinomial(torch.tensor([1.0, 3]), 4, True),
)
print(torch.randn(2, 3, generator=torch.Generator().manual_seed(0)), torch.initial_seed())
