"""A third-order polynomial fitted to the sine by gradients written out by hand."""

import math

import torch

torch.manual_seed(7)
x = torch.linspace(-math.pi, math.pi, 500, dtype=torch.float64)
y = torch.sin(x)
a, b, c, d = torch.randn(4, dtype=torch.float64)
rate = 1e-6
for t in range(400):
    guess = a + b * x + c * x**2 + d * x**3
    if t % 100 == 99:
        print(t, f"{(guess - y).pow(2).sum().item():.3f}")
    slope = 2.0 * (guess - y)
    a = a - rate * slope.sum()
    b = b - rate * (slope * x).sum()
    c = c - rate * (slope * x**2).sum()
    d = d - rate * (slope * x**3).sum()
print(f"y = {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")
powers = x.unsqueeze(-1).pow(torch.tensor([0, 1, 2, 3]))
best = torch.linalg.lstsq(powers, y.unsqueeze(1)).solution.squeeze()
print(powers.shape, best[1::2], best[::2].abs().max() < 1e-9)
