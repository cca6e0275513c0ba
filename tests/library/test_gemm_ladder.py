"""The rungs of the ladder: all compute the same, from all layouts, compiled and interpreted."""

from __future__ import annotations

import numpy as np
import pytest

from tensorlab.gemm import RUNGS
from tests.library.test_kernels import run

SIZES = [(1, 1, 1), (1, 9, 1), (3, 1, 5), (8, 16, 48), (4, 4, 4), (7, 13, 50), (133, 260, 517), (20, 0, 9)]


def whole(shape, dtype, seed):
    """Whole numbers, so that every sum is exact."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)


@pytest.mark.part(5)
@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.__name__)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_every_rung_is_the_product(rung, dtype, sizes):
    m, k, n = sizes
    a, b = whole((m, k), dtype, 1), whole((k, n), dtype, 2)
    out = np.full((m, n), np.nan, dtype)
    rung(a, b, out)
    np.testing.assert_array_equal(out, a @ b)


@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.__name__)
def test_operands_may_lie_anyhow(rung):
    a, b = whole((34, 21), "float32", 3), whole((21, 130), "float32", 4)
    lefts = a.T.copy().T, np.repeat(a, 2, 1)[:, ::2], np.broadcast_to(a[:1], a.shape)
    rights = np.broadcast_to(b[:, :1], b.shape), b.T.copy().T, np.repeat(b, 2, 1)[:, ::2]
    for left, right in zip(lefts, rights, strict=True):
        out = np.full((34, 130), np.nan, "float32")
        rung(left, right, out)
        np.testing.assert_array_equal(out, left @ right)


@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.__name__)
def test_infinities_reach_their_own_row_and_column_only(rung):
    a, b = whole((9, 5), "float32", 5), whole((5, 7), "float32", 6)
    a[8, 4], b[4, 6] = np.inf, np.nan
    out = np.zeros((9, 7), "float32")
    rung(a, b, out)
    assert np.isfinite(out[:8, :6]).all()
    assert np.isnan(out[:, 6]).all()
    assert not np.isfinite(out[8]).any() or (b[4, :6] == 0).any()


INTERPRETED = """
import numpy as np
from tensorlab.gemm import RUNGS
a, b = np.random.default_rng(0).integers(-8, 9, (2, 5, 5)).astype(np.float32)
for rung in RUNGS:
    out = np.empty((5, 5), np.float32)
    rung(a, b, out)
    assert (out == a @ b).all(), rung
print(len(RUNGS))
"""


def test_a_debugger_can_step_through_every_rung():
    assert int(run(INTERPRETED, NUMBA_DISABLE_JIT="1")) == len(RUNGS)
