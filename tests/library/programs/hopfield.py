"""Patterns from memory, a map that organises itself, powers of matrices, conjugate gradients."""

import torch

torch.manual_seed(17)
patterns = torch.where(torch.rand(3, 32) > 0.5, 1.0, -1.0)
W = (patterns.T @ patterns) / 32
W.fill_diagonal_(0)
s = patterns[1].clone()
flip = torch.randperm(32)[:6]
s[flip] *= -1
for it in range(5):
    s_new = torch.sign(W @ s)
    s_new[s_new == 0] = 1
    if s_new.equal(s):
        break
    s = s_new
print(it, (s * patterns).sum(1), -0.5 * s @ W @ s)
data = torch.rand(60, 2)
grid = torch.stack(torch.meshgrid(torch.arange(3.0), torch.arange(3.0), indexing="ij"), -1).view(-1, 2)
centers = torch.rand(9, 2)
for t in range(120):
    x = data[torch.randint(60, (1,))]
    bmu = (centers - x).norm(dim=1).argmin()
    infl = torch.exp(-(grid - grid[bmu]).pow(2).sum(1) / (2 * (1.5 * 0.98**t) ** 2))
    centers += 0.3 * 0.99**t * infl[:, None] * (x - centers)
print(centers.view(3, 3, 2)[..., 0], torch.cdist(data, centers).min(1)[0].mean())
E = torch.rand(6, 6)
M = (E + E.T) / 2
v = torch.ones(6)
for _ in range(50):
    v = M @ v
    v /= v.norm()
print(v @ M @ v, torch.linalg.eigvalsh(M)[-1], torch.linalg.matrix_norm(M, 2), torch.linalg.svdvals(M)[0])
Q, R = torch.linalg.qr(torch.rand(4, 3))
print((Q.T @ Q - torch.eye(3)).abs().max() < 1e-5, R.diagonal().abs() > 0, R.tril(-1).count_nonzero())
G = torch.eye(4)
A = torch.tensor([[4.0, 1, 0, 0], [1, 3, 1, 0], [0, 1, 2, 1], [0, 0, 1, 5]])
x, r = torch.zeros(4), torch.ones(4)
p = r.clone()
for k in range(6):
    Ap = A @ p
    al = r.dot(r) / p.dot(Ap)
    x, rn = x + al * p, r - al * Ap
    if rn.norm() < 1e-6:
        break
    p = rn + rn.dot(rn) / r.dot(r) * p
    r = rn
print(k, x, A.mv(x).round(decimals=4))
B = A.clone()
for i in range(3):
    B[i + 1 :] -= B[i + 1 :, i : i + 1] / B[i, i] * B[i]
print(B, B.diag().prod(), A.det(), A.logdet(), torch.linalg.slogdet(A))
