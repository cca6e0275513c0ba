"""Positions against NumPy, and shared cells against a count of all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlab.core import layout
from tensorlab.core.positions import overlaps, unravel

sizes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@given(sizes)
def test_unravel_is_numpys(shape):
    for position in range(layout.numel(shape)):
        index = unravel(position, shape)
        assert index == tuple(map(int, np.unravel_index(position, shape)))
        assert all(type(i) is int for i in index)


@given(sizes)
def test_unravel_names_every_element_once_in_order(shape):
    found = [unravel(position, shape) for position in range(layout.numel(shape))]
    assert found == list(itertools.product(*map(range, shape)))


@pytest.mark.parametrize(("position", "shape"), [(6, (2, 3)), (-1, (2, 3)), (0, (2, 0)), (1, ())])
def test_unravel_refuses_what_is_not_there(position, shape):
    with pytest.raises(IndexError, match=f"position {position} is out of range for shape"):
        unravel(position, shape)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=4))
def test_overlaps_counts_right(dims):
    shape, strides = tuple(size for size, _ in dims), tuple(stride for _, stride in dims)
    cells = [layout.flat_index(index, strides) for index in itertools.product(*map(range, shape))]
    assert overlaps(shape, strides) is (len(set(cells)) < len(cells))


def test_dense_tensors_need_no_counting():
    assert not overlaps((10**6, 10**6), (10**6, 1))
