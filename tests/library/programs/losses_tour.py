"""Losses of pairs, of triples and of distributions, each with the gradient that it makes."""

import torch
import torch.nn.functional as F

torch.manual_seed(14)
a, p, n = torch.randn(3, 6, 4).unbind(0)
print(F.triplet_margin_loss(a, p, n), F.triplet_margin_loss(a, p, n, margin=0.2, swap=True, reduction="none"))
print(
    F.cosine_embedding_loss(a, p, torch.tensor([1, -1, 1, -1, 1, 1])),
    F.margin_ranking_loss(a[:, 0], p[:, 0], torch.ones(6), margin=0.1),
    F.hinge_embedding_loss(a, torch.sign(p)),
)
za, zp = F.normalize(a, dim=-1), F.normalize(p, dim=-1)
logits = za @ zp.T / 0.1
print(F.cross_entropy(logits, torch.arange(6)), F.cross_entropy(logits.T, torch.arange(6), reduction="none"))
d = F.pairwise_distance(a, p, keepdim=True)
print(d.T, torch.cdist(a[None], p[None]).diagonal(dim1=-2, dim2=-1), 1 - F.cosine_similarity(a, p))
t = torch.rand(6, 4)
for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits"):
    f = getattr(F, name)
    x = a.clone().requires_grad_()
    loss = f(x, t)
    loss.backward()
    print(
        name, f"{loss:.5f}", f"{x.grad.norm():.5f}", f(a, t, reduction="sum"), f(a, t, reduction="none").shape
    )
print(
    F.kl_div(a.log_softmax(1), p.softmax(1), reduction="batchmean"),
    F.kl_div(a.log_softmax(1), p.log_softmax(1), log_target=True, reduction="sum"),
)
print(
    F.binary_cross_entropy(torch.sigmoid(a), t),
    F.poisson_nll_loss(a, t),
    F.gaussian_nll_loss(a, t, torch.ones(6, 4)),
    F.soft_margin_loss(a, t.round() * 2 - 1),
)
print(
    F.nll_loss(a.log_softmax(1), torch.tensor([0, 1, 2, 3, 0, -100])),
    F.cross_entropy(a, t.softmax(1)),
    F.cross_entropy(
        a, torch.tensor([0, 1, 2, 3, 0, 1]), label_smoothing=0.2, weight=torch.tensor([1.0, 2, 3, 4])
    ),
)
teacher, T = p * 2, 3.0
print(F.kl_div(F.log_softmax(a / T, -1), F.softmax(teacher / T, -1), reduction="batchmean") * T * T)
focal = -((1 - a.softmax(1)) ** 2 * a.log_softmax(1))[
    torch.arange(6), torch.tensor([0, 1, 2, 3, 0, 1])
].mean()
dice = 1 - (2 * (a.sigmoid() * t).sum() + 1) / (a.sigmoid().sum() + t.sum() + 1)
print(focal, dice)
