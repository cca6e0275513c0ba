"""Chains of views in both libraries: layouts, sharing and numbers agree, after writes through any of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl

dims = st.integers(-4, 4)
small = st.integers(0, 5)
VIEWS = st.one_of(
    st.tuples(st.just("transpose"), dims, dims),
    st.tuples(st.just("unsqueeze"), dims),
    st.tuples(st.just("squeeze")),
    st.tuples(st.just("squeeze"), dims),
    st.tuples(st.just("select"), dims, st.integers(-3, 3)),
    st.tuples(st.just("narrow"), dims, st.integers(-3, 3), small),
    st.tuples(st.just("diagonal"), st.integers(-2, 2), dims, dims),
    st.tuples(st.just("unfold"), dims, st.integers(0, 3), st.integers(1, 2)),
    st.tuples(st.just("movedim"), dims, dims),
    st.tuples(st.just("flatten"), dims, dims),
    st.tuples(st.just("expand"), st.just((2, -1, -1)) | st.just((3, -1, -1, -1)) | st.just((-1, 3))),
    st.tuples(st.just("view"), st.permutations((2, 2, 3, -1)).map(tuple) | st.just((-1,))),
    st.tuples(st.just("unflatten"), dims, st.permutations((2, -1)).map(tuple)),
    st.tuples(st.just("chunk"), st.integers(1, 3), dims),
    st.tuples(st.just("tensor_split"), st.lists(small, max_size=3).map(tuple), dims),
    st.tuples(st.just("unbind"), dims),
    st.tuples(st.just("as_strided"), st.just((2, 2)), st.tuples(small, small), small),
    st.tuples(st.just("detach")),
)
WRITES = st.tuples(st.sampled_from(("add_", "mul_", "fill_", "copy_last")), st.integers(1, 3))
STEPS = st.lists(st.tuples(st.integers(0, 5), VIEWS | WRITES), min_size=1, max_size=14)


def apply(x, step, alive):
    """One step on one library's tensors: a view, the first or last of several, or None for a write."""
    name, *arguments = step
    if name == "copy_last":
        x.copy_(alive[-1])
        return None
    result = getattr(x, name)(*arguments)
    if name.endswith("_"):
        return None
    return result[-1] if isinstance(result, tuple) else result


def outcome(x, step, alive):
    try:
        return apply(x, step, alive), None
    except (RuntimeError, IndexError) as error:
        return None, type(error)


@settings(max_examples=400)
@given(STEPS, st.sampled_from(("int64", "float32", "uint8")))
def test_chains_of_views_and_writes(torch, steps, dtype):
    start = np.arange(24).reshape(2, 3, 4).astype(dtype)
    ours, theirs = [tl.tensor(start)], [torch.tensor(start)]
    for which, step in steps:
        position = which % len(ours)
        mine, my_error = outcome(ours[position], step, ours)
        yours, your_error = outcome(theirs[position], step, theirs)
        assert my_error is your_error, (step, my_error, your_error)
        if yours is not None and yours.numel() <= 500:
            assert (tuple(mine.shape), mine.stride()) == (tuple(yours.shape), yours.stride())
            assert mine.storage_offset() == yours.storage_offset()
            shared = yours.untyped_storage().data_ptr() == theirs[position].untyped_storage().data_ptr()
            assert (mine.untyped_storage() is ours[position].untyped_storage()) == shared
            ours.append(mine)
            theirs.append(yours)
        for mine, yours in zip(ours, theirs, strict=True):
            assert mine.tolist() == yours.tolist()


@settings(max_examples=300)
@given(
    st.lists(st.integers(1, 4), min_size=0, max_size=3),
    st.sampled_from(("int16", "int32", "float64", "uint8", "bool")),
    st.sampled_from(("int16", "int32", "float64", "uint8", "bool")),
    st.booleans(),
    st.integers(0, 2),
)
def test_bytes_read_as_another_dtype(torch, shape, old, new, turned, start):
    """`view(dtype)` of dense, transposed and shifted layouts: PyTorch's layout or PyTorch's refusal."""
    values = np.ones([size + 2 for size in shape], old)
    x, y = tl.tensor(values), torch.tensor(values)
    if shape:
        x, y = x.narrow(-1, start, shape[-1]), y.narrow(-1, start, shape[-1])
    if turned:
        x, y = x.permute(tuple(range(x.ndim))[::-1]), y.permute(tuple(range(y.ndim))[::-1])
    try:
        expected = y.view(getattr(torch, new))
    except RuntimeError:
        with pytest.raises(RuntimeError, match="to view elements of"):
            x.view(getattr(tl, new))
    else:
        result = x.view(getattr(tl, new))
        assert (tuple(result.shape), result.stride()) == (tuple(expected.shape), expected.stride())
        assert result.storage_offset() == expected.storage_offset()
        assert result.untyped_storage() is x.untyped_storage()
        assert result.tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["linspace", "arange"])
