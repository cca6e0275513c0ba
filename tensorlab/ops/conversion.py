"""Copies: to new memory, to another dtype, into an existing tensor; and what can be asked about a dtype."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from tensorlab.autograd.formulas import Backward, formulas
from tensorlab.autograd.recording import in_place, record
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import backend_of
from tensorlab.core import devices, dtypes
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.memory_formats import (
    contiguous_format,
    format_strides,
    is_in_format,
    memory_format,
    preserve_format,
    preserved_strides,
    suggested_format,
)
from tensorlab.core.modes import current
from tensorlab.dispatch.copies import COPY, write, write_new
from tensorlab.dispatch.copies import fill as overwrite
from tensorlab.dispatch.guards import same_place
from tensorlab.dispatch.memory import allocate_strided
from tensorlab.dispatch.operands import Number, check_number, is_number
from tensorlab.dispatch.placement import copied_to, pinned_like
from tensorlab.dispatch.primitive import compute
from tensorlab.names.following import follow
from tensorlab.names.rules import unifies
from tensorlab.names.tensor import NamedTensor
from tensorlab.ops.arguments import as_dtype
from tensorlab.registry import op
from tensorlab.tensor import Tensor

P = ParamSpec("P")


def strides_like(input: Tensor, memory_format: memory_format) -> tuple[int, ...]:
    """The strides of a new tensor of `input`'s shape in a memory format.

    Raises:
        RuntimeError: the format is for another number of dimensions.
    """
    if memory_format is preserve_format:
        return preserved_strides(input._shape, input._stride)
    return format_strides(input._shape, memory_format)


CloneBackward0 = formulas("CloneBackward0", input=lambda grad: grad)
# The engine converts a gradient to the dtype of the operand, and sums it into the operand's shape.
ToCopyBackward0 = formulas("ToCopyBackward0", input=lambda grad: grad)
# What is recorded of a copy to another device.
MoveBackward = formulas("ToCopyBackward0", input=lambda grad, back: moved(grad, back))
CopyBackwards = formulas(
    "CopyBackwards", input=lambda grad: grad.new_zeros(grad.shape), src=lambda grad: grad
)
# PyTorch numbers four: `fill` with a number and with a tensor, and `fill_` with either.
FillBackward0, FillBackward2 = (
    formulas(f"FillBackward{suffix}", input=lambda grad: grad.new_zeros(grad.shape)) for suffix in (0, 2)
)
FillBackward1, FillBackward3 = (
    formulas(
        f"FillBackward{suffix}",
        input=lambda grad: grad.new_zeros(grad.shape),
        value=lambda grad: grad.sum(),
    )
    for suffix in (1, 3)
)
ZeroBackward0 = formulas("ZeroBackward0", input=lambda grad: grad.new_zeros(grad.shape))


@op("function method", names="copies")
def clone(input: Tensor, *, memory_format: memory_format = preserve_format) -> Tensor:
    """The same elements in new, dense memory.

    Args:
        input: any tensor.
        memory_format: the order of the dimensions in memory. ``preserve_format`` keeps the strides if they
            leave no gaps, and else their order.

    Raises:
        RuntimeError: the format is for another number of dimensions.

    Example:
        >>> x = tl.zeros(2, 3).t()
        >>> x.clone().stride(), x.clone(memory_format=tl.contiguous_format).stride()
        ((1, 3), (2, 1))
    """
    return record(CloneBackward0, compute(COPY, input, params=(input._dtype, memory_format)), input)


@op("function method", names="copies")
def contiguous(input: Tensor, memory_format: memory_format = contiguous_format) -> Tensor:
    """`input` itself if it is dense in the memory format, else a copy that is.

    Raises:
        RuntimeError: the format is for another number of dimensions; or a copy is needed, and
            `preserve_format` does not say in which format.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.contiguous() is x, x.t().contiguous().stride()
        (True, (2, 1))
    """
    wanted = contiguous_format if memory_format is preserve_format else memory_format
    if is_in_format(input._shape, input._stride, wanted):
        return input
    if memory_format is preserve_format:
        raise RuntimeError("contiguous() copies into a certain memory format, and preserve_format names none")
    return clone(input, memory_format=memory_format)


@op("method", names="copies")
def to(
    input: Tensor,
    *target: Tensor | dtype | device | str | bool | None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """The elements in another dtype, on another device, or in another memory format.

    Written ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, ``to(other)`` for the dtype and device of
    another tensor, or with names; `non_blocking` and `copy` may follow without their names. Floats become
    integers by dropping the fraction.

    Args:
        input: any tensor.
        target: a dtype, a device, both, or a tensor.
        dtype, device: the same, by name.
        non_blocking: whether a copy from pinned memory (`pin_memory`) to a GPU may still be under way when
            this returns.
        copy: copy even when nothing changes.
        memory_format: the layout of the result. A tensor that is in this format but for gaps stays as it is.

    Returns:
        `input` itself if nothing changes and `copy` is not asked for; else a copy.

    Raises:
        TypeError: the arguments are none of these forms.
        RuntimeError: no such device, or the format is for another number of dimensions.

    Example:
        >>> tl.tensor([1.9, -1.9]).to(tl.int8)
        tensor([ 1, -1], dtype=tensorlab.int8)
    """
    only = len(target) == 1 and dtype is None and device is None and not copy
    if only and memory_format is preserve_format:
        first = target[0]
        if type(first) is dtypes.dtype:
            return cast(input, first)
        if type(first) is str or type(first) is devices.device:
            return moved(input, first, non_blocking)
    if target:
        dtype, device, flags = _target(target, dtype, device)
        non_blocking = flags[0] if flags else non_blocking
        copy = flags[1] if len(flags) > 1 else copy
    element_type = as_dtype(dtype) or input._dtype
    if device is not None and backend_of(device) is not input._storage.backend:
        return to(moved(input, device, non_blocking), element_type, memory_format=memory_format)
    unmoved = memory_format in (preserve_format, suggested_format(input._shape, input._stride))
    if element_type is input._dtype and unmoved and not copy:
        return input
    if memory_format is preserve_format and not copy:
        return cast(input, element_type)
    return record(ToCopyBackward0, compute(COPY, input, params=(element_type, memory_format)), input)


def moved(input: Tensor, device: device | str | int, non_blocking: bool = False) -> Tensor:
    """The elements on a device: `input` itself if they are there, else a copy, whose gradient comes back.

    Args:
        input: any tensor.
        device: the device.
        non_blocking: see `to`.

    Raises:
        RuntimeError: no such device, or it is not there.
    """
    place = backend_of(device)
    if place is input._storage.backend:
        return input
    return record(MoveBackward, copied_to(place, input, non_blocking), input, back=input.device)


def cast(input: Tensor, dtype: dtype) -> Tensor:
    """The elements in another dtype: `input` itself if it has that dtype already, else a copy.

    Floats become integers by dropping the fraction. The copy keeps the strides if they leave no gaps, and
    else the order of the dimensions in memory.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([[1.5, -1.5], [0.0, 2.0]]).t()
        >>> cast(x, tl.int64), cast(x, tl.int64).stride(), cast(x, tl.float32) is x
        (tensor([[ 1,  0],
                [-1,  2]]), (1, 2), True)
    """
    if input._dtype is dtype:
        return input
    return record(ToCopyBackward0, compute(COPY, input, params=(dtype, preserve_format)), input)


def _target(target: tuple, dtype: dtype | None, device: device | str | None) -> tuple:
    """The dtype, the device and the flags that the positional arguments of `to` mean."""
    first, rest = target[0], target[1:]
    if isinstance(first, Tensor):
        dtype, device = first.dtype, first.device
    elif isinstance(first, (dtypes.dtype, type)):
        dtype = as_dtype(first)
    else:
        device = first
        if rest and not isinstance(rest[0], bool):
            dtype, rest = as_dtype(rest[0]), rest[1:]
    if len(rest) > 2 or not all(isinstance(flag, bool) for flag in rest):
        raise TypeError(
            f"to() received {target}: it takes a dtype, a device and perhaps a dtype, or a tensor, "
            f"and then the flags non_blocking and copy"
        )
    return dtype, device, rest


@op("method", names="unifies")
def copy_(input: Tensor, src: Tensor | Number, non_blocking: bool = False) -> Tensor:
    """Overwrite `input` with `src`, broadcast and converted.

    Args:
        input: the tensor to write into.
        src: a tensor whose shape can be broadcast to `input`'s, of any device, or a number.
        non_blocking: see `to`.

    Raises:
        RuntimeError: `src` cannot be broadcast to `input`'s shape, or the write is refused.
        TypeError: `src` is neither a tensor nor a number.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.copy_(tl.tensor([1, 2, 3]))
        tensor([[1., 2., 3.],
                [1., 2., 3.]])
    """
    if isinstance(src, NamedTensor):
        return follow(unifies, copy_, (input, src), {}, in_place=True)
    if not isinstance(src, Tensor) and not is_number(src):
        raise TypeError(f"copy_(): argument 'src' must be a Tensor or a number, not {type(src).__name__}")
    if isinstance(src, Tensor) and src._storage.backend is not input._storage.backend:
        src = moved(src, input.device, non_blocking)
    with in_place(CopyBackwards, input, src):
        if isinstance(src, Tensor) and same_place(input, src):
            input._storage._version += 1  # the same view of the same cells: nothing to move or to refuse
        else:
            write(input, src)
    return input


@op("function method", names="copies")
def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """Overwrite every element of `input` with one number.

    Raises:
        RuntimeError: `value` has dimensions, or does not fit into the dtype.
        TypeError: `value` is no number.

    Example:
        >>> x = tl.zeros(3)
        >>> x[1:].fill_(7)
        tensor([7., 7.])
        >>> x
        tensor([0., 7., 7.])
    """
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports a 0-dimensional value tensor but got one with {value.ndim} dimensions: "
                f"copy_ broadcasts a tensor"
            )
        if value._storage.backend is not input._storage.backend:
            value = moved(value, input.device)
        # A number that lies in `input` itself is taken out before it is overwritten.
        number = value.detach().clone() if value._storage._memory is input._storage._memory else value
        with in_place(FillBackward3, input, value):
            write(input, number)
    elif is_number(value):
        if input._dtype is dtypes.float16:  # a large int too: an assignment by index makes it infinite
            check_number(value, input._dtype)
        _fill(input, value, FillBackward2)
    else:
        raise TypeError(f"fill_(): value must be a number, got {value!r}")
    return input


@op()
def fill(input: Tensor, value: Tensor | Number) -> Tensor:
    """A new tensor in `input`'s shape, dtype and layout, every element of it one number.

    Raises:
        RuntimeError: `value` has dimensions, or does not fit into the dtype.
        TypeError: `value` is no number.

    Example:
        >>> tl.fill(tl.zeros(2), 7)
        tensor([7., 7.])
    """
    filled = allocate_strided(
        input._shape, strides_like(input, preserve_format), input._dtype, input._storage.backend
    )
    if isinstance(value, Tensor):
        return record(FillBackward1, fill_(filled, value.detach()), input, value)
    return record(FillBackward0, fill_(filled, value), input)


@op("function method", names="copies")
def zero_(input: Tensor) -> Tensor:
    """Overwrite every element of `input` with 0.

    Example:
        >>> x = tl.ones(3)
        >>> x[1:].zero_()
        tensor([0., 0.])
        >>> x
        tensor([1., 0., 0.])
    """
    _fill(input, 0, ZeroBackward0)
    return input


def _fill(input: Tensor, value: Number, kind: type[Backward]) -> None:
    if current.grad and requires_grad(input):
        with in_place(kind, input):
            overwrite(input, value)
    else:
        overwrite(input, value)
        input._storage._writer = kind


@op("method", names="copies")
def cpu(input: Tensor, memory_format: memory_format = preserve_format) -> Tensor:
    """The elements in the computer's own memory: `input` itself if they are there already.

    Example:
        >>> x = tl.ones(3)
        >>> x.cpu() is x
        True
    """
    return to(input, device="cpu", memory_format=memory_format)


@op("method", names="copies")
def cuda(
    input: Tensor,
    device: device | str | int | None = None,
    non_blocking: bool = False,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """The elements on a GPU: `input` itself if they are there already, else a copy.

    Args:
        input: any tensor.
        device: which GPU, if there are several.
        non_blocking: see `to`.
        memory_format: the layout of the result.

    Raises:
        RuntimeError: there is no GPU, or `device` is the CPU.

    Example:
        >>> device = "cuda" if tl.cuda.is_available() else "cpu"
        >>> tl.ones(3).to(device).device
        device(type='cpu')
    """
    place = "cuda" if device is None else device
    if devices.device(place).type == "cpu":
        raise RuntimeError(f"Invalid device, must be cuda device: got {str(place)!r}; x.cpu() copies to it")
    return to(moved(input, place, non_blocking), memory_format=memory_format)


@op("method")
def pin_memory(input: Tensor, device: device | str | None = None) -> Tensor:
    """The elements in memory that the system does not move, from which a GPU copies by itself.

    ``x.pin_memory().to("cuda", non_blocking=True)`` returns while the elements are being copied. What was
    pinned may be let go at once: the memory serves again only when it has been read. Before it is rewritten,
    wait for the GPU, as by `tensorlab.cuda.synchronize`. NumPy's arrays over it are pinned as well.

    Args:
        input: a tensor on the CPU.
        device: the device that will copy: a GPU.

    Returns:
        `input` itself if its memory is pinned, else a copy.

    Raises:
        RuntimeError: there is no GPU, or the tensor lies on one.

    Example:
        >>> x = tl.ones(3)
        >>> x.pin_memory().is_pinned() if tl.cuda.is_available() else True
        True
    """
    if is_pinned(input):
        return input
    if input.device.type != "cpu":
        raise RuntimeError(
            f"cannot pin a tensor on {str(input.device)!r}: only memory of the CPU can be pinned"
        )
    pinned = pinned_like(input)
    write_new(pinned, input)
    return pinned


@op("method")
def is_pinned(input: Tensor, device: device | str | None = None) -> bool:
    """Whether the memory is pinned: see `pin_memory`.

    Example:
        >>> tl.ones(2).is_pinned()
        False
    """
    return input._storage.is_pinned()


@op("method")
def record_stream(input: Tensor, stream: Any) -> None:
    """Say that a stream works on a tensor too. All work is one line here, so its memory is safe anyway.

    Args:
        input: a tensor on a GPU.
        stream: what `tensorlab.cuda.Stream` makes.

    Raises:
        RuntimeError: the tensor lies on the CPU.

    Example:
        >>> if tl.cuda.is_available():
        ...     stream = tl.cuda.Stream()
        ...     tl.ones(3, device="cuda").record_stream(stream)
    """
    if input.device.type == "cpu":
        raise RuntimeError("record_stream(): the tensor lies on the CPU, whose work is in no stream")


@op("method")
def is_contiguous(input: Tensor, memory_format: memory_format = contiguous_format) -> bool:
    """True when the elements fill a run of cells in the order of the memory format.

    Row-major order is the default: walking the elements in order walks the storage one cell at a time.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.is_contiguous(), x.t().is_contiguous(), x.is_contiguous(memory_format=tl.channels_last)
        (True, False, False)
    """
    return is_in_format(input._shape, input._stride, memory_format)


def compute_type(element_type: dtype) -> dtype:
    """The type that layers compute a floating dtype in: sixteen bits widen to float32."""
    return dtypes.float64 if element_type is dtypes.float64 else dtypes.float32


def summed_in_float32(
    adjoint: Callable[Concatenate[Tensor, P], Tensor],
) -> Callable[Concatenate[Tensor, P], Tensor]:
    """A function that adds up gradients: those of sixteen bits are added in float32 and rounded once."""

    @functools.wraps(adjoint)
    def call(grad: Tensor, /, *args: P.args, **kwargs: P.kwargs) -> Tensor:
        if grad._dtype.itemsize < 4:
            return to(adjoint(to(grad, dtypes.float32), *args, **kwargs), grad._dtype)
        return adjoint(grad, *args, **kwargs)

    return call


# --- by the names of dtypes ---------------------------------------------------------------------------


def _cast(name: str, element_type: dtype) -> Callable:
    def method(input: Tensor, memory_format: memory_format = preserve_format) -> Tensor:
        if memory_format is preserve_format:
            return cast(input, element_type)
        return to(input, element_type, memory_format=memory_format)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"""The elements as {element_type.name}; `input` itself if it has that dtype already.

    Args:
        input: any tensor.
        memory_format: the layout of the result, as in `to`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([0.0, 1.0]).{name}().dtype
        {element_type}
    """
    return op("method", names="copies")(method)


_CASTS = {
    "bool": dtypes.bool,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "short": dtypes.int16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "float": dtypes.float32,
    "double": dtypes.float64,
}
for _name, _dtype in _CASTS.items():
    _cast(_name, _dtype)


@op("method", names="copies")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The elements in the dtype of another tensor; `input` itself if it has that dtype already.

    Args:
        input: any tensor.
        other: a tensor of the wanted dtype.

    Example:
        >>> tl.tensor([1, 2]).type_as(tl.tensor(0.5))
        tensor([1., 2.])
    """
    return cast(input, other._dtype)


@op()
def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor.

    Example:
        >>> tl.is_tensor(tl.zeros(1)), tl.is_tensor([0.0])
        (True, False)
    """
    return isinstance(obj, Tensor)


@op()
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers.

    Example:
        >>> tl.is_floating_point(tl.zeros(1)), tl.is_floating_point(tl.tensor([1]))
        (True, False)
    """
    return input.dtype.is_floating_point


@op()
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers, which they never are here.

    Example:
        >>> tl.is_complex(tl.ones(2))
        False
    """
    return input.dtype.is_complex


@op()
def numel(input: Tensor) -> int:
    """The number of elements.

    Example:
        >>> tl.numel(tl.zeros(2, 3))
        6
    """
    return input.numel()
