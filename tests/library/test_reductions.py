"""Reductions against PyTorch and NumPy: values, dtypes, shapes, strides, errors, in every layout."""

from __future__ import annotations

import itertools

import pytest

from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.references import same_call

SHAPES = [(3, 4), (2, 3, 5), (1, 5), (5, 1), (0, 3), (3, 0), (7,), (0,), ()]


MANY = ["sum", "mean", "nansum", "nanmean", "var", "std", "all", "any", "amax", "amin"]
ONE = ["prod", "max", "min", "argmax", "argmin"]


def choices(ndim: int, several: bool) -> list:
    """Every set of dimensions to reduce over, written in one way or another."""
    dims = list(range(ndim)) or [0]
    chosen: list = [None, *dims, -1]
    if several:
        chosen += [subset for r in range(2, ndim + 1) for subset in itertools.combinations(dims, r)]
    return chosen


@pytest.mark.interpreted
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
