"""Comparisons, tests of single numbers, and the choice between two of them."""

from __future__ import annotations

import math
from collections.abc import Callable

from tensorlab.scalars.row import FLOATING, TRUTH, ZERO, Scalar, choose, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def eq(x, y):
    """Whether the elements are equal.

    >>> tl.eq(tl.tensor([1, 2]), tl.tensor([1.0, 2.5]))
    tensor([ True, False])
    """
    return x == y


def ne(x, y):
    """Whether the elements differ.

    >>> tl.ne(tl.tensor([1, 2]), 2)
    tensor([ True, False])
    """
    return x != y


def lt(x, y):
    """Whether the elements of `input` are less.

    >>> tl.lt(tl.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """
    return x < y


def le(x, y):
    """Whether the elements of `input` are less or equal.

    >>> tl.le(tl.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """
    return x <= y


def gt(x, y):
    """Whether the elements of `input` are greater.

    >>> tl.gt(tl.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """
    return x > y


def ge(x, y):
    """Whether the elements of `input` are greater or equal.

    >>> tl.ge(tl.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """
    return x >= y


def isnan(x):
    """Whether each element is NaN, not a number.

    >>> tl.isnan(tl.tensor([1.0, float("nan")]))
    tensor([False,  True])
    """
    return x != x


def isinf(x):
    """Whether each element is an infinity, of either sign.

    >>> tl.isinf(tl.tensor([1.0, float("-inf")]))
    tensor([False,  True])
    """
    return x == math.inf or x == -math.inf


def isfinite(x):
    """Whether each element is neither NaN nor an infinity.

    >>> tl.isfinite(tl.tensor([1.0, float("inf")]))
    tensor([ True, False])
    """
    return x == x and x != math.inf and x != -math.inf


def signbit(x):
    """Whether each element is negative; -0.0 counts as negative.

    >>> tl.signbit(tl.tensor([-1.0, -0.0, 0.0]))
    tensor([ True,  True, False])
    """
    return math.copysign(1.0, x) < 0


def signbit_integer(x):
    return x < 0


def signbit_bool(x):
    return False


def isclose(x, y, rtol, atol, equal_nan):
    """Whether the elements differ by at most ``atol + rtol * abs(other)``.

    >>> tl.isclose(tl.tensor([1.0, 1.1]), tl.tensor([1.000001, 1.0]))
    tensor([ True, False])
    """
    distance = abs(x - y)
    near = distance < math.inf and distance <= atol + abs(rtol * y)
    return x == y or near or (equal_nan != 0 and x != x and y != y)


def where(condition, x, y):
    """`input` where the condition is true, `other` elsewhere.

    >>> x = tl.tensor([-1.0, 2.0])
    >>> tl.where(x > 0, x, 0.0)
    tensor([0., 2.])
    """
    return x if condition != 0 else y


def d_where_x(grad, condition):
    return choose(condition != 0, grad, number(0))


def d_where_y(grad, condition):
    return choose(condition != 0, number(0), grad)


def _comparison(name: str, formula: Callable, aliases: str = "") -> Scalar:
    kind = name.capitalize()
    return Scalar(
        name,
        formula,
        2,
        result=TRUTH,
        numbers=(1,),
        gradients=(ZERO, ZERO),  # of the form in place, which writes 1 and 0 into floats
        node=f"{kind}Backward1",
        number_nodes=("", f"{kind}Backward0"),
        variants="function method in_place",
        aliases=aliases,
    )


ROWS = (
    _comparison("eq", eq),
    _comparison("ne", ne, aliases="not_equal"),
    _comparison("lt", lt, aliases="less"),
    _comparison("le", le, aliases="less_equal"),
    _comparison("gt", gt, aliases="greater"),
    _comparison("ge", ge, aliases="greater_equal"),
    Scalar("isnan", isnan, 1, result=TRUTH, variants="function method", out=False),
    Scalar("isinf", isinf, 1, result=TRUTH, variants="function method", out=False),
    Scalar("isfinite", isfinite, 1, result=TRUTH, variants="function method", out=False),
    Scalar("signbit", signbit, 1, result=TRUTH, exact_out=True, variants="function method"),
    Scalar("isclose", isclose, 2, result=TRUTH, takes=FLOATING, parameters=3),
    Scalar("where", where, 3, numbers=(1, 2), gradients=(None, d_where_x, d_where_y)),
)
