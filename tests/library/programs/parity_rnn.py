"""An Elman cell with its own weights, unrolled and trained on a running parity."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
H = 8
Wx = (torch.randn(H, 1) * 0.5).requires_grad_()
Wh = (torch.randn(H, H) * 0.3).requires_grad_()
b = torch.zeros(H, requires_grad=True)
Wo = (torch.randn(1, H) * 0.5).requires_grad_()
params = [Wx, Wh, b, Wo]
m = [torch.zeros_like(p) for p in params]
v = [torch.zeros_like(p) for p in params]
for step in range(1, 31):
    x = torch.randint(0, 2, (16, 6, 1)).float()
    y = x.cumsum(1).remainder(2)
    h = torch.zeros(16, H)
    outs = []
    for t in range(x.size(1)):
        h = torch.tanh(F.linear(x[:, t], Wx) + h @ Wh.T + b)
        outs.append(F.linear(h, Wo))
    logits = torch.stack(outs, dim=1)
    loss = F.binary_cross_entropy_with_logits(logits, y)
    grads = torch.autograd.grad(loss, params)
    norm = torch.sqrt(sum((g**2).sum() for g in grads))
    with torch.no_grad():
        for p, g, mi, vi in zip(params, grads, m, v):
            g = g * min(1.0, 1.0 / (norm.item() + 1e-6))
            mi.mul_(0.9).add_(g, alpha=0.1)
            vi.mul_(0.999).addcmul_(g, g, value=0.001)
            mh, vh = mi / (1 - 0.9**step), vi / (1 - 0.999**step)
            p.addcdiv_(mh, vh.sqrt().add_(1e-8), value=-0.02)
    if step % 10 == 0:
        acc = ((logits > 0).float() == y).float().mean()
        print(f"{step:3d} loss {loss.item():.4f} norm {norm.item():.3f} acc {acc:.3f}")
print(h.shape, logits.shape, loss.dtype, loss.grad_fn.name())
