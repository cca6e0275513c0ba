"""Functions that read and write where an index or a mask says, against PyTorch and against their own laws."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.backends.cpu import threads

from .index_strategies import LAYOUTS, assert_same, make, outcome, sizes

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def index_of(library, array, turned=False, dtype="int64"):
    if turned and array.ndim:
        order = tuple(range(array.ndim - 1, -1, -1))
        return library.tensor(np.ascontiguousarray(array.T)).to(getattr(library, dtype)).permute(order)
    return library.tensor(array).to(getattr(library, dtype))


@st.composite
def along(draw):
    """An input shape, a dimension, and an index for each element of some box; most fit."""
    shape = draw(sizes)
    dim = draw(st.integers(-len(shape), max(len(shape) - 1, 0)))
    at = dim % max(len(shape), 1)
    box = [
        draw(st.integers(0, 4)) if d == at else draw(st.integers(min(size, 1), size))
        for d, size in enumerate(shape)
    ]
    if shape and not draw(st.integers(0, 15)):
        box[draw(st.integers(0, len(box) - 1))] += 1
    size = shape[at] if shape else 1
    high = max(size, 1) + (not draw(st.integers(0, 9)))
    cells = draw(st.lists(st.integers(0, high - 1), min_size=int(np.prod(box)), max_size=int(np.prod(box))))
    return (
        shape,
        dim,
        np.array(cells, np.int64).reshape(box),
        draw(st.booleans()),
        draw(st.sampled_from(["int64", "int32", "int8"] if not draw(st.integers(0, 5)) else ["int64"])),
    )


@settings(max_examples=300)
@given(along(), st.sampled_from(LAYOUTS))
def test_gather(torch, case, layout):
    shape, dim, index, turned, dtype = case

    def work(library):
        return make(library, shape, layout).gather(dim, index_of(library, index, turned, dtype))

    assert_same(outcome(lambda: work(tl)), outcome(lambda: work(torch)))


@settings(max_examples=400)
@given(
    along(),
    st.sampled_from(LAYOUTS[:3]),
    st.sampled_from(LAYOUTS[:3]),
    st.sampled_from(["scatter", "value", "add", "multiply", "scatter_add", *REDUCTIONS]),
    st.booleans(),
    st.booleans(),
)
def test_scatter(torch, case, layout, src_layout, what, include_self, in_place):
    shape, dim, index, turned, dtype = case
    more = tuple(size + 1 for size in index.shape)

    def work(library):
        x, i = make(library, shape, layout), index_of(library, index, turned, dtype)
        src = make(library, more, src_layout) + 1
        end = "_" if in_place else ""
        if what == "scatter":
            return getattr(x, "scatter" + end)(dim, i, src)
        if what == "value":
            return getattr(x, "scatter" + end)(dim, i, -5)
        if what in ("add", "multiply"):
            return getattr(x, "scatter" + end)(dim, i, src, reduce=what)
        if what == "scatter_add":
            return getattr(x, "scatter_add" + end)(dim, i, src)
        return getattr(x, "scatter_reduce" + end)(dim, i, src, what, include_self=include_self)

    assert_same(outcome(lambda: work(tl)), outcome(lambda: work(torch)))


@settings(max_examples=400)
@given(
    sizes,
    st.data(),
    st.sampled_from(LAYOUTS[:3]),
    st.sampled_from(["select", "add", "alpha", "copy", "fill"]),
    st.booleans(),
)
def test_slices(torch, shape, data, layout, what, in_place):
    dim = data.draw(st.integers(0, max(len(shape) - 1, 0)))
    size = shape[dim] if shape else 1
    index = data.draw(
        st.lists(
            st.integers(0 if data.draw(st.integers(0, 7)) else -1, max(size - 1, 0)),
            max_size=4 if shape else 1,
        )
    )
    dtype = data.draw(st.sampled_from(["int64", "int64", "int64", "int32", "int16"]))
    slices = (*shape[:dim], len(index), *shape[dim + 1 :]) if shape else ()
    slices = data.draw(st.sampled_from([slices] * 8 + [(*slices, 1), slices[1:]]))
    end = "_" if in_place else ""

    def work(library):
        x = make(library, shape, layout)
        i = library.tensor(np.array(index, np.int64)).to(getattr(library, dtype))
        if what == "select":
            return x.index_select(dim, i)
        if what == "fill":
            return getattr(x, "index_fill" + end)(dim, i, 77)
        source = make(library, slices, "turned") + 100
        if what == "alpha":
            return getattr(x, "index_add" + end)(dim, i, source, alpha=3)
        return getattr(x, f"index_{what}" + end)(dim, i, source)

    ours, theirs = outcome(lambda: work(tl)), outcome(lambda: work(torch))
    if not np.prod(shape) and (isinstance(ours, type) or isinstance(theirs, type)):
        return  # in an empty tensor PyTorch looks at some wrong indices and not at others
    if any(not 0 <= i < size for i in index) and isinstance(ours, type):
        # Which of two errors an index outside gets depends on the path that PyTorch takes for a shape.
        assert {ours, theirs} <= {IndexError, RuntimeError}
        return
    assert_same(ours, theirs)


@settings(max_examples=300)
@given(
    sizes,
    st.lists(st.integers(-3, 3), max_size=6),
    st.booleans(),
    st.sampled_from(LAYOUTS[:3]),
    st.sampled_from(["take", "put", "accumulate", "short"]),
)
def test_take_and_put(torch, shape, index, turned, layout, what):
    array = np.array(index, np.int64)
    if turned and array.size % 2 == 0:
        array = array.reshape(2, -1)

    def work(library):
        x = make(library, shape, layout)
        i = index_of(library, array, turned)
        if what == "take":
            return x.take(i)
        source = library.arange(array.size - (what == "short")) + 100
        return x.put_(i, source, accumulate=what == "accumulate")

    assert_same(outcome(lambda: work(tl)), outcome(lambda: work(torch)))


@settings(max_examples=200)
@given(
    st.sampled_from(
        [
            ((2, 3), (2, 1)),
            ((2, 3), (1, 4)),
            ((1, 3), (2, 3)),
            ((3,), (5,)),
            ((2, 3), (3,)),
            ((2, 3), (4, 3)),
        ]
    ),
    st.integers(-2, 1) | st.none(),
    st.data(),
)
def test_take_along_dim(torch, shapes, dim, data):
    shape, index_shape = shapes
    count = int(np.prod(index_shape))
    index = np.array(
        data.draw(st.lists(st.integers(-4, 4), min_size=count, max_size=count)), np.int64
    ).reshape(index_shape)

    def work(library):
        return library.take_along_dim(make(library, shape, "row"), library.tensor(index), dim)

    assert_same(outcome(lambda: work(tl)), outcome(lambda: work(torch)))


def test_take_along_dim_keeps_its_own_copy_of_the_indices(torch):
    def gradient(library):
        x, index = library.ones(2, 3, requires_grad=True), library.tensor([[0, 1], [1, 0]])
        y = x.take_along_dim(index, 1)
        index.zero_()
        y.sum().backward()
        return x.grad.tolist()

    assert gradient(tl) == gradient(torch) == [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]


@st.composite
def masked(draw):
    shape = draw(sizes)
    own = tuple(
        draw(st.sampled_from([size, size, size, 1, size + 1])) if not draw(st.integers(0, 6)) else size
        for size in shape
    )
    own = own[draw(st.integers(0, len(own))) :] if draw(st.booleans()) else own
    count = int(np.prod(own))
    return shape, np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool).reshape(own)


@settings(max_examples=400)
@given(
    masked(),
    st.sampled_from(LAYOUTS[:3]),
    st.sampled_from(["select", "fill", "fill_", "scatter", "scatter_", "few", "tensor", "dtype"]),
    st.booleans(),
)
def test_masks(torch, case, layout, what, turned):
    shape, mask = case

    def work(library):
        x, m = make(library, shape, layout), index_of(library, mask, turned, "bool")
        if what == "select":
            return x.masked_select(m)
        if what in ("fill", "fill_"):
            return getattr(x, f"masked_{what}")(m, -3)
        if what == "tensor":
            return x.masked_fill(m, library.tensor(9.7))
        if what == "dtype":
            return x.masked_fill(m.to(library.uint8), 1)
        source = library.arange(2 if what == "few" else mask.size * 5 + 5) + 100
        return x.masked_scatter(m, source) if what != "scatter_" else x.masked_scatter_(m, source)

    assert_same(outcome(lambda: work(tl)), outcome(lambda: work(torch)))


@settings(max_examples=200)
@given(sizes, st.sampled_from(LAYOUTS), st.booleans())
def test_nonzero(torch, shape, layout, as_tuple):
    def work(library):
        x = make(library, shape, layout) % 3
        return library.nonzero(x, as_tuple=as_tuple), library.argwhere(x), library.where(x)

    ours, theirs = work(tl), work(torch)
    assert_same(ours[0], theirs[0])
    assert_same(ours[1], theirs[1])
    assert_same(ours[2], theirs[2])


@pytest.mark.parametrize("dtype", [t.name for t in tl.dtypes.ALL])
def test_nonzero_of_every_dtype(torch, dtype):
    values = [0.0, -0.0, 1.5, float("nan")] if "float" in dtype else [0, 1, 0, 1]
    ours, theirs = (
        library.tensor(values, dtype=getattr(library, dtype)).nonzero() for library in (tl, torch)
    )
    assert_same(ours, theirs)


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int8", "int64", "float16", "bfloat16", "float32", "float64"]
)
@pytest.mark.parametrize("what", ["add", "prod", "amax", "amin", "mean"])
def test_reductions_of_every_dtype(torch, dtype, what):
    def work(library):
        element_type = getattr(library, dtype)
        x = library.tensor([[3, 1], [2, 0]], dtype=element_type)
        src = library.tensor([[1, 100, 5], [0, 2, 7]], dtype=element_type)
        index = library.tensor([[0, 0, 1], [1, 1, 1]])
        if what == "add":
            return x.scatter_add(1, index, src), x.index_add(1, index[1], src)
        return (
            x.scatter_reduce(1, index, src, what),
            x.scatter_reduce(1, index, src, what, include_self=False),
        )

    ours, theirs = (
        outcome(lambda lib=lib: work(lib)) if dtype != "bool" or what != "mean" else None
        for lib in (tl, torch)
    )
    if ours is not None:
        assert_same(ours, theirs)


def test_the_mean_of_bools_is_refused():
    x = tl.tensor([True])
    with pytest.raises(NotImplementedError, match="the mean of bools is not a bool"):
        x.scatter_reduce(0, tl.tensor([0]), x, "mean")


@pytest.mark.parametrize("word", ["amax", "amin"])
def test_nan_wins(torch, word):
    nan = float("nan")
    ours, theirs = (
        library.tensor([1.0, nan]).scatter_reduce(0, library.tensor([0, 1]), library.tensor([nan, 1.0]), word)
        for library in (tl, torch)
    )
    assert_same(ours, theirs)


def test_sixteen_bit_sums_are_rounded_once():
    ones = tl.full((3000,), 1.0, dtype=tl.bfloat16)
    total = tl.zeros(1, dtype=tl.bfloat16).index_add_(0, tl.zeros(3000, dtype=tl.int64), ones)
    assert total.item() == 3008  # the nearest bfloat16; adding one by one would stop at 256


@settings(max_examples=100)
@given(along(), st.sampled_from(LAYOUTS[:3]))
def test_scatter_add_is_the_adjoint_of_gather(case, layout):
    shape, dim, index, turned, _ = case
    index = index % max(shape[dim] if shape else 1, 1)
    if (
        any(
            size > limit
            for d, (size, limit) in enumerate(zip(index.shape, shape, strict=True))
            if d != dim % len(shape)
        )
        or 0 in shape
    ):
        return
    x, i = make(tl, shape, layout), index_of(tl, index, turned)
    y = tl.arange(index.size).reshape(index.shape) * 7 % 11
    left = (x.gather(dim, i) * y).sum()
    right = (x * tl.zeros(shape, dtype=tl.int64).scatter_add(dim, i, y)).sum()
    assert left.item() == right.item()


@settings(max_examples=100)
@given(st.lists(st.integers(0, 4), max_size=9), st.lists(st.integers(0, 2), min_size=9, max_size=9))
def test_index_put_with_accumulate_is_the_adjoint_of_indexing(rows, columns):
    x = tl.arange(15).view(5, 3)
    i, j = tl.tensor(np.array(rows, np.int64)), tl.tensor(np.array(columns[: len(rows)], np.int64))
    y = tl.arange(len(rows)) * 5 % 7
    left = (x[i, j] * y).sum()
    right = (x * tl.zeros(5, 3, dtype=tl.int64).index_put((i, j), y, accumulate=True)).sum()
    assert left.item() == right.item()


@contextlib.contextmanager
def threads_at_once(count):
    before, worthwhile = threads.get_num_threads(), threads.WORTHWHILE
    threads.set_num_threads(count)
    threads.WORTHWHILE = 100
    try:
        yield
    finally:
        threads.set_num_threads(before)
        threads.WORTHWHILE = worthwhile


def test_sums_are_the_same_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    rows, values = rng.integers(0, 50, 2000), rng.normal(size=(2000, 30)).astype(np.float32)
    most = min(4, threads.get_num_threads())
    results = []
    for count in (1, most):
        with threads_at_once(count):
            i, v = tl.tensor(rows), tl.tensor(values)
            results.append(
                [
                    tl.zeros(50, 30).index_add(0, i, v),
                    tl.zeros(2000, 7).index_add(1, i[:30] % 7, v),
                    tl.zeros(50).index_add(0, i, v[:, 0]),
                    tl.zeros(50, 30).scatter_add(0, i[:, None].expand(2000, 30), v),
                    tl.zeros(50, 30).index_put((i,), v),
                    v[i % 30], v.gather(0, i[:, None].expand(2000, 30)), v[v > 0], (v > 0).nonzero(),
                    v.masked_fill(v > 0, 1), v.masked_scatter(v > 0, v.clone()), v.take(i),
                ]
            )  # fmt: skip
    for one, many in zip(*results, strict=True):
        assert one.tolist() == many.tolist()
    np.testing.assert_array_equal(np.asarray(results[0][5]), values[rows % 30])
    np.testing.assert_array_equal(np.asarray(results[0][7]), values[values > 0])
    np.testing.assert_array_equal(np.asarray(results[0][8]), np.argwhere(values > 0))
    expected = np.zeros((50, 30), np.float32)
    np.add.at(expected, rows, values)
    np.testing.assert_allclose(np.asarray(results[0][0]), expected, rtol=1e-4, atol=1e-5)


WRONG = {
    "index_add_": lambda x, i: x.index_add_(0, i, tl.ones(3, 2)),
    "index_copy_": lambda x, i: x.index_copy_(0, i, tl.ones(3, 2)),
    "index_fill_": lambda x, i: x.index_fill_(0, i, 1),
    "index_put_": lambda x, i: x.index_put_((i,), tl.ones(2)),
    "scatter_": lambda x, i: x.scatter_(0, i[:, None], 1),
    "scatter_add_": lambda x, i: x.scatter_add_(0, i[:, None], tl.ones(3, 1)),
    "scatter_reduce_": lambda x, i: x.scatter_reduce_(
        0, i[:, None], tl.ones(3, 1), "amax", include_self=False
    ),
    "put_": lambda x, i: x.put_(i, tl.ones(3)),
    "index_select out": lambda x, i: tl.index_select(tl.ones(4, 2), 0, i, out=x[:3]),
    "gather out": lambda x, i: tl.gather(tl.ones(4, 1), 0, i[:, None], out=x[:3, :1]),
    "scatter out": lambda x, i: tl.scatter(tl.ones(4, 2), 0, i[:, None], 5, out=x),
    "take out": lambda x, i: tl.take(tl.ones(4), i, out=x[:3, 0]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_index_writes_nothing_and_is_named(name):
    x = tl.zeros(4, 2)
    with pytest.raises((IndexError, RuntimeError), match=r"index 9 is out of bounds for .* at \(1"):
        WRONG[name](x, tl.tensor([0, 9, -77]))
    assert x.tolist() == [[0, 0]] * 4
    assert x._version == 0


@pytest.mark.parametrize(
    "call",
    [
        "index_select(x, 0, i, out=library.empty(2, 4))",
        "gather(x, 0, i[:, None], out=library.empty(2, 1))",
        "take(x, i, out=library.empty(2))",
        "masked_select(x, x > 9, out=library.empty(2))",
        "scatter(x, 0, i[:, None], 5.0, out=library.empty(3, 4))",
        "index_add(x, 0, i, x[:2], out=library.empty(3, 4))",
        "index_copy(x, 0, i, x[1:], out=library.empty(3, 4))",
        "take_along_dim(x, i[:, None], 0, out=library.empty(2, 4))",
        "nonzero(x > 9, out=library.empty(2, 2, dtype=library.int64))",
        "scatter_add(x, 0, i[:, None], x, out=library.empty(3, 4))",
        "gather(x, 0, i[:, None], out=library.empty(2, 1, dtype=library.float64))",
        "index_select(x, 0, i, out=x[:2])",
        "take(x, i, out=x[0, :2])",
    ],
)
def test_results_in_out(torch, call):
    def work(library):
        names = {"library": library, "x": library.arange(12.0).view(3, 4), "i": library.tensor([2, 0])}
        return eval(f"library.{call}", names)

    assert_same(outcome(lambda: work(tl)), outcome(lambda: work(torch)))


@pytest.mark.parametrize(
    "call",
    [
        "x.gather(0, [0])",
        "x.index_select(0, [0])",
        'x.scatter(0, i[:, None], "a")',
        "x.scatter(0, i[:, None])",
        "x.scatter_add(0, i[:, None], 1.0)",
        'x.index_fill(0, i, "a")',
        "x.index_put(i, x[0])",
        "x.index_put((0,), x[0])",
        "x.take([0])",
        'x.masked_fill(x == 0, "a")',
        "x.masked_select([True])",
        "library.nonzero([1])",
        "library.where(x == 0, 1)",
        'x.index_add(0, i, x[:1], alpha="a")',
    ],
)
def test_arguments_of_other_kinds_are_refused(torch, call):
    for library in (tl, torch):
        names = {"library": library, "x": library.zeros(3, 2), "i": library.tensor([0])}
        with pytest.raises(TypeError):
            eval(call, names)


@pytest.mark.parametrize(
    "call",
    [
        "F.one_hot(t([[0, 2], [1, 1]]))",
        "F.one_hot(t(2))",
        "F.one_hot(t([1]), 4)",
        "F.one_hot(t([2]), 2)",
        "F.one_hot(t([-1]), 2)",
        "F.one_hot(t([1.0]))",
        "F.one_hot(t([[1, 0], [2, 0]]).t())",
        "F.one_hot(t([1]), 2.0)",
        "F.one_hot(t([1])[:0])",
        "F.one_hot(t([1])[:0], 3)",
        "F.one_hot(t([1]), 0)",
        "F.one_hot(t([1]), -2)",
    ],
)
def test_one_hot(torch, call):
    ours = outcome(lambda: eval(call, {"F": F, "t": tl.tensor}))
    theirs = outcome(lambda: eval(call, {"F": torch.nn.functional, "t": torch.tensor}))
    assert_same(ours, theirs)


INTERPRETED = """
import tensorlab as tl
x = tl.arange(12.0).view(3, 4)
i, m = tl.tensor([2, 0, 2]), x > 4
print(x[i].tolist(), x[[0, 1], [-1, 2]].tolist(), x[m].tolist(), x.T[i.to(tl.int32)].tolist())
print(x.index_add(0, i, x).tolist(), x.scatter_reduce(0, i[None, :], x[:1], "amax").tolist())
print(x.masked_fill(m, -1).tolist(), x.masked_scatter(m, x * 2).tolist(), m.nonzero().tolist())
bytes_ = tl.tensor([200, 100], dtype=tl.uint8)
print(tl.zeros(2, dtype=tl.uint8).index_add_(0, tl.tensor([0, 0]), bytes_), x.T.take(tl.tensor([[1, -1]])))
print(tl.zeros(2, dtype=tl.bool).scatter_add(0, tl.tensor([1, 1]), tl.tensor([True, True])))
try:
    x[tl.tensor([[0, 7]])] = 1
except IndexError as error:
    print(error)
"""


def test_interpreted_kernels_give_the_same():
    def run(flag):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": flag}
        done = subprocess.run(
            [sys.executable, "-c", INTERPRETED], capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        return done.stdout

    assert run("1") == run("0")
