"""Where a reduction puts each element: against a sum over all elements, one by one, and the library's own."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.core.fold_rules import fold_layout


@st.composite
def folds(draw):
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    dims = [dim for dim in range(len(shape)) if draw(st.booleans())]
    named = draw(st.permutations([dim - draw(st.sampled_from((0, len(shape)))) for dim in dims]))
    return shape, tuple(named), draw(st.booleans())


@given(folds())
def test_adding_through_the_strides_is_the_sum(asked):
    shape, dims, keepdim = asked
    x = tl.arange(layout.numel(shape)).view(shape)
    left, strides = fold_layout(shape, dims, keepdim)
    cells = [0] * layout.numel(left)
    for index in itertools.product(*map(range, shape)):
        cells[layout.flat_index(index, strides)] += x[index].item()
    want = x.sum(dims, keepdim=keepdim) if dims else x
    assert left == want.shape
    assert tl.tensor(cells, dtype=tl.int64).view(left).tolist() == want.tolist()


@given(folds())
def test_keepdim_moves_no_element(asked):
    shape, dims, _ = asked
    assert fold_layout(shape, dims, True)[1] == fold_layout(shape, dims, False)[1]


def test_what_is_refused():
    with pytest.raises(RuntimeError, match="dim 1 appears multiple times"):
        fold_layout((2, 3), (1, -1))
    with pytest.raises(IndexError, match="Dimension out of range"):
        fold_layout((2, 3), (2,))
