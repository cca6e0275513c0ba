"""A two-layer net: gradients by hand, by autograd, by finite differences."""

import torch

torch.manual_seed(5)
X, Y = torch.randn(7, 3, dtype=torch.float64), torch.randn(7, 2, dtype=torch.float64)
W1, W2 = torch.randn(3, 4, dtype=torch.float64), torch.randn(4, 2, dtype=torch.float64)


def forward(W1, W2):
    a = X.mm(W1)
    h = a.clamp(min=0)
    return a, h, h.mm(W2)


a, h, out = forward(W1, W2)
g_out = 2 * (out - Y) / Y.numel()
gW2 = h.t().mm(g_out)
g_h = g_out.mm(W2.t())
g_h[a < 0] = 0
gW1 = X.t().mm(g_h)
w1, w2 = W1.clone().requires_grad_(), W2.clone().requires_grad_()
loss = ((forward(w1, w2)[2] - Y) ** 2).mean()
loss.backward()
print(torch.allclose(w1.grad, gW1), torch.allclose(w2.grad, gW2), loss.item())


def loss_of(w):
    return ((forward(w, W2)[2] - Y) ** 2).mean()


num = torch.zeros_like(W1)
eps = 1e-6
for i in range(3):
    for j in range(4):
        d = torch.zeros_like(W1)
        d[i, j] = eps
        num[i, j] = (loss_of(W1 + d) - loss_of(W1 - d)) / (2 * eps)
print((num - gW1).abs().max() < 1e-8)
print(torch.autograd.gradcheck(lambda u, v: ((forward(u, v)[2] - Y) ** 2).mean(), (w1, w2)))
print(w1.grad)
H = torch.autograd.functional.hessian(
    lambda v: ((forward(W1, v.view(4, 2))[2] - Y) ** 2).mean(), W2.flatten()
)
print(H.shape, torch.allclose(H, H.T), torch.linalg.eigvalsh(H).min() > -1e-10)
J = torch.autograd.functional.jacobian(lambda v: forward(v, W2)[2][0], W1)
print(J.shape, J[0, 0])
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = (w**3).sum()
(g,) = torch.autograd.grad(y, w, create_graph=True)
(g2,) = torch.autograd.grad(g.sum(), w)
print(g, g2, g.requires_grad, w.is_leaf, y.is_leaf, y.grad_fn.next_functions[0][0].name())
for bad in (
    lambda: loss.backward(),
    lambda: w.add_(1),
    lambda: torch.ones(2).backward(),
    lambda: (w * 2).backward(),
    lambda: w.numpy(),
):
    try:
        bad()
        print("fine")
    except RuntimeError:
        print("RuntimeError")
