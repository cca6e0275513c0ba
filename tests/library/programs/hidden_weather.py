"""Weather nobody sees, and what somebody eats: forward sums, the likeliest path, learning by gradients."""

import torch

torch.manual_seed(2)
change = torch.tensor([[0.8, 0.2], [0.4, 0.6]])
meals = torch.tensor([[0.1, 0.3, 0.6], [0.7, 0.2, 0.1]])
start = torch.tensor([0.6, 0.4])
sky, eaten = [], []
now = torch.multinomial(start, 1).item()
for _ in range(30):
    sky.append(now)
    eaten.append(torch.multinomial(meals[now], 1).item())
    now = torch.multinomial(change[now], 1).item()
eaten = torch.tensor(eaten)
print("eaten", torch.bincount(eaten, minlength=3).tolist(), "hot days", sky.count(0))


def likelihood(start, change, meals):
    alpha = start.log() + meals.log()[:, eaten[0]]
    for meal in eaten[1:]:
        alpha = torch.logsumexp(alpha[:, None] + change.log(), dim=0) + meals.log()[:, meal]
    return alpha.logsumexp(0)


plain = start * meals[:, eaten[0]]
for meal in eaten[1:]:
    plain = (plain @ change) * meals[:, meal]
print(
    f"log-likelihood {likelihood(start, change, meals):.4f}",
    torch.isclose(plain.sum().log(), likelihood(start, change, meals)),
)

best, links = start.log() + meals[:, eaten[0]].log(), []
for meal in eaten[1:]:
    found = (best[:, None] + change.log()).max(dim=0)
    best, link = found.values + meals[:, meal].log(), found.indices
    links.append(link)
path = [best.argmax().item()]
for link in reversed(links):
    path.append(link[path[-1]].item())
path.reverse()
print("right on", sum(a == b for a, b in zip(path, sky)), "of", len(sky), "days")

raw = [
    torch.zeros(2),
    torch.tensor([[0.5, 0.0], [0.0, 0.5]]),
    torch.tensor([[0.0, 0.2, 0.4], [0.4, 0.2, 0.0]]),
]
for p in raw:
    p.requires_grad_(True)
before = likelihood(*[p.softmax(-1) for p in raw]).item()
for _ in range(40):
    value = likelihood(*[p.softmax(dim=-1) for p in raw])
    for p, slope in zip(raw, torch.autograd.grad(value, raw)):
        with torch.no_grad():
            p.add_(slope, alpha=0.05)
after = likelihood(*[p.softmax(-1) for p in raw]).item()
print("learned:", f"{before:.2f} -> {after:.2f}", after > before)
print(*[bool(torch.allclose(p.softmax(-1).sum(-1), torch.tensor(1.0))) for p in raw])
