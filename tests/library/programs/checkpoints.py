"""Checkpointing: the same gradients, random numbers replayed, fewer tensors kept."""

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
w = [torch.randn(4, 4).mul_(0.5).requires_grad_() for _ in range(3)]
x = torch.randn(2, 4, requires_grad=True)
calls = []


def layer(x, w):
    calls.append(1)
    return torch.tanh(x @ w)


def run(use):
    h = x
    for p in w:
        h = checkpoint(layer, h, p, use_reentrant=False) if use else layer(h, p)
    return h.sum()


plain = torch.autograd.grad(run(False), [x, *w])
n = len(calls)
again = torch.autograd.grad(run(True), [x, *w])
print(n, len(calls), all(torch.equal(a, b) for a, b in zip(plain, again)))
torch.manual_seed(1)
a = F.dropout(x, 0.5)
torch.manual_seed(1)
loss = checkpoint(lambda t: (F.dropout(t, 0.5) * t).sum(), x, use_reentrant=False)
print(torch.equal(torch.autograd.grad(loss, x)[0], 2 * a.detach()))
print(torch.rand(1))
kept = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: (kept.append(t.numel()), t)[1], lambda t: t):
    run(False)
    a = sum(kept)
    kept.clear()
    run(True)
print(a, sum(kept))
with torch.no_grad():
    print(checkpoint(layer, x, w[0], use_reentrant=False).requires_grad)
print(checkpoint(lambda t, k=2: t * k, torch.ones(2, requires_grad=True), use_reentrant=False, k=3))
