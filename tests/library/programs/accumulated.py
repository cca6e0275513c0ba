"""Gradients of small batches added up to those of a large one, and averages of the weights."""

import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

torch.manual_seed(4)
x, y = torch.randn(96, 6), torch.randint(0, 3, (96,))


def make():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))


whole, parts = make(), make()
criterion = nn.CrossEntropyLoss()
criterion(whole(x), y).backward()
accumulation_steps = 4
for inputs, labels in zip(x.chunk(accumulation_steps), y.chunk(accumulation_steps)):
    loss = criterion(parts(inputs), labels) / accumulation_steps
    loss.backward()
for p, q in zip(whole.parameters(), parts.parameters()):
    torch.testing.assert_close(p.grad, q.grad)
print("the same gradients")

model = nn.Sequential(nn.Linear(6, 12, bias=False), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 3))
ema_model = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
swa_model = AveragedModel(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
swa_scheduler = SWALR(optimizer, swa_lr=0.005, anneal_epochs=2)
batches = list(zip(x.split(16), y.split(16)))
for epoch in range(4):
    optimizer.zero_grad()
    for i, (inputs, labels) in enumerate(batches):
        loss = criterion(model(inputs), labels) / 2
        loss.backward()
        if (i + 1) % 2 == 0 or i + 1 == len(batches):
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, norm_type=2.0)
            optimizer.step()
            optimizer.zero_grad()
            ema_model.update_parameters(model)
    if epoch > 0:
        swa_model.update_parameters(model)
        swa_scheduler.step()
    print(f"epoch {epoch}: {loss.item() * 2:.3f}, norm {norm:.3f}, lr {optimizer.param_groups[0]['lr']:.5f}")
update_bn(batches, swa_model)
model.eval(), ema_model.eval(), swa_model.eval()
for name, net in {"last": model, "ema": ema_model, "swa": swa_model}.items():
    with torch.no_grad():
        print(f"{name}: {criterion(net(x), y).item():.3f}")
print(swa_model.n_averaged, ema_model.n_averaged.item(), list(ema_model.state_dict())[:3])
