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
from tensorlab.backends.cpu.overwriting import overwriting
from tensorlab.layout import Size
from tensorlab.ops import results
from tensorlab.ops.straight import most_straight
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor, make_dense, make_view

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
    assert cpu_results.view(results._RECIPE) is None
    assert cpu_results.exchanging(results._RECIPE) is None
    assert cpu_results.mapping(results._RECIPE, run.func, tl.float32, tl.float32, 9) is None
    assert cpu_results.meeting(results._RECIPE, run, [], tl.float32, 9, (9,), (1,)) is None
    assert overwriting(results._RECIPE, run, [tl.float32], "nobody", 9) is None


def test_a_view_is_what_python_would_have_made():
    base = tl.arange(12.0)
    (base + base).exp()  # there is machine code from now on
    view = results.view(base, Size((2, 3)), (3, 1), 6)
    part = results.view(view, Size((3,)), (1,), 9)
    for made, source in ((view, base), (part, view)):
        expected = make_view(source, made._shape, made._stride, made._offset)
        for name in FIELDS:
            assert hasattr(made, name) == hasattr(expected, name), name
            if name != "_naming":
                assert getattr(made, name) is getattr(expected, name), name
    assert part.tolist() == [9.0, 10.0, 11.0]
    before = sys.getrefcount(base._storage)
    del view, part, made, source, expected
    assert sys.getrefcount(base._storage) < before


def test_a_view_of_what_lacks_a_field_is_refused():
    (tl.ones(2) + tl.ones(2)).exp()
    with pytest.raises(AttributeError, match="_storage"):
        results.view(object.__new__(Tensor), Size((2,)), (1,), 0)


def test_a_transpose_is_what_python_would_have_made():
    base = tl.arange(12.0).view(3, 4)
    (base + base).exp()  # there is machine code from now on
    for source in (base, base[1:, 1:], base.view(tl.int32), tl.ones(0, 3), base.t()):
        made = source.t()
        expected = make_view(source, Size(source._shape[::-1]), source._stride[::-1], source._offset)
        assert (type(made._shape), type(made._stride)) == (Size, tuple)
        for name in FIELDS:
            assert hasattr(made, name) == hasattr(expected, name), name
            if name in ("_shape", "_stride"):
                assert getattr(made, name) == getattr(expected, name)
            elif name != "_naming":
                assert getattr(made, name) is getattr(expected, name), name
        np.testing.assert_array_equal(made.numpy(), source.numpy().T)
    watched = (base, base._storage, base._shape, base._stride, Size, Tensor)
    gc.collect()
    before = [sys.getrefcount(item) for item in watched]
    for _ in range(100):
        base.t()
    assert [sys.getrefcount(item) for item in watched] == before


def test_a_transpose_of_what_is_no_plain_matrix():
    (tl.ones(2) + tl.ones(2)).exp()
    assert (tl.ones(3).t().shape, tl.tensor(2.0).t().shape) == ((3,), ())
    with pytest.raises(RuntimeError, match="<= 2 dimensions"):
        tl.ones(2, 2, 2).t()
    with pytest.raises(AttributeError, match="_edge"):
        object.__new__(Tensor).t()
    with pytest.raises(TypeError, match="must be Tensor"):
        tl.t(3)
    assert tl.ones(2, 3, names=("rows", "columns")).t().names == ("columns", "rows")
    leaf = tl.ones(2, 3, requires_grad=True)
    for tensor in (leaf, leaf * 2, leaf[:1], leaf.detach().requires_grad_()[:, 1:]):
        assert tensor.t().grad_fn is not None
        with tl.no_grad():
            assert tensor.t().grad_fn is None


def test_dense_takes_memory_that_is_there():
    memory = np.arange(6, dtype=CELL)
    (tl.ones(2) + tl.ones(2)).exp()
    made = results.dense(memory, tl.float32, Size((2, 3)), (3, 1))
    assert made._dense is made._storage._memory is memory
    before = sys.getrefcount(memory)
    del made
    assert sys.getrefcount(memory) == before - 2


def test_functions_of_one_tensor_see_what_it_is():
    x = tl.arange(6.0).view(2, 3)
    for _ in range(2):  # the second time there is machine code
        for tensor in (
            x,
            x.t(),
            x[:, 1:],
            x[0],
            x.double(),
            x.half(),
            x.view(tl.int32),
            tl.ones(0),
            tl.ones(()),
        ):
            np.testing.assert_array_equal(tensor.neg().numpy(), -tensor.numpy())
        for tensor in (
            x,
            x.clone().requires_grad_(),
            x.clone().requires_grad_()[1:],
            x.clone().requires_grad_().view(6),
        ):
            assert tensor.exp().requires_grad == tensor.requires_grad
        with tl.no_grad():
            assert not x.clone().requires_grad_().exp().requires_grad
        beyond = most_straight(TABLE["exp"]) + 1
        assert tl.ones(beyond).exp().shape == (beyond,)


