"""A learning-rate finder: exponential rates over batches, smoothed losses, and the first state put back."""

import copy
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
x = torch.randn(256, 8)
y = (x[:, :3].sum(1, keepdim=True) + 0.1 * torch.randn(256, 1)).tanh()
loader = DataLoader(
    TensorDataset(x, y), batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(5)
)
model = nn.Sequential(nn.Linear(8, 16), nn.ELU(), nn.LayerNorm(16), nn.Linear(16, 1))


class LRFinder:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.history = {"lr": [], "loss": []}
        self.best_loss = None
        self.states = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())

    def range_test(self, loader, end_lr=10, num_iter=30, smooth_f=0.05, diverge_th=5):
        batches = iter(loader)
        first = self.optimizer.param_groups[0]["lr"]
        schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda i: math.exp(math.log(end_lr / first) * i / (num_iter - 1))
        )
        for iteration in range(num_iter):
            try:
                inputs, targets = next(batches)
            except StopIteration:
                batches = iter(loader)
                inputs, targets = next(batches)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(inputs), targets)
            loss.backward()
            self.optimizer.step()
            self.history["lr"].append(schedule.get_last_lr()[0])
            schedule.step()
            value = loss.item()
            if iteration > 0:
                value = smooth_f * value + (1 - smooth_f) * self.history["loss"][-1]
            if self.best_loss is None or value < self.best_loss:
                self.best_loss = value
            self.history["loss"].append(value)
            if value > diverge_th * self.best_loss:
                print("Stopping early, the loss has diverged")
                break

    def reset(self):
        self.model.load_state_dict(self.states[0])
        self.optimizer.load_state_dict(self.states[1])


before = [p.clone() for p in model.parameters()]
finder = LRFinder(model, torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9), nn.SmoothL1Loss())
finder.range_test(loader)
for lr, loss in list(zip(finder.history["lr"], finder.history["loss"]))[::6]:
    print(f"{lr:.5f} {loss:.3f}")
print(any((p != q).any() for p, q in zip(model.parameters(), before)))
finder.reset()
print(all(torch.equal(p, q) for p, q in zip(model.parameters(), before)))
print(finder.optimizer.param_groups[0]["lr"], finder.optimizer.state_dict()["state"])
slopes = torch.tensor(finder.history["loss"]).diff()
print(slopes.shape, slopes.argmin() > 3, torch.gradient(torch.tensor(finder.history["loss"]))[0].shape)
