"""Updates as primitives, such as a step of an optimizer: all that it moves, in one pass over the memory."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tensorlab.backends import HOST, Backend, Launch
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.primitive import Operand, Primitive, Result, update_in_place
from tensorlab.ops.creation import empty_like
from tensorlab.scalars.updates import COUNT, Update
from tensorlab.tensor import Tensor

__all__ = ["counted_up", "move", "numbers_of"]


class _Step(Primitive):
    """The parameter, its gradient, the optimizer's memories of it, and numbers."""

    def __init__(self, rule: Update) -> None:
        self.rule, self.name = rule, rule.name

    def launch(self, backend: Backend, result: Result, operands: Sequence[Operand], params: tuple) -> Launch:
        """One pass over cells that lie side by side."""
        return backend.update(self.rule, result.dtype, (1, result.shape.numel()))


_step_of = functools.cache(_Step)


def _number(value: float | Tensor) -> Any:
    """A number as a GPU takes it: if it lies there, in its cell, where a replay of a graph finds it again."""
    if not isinstance(value, Tensor) or value._storage.backend is HOST:
        return float(value)
    return (value if value._dtype.itemsize >= 4 else value.float())._at


def numbers_of(rule: Update, step: float | Tensor, *given: float | Tensor) -> Sequence[float | Tensor]:
    """The numbers of a step that depend on how many steps there were.

    Args:
        rule: what they are, of the others.
        step: which step it is, from 1: a tensor on a GPU, or a number.
        given: what the rule's formula takes after it: numbers, or tensors where `step` is one.

    Returns:
        the numbers: tensors where `step` is one, computed without waiting for the GPU.

    Example:
        >>> from tensorlab.scalars.updates import ADAMAX_NUMBERS
        >>> numbers_of(ADAMAX_NUMBERS, 1, 0.5, 0.1)  # lr / (1 - beta), where the rest is 1 - beta
        (5.0,)
    """
    if not isinstance(step, Tensor):
        numbers: Sequence[float] = rule.formula(*[0.0] * len(rule.arguments[0]), step, *given)
        return numbers
    made = [empty_like(step) for _ in rule.arguments[0]]
    update_in_place(_step_of(rule), made, [*map(_number, (step, *given))], "")
    return made


def counted_up(step: Tensor) -> Tensor:
    """A count of steps on a GPU, with one more: in one launch with those of other parameters."""
    update_in_place(_step_of(COUNT), [step], [], "")
    return step


def move(
    rule: Update,
    parameter: Tensor,
    grad: Tensor,
    memories: Sequence[Tensor],
    *numbers: float | Tensor,
    writer: str,
) -> None:
    """Carry out an update, such as one step of an optimizer, in place of the parameter and of the memories.

    Args:
        rule: the update.
        parameter, grad, memories: of one shape and dtype; the second is only read, as are memories that the
            rule says are.
        numbers: what the step's formula takes after them, on a GPU also tensors of one element.
        writer: who wrote the parameter, for errors about a backward pass that would have needed it.

    Raises:
        RuntimeError: the shapes or dtypes differ, or the parameter cannot be written.
    """
    step, take = _step_of(rule), float if parameter._storage.backend is HOST else _number
    given = [*map(take, numbers)]
    if update_in_place(step, (parameter, grad, *memories), given, writer):
        return
    for other in (grad, *memories):
        if (other.shape, other.dtype) != (parameter.shape, parameter.dtype):
            raise RuntimeError(
                f"{step.name}: all tensors must have the shape and the dtype of the first one, "
                f"{tuple(parameter.shape)} of {parameter.dtype.name}, and one is {other!r}"
            )
    guard_write(parameter, grad, *memories)
    dense = empty_like(parameter).copy_(parameter.detach())
    laid_out = [empty_like(dense).copy_(other) for other in (grad, *memories)]
    update_in_place(step, (dense, *laid_out), given, writer)
    for tensor, moved in zip((parameter, *memories), (dense, *laid_out[1:]), strict=True):
        tensor.copy_(moved)
    parameter._storage._writer = writer
