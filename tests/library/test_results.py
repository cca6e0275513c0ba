"""Results that machine code makes are what Python would have made, in plain and in special times."""

from __future__ import annotations

import functools
import gc
import sys

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.backends.cpu import jit, machine_code
from tensorlab.backends.cpu import results as cpu_results
from tensorlab.layout import Size
from tensorlab.ops import results
from tensorlab.ops.rows import SMALL
from tensorlab.tensor import Tensor, make_dense

CELL = np.dtype(np.float32)
FIELDS = [name for name in Tensor.__slots__ if name.startswith("_") and not name.startswith("__")]


@jit.kernel()
def scaled(first, last, table, out, x, factor):
    for i in range(first, last):
        out[i] = x[i] * factor + table[1, i]


def new(count: int = 6, shape: Size | None = None) -> Tensor:
    shape = shape or Size((2, 3))
    return results.new_dense(count, CELL, tl.float32, shape, (3, 1))


def compute(x: np.ndarray, factor: float) -> Tensor:
    table = np.arange(2 * x.size, dtype=np.float32).reshape(2, x.size)
    entry = jit.entry(scaled, 0, x.size, table, CELL, CELL, factor)
    run = functools.partial(entry, 0, x.size, table)
    return results.computing(run, tl.float32)(x.size, Size((x.size,)), (1,), x, factor)


def test_the_fields_are_those_that_python_fills():
    made, expected = new(), make_dense(np.empty(6, CELL), tl.float32, Size((2, 3)), (3, 1))
    for name in FIELDS:
        assert hasattr(made, name) == hasattr(expected, name), name
        if name not in ("_storage", "_dense", "_naming"):
            assert getattr(made, name) == getattr(expected, name), name
    assert made._dense is made._storage._memory
    assert (made._dense.dtype, made._dense.shape) == (CELL, (6,))
    storage = made._storage
    assert (storage._others, storage._version, storage.readonly) == (None, 0, False)
    assert not hasattr(storage, "_writer")


def test_every_result_has_memory_of_its_own():
    made = [new().fill_(i) for i in range(50)]
    assert [float(x[1, 2]) for x in made] == list(range(50))


def test_owners_are_counted():
    shape, stride = Size((2, 3)), (3, 1)
    made = results.new_dense(6, CELL, tl.float32, shape, stride)
    counts = [sys.getrefcount(item) for item in (made, made._storage, made._dense)]
    plain = make_dense(np.empty(6, CELL), tl.float32, shape, stride)
    assert counts == [sys.getrefcount(item) for item in (plain, plain._storage, plain._dense)]
    watched = (CELL, tl.float32, shape, stride, Tensor)
    compute(np.ones(3, np.float32), 2.0)
    gc.collect()  # what tests before this one left behind holds some of these
    before = [sys.getrefcount(item) for item in watched]
    for _ in range(100):
        results.new_dense(6, CELL, tl.float32, shape, stride)
        compute(np.ones(3, np.float32), 2.0)
    assert [sys.getrefcount(item) for item in watched] == before


def test_the_collector_sees_a_result():
    made = new()
    assert gc.is_tracked(made)
    made.itself = made  # a circle
    kept = made.untyped_storage()
    before = sys.getrefcount(kept)
    del made
    gc.collect()
    assert sys.getrefcount(kept) == before - 1


def test_known_arguments_numbers_and_arrays_of_two_dimensions():
    made = compute(np.array([1, 2, 3], np.float32), 10.0)
    assert made.tolist() == [13.0, 24.0, 35.0]


def test_a_watcher_sees_every_storage():
    x = tl.ones(1000)
    x.exp()
    with tl.autograd.profile() as memory:
        kept = x.exp(), x + x, x * 2.0
    assert [moment.change for moment in memory.timeline if moment.change > 4] == [4000, 4000, 4000]
    assert len(kept) == 3
    with tl.autograd.profile() as outer, tl.autograd.profile() as inner:
        x.exp()
    x.exp()
    assert (outer.peak, inner.peak) == (4000, 4000)


def test_results_of_inference_mode_count_no_writes():
    x = tl.ones(10)
    with tl.inference_mode():
        assert (x.exp().is_inference(), (x + x).is_inference(), new().is_inference()) == (True, True, True)
    assert not x.exp().is_inference()


def test_too_much_memory_is_refused():
    with pytest.raises(MemoryError):
        new(1 << 60)
    with pytest.raises(ValueError, match="negative"):
        new(-1)


@pytest.mark.skipif(
    jit.compiled(jit.entry(scaled, 0, 1, np.ones((1, 1)), CELL, CELL, 1.0)) is None,
    reason="without a compiler it is a function of Python",
)
def test_a_wrong_number_of_arguments_is_refused():
    new()
    with pytest.raises(TypeError, match="takes 5 arguments"):
        results.new_dense(6, CELL)


def test_a_python_without_the_interpreters_lock_has_no_such_functions(monkeypatch):
    run = functools.partial(jit.entry(scaled, 0, 1, np.ones((2, 1)), CELL, CELL, 1.0), 0, 1, np.ones((2, 1)))
    monkeypatch.setattr(machine_code, "_FREE_THREADED", True)
    assert (cpu_results.new_dense(results._RECIPE), cpu_results.dense(results._RECIPE)) == (None, None)
    assert cpu_results.computing(results._RECIPE, run, CELL, tl.float32, None) is None


def test_places_are_those_of_the_fields():
    class Pair:
        __slots__ = ("__dict__", "__weakref__", "a", "b", "c")

    places = machine_code.places(Pair, "b", "c", "a")
    assert [places[name] - places["a"] for name in "abc"] == [0, 1, 2]


@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1])
def test_sizes_around_the_limit(size):
    x = tl.arange(size, dtype=tl.float32)
    np.testing.assert_array_equal((x + x).numpy(), 2 * x.numpy())
    np.testing.assert_array_equal(x.neg().numpy(), -x.numpy())
    np.testing.assert_array_equal((1.0 - x).numpy(), 1 - x.numpy())


def test_layouts_beside_row_major():
    a, b = tl.arange(12.0).view(3, 4), tl.arange(12.0).view(4, 3)
    for x, y in ((a, b.t()), (b.t(), a), (a.t(), b.t().t()), (a[:, :1], a[:1]), (a[:, 1:], a[1:2, 1:])):
        for _ in range(2):
            made = x + y
            np.testing.assert_array_equal(made.numpy(), x.numpy() + y.numpy())
