"""Classification by the labels of the nearest points, for several numbers of neighbours."""

import torch

torch.manual_seed(6)
train = torch.randn(60, 4)
labels = (train[:, 0] + train[:, 1] > 0).long() + (train[:, 2] > 0.5).long()
test = torch.randn(20, 4)
truth = (test[:, 0] + test[:, 1] > 0).long() + (test[:, 2] > 0.5).long()
distances = (test[:, None, :] - train[None, :, :]).pow(2).sum(-1).sqrt()
for k in (1, 3, 7):
    nearest = distances.topk(k, largest=False)
    votes = labels[nearest.indices]
    counts = torch.stack([(votes == label).sum(1) for label in range(3)], dim=1)
    predicted = counts.argmax(1)
    print(k, (predicted == truth).sum().item(), nearest.values[:, 0].mean(), counts.sum(1).unique())
order = distances[0].argsort()[:5]
print(order, distances[0, order], distances.min(dim=1).indices[:5], distances.median())
