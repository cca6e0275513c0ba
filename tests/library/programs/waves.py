"""A memory with gates learns a wave, and carries it on by itself."""

import torch

torch.manual_seed(21)


def params(n_in, n_h):
    def three():
        return torch.randn(n_in, n_h) * 0.1, torch.randn(n_h, n_h) * 0.1, torch.zeros(n_h)

    return [p.requires_grad_() for _ in range(4) for p in three()]


P = params(1, 8)
Who = (torch.randn(8, 1) * 0.1).requires_grad_()


def lstm(x, state=None):
    H, C = state if state is not None else (torch.zeros(x.shape[1], 8), torch.zeros(x.shape[1], 8))
    ys = []
    for X in x:
        i, f, o, g = (X @ P[3 * k] + H @ P[3 * k + 1] + P[3 * k + 2] for k in range(4))
        C = torch.sigmoid(f) * C + torch.sigmoid(i) * torch.tanh(g)
        H = torch.sigmoid(o) * torch.tanh(C)
        ys.append(H @ Who)
    return torch.stack(ys), (H, C)


wave = torch.sin(torch.arange(60) * 0.3)
seq = wave.unfold(0, 21, 8)
x, y = seq[:, :-1].T.unsqueeze(-1), seq[:, 1:].T.unsqueeze(-1)
print(x.shape, y.is_contiguous(), seq.stride())
everything = [*P, Who]
for epoch in range(40):
    out, (h, c) = lstm(x)
    loss = torch.mean((out - y) ** 2)
    grads = torch.autograd.grad(loss, everything)
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
    with torch.no_grad():
        for p, g in zip(everything, grads):
            p.sub_(0.5 * g / total.clamp_min(1.0))
    if epoch % 10 == 0:
        print(epoch, f"{loss:.4f} {total:.3f}")
with torch.no_grad():
    preds, state = [], None
    cur = wave[:5].view(5, 1, 1)
    for _ in range(3):
        o, state = lstm(cur, state)
        cur = o[-1:]
        preds.append(cur.item())
print([f"{p:.3f}" for p in preds], h.shape, c[0, :3])
