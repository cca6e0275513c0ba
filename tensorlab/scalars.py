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
        summary: the first line of its public documentation.
        example: lines of an interactive session in which ``tl`` is tensorlab; the tests run them.
        result: ``SAME``, ``FLOAT`` or ``TRUTH``.
        helpers: functions that the formula calls.
        cost: roughly how many additions the formula is worth.
        refuses_bool: where the operation makes no sense with a bool operand, PyTorch's sentence about it.
    """

    name: str
    formula: Callable
    arity: int
    summary: str
    example: str = ""
    result: str = SAME
    refuses_bool: str | None = None
    helpers: tuple[Callable, ...] = ()
    cost: int = 1


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
    Scalar("copy", copy, 1, "The elements themselves."),
    Scalar(
        "neg",
        neg,
        1,
        "``-input``, element by element.",
        ">>> tl.neg(tl.tensor([1, -2]))\ntensor([-1,  2])",
        refuses_bool="Negation, the `-` operator, on a bool tensor is not supported. "
        "To invert a mask, compare it: `mask == False`",
    ),
    Scalar(
        "add",
        add,
        2,
        "``input + other``, element by element.",
        ">>> tl.add(tl.tensor([[1.0], [2.0]]), tl.tensor([10.0, 20.0, 30.0]))\n"
        "tensor([[11., 21., 31.],\n        [12., 22., 32.]])",
    ),
    Scalar(
        "sub",
        sub,
        2,
        "``input - other``, element by element.",
        ">>> tl.sub(tl.tensor([5, 7]), 2)\ntensor([3, 5])",
        refuses_bool="Subtraction, the `-` operator, with a bool tensor is not supported. "
        "To find where two masks differ, compare them: `a != b`",
    ),
    Scalar(
        "mul",
        mul,
        2,
        "``input * other``, element by element; not the matrix product.",
        ">>> tl.mul(tl.tensor([1, 2, 3]), tl.tensor([1.5, 0.5, 2.0]))\ntensor([1.5000, 1.0000, 6.0000])",
    ),
    Scalar(
        "div",
        div,
        2,
        "``input / other``, element by element. A division by zero gives an infinity or NaN, and no error.",
        ">>> tl.div(tl.tensor([1, 2]), 4)\ntensor([0.2500, 0.5000])",
        result=FLOAT,
    ),
    Scalar(
        "eq",
        eq,
        2,
        "Whether the elements are equal.",
        ">>> tl.eq(tl.tensor([1, 2]), tl.tensor([1.0, 2.5]))\ntensor([ True, False])",
        result=TRUTH,
    ),
    Scalar("ne", ne, 2, "Whether the elements differ.", result=TRUTH),
    Scalar("lt", lt, 2, "Whether the elements of `input` are less.", result=TRUTH),
    Scalar("le", le, 2, "Whether the elements of `input` are less or equal.", result=TRUTH),
    Scalar("gt", gt, 2, "Whether the elements of `input` are greater.", result=TRUTH),
    Scalar("ge", ge, 2, "Whether the elements of `input` are greater or equal.", result=TRUTH),
)

TABLE = {row.name: row for row in _ROWS}
