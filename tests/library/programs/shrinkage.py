"""Ridge regression three ways, least squares, and descent with momentum in small batches."""

import torch

torch.manual_seed(0)
n, d = 50, 4
X = torch.rand(n, d)
w_true = torch.tensor([[1.5], [-2.0], [0.0], [3.0]])
y = X.matmul(w_true) + 0.05 * torch.randn(n, 1)
for lam in (0.0, 0.1, 1.0, 10.0):
    A = torch.addmm(lam * torch.eye(d), X.t(), X)
    w = torch.linalg.solve(A, X.t().mm(y))
    print(
        lam, [round(v, 4) for v in w.flatten().tolist()], ((X @ w - y) ** 2).mean().item().__format__(".4f")
    )
L = torch.linalg.cholesky(X.T @ X + torch.eye(d))
z = torch.linalg.solve_triangular(L, X.T @ y, upper=False)
w = torch.linalg.solve_triangular(L.T, z, upper=True)
print(w.squeeze())
sol = torch.linalg.lstsq(X, y)
print(sol.solution.ravel(), sol.rank)
print(torch.linalg.pinv(X).mm(y).T, torch.linalg.cond(X).item() > 1)
w = torch.zeros(d, 1, requires_grad=True)
velocity = torch.zeros_like(w)
for epoch in range(200):
    for i in range(0, n, 10):
        xb, yb = X[i : i + 10], y[i : i + 10]
        loss = (xb @ w - yb).pow(2).mean() + 1e-3 * w.norm() ** 2
        (g,) = torch.autograd.grad(loss, w)
        velocity = 0.9 * velocity + g
        with torch.no_grad():
            w -= 0.02 * velocity
print(w.detach().t(), loss.item() < 0.02)
