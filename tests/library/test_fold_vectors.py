"""Folds by whole vectors, against NumPy and against their plain meaning."""

from __future__ import annotations

import platform

import numba
import numpy as np
import pytest

import tensorlab as tl
from tensorlab.backends.cpu import fold_vectors
from tensorlab.backends.cpu.machine import vectors
from tensorlab.backends.cpu.pointers import at
from tests.library.test_kernels import run, run_interpreted

JOINS = {"add": np.add, "multiply": np.multiply, "greatest": np.maximum, "least": np.minimum}
EMPTY = {"add": 0.0, "multiply": 1.0, "greatest": -np.inf, "least": np.inf}
# Less than a vector, whole vectors, steps, and each with something left over.
LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 200, 1000]


def _of_run(join):
    fold_run = getattr(fold_vectors, f"{join}_run")

    @numba.njit
    def folded(x, n, far, start):
        return fold_run(at(x, 1), n, far, start)

    return folded


def _of_streams(join, form):
    fold_streams = getattr(fold_vectors, f"{join}_{form}")

    @numba.njit
    def folded(x, n, apart, start):
        return fold_streams(at(x, 1), n, apart, start)

    return folded


def _of_rows(join):
    fold_rows = getattr(fold_vectors, f"{join}_rows")

    @numba.njit
    def folded(x, step, count, width, total, far):
        fold_rows(at(x, 1), step, count, width, at(total, 1), far)

    return folded


def _cells(join, shape, kind, random):
    """Small whole numbers: their sums are exact in any order. Products stay near 1."""
    cells = random.integers(-9, 10, shape).astype(kind)
    return (
        np.where(cells > 7, 2.0, np.where(cells < -7, 0.5, 1.0)).astype(kind) if join == "multiply" else cells
    )


@pytest.mark.parametrize("kinds", [("float32", "float32"), ("float64", "float64"), ("float32", "float64")])
@pytest.mark.parametrize("join", JOINS)
def test_a_run(join, kinds):
    random, folded = np.random.default_rng(0), _of_run(join)
    kind, lane = map(np.dtype, kinds)
    for n in LENGTHS:
        x = _cells(join, n + 2, kind, random)
        x[[0, -1]] = np.nan  # belong to others
        for far in (False, True):
            found = folded(x, n, far, lane.type(EMPTY[join]))
            want = JOINS[join].reduce(x[1 : n + 1].astype(lane), initial=EMPTY[join])
            assert found == want, (n, far)


@pytest.mark.parametrize("kinds", [("float32", "float32"), ("float32", "float64")])
@pytest.mark.parametrize("join", JOINS)
def test_streams_of_a_run(join, kinds):
    random, kind, lane = np.random.default_rng(0), *map(np.dtype, kinds)
    together, each = (_of_streams(join, form) for form in ("streams", "each"))
    for n in LENGTHS:
        for apart in (n, n + 5, 0):
            x = _cells(join, 3 * apart + n + 2, kind, random)
            x[[0, -1]] = np.nan  # belong to others
            if apart > n:
                x[[1 + n, apart, 1 + 2 * apart + n]] = np.nan
            start = lane.type(EMPTY[join])
            runs = [x[1 + k * apart : 1 + k * apart + n].astype(lane) for k in range(fold_vectors.STREAMS)]
            want = [JOINS[join].reduce(run, initial=EMPTY[join]) for run in runs]
            assert each(x, n, apart, start) == tuple(want), (n, apart)
            assert together(x, n, apart, start) == JOINS[join].reduce(want), (n, apart)


@pytest.mark.parametrize("kinds", [("float32", "float32"), ("float64", "float64"), ("float32", "float64")])
@pytest.mark.parametrize("join", JOINS)
def test_rows(join, kinds):
    random, folded = np.random.default_rng(0), _of_rows(join)
    for width in (0, 1, 8, 15, 16, 17, 40):
        for count in (0, 1, 3, 4, 5, 11):
            step = width + 3
            x = _cells(join, count * step + 2, kinds[0], random)
            total = _cells(join, width + 2, kinds[1], random)
            rows = np.lib.stride_tricks.as_strided(
                x[1:], (count, width), (step * x.itemsize, x.itemsize)
            ).astype(kinds[1])  # fmt: skip
            want = total.copy()
            want[1 : width + 1] = JOINS[join].reduce(np.vstack([want[None, 1 : width + 1], rows]), axis=0)
            folded(x, step, count, width, total, True)
            np.testing.assert_array_equal(total, want)


