"""Three spirals that no line divides: a net of two layers, trained by full batches."""

import torch
import torch.nn.functional as F

torch.manual_seed(12345)
N, D, classes, hidden = 40, 2, 3, 30
X = torch.zeros(N * classes, D)
y = torch.zeros(N * classes, dtype=torch.long)
for c in range(classes):
    t = torch.linspace(0, 1, N)
    angle = (
        torch.linspace(2 * torch.pi / classes * c, 2 * torch.pi / classes * (2 + c), N) + torch.randn(N) * 0.2
    )
    rows = slice(N * c, N * (c + 1))
    X[rows] = t.unsqueeze(1) * torch.cat(
        (torch.sin(angle).reshape(-1, 1), torch.cos(angle).reshape(-1, 1)), 1
    )
    y[rows] = c
print(X.size(), y.size(), y.bincount(), X[N + 3])
W1 = (torch.rand(D, hidden) * 2 - 1).div_(D**0.5).requires_grad_()
b1 = torch.zeros(hidden, requires_grad=True)
W2 = (torch.rand(hidden, classes) * 2 - 1).div_(hidden**0.5).requires_grad_()
b2 = torch.zeros(classes, requires_grad=True)
params = [W1, b1, W2, b2]
for t in range(200):
    scores = F.linear(F.relu(X @ W1 + b1), W2.t(), b2)
    loss = F.cross_entropy(scores, y)
    score, predicted = torch.max(scores, 1)
    acc = (y == predicted).sum().float() / len(y)
    if t % 50 == 0:
        print(f"[EPOCH]: {t}, [LOSS]: {loss.item():.4f}, [ACCURACY]: {acc:.3f}")
    for p, g in zip(params, torch.autograd.grad(loss, params)):
        with torch.no_grad():
            p.sub_(g, alpha=0.5)
print(f"{loss:.2f}", acc > 0.5, predicted[:5], scores.shape, torch.eye(3)[y[:2]])
confusion = torch.zeros(classes, classes, dtype=torch.int64).index_put_((y, predicted), torch.tensor(1), True)
print(confusion.sum(), confusion.sum(1), (confusion.diagonal() > 10).all())
