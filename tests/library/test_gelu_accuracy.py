"""Gelu: the same function wherever an element lies, and whatever lies beside it."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F

ULPS = 5.0  # units in the last place
# A step through the bits of all float32, so that four million of them are left.
STEP = 1021


def assert_is_gelu(result: tl.Tensor, x: np.ndarray) -> None:
    """Compare with the gelu of float64, whose relative error is 1e-15."""
    ours = np.asarray(result)
    with np.errstate(all="ignore"):  # some NaNs say so when they are converted
        exact = np.asarray(F.gelu(tl.tensor(x.astype(np.float64))))
        rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(ours[~finite], rounded[~finite])
    np.testing.assert_array_equal(np.signbit(ours[finite]), np.signbit(rounded[finite]))
    # Near -13 the result comes to be less than the least normal number; the formula gives 0 for some.
    lost = finite & (x < -13) & (ours == 0) & (abs(exact) < np.finfo(np.float32).tiny)
    finite &= ~lost
    errors = abs(ours[finite].astype(np.float64) - exact[finite]) / np.spacing(abs(rounded[finite]))
    assert errors.max(initial=0.0) <= ULPS


def test_float32_of_all_sizes_are_precise():
    bits = np.arange(0, 2**32, STEP, dtype=np.int64).astype(np.uint32)
    x = bits.view(np.float32)
    assert_is_gelu(F.gelu(tl.tensor(x)), x)


@pytest.mark.parametrize("size", [1, 7, 15, 16, 17, 31, 32, 100, 4096, 4100, 5000])
def test_runs_of_all_lengths(size):
    x = np.random.default_rng(size).standard_normal(size).astype(np.float32)
    x = np.clip(x, -3.8, 3.8)
    assert_is_gelu(F.gelu(tl.tensor(x)), x)
    at_the_end = np.append(x, np.float32(-5.0))
    assert_is_gelu(F.gelu(tl.tensor(at_the_end)), at_the_end)
    padded = tl.full((size + 2,), 7.0)
    padded[1:-1] = tl.tensor(x)
    assert_is_gelu(F.gelu(padded[1:-1]), x)


@pytest.mark.parametrize("stray", [4.0, -40.0, np.inf, -np.inf, np.nan])
def test_one_that_strays_spoils_none(stray):
    for size in (20, 300):
        for place in (0, 5, size // 2, size - 1):
            x = np.linspace(-3.5, 3.5, size, dtype=np.float32)
            x[place] = stray
            assert_is_gelu(F.gelu(tl.tensor(x)), x)


def test_rows_of_a_slice():
    x = np.random.default_rng(0).standard_normal((9, 60)).astype(np.float32) * 2
    view = tl.tensor(x)[1:, 3:-4]
    assert_is_gelu(F.gelu(view), x[1:, 3:-4])
    assert_is_gelu(F.gelu(view.t()), x[1:, 3:-4].T)


def test_threads_compute_the_same():
    x = tl.randn(1_000_003) * 2
    threads = tl.get_num_threads()
    try:
        tl.set_num_threads(1)
        alone = np.asarray(F.gelu(x))
        tl.set_num_threads(4)
        np.testing.assert_array_equal(np.asarray(F.gelu(x)), alone)
    finally:
        tl.set_num_threads(threads)
