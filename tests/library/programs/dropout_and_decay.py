"""Dropout by a mask, weight decay on twenty useless features, early stopping by a validation set."""

import torch


def dropout_layer(X, dropout):
    assert 0 <= dropout <= 1
    if dropout == 1:
        return torch.zeros_like(X)
    mask = (torch.rand(X.shape) > dropout).float()
    return mask * X / (1.0 - dropout)


torch.manual_seed(2)
X = torch.arange(16, dtype=torch.float32).reshape((2, 8))
print(X, dropout_layer(X, 0.0), dropout_layer(X, 0.5), dropout_layer(X, 1.0), sep="\n")
n_train, n_valid, num_inputs = 12, 20, 20
w_true, b_true = torch.ones((num_inputs, 1)) * 0.01, 0.05
features = torch.randn(n_train + n_valid, num_inputs)
labels = features @ w_true + b_true + torch.randn(n_train + n_valid, 1) * 0.01
for lambd in (0, 3):
    torch.manual_seed(5)
    w = torch.normal(0, 1, size=(num_inputs, 1), requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    best, patience = float("inf"), 0
    for epoch in range(60):
        loss = ((features[:n_train] @ w + b - labels[:n_train]) ** 2 / 2).mean() + lambd * torch.sum(
            w.pow(2)
        ) / 2
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.05 * p.grad
                p.grad.zero_()
            valid = ((features[n_train:] @ w + b - labels[n_train:]) ** 2 / 2).mean().item()
        best, patience = (valid, 0) if valid < best else (best, patience + 1)
        if patience == 5:
            break
    print(
        f"lambda {lambd}: stopped at {epoch}, valid {best:.4f}, |w| {torch.norm(w).item():.4f}", w.norm() < 1
    )
