"""Rules of descent written out: plain, momentum, Adagrad, RMSprop, Adam, on a narrow valley."""

import torch


def valley(x):
    return 0.1 * x[0] ** 2 + 2 * x[1] ** 2


def descend(rule, steps=20, **settings):
    x = torch.tensor([-5.0, -2.0], requires_grad=True)
    state = {name: torch.zeros_like(x) for name in ("v", "s")}
    for t in range(1, steps + 1):
        loss = valley(x)
        loss.backward()
        with torch.no_grad():
            rule(x, x.grad, state, t, **settings)
            x.grad.zero_()
    return x.detach(), loss


def sgd(x, g, state, t, lr):
    x -= lr * g


def momentum(x, g, state, t, lr, beta=0.5):
    state["v"].mul_(beta).add_(g)
    x.sub_(state["v"], alpha=lr)


def adagrad(x, g, state, t, lr):
    state["s"] += g.square()
    x.addcdiv_(g, state["s"].sqrt() + 1e-6, value=-lr)


def rmsprop(x, g, state, t, lr, gamma=0.9):
    state["s"][:] = gamma * state["s"] + (1 - gamma) * torch.square(g)
    x[:] -= lr * g / torch.sqrt(state["s"] + 1e-6)


def adam(x, g, state, t, lr, beta1=0.9, beta2=0.999):
    state["v"].lerp_(g, 1 - beta1)
    state["s"].mul_(beta2).addcmul_(g, g, value=1 - beta2)
    x -= lr * (state["v"] / (1 - beta1**t)) / ((state["s"] / (1 - beta2**t)).sqrt() + 1e-6)


for rule, lr in [(sgd, 0.4), (momentum, 0.4), (adagrad, 0.4), (rmsprop, 0.2), (adam, 0.5)]:
    x, loss = descend(rule, lr=lr)
    print(f"{rule.__name__:10}", x, f"{loss.item():.5f}", loss.grad_fn.name())
