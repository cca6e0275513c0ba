"""Linear algebra: solutions, factorizations and what they multiply to, ranks by walking, directions."""

import torch

torch.set_printoptions(precision=3, sci_mode=False)
torch.manual_seed(2)
A = torch.randn(4, 4, dtype=torch.float64)
S = A @ A.T + 4 * torch.eye(4, dtype=torch.float64)
b = torch.arange(4, dtype=torch.float64)
print(torch.linalg.solve(S, b), torch.linalg.inv(S) @ b, torch.linalg.det(S), torch.linalg.slogdet(S))
L = torch.linalg.cholesky(S)
print(L, (L @ L.T - S).abs().max() < 1e-12)
U, s, Vh = torch.linalg.svd(A)
print(s, (U * s @ Vh - A).norm() < 1e-12, torch.linalg.matrix_rank(A), torch.linalg.cond(A))
e, V = torch.linalg.eigh(S)
print(e, (V @ torch.diag(e) @ V.mT - S).abs().max() < 1e-10)
Q, R = torch.linalg.qr(A)
print((Q.T @ Q - torch.eye(4, dtype=torch.float64)).abs().max() < 1e-12, R.triu().equal(R), R.diag().abs())
X = torch.stack([torch.ones(5, dtype=torch.float64), torch.arange(5, dtype=torch.float64)], 1)
y = torch.tensor([1.0, 3.1, 4.9, 7.2, 9.0], dtype=torch.float64)
print(torch.linalg.lstsq(X, y[:, None]).solution, torch.linalg.pinv(X) @ y, torch.inverse(X.T @ X) @ X.T @ y)
print(
    torch.outer(b, b),
    torch.kron(torch.eye(2), torch.ones(1, 2)) * 1,
    torch.cross(b[:3], b[1:], dim=0),
    torch.dot(b, b),
)
print(
    torch.linalg.norm(A),
    torch.linalg.norm(A, 2),
    torch.linalg.norm(A, 1),
    torch.linalg.vector_norm(b, ord=float("inf")),
    A.norm(p=1),
)
M = torch.randn(3, 2, 2)
print(
    torch.linalg.det(M),
    torch.linalg.inv(M)[0],
    torch.bmm(M, M)[1],
    torch.baddbmm(M, M, M)[2],
    M.diagonal(dim1=1, dim2=2),
    torch.einsum("bii->b", M),
)
z = A.clone().requires_grad_()
(torch.logdet(z @ z.T) + torch.linalg.inv(z).sum()).backward()
print(z.grad)
pr = torch.tensor([[0.0, 0.5, 0.5], [1, 0, 0], [0.5, 0.5, 0]])
r = torch.full((3,), 1 / 3)
for _ in range(30):
    r = 0.85 * pr.T @ r + 0.05
print(r, r.sum())
C = torch.randn(20, 3) @ torch.tensor([[3.0, 0, 0], [1, 1, 0], [0, 0, 0.1]])
C = C - C.mean(0)
_, sv, W = torch.linalg.svd(C, full_matrices=False)
proj = C @ W[:2].T
print(sv**2 / (sv**2).sum(), proj.abs()[:2], (proj @ W[:2] - C).norm() / C.norm() < 0.1)
torch.set_printoptions(profile="default")
d = torch.cdist(C[:3], C[3:6])
print(d, d.argmin(1), torch.matrix_power(pr, 3), torch.tensordot(M, M, dims=([1, 2], [1, 2])))
