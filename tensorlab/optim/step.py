"""One step of an optimizer as a primitive: everything of a parameter is moved in one pass over its memory."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.backends import Backend, Launch
from tensorlab.core.memory_formats import is_non_overlapping_and_dense
from tensorlab.dispatch.primitive import Operand, Primitive, Result, call_in_place
from tensorlab.ops.creation import empty_like
from tensorlab.scalars.updates import Update
from tensorlab.tensor import Tensor

__all__ = ["move"]


class _Step(Primitive):
    """The parameter, its gradient, the optimizer's memories of it, and numbers."""

    def __init__(self, rule: Update) -> None:
        self.rule, self.name = rule, f"{rule.name} step"

    def result(self, operands: Sequence[Operand], params: tuple) -> Result:
        """The parameter keeps its layout; all else has the same."""
        parameter = operands[0]
        assert isinstance(parameter, Tensor)
        for other in operands[1 : len(operands) - self.rule.numbers]:
            if not isinstance(other, Tensor) or (other.shape, other.dtype) != (
                parameter.shape,
                parameter.dtype,
            ):
                raise RuntimeError(
                    f"{self.name}: the gradient and the optimizer's state must have the parameter's shape "
                    f"and dtype, {tuple(parameter.shape)} of {parameter.dtype.name}, and one is {other!r}"
                )
        return Result(parameter.shape, parameter.stride(), parameter.dtype)

    def launch(
        self,
        backend: Backend,
        result: Result,
        operands: Sequence[Operand],
        params: tuple,
        same: Sequence[bool],
    ) -> Launch:
        """One pass over cells that lie side by side."""
        update = backend.update(self.rule, result.dtype, (1, result.shape.numel()))
        return lambda out, *buffers: update(*buffers)


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
    dense = parameter
    if not is_non_overlapping_and_dense(parameter.shape, parameter.stride()):
        dense = empty_like(parameter).copy_(parameter.detach())
    operands = [_laid_out(tensor, dense) for tensor in (grad, *memories)]
    call_in_place(_steps[rule], dense, *operands, *map(float, numbers), writer=writer)
    for memory, moved in zip(memories, operands[1:], strict=True):
        if moved is not memory:
            memory.copy_(moved)
        else:
            memory._storage._version += 1
    if dense is not parameter:
        parameter.copy_(dense)


def _laid_out(tensor: Tensor, like: Tensor) -> Tensor:
    """The tensor in the layout of another; a copy, if it has a different one."""
    if tensor.stride() == like.stride() or tensor.shape != like.shape:
        return tensor
    return empty_like(like, dtype=tensor.dtype).copy_(tensor)
