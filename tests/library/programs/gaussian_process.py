"""Gaussian processes: a kernel, samples, the posterior by Cholesky, the likelihood and its gradient."""

import torch


def rbf(x1, x2, ls=1.0):
    return torch.exp(-0.5 * (x1[:, None] - x2[None, :]) ** 2 / ls**2)


torch.manual_seed(0)
x = torch.linspace(0, 5, 6, dtype=torch.float64)
K = rbf(x, x)
print(K[:2], torch.linalg.matrix_rank(K), torch.trace(K))
L = torch.linalg.cholesky(K + 1e-6 * torch.eye(6))
print(torch.allclose(L @ L.T, K, atol=1e-5), L.diagonal())
train_x = torch.tensor([0.5, 1.5, 3.0, 4.0], dtype=torch.float64)
train_y = torch.sin(train_x)
test_x = torch.tensor([1.0, 2.0, 3.5], dtype=torch.float64)
ls = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
noise = torch.tensor(-4.0, dtype=torch.float64, requires_grad=True)
for step in range(40):
    S = rbf(train_x, train_x, ls) + noise.exp() * torch.eye(4)
    _, logdet = torch.linalg.slogdet(S)
    nll = 0.5 * train_y @ torch.linalg.solve(S, train_y) + 0.5 * logdet
    nll.backward()
    with torch.no_grad():
        for p in (ls, noise):
            p -= 0.05 * p.grad
            p.grad.zero_()
    if step % 10 == 0:
        print(f"{step}: {nll.item():.4f} {ls.item():.4f} {noise.item():.4f}")
with torch.no_grad():
    S = rbf(train_x, train_x, ls) + noise.exp() * torch.eye(4)
    Ks = rbf(test_x, train_x, ls)
    mean = Ks @ torch.linalg.inv(S) @ train_y
    cov = rbf(test_x, test_x, ls) - Ks @ torch.linalg.solve(S, Ks.T)
    print(mean, torch.sin(test_x), cov.diag().clamp_min(0).sqrt())
print(torch.linalg.det(S), torch.linalg.norm(S), torch.linalg.eigvalsh(S)[-1] > 0)
