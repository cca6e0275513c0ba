"""Whole trainings of 20 steps: the losses are PyTorch's, within 1e-4 in float32 and 1e-9 in float64."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
from tests.library.nn.comparison import copy_state, theirs, torch

STEPS = 20


def mlp(m):
    nn = m.nn
    return nn.Sequential(nn.Flatten(), nn.Linear(16, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 10))


def cnn(m):
    nn = m.nn
    return nn.Sequential(
        nn.Unflatten(1, (1, 4)), nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(4, 6, 2), nn.GELU(), nn.Flatten(), nn.Linear(6, 10),
    )  # fmt: skip


def lstm(m):
    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = m.nn.LSTM(4, 12, batch_first=True)
            self.out = m.nn.Linear(12, 10)

        def forward(self, x):
            return self.out(self.lstm(x)[0][:, -1])

    return Net()


def transformer(m):
    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.place = m.nn.Parameter(m.zeros(4, 4))
            layer = m.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True, norm_first=True)
            self.encoder = m.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.out = m.nn.Linear(4, 10)

        def forward(self, x):
            mask = m.nn.Transformer.generate_square_subsequent_mask(4, dtype=x.dtype)
            return self.out(self.encoder(x + self.place, mask=mask).mean(1))

    return Net()


def losses(m, net, x, y):
    """The losses of gradient descent with momentum, written out."""
    criterion = m.nn.CrossEntropyLoss()
    speeds = [m.zeros_like(weight) for weight in net.parameters()]
    found = []
    for _ in range(STEPS):
        net.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        found.append(loss.item())
        with m.no_grad():
            for weight, speed in zip(net.parameters(), speeds, strict=True):
                speed.mul_(0.9).add_(weight.grad)
                weight.sub_(speed * 0.05)
    return found


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-9)])
@pytest.mark.parametrize("network", [mlp, cnn, lstm, transformer])
def test_losses_are_pytorchs(network, dtype, tolerance):
    rng = np.random.default_rng(0)
    x = tl.tensor(rng.normal(size=(16, 4, 4))).to(getattr(tl, dtype))
    y = tl.tensor(rng.integers(0, 10, 16))
    mine, yours = (network(m).to(getattr(m, dtype)) for m in (tl, torch))
    copy_state(mine, yours)
    found, expected = losses(tl, mine, x, y), losses(torch, yours, theirs(x), theirs(y))
    assert found[-1] < found[0]
    np.testing.assert_allclose(found, expected, rtol=tolerance)
