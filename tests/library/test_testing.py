"""assert_close: what passes, what does not, and in whose words, beside PyTorch."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tensorlab as tl

# `t` makes a tensor of one of the libraries `m`; `a` is its assert_close.
CALLS = {
    "the same": lambda m, t, a: a(t([1.0, 2.0]), t([1.0, 2.0])),
    "almost the same": lambda m, t, a: a(t([1.0, 2.0]), t([1.0, 2.000001])),
    "one differs": lambda m, t, a: a(t([1.0, 2.0]), t([1.0, 3.0])),
    "integers": lambda m, t, a: a(t([1, 2]), t([1, 3])),
    "bools": lambda m, t, a: a(t([True]), t([False])),
    "bytes": lambda m, t, a: a(t([1]).to(m.uint8), t([2]).to(m.uint8)),
    "halves": lambda m, t, a: a(t([1.0, 2.0]).half(), t([1.0, 2.1]).half()),
    "doubles": lambda m, t, a: a(t([1.0]).double(), t([1.000001]).double()),
    "shapes": lambda m, t, a: a(t([1.0, 2.0]), t([1.0, 2.0, 3.0])),
    "dtypes": lambda m, t, a: a(t([1.0]), t([1])),
    "dtypes unasked": lambda m, t, a: a(t([1.0]), t([2]), check_dtype=False),
    "strides": lambda m, t, a: a(m.zeros(2, 3), m.zeros(3, 2).t(), check_stride=True),
    "strides unasked": lambda m, t, a: a(m.zeros(2, 3), m.zeros(3, 2).t()),
    "of two dimensions": lambda m, t, a: a(m.eye(3), m.ones(3, 3)),
    "no elements": lambda m, t, a: a(t([]), t([])),
    "zero-dimensional": lambda m, t, a: a(t(1.0), t(2.0)),
    "zero-dimensional integers": lambda m, t, a: a(t(2), t(3)),
    "zero expected": lambda m, t, a: a(t([1.0]), t([0.0])),
    "nan": lambda m, t, a: a(t([math.nan]), t([math.nan])),
    "nan like nan": lambda m, t, a: a(t([math.nan, 1]), t([math.nan, 1]), equal_nan=True),
    "infinity": lambda m, t, a: a(t([math.inf]), t([1.0])),
    "infinity like infinity": lambda m, t, a: a(t([math.inf, -math.inf]), t([math.inf, -math.inf])),
    "tolerances": lambda m, t, a: a(t([1.0]), t([1.4]), rtol=0.0, atol=0.5),
    "no tolerance": lambda m, t, a: a(t([1.0]), t([2.0]), rtol=0, atol=0),
    "one tolerance": lambda m, t, a: a(t([1.0]), t([1.0]), rtol=1.0),
    "the other tolerance": lambda m, t, a: a(t([1.0]), t([1.0]), atol=1.0),
    "floats": lambda m, t, a: a(1.0, 2.0),
    "ints": lambda m, t, a: a(2, 0),
    "nan as a number": lambda m, t, a: a(1.0, math.nan),
    "an int and a float": lambda m, t, a: a(1, 1.0),
    "an int and a float unasked": lambda m, t, a: a(1, 1.0, check_dtype=False),
    "truths": lambda m, t, a: a(True, False),
    "None": lambda m, t, a: a(None, None),
    "None and a number": lambda m, t, a: a(None, 1),
    "lists": lambda m, t, a: a([t([1.0]), 2.0], (t([1.0]), 2.0)),
    "the second of a list": lambda m, t, a: a([t([1.0]), t([2.0])], [t([1.0]), t([3.0])]),
    "lengths": lambda m, t, a: a([1.0], [1.0, 2.0]),
    "a mapping": lambda m, t, a: a({"a": [t([1.0])]}, {"a": [t([2.0])]}),
    "keys": lambda m, t, a: a({"a": 1, "c": 1}, {"a": 1, "b": 2}),
    "arrays": lambda m, t, a: a(np.ones(2), np.zeros(2)),
    "that require gradients": lambda m, t, a: a(m.ones(2, requires_grad=True), m.ones(2)),
    "own words": lambda m, t, a: a(t([1.0]), t([2.0]), msg="look at the mask"),
    "words about words": lambda m, t, a: a(t([1.0]), t([2.0]), msg=lambda said: f"epoch 3\n{said}"),
    "a tensor and a number": lambda m, t, a: a(t(1.0), 1.0),
    "a tensor and a list": lambda m, t, a: a(t([1.0]), [1.0]),
    "a tensor and an array": lambda m, t, a: a(t([1.0]), np.ones(1, np.float32)),
    "texts": lambda m, t, a: a("a", "a"),
    "a list and a mapping": lambda m, t, a: a([], {}),
}


def outcome(m, call):
    try:
        call(m, m.tensor, m.testing.assert_close)
    except (AssertionError, TypeError, ValueError) as error:
        return type(error), str(error).replace("torch.", "tensorlab.")
    return None


@pytest.mark.parametrize("name", CALLS)
def test_it_passes_or_says_what_pytorch_says(torch, name):
    theirs, ours = outcome(torch, CALLS[name]), outcome(tl, CALLS[name])
    if theirs is not None and theirs[0] is TypeError:  # the same kind; ours goes on with what would work
        assert ours is not None
        assert ours[0] is TypeError
        assert "compare tensors with tensors" in ours[1]
    else:
        assert ours == theirs


def test_a_subclass_is_refused_where_it_is_not_allowed():
    named = tl.zeros(2, names=("N",))
    with pytest.raises(TypeError, match="No comparison pair"):
        tl.testing.assert_close(named, tl.zeros(2), allow_subclasses=False)


def test_a_kind_without_numbers_is_named_with_its_place():
    with pytest.raises(TypeError, match=r"at item \[1\]\['name'\]"):
        tl.testing.assert_close([1.0, {"name": "x"}], [1.0, {"name": "x"}])
