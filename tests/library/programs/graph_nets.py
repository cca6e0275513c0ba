"""Graphs: a normalised adjacency, two layers of messages, attention over edges, shortest paths."""

import torch
import torch.nn.functional as F

torch.manual_seed(2)
edges = torch.tensor([[0, 1, 1, 2, 3, 4, 4, 5, 2], [1, 0, 2, 1, 4, 3, 5, 4, 3]])
N = 6
A = torch.zeros(N, N)
A[edges[0], edges[1]] = 1
A = ((A + A.T + torch.eye(N)) > 0).float()
deg = A.sum(1)
An = deg.rsqrt().diag() @ A @ torch.diag(deg.pow(-0.5))
print(An.round(decimals=3), torch.linalg.eigvalsh(An).max())
X = torch.eye(N)
W1, W2 = torch.randn(N, 4).requires_grad_(), torch.randn(4, 2).requires_grad_()
y = torch.tensor([0, 0, 0, 1, 1, 1])
known = torch.tensor([True, False, False, False, False, True])
for ep in range(60):
    h = torch.relu(An @ X @ W1)
    out = F.log_softmax(An @ h @ W2, dim=1)
    loss = F.nll_loss(out[known], y[known])
    g = torch.autograd.grad(loss, [W1, W2])
    for p, gg in zip((W1, W2), g):
        p.data -= 0.2 * gg
    if ep % 20 == 0:
        print(ep, f"{loss:.4f}", (out.argmax(1) == y).sum().item())
print(out.exp()[:, 1])
src, dst = edges
msg = torch.zeros(N, 4).index_add_(0, dst, h.detach()[src])
mean = msg / torch.zeros(N).scatter_add_(0, dst, torch.ones(dst.numel())).clamp(min=1)[:, None]
print(msg[:2], mean[-1])
score = (h.detach()[src] * h.detach()[dst]).sum(-1)
mx = torch.full((N,), -1e9).scatter_reduce(0, dst, score, reduce="amax")
ex = (score - mx[dst]).exp()
alpha = ex / torch.zeros(N).index_add(0, dst, ex)[dst]
print(alpha, torch.zeros(N).index_add(0, dst, alpha))
r = torch.full((N,), 1 / N)
M = A / A.sum(0)
for _ in range(30):
    r = 0.85 * M @ r + 0.15 / N
print(r, r.sum(), r.topk(2))
dist = torch.where(A.bool(), 1.0, torch.inf).fill_diagonal_(0)
for k in range(N):
    dist = torch.minimum(dist, dist[:, k : k + 1] + dist[k : k + 1])
print(dist)
