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

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tensorlab import broadcasting, dtypes, layout, memory_formats, scalars
from tensorlab.backends import Launch, OperandLayout, backend
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.ops import results
from tensorlab.ops.guards import (
    guard_layout,
    guard_memory,
    guard_readonly,
    guard_write,
    same_place,
    share_cells,
)
from tensorlab.ops.operands import (
    Number,
    check_64_bits,
    is_number,
    number_dtype,
    result_type,
    to_round,
    types_of,
    widened,
)
from tensorlab.ops.plans import remember
from tensorlab.ops.resizing import resize_output
from tensorlab.ops.straight import computed_straight
from tensorlab.ops.writing import SMALL, allocate, allocate_strided, as_new, fill, filled, write, write_new
from tensorlab.scalars import Scalar
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor

__all__ = [
    "PARAMETERS",
    "SMALL",
    "Number",
    "Plan",
    "allocate",
    "allocate_strided",
    "as_new",
    "compute",
    "compute_into",
    "fill",
    "filled",
    "guard_readonly",
    "guard_write",
    "is_number",
    "layouts_of",
    "number_dtype",
    "plan_of",
    "planned",
    "result_type",
    "same_place",
    "share_cells",
    "taken",
    "types_of",
    "widened",
    "write",
    "write_new",
]


class Plan(NamedTuple):
    """Everything about an operation that follows from the layouts and dtypes of its operands alone."""

    launch: Launch
    shape: Size
    stride: tuple[int, ...]
    dtype: dtype
    cells: int
    dense: bool

    def run(self, *buffers: object) -> Tensor:
        """Carry the operation out, into memory of its own."""
        launch, shape, stride, element_type, cells, dense = self
        if dense:
            result = results.new_dense(cells, element_type.cell, element_type, shape, stride)
            launch((result._dense, 0), *buffers)
            return result
        memory = np.empty(cells, element_type.cell)
        launch((memory, 0), *buffers)
        return make_tensor(UntypedStorage(memory), element_type, shape, stride, 0)


_plans: dict[tuple, Plan] = {}


def compute(row: Scalar, *operands: Tensor | Number) -> Tensor:
    """One scalar function applied to operands that are broadcast against each other. Nothing is recorded.

    Args:
        row: the scalar function.
        operands: tensors, and numbers (see `result_type` for how they count); then the row's parameters.

    Raises:
        TypeError: an operand is neither a tensor nor, where the row allows it, a number.
        NotImplementedError: the function makes no sense for the dtype that the operands meet in.
        RuntimeError: the shapes do not meet, or the function refuses bools.
    """
    if len(operands) > 2:  # those of one and two have their straight ways in `tensorlab.ops.rows`
        result = computed_straight(row, operands)
        if result is not None:
            return result
    key, buffers = taken(row.name, operands)
    plan = _plans.get(key) or _new_plan(row, key, operands)
    if plan is not None:
        return plan.run(*buffers)
    compute_type, out_type = types_of(row, operands)
    shape, stride = _result_layout(row, operands, compute_type)
    rounded = _rounded(operands, to_round(row, operands, compute_type), compute_type)
    return as_new(compute_into(allocate_strided(shape, stride, out_type), row, *rounded))


def _new_plan(row: Scalar, key: tuple, operands: Sequence[Tensor | Number]) -> Plan | None:
    """The plan of an operation that was not met before; None where an operand is rounded first."""
    compute_type, out_type = types_of(row, operands)
    shape, stride = _result_layout(row, operands, compute_type)
    if to_round(row, operands, compute_type):
        return None
    launch = _prepare(row, compute_type, shape, OperandLayout(out_type, stride), operands)
    return remember(_plans, key, plan_of(launch, shape, stride, out_type))


def planned(row: Scalar, *operands: Tensor) -> tuple[Plan, Callable[..., None] | None] | None:
    """The plan of an operation and its short kernel, if any; None where an operand is rounded first."""
    key, _ = taken(row.name, operands)
    plan = _plans.get(key) or _new_plan(row, key, operands)
    if plan is None:
        return None
    compute_type, _ = types_of(row, operands)
    layouts = layouts_of(plan.shape, operands)
    out = OperandLayout(plan.dtype, plan.stride)
    return plan, backend("cpu").short_kernel(row, widened(compute_type), plan.shape, out, layouts)


# Numbers that PyTorch takes for parameters of a function of the tensors, by their positions. Any other number
# beside a tensor counts as a tensor of no dimensions, which is broadcast.
PARAMETERS = {"clamp": (1, 2), "clamp_min": (1,), "clamp_max": (1,), "pow": (1,), "lerp": (2,)}


def _result_layout(
    row: Scalar, operands: Sequence[Tensor | Number], compute_type: dtype
) -> tuple[Size, tuple[int, ...]]:
    """The shape and the strides of a new tensor for a result, as PyTorch has them."""
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    shape = broadcasting.broadcast_shapes(*(tensor.shape for tensor in tensors))
    first = operands[0]
    if row.name == "logsigmoid" or (row.name == "pow" and not isinstance(first, Tensor)):
        return shape, layout.default_strides(shape)
    if isinstance(first, Tensor) and (
        row.name in ("hardtanh", "nan_to_num")
        or (row.name in ("isfinite", "isinf") and not first._dtype.is_floating_point)
    ):
        return shape, memory_formats.preserved_strides(shape, first.stride())
    strides = [
        broadcasting.broadcast_strides(t.shape, _strides_met(row, t, compute_type), shape) for t in tensors
    ]
    if row.name == "div" and not isinstance(first, Tensor):  # a reciprocal, multiplied
        strides = [memory_formats.elementwise_strides(shape, strides)]
    numbers = [p for p, o in enumerate(operands[: row.arity]) if not isinstance(o, Tensor)]
    beside = bool(shape) and not set(numbers).issubset(PARAMETERS.get(row.name, ()))
    broadcast = beside or any(tensor.shape != shape for tensor in tensors)
    return shape, memory_formats.elementwise_strides(shape, strides, broadcast)


