"""Pointwise functions: one scalar function for every element, operands broadcast against each other.

Each name here is a row of the table in `tensorlab.scalars`, turned into a function of tensors.
"""

from __future__ import annotations

from tensorlab.ops.rows import function_of, in_place

__all__ = ["add", "div", "eq", "ge", "gt", "le", "lt", "mul", "ne", "neg", "sub"]

neg, neg_ = function_of("neg"), in_place("neg")

add, add_ = function_of("add"), in_place("add")
sub, sub_ = function_of("sub"), in_place("sub")
mul, mul_ = function_of("mul"), in_place("mul")
div, div_ = function_of("div"), in_place("div")

eq = function_of("eq")
ne = function_of("ne")
lt = function_of("lt")
le = function_of("le")
gt = function_of("gt")
ge = function_of("ge")

METHODS = (add, add_, div, div_, eq, ge, gt, le, lt, mul, mul_, ne, neg, neg_, sub, sub_)
