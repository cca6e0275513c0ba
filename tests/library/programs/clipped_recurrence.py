"""A recurrent network of characters: one-hot inputs, truncated passes, gradients clipped by their norm."""

import torch
import torch.nn.functional as F

text = "hello tensor world, hello view world"
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
H, V = 12, len(chars)
torch.manual_seed(3)
P = {
    k: (torch.randn(s) * 0.1).requires_grad_() for k, s in {"xh": (V, H), "hh": (H, H), "hy": (H, V)}.items()
}
P["bh"] = torch.zeros(H, requires_grad=True)
P["by"] = torch.zeros(V, requires_grad=True)
h = torch.zeros(1, H)


def clip(ps, theta):
    norm = torch.sqrt(sum(torch.sum(p.grad**2) for p in ps))
    if norm > theta:
        for p in ps:
            p.grad[:] *= theta / norm
    return norm


for it in range(40):
    start = (it * 5) % (len(data) - 9)
    xs, ys = data[start : start + 8], data[start + 1 : start + 9]
    h = h.detach()
    loss = 0
    for t in range(8):
        onehot = F.one_hot(xs[t : t + 1], V).float()
        h = torch.tanh(onehot @ P["xh"] + h @ P["hh"] + P["bh"])
        out = h @ P["hy"] + P["by"]
        loss = loss + F.cross_entropy(out, ys[t : t + 1])
    for p in P.values():
        if p.grad is not None:
            p.grad.zero_()
    loss.backward()
    n = clip(P.values(), 1.0)
    with torch.no_grad():
        for p in P.values():
            p -= 0.3 * p.grad
    if it % 8 == 0:
        print(f"{it} {loss.item() / 8:.4f} |g|={n:.4f} ppl={torch.exp(loss / 8):.3f}")
print(h.detach().round(decimals=3))
with torch.no_grad():
    c, hh, s = data[0], torch.zeros(1, H), ""
    for _ in range(10):
        hh = torch.tanh(P["xh"][c] + hh @ P["hh"] + P["bh"])
        c = (hh @ P["hy"] + P["by"]).argmax(1)[0]
        s += chars[c]
print(repr(s))
