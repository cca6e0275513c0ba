"""View operations and basic indexing: the same elements, PyTorch's strides, and no copy."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl


def agree(ours: tl.Tensor, theirs) -> None:
    """Values, shape, strides and offset, as PyTorch has them."""
    assert ours.tolist() == theirs.tolist()
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.stride() == theirs.stride()
    assert ours.storage_offset() == theirs.storage_offset()


def test_permute_by_every_permutation(torch):
    x, y = tl.arange(24).view(2, 3, 4), torch.arange(24).view(2, 3, 4)
    for order in itertools.permutations(range(3)):
        agree(x.permute(order), y.permute(order))
        agree(x.permute(*order), y.permute(*order))
        assert x.permute(order).untyped_storage() is x.untyped_storage()
    agree(x.permute(-1, 0, 1), y.permute(-1, 0, 1))


def test_permute_refuses():
    x = tl.zeros(2, 3)
    with pytest.raises(RuntimeError, match="must name each of the 2 dimensions once"):
        x.permute(0, 0)
    with pytest.raises(RuntimeError, match="must name each of the 2 dimensions once"):
        x.permute(0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.permute(0, 2)


def test_transpose_and_its_short_forms(torch):
    x, y = tl.arange(24).view(2, 3, 4), torch.arange(24).view(2, 3, 4)
    for first, second in itertools.product(range(-3, 3), repeat=2):
        agree(x.transpose(first, second), y.transpose(first, second))
    agree(x[0].t(), y[0].t())
    agree(x[0].T, y[0].T)
    agree(tl.arange(3).t(), torch.arange(3).t())
    assert x.T.shape == (4, 3, 2)
    assert tl.tensor(1).transpose(0, -1).item() == 1
    with pytest.raises(RuntimeError, match=r"t\(\) expects a tensor with <= 2 dimensions, but self is 3D"):
        x.t()
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.transpose(0, 3)


def test_view_of_every_shape_of_twelve(torch):
    for layout_of in (
        lambda t: t.view(3, 4),
        lambda t: t.view(3, 4).t(),
        lambda t: t.view(2, 3, 2).transpose(0, 1),
    ):
        x, y = layout_of(tl.arange(12)), layout_of(torch.arange(12))
        for shape in [(12,), (3, 4), (4, 3), (2, 6), (2, 2, 3), (3, 2, 2), (1, 12, 1), (-1,), (2, -1)]:
            try:
                expected = y.view(shape)
            except RuntimeError:
                with pytest.raises(RuntimeError, match="cannot view"):
                    x.view(shape)
                assert x.reshape(shape).tolist() == y.reshape(shape).tolist()
                assert x.reshape(shape).untyped_storage() is not x.untyped_storage()
            else:
                agree(x.view(shape), expected)
                assert x.reshape(shape).untyped_storage() is x.untyped_storage()


def test_a_view_of_a_tensor_that_is_not_contiguous():
    x = tl.arange(24).view(2, 3, 4).transpose(0, 1)
    assert not x.is_contiguous()
    assert x.view(3, 2, 2, 2).untyped_storage() is x.untyped_storage()


def test_the_refusal_of_view_names_the_border_and_the_price():
    with pytest.raises(RuntimeError) as refused:
        tl.arange(12, dtype=tl.float32).view(4, 3).t().view(12)
    assert str(refused.value) == (
        "cannot view (3, 4) with strides (1, 3) as (12,): dimensions 0 and 1 are not adjacent in memory; "
        "reshape would copy 48 bytes"
    )
    with pytest.raises(RuntimeError, match=r"shape \[5, 3\] is invalid for input of size 12"):
        tl.arange(12).view(5, 3)
    with pytest.raises(TypeError, match=r"must be an integer, got 3\.0"):
        tl.arange(12).view(3.0, 4)


def test_contiguous_and_clone():
    x = tl.arange(6).view(2, 3)
    assert x.contiguous() is x
    dense = x.T.contiguous()
    assert (dense.tolist(), dense.stride()) == ([[0, 3], [1, 4], [2, 5]], (2, 1))
    assert dense.untyped_storage() is not x.untyped_storage()
    assert x.clone().untyped_storage() is not x.untyped_storage()


items = st.one_of(
    st.integers(-4, 3),
    st.builds(slice, *[st.none() | st.integers(-6, 6)] * 2, st.none() | st.integers(1, 3)),
    st.none(),
    st.just(Ellipsis),
)


@settings(max_examples=400)
@given(st.lists(items, max_size=5).filter(lambda drawn: drawn.count(Ellipsis) < 2).map(tuple))
def test_basic_indexing_is_pytorchs(torch, index):
    x, y = tl.arange(60).view(3, 4, 5), torch.arange(60).view(3, 4, 5)
    try:
        expected = y[index]
    except IndexError as error:
        # PyTorch counts the items of the index, ours names the dimension of the tensor
        reason = re.sub(r"dimension (\d) with", "dimension [0-9] with", str(error))
        with pytest.raises(IndexError, match=reason):
            x[index]
    else:
        agree(x[index], expected)
        assert x[index].untyped_storage() is x.untyped_storage()


def test_indices_of_other_kinds_are_refused():
    x = tl.zeros(3, 4)
    for bad in (0.5, {0}, 1j):
        with pytest.raises(IndexError, match="only integers, slices"):
            x[bad]
    with pytest.raises(ValueError, match="step must be greater than zero, got -1"):
        x[::-1]
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 2"):
        x[0, 0, 0]
    for index in [(0, 4), (..., 4), (None, 0, None, 4), (slice(1), 4)]:
        with pytest.raises(IndexError, match="index 4 is out of bounds for dimension 1 with size 4"):
            x[index]
    with pytest.raises(TypeError, match=r"invalid data type 'str': an index is made of integers, .* got 'a'"):
        x["a"]


def test_a_second_ellipsis(torch):
    """It stands for nothing where nothing is left, as in PyTorch; before other indices it is refused."""
    agree(tl.zeros(2, 3)[..., 0, ...], torch.zeros(2, 3)[..., 0, ...])
    with pytest.raises(IndexError, match=r"a second \.\.\. already took"):
        tl.zeros(2, 3, 4)[..., ..., 0]
    with pytest.raises(IndexError, match=r"a second \.\.\. already took"):
        tl.zeros(2, 3, 4)[..., ..., :]


def test_a_tensor_can_be_an_index():
    assert tl.arange(5)[tl.tensor(3)].item() == 3


@settings(max_examples=200)
@given(
    st.lists(items, max_size=4).filter(lambda drawn: drawn.count(Ellipsis) < 2).map(tuple), st.integers(-9, 9)
)
def test_assignment_writes_through_the_view(index, number):
    array = np.arange(60).reshape(3, 4, 5)
    x = tl.tensor(array)
    try:
        array[tuple(i for k, i in enumerate(index) if i is not Ellipsis or Ellipsis not in index[:k])] = (
            number
        )
    except IndexError:
        with pytest.raises(IndexError):
            x[index] = number
    else:
        x[index] = number
        np.testing.assert_array_equal(np.asarray(x), array)


def test_assignment_of_tensors_broadcasts_and_converts():
    x = tl.zeros(2, 3)
    x[:, 1:] = tl.tensor([1, 2])
    x[0] = tl.tensor([[7.0]]).view(1)
    assert x.tolist() == [[7, 7, 7], [0, 1, 2]]
    with pytest.raises(
        RuntimeError, match=r"The expanded size of the tensor \(3\) must match the existing size \(2\)"
    ):
        x[0] = tl.ones(2)
    with pytest.raises(TypeError, match="can't assign a str to a tensor of float32"):
        x[0] = "a"
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.zeros(2, dtype=tl.uint8)[0] = 300


def test_fill_and_copy():
    x = tl.zeros(2, 3, dtype=tl.int16)
    assert x.fill_(4).tolist() == [[4] * 3] * 2
    assert x.copy_(tl.tensor([1.9, 2, 3])).tolist() == [[1, 2, 3]] * 2
    assert x.zero_().tolist() == [[0] * 3] * 2
    assert x.fill_(tl.tensor(5)).tolist() == [[5] * 3] * 2
    with pytest.raises(RuntimeError, match="fill_ only supports a 0-dimensional value tensor"):
        x.fill_(tl.zeros(3))
    with pytest.raises(TypeError, match="value must be a number"):
        x.fill_("a")
