"""From tensors to a backend: common type, common shape, the output, the guards around a write.

An operation may be interrupted anywhere, by Ctrl-C or by an error. What is guaranteed then:

- A new tensor is handed out when all of its elements are there, so nobody holds a part of one.
- A tensor that is written, in place or as ``out``, has its version counted *before* the first cell changes.
  So if the version is what it was, the elements are what they were. If it moved, they may be the old ones,
  the new ones, or, where a write takes several steps, some of each: write them again.

A compiled kernel runs to its end before Python looks for an interruption. Whoever writes cells calls
`guard_write`, counts, and then writes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tensorlab import broadcasting, dtypes, layout, memory_formats, scalars
from tensorlab.backends import Launch, OperandLayout, backend
from tensorlab.cells import encode_one
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.names.following import follow
from tensorlab.names.rules import unifies
from tensorlab.names.tensor import CarriesNames
from tensorlab.scalars import Scalar
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_dense, make_tensor

__all__ = [
    "allocate",
    "allocate_strided",
    "apply",
    "apply_in_place",
    "check_number",
    "fill",
    "guard_readonly",
    "guard_write",
    "is_number",
    "result_type",
    "same_place",
    "share_cells",
    "to_round",
    "types_of",
    "widened",
    "write",
]

Number = bool | int | float


def is_number(value: object) -> bool:
    """True for what may stand beside a tensor in arithmetic: a bool, int or float, Python's or NumPy's."""
    return isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))


def result_type(*operands: Tensor | Number) -> dtype:
    """The dtype that operands meet in.

    Tensors of at least one dimension, 0-dimensional tensors, and Python numbers are asked in this order. A
    later group changes the result only when it is of a higher category (bool, integer, floating): adding the
    Python float 0.5 to an int8 tensor makes a float, adding the int 1000 does not make it wider.

    Raises:
        TypeError: there are no operands, or one is neither a tensor nor a number.

    Example:
        >>> import tensorlab as tl
        >>> tl.result_type(tl.zeros(2, dtype=tl.int8), 1000), tl.result_type(tl.zeros(2, dtype=tl.int8), 0.5)
        (tensorlab.int8, tensorlab.float32)
    """
    groups: list[dtype | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, Tensor):
            group, element_type = (0 if operand.ndim else 1), operand.dtype
        else:
            group, element_type = 2, number_dtype(operand)
        known = groups[group]
        groups[group] = element_type if known is None else dtypes.promote_types(known, element_type)
    result: dtype | None = None
    for candidate in groups:
        if candidate is not None and (result is None or candidate.category > result.category):
            # A dimensionless operand raises the category; which type of that category is its own affair,
            # except that a tensor's dtype and a higher category still meet in the lattice.
            result = candidate if result is None else dtypes.promote_types(result, candidate)
    if result is None:
        raise TypeError("result_type() takes the tensors and numbers that shall meet, and got none")
    return result


def number_dtype(number: Number) -> dtype:
    """The dtype that a number brings to `result_type`. NumPy's numbers count as Python's."""
    if isinstance(number, (bool, np.bool_)):
        return dtypes.bool
    if isinstance(number, (int, np.integer)):
        return dtypes.int64
    if isinstance(number, (float, np.floating)):
        return dtypes.get_default_dtype()
    raise TypeError(f"a tensor or a number was expected, got {number!r} of type {type(number).__name__}")


def check_number(number: Number, element_type: dtype) -> None:
    """Refuse a number that a dtype cannot hold, where PyTorch looks.

    Raises:
        OverflowError: it does not fit into 64 bits.
        RuntimeError: it does not fit into `element_type`.
    """
    if isinstance(number, int):
        _check_64_bits(number)
    if not element_type.is_floating_point:
        encode_one(number, element_type)
    elif dtypes.finfo_max(element_type) < abs(number) < math.inf:
        raise RuntimeError(
            f"value cannot be converted to type {element_type.name} without overflow: {number} is beyond "
            f"{dtypes.finfo_max(element_type):g}"
        )


def allocate(shape: Size, element_type: dtype) -> Tensor:
    """A dense row-major tensor with whatever the memory held before."""
    memory = np.empty(layout.numel(shape), element_type.cell)
    return make_dense(memory, element_type, shape, layout.default_strides(shape))


def allocate_strided(shape: Size, stride: tuple[int, ...], element_type: dtype) -> Tensor:
    """A tensor of the given dense strides, over memory of its own that holds whatever it held before."""
    storage = UntypedStorage(np.empty(layout.numel(shape), element_type.cell))
    return make_tensor(storage, element_type, shape, stride, 0)


class Plan(NamedTuple):
    """Everything about an operation that follows from the layouts and dtypes of its operands alone."""

    launch: Launch
    shape: Size
    stride: tuple[int, ...]
    dtype: dtype


_plans: dict[tuple, Plan] = {}
MOST_PLANS = 4096


def apply(row: Scalar, *operands: Tensor | Number, out: Tensor | None = None) -> Tensor:
    """One scalar function applied to operands that are broadcast against each other.

    Args:
        row: the scalar function.
        operands: tensors, and numbers (see `result_type` for how they count); then the row's parameters.
        out: a tensor of the result's shape to write into, instead of a new one.

    Raises:
        TypeError: an operand is neither a tensor nor, where the row allows it, a number.
        NotImplementedError: the function makes no sense for the dtype that the operands meet in.
        RuntimeError: the shapes do not meet, the function refuses bools, or the write into `out` is refused.
    """
    if out is not None:
        try:
            return _apply_to(row, operands, out)
        except CarriesNames:
            return follow(unifies, partial(apply, row), operands, {"out": out})
    key = (row.name, dtypes.get_default_dtype(), *[_signature(operand) for operand in operands])
    plan = _plans.get(key)
    if plan is None:
        compute, out_type = types_of(row, operands)
        positions = to_round(row, operands, compute)
        if positions:
            return apply(row, *_rounded(operands, positions, compute))
        tensors = [operand for operand in operands if isinstance(operand, Tensor)]
        shape = broadcasting.broadcast_shapes(*(tensor.shape for tensor in tensors))
        strides = [broadcasting.broadcast_strides(t.shape, t.stride(), shape) for t in tensors]
        # A number counts as a tensor of no dimensions, which is broadcast.
        broadcast = any(t.shape != shape for t in tensors) or (len(tensors) < len(operands) and bool(shape))
        stride = memory_formats.elementwise_strides(shape, strides, broadcast)
        launch = _prepare(row, compute, shape, OperandLayout(out_type, stride), operands)
        plan = _remember(key, Plan(launch, shape, stride, out_type))
    result = allocate_strided(plan.shape, plan.stride, plan.dtype)
    try:
        plan.launch(result._buffer(), *[_buffer(operand) for operand in operands])
    except CarriesNames:  # nothing was computed: a tensor with names has no buffer of its own
        return follow(unifies, partial(apply, row), operands, {})
    return result


def apply_in_place(row: Scalar, target: Tensor, *others: Tensor | Number) -> Tensor:
    """`target` overwritten with a scalar function of itself and the other operands.

    Raises:
        RuntimeError: the result would lose its kind in `target`'s dtype, the shapes do not fit, or the write
            is refused by `guard_write`.
    """
    try:
        return _apply_to(row, (target, *others), target)
    except CarriesNames:
        return follow(unifies, partial(apply_in_place, row), (target, *others), {}, in_place=True)


def _apply_to(row: Scalar, operands: Sequence[Tensor | Number], out: Tensor) -> Tensor:
    if not isinstance(out, Tensor):
        raise TypeError(f"{row.name}(): argument 'out' must be a Tensor, not {type(out).__name__}")
    guard_write(out, *operands)
    same = [isinstance(operand, Tensor) and same_place(operand, out) for operand in operands]
    layouts = [_signature(operand) for operand in operands]
    key = (row.name, dtypes.get_default_dtype(), *layouts, _signature(out), *same)
    plan = _plans.get(key)
    if plan is None:
        compute, out_type = types_of(row, operands)
        positions = to_round(row, operands, compute)
        if positions:
            return _apply_to(row, _rounded(operands, positions, compute), out)
        if out_type.category > out.dtype.category:
            raise RuntimeError(
                f"result type {out_type.name} can't be cast to the desired output type {out.dtype.name}: "
                f"what is written keeps its dtype; use the form that makes a new tensor, or convert first"
            )
        shape = broadcasting.broadcast_shapes(*(o.shape for o in operands if isinstance(o, Tensor)))
        if shape != out.shape:
            raise RuntimeError(
                f"output with shape {list(out.shape)} doesn't match the broadcast shape {list(shape)}: "
                f"a tensor that is written keeps its shape"
            )
        launch = _prepare(row, compute, shape, OperandLayout(out.dtype, out.stride()), operands, same)
        plan = _remember(key, Plan(launch, shape, out.stride(), out.dtype))
    buffers = out._buffer(), *[_buffer(operand) for operand in operands]
    out._storage._version += 1
    plan.launch(*buffers)
    return out


def to_round(row: Scalar, operands: Sequence[Tensor | Number], compute: dtype) -> list[int]:
    """The positions of operands that are rounded to the sixteen-bit float that all meet in.

    A number or 0-dimensional tensor that comes second takes part in a product or quotient as it is, as in
    PyTorch.
    """
    if not (compute.is_floating_point and compute.itemsize == 2):
        return []
    positions = []
    for position, operand in enumerate(operands[: row.arity]):
        if isinstance(operand, Tensor) and operand.dtype is compute:
            continue
        single = not (isinstance(operand, Tensor) and operand.ndim)
        if not (single and position == 1 and row.exact_numbers):
            positions.append(position)
    return positions


def _rounded(
    operands: Sequence[Tensor | Number], positions: Sequence[int], compute: dtype
) -> list[Tensor | Number]:
    """The operands, those at some positions as tensors of another dtype."""
    result = list(operands)
    for position in positions:
        operand = operands[position]
        rounded = allocate(operand.shape if isinstance(operand, Tensor) else Size(), compute)
        write(rounded, operand)
        result[position] = rounded
    return result


def write(target: Tensor, source: Tensor | Number) -> None:
    """Overwrite every element of `target` with `source`, which is broadcast to it and converted.

    Raises:
        RuntimeError: the shapes do not fit, the number does not fit into the dtype, or the write is refused
            by `guard_write`.
    """
    guard_write(target, source)
    _copy(target, source if isinstance(source, Tensor) else _cell_of(source, target.dtype))


def fill(target: Tensor, value: Number) -> None:
    """Overwrite every element of `target` with one number. Elements may share cells: they all become equal.

    Raises:
        RuntimeError: the number does not fit into the dtype, or the memory is read-only.
    """
    guard_readonly(target)
    _copy(target, _cell_of(value, target.dtype))


def _cell_of(number: Number, element_type: dtype) -> Tensor:
    """One number as a tensor without dimensions."""
    cell = encode_one(number, element_type)
    return make_dense(np.array([cell], element_type.cell), element_type, Size(), ())


def _copy(target: Tensor, source: Tensor) -> None:
    key = ("write", _signature(target), _signature(source))
    plan = _plans.get(key)
    if plan is None:
        strides = broadcasting.expand_strides(source.shape, source.stride(), target.shape)
        if isinstance(strides, layout.Refusal):
            raise RuntimeError(strides.reason)
        written, read = OperandLayout(target.dtype, target.stride()), OperandLayout(source.dtype, strides)
        copy = scalars.TABLE["copy"]
        launch = backend("cpu").pointwise(copy, widened(source.dtype), target.shape, written, [read])
        plan = _remember(key, Plan(launch, target.shape, target.stride(), target.dtype))
    buffers = target._buffer(), source._buffer()
    target._storage._version += 1
    plan.launch(*buffers)


def _signature(operand: Tensor | Number) -> tuple | type:
    """What of an operand a plan depends on."""
    if isinstance(operand, Tensor):
        return operand._dtype, operand._shape, operand._stride
    return type(operand)


def _buffer(operand: Tensor | Number) -> tuple[np.ndarray, int] | Number:
    if isinstance(operand, Tensor):
        return operand._buffer()
    if type(operand) is int and not -(2**63) <= operand < 2**63:
        return _wide(operand)
    return operand


def _wide(number: int) -> Number:
    """An int that needs a 64th bit: integer tensors wrap it, and floating tensors round it."""
    _check_64_bits(number)
    return np.uint64(number)  # type: ignore[return-value]  # NumPy's number stands for Python's


def _check_64_bits(number: int) -> None:
    if not -(2**63) <= number < 2**64:
        raise OverflowError(
            f"int too big to convert: {number} does not fit into 64 bits; beside a tensor write it as a float"
        )


def _remember(key: tuple, plan: Plan) -> Plan:
    if len(_plans) >= MOST_PLANS:
        _plans.clear()
    _plans[key] = plan
    return plan


def _prepare(
    row: Scalar,
    compute: dtype,
    shape: Size,
    out: OperandLayout,
    operands: Sequence[Tensor | Number],
    same: Sequence[bool] | None = None,
) -> Launch:
    inputs = []
    for position, operand in enumerate(operands):
        if isinstance(operand, Tensor):
            strides = broadcasting.broadcast_strides(operand.shape, operand.stride(), shape)
            inputs.append(OperandLayout(operand.dtype, strides, is_out=bool(same and same[position])))
        else:
            number_type = number_dtype(operand)
            number_type = dtypes.float64 if number_type.is_floating_point else number_type
            inputs.append(OperandLayout(number_type, (0,) * len(shape), is_number=True))
    return backend("cpu").pointwise(row, widened(compute), shape, out, inputs)


def guard_write(target: Tensor, *sources: Tensor | Number) -> None:
    """Refuse a write that would not mean what it says.

    Raises:
        RuntimeError: the memory is read-only; elements of `target` share a cell because a stride is 0; or
            `target` and a source, both without gaps, share cells and are not the same view.
    """
    guard_readonly(target)
    for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):
        if stride == 0 and size > 1 and target.numel():
            raise RuntimeError(
                f"unsupported operation: more than one element of the written-to tensor refers to a single "
                f"memory location: dimension {dim} of shape {tuple(target.shape)} has stride 0. "
                f"Please clone() the tensor before performing the operation."
            )
    for source in sources:
        if isinstance(source, Tensor) and _overlaps_partly(target, source):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
                "a single memory location. Please clone() the tensor before performing the operation."
            )


def guard_readonly(target: Tensor) -> None:
    """Refuse to write into memory that its owner has made read-only.

    Raises:
        RuntimeError: it is.
    """
    if target._storage.readonly:
        raise RuntimeError(
            "this tensor looks into read-only memory (from_numpy of a read-only array): write to a clone()"
        )


def same_place(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors are the same view of the same memory."""
    return (
        first._storage is second._storage
        and first._offset == second._offset
        and first._dtype is second._dtype
        and first._shape == second._shape
        and first._stride == second._stride
    )


