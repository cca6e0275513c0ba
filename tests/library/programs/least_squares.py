"""A line through noisy points: by the normal equations, and by gradient descent with gradients by hand."""

import torch

torch.manual_seed(1)
w_true, b_true = torch.tensor([2.0, -3.4]), 4.2
X = torch.normal(0, 1, (200, 2))
y = X @ w_true + b_true + torch.normal(0, 0.01, (200,))

design = torch.cat([X, torch.ones(len(X), 1)], dim=1)
solution = torch.linalg.solve(design.T @ design, design.T @ y)
print("normal equations", solution)

w, b, lr = torch.zeros(2), torch.zeros(1), 0.3
for epoch in range(20):
    permutation = torch.randperm(len(X))
    for batch in permutation.split(50):
        error = X[batch] @ w + b - y[batch]
        w -= lr * (X[batch].T @ error) / len(batch)
        b -= lr * error.mean()
    if epoch % 5 == 4:
        loss = ((X @ w + b - y) ** 2 / 2).mean()
        print(f"epoch {epoch + 1}, loss {loss:.6f}")
print("gradient descent", w, b, (w - w_true).abs().max() < 0.01)
