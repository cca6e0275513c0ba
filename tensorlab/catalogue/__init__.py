"""Every operation as a call that can be made: what `tensorlab warm` compiles and `tensorlab bench` measures.

A call is an expression of a few operands. What the table of scalar functions has is called from the table, so
that a new row needs no line here; other operations are listed in `tensorlab.catalogue.expressions`.

Example:
    >>> from tensorlab import dtypes
    >>> operands = Operands(dtypes.float32, 4)
    >>> call = next(call for call in calls() if call.text == "x.sum(0)")
    >>> call.kind, call.fits(dtypes.int64), call.run(operands).shape
    ('reductions', True, tensorlab.Size([4]))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tensorlab as tl
from tensorlab.catalogue.expressions import EXPRESSIONS
from tensorlab.catalogue.matrix_expressions import MATRIX_EXPRESSIONS, PRECISE
from tensorlab.catalogue.operands import Operands
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.scalars import COUNTING, FLOAT, FLOATING, INTEGERS, TABLE, Scalar

__all__ = ["KINDS", "Call", "Operands", "calls"]

POINTWISE = "pointwise"

#: The kinds of operations, in the order in which they are gone through.
KINDS = (
    "arithmetic", POINTWISE, "creation", "copies", "views", "reductions", "order", "indexing", "products",
    "layers", "linear algebra", "random", "names",
)  # fmt: skip


@dataclass(frozen=True)
class Call:
    """One call of one operation.

    Attributes:
        kind: what kind of operation it is, one of `KINDS`.
        text: the expression.
        takes: which dtypes it takes, in the words of `tensorlab.scalars`, or ``"precise"``.
    """

    kind: str
    text: str
    takes: str

    def fits(self, element_type: dtype) -> bool:
        """Whether operands of a dtype are taken."""
        if self.takes == FLOATING:
            return element_type.is_floating_point
        if self.takes == PRECISE:
            return element_type in (dtypes.float32, dtypes.float64)
        if self.takes in (INTEGERS, COUNTING):
            return element_type.category == dtypes.INTEGER
        return True

    def run(self, operands: Operands) -> object:
        """Make the call, and return what it returns."""
        return eval(self.text, {}, operands)

    @property
    def is_differentiable(self) -> bool:
        """Whether it may be made with operands that require gradients, and has gradients."""
        return not any(word in self.text for word in _NOT_DIFFERENTIABLE)

    def differentiate(self, operands: Operands) -> None:
        """Make the call with operands that require gradients, and go back to them."""
        found = self.run(operands.tracked())
        results = [found] if isinstance(found, tl.Tensor) else found
        if isinstance(results, (tuple, list)):
            ends = [end for end in results if isinstance(end, tl.Tensor) and end.requires_grad]
            tl.autograd.backward(ends, [tl.ones_like(end) for end in ends])


def calls() -> Iterator[Call]:
    """All calls, those that most programs make first."""
    for kind in KINDS:
        if kind == POINTWISE:
            for row in TABLE.values():
                yield from _pointwise(row)
        for (listed, takes), text in (EXPRESSIONS | MATRIX_EXPRESSIONS).items():
            if listed == kind:
                for line in text.strip().splitlines():
                    yield Call(kind, line.strip(), takes)


def _pointwise(row: Scalar) -> Iterator[Call]:
    """The calls of one row: the function of tensors, with a number if it takes one, and in place."""
    owner = next((name for name, module in _OWNERS.items() if hasattr(module, row.name)), None)
    if owner is None or row.name in _OTHER_ORDER:
        return  # a row that other functions are made of, or that is listed with its arguments
    operands = ["x", "y", "target"][: row.arity]
    if row.parameters and row.name not in _DEFAULTS:
        operands += ["0.5"] * row.parameters
    yield Call(POINTWISE, f"{owner}.{row.name}({', '.join(_mask_first(row, operands))})", row.takes)
    if row.arity == 2 and 1 in row.numbers:
        yield Call(POINTWISE, f"{owner}.{row.name}({operands[0]}, 2)", row.takes)
    if hasattr(tl.Tensor, f"{row.name}_") and row.arity < 3:
        takes = FLOATING if row.result == FLOAT else row.takes  # an integer has no place for a fraction
        yield Call(POINTWISE, f"target.copy_(x).{row.name}_({', '.join(operands[1:])})", takes)


# What writes into an operand, gives no tensor, or has no gradient in PyTorch either.
_NOT_DIFFERENTIABLE = ("heaviside", "target", "out=", "numpy()", "rename", "unique", "floor_divide", "//")

_OWNERS = {"tl": tl, "F": tl.nn.functional, "tl.special": tl.special}

# Rows whose functions do not take the operand first.
_OTHER_ORDER = {"polygamma"}

# Rows whose parameters have defaults, or are named arguments of the public function.
_DEFAULTS = {"addcmul", "addcdiv", "nan_to_num", "isclose", "leaky_relu", "hardtanh", "elu", "softplus"}


def _mask_first(row: Scalar, operands: list[str]) -> list[str]:
    return ["mask", *operands[:2]] if row.name == "where" else operands
