"""Pointwise functions: one scalar function for every element, operands broadcast against each other.

They are made of the rows of the table in `tensorlab.scalars` that say so (`Scalar.variants`), and have the
rows' names: ``pointwise.exp``, and ``pointwise.exp_`` for the form in place. Functions that take more than a
row's operands are written out in `tensorlab.ops.arithmetic`, `tensorlab.ops.where` and
`tensorlab.ops.activations`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlab.ops.rows import function_of, in_place, public_functions
from tensorlab.registry import op
from tensorlab.scalars import TABLE

if TYPE_CHECKING:
    from tensorlab.stubs.pointwise import *  # noqa: F403

# Of two operands and nothing else: what the operators call. `tensorlab.ops.arithmetic` has the public
# functions of these names, with `alpha` and `rounding_mode`.
add, add_ = function_of("add"), in_place("add")
sub, sub_ = function_of("sub"), in_place("sub")
div, div_ = function_of("div"), in_place("div")

# Another name for `abs`, which PyTorch has in place as a method alone.
absolute = op("function method", names="unifies")(function_of("abs", "absolute"))
absolute_ = op("method")(in_place("abs", "absolute"))

for _row in TABLE.values():
    globals().update(public_functions(_row))
