"""A small net's backward pass by hand, each step compared with what autograd retains."""

import torch
import torch.nn.functional as F

g = torch.Generator().manual_seed(42)
n, vocab, width = 8, 7, 12
X = torch.randint(0, vocab, (n, 2), generator=g)
Y = torch.randint(0, vocab, (n,), generator=g)
C = torch.randn((vocab, 5), generator=g)
W1 = torch.randn((10, width), generator=g) * 0.3
b1 = torch.randn(width, generator=g) * 0.1
W2 = torch.randn((width, vocab), generator=g) * 0.1
b2 = torch.randn(vocab, generator=g) * 0.1
bngain = torch.randn((1, width), generator=g) * 0.1 + 1.0
bnbias = torch.randn((1, width), generator=g) * 0.1
parameters = [C, W1, b1, W2, b2, bngain, bnbias]
for p in parameters:
    p.requires_grad = True

emb = C[X]
embcat = emb.view(emb.shape[0], -1)
hprebn = embcat @ W1 + b1
bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
bndiff = hprebn - bnmeani
bnvar = 1 / (n - 1) * (bndiff**2).sum(0, keepdim=True)
bnvar_inv = (bnvar + 1e-5) ** -0.5
bnraw = bndiff * bnvar_inv
hpreact = bngain * bnraw + bnbias
h = torch.tanh(hpreact)
logits = h @ W2 + b2
logit_maxes = logits.max(1, keepdim=True).values
norm_logits = logits - logit_maxes
counts = norm_logits.exp()
counts_sum = counts.sum(1, keepdims=True)
counts_sum_inv = counts_sum**-1
probs = counts * counts_sum_inv
logprobs = probs.log()
loss = -logprobs[range(n), Y].mean()
for t in [
    logprobs,
    probs,
    counts,
    counts_sum,
    counts_sum_inv,
    norm_logits,
    logit_maxes,
    logits,
    h,
    hpreact,
    bnraw,
    bnvar_inv,
    bnvar,
    bndiff,
    hprebn,
    bnmeani,
    embcat,
    emb,
]:
    t.retain_grad()
loss.backward()
print(loss)


def cmp(s, dt, t):
    ex = torch.all(dt == t.grad).item()
    app = torch.allclose(dt, t.grad, atol=1e-6)
    diff = (dt - t.grad).abs().max().item()
    print(
        f"{s:15s} | approximate: {app!s:5s} | small: {diff < 1e-6} | same shape: {dt.shape == t.grad.shape}"
    )
    return ex


dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Y] = -1.0 / n
dprobs = (1.0 / probs) * dlogprobs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts = counts_sum_inv * dprobs
dcounts_sum = (-(counts_sum**-2)) * dcounts_sum_inv
dcounts += torch.ones_like(counts) * dcounts_sum
dnorm_logits = counts * dcounts
dlogits = dnorm_logits.clone()
dlogit_maxes = (-dnorm_logits).sum(1, keepdim=True)
dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
dh = dlogits @ W2.T
dW2 = h.T @ dlogits
db2 = dlogits.sum(0)
dhpreact = (1.0 - h**2) * dh
dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
dbnraw = bngain * dhpreact
dbnbias = dhpreact.sum(0, keepdim=True)
dbndiff = bnvar_inv * dbnraw
dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
dbnvar = (-0.5 * (bnvar + 1e-5) ** -1.5) * dbnvar_inv
dbndiff += (2 * (1.0 / (n - 1)) * torch.ones_like(bndiff)) * dbnvar * bndiff
dhprebn = dbndiff.clone()
dbnmeani = (-dbndiff).sum(0)
dhprebn += 1.0 / n * (torch.ones_like(hprebn) * dbnmeani)
dembcat = dhprebn @ W1.T
dW1 = embcat.T @ dhprebn
db1 = dhprebn.sum(0)
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
for k in range(X.shape[0]):
    for j in range(X.shape[1]):
        dC[X[k, j]] += demb[k, j]
for name in (
    "logprobs probs counts_sum_inv counts_sum counts norm_logits logits h W2 b2 hpreact bngain bnbias "
    "bnraw bnvar_inv bnvar bndiff hprebn embcat W1 b1 emb C"
).split():
    cmp(name, globals()["d" + name], globals()[name])
