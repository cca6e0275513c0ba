"""Accumulation, detaching, hooks, retained gradients, writes in place and what is refused."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for _ in range(3):
    (x**2).sum().backward()
print(x.grad)
x.grad = None
h = (x * 2).clone()
h.retain_grad()
handle = h.register_hook(lambda grad: grad * 10)
(h * h).sum().backward()
print(h.grad, x.grad, h.is_leaf, h.retains_grad)
handle.remove()
seen = []
y = x.exp()
y.register_hook(lambda grad: seen.append(grad.clone()))
y.sum().backward()
print(seen, y.grad_fn.name())
y = torch.zeros(5)
y[1:4] = x * 3
y[0] = 7
y[2:] *= 2
print(y)
y.sum().backward()
print(x.grad)
v = x.expand(2, 3).t()[1:]
print(v, v._is_view(), v.grad_fn.name())
for name, attempt in {
    "leaf in place": lambda: x.add_(1),
    "saved and written": lambda: (lambda z: (z.exp_(), z.sum().backward()))((x * 1).sigmoid_().mul_(1)),
    "saved and changed": lambda: (lambda z: ((z * z).sum(), z.add_(1))[0].backward())(x * 1),
    "vector": lambda: (x * 2).backward(),
    "constant": lambda: torch.ones(()).backward(),
    "numpy": lambda: x.numpy(),
    "no grad": lambda: torch.autograd.grad(x.detach().sum(), x),
    "integer": lambda: torch.arange(3, requires_grad=True),
    "unused": lambda: torch.autograd.grad((x * 2).sum(), [x, torch.ones(1, requires_grad=True)]),
}.items():
    try:
        attempt()
        print(name, "works")
    except RuntimeError as error:
        print(name, type(error).__name__)
with torch.no_grad():
    x += 1
    print(x, x.requires_grad, (x * 2).requires_grad)
with torch.set_grad_enabled(False):
    print(torch.is_grad_enabled())
w = torch.ones(2, requires_grad=True)
w.data.mul_(3)
print(w, w._version)
p = w.detach().requires_grad_()
(p.pow(3).sum()).backward()
print(p.grad, w.grad, p.data_ptr() == w.data_ptr())
