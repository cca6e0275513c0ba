"""Dropout: the same numbers as PyTorch for the same seed, and what stays true for every seed."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.layouts import KINDS, lay_out
from tests.library.references import agree, twin

NAMES = ["dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"]


@pytest.mark.filterwarnings("ignore:dropout")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_the_same_numbers_as_torch(torch, name, kind):
    rng = np.random.default_rng(0)
    for shape in [(3, 4), (2, 3, 40), (2, 3, 4, 5), (2, 3, 2, 2, 2)]:
        if name == "dropout1d" and len(shape) > 3:
            continue
        x = lay_out(rng.normal(size=shape).astype("float32"), kind)
        for p in (0.5, 0.2, 1.0, 0.0):
            tl.manual_seed(7)
            torch.manual_seed(7)
            agree(getattr(F, name)(x, p, True), getattr(torch.nn.functional, name)(twin(torch, x), p, True))


@pytest.mark.parametrize("name", NAMES)
def test_gradients_and_in_place(torch, name):
    values = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")
    if name in ("dropout2d", "dropout3d"):
        values = values.reshape((2, 3, 2, 2) if name == "dropout2d" else (2, 3, 2, 2, 1))
    found = []
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        x = library.tensor(values).requires_grad_()
        for inplace in (False, True):
            library.manual_seed(1)
            y = getattr(functional, name)(x * 1, 0.4, True, inplace)
            (y * y).sum().backward()
        found.append((y.detach(), x.grad))
    agree(*found)


def test_what_is_not_trained_is_the_same_tensor():
    x = tl.ones(3)
    assert F.dropout(x, 0.5, training=False) is x
    assert F.dropout(x, 0.0) is x
    assert F.alpha_dropout(x, 0.5) is x


def test_the_mean_stays():
    tl.manual_seed(0)
    y = F.dropout(tl.ones(100_000), 0.3)
    assert set(y.tolist()) == {0.0, np.float32(1) / np.float32(0.7)}
    assert abs(y.mean().item() - 1) < 0.01
    z = F.alpha_dropout(tl.randn(100_000), 0.3, True)
    assert abs(z.mean().item()) < 0.02
    assert abs(z.std().item() - 1) < 0.02


def test_whole_channels_are_left_out():
    tl.manual_seed(0)
    y = F.dropout2d(tl.ones(8, 16, 3, 3), 0.5)
    sums = y.sum((2, 3))
    assert set(sums.reshape(-1).tolist()) == {0.0, 18.0}


@pytest.mark.filterwarnings("ignore:dropout")
def test_refusals():
    with pytest.raises(ValueError, match=r"between 0 and 1, but got 1\.5"):
        F.dropout(tl.ones(3), 1.5)
    with pytest.raises(RuntimeError, match="can't be cast"):
        F.dropout(tl.ones(3).long())
    with pytest.raises(RuntimeError, match="Expected 2D or 3D input"):
        F.dropout1d(tl.ones(3))
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        F.dropout2d(tl.ones(3))
    with pytest.warns(UserWarning, match="count as images and channels"):
        F.dropout2d(tl.ones(3, 2))