def _strides_met(row: Scalar, operand: Tensor, compute_type: dtype) -> tuple[int, ...]:
    """The strides of an operand when PyTorch looks at them: those of a copy where its dtype is converted."""
    if operand.dtype is compute_type or row.name in ("where", "copy") or row.name.startswith("logical"):
        return operand.stride()
    return memory_formats.preserved_strides(operand.shape, operand.stride())


def _tensors_among(operands: Sequence[Tensor | Number]) -> bool:
    return any(isinstance(operand, Tensor) for operand in operands)


def compute_into(out: Tensor, row: Scalar, *operands: Tensor | Number, resizes: bool = False) -> Tensor:
    """`compute` into a tensor that is there, which may be one of the operands. Nothing is recorded.

    With `resizes` a tensor that is no operand takes the result's shape (see `resize_output`).

    Raises:
        TypeError, NotImplementedError: as `compute`.
        RuntimeError: the result would lose its kind in `out`'s dtype, the shapes do not fit, or the write is
            refused by `guard_write`.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"{row.name}(): argument 'out' must be a Tensor, not {type(out).__name__}")
    guard_memory(out, operands)
    same = [isinstance(operand, Tensor) and same_place(operand, out) for operand in operands]
    key, buffers = taken(row.name, operands)
    key = (*key, out._dtype, out._shape, out._stride, *same)
    plan = _plans.get(key)
    if plan is None:
        guard_layout(out)
        compute_type, out_type = types_of(row, operands)
        positions = to_round(row, operands, compute_type)
        if positions:
            return compute_into(out, row, *_rounded(operands, positions, compute_type), resizes=resizes)
        if not dtypes.can_cast(out_type, out.dtype):
            raise RuntimeError(
                f"result type {out_type.name} can't be cast to the desired output type {out.dtype.name}: "
                f"what is written keeps its dtype; use the form that makes a new tensor, or convert first"
            )
        if resizes and row.exact_out and out_type is not out.dtype and not _tensors_among(operands[1:]):
            raise RuntimeError(
                f"{row.name}(): found dtype {out.dtype.name} but expected {out_type.name}: "
                f"bring an out of dtype {out_type.name}"
            )
        shape, stride = _result_layout(row, operands, compute_type)
        if shape != out.shape:
            if resizes and not any(operand is out for operand in operands):
                resize_output(out, shape, stride)
                return compute_into(out, row, *operands)
            raise RuntimeError(
                f"output with shape {list(out.shape)} doesn't match the broadcast shape {list(shape)}: "
                f"a tensor that is written keeps its shape"
            )
        if (
            out_type is not out.dtype
            and row.result != scalars.TRUTH
            and out_type.itemsize <= out.dtype.itemsize
        ):
            # A narrow result is wrapped or rounded in its own dtype, and then converted to a wider one.
            result = compute(row, *operands)
            write(out, result)
            return out
        launch = _prepare(row, compute_type, shape, OperandLayout(out.dtype, out.stride()), operands, same)
        plan = remember(_plans, key, plan_of(launch, shape, out.stride(), out.dtype))
    out._storage._version += 1
    plan.launch(out._buffer(), *buffers)
    return out


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


def taken(name: str, operands: Sequence[Tensor | Number]) -> tuple[tuple, list]:
    """What a plan depends on (the function, the default dtype, dtypes, shapes and strides), and the buffers.

    Raises:
        CarriesNames: an operand has names.
    """
    key: list[object] = [name, dtypes.get_default_dtype()]
    buffers: list[object] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            key += operand._dtype, operand._shape, operand._stride
            buffers.append(operand._buffer())
        else:
            key.append(type(operand))
            if type(operand) is int and not -(2**63) <= operand < 2**63:
                buffers.append(_wide(operand))
            else:
                buffers.append(operand)
    return tuple(key), buffers


def _wide(number: int) -> Number:
    """An int that needs a 64th bit: integer tensors wrap it, and floating tensors round it."""
    check_64_bits(number)
    return np.uint64(number)  # type: ignore[return-value]  # NumPy's number stands for Python's


def plan_of(launch: Launch, shape: Size, stride: tuple[int, ...], out_type: dtype) -> Plan:
    """The plan of an operation whose launch is prepared."""
    dense = stride == layout.default_strides(shape)
    return Plan(launch, shape, stride, out_type, layout.numel(shape), dense)


def _prepare(
    row: Scalar,
    compute: dtype,
    shape: Size,
    out: OperandLayout,
    operands: Sequence[Tensor | Number],
    same: Sequence[bool] | None = None,
) -> Launch:
    return backend("cpu").pointwise(row, widened(compute), shape, out, layouts_of(shape, operands, same))


def layouts_of(
    shape: Size, operands: Sequence[Tensor | Number], same: Sequence[bool] | None = None
) -> list[OperandLayout]:
    """What the backend must know of each operand, which is broadcast to `shape`."""
    found = []
    for position, operand in enumerate(operands):
        if isinstance(operand, Tensor):
            strides = broadcasting.broadcast_strides(operand.shape, operand.stride(), shape)
            found.append(OperandLayout(operand.dtype, strides, is_out=bool(same and same[position])))
        else:
            number_type = number_dtype(operand)
            number_type = dtypes.float64 if number_type.is_floating_point else number_type
            found.append(OperandLayout(number_type, (0,) * len(shape), is_number=True))
    return found
