"""Chapter 12 says that its code runs on PyTorch with the same results, and names what differs there."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")

#: The meter of bytes, the figures' own tensors, and sums as the library makes them.
ONLY_HERE = ("profile(", "values_and_gradients", "twice", "raised", "folds", "memory", "20_000_000", "tosses")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "12_numerics_and_entropy", ONLY_HERE) >= 35


def test_the_remarks_on_norms_and_masks() -> None:
    x = torch.zeros(3, requires_grad=True)
    (slope,) = torch.autograd.grad(x.norm(), x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope.sum(), x)
    assert slope.tolist() == [0, 0, 0]
    assert curvature.isnan().all()
    a = torch.tensor(100.0, requires_grad=True)
    torch.where(a <= 0, a.exp(), 1 + a).backward()
    assert a.grad.isnan()


def test_anomaly_mode_names_the_operation() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the mode is slow, and where the node was made
        with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="SqrtBackward0"):
            torch.where(x > 0, x.sqrt(), 0.0).sum().backward()


def test_numpy_still_counts_to_16777216() -> None:
    ones = np.broadcast_to(np.float32(1), (2**24 + 2**20, 2))
    assert ones.sum(axis=0).tolist() == [2**24, 2**24]
    assert ones[:, :1].sum() == 2**24 + 2**20


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the sum of floats is compensated since Python 3.12")
def test_pythons_own_sum_is_compensated() -> None:
    assert sum([0.1] * 10) == 1