def test_functions_of_two_tensors_see_what_they_are():
    x = tl.arange(6.0).view(2, 3)
    others = [x, tl.ones(2, 3), x.view(3, 2).t(), tl.ones(3), tl.ones(2, 1), tl.ones(()), x.double(), x.int()]
    for _ in range(2):  # the second time there is machine code
        for other in others:
            expected = x.numpy() + other.numpy()
            for made in (x + other, other + x):
                np.testing.assert_array_equal(made.numpy(), expected)
        leaf = x.clone().requires_grad_()
        for a, b in ((leaf, x), (x, leaf), (leaf[:1], x[:1]), (x.view(6), leaf.view(6))):
            assert (a + b).requires_grad
            with tl.no_grad():
                assert not (a + b).requires_grad
        with pytest.raises(RuntimeError, match="match"):
            x + tl.ones(6)
        assert (x > x).dtype is tl.bool
        with tl.inference_mode():
            assert (x + x).is_inference()


def test_operands_whose_memory_was_made_for_other_cells():
    words = tl.arange(8, dtype=tl.int32).view(tl.float32)
    x = tl.ones(8)
    for _ in range(3):
        np.testing.assert_array_equal((x + words).numpy(), x.numpy() + words.numpy())
        np.testing.assert_array_equal((x[2:] + words[2:]).numpy(), x[2:].numpy() + words[2:].numpy())
        np.testing.assert_array_equal((x[1:5] + x[4:]).numpy(), [2, 2, 2, 2])


def test_places_are_those_of_the_fields():
    class Pair:
        __slots__ = ("__dict__", "__weakref__", "a", "b", "c")

    places = machine_code.places(Pair, "b", "c", "a")
    assert [places[name] - places["a"] for name in "abc"] == [0, 1, 2]


LIMIT = most_straight(TABLE["add"])


@pytest.mark.parametrize("size", [0, 1, 16_384, 16_385, LIMIT, LIMIT + 1])
def test_sizes_around_the_limit(size):
    x, written = tl.arange(size, dtype=tl.float32), tl.zeros(size)
    for _ in range(4):  # from the third time on, all is one call
        tl.add(x, x, out=written)
        written.add_(x)
    np.testing.assert_array_equal(written.numpy(), 3 * x.numpy())
    np.testing.assert_array_equal((x + x).numpy(), 2 * x.numpy())
    np.testing.assert_array_equal(x.neg().numpy(), -x.numpy())
    np.testing.assert_array_equal((1.0 - x).numpy(), 1 - x.numpy())


def test_layouts_beside_row_major():
    a, b = tl.arange(12.0).view(3, 4), tl.arange(12.0).view(4, 3)
    for x, y in ((a, b.t()), (b.t(), a), (a.t(), b.t().t()), (a[:, :1], a[:1]), (a[:, 1:], a[1:2, 1:])):
        for _ in range(4):  # from the third time on, all is one call
            made = x + y
            np.testing.assert_array_equal(made.numpy(), x.numpy() + y.numpy())


def test_layouts_in_turns():
    """What is remembered of the last two tensors holds for no others."""
    x, y = tl.arange(12.0).view(3, 4), tl.arange(12.0).view(4, 3) * 10
    words = tl.arange(12, dtype=tl.int32).view(tl.float32).view(4, 3)
    leaf = y.clone().requires_grad_()
    wide = tl.arange(40.0).view(4, 10)
    others = [
        y,
        y + 1,
        words,
        leaf,
        wide[:, 3:6],
        wide[:, 7:],
        y.double(),
        x.t(),
        leaf.detach()[:, :3],
        leaf[:, :],
    ]
    for other in (other for other in others for _ in range(2)):
        for _ in range(3):
            expected = x.numpy() + y.numpy().T
            np.testing.assert_array_equal((x + y.t()).numpy(), expected)
        for _ in range(3):
            made = x + other.t()
            assert made.requires_grad == other.requires_grad
            np.testing.assert_array_equal(made.detach().numpy(), x.numpy() + other.detach().numpy().T)
        np.testing.assert_array_equal((x + x).numpy(), 2 * x.numpy())
    with tl.inference_mode():
        assert (x + y.t()).is_inference()
    with tl.autograd.profile() as memory:
        kept = x + y.t()
    assert [moment.change for moment in memory.timeline if moment.change > 4] == [4 * kept.numel()]
    watched = (CELL, tl.float32, x, y, y._storage, y._storage._memory, kept._shape, kept._stride)
    gc.collect()
    before = [sys.getrefcount(item) for item in watched]
    for _ in range(100):
        x + y.t()
    assert [sys.getrefcount(item) for item in watched] == before
