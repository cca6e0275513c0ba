"""A bandit with five arms: greedy by counts, and a policy that follows the gradient of its reward."""

import torch

torch.manual_seed(99)
means = torch.tensor([0.1, 0.5, -0.2, 0.9, 0.3])
values, counts = torch.zeros(5), torch.zeros(5, dtype=torch.int64)
for t in range(200):
    arm = torch.randint(5, (1,)) if torch.rand(()) < 0.2 else values.argmax().unsqueeze(0)
    reward = means[arm] + 0.1 * torch.randn(1)
    counts[arm] += 1
    values[arm] += (reward - values[arm]) / counts[arm]
print(counts.sum(), values.argmax(), counts.argmax().item(), values[3] > values[0])
preferences = torch.zeros(5, requires_grad=True)
baseline = 0.0
for t in range(150):
    probabilities = torch.softmax(preferences, 0)
    arms = torch.multinomial(probabilities, 8, replacement=True)
    rewards = means[arms] + 0.1 * torch.randn(8)
    log_probs = probabilities.log().gather(0, arms)
    loss = -(log_probs * (rewards - baseline)).mean()
    preferences.grad = None
    loss.backward()
    preferences.data.add_(preferences.grad, alpha=-0.5)
    baseline += 0.1 * (rewards.mean().item() - baseline)
    if t % 50 == 0:
        print(t, probabilities, f"{loss:.4f}", arms)
print(torch.softmax(preferences, 0).argmax(), preferences.grad_fn, preferences.sum().abs() < 1e-4)
returns, discounted = torch.tensor([1.0, 0.0, 0.0, 2.0, 1.0]), torch.zeros(5)
running = torch.zeros(())
for i in reversed(range(5)):
    running = returns[i] + 0.9 * running
    discounted[i] = running
print(discounted, (discounted - discounted.mean()) / (discounted.std() + 1e-7))
