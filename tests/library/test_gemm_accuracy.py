"""Rounding errors of the float32 product, beside those of NumPy's OpenBLAS on the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl

SIZES = [(64, 32, 64), (64, 100, 64), (96, 256, 96), (64, 384, 64), (128, 512, 128), (64, 1000, 80)]
NARROW = [(300, 500, 1), (200, 3000, 2)]


def scaled(random, m, k, n, kind):
    """Two matrices: of equal sizes, of rows and columns of very different ones, or of such steps of k."""
    a, b = random.standard_normal((m, k)), random.standard_normal((k, n))
    if kind == "rows":
        a *= 10.0 ** random.integers(-6, 7, (m, 1))
        b *= 10.0 ** random.integers(-6, 7, (1, n))
    elif kind == "steps":
        scale = 10.0 ** random.integers(-4, 5, k)
        a *= scale
        b *= (10.0 ** random.integers(-4, 5, k) / scale)[:, None]
    return a.astype(np.float32), b.astype(np.float32)


def backward_error(result, a, b):
    """The mean error, of the sum of the products' magnitudes."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    return (np.abs(result - a @ b) / (np.abs(a) @ np.abs(b))).mean()


@pytest.mark.parametrize("sizes", SIZES + NARROW, ids=str)
def test_errors_are_no_larger_than_openblas(sizes):
    ours, theirs = [], []
    for seed in range(7):
        for kind in ("plain", "rows", "steps"):
            a, b = scaled(np.random.default_rng(seed), *sizes, kind)
            ours.append(backward_error(np.asarray(tl.tensor(a) @ tl.tensor(b)), a, b))
            theirs.append(backward_error(a @ b, a, b))
    assert np.median(ours) <= np.median(theirs)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_both_orientations_are_as_good(sizes):
    a, b = scaled(np.random.default_rng(1), *sizes, "plain")
    x, y = tl.tensor(a), tl.tensor(b)
    errors = [
        backward_error(np.asarray(product), a, b)
        for product in (x @ y, (y.T @ x.T).T, x.T.contiguous().T @ y.T.contiguous().T)
    ]
    assert max(errors) < 1.2 * min(errors)
