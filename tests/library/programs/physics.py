"""Oscillators, heat on a plate, charges, rotations and a strange attractor, step by step."""

import math

import torch


def rk4(f, y, t, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


y = torch.tensor([1.0, 0.0], dtype=torch.float64)
A = torch.tensor([[0.0, 1.0], [-1.0, -0.1]], dtype=torch.float64)
for i in range(50):
    y = rk4(lambda t, v: A @ v, y, i * 0.1, 0.1)
print(y, y.norm())
omega = torch.tensor(1.3, requires_grad=True)
x, v = torch.tensor(1.0), torch.tensor(0.0)
for _ in range(20):
    v = v - 0.05 * omega**2 * x
    x = x + 0.05 * v
x.backward()
print(x, omega.grad)
u = torch.zeros(9, 9)
u[0] = 1
for it in range(200):
    new = u.clone()
    new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    delta = (new - u).abs().max()
    u = new
print(u[4], f"{delta:.2e}")
pos = torch.tensor([[0.0, 0], [1, 0], [0, 2]], requires_grad=True)
r = pos[:, None] - pos[None]
dist = (r.square().sum(-1) + torch.eye(3)).sqrt()
E = (1 / dist).triu(1).sum()
(force,) = torch.autograd.grad(-E, pos)
print(E, force, force.sum(0).abs().max() < 1e-6)
q = torch.tensor([math.cos(0.4), 0, 0, math.sin(0.4)])
w, xx, yy, z = q
R = torch.stack(
    [
        torch.stack([1 - 2 * (yy**2 + z**2), 2 * (xx * yy - w * z), 2 * (xx * z + w * yy)]),
        torch.stack([2 * (xx * yy + w * z), 1 - 2 * (xx**2 + z**2), 2 * (yy * z - w * xx)]),
        torch.stack([2 * (xx * z - w * yy), 2 * (yy * z + w * xx), 1 - 2 * (xx**2 + yy**2)]),
    ]
)
print(
    R,
    torch.det(R),
    torch.allclose(R @ R.mT, torch.eye(3), atol=1e-6),
    torch.linalg.norm(R),
    torch.rad2deg(torch.acos((R.trace() - 1) / 2)),
)
lorenz = torch.tensor([1.0, 1.0, 1.0])
for _ in range(100):
    a, b, c = lorenz
    lorenz = lorenz + 0.01 * torch.stack([10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c])
print(lorenz.round(decimals=2))
