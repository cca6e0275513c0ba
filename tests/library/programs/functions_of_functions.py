"""grad, vmap, jacrev and friends."""

import torch
from torch.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap


def f(x):
    return (x**3).sum()


x = torch.tensor([1.0, 2.0, 3.0])
print(grad(f)(x), grad(grad(lambda v: v**4))(torch.tensor(2.0)), grad_and_value(f)(x))
print(vmap(grad(lambda v: v.sin()))(x), vmap(torch.dot)(torch.eye(3), torch.ones(3, 3)))
print(jacrev(lambda v: torch.stack([v.prod(), v.sum()]))(x), jacfwd(torch.sin)(x).abs(), hessian(f)(x))
print(
    vmap(lambda a, b: a + b, in_dims=(0, None))(torch.ones(2, 3), x),
    vmap(lambda a: a * 2, in_dims=1, out_dims=1)(torch.ones(2, 3)),
)
out, pull = vjp(torch.exp, x)
print(out, pull(torch.ones(3)))
print(jvp(torch.tanh, (x,), (torch.ones(3),)))
w = {"a": torch.ones(3), "b": torch.tensor(2.0)}


def model(params, x):
    return ((params["a"] * x).sum() + params["b"]) ** 2


print(grad(model)(w, x), grad(model, argnums=1)(w, x), grad(model, argnums=(0, 1))(w, x))
per_sample = vmap(grad(model), in_dims=(None, 0))(w, torch.eye(3))
print(per_sample["a"], per_sample["b"])
value, aux = grad(lambda v: (v.sum() ** 2, v.max()), has_aux=True)(x)
print(value, aux)
print(
    vmap(lambda a: (a.sum(), a.max()))(torch.arange(6.0).view(2, 3)),
    vmap(torch.mv, (None, 0))(torch.ones(2, 3), torch.eye(3)),
)
inner = grad(lambda t: (w["a"] * t).sum())(x)
print(inner, w["a"].requires_grad)
y = torch.tensor([1.0, 2.0], requires_grad=True)
z = grad(lambda v: (v**3).sum())(y)
print(z, torch.autograd.grad(z.sum(), y))
print(jacrev(lambda a, b: a * b, argnums=(0, 1))(torch.ones(2), torch.arange(2.0)))
print(
    vmap(lambda a: a.view(-1).sort(descending=True).values)(torch.arange(8.0).view(2, 2, 2)),
    vmap(lambda i: x[i])(torch.tensor([2, 0])),
)
