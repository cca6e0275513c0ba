"""What all functions that draw random numbers share: arguments, the tensor to fill, the launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import Backward, formulas
from tensorlab.autograd.recording import in_place
from tensorlab.backends import OperandLayout
from tensorlab.core import broadcasting, dtypes, layout
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import as_int
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.memory import allocate, as_new
from tensorlab.dispatch.operands import Number, is_number
from tensorlab.ops.arguments import as_dtype, place_of, sizes_from
from tensorlab.ops.outputs import fitted
from tensorlab.random import Generator, default_generator
from tensorlab.tensor import Tensor

LONGEST, SHORTEST = 2**63 - 1, -(2**63)


def node(name: str, *operands: str) -> type[Backward]:
    """The node of an operation that draws: what was there before, or a parameter, gets zeros as gradient.

    Args:
        name: the node's.
        operands: the names of those that have an edge.
    """
    zeros: dict[str, Any] = dict.fromkeys(operands or ("input",), _zeros)
    return formulas(name, **zeros)


def _zeros(grad: Tensor) -> Tensor:
    return grad.new_zeros(grad._shape)


def fill(
    target: Tensor,
    distribution: str,
    generator: Generator | None,
    *numbers: Number,
    kind: type[Backward] | None = None,
) -> Tensor:
    """Overwrite `target` with draws from one of the backend's distributions, and return it.

    Args:
        target: the tensor to write into.
        distribution: the backend's name of it.
        generator: where the numbers come from; the default generator.
        numbers: the parameters.
        kind: the operation's node, from `node`.
    """
    with in_place(kind, target):
        guard_write(target)
        _fill(target, distribution, generator, *numbers)
    return target


def fill_new(target: Tensor, distribution: str, generator: Generator | None, *numbers: Number) -> Tensor:
    """`fill` for a tensor that nobody else holds yet: there is nothing to record, and no write to count."""
    _fill(target, distribution, generator, *numbers)
    return as_new(target)


def _fill(target: Tensor, distribution: str, generator: Generator | None, *numbers: Number) -> None:
    source = as_generator(generator, target)
    written = OperandLayout(target._dtype, target._stride)
    launch = target._storage.backend.random(distribution, target._shape, written)
    buffer = target._buffer()
    with source._lock:
        target._storage._version += 1
        launch(source._started(), buffer, *numbers)


def fill_each(target: Tensor, distribution: str, generator: Generator | None, parameters: Tensor) -> int:
    """Overwrite `target` with draws whose parameter stands in a tensor that is broadcast to it.

    Returns:
        0; or 1 when a parameter is none, and then nothing was written.

    Raises:
        RuntimeError: the parameters cannot be broadcast to the target, or the write is refused.
    """
    guard_write(target, parameters)
    strides = broadcasting.expand_strides(parameters.shape, parameters.stride(), target.shape)
    if isinstance(strides, layout.Refusal):
        raise RuntimeError(strides.reason)
    source = as_generator(generator, target)
    launch = target._storage.backend.random(
        distribution,
        target._shape,
        OperandLayout(target._dtype, target._stride),
        OperandLayout(parameters._dtype, tuple(strides)),
    )
    buffers = target._buffer(), parameters._buffer()
    with source._lock:
        target._storage._version += 1
        refused = launch(source._started(), *buffers)
    return refused or 0


def as_flag(value: object, function: str, name: str) -> bool:
    """A bool.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, bool):
        return value
    raise TypeError(f"{function}(): argument '{name}' must be bool, not {type(value).__name__}")


def as_long(value: object, function: str, name: str) -> int:
    """An int of 64 bits.

    Raises:
        TypeError: it is no int; bools are none.
        ValueError: it has more than 64 bits.
    """
    if isinstance(value, bool):
        raise TypeError(f"{function}(): argument '{name}' must be int, not bool")
    number = as_int(value, f"{function}(): argument '{name}'")
    if not SHORTEST <= number <= LONGEST:
        raise ValueError(f"Overflow when unpacking long long: {name}={number} does not fit into 64 bits")
    return number


def require_deviation(std: float) -> None:
    """Refuse a standard deviation that is negative or NaN.

    Raises:
        RuntimeError: it is.
    """
    if not std >= 0:
        raise RuntimeError(
            f"normal expects std >= 0.0, but found std {std}: a standard deviation is never negative"
        )


def as_generator(generator: Generator | None, target: Tensor) -> Generator:
    """The generator that an argument means, for numbers in a tensor; None is the default one.

    Raises:
        TypeError: it is no generator.
        RuntimeError: it is one of a GPU, and the tensor lies on the CPU.
    """
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"generator must be a tensorlab.Generator or None, got {generator!r}")
    if generator.device.type == "cuda" and target.device.type == "cpu":
        raise RuntimeError(
            f"Expected a 'cpu' device type for generator but found 'cuda': make the tensor with "
            f"device={str(generator.device)!r}, or bring a tensorlab.Generator()"
        )
    return generator


def new(
    sizes: Sequence,
    size: Sequence[int] | None,
    function: str,
    out: Tensor | None,
    element_type: dtype | None,
    device: device | str | None = None,
) -> Tensor:
    """The tensor to fill: `out` if there is one, else a new one.

    Raises:
        TypeError: there are no sizes, or one is no integer.
        RuntimeError: a size is negative, or `out` has another shape or dtype.
    """
    if not sizes and size is None:
        raise TypeError(f"{function}() takes the sizes of the result, and none were given")
    shape = sizes_from(sizes, function, size)
    element_type = as_dtype(element_type)
    if out is None:
        return allocate(shape, element_type or dtypes.get_default_dtype(), place_of(device))
    if element_type is not None and element_type is not out.dtype:
        raise RuntimeError(
            f"dtype {element_type.name} does not match dtype of out parameter ({out.dtype.name})"
        )
    return fitted(out, shape, out.dtype)


def as_float(value: object, function: str, name: str) -> float:
    """A number, or a tensor without dimensions, as a float.

    Raises:
        TypeError: it is neither.
    """
    if type(value) is float:
        return value
    if isinstance(value, Tensor) and not value.ndim:
        return float(value.item())
    if not is_number(value):
        raise TypeError(f"{function}(): argument '{name}' must be float, not {type(value).__name__}")
    return float(value)
