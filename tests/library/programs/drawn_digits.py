"""A small classifier of drawn digits, with batches, dropout by hand and a confusion matrix."""

import torch
import torch.nn.functional as F

torch.manual_seed(42)
protos = (torch.rand(5, 8, 8) > 0.5).float()
labels = torch.randint(0, 5, (300,))
images = (protos[labels] + 0.4 * torch.randn(300, 8, 8)).clamp(0, 1)
perm = torch.randperm(300)
train, test = perm[:240], perm[240:]
mean, std = images[train].mean(), images[train].std()
images = (images - mean) / std
W1 = torch.empty(64, 32)
W1.uniform_(-0.3, 0.3)
b1 = torch.zeros(32)
W2 = torch.randn(32, 5) * 0.1
b2 = torch.zeros(5)
params = [W1, b1, W2, b2]
for p in params:
    p.requires_grad_(True)
vel = [torch.zeros_like(p) for p in params]
for epoch in range(4):
    total = 0.0
    for idx in train[torch.randperm(len(train))].split(32):
        x, y = images[idx].flatten(1), labels[idx]
        h = torch.relu(x @ W1 + b1)
        mask = (torch.rand(h.shape) > 0.2).float() / 0.8
        logits = (h * mask) @ W2 + b2
        loss = F.cross_entropy(logits, y)
        for p in params:
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p, v in zip(params, vel):
                v.mul_(0.9).add_(p.grad)
                p -= 0.05 * v
        total += loss.item() * len(idx)
    with torch.no_grad():
        out = torch.relu(images[test].flatten(1) @ W1 + b1) @ W2 + b2
        acc = (out.argmax(1) == labels[test]).float().mean().item()
    print(f"epoch {epoch} loss {total / len(train):.3f} acc {acc:.3f}")
conf = torch.zeros(5, 5, dtype=torch.long)
conf.index_put_((labels[test], out.argmax(1)), torch.tensor(1), accumulate=True)
print(conf, conf.sum(1), torch.bincount(labels[test], minlength=5))
p = F.softmax(out, dim=1)
print(p.max(1).values.min() > 0, p.sum(1).allclose(torch.ones(len(test))))
print(
    F.one_hot(labels[:4], 5),
    F.nll_loss(p.log(), labels[test]).item() - F.cross_entropy(out, labels[test]).item() < 1e-5,
)
