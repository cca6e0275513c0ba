"""The table of scalar functions: each written once, as a formula of numbers.

Kernels for every device are generated from these formulas: a kernel reads its operands, widens them to one
compute type, applies the formula to each, and stores the result. So a formula may use only what compiles on
every device: arithmetic, comparisons, conditional expressions, `math` and NumPy's functions of one number.

Beside the general formula, which says what the function is, stand fast versions for one compute type or one
category of types, such as ``exp_float32`` (see `tensorlab.scalars.source`). They are written so that a
compiler can turn the loop around them into vector instructions: a polynomial instead of a call, a
conditional expression instead of a branch, and bits read as an integer instead of a table.

To step through a kernel in a debugger, or to test a formula, call it: these are ordinary functions.
"""

from __future__ import annotations

from tensorlab.scalars import (
    activations,
    arithmetic,
    bitwise,
    bounds,
    comparison,
    division,
    error,
    exponential,
    gamma,
    hyperbolic,
    information,
    logarithm,
    logical,
    losses,
    parts,
    pieces,
    rounding,
    special,
    trigonometric,
)
from tensorlab.scalars.row import (
    ANY,
    COUNTING,
    FLOAT,
    FLOATING,
    GRAD,
    INTEGERS,
    NUMERIC,
    SAME,
    TRUTH,
    UNKNOWN,
    WHOLE,
    ZERO,
    Scalar,
    number,
)

__all__ = [
    "ANY",
    "COUNTING",
    "FLOAT",
    "FLOATING",
    "GRAD",
    "INTEGERS",
    "NUMERIC",
    "SAME",
    "TABLE",
    "TRUTH",
    "UNKNOWN",
    "WHOLE",
    "ZERO",
    "Scalar",
    "number",
]

_MODULES = (
    arithmetic,
    division,
    bounds,
    comparison,
    logical,
    bitwise,
    rounding,
    exponential,
    logarithm,
    trigonometric,
    hyperbolic,
    special,
    error,
    gamma,
    information,
    parts,
    activations,
    pieces,
    losses,
)

TABLE: dict[str, Scalar] = {row.name: row for module in _MODULES for row in module.ROWS}
