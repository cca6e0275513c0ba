"""Running sums, products and extremes against PyTorch and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.core import dtypes
from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.references import agree, same_call, twin

NAMES = ["cumsum", "cumprod", "cummax", "cummin"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 5), (1, 5), (5, 1), (0, 3), (7,), ()], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_scans_in_all_layouts(torch, name, shape, kind):
    x = lay_out(random_values(shape, "float32", 5), kind)
    for dim in range(-max(x.ndim, 1), max(x.ndim, 1)):
        same_call(torch, name, x, dim)
    with pytest.raises(IndexError, match="Dimension out of range"):
        getattr(x, name)(max(x.ndim, 1))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("t", ["bool", "uint8", "int8", "int64", "float64", "float16", "bfloat16"])
def test_scans_of_all_dtypes(torch, name, t):
    values = [[1, 0, 3, 2], [5, 1, 1, 0]]
    ours = getattr(tl.tensor(values, dtype=dtypes.by_name(t)), name)(1)
    theirs = getattr(torch.tensor(values, dtype=getattr(torch, t)), name)(1)
    agree(ours, theirs)


def test_wide_tensors_run_side_by_side_as_alone():
    x = tl.tensor(random_values((5, 3000), "float64", 1))
    for name in NAMES:
        rows, columns = getattr(x, name)(0), getattr(x.t().clone().t(), name)(0)
        agree_exactly(rows, columns)


def agree_exactly(ours, theirs) -> None:
    pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
    for one, other in pairs:
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_nan_stays():
    nan = float("nan")
    values, indices = tl.tensor([1.0, 3.0, 3.0, 2.0, nan, 5.0, nan]).cummax(0)
    assert indices.tolist() == [0, 1, 2, 2, 4, 4, 6]
    assert values.tolist()[:4] == [1.0, 3.0, 3.0, 3.0]
    assert np.isnan(values.tolist()[4:]).all()


def test_in_place_and_out(torch):
    x = tl.arange(6).view(2, 3)
    assert x.cumsum_(1) is x
    assert x.tolist() == [[0, 1, 3], [3, 7, 12]]
    out = tl.empty(2, 3, dtype=tl.float32)
    assert tl.cumsum(tl.arange(6).view(2, 3), 0, out=out) is out
    assert out.tolist() == [[0, 1, 2], [3, 5, 7]]
    with pytest.raises(RuntimeError, match="bools cannot hold"):
        tl.zeros(2, dtype=tl.bool).cumsum_(0)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float64, but got float32"):
        tl.cumsum(tl.zeros(3), 0, dtype=tl.float64, out=tl.empty(3))
    values, indices = tl.empty(3), tl.empty(3, dtype=tl.int64)
    tl.cummin(tl.tensor([2.0, 1.0, 3.0]), 0, out=(values, indices))
    assert (values.tolist(), indices.tolist()) == ([2.0, 1.0, 1.0], [0, 1, 1])


numbers = st.lists(st.integers(-1000, 1000), min_size=1, max_size=40)


@given(numbers)
def test_the_last_running_sum_is_the_sum(values):
    x = tl.tensor(values)
    assert x.cumsum(0)[-1].item() == x.sum().item() == sum(values)
    assert x.cummax(0).values[-1].item() == max(values)


@given(numbers, st.data())
def test_a_running_sum_goes_on_where_it_stopped(values, data):
    cut = data.draw(st.integers(0, len(values)))
    x = tl.tensor(values)
    whole, head, tail = x.cumsum(0), x[:cut].cumsum(0), x[cut:].cumsum(0)
    before = head[-1].item() if cut else 0
    assert whole.tolist() == head.tolist() + [before + value for value in tail.tolist()]


def test_twin_shares_the_layout(torch):
    x = tl.arange(12).view(3, 4)[:, 1::2].t()
    other = twin(torch, x)
    assert (tuple(other.shape), other.stride(), other.tolist()) == (tuple(x.shape), x.stride(), x.tolist())
