"""Decoding: beam search, the k likeliest, the nucleus, Gumbel noise, a penalty for what was said."""

import torch
import torch.nn.functional as F

g = torch.Generator().manual_seed(42)
V, T = 7, 5
trans = torch.randn(V, V, generator=g)
logp = F.log_softmax(trans, dim=-1)
beams = [(torch.tensor([0]), torch.tensor(0.0))]
for _ in range(T):
    cand = []
    for seq, score in beams:
        s, idx = logp[seq[-1]].topk(3)
        for a, i in zip(s, idx):
            cand.append((torch.cat([seq, i[None]]), score + a))
    beams = sorted(cand, key=lambda c: c[1].item(), reverse=True)[:3]
for seq, score in beams:
    print(seq.tolist(), f"{score.item():.5f}", score)


def top_k(logits, k):
    v, _ = torch.topk(logits, k)
    out = logits.clone()
    out[out < v[..., [-1]]] = -float("inf")
    return out


def nucleus(logits, p):
    s, i = torch.sort(logits, descending=True)
    c = torch.cumsum(F.softmax(s, dim=-1), dim=-1)
    remove = c > p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    mask = remove.scatter(-1, i, remove)
    return logits.masked_fill(mask, float("-inf"))


print(top_k(trans[:2], 3))
print(nucleus(trans[:2], 0.7))
print(F.softmax(nucleus(trans[0], 0.9) / 0.8, dim=-1))
seq = [0]
for _ in range(12):
    pr = F.softmax(top_k(trans[seq[-1]], 4), dim=-1)
    seq.append(torch.multinomial(pr, 1, generator=g).item())
print(seq)
gum = -torch.log(-torch.log(torch.rand(4, V, generator=g)))
print((trans[:4] + gum).argmax(-1))
print(torch.multinomial(torch.softmax(trans, 1), 3, replacement=True, generator=g))
pen = trans[0].clone()
ids = torch.tensor([1, 3])
sc = pen.gather(0, ids)
pen.scatter_(0, ids, torch.where(sc < 0, sc * 1.2, sc / 1.2))
print(pen)
