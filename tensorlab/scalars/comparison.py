"""Comparisons, tests of single numbers, and the choice between two of them."""

from __future__ import annotations

import math
from collections.abc import Callable

from tensorlab.scalars.row import FLOATING, TRUTH, ZERO, Scalar, choose, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def eq(x, y):
    return x == y


def ne(x, y):
    return x != y


def lt(x, y):
    return x < y


def le(x, y):
    return x <= y


def gt(x, y):
    return x > y


def ge(x, y):
    return x >= y


def isnan(x):
    return x != x


def isinf(x):
    return x == math.inf or x == -math.inf


def isfinite(x):
    return x == x and x != math.inf and x != -math.inf


def signbit(x):
    return math.copysign(1.0, x) < 0


def signbit_integer(x):
    return x < 0


def signbit_bool(x):
    return False


def isclose(x, y, rtol, atol, equal_nan):
    distance = abs(x - y)
    near = distance < math.inf and distance <= atol + abs(rtol * y)
    return x == y or near or (equal_nan != 0 and x != x and y != y)


def where(condition, x, y):
    return x if condition != 0 else y


def d_where_x(grad, condition):
    return choose(condition != 0, grad, number(0))


def d_where_y(grad, condition):
    return choose(condition != 0, number(0), grad)


def _comparison(name: str, formula: Callable, summary: str, example: str, aliases: str = "") -> Scalar:
    kind = name.capitalize()
    return Scalar(
        name,
        formula,
        2,
        summary,
        example,
        result=TRUTH,
        numbers=(1,),
        gradients=(ZERO, ZERO),  # of the form in place, which writes 1 and 0 into floats
        node=f"{kind}Backward1",
        number_nodes=("", f"{kind}Backward0"),
        variants="function method in_place",
        aliases=aliases,
    )


ROWS = (
    _comparison(
        "eq",
        eq,
        "Whether the elements are equal.",
        ">>> tl.eq(tl.tensor([1, 2]), tl.tensor([1.0, 2.5]))\ntensor([ True, False])",
    ),
    _comparison(
        "ne",
        ne,
        "Whether the elements differ.",
        ">>> tl.ne(tl.tensor([1, 2]), 2)\ntensor([ True, False])",
        aliases="not_equal",
    ),
    _comparison(
        "lt",
        lt,
        "Whether the elements of `input` are less.",
        ">>> tl.lt(tl.tensor([1, 2, 3]), 2)\ntensor([ True, False, False])",
        aliases="less",
    ),
    _comparison(
        "le",
        le,
        "Whether the elements of `input` are less or equal.",
        ">>> tl.le(tl.tensor([1, 2, 3]), 2)\ntensor([ True,  True, False])",
        aliases="less_equal",
    ),
    _comparison(
        "gt",
        gt,
        "Whether the elements of `input` are greater.",
        ">>> tl.gt(tl.tensor([1, 2, 3]), 2)\ntensor([False, False,  True])",
        aliases="greater",
    ),
    _comparison(
        "ge",
        ge,
        "Whether the elements of `input` are greater or equal.",
        ">>> tl.ge(tl.tensor([1, 2, 3]), 2)\ntensor([False,  True,  True])",
        aliases="greater_equal",
    ),
    Scalar(
        "isnan",
        isnan,
        1,
        "Whether each element is NaN, not a number.",
        '>>> tl.isnan(tl.tensor([1.0, float("nan")]))\ntensor([False,  True])',
        result=TRUTH,
        variants="function method",
        out=False,
    ),
    Scalar(
        "isinf",
        isinf,
        1,
        "Whether each element is an infinity, of either sign.",
        '>>> tl.isinf(tl.tensor([1.0, float("-inf")]))\ntensor([False,  True])',
        result=TRUTH,
        variants="function method",
        out=False,
    ),
    Scalar(
        "isfinite",
        isfinite,
        1,
        "Whether each element is neither NaN nor an infinity.",
        '>>> tl.isfinite(tl.tensor([1.0, float("inf")]))\ntensor([ True, False])',
        result=TRUTH,
        variants="function method",
        out=False,
    ),
    Scalar(
        "signbit",
        signbit,
        1,
        "Whether each element is negative; -0.0 counts as negative.",
        ">>> tl.signbit(tl.tensor([-1.0, -0.0, 0.0]))\ntensor([ True,  True, False])",
        result=TRUTH,
        exact_out=True,
        variants="function method",
    ),
    Scalar(
        "isclose",
        isclose,
        2,
        "Whether the elements differ by at most ``atol + rtol * abs(other)``.",
        ">>> tl.isclose(tl.tensor([1.0, 1.1]), tl.tensor([1.000001, 1.0]))\ntensor([ True, False])",
        result=TRUTH,
        takes=FLOATING,
        parameters=3,
    ),
    Scalar(
        "where",
        where,
        3,
        "`input` where the condition is true, `other` elsewhere.",
        ">>> x = tl.tensor([-1.0, 2.0])\n>>> tl.where(x > 0, x, 0.0)\ntensor([0., 2.])",
        numbers=(1, 2),
        gradients=(None, d_where_x, d_where_y),
    ),
)
