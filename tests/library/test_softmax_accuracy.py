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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 63, 64, 65, 72, 127, 256, 257, 320, 337, 1024, 1087])
def test_rows_of_all_lengths_and_what_lies_behind_them(dtype, name, size):
    x = np.random.default_rng(size).normal(size=(3, size)).astype(dtype) * 4
    x[1, : size // 2] = -np.inf
    exact = x.astype(np.longdouble)
    shifted = exact - exact.max(1, keepdims=True)
    powers = np.exp(shifted)
    total = powers.sum(1, keepdims=True)
    expected = powers / total if name == "softmax" else shifted - np.log(total)
    kind = tl.float32 if dtype is np.float32 else tl.float64
    out = tl.full((3 * size + 2,), 7.0, dtype=kind)
    getattr(tl, name)(tl.tensor(x), 1, out=out[1:-1].view(3, size))
    np.testing.assert_allclose(
        np.asarray(out)[1:-1].reshape(3, size), expected, rtol=64 * np.finfo(dtype).eps
    )
    assert out[0] == out[-1] == 7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [5, 64, 100, 300, 1000])
def test_what_is_no_number_spoils_its_row_alone(dtype, size):
    x = np.zeros((4, size), dtype)
    x[1, size // 2], x[2, 0] = np.nan, np.inf
    for result in (tl.softmax(tl.tensor(x), 1), tl.log_softmax(tl.tensor(x), 1)):
        lost = np.isnan(np.asarray(result))
        assert lost.all(1).tolist() == lost.any(1).tolist() == [False, True, True, False]
