"""One step of an optimizer as a primitive: everything of a parameter is moved in one pass over its memory."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.backends import Backend, Launch
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.primitive import Operand, Primitive, Result, update_in_place
from tensorlab.ops.creation import empty_like
from tensorlab.scalars.updates import Update
from tensorlab.tensor import Tensor

__all__ = ["move"]


class _Step(Primitive):
    """The parameter, its gradient, the optimizer's memories of it, and numbers."""

    def __init__(self, rule: Update) -> None:
        self.rule, self.name = rule, f"{rule.name} step"

    def launch(self, backend: Backend, result: Result, operands: Sequence[Operand], params: tuple) -> Launch:
        """One pass over cells that lie side by side."""
        return backend.update(self.rule, result.dtype, (1, result.shape.numel()))


_steps: dict[Update, _Step] = {}


def move(
    rule: Update, parameter: Tensor, grad: Tensor, memories: Sequence[Tensor], *numbers: float, writer: str
) -> None:
    """Carry out one step of an optimizer, in place of the parameter and of the memories.

    Args:
        rule: the step.
        parameter, grad, memories: of one shape and dtype.
        numbers: what the step's formula takes after them.
        writer: who wrote the parameter, for errors about a backward pass that would have needed it.

    Raises:
        RuntimeError: the shapes or dtypes differ, or the parameter cannot be written.
    """
    if rule not in _steps:
        _steps[rule] = _Step(rule)
    step, floats = _steps[rule], [float(number) for number in numbers]
    if update_in_place(step, (parameter, grad, *memories), floats, writer):
        return
    for other in (grad, *memories):
        if (other.shape, other.dtype) != (parameter.shape, parameter.dtype):
            raise RuntimeError(
                f"{step.name}: the gradient and the optimizer's state must have the parameter's shape and "
                f"dtype, {tuple(parameter.shape)} of {parameter.dtype.name}, and one is {other!r}"
            )
    guard_write(parameter, grad, *memories)
    dense = empty_like(parameter).copy_(parameter.detach())
    laid_out = [empty_like(dense).copy_(other) for other in (grad, *memories)]
    update_in_place(step, (dense, *laid_out), floats, writer)
    for tensor, moved in zip((parameter, *memories), (dense, *laid_out[1:]), strict=True):
        tensor.copy_(moved)
    parameter._storage._writer = writer
