"""Logarithms of softmax keep their digits where the elements are far from 0, in every form of the kernels."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F

# Rows that are taken by the block, one by one, with steps, and side by side.
FORMS = {
    "blocks": ((50, 10), 1, False),
    "rows": ((7, 1000), 1, False),
    "steps": ((7, 1000), 1, True),
    "columns": ((300, 20), 0, False),
    "columns with steps": ((300, 20), 0, True),
    "one line": ((7,), 0, False),
}


def cells(shape, dtype, apart, offset):
    values = np.random.default_rng(0).normal(size=(*shape[:-1], 2 * shape[-1])) + offset
    x = tl.tensor(values.astype(dtype))
    return x[..., ::2] if apart else x[..., : shape[-1]].contiguous()


@pytest.mark.parametrize(("shape", "dim", "apart"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("offset", [0, 100, -1e5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_constant_added_to_all_changes_nothing(shape, dim, apart, offset, dtype):
    x = cells(shape, dtype, apart, offset)
    exact = np.asarray(x).astype(np.longdouble)
    shifted = exact - exact.max(dim, keepdims=True)
    expected = shifted - np.log(np.exp(shifted).sum(dim, keepdims=True))
    error = np.abs(np.asarray(F.log_softmax(x, dim)) - expected).max()
    assert error < 8 * np.finfo(dtype).eps * np.abs(expected).max()


@pytest.mark.parametrize("classes", [10, 1000])
def test_cross_entropy_of_large_scores(classes):
    x = cells((20, classes), np.float32, False, 1e5)
    target = tl.arange(20) % classes
    exact = np.asarray(x).astype(np.float64)
    shifted = exact - exact.max(1, keepdims=True)
    losses = np.log(np.exp(shifted).sum(1)) - shifted[np.arange(20), np.arange(20) % classes]
    np.testing.assert_allclose(np.asarray(F.cross_entropy(x, target, reduction="none")), losses, rtol=3e-6)
