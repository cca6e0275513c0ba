"""What one row of the table of scalar functions says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

# What type a formula's result has, as seen from the promoted type of its operands.
SAME = "same"  # the promoted type itself
WHOLE = "whole"  # that type, except that bool becomes int64
FLOAT = "float"  # that type if it is floating, else the default dtype: 1 / 2 is 0.5
TRUTH = "truth"  # bool

# Which promoted types a formula makes sense for.
ANY = "any"
NUMERIC = "numeric"  # all but bool
FLOATING = "floating"  # floating-point types
INTEGERS = "integers"  # bool and the integer types
COUNTING = "counting"  # the integer types without bool

# Which operands may be Python numbers, by position.
BOTH = (0, 1)
SECOND = (1,)

# How the gradient of an operand follows from the gradient of the result: a formula, whose parameters are
# named ``grad``, after the row's own operands and parameters, or ``result``; or the name of a row and the
# names of its operands, as in ``("mul", "grad", "y")``; or one of the three below; None for an operand that
# cannot have a gradient, as a mask cannot.
Gradient = Callable | tuple[str, ...] | None
GRAD = ("grad",)  # the gradient of the result itself
ZERO = ("zero",)  # zeros: the function is flat, as rounding is
UNKNOWN = ("unknown",)  # PyTorch records the operation, and the backward pass refuses to go through it


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """One row of the table.

    A row names operands and parameters. The operands decide the result's dtype together. Parameters come
    last, are Python numbers, and are converted to the type that the operands promote to.

    Attributes:
        name: PyTorch's name of the operation.
        formula: a function of `arity` operands and then the parameters; see `tensorlab.scalars`.
        arity: how many operands it takes.
        summary: the first line of its public documentation; that of the formula's docstring if left out.
        example: lines of an interactive session in which ``tl`` is tensorlab; they follow the summary there.
        result: ``SAME``, ``WHOLE``, ``FLOAT`` or ``TRUTH``.
        takes: the promoted types that it makes sense for.
        refuses_bool: where no operand may be bool, PyTorch's sentence about it.
        numbers: the positions of operands that may be Python numbers.
        exact_numbers: a number that comes second, beside a sixteen-bit tensor, is not rounded first.
        parameters: how many parameters follow the operands.
        exact_out: a tensor brought for the result must be of the result's dtype, where no operand but the
            first is a tensor; other rows write into any dtype that is not of a lower kind.
        outside: says of an element that a fast version of the formula does not hold for it. A run of elements
            with such a one among them is computed by the general formula.
        cost: roughly how many additions the formula is worth.
        gradients: how the gradient of each operand is found; empty where the function has none.
        node: what PyTorch calls the node that the operation leaves in the graph, if that is not its name in
            capitals with ``Backward0``.
        number_nodes: what it is called instead where an operand is a number, for each operand; "" where that
            makes no difference.
        variants: the public functions that are made of the row, in words: ``function``, ``method``,
            ``in_place`` for a method such as ``x.exp_()``, and ``in_place_function`` for ``tl.exp_(x)``. None
            where the functions that use the row are written out, or only other operations use it.
        aliases: other names of these; with dots those of another namespace, ``special.expit``.
        namespace: where the function is found, if not in `tensorlab` itself.
        out: the function takes `out`.
    """

    name: str
    formula: Callable
    arity: int
    summary: str = ""
    example: str = ""
    result: str = SAME
    takes: str = ANY
    refuses_bool: str | None = None
    numbers: tuple[int, ...] = ()
    exact_numbers: bool = False
    parameters: int = 0
    exact_out: bool = False
    outside: Callable | None = None
    cost: int = 1
    gradients: tuple[Gradient, ...] = ()
    node: str = ""
    number_nodes: tuple[str, ...] = ()
    variants: str = ""
    aliases: str = ""
    namespace: str = ""
    out: bool = True

    def __post_init__(self) -> None:
        if not self.summary:
            summary, prompt, example = inspect.cleandoc(self.formula.__doc__ or "").partition(">>> ")
            object.__setattr__(self, "summary", " ".join(summary.split()))
            object.__setattr__(self, "example", prompt + example)


Number = TypeVar("Number", bool, int, float)


def number(value: Number) -> Number:
    """A constant inside a formula.

    In a kernel this name is the type that the kernel computes in, so that ``number(1) / x`` stays float32
    where `x` is float32. Called from Python, a number is what it is.
    """
    return value


def choose(condition, yes, no):  # type: ignore[no-untyped-def]  # kernels contain this text
    """``yes if condition else no`` in the formula of a gradient, which is also called with tensors."""
    return yes if condition else no


def zero(grad):  # type: ignore[no-untyped-def]
    """`ZERO` as a formula."""
    return number(0)
