"""Slopes of slopes: Newton's method, a Hessian in three ways, a gradient penalty, Jacobians."""

import torch
from torch.autograd.functional import hessian, jacobian

x = torch.tensor(2.0, requires_grad=True)
for step in range(6):
    f = x**4 - 3 * x**3 + 2
    (d1,) = torch.autograd.grad(f, x, create_graph=True)
    (d2,) = torch.autograd.grad(d1, x)
    with torch.no_grad():
        x -= d1 / d2
    print(step, f"{x.item():.6f} {f.item():.6f}")


def rosenbrock(v):
    return (1 - v[0]) ** 2 + 100 * (v[1] - v[0] ** 2) ** 2


point = torch.tensor([-1.2, 1.0], dtype=torch.float64)
for step in range(7):
    v = point.clone().requires_grad_(True)
    (g,) = torch.autograd.grad(rosenbrock(v), v)
    H = hessian(rosenbrock, point)
    point = point - torch.linalg.solve(H, g)
    print(step, point, f"{rosenbrock(point).item():.3e}")
print(H)
v = point.clone().requires_grad_(True)
(g,) = torch.autograd.grad(rosenbrock(v), v, create_graph=True)
rows = [torch.autograd.grad(g[i], v, retain_graph=True)[0] for i in range(2)]
print(torch.stack(rows))
print(torch.func.hessian(rosenbrock)(point))
print(jacobian(lambda a: torch.stack([a[0] * a[1], a.sum(), a[0].sin()]), torch.tensor([1.0, 2.0])))
print(
    torch.func.grad(torch.sin)(torch.tensor(0.0)),
    torch.func.grad(torch.func.grad(torch.sin))(torch.tensor(1.0)),
)
value, product = torch.autograd.functional.vjp(lambda a: a.exp(), torch.tensor([0.0, 1.0]), torch.ones(2))
print(
    value, product, torch.autograd.functional.jvp(lambda a: a**2, torch.ones(2), torch.tensor([1.0, 2.0]))[1]
)
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
inputs = torch.randn(4, 3, requires_grad=True)
out = torch.tanh(inputs @ w).sum()
(slopes,) = torch.autograd.grad(out, inputs, create_graph=True)
penalty = ((slopes.norm(dim=1) - 1) ** 2).mean()
penalty.backward()
print(penalty, w.grad, inputs.grad.shape)
print(torch.func.vmap(lambda row: row.dot(w.detach()))(inputs.detach()))
