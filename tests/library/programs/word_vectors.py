"""Skip-grams with negative sampling: pairs, vectors by gradient, neighbours by cosine, an analogy."""

import torch
import torch.nn.functional as F

corpus = "king man queen woman king crown queen crown man shirt woman dress man king woman queen".split()
vocab = sorted(set(corpus))
ids = torch.tensor([vocab.index(w) for w in corpus])
pairs = torch.tensor(
    [(ids[i], ids[j]) for i in range(len(ids)) for j in range(max(0, i - 2), min(len(ids), i + 3)) if i != j]
)
print(len(vocab), pairs.shape, pairs[:4].tolist())
freq = torch.bincount(ids).float() ** 0.75
torch.manual_seed(6)
center, context = (torch.randn(len(vocab), 6).mul(0.3).requires_grad_() for _ in range(2))
for epoch in range(30):
    negative = torch.multinomial(freq, len(pairs) * 2, replacement=True).view(-1, 2)
    v = F.embedding(pairs[:, 0], center)
    u = context[torch.cat([pairs[:, 1:], negative], dim=1)]
    scores = torch.bmm(u, v.unsqueeze(-1)).squeeze(-1)
    labels = torch.zeros_like(scores)
    labels[:, 0] = 1
    loss = F.binary_cross_entropy_with_logits(scores, labels)
    loss.backward()
    with torch.no_grad():
        for p in (center, context):
            p -= 2.0 * p.grad
            p.grad = None
    if epoch % 10 == 0:
        print(epoch, f"{loss.item():.4f}", scores.shape)
vectors = F.normalize(center.detach(), dim=1)
similar = vectors @ vectors.T
best = similar.fill_diagonal_(-1).topk(2, dim=1)
print(best.values.shape, (best.values <= 1.00001).all(), similar.shape, vectors.norm(dim=1))
print(
    F.cosine_similarity(vectors[0], 2 * vectors[0], dim=0).round(decimals=4),
    torch.cosine_similarity(torch.eye(2), torch.ones(2), dim=-1),
)
print(center.grad, torch.cdist(vectors[:2], vectors[:2]).diagonal() < 1e-3)
