"""A network of two layers, its gradients by hand, on exclusive or."""

import torch

torch.manual_seed(8)
x = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]])
y = torch.tensor([[0.0], [1], [1], [0]])
w1, w2 = torch.randn(2, 8), torch.randn(8, 1)
b1, b2 = torch.zeros(8), torch.zeros(1)
for t in range(300):
    h = x.mm(w1) + b1
    relu = h.clamp(min=0)
    out = torch.sigmoid(relu.mm(w2) + b2)
    loss = (out - y).pow(2).mean()
    grad_out = 2 * (out - y) / y.numel() * out * (1 - out)
    grad_h = grad_out.mm(w2.t())
    grad_h[h < 0] = 0
    w2.sub_(relu.t().mm(grad_out), alpha=2.0)
    b2 -= 2 * grad_out.sum(0)
    w1.sub_(x.t().mm(grad_h), alpha=2.0)
    b1 -= 2 * grad_h.sum(dim=0)
    if t % 100 == 0:
        print(t, f"{loss.item():.4f}")
print(out.round().flatten().tolist(), loss < 0.1)
