"""A generator and a discriminator of single numbers, two losses and who gets which gradient."""

import torch
import torch.nn.functional as F

torch.manual_seed(17)
g_w, g_b = torch.tensor([[0.5]], requires_grad=True), torch.tensor([0.0], requires_grad=True)
d_w, d_b = torch.randn(1, 4).requires_grad_(), torch.zeros(4, requires_grad=True)
d_v = (torch.randn(4, 1) * 0.5).requires_grad_()


def generate(z):
    return z @ g_w + g_b


def judge(x):
    return F.leaky_relu(x @ d_w + d_b, 0.2) @ d_v


def update(params, lr):
    with torch.no_grad():
        for p in params:
            p.add_(p.grad, alpha=-lr)
            p.grad = None


ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(60):
    real = torch.normal(2.0, 0.5, (32, 1))
    fake = generate(torch.randn(32, 1))
    loss_d = (
        F.binary_cross_entropy_with_logits(judge(real), ones)
        + F.binary_cross_entropy_with_logits(judge(fake.detach()), zeros)
    ) / 2
    loss_d.backward()
    assert g_w.grad is None
    update([d_w, d_b, d_v], 0.2)
    loss_g = F.binary_cross_entropy_with_logits(judge(fake), ones)
    loss_g.backward()
    d_w.grad = d_b.grad = d_v.grad = None
    update([g_w, g_b], 0.1)
    if step % 20 == 0:
        print(
            f"{step}: {loss_d.item():.3f} {loss_g.item():.3f} {torch.sigmoid(judge(fake)).mean().item():.3f}"
        )
print(g_b > 0, generate(torch.zeros(1, 1)).shape, loss_g.grad_fn.name())
print(F.binary_cross_entropy(torch.sigmoid(torch.tensor([0.3, -2.0])), torch.tensor([1.0, 0.0])))
