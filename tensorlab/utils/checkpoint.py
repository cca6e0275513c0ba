"""Less memory for more computing: what the forward pass kept is thrown away, and computed again when needed.

`checkpoint` runs a function and keeps none of the tensors that its operations would keep for the backward
pass. When the backward pass asks for the first of them, the function is run once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from tensorlab import random
from tensorlab.autograd import saved_tensors
from tensorlab.autograd.saved_tensors import Packed, check_version, noted_version, saved_tensors_hooks
from tensorlab.core.modes import current, enable_grad
from tensorlab.tensor import Tensor

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential"]


class CheckpointError(RuntimeError):
    """The function did something else when it was run again."""


class _Place:
    """What is kept instead of a tensor: which of the tensors, in the order in which they were kept."""

    __slots__ = ("dtype", "number", "shape")

    def __init__(self, number: int, tensor: Tensor) -> None:
        self.number = number
        self.shape = tensor._shape
        self.dtype = tensor._dtype


class _Stop(Exception):
    """All tensors that were asked for are there: the rest need not be computed again."""


class _Manner(NamedTuple):
    """How a function is to be run again.

    Attributes:
        keeps_random: with the same random numbers.
        context: inside of this context.
        compares: compare what it keeps with what it kept the first time.
        stops: only until the last tensor is there that was kept the first time.
    """

    keeps_random: bool
    context: AbstractContextManager
    compares: bool
    stops: bool


class _Frame:
    """One call of `checkpoint`: the function, its arguments, and the tensors once they are computed again.

    The arguments are kept for the backward pass as any operation keeps its operands: hooks around the call
    see them, and a write into one is noticed.
    """

    def __init__(self, function: Callable, arguments: tuple, keywords: dict, manner: _Manner) -> None:
        self._call = function, tuple(map(_kept, arguments)), keywords
        self._manner = manner
        self._random = random.get_rng_state() if manner.keeps_random else None
        self._count = 0
        self._again: dict[int, Tensor] = {}

    @staticmethod
    def name() -> str:
        """How an error calls what kept an argument."""
        return "checkpoint"

    def pack(self, tensor: Tensor) -> _Place:
        """Forget a tensor, and remember its place."""
        place = _Place(self._count, tensor)
        self._count += 1
        return place

    def unpack(self, place: _Place) -> Tensor:
        """The tensor of a place, by running the function again if that has not happened yet."""
        if place.number not in self._again:
            self._run_again()
        found = self._again.pop(place.number, None)
        if found is None:
            raise CheckpointError(
                f"tensorlab.utils.checkpoint: the function kept {self._count} tensors the first time, and "
                f"fewer when it was run again: it has to do the same each time"
            )
        same = found._shape == place.shape and found._dtype is place.dtype
        if self._manner.compares and not same:
            raise CheckpointError(
                f"tensorlab.utils.checkpoint: Recomputed values for the following tensors have different "
                f"metadata than during the forward pass: tensor {place.number} had shape "
                f"{list(place.shape)} and dtype {place.dtype.name}, and now has {list(found._shape)} and "
                f"{found._dtype.name}"
            )
        return found

    def _run_again(self) -> None:
        function, kept, keywords = self._call
        arguments = [self._argument(*pair, position) for position, pair in enumerate(kept)]
        count = 0

        def pack(tensor: Tensor) -> Tensor:
            nonlocal count
            plain: Any = tensor
            self._again[count] = plain.detach()
            count += 1
            if count == self._count and self._manner.stops:
                raise _Stop
            return tensor

        before = random.get_rng_state()
        if self._random is not None:
            random.set_rng_state(self._random)
        try:
            with enable_grad(), self._manner.context, saved_tensors_hooks(pack, lambda tensor: tensor):
                function(*_own(arguments), **keywords)
        except _Stop:
            pass  # raised above, when the last tensor is there
        finally:
            random.set_rng_state(before)

    def _argument(self, value: Any, version: int | None, position: int) -> Any:
        """One of the arguments, as it was kept.

        Raises:
            RuntimeError: it was written since.
        """
        if isinstance(value, Packed):
            return value.unpacked()
        if version is not None:
            node: Any = self
            check_version(node, f"args[{position}]", value, version)
        return value


def _kept(argument: Any) -> tuple[Any, int | None]:
    """An argument as it is kept, and its version."""
    if isinstance(argument, Tensor) and saved_tensors.packing.hooks:
        return Packed(argument), None
    return argument, noted_version(argument)


def _own(arguments: Sequence[Any]) -> tuple:
    """The arguments cut off from their history, so that a second run adds nothing to the first graph."""
    cut: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Tensor):
            plain: Any = argument
            cut.append(plain.detach().requires_grad_(plain.requires_grad))
        else:
            cut.append(argument)
    return tuple(cut)


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = False,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[AbstractContextManager, AbstractContextManager]] | None = None,
    determinism_check: str = "default",
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, computed again in the backward pass instead of kept.

    Inputs without gradient are welcome, and gradients of gradients work as without it.

    Args:
        function: has to do the same each time it is called.
        args, kwargs: its arguments.
        use_reentrant: False. PyTorch has an older way, which needs an input that requires a gradient.
        preserve_rng_state: draw the same random numbers in the second run.
        context_fn: makes two contexts, for the first run and for the second.
        determinism_check: ``"default"`` compares the shapes and dtypes that both runs keep, ``"none"`` does
            not.
        early_stop: end the second run as soon as the tensors are there that the first run kept.

    Raises:
        NotImplementedError: `use_reentrant` is True.
        ValueError: there is no such `determinism_check`.
        RuntimeError: in the backward pass, when an argument was written since the call.
        CheckpointError: in the backward pass, when the function did not do the same again.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> y = tl.utils.checkpoint.checkpoint(lambda x: (x * 2).exp(), x)
        >>> y.sum().backward()
        >>> x.grad
        tensor([14.7781, 14.7781])
    """
    if use_reentrant:
        raise NotImplementedError(
            "checkpoint(): use_reentrant=True is not covered: pass use_reentrant=False, which gives the same "
            "gradients and asks less of the inputs"
        )
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check must be 'default' or 'none', got {determinism_check!r}")
    first, second = context_fn() if context_fn is not None else (nullcontext(), nullcontext())
    if not current.grad:
        with first:
            return function(*args, **kwargs)
    manner = _Manner(preserve_rng_state, second, determinism_check == "default", early_stop)
    frame = _Frame(function, args, kwargs, manner)
    with first, saved_tensors_hooks(frame.pack, frame.unpack):
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Sequence[Callable],
    segments: int,
    input: Any,
    use_reentrant: bool | None = False,
    preserve_rng_state: bool = True,
) -> Any:
    """Functions one after another, in segments that are checkpointed; the last segment is not.

    Args:
        functions: each takes the result of the one before.
        segments: into how many parts to divide them.
        input: what the first function takes.
        use_reentrant, preserve_rng_state: see `checkpoint`.

    Raises:
        ValueError: there are no segments, or more than functions.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> tl.utils.checkpoint.checkpoint_sequential([lambda x: 2 * x, lambda x: x + 1], 2, x)
        tensor([3., 3.], grad_fn=<AddBackward0>)
    """
    steps = list(functions)
    if not 1 <= segments <= max(len(steps), 1):
        raise ValueError(f"checkpoint_sequential(): {segments} segments of {len(steps)} functions")
    size = len(steps) // segments

    def run(first: int, last: int) -> Callable[[Any], Any]:
        def part(value: Any) -> Any:
            for step in steps[first:last]:
                value = step(value)
            return value

        return part

    for segment in range(segments - 1):
        part = run(segment * size, (segment + 1) * size)
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state)
    return run((segments - 1) * size, len(steps))(input)
