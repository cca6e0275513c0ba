"""Functions with a gradient of their own: Legendre's polynomial, the exponential, a cube."""

import math

import torch


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * x**2 - 1)


x = torch.linspace(-math.pi, math.pi, 200, dtype=torch.float64)
y = torch.sin(x)
a, b, c, d = (torch.full((), v, dtype=torch.float64, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3))
for t in range(300):
    P3 = LegendrePolynomial3.apply
    y_pred = a + b * P3(c + d * x)
    loss = (y_pred - y).pow(2).sum()
    if t % 100 == 99:
        print(t, f"{loss.item():.4f}")
    loss.backward()
    with torch.no_grad():
        a -= 5e-5 * a.grad
        b -= 5e-5 * b.grad
        c -= 5e-5 * c.grad
        d -= 5e-5 * d.grad
        a.grad = b.grad = c.grad = d.grad = None
print(f"y = {b.item():.4f} * P3({d.item():.4f} x)", abs(a.item()) < 1e-9, abs(c.item()) < 1e-9)
print(y_pred[:3], loss.grad_fn.name())


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class MyCube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        _, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x


print(Exp.apply(torch.zeros(2, requires_grad=True)))
v = torch.tensor(3.0, requires_grad=True)
cube, _ = MyCube.apply(v)
(first,) = torch.autograd.grad(cube, v, create_graph=True)
(second,) = torch.autograd.grad(first, v, create_graph=True)
print(cube, first, second)
print(torch.autograd.gradcheck(Exp.apply, (torch.rand(3, dtype=torch.float64, requires_grad=True),)))
print(torch.autograd.gradgradcheck(LegendrePolynomial3.apply, torch.rand(4).double().requires_grad_()))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


try:
    torch.autograd.gradcheck(Doubled.apply, (torch.rand(2).double().requires_grad_(),))
except RuntimeError as error:
    print(type(error).__name__, "Jacobian mismatch" in str(error))