def _overlaps_partly(target: Tensor, source: Tensor) -> bool:
    """Whether two dense views of one storage share some cells in different places.

    Views with gaps are let through, as in PyTorch: ``x[::2]`` and ``x[1::2]`` interleave without meeting, and
    to find out whether two such views meet can take as long as the write.
    """
    if target._storage is not source._storage or target is source:
        return False
    ranges = []
    for tensor in (target, source):
        if not memory_formats.is_non_overlapping_and_dense(tensor._shape, tensor._stride):
            return False
        first = tensor._offset * tensor._dtype.itemsize
        ranges.append((first, first + tensor.nbytes - 1) if tensor.numel() else None)
    if ranges[0] == ranges[1]:
        return target._stride != source._stride
    return layout.ranges_meet(*ranges)


def share_cells(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors may reach the same memory: the ranges of bytes that they reach meet."""
    return first._storage is second._storage and layout.ranges_meet(_byte_range(first), _byte_range(second))


def _byte_range(tensor: Tensor) -> tuple[int, int] | None:
    reached = layout.address_range(tensor.shape, tensor.stride(), tensor.storage_offset())
    if reached is None:
        return None
    return reached[0] * tensor.element_size(), (reached[1] + 1) * tensor.element_size() - 1


def types_of(row: Scalar, operands: Sequence[Tensor | Number]) -> tuple[dtype, dtype]:
    """The type in which a row computes, and the type of its result.

    Raises:
        TypeError, NotImplementedError, RuntimeError: as `apply` says of the operands.
    """
    for position, operand in enumerate(operands[: row.arity]):
        allowed = isinstance(operand, Tensor) or (position in row.numbers and is_number(operand))
        if not allowed:
            wanted = "a Tensor or a number" if position in row.numbers else "a Tensor"
            raise TypeError(
                f"{row.name}(): argument {position + 1} must be {wanted}, not {type(operand).__name__}"
            )
        if isinstance(operand, int):
            _check_64_bits(operand)
    for parameter in operands[row.arity :]:
        if not is_number(parameter):
            raise TypeError(f"{row.name}(): a parameter must be a number, not {type(parameter).__name__}")
    compute = result_type(*operands[: row.arity])
    if row.refuses_bool and any(result_type(operand) is dtypes.bool for operand in operands[: row.arity]):
        raise RuntimeError(row.refuses_bool)
    accepts, words = _ACCEPTED[row.takes]
    if not accepts(compute):
        raise NotImplementedError(f'"{row.name}" not implemented for {compute.name}: it takes {words}')
    if row.result == scalars.FLOAT and not compute.is_floating_point:
        compute = dtypes.get_default_dtype()
    elif row.result == scalars.WHOLE and compute is dtypes.bool:
        compute = dtypes.int64
    return compute, dtypes.bool if row.result == scalars.TRUTH else compute


# What a row takes: the test of a dtype, and the words for it.
_ACCEPTED: dict[str, tuple[Callable[[dtype], bool], str]] = {
    scalars.ANY: (lambda t: True, "every dtype"),
    scalars.NUMERIC: (lambda t: t is not dtypes.bool, "integers and floats, so convert the mask first"),
    scalars.FLOATING: (lambda t: t.is_floating_point, "floats, so convert first: x.to(tensorlab.float32)"),
    scalars.INTEGERS: (lambda t: not t.is_floating_point, "integers and bools"),
    scalars.COUNTING: (lambda t: t.category == dtypes.INTEGER, "integers"),
}


def widened(compute: dtype) -> dtype:
    """Sixteen-bit floats compute in float32 and round once, at the end."""
    return dtypes.float32 if compute.is_floating_point and compute.itemsize == 2 else compute
