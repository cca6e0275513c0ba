"""A net of one layer that learns which letter follows which, and writes names."""

import torch
import torch.nn.functional as F

words = ["emma", "olivia", "ava", "isabella", "sophia", "mia", "amelia", "harper", "evelyn", "luna", "camila"]
chars = sorted(set("".join(words)))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
itos = {i: s for s, i in stoi.items()}
xs, ys = [], []
for w in words:
    for first, second in zip("." + w, w + "."):
        xs.append(stoi[first])
        ys.append(stoi[second])
xs, ys = torch.tensor(xs), torch.tensor(ys)
num = xs.nelement()
print("number of examples:", num, xs[:6], ys[:6])
g = torch.Generator().manual_seed(2147483647)
W = torch.randn((len(stoi), len(stoi)), generator=g, requires_grad=True)
print(W[0, :4], W.shape)
for k in range(20):
    xenc = F.one_hot(xs, num_classes=len(stoi)).float()
    logits = xenc @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdims=True)
    loss = -probs[torch.arange(num), ys].log().mean() + 0.01 * (W**2).mean()
    W.grad = None
    loss.backward()
    W.data += -20 * W.grad
    if k % 5 == 0:
        print(k, f"{loss.item():.4f}", loss)
for _ in range(4):
    out, ix = [], 0
    while True:
        p = F.softmax(F.one_hot(torch.tensor([ix]), num_classes=len(stoi)).float() @ W, dim=1)
        ix = torch.multinomial(p, num_samples=1, replacement=True, generator=g).item()
        out.append(itos[ix])
        if ix == 0 or len(out) > 12:
            break
    print("".join(out))
