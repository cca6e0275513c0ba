"""Principal components: centre, decompose, project, rebuild."""

import torch

torch.manual_seed(4)
directions = torch.tensor([[3.0, 1.0, 0.0], [0.0, 0.5, 1.0]])
X = torch.randn(100, 2) @ directions + 0.05 * torch.randn(100, 3) + 7
centred = X - X.mean(0)
U, S, Vh = torch.linalg.svd(centred, full_matrices=False)
explained = S**2 / (S**2).sum()
print("explained", explained)
covariance = centred.T @ centred / (len(X) - 1)
values = torch.linalg.eigvalsh(covariance).flip(0)
print("eigenvalues agree", torch.allclose(values, S**2 / (len(X) - 1), rtol=1e-4))
rebuilt = (U[:, :2] * S[:2]) @ Vh[:2] + X.mean(0)
print("error of two components", f"{(rebuilt - X).norm() / X.norm():.4f}")
print(torch.linalg.matrix_rank(centred), torch.std(X, 0))
