"""A convolutional autoencoder that removes noise: pooling with places, unpooling, frozen layers."""

import torch
from sklearn.datasets import load_digits
from torch import nn, optim

torch.manual_seed(6)
images = torch.as_tensor(load_digits().images[:128], dtype=torch.float32).div(16).unsqueeze(1)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding="same")
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.conv2 = nn.Conv2d(6, 4, 3, padding=1, padding_mode="reflect")
        self.deconv = nn.Conv2d(4, 6, 3, padding=1)
        self.unpool = nn.MaxUnpool2d(2)
        self.out = nn.ConvTranspose2d(6, 1, 3, padding=1)

    def encode(self, x):
        x, places = self.pool(torch.relu(self.conv1(x)))
        return torch.relu(self.conv2(x)), places

    def forward(self, x):
        code, places = self.encode(x)
        return self.out(self.unpool(torch.relu(self.deconv(code)), places)).sigmoid()


model = Autoencoder()
optimizer = optim.Adagrad(model.parameters(), lr=0.05)
loss_fn = nn.MSELoss(reduction="sum")
for epoch in range(3):
    total = 0.0
    for batch in images[torch.randperm(len(images))].split(32):
        noisy = (batch + 0.3 * torch.randn_like(batch)).clamp_(0.0, 1.0)
        optimizer.zero_grad()
        loss = loss_fn(model(noisy), batch) / len(batch)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / 4:.3f}")
model.requires_grad_(False)
model.out.requires_grad_(True)
optimizer = optim.Rprop(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
for _ in range(3):
    optimizer.zero_grad()
    loss = loss_fn(model(images), images) / len(images)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.3f}", model.conv1.weight.grad is None or model.conv1.weight.grad.abs().sum() == 0)
code, places = model.encode(images[:2])
print(code.shape, places.dtype, places.max() < 64)
children = {name: type(module).__name__ for name, module in model.named_children()}
print(children)
