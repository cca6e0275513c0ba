"""Layout rules against counting: every claim about addresses is checked by enumerating them."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlab.core import broadcasting, layout, memory_formats
from tensorlab.core.layout import Refusal

SMALL_SHAPES = [shape for ndim in range(4) for shape in itertools.product((0, 1, 2, 3), repeat=ndim)]

layouts = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 9)), max_size=4).map(
    lambda pairs: (tuple(size for size, _ in pairs), tuple(stride for _, stride in pairs))
)


def all_indices(shape):
    return list(itertools.product(*(range(size) for size in shape)))


def cells_of(shape, strides, offset=0):
    """The cell of every element, in order, by the definition."""
    return [offset + sum(i * s for i, s in zip(index, strides, strict=True)) for index in all_indices(shape)]


@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=str)
def test_numel_counts_the_indices(shape):
    assert layout.numel(shape) == len(all_indices(shape))


def test_numel_refuses_what_is_no_size():
    with pytest.raises(ValueError, match="negative size -2 in dimension 1"):
        layout.numel((3, -2))
    with pytest.raises(TypeError, match=r"must be an integer, got 2\.0"):
        layout.numel((2.0,))


@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=str)
def test_default_strides_number_the_elements_in_order(shape):
    strides = layout.default_strides(shape)
    assert cells_of(shape, strides) == list(range(math.prod(shape)))
    assert layout.is_contiguous(shape, strides)
    assert all(stride >= 1 for stride in strides)


@given(layouts)
def test_contiguous_means_one_cell_after_another(pair):
    shape, strides = pair
    assert layout.is_contiguous(shape, strides) == (cells_of(shape, strides) == list(range(math.prod(shape))))


def test_an_empty_layout_is_contiguous_whatever_its_strides():
    assert layout.is_contiguous((2, 0, 3), (7, 7, 7))
    assert layout.is_contiguous((0, 2), (1, 5))


@given(layouts, st.integers(0, 5))
def test_address_range_is_the_least_and_the_greatest_cell(pair, offset):
    shape, strides = pair
    cells = cells_of(shape, strides, offset)
    assert layout.address_range(shape, strides, offset) == (min(cells), max(cells))


def test_address_range_with_a_negative_stride():
    assert layout.address_range((3, 2), (-2, 1), 4) == (0, 5)


@given(layouts, st.integers(0, 5), st.integers(0, 40))
def test_check_bounds_refuses_exactly_what_leaves_the_storage(pair, offset, cells):
    shape, strides = pair
    answer = layout.check_bounds(shape, strides, offset, cells)
    assert isinstance(answer, Refusal) == any(cell >= cells for cell in cells_of(shape, strides, offset))


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "reason"),
    [
        ((2,), (1, 1), 0, "1 sizes need 1 strides, got 2"),
        ((2,), (-1,), 1, "stride -1 of dimension 0 is negative"),
        ((2,), (1,), -1, "offset -1 is negative"),
        ((), (), 9, "element () would lie in cell 9, and the storage has cells 0 … 8"),
    ],
)
def test_check_bounds_says_why(shape, strides, offset, reason):
    answer = layout.check_bounds(shape, strides, offset, 9)
    assert isinstance(answer, Refusal)
    assert reason in answer.reason


@pytest.mark.parametrize("shape", SMALL_SHAPES, ids=str)
def test_check_index_counts_negative_indices_from_the_end(shape):
    for index in all_indices(shape):
        from_the_end = tuple(i - size for i, size in zip(index, shape, strict=True))
        assert layout.check_index(index, shape) == index
        assert layout.check_index(from_the_end, shape) == index


def test_check_index_refuses():
    for bad in (3, -4):
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for dimension 1 with size 3"):
            layout.check_index((0, bad), (2, 3))
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 2"):
        layout.check_index((0, 0, 0), (2, 3))
    with pytest.raises(IndexError, match="too few indices for tensor of dimension 2"):
        layout.check_index((0,), (2, 3))
    with pytest.raises(IndexError, match="it has no elements"):
        layout.check_index((0,), (0,))
    with pytest.raises(TypeError, match="index of dimension 0 must be an integer"):
        layout.check_index((0.0,), (2,))


@given(layouts, st.integers(0, 5))
def test_flat_index_is_the_definition(pair, offset):
    shape, strides = pair
    assert [layout.flat_index(i, strides, offset) for i in all_indices(shape)] == cells_of(
        shape, strides, offset
    )


def view_by_brute_force(shape, strides, new_shape):
    """The strides of a view, found by looking at where the elements of each new dimension lie."""
    cells = dict(zip(all_indices(new_shape), cells_of(shape, strides), strict=True))
    first = cells[(0,) * len(new_shape)]
    found = []
    for dim, size in enumerate(new_shape):
        second = tuple(int(other == dim) for other in range(len(new_shape)))
        found.append(cells[second] - first if size > 1 else 0)
    fits = all(first + layout.flat_index(index, found) == cell for index, cell in cells.items())
    return tuple(found) if fits else None


def factorizations(count, length):
    if length == 0:
        return [()] if count == 1 else []
    return [
        (size, *rest)
        for size in range(1, count + 1)
        if count % size == 0
        for rest in factorizations(count // size, length - 1)
    ]


def test_view_strides_against_all_small_layouts():
    """Every layout of up to three dimensions of sizes 1 to 3, every new shape of up to four dimensions."""
    tried = accepted = 0
    for ndim in range(4):
        for shape in itertools.product((1, 2, 3), repeat=ndim):
            for strides in itertools.product((0, 1, 2, 3, 6), repeat=ndim):
                for length in range(4):
                    for new_shape in factorizations(math.prod(shape), length):
                        expected = view_by_brute_force(shape, strides, new_shape)
                        answer = layout.view_strides(shape, strides, new_shape)
                        tried += 1
                        assert isinstance(answer, Refusal) == (expected is None), (shape, strides, new_shape)
                        if expected is not None:
                            accepted += 1
                            used = [i for i, size in enumerate(new_shape) if size > 1]
                            assert [answer[i] for i in used] == [expected[i] for i in used]
    assert tried > 10_000
    assert 0 < accepted < tried


def test_view_strides_are_pytorchs(torch):
    """The strides of size-1 dimensions are never used, and still the same as PyTorch's."""
    for shape, strides in [
        ((2, 3), (3, 1)),
        ((3, 1), (1, 7)),
        ((1, 1), (5, 7)),
        ((2, 1, 3), (3, 9, 1)),
        ((), ()),
    ]:
        reference = torch.empty(50).as_strided(shape, strides)
        for length in range(4):
            for new_shape in factorizations(math.prod(shape), length):
                assert layout.view_strides(shape, strides, new_shape) == reference.view(new_shape).stride()
    for shape in [(2, 0, 3), (0,), (0, 0)]:
        for new_shape in [(0,), (0, 5), (5, 0, 2), shape]:
            expected = torch.empty(shape).view(new_shape).stride()
            assert layout.view_strides(shape, layout.default_strides(shape), new_shape) == expected


