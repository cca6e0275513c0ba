"""Films, people and missing ratings: two thin matrices, learned with a mask, and by solving in turns."""

import torch

torch.manual_seed(3)
people, films, rank = 12, 9, 2
taste, style = torch.rand(people, rank), torch.rand(films, rank)
ratings = (taste @ style.T * 5).round()
known = torch.rand(people, films) < 0.7
print("ratings known:", known.sum().item(), "of", known.numel(), ratings[0])

P = torch.full((people, rank), 0.5).add_(0.1 * torch.randn(people, rank)).requires_grad_()
Q = torch.full((films, rank), 0.5).add_(0.1 * torch.randn(films, rank)).requires_grad_()
bias = torch.zeros(people, 1, requires_grad=True)
for step in range(301):
    guess = P @ Q.mT + bias
    loss = (guess - ratings)[known].square().mean() + 0.01 * (P.norm() ** 2 + Q.norm() ** 2) / known.sum()
    for parameter, slope in zip((P, Q, bias), torch.autograd.grad(loss, (P, Q, bias))):
        parameter.data.sub_(slope, alpha=0.5)
    if step % 100 == 0:
        print(step, f"{loss.item():.3f}")

X, Y = P.detach().double(), Q.detach().double()
target, weights = ratings.double(), known.double()
for _ in range(20):
    for a, b, seen, wanted in ((X, Y, weights, target), (Y, X, weights.mT, target.mT)):
        normal = torch.einsum("pf,fi,fj->pij", seen, b, b) + 0.05 * torch.eye(rank).double()
        a.copy_(torch.linalg.solve(normal, torch.einsum("pf,fi->pi", seen * wanted, b)))
left = ((X @ Y.T - target) * weights).abs()
print("alternating:", f"{left.sum() / weights.sum():.3f}", "worst", f"{left.max():.2f}")
hidden = (X @ Y.T)[~known].clamp(0, 5)
print("hidden ratings off by", f"{(hidden - target[~known]).abs().mean():.2f}")
print("one person's order:", (X @ Y.T)[4].argsort(descending=True, stable=True)[:3].shape)
