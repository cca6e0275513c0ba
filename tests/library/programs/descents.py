"""Gradient descent and its variants by hand, Newton's method, a learning rate that follows a cosine."""

import math

import torch


def rosen(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


def run(name, steps=60):
    p = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    s = {"m": torch.zeros_like(p), "v": torch.zeros_like(p)}
    for t in range(1, steps + 1):
        loss = rosen(p)
        (g,) = torch.autograd.grad(loss, p)
        with torch.no_grad():
            if name == "sgd":
                p -= 1e-3 * g
            elif name == "momentum":
                s["m"].mul_(0.9).add_(g)
                p.add_(s["m"], alpha=-2e-4)
            elif name == "adagrad":
                s["v"].addcmul_(g, g)
                p.addcdiv_(g, s["v"].sqrt().add_(1e-10), value=-0.3)
            elif name == "rmsprop":
                s["v"].mul_(0.99).addcmul_(g, g, value=0.01)
                p -= 0.01 * g / (s["v"].sqrt() + 1e-8)
            elif name == "adam":
                s["m"].lerp_(g, 0.1)
                s["v"].mul_(0.999).addcmul_(g, g, value=1e-3)
                mh, vh = s["m"] / (1 - 0.9**t), s["v"] / (1 - 0.999**t)
                p.addcdiv_(mh, vh.sqrt() + 1e-8, value=-0.05)
            elif name == "sign":
                p -= 0.01 * g.sign()
    return loss.item(), p


for n in ("sgd", "momentum", "adagrad", "rmsprop", "adam", "sign"):
    last, p = run(n)
    print(f"{n:9s} {last:.6f} {p.tolist()[0]:+.5f} {p[1]:+.5f}", p)
p = torch.tensor([-1.2, 1.0], dtype=torch.float64)
for i in range(6):
    H = torch.autograd.functional.hessian(rosen, p)
    g = torch.autograd.functional.jacobian(rosen, p)
    p = p - torch.linalg.solve(H, g)
    print(i, p, rosen(p).item() < 10, torch.linalg.eigvalsh(H))
lr = torch.tensor([0.5 * (1 + math.cos(math.pi * k / 5)) for k in range(6)])
print(lr)
x = torch.tensor([3.0], requires_grad=True)
hist = []
for k in range(5):
    y = (x**4 - 3 * x**2).sum()
    y.backward()
    x.data -= 0.01 * x.grad.data
    x.grad.data.zero_()
    hist.append(y.detach())
print(torch.stack(hist), torch.tensor(hist), x)
