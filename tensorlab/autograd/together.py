"""Nodes whose gradients are computed all at once, by one kernel.

Each operand still has its formula, as in `tensorlab.autograd.formulas`: it says what is kept, and it is what
is recorded when the gradient shall be differentiated. Otherwise one function computes all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, ClassVar

from tensorlab.autograd.formulas import Backward, Formula, formulas
from tensorlab.autograd.node import Gradient, Node

__all__ = ["Together", "formulas_together"]


class Together(Backward):
    """A node whose gradients one function computes.

    Attributes:
        compute: called with the gradient of the result (or the list of them), with whether each operand that
            has an edge gets a gradient, and with what was kept, by its names.
    """

    __slots__ = ()
    flow = None

    compute: ClassVar[Callable[[Any, Sequence[bool], dict[str, Any]], Sequence[Gradient]]]

    def gradients(
        self, gradient: Any, differentiable: bool, asked: Container[Node] | None = None
    ) -> tuple[Gradient, ...]:
        """The gradients of the operands: by their formulas if they shall be differentiated."""
        if differentiable:
            return super().gradients(gradient, True, asked)
        kept = dict(zip(self.plan.names, self.values(), strict=True))
        needed = [step is not None for step in self.steps_to(asked)]
        return tuple(type(self).compute(gradient, needed, kept))


def formulas_together(
    name: str,
    compute: Callable[[Any, Sequence[bool], dict[str, Any]], Sequence[Gradient]],
    /,
    **by_operand: Formula | None,
) -> Any:
    """A kind of node whose gradients are computed together.

    Args:
        name: what it is called.
        compute: see `Together`.
        by_operand: for each operand, in order, its formula, or None.

    Returns:
        the class, for `tensorlab.autograd.recording.record`.
    """
    kind = formulas(name, base=Together, **by_operand)
    kind.compute = staticmethod(compute)
    return kind