@given(layouts)
def test_merged_axes_reach_the_same_cells_with_no_neighbours_left_to_merge(drawn):
    shape, strides = drawn
    sizes, steps = layout.merge_axes(shape, strides)
    assert cells_of(sizes, steps) == cells_of(shape, strides)
    assert 1 not in sizes
    assert all(steps[i] != steps[i + 1] * sizes[i + 1] for i in range(len(sizes) - 1))


def test_view_strides_name_the_border_that_cannot_merge():
    refusal = layout.view_strides((2, 3, 4), (12, 1, 3), (2, 12))
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "dimensions 1 and 2 are not adjacent in memory"


def test_infer_size():
    assert layout.infer_size((2, -1), 6) == (2, 3)
    assert layout.infer_size((-1,), 0) == (0,)
    for sizes, count, text in [
        ((-1, -1), 4, "only one dimension can be inferred"),
        ((4, -1), 6, "is invalid for input of size 6"),
        ((5,), 6, "is invalid for input of size 6"),
        ((0, -1), 0, "can be any value"),
        ((0, -1), 6, "is invalid for input of size 6"),
        ((2, -3), 6, "invalid shape dimension -3"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            layout.infer_size(sizes, count)


def test_broadcast_shapes():
    assert broadcasting.broadcast_shapes((3, 1), (2, 1, 4)) == (2, 3, 4)
    assert broadcasting.broadcast_shapes((0,), (1,)) == (0,)
    assert broadcasting.broadcast_shapes((), ()) == ()
    with pytest.raises(RuntimeError, match=r"size of tensor a \(4\) must match the size of tensor b \(2\)"):
        broadcasting.broadcast_shapes((4,), (2,))


@given(layouts, st.integers(0, 2))
def test_broadcast_strides_read_the_same_cells(pair, extra):
    shape, strides = pair
    new_shape = (2,) * extra + tuple(3 if size == 1 else size for size in shape)
    new_strides = broadcasting.broadcast_strides(shape, strides, new_shape)
    for index in all_indices(new_shape):
        original = [min(i, size - 1) for i, size in zip(index[extra:], shape, strict=True)]
        assert layout.flat_index(index, new_strides) == layout.flat_index(original, strides)


def test_wrap_dim():
    assert [layout.wrap_dim(dim, 3) for dim in (0, 2, -1, -3)] == [0, 2, 2, 0]
    assert layout.wrap_dim(-1, 0) == 0
    for dim, ndim in [(3, 3), (-4, 3), (1, 0)]:
        with pytest.raises(IndexError, match="Dimension out of range"):
            layout.wrap_dim(dim, ndim)


def test_size_is_a_tuple_with_pytorchs_repr():
    shape = layout.Size((2, 3, 4))
    assert shape == (2, 3, 4)
    assert repr(shape[1:]) == "tensorlab.Size([3, 4])"
    assert isinstance(shape[:2] + shape[2:], layout.Size)
    assert shape[-1] == 4


@settings(max_examples=500)
@given(st.data())
def test_elementwise_strides_are_pytorchs(torch, data):
    shape = tuple(data.draw(st.lists(st.integers(0, 3), max_size=4)))
    operands = []
    for _ in range(data.draw(st.integers(1, 2))):
        own = [1 if size != 1 and data.draw(st.integers(0, 3)) == 0 else size for size in shape]
        order = data.draw(st.permutations(range(len(shape))))
        x = torch.zeros([own[dim] for dim in order]).permute([order.index(dim) for dim in range(len(shape))])
        if data.draw(st.booleans()):  # the stride of a dimension of size 1 may be anything
            strides = [7 if size == 1 else stride for size, stride in zip(x.shape, x.stride(), strict=True)]
            x = x.as_strided(x.shape, strides)
        operands.append(x)
    expected = operands[0] + operands[-1] if len(operands) > 1 else -operands[0]
    shape = tuple(expected.shape)
    strides = [broadcasting.broadcast_strides(x.shape, x.stride(), shape) for x in operands]
    broadcast = any(tuple(x.shape) != shape for x in operands)
    assert memory_formats.elementwise_strides(shape, strides, broadcast) == expected.stride()


@pytest.mark.parametrize("shape", [(-1, -2, -1), (-1, -1, -2), (-2, -1, -1), (3, -1, -1, -5)])
def test_of_several_wrong_sizes_the_first_from_the_left_is_reported(torch, shape):
    with pytest.raises(RuntimeError) as theirs:
        torch.zeros(12).view(shape)
    with pytest.raises(RuntimeError) as ours:
        layout.infer_size(shape, 12)
    begin = "only one dimension can be inferred", "invalid shape dimension"
    assert [str(ours.value).startswith(text) for text in begin] == [
        str(theirs.value).startswith(text) for text in begin
    ]