@settings(max_examples=200)
@given(
    st.integers(-800, 800).map(lambda n: n / 8),
    st.integers(-800, 800).map(lambda n: n / 10),
    st.integers(0, 60),
)
def test_evenly_spaced_numbers_to_the_bit(torch, name, start, end, steps):
    """`linspace` rounds where PyTorch rounds, in every dtype; `arange` of integers drops fractions first."""
    if name == "linspace":
        for t in ("float32", "float16", "bfloat16", "int32"):
            ours = tl.linspace(start, end, steps, dtype=getattr(tl, t))
            assert ours.tolist() == torch.linspace(start, end, steps, dtype=getattr(torch, t)).tolist()
        ours, theirs = (
            tl.linspace(start, end, steps, dtype=tl.float64),
            torch.linspace(start, end, steps, dtype=torch.float64),
        )
        np.testing.assert_array_max_ulp(ours.numpy(), theirs.numpy(), maxulp=1)
    else:
        low, high = sorted((start, end))
        ours = tl.arange(low, high, steps + 1.5, dtype=tl.int64)
        assert ours.tolist() == torch.arange(low, high, steps + 1.5, dtype=torch.int64).tolist()


def test_legacy_constructors(torch):
    for library in (tl, torch):
        x = library.arange(3.0)
        assert library.Tensor([1, 2]).tolist() == [1.0, 2.0]
        assert tuple(library.Tensor(2, 3).shape) == (2, 3)
        assert tuple(library.Tensor(library.Size([4])).shape) == (4,)
        assert tuple(library.Tensor().shape) == (0,)
        assert library.Tensor(x).data_ptr() == x.data_ptr()
        assert library.LongTensor([1.5, 2]).tolist() == [1, 2]
        assert library.ByteTensor(3).dtype == library.uint8
        assert isinstance(x, library.FloatTensor)
        assert not isinstance(x, library.LongTensor)
        assert x.type("torch.IntTensor").dtype == library.int32
        assert x.type(library.HalfTensor).dtype == library.float16
        for wrong in (
            lambda library=library: library.Tensor(2.5),
            lambda library=library: library.Tensor("ab"),
            lambda library=library: library.Tensor([1], dtype=library.int8),
            lambda library=library, x=x: library.LongTensor(x),
        ):
            with pytest.raises(TypeError):
                wrong()


def test_detach_and_data_share_memory(torch):
    for library in (tl, torch):
        x = library.zeros(3)
        x.detach()[0] = 1
        x.data[1] = 2
        assert x.tolist() == [1, 2, 0]
        assert x.data is not x
        x.data = library.ones(2, 2)
        assert x.tolist() == [[1, 1], [1, 1]]
        assert (x.is_cuda, x.is_signed(), x.is_complex(), x.ndimension()) == (False, True, False, 2)
        assert x.layout is library.strided


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.expand(3).add_(1),
        lambda x: x.expand(3).copy_(x),
        lambda x: x.expand(3).fill_(4),
        lambda x: x.expand(3).zero_(),
        lambda x: x.expand(1).add_(1),
    ],
    ids=range(5),
)
def test_writes_into_stretched_memory(torch, write):
    """A stretched tensor may be filled with one number, and nothing else may be written into it."""
    results = []
    for library in (tl, torch):
        x = library.ones(1)
        try:
            write(x)
            results.append(x.tolist())
        except RuntimeError as error:
            results.append(str(error)[:70])
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x[1:].copy_(x[:-1]),
        lambda x: x[::2].copy_(x[1::2]),
        lambda x: x[:9].view(3, 3).add_(x[:9].view(3, 3).t()),
        lambda x: x[:9].view(3, 3).add_(x[:3]),
        lambda x: x[0:5].add_(x[5:]),
        lambda x: x.add_(x),
        lambda x: x.add_(x[0]),
        lambda x: x.unfold(0, 3, 3).add_(1),
        lambda x: x[:8].view(2, 4)[:, :2].copy_(x[:8].view(2, 4)[:, 2:]),
    ],
    ids=range(9),
)
def test_writes_beside_and_over_their_source(torch, write):
    """Dense views that overlap in other places are refused; views with gaps are let through."""
    results = []
    for library in (tl, torch):
        x = library.arange(10.0)
        try:
            write(x)
            results.append(x.tolist())
        except RuntimeError as error:
            results.append(str(error)[:70])
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "assign",
    [
        lambda x: x.__setitem__((None, ...), x),
        lambda x: x.__setitem__(slice(None), x[0]),
        lambda x: x.__setitem__(slice(1, 2), x[1]),
        lambda x: x.__setitem__(0, x[:, 0]),
        lambda x: x.__setitem__(slice(None), x[1, 1]),
        lambda x: x[:1, :1].__setitem__(slice(None, None, 2), x[:1, :1]),
        lambda x: x.fill_(x[1, 0]),
        lambda x: x.copy_(x[1, 0]),
        lambda x: x[:1].expand(2, 2).__setitem__(slice(None), 1.0),
        lambda x: x.view(4).__setitem__(slice(1, None), x.view(4)[:-1]),
    ],
    ids=range(10),
)
def test_assignment_of_what_shares_memory(torch, assign):
    """A value is stretched to the view first; then dense views that overlap in other places are refused."""
    results = []
    for library in (tl, torch):
        x = library.arange(4.0).view(2, 2)
        try:
            assign(x)
            results.append(x.tolist())
        except RuntimeError as error:
            results.append(str(error)[:70])
    assert results[0] == results[1]
