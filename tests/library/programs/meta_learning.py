"""Learning to learn: gradients through a step of descent, with create_graph."""

import torch

torch.manual_seed(0)
theta = torch.tensor([0.5, -0.3], requires_grad=True)
log_lr = torch.tensor(-2.0, requires_grad=True)


def task(slope, n=5):
    x = torch.linspace(-1, 1, n)
    return x, slope * x


def loss(p, x, y):
    return ((p[0] * x + p[1] - y) ** 2).mean()


for step in range(3):
    total = 0.0
    for slope in (1.0, 2.0, -0.5):
        x, y = task(slope)
        fast = theta
        for _ in range(2):
            (g,) = torch.autograd.grad(loss(fast, x, y), fast, create_graph=True)
            fast = fast - log_lr.exp() * g
        total = total + loss(fast, x, y)
    g_theta, g_lr = torch.autograd.grad(total, (theta, log_lr))
    print(f"{total.item():.5f}", g_theta, g_lr)
    with torch.no_grad():
        theta -= 0.1 * g_theta
        log_lr -= 0.1 * g_lr
print(theta, log_lr, theta.grad)
w = torch.tensor([1.0, 2.0], requires_grad=True)
for order in range(1, 4):
    y = (w**4).sum()
    for _ in range(order):
        (y,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    print(order, y.detach(), y.requires_grad)
x = torch.tensor(0.7, requires_grad=True)
f = torch.sin(x)
terms = []
for n in range(6):
    terms.append(f.item())
    (f,) = torch.autograd.grad(f, x, create_graph=True)
print([f"{v:.4f}" for v in terms])
v = torch.randn(2)


def hessian_times_v(p):
    (slope,) = torch.autograd.grad((p**3).sum(), p, create_graph=True)
    return torch.autograd.grad((slope * v).sum(), p)[0]


print(torch.allclose(hessian_times_v(w), 6 * w.detach() * v))
p = torch.tensor([1.0, 1.0], requires_grad=True)
r = torch.zeros(2)
for i in range(3):
    loss_ = (p * torch.tensor([1.0, 10.0]) * p).sum()
    loss_.backward()
    r = 0.9 * r + p.grad
    p.data.add_(r, alpha=-0.05)
    p.grad.detach_()
    p.grad.zero_()
    print(p.data, loss_.item())
