"""The exponential: precise, and the same wherever an element lies."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl

ULPS = 1.0  # units in the last place
# Beyond, the result is 0 or infinity.
KINDS = {"float32": (-104.0, 89.0), "float64": (-746.0, 710.0)}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1000.0, -1000.0, 1e30, -1e30, 1e-30, 88.7228, 88.7229, -87.34]
SPECIAL += [-103.9, -104.1, 709.78, 709.79, -708.4, -744.4, -745.1, -745.2, -746.5]


def assert_is_exp(result: tl.Tensor, x: np.ndarray) -> None:
    """Compare with NumPy's exp of a wider type, rounded once."""
    with np.errstate(all="ignore"):
        exact = np.exp(x.astype(np.float64 if x.dtype == np.float32 else np.longdouble))
        rounded = exact.astype(x.dtype)
        ours, unit = np.asarray(result), np.spacing(rounded)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(ours[~finite], rounded[~finite])
    errors = abs(ours[finite].astype(exact.dtype) - exact[finite]) / unit[finite].astype(exact.dtype)
    assert errors.max(initial=0.0) <= ULPS


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_all_sizes_are_precise(kind):
    x = np.random.default_rng(0).uniform(*KINDS[kind], 400_000).astype(kind)
    assert_is_exp(tl.exp(tl.tensor(x)), x)
    near = x / 500
    assert_is_exp(tl.exp(tl.tensor(near)), near)
    small = np.ldexp(near, np.arange(near.size) % 90 - 89).astype(kind)
    assert_is_exp(tl.exp(tl.tensor(small)), small)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_greatest_least_and_no_number(kind):
    x = np.array(SPECIAL, kind)
    for repeats in (1, 3):
        assert_is_exp(tl.exp(tl.tensor(np.tile(x, repeats))), np.tile(x, repeats))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 7, 8, 9, 15, 16, 17, 31, 33, 4095, 4097, 5000])
def test_runs_of_all_lengths(kind, size):
    x = np.random.default_rng(size).standard_normal(size).astype(kind)
    expected = np.asarray(tl.exp(tl.tensor(x)))
    assert_is_exp(tl.tensor(expected), x)
    padded = tl.full((size + 2,), 7.0, dtype=getattr(tl, kind))
    padded[1:-1] = tl.tensor(x)
    np.testing.assert_array_equal(np.asarray(tl.exp(padded[1:-1])), expected)
    padded[1:-1].exp_()
    np.testing.assert_array_equal(np.asarray(padded), [7, *expected, 7])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_slice(kind):
    x = np.random.default_rng(0).standard_normal((9, 60)).astype(kind)
    view = tl.tensor(x)[1:, 3:-4]
    assert_is_exp(tl.exp(view), x[1:, 3:-4])
    assert_is_exp(tl.exp(view.t()), x[1:, 3:-4].T)


def test_threads_compute_the_same():
    x = tl.randn(1_000_003)
    threads = tl.get_num_threads()
    try:
        tl.set_num_threads(1)
        alone = np.asarray(tl.exp(x))
        tl.set_num_threads(4)
        np.testing.assert_array_equal(np.asarray(tl.exp(x)), alone)
    finally:
        tl.set_num_threads(threads)
