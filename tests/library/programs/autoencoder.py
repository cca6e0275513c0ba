"""A variational autoencoder: the trick of the random step, its two losses, Adam by hand."""

import torch
import torch.nn.functional as F

torch.manual_seed(7)
X = (torch.rand(64, 12) > 0.5).float()
X[:, 6:] = X[:, :6]
D, Hd, Z = 12, 16, 3


def layer(i, o):
    bound = 1 / i**0.5
    return torch.empty(o, i).uniform_(-bound, bound).requires_grad_(), torch.empty(o).uniform_(
        -bound, bound
    ).requires_grad_()


enc, mu_, lv_, dec1, dec2 = layer(D, Hd), layer(Hd, Z), layer(Hd, Z), layer(Z, Hd), layer(Hd, D)
params = [p for pair in (enc, mu_, lv_, dec1, dec2) for p in pair]
m, v = [torch.zeros_like(p) for p in params], [torch.zeros_like(p) for p in params]
for epoch in range(1, 31):
    perm = torch.randperm(len(X))
    total = 0.0
    for idx in perm.split(16):
        x = X[idx]
        h = F.relu(F.linear(x, *enc))
        mu, logvar = F.linear(h, *mu_), F.linear(h, *lv_)
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        out = torch.sigmoid(F.linear(F.relu(F.linear(mu + eps * std, *dec1)), *dec2))
        bce = F.binary_cross_entropy(out, x, reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss = bce + kld
        loss.backward()
        total += loss.item()
        with torch.no_grad():
            for p, a, b in zip(params, m, v):
                a.lerp_(p.grad, 0.1)
                b.mul_(0.999).addcmul_(p.grad, p.grad, value=1 - 0.999)
                t = epoch
                p.sub_(5e-3 * (a / (1 - 0.9**t)) / ((b / (1 - 0.999**t)).sqrt() + 1e-8))
                p.grad.zero_()
    if epoch % 10 == 0:
        print(epoch, f"{total / len(X):.2f}")
sample = torch.randn(2, Z)
print((torch.sigmoid(F.linear(F.relu(F.linear(sample, *dec1)), *dec2)) > 0.5).int())
