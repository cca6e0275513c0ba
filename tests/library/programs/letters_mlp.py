"""A language model of three letters of context: an embedding, a hidden layer, minibatches."""

import torch
import torch.nn.functional as F

words = "anna otto emma hanna tom nora marta roman simon norman thomas martin manon tanner morton".split()
itos = ["."] + sorted(set("".join(words)))
stoi = {s: i for i, s in enumerate(itos)}
block = 3


def dataset(words):
    X, Y = [], []
    for w in words:
        context = [0] * block
        for ch in w + ".":
            X.append(context)
            Y.append(stoi[ch])
            context = context[1:] + [stoi[ch]]
    return torch.tensor(X), torch.tensor(Y)


Xtr, Ytr = dataset(words[:13])
Xdev, Ydev = dataset(words[13:])
print(Xtr.shape, Xtr.dtype, Ytr.shape, Xdev.shape)
g = torch.Generator().manual_seed(2147483647)
C = torch.randn((len(itos), 4), generator=g)
W1 = torch.randn((block * 4, 24), generator=g) * (5 / 3) / (block * 4) ** 0.5
b1 = torch.randn(24, generator=g) * 0.01
W2 = torch.randn((24, len(itos)), generator=g) * 0.01
b2 = torch.zeros(len(itos))
parameters = [C, W1, b1, W2, b2]
print(sum(p.nelement() for p in parameters))
for p in parameters:
    p.requires_grad = True
lossi = []
for i in range(120):
    ix = torch.randint(0, Xtr.shape[0], (16,), generator=g)
    emb = C[Xtr[ix]]
    h = torch.tanh(emb.view(-1, block * 4) @ W1 + b1)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Ytr[ix])
    for p in parameters:
        p.grad = None
    loss.backward()
    lr = 0.3 if i < 80 else 0.05
    for p in parameters:
        p.data += -lr * p.grad
    lossi.append(loss.log10().item())
print(torch.tensor(lossi).view(-1, 30).mean(1))


@torch.no_grad()
def split_loss(x, y):
    h = torch.tanh(C[x].view(x.shape[0], -1) @ W1 + b1)
    return F.cross_entropy(h @ W2 + b2, y)


print(f"{split_loss(Xtr, Ytr):.3f} {split_loss(Xdev, Ydev).item():.3f}", split_loss(Xtr, Ytr).requires_grad)
for _ in range(4):
    out, context = [], [0] * block
    while len(out) < 10:
        probs = F.softmax(torch.tanh(C[torch.tensor([context])].view(1, -1) @ W1 + b1) @ W2 + b2, dim=1)
        ix = torch.multinomial(probs, num_samples=1, generator=g).item()
        context = context[1:] + [ix]
        if ix == 0:
            break
        out.append(itos[ix])
    print("".join(out))
