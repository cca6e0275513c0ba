"""A residual network on digits: parameter groups, a warm-up, clipping, the best state kept."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader, Subset, TensorDataset


class ResidualBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != planes * self.expansion:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, planes * self.expansion, 1, stride=stride, bias=False),
                nn.BatchNorm2d(planes * self.expansion),
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)), inplace=True)
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, num_blocks=(1, 1), num_classes=10):
        super().__init__()
        self.in_planes = 8
        self.stem = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(True))
        self.layer1 = self._make_layer(8, num_blocks[0], stride=1)
        self.layer2 = self._make_layer(16, num_blocks[1], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def _make_layer(self, planes, num_blocks, stride):
        strides = [stride] + [1] * (num_blocks - 1)
        layers = []
        for s in strides:
            layers.append(ResidualBlock(self.in_planes, planes, s))
            self.in_planes = planes * ResidualBlock.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        return self.fc(torch.flatten(self.avgpool(x), 1))


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
labels = torch.from_numpy(digits.target).long()
dataset = TensorDataset(images, labels)
train_loader = DataLoader(Subset(dataset, range(320)), batch_size=32, shuffle=True, drop_last=True)
val_loader = DataLoader(Subset(dataset, range(320, 448)), batch_size=64)

model = ResNet().to(device)
print(model.layer2)
decay = [p for n, p in model.named_parameters() if p.ndim > 1]
no_decay = [p for n, p in model.named_parameters() if p.ndim <= 1]
optimizer = torch.optim.SGD(
    [{"params": decay, "weight_decay": 5e-4}, {"params": no_decay, "weight_decay": 0.0, "lr": 0.05}],
    lr=0.1,
    momentum=0.9,
    nesterov=True,
)
warmup = LinearLR(optimizer, start_factor=0.1, total_iters=1)
scheduler = SequentialLR(optimizer, [warmup, CosineAnnealingLR(optimizer, T_max=2)], milestones=[1])
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)

best_acc, best_state = 0.0, None
for epoch in range(3):
    model.train()
    running_loss, norms = 0.0, []
    for inputs, targets in train_loader:
        inputs, targets = inputs.to(device, non_blocking=True), targets.to(device)
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(inputs), targets)
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0).item())
        optimizer.step()
        running_loss += loss.item() * inputs.size(0)
    scheduler.step()
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for inputs, targets in val_loader:
            _, predicted = torch.max(model(inputs).data, 1)
            total += targets.size(0)
            correct += (predicted == targets).sum().item()
    if correct / total > best_acc:
        best_acc, best_state = correct / total, copy.deepcopy(model.state_dict())
    rates = ", ".join(f"{rate:.4f}" for rate in scheduler.get_last_lr())
    print(f"Epoch {epoch + 1}: loss {running_loss / len(train_loader.dataset):.3f}, lr [{rates}]")
model.load_state_dict(best_state)
print(best_acc > 0.5, len(norms), model.layer2[0].bn1.num_batches_tracked)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
