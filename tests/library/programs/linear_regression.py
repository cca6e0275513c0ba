"""Linear regression from nothing: synthetic data, minibatches, a loss, stochastic gradient descent."""

import random

import torch


def synthetic_data(w, b, count):
    X = torch.normal(0, 1, (count, len(w)))
    y = torch.matmul(X, w) + b
    y += torch.normal(0, 0.01, y.shape)
    return X, y.reshape((-1, 1))


def batches(size, features, labels):
    indices = list(range(len(features)))
    random.shuffle(indices)
    for start in range(0, len(features), size):
        chosen = torch.tensor(indices[start : min(start + size, len(features))])
        yield features[chosen], labels[chosen]


def sgd(params, lr, size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / size
            param.grad.zero_()


torch.manual_seed(1)
random.seed(1)
true_w, true_b = torch.tensor([2, -3.4]), 4.2
features, labels = synthetic_data(true_w, true_b, 400)
print("features:", features[0], "\nlabel:", labels[0])
w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(3):
    for X, y in batches(10, features, labels):
        loss = (torch.matmul(X, w) + b - y.reshape(-1, 1)) ** 2 / 2
        loss.sum().backward()
        sgd([w, b], 0.03, 10)
    with torch.no_grad():
        train = (torch.matmul(features, w) + b - labels) ** 2 / 2
        print(f"epoch {epoch + 1}, loss {float(train.mean()):f}")
print(f"error in w: {[round(e, 3) for e in (true_w - w.reshape(true_w.shape)).tolist()]}")
print(f"error in b: {(true_b - b).abs().item() < 0.01}", w.grad, b)
