"""A small decoder of two blocks: training with clipped gradients and Adam, sampling from the best five."""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(1337)
text = "to be or not to be that is the question whether tis nobler in the mind to suffer"
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
B, T, C, H, V = 4, 8, 16, 2, len(chars)


def init(*shape, std=0.02):
    return torch.normal(0.0, std, size=shape).requires_grad_()


wte, wpe = init(V, C), init(T, C)
blocks = [
    {
        "g1": torch.ones(C, requires_grad=True),
        "b1": torch.zeros(C, requires_grad=True),
        "qkv": init(3 * C, C),
        "proj": init(C, C, std=0.02 / math.sqrt(2)),
        "g2": torch.ones(C, requires_grad=True),
        "b2": torch.zeros(C, requires_grad=True),
        "fc": init(4 * C, C),
        "out": init(C, 4 * C),
    }
    for _ in range(2)
]
params = [wte, wpe] + [p for b in blocks for p in b.values()]
print(sum(p.numel() for p in params))


def forward(idx, targets=None):
    b, t = idx.size()
    x = F.embedding(idx, wte) + wpe[torch.arange(t)]
    for blk in blocks:
        h = F.layer_norm(x, (C,), blk["g1"], blk["b1"])
        q, k, v = F.linear(h, blk["qkv"]).split(C, dim=2)
        q, k, v = (z.view(b, t, H, C // H).transpose(1, 2) for z in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(torch.tril(torch.ones(t, t)).view(1, 1, t, t) == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        x = x + F.linear(y.transpose(1, 2).contiguous().view(b, t, C), blk["proj"])
        h = F.layer_norm(x, (C,), blk["g2"], blk["b2"])
        x = x + F.linear(F.gelu(F.linear(h, blk["fc"]), approximate="tanh"), blk["out"])
    logits = x @ wte.t()
    if targets is None:
        return logits, None
    return logits, F.cross_entropy(logits.view(-1, V), targets.view(-1), ignore_index=-1)


m = [torch.zeros_like(p) for p in params]
v2 = [torch.zeros_like(p) for p in params]
for step in range(1, 41):
    ix = torch.randint(len(data) - T, (B,))
    x = torch.stack([data[i : i + T] for i in ix])
    y = torch.stack([data[i + 1 : i + T + 1] for i in ix])
    logits, loss = forward(x, y)
    grads = torch.autograd.grad(loss, params)
    norm = torch.sqrt(sum((g**2).sum() for g in grads))
    clip = (1.0 / (norm + 1e-6)).clamp(max=1.0)
    with torch.no_grad():
        for p, g, a, s in zip(params, grads, m, v2):
            g = g * clip
            a.mul_(0.9).add_(g, alpha=0.1)
            s.mul_(0.95).addcmul_(g, g, value=0.05)
            p.addcdiv_(a / (1 - 0.9**step), (s / (1 - 0.95**step)).sqrt().add_(1e-8), value=-1e-2)
    if step % 10 == 0:
        print(step, f"{loss.item():.3f}", f"{norm.item():.2f}")
idx = torch.zeros((1, 1), dtype=torch.long)
with torch.no_grad():
    for _ in range(12):
        logits, _ = forward(idx[:, -T:])
        logits = logits[:, -1, :] / 0.8
        top, _ = torch.topk(logits, 5)
        logits[logits < top[:, [-1]]] = -float("Inf")
        nxt = torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)
        idx = torch.cat((idx, nxt), dim=1)
print("".join(chars[i] for i in idx[0].tolist()))
