"""The table of scalar functions: each written once, as a formula of numbers.

Kernels for every device are generated from these formulas: a kernel reads its operands, widens them to one
compute type, applies the formula to each, and stores the result. So a formula may use only what compiles on
every device: arithmetic, comparisons, and `math`.

To step through a kernel in a debugger, or to test a formula, call it: these are ordinary functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["TABLE", "Scalar"]

# What type a formula's result has, as seen from the promoted type of its operands.
SAME = "same"  # the promoted type itself
FLOAT = "float"  # that type if it is floating, else the default dtype: 1 / 2 is 0.5
TRUTH = "truth"  # bool


@dataclass(frozen=True, slots=True)
class Scalar:
    """One row of the table.

    Attributes:
        name: PyTorch's name of the operation.
        formula: a function of `arity` numbers.
        arity: how many operands it takes.
        result: ``SAME``, ``FLOAT`` or ``TRUTH``.
        refuses_bool: where the operation makes no sense with a bool operand, PyTorch's sentence about it.
    """

    name: str
    formula: Callable
    arity: int
    result: str = SAME
    refuses_bool: str | None = None


def copy(x):  # type: ignore[no-untyped-def]
    return x


def neg(x):  # type: ignore[no-untyped-def]
    return -x


def add(x, y):  # type: ignore[no-untyped-def]
    return x + y


def sub(x, y):  # type: ignore[no-untyped-def]
    return x - y


def mul(x, y):  # type: ignore[no-untyped-def]
    return x * y


def div(x, y):  # type: ignore[no-untyped-def]
    return x / y


def eq(x, y):  # type: ignore[no-untyped-def]
    return x == y


def ne(x, y):  # type: ignore[no-untyped-def]
    return x != y


def lt(x, y):  # type: ignore[no-untyped-def]
    return x < y


def le(x, y):  # type: ignore[no-untyped-def]
    return x <= y


def gt(x, y):  # type: ignore[no-untyped-def]
    return x > y


def ge(x, y):  # type: ignore[no-untyped-def]
    return x >= y


_ROWS = (
    Scalar("copy", copy, 1),
    Scalar(
        "neg",
        neg,
        1,
        refuses_bool="Negation, the `-` operator, on a bool tensor is not supported. "
        "To invert a mask, compare it: `mask == False`",
    ),
    Scalar("add", add, 2),
    Scalar(
        "sub",
        sub,
        2,
        refuses_bool="Subtraction, the `-` operator, with a bool tensor is not supported. "
        "To find where two masks differ, compare them: `a != b`",
    ),
    Scalar("mul", mul, 2),
    Scalar("div", div, 2, FLOAT),
    Scalar("eq", eq, 2, TRUTH),
    Scalar("ne", ne, 2, TRUTH),
    Scalar("lt", lt, 2, TRUTH),
    Scalar("le", le, 2, TRUTH),
    Scalar("gt", gt, 2, TRUTH),
    Scalar("ge", ge, 2, TRUTH),
)

TABLE = {row.name: row for row in _ROWS}
