"""What the graph keeps: saved tensors, hooks that pack them, recomputation, and when it goes."""

import torch
from torch.utils.checkpoint import checkpoint

x = torch.randn(5, generator=torch.Generator().manual_seed(1)).requires_grad_()
y = x.exp()
print(y.equal(y.grad_fn._saved_result), y.grad_fn._saved_result.requires_grad)
z = x.pow(2)
print(x.equal(z.grad_fn._saved_self), x is z.grad_fn._saved_self)
w = x * z
print(w.grad_fn._saved_self.shape, w.grad_fn._saved_other.equal(z))
packed = []


def pack_hook(t):
    packed.append(tuple(t.shape))
    return t.detach().numpy().copy()


with torch.autograd.graph.saved_tensors_hooks(pack_hook, torch.from_numpy):
    a = torch.ones(3, requires_grad=True)
    b = torch.ones(2, 3, requires_grad=True) * 2
    out = ((a * b).sigmoid() ** 2).sum()
out.backward()
print(packed, a.grad)
calls = []


def block(t):
    calls.append(torch.is_grad_enabled())
    return torch.tanh(t * 2).exp()


t = torch.linspace(0, 1, 4, requires_grad=True)
r = checkpoint(block, t, use_reentrant=False)
print(r, len(calls))
r.sum().backward()
print(t.grad, len(calls))
(again,) = torch.autograd.grad(block(t).sum(), t)
print(torch.equal(again, t.grad))
chain = x
for _ in range(2000):
    chain = chain * 0.999
chain.sum().backward()
print(x.grad)
with torch.autograd.set_detect_anomaly(True):
    bad = torch.zeros(1, requires_grad=True)
    try:
        (bad.sqrt() * 0).backward()
    except RuntimeError as error:
        print(str(error)[:60])
with torch.inference_mode():
    quick = torch.ones(2) * 3
print(quick.is_inference(), quick)
