"""A first chapter on derivatives: a gradient, zeroing it, sums, detaching, loops and branches."""

import torch

x = torch.arange(4.0)
print(x.grad, x.requires_grad)
x.requires_grad_(True)
y = 2 * torch.dot(x, x)
print(x, y)
y.backward()
print(x.grad, x.grad == 4 * x)
x.grad.zero_()
x.sum().backward()
print(x.grad)
x.grad.zero_()
y = x * x
y.backward(gradient=torch.ones(len(y)))
print(x.grad)
x.grad = None
y = x * x
u = y.detach()
z = u * x
z.sum().backward()
print(x.grad == u, u.requires_grad, y)
x.grad.zero_()
y.sum().backward()
print(x.grad == 2 * x)


def doubled_until_large(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    if b.sum() > 0:
        return b
    return 100 * b


torch.manual_seed(3)
a = torch.randn(size=(), requires_grad=True)
d = doubled_until_large(a)
d.backward()
print(a, d, a.grad == d / a)
try:
    d.backward()
except RuntimeError as error:
    print(type(error).__name__, "retain_graph=True" in str(error))
