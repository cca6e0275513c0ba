"""Which elements are among others: PyTorch's answer for any dtypes and shapes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tensorlab as tl

ELEMENTS = {
    "int64": st.integers(-3, 3),
    "uint8": st.integers(0, 3),
    "float32": st.sampled_from([-1.0, 0.0, -0.0, 1.5, np.nan, np.inf, -np.inf]),
    "float64": st.sampled_from([-1.0, 0.0, 1.5, 2.0, np.nan]),
}
tensors = st.sampled_from(sorted(ELEMENTS)).flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4), elements=ELEMENTS[dtype]
    )
)


@given(tensors, tensors, st.booleans())
def test_the_answer_is_pytorchs(torch, elements, others, invert):
    ours = tl.isin(tl.tensor(elements), tl.tensor(others), invert=invert)
    theirs = torch.isin(torch.tensor(elements), torch.tensor(others), invert=invert)
    assert ours.dtype is tl.bool
    assert (ours.tolist(), tuple(ours.shape)) == (theirs.tolist(), tuple(theirs.shape))


def test_it_needs_a_tensor_and_no_bools():
    with pytest.raises(TypeError, match="got two numbers"):
        tl.isin(1, 1)
    with pytest.raises(TypeError, match="'test_elements'"):
        tl.isin(tl.tensor([1]), [1])
    with pytest.raises(RuntimeError, match="bool"):
        tl.isin(tl.tensor([True]), tl.tensor([1]))
