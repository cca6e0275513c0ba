"""A variational autoencoder of small patterns, its loss taken apart, and the trick with the noise."""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(8)
patterns = torch.tensor([[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1.0]])
data = patterns.repeat_interleave(8, dim=0)
print(data.shape, data.mean(0))


def layer(inputs, outputs):
    bound = 1 / math.sqrt(inputs)
    weight = torch.empty(outputs, inputs).uniform_(-bound, bound)
    return weight.requires_grad_(), torch.zeros(outputs, requires_grad=True)


into, mean, spread = layer(6, 10), layer(10, 2), layer(10, 2)
back, out = layer(2, 10), layer(10, 6)
parameters = [p for pair in (into, mean, spread, back, out) for p in pair]


def pass_through(x, noise):
    hidden = F.linear(x, *into).tanh()
    mu, log_var = F.linear(hidden, *mean), F.linear(hidden, *spread)
    z = mu + (0.5 * log_var).exp() * noise
    logits = F.linear(F.linear(z, *back).tanh(), *out)
    fit = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    divergence = -0.5 * torch.sum(1 + log_var - mu**2 - log_var.exp()) / len(x)
    return fit, divergence, logits


for step in range(201):
    fit, divergence, logits = pass_through(data, torch.randn(len(data), 2))
    loss = fit + 0.1 * divergence
    for p in parameters:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p -= 0.1 * p.grad
    if step % 100 == 0:
        print(step, f"{fit.item():.2f}", f"{divergence.item():.2f}")
fit, divergence, logits = pass_through(patterns, torch.zeros(3, 2))
print("patterns come back:", torch.equal((logits > 0).float(), patterns))
mu, log_var = torch.tensor([0.5, -1.0]), torch.tensor([0.2, -0.3])
exact = -0.5 * (1 + log_var - mu**2 - log_var.exp()).sum()
draws = mu + (log_var / 2).exp() * torch.randn(20000, 2)
ratio = (draws**2 / 2 - (draws - mu) ** 2 / (2 * log_var.exp()) - log_var / 2).sum(1).mean()
print("divergence", f"{exact:.4f}", "by draws within 0.05:", bool((exact - ratio).abs() < 0.05))
