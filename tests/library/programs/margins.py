"""Perceptron, support vectors, a kernel, thresholds and the area under a curve, Newton's method."""

import torch

torch.manual_seed(6)
X = torch.cat([torch.randn(30, 2) + 1.5, torch.randn(30, 2) - 1.5])
y = torch.cat([torch.ones(30), -torch.ones(30)])
w, b, mistakes = torch.zeros(2), 0.0, 0
for epoch in range(5):
    for i in torch.randperm(60):
        if y[i] * (w @ X[i] + b) <= 0:
            w += y[i] * X[i]
            b += y[i].item()
            mistakes += 1
print(w, b, mistakes, (torch.sign(X @ w + b) == y).sum())
w = torch.zeros(3, requires_grad=True)
Xb = torch.column_stack([X, torch.ones(60)])
for t in range(1, 101):
    hinge = torch.clamp(1 - y * (Xb @ w), min=0).mean() + 0.01 * w[:2].dot(w[:2])
    hinge.backward()
    with torch.no_grad():
        w -= (1 / t**0.5) * w.grad
        w.grad.fill_(0)
print(w, f"{hinge.item():.5f}", ((1 - y * (Xb @ w)) > 0).sum())
K = torch.exp(-0.5 * torch.cdist(X, X) ** 2)
alpha = torch.zeros(60)
for _ in range(20):
    wrong = torch.sign(K @ (alpha * y)) != y
    alpha[wrong] += 1
print(alpha.sum(), wrong.sum(), alpha.nonzero().squeeze().shape)
p = torch.sigmoid(Xb @ w.detach())
for thr in (0.3, 0.5, 0.7):
    pred = p > thr
    tp = (pred & (y == 1)).sum().float()
    print(
        thr,
        (tp / pred.sum()).item().__round__(4),
        (tp / (y == 1).sum()).item().__round__(4),
        torch.logical_xor(pred, y > 0).sum(),
    )
order = p.argsort(descending=True)
tpr = (y[order] == 1).cumsum(0) / 30
false_rate = (y[order] == -1).cumsum(0) / 30
print(f"auc {(torch.diff(false_rate, prepend=torch.zeros(1)) * tpr).sum():.4f}", tpr[:5], false_rate[-3:])
newton = torch.zeros(3)
t01 = (y + 1) / 2
for _ in range(6):
    mu = torch.sigmoid(Xb @ newton)
    H = Xb.T @ (Xb * (mu * (1 - mu))[:, None]) + 0.1 * torch.eye(3)
    newton -= torch.linalg.solve(H, Xb.T @ (mu - t01) + 0.1 * newton)
print(newton)
