"""Two views of each thing are drawn together and all others pushed away; then neighbours vote."""

import torch
import torch.nn.functional as F

torch.manual_seed(17)
kinds, each = 3, 6
centers = 3 * torch.eye(kinds, 5)
labels = torch.arange(kinds).repeat_interleave(each)
things = centers[labels] + 0.3 * torch.randn(kinds * each, 5)
weight = (0.3 * torch.randn(4, 5)).requires_grad_()


def loss_of(a, b, heat=0.5):
    z = F.normalize(torch.cat([a, b]), dim=1)
    alike = z @ z.T / heat
    count = len(z)
    alike.fill_diagonal_(float("-inf"))
    partner = torch.arange(count).roll(count // 2)
    return F.cross_entropy(alike, partner)


moment = torch.zeros_like(weight)
for step in range(81):
    views = [things + 0.2 * torch.randn_like(things) for _ in range(2)]
    loss = loss_of(*[view @ weight.mT for view in views])
    (slope,) = torch.autograd.grad(loss, weight)
    moment.mul_(0.9).add_(slope)
    with torch.no_grad():
        weight -= 0.1 * moment
    if step % 40 == 0:
        print(step, f"{loss.item():.2f}")
z = F.normalize(things @ weight.detach().T, dim=-1)
near = torch.cdist(z, z).fill_diagonal_(torch.inf).topk(3, largest=False).indices
votes = F.one_hot(labels[near], kinds).sum(1).argmax(1)
print("neighbours agree:", (votes == labels).sum().item(), "of", len(labels))
means = torch.zeros(kinds, 4).index_add_(0, labels, z) / each
print("means:", means.shape, means.norm(dim=1).gt(0.5).tolist())
within = F.cosine_similarity(z, means[labels]).mean()
across = F.cosine_similarity(means[:, None], means[None], dim=-1)[~torch.eye(kinds, dtype=torch.bool)].mean()
print("within above across:", bool(within > across))
margin = F.triplet_margin_loss(z[:each], z[1 : each + 1], z[each : 2 * each], margin=0.2, reduction="none")
print(margin.shape, bool((margin >= 0).all()))
