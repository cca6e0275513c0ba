"""A layer of experts: each token goes to two of four, and all of them learn from those that they saw."""

import torch
import torch.nn.functional as F

torch.manual_seed(21)
tokens, width, experts, chosen = 24, 6, 4, 2
x = torch.randn(tokens, width)
target = torch.where(x[:, :1] > 0, x.flip(-1), -x)
gate = (0.1 * torch.randn(width, experts)).requires_grad_()
up = (torch.randn(experts, width, 12) / width**0.5).requires_grad_()
down = (torch.randn(experts, 12, width) / 12**0.5).requires_grad_()


def one_by_one(x):
    scores = (x @ gate).softmax(dim=-1)
    weight, which = scores.topk(chosen, dim=-1)
    weight = weight / weight.sum(-1, keepdim=True)
    result = torch.zeros_like(x)
    for expert in range(experts):
        rows, slot = (which == expert).nonzero(as_tuple=True)
        hidden = F.gelu(x[rows] @ up[expert], approximate="tanh")
        result = result.index_add(0, rows, hidden @ down[expert] * weight[rows, slot].unsqueeze(1))
    return result, which, scores


def all_at_once(x):
    scores = (x @ gate).softmax(dim=-1)
    weight, which = scores.topk(chosen, dim=-1)
    mask = torch.zeros_like(scores).scatter(1, which, weight / weight.sum(-1, keepdim=True))
    hidden = F.gelu(torch.einsum("tw,ewh->eth", x, up), approximate="tanh")
    return torch.einsum("eth,ehw,te->tw", hidden, down, mask)


result, which, scores = one_by_one(x)
print(result.shape, which.shape, torch.bincount(which.flatten(), minlength=experts).sum().item())
print("both ways agree:", torch.allclose(result, all_at_once(x), atol=1e-5))
for step in range(61):
    result, which, scores = one_by_one(x)
    share = F.one_hot(which, experts).float().mean((0, 1))
    loss = F.mse_loss(result, target) + 0.01 * experts * (share * scores.mean(0)).sum()
    slopes = torch.autograd.grad(loss, (gate, up, down))
    with torch.no_grad():
        for p, slope in zip((gate, up, down), slopes):
            p.sub_(0.3 * slope)
    if step % 20 == 0:
        print(step, f"{loss.item():.2f}")
print("gradients reach", [tuple(s.shape) for s in slopes])
print("unused experts:", (torch.bincount(which.reshape(-1), minlength=experts) == 0).sum().item())
