"""Reductions against PyTorch and NumPy: values, dtypes, shapes, strides, errors, in every layout."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensorlab as tl
from tests.library.layouts import KINDS, lay_out, random_values

SHAPES = [(3, 4), (2, 3, 5), (1, 5), (5, 1), (0, 3), (3, 0), (7,), (0,), ()]


def twin(torch, x: tl.Tensor):
    """The same storage, shape, stride and offset as a PyTorch tensor."""
    cells = torch.from_numpy(x.storage().untyped().cells(np.dtype(x.dtype.numpy)).copy())
    return cells.as_strided(x.shape, x.stride(), x.storage_offset())


def agree(ours, theirs, rtol: float = 2e-6) -> None:
    """Equal structure, dtypes, shapes, strides; equal values up to a relative `rtol`."""
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            agree(mine, other, rtol)
        return
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.stride() == theirs.stride()
    np.testing.assert_allclose(
        np.array(ours.tolist(), float), np.array(theirs.tolist(), float), rtol=rtol, atol=rtol
    )


def same_call(torch, name: str, x: tl.Tensor, *arguments, rtol: float = 2e-6, **keywords) -> None:
    """One method on a tensor and on its PyTorch twin: the same result, or the same type of error."""
    other = twin(torch, x)
    try:
        expected = getattr(other, name)(*arguments, **keywords)
    except (RuntimeError, IndexError, TypeError) as error:
        kind = RuntimeError if isinstance(error, NotImplementedError) else type(error)
        with pytest.raises(kind):
            getattr(x, name)(*arguments, **keywords)
        return
    agree(getattr(x, name)(*arguments, **keywords), expected, rtol)


MANY = ["sum", "mean", "nansum", "nanmean", "var", "std", "all", "any"]
ONE = ["prod"]


def choices(ndim: int, several: bool) -> list:
    """Every set of dimensions to reduce over, written in one way or another."""
    dims = list(range(ndim)) or [0]
    chosen: list = [None, *dims, -1]
    if several:
        chosen += [subset for r in range(2, ndim + 1) for subset in itertools.combinations(dims, r)]
    return chosen


@pytest.mark.filterwarnings("ignore:(var|std).*degrees of freedom:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", MANY + ONE)
def test_reductions_in_all_layouts(torch, name, shape, kind):
    x = lay_out(random_values(shape, "float32", 5), kind)
    for dim in choices(x.ndim, name in MANY):
        if dim is None:
            same_call(torch, name, x)
            continue
        for keepdim in (False, True):
            same_call(torch, name, x, dim, keepdim=keepdim)