@pytest.mark.parametrize("join", ["greatest", "least"])
def test_nan_is_never_passed_over(join):
    folded = _of_run(join)
    for place in range(100):
        x = np.zeros(102, np.float32)
        x[place + 1] = np.nan
        assert np.isnan(folded(x, 100, False, np.float32(EMPTY[join])))


def test_the_twins_do_the_same():
    """The tests above once more, with plain Python in the place of the intrinsics."""
    run_interpreted(__file__, "of_a_run or test_a_run or test_rows")


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape", [(3, 100_003), (4, 70_000), (7, 40_007), (263, 1033), (2, 131, 1111)], ids=str
)
def test_many_elements(kind, shape):
    """More than a second-level cache holds: read in several places at once, by one thread and by several."""
    cells = np.random.default_rng(0).integers(-9, 10, shape).astype(kind)
    x, normal = tl.tensor(cells), tl.tensor(np.random.default_rng(1).standard_normal(shape).astype(kind))
    for y, values in ((x, cells), (x.transpose(0, 1), cells.swapaxes(0, 1))):
        np.testing.assert_array_equal(y.sum(-1), values.sum(-1))
        np.testing.assert_array_equal(y.amax(-1), values.max(-1))
        np.testing.assert_array_equal(y.amin(-1), values.min(-1))
        assert y.sum() == values.sum()
        assert y[1:, 1:].sum() == values[1:, 1:].sum()
    exact, terms = normal.numpy().astype(np.longdouble).sum(-1), abs(normal.numpy()).sum(-1)
    assert np.all(abs(normal.sum(-1).numpy() - exact) <= 4 * np.finfo(kind).eps * terms)
    found, threads = [], tl.get_num_threads()
    for team in (1, 3):
        tl.set_num_threads(team)
        found.append([normal.sum(-1).tolist(), normal.sum().item(), normal.mean(-1).tolist()])
    tl.set_num_threads(threads)
    assert found[0] == found[1]
    for row in range(min(x.numel() // shape[-1], 9)):  # a NaN is seen, in whichever row and place it lies
        rows = x.clone().reshape(-1, shape[-1])
        rows[row, row * 977 % shape[-1]] = tl.nan
        assert rows.amax(1).isnan().nonzero().tolist() == [[row]]


SUMS = """
import numpy as np
import tensorlab as tl
x = tl.from_numpy(np.random.default_rng(0).standard_normal((37, 1003)).astype(np.float32))
print([float(result.numpy().astype(np.float64) @ np.arange(1, result.numel() + 1))
       for result in (x.sum(1), x.sum(0), x.amax(1), x.amin(0), x.prod(1))])
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="these are names of x86 processors")
@pytest.mark.parametrize(("processor", "size"), [("haswell", 32), ("x86-64", 16)])
def test_sums_are_the_same_numbers_on_other_processors(processor, size):
    if size > vectors().size:
        pytest.skip("this processor has no such vectors")
    here = run(SUMS, NUMBA_DISABLE_JIT="0")
    assert run(SUMS, NUMBA_CPU_NAME=processor, NUMBA_CPU_FEATURES="", NUMBA_DISABLE_JIT="0") == here


@pytest.mark.parametrize("shape", [(700, 1003), (5000, 515), (3000, 130), (2, 900, 600)])
@pytest.mark.parametrize("kind", ["float32", "float64", "int32"])
def test_sums_over_rows_do_not_depend_on_the_threads(shape, kind):
    """Threads share strips of neighbouring results, and one thread folds several strips as one."""
    x = tl.from_numpy((np.random.default_rng(0).standard_normal(shape) * 100).astype(kind))
    before = tl.get_num_threads()
    try:
        found = []
        for count in (1, 4):
            tl.set_num_threads(count)
            found.append(x.sum(-2).numpy())
    finally:
        tl.set_num_threads(before)
    np.testing.assert_array_equal(*found)
    np.testing.assert_allclose(found[0], np.asarray(x).astype(np.float64).sum(-2), rtol=1e-4, atol=1e-2)
