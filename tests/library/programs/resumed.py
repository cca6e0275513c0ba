"""A training that stops and goes on: model, optimizer, schedule and random state in one file."""

import io
import os
import tempfile

import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR

x, y = torch.linspace(-1, 1, 64).unsqueeze(1), torch.linspace(-1, 1, 64).unsqueeze(1) ** 3


class Net(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.fc1 = nn.Linear(1, hidden)
        self.drop = nn.Dropout(0.1)
        self.fc2 = nn.Linear(hidden, 1)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        return self.fc2(self.drop(torch.relu(self.fc1(x))))


def fresh():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, amsgrad=True)
    return model, optimizer, StepLR(optimizer, step_size=3, gamma=0.5)


def train(model, optimizer, scheduler, epochs):
    losses = []
    for _ in epochs:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


straight = train(*fresh(), range(8))
model, optimizer, scheduler = fresh()
first = train(model, optimizer, scheduler, range(4))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "checkpoint.pt")
    torch.save(
        {
            "epoch": 4,
            "model_state_dict": model.state_dict(),
            "optimizer_state_dict": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "rng": torch.get_rng_state(),
            "losses": first,
        },
        path,
    )
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
model, optimizer, scheduler = fresh()
print(model.load_state_dict(checkpoint["model_state_dict"]))
optimizer.load_state_dict(checkpoint["optimizer_state_dict"])
scheduler.load_state_dict(checkpoint["scheduler"])
torch.set_rng_state(checkpoint["rng"])
second = train(model, optimizer, scheduler, range(checkpoint["epoch"], 8))
print(straight == first + second, model.steps, scheduler.get_last_lr())
print([f"{loss:.4f}" for loss in straight[::3]])
print(
    sorted(checkpoint["optimizer_state_dict"]["state"][0]),
    checkpoint["optimizer_state_dict"]["param_groups"][0]["amsgrad"],
)

larger = Net(hidden=8)
state = {k: v for k, v in checkpoint["model_state_dict"].items() if not k.startswith("fc2")}
print(larger.load_state_dict(state, strict=False))
try:
    Net(hidden=4).load_state_dict(state)
except RuntimeError as error:
    print(error)
for name, param in larger.named_parameters():
    param.requires_grad = name.startswith("fc2")
print([name for name, param in larger.named_parameters() if param.requires_grad])
plateau = ReduceLROnPlateau(torch.optim.SGD(larger.fc2.parameters(), lr=1.0), "min", factor=0.1, patience=1)
for value in (1.0, 0.9, 0.95, 0.96, 0.97):
    plateau.step(value)
print(plateau.get_last_lr(), plateau.num_bad_epochs)
buffer = io.BytesIO()
torch.save(model.state_dict(), buffer)
buffer.seek(0)
print(torch.load(buffer, weights_only=True)["steps"])
