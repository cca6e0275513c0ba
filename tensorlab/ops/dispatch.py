"""From tensors to a backend: common type, common shape, the output, the guards around a write."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab import dtypes, layout, scalars
from tensorlab.backends import Operand, backend
from tensorlab.cells import encode_one, wrap_integer
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.scalars import Scalar
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor

__all__ = ["allocate", "apply", "apply_in_place", "guard_write", "is_number", "result_type", "write"]

Number = bool | int | float


def is_number(value: object) -> bool:
    """True for what may stand beside a tensor in arithmetic: a Python bool, int or float."""
    return isinstance(value, (bool, int, float))


def result_type(*operands: Tensor | Number) -> dtype:
    """The dtype that operands meet in.

    Tensors of at least one dimension, 0-dimensional tensors, and Python numbers are asked in this order. A
    later group changes the result only when it is of a higher category (bool, integer, floating): adding the
    Python float 0.5 to an int8 tensor makes a float, adding the int 1000 does not make it wider.

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
            group, element_type = 2, _number_type(operand)
        known = groups[group]
        groups[group] = element_type if known is None else dtypes.promote_types(known, element_type)
    result: dtype | None = None
    for candidate in groups:
        if candidate is not None and (result is None or candidate.category > result.category):
            # A dimensionless operand raises the category; which type of that category is its own affair,
            # except that a tensor's dtype and a higher category still meet in the lattice.
            result = candidate if result is None else dtypes.promote_types(result, candidate)
    assert result is not None
    return result


def _number_type(number: Number) -> dtype:
    if isinstance(number, bool):
        return dtypes.bool
    return dtypes.int64 if isinstance(number, int) else dtypes.get_default_dtype()


def allocate(shape: Size, element_type: dtype) -> Tensor:
    """A dense row-major tensor with whatever the memory held before."""
    storage = UntypedStorage.allocate(layout.nbytes(shape, element_type))
    return make_tensor(storage, element_type, shape, layout.default_strides(shape), 0)


def apply(name: str, *operands: Tensor | Number) -> Tensor:
    """A new tensor: one scalar function applied to operands that are broadcast against each other.

    Raises:
        RuntimeError: the shapes do not meet, or the function makes no sense for bools.
    """
    row = scalars.TABLE[name]
    compute, out_type = _types(row, operands)
    shape = layout.broadcast_shapes(*(operand.shape for operand in operands if isinstance(operand, Tensor)))
    out = allocate(shape, out_type)
    _run(row, compute, out, operands)
    return out


def apply_in_place(name: str, target: Tensor, *others: Tensor | Number) -> Tensor:
    """`target` overwritten with a scalar function of itself and the other operands.

    Raises:
        RuntimeError: the result would lose its kind in `target`'s dtype, the shapes do not fit, or the write
            is refused by `guard_write`.
    """
    row = scalars.TABLE[name]
    compute, out_type = _types(row, (target, *others))
    if out_type.category > target.dtype.category:
        raise RuntimeError(
            f"result type {out_type.name} can't be cast to the desired output type {target.dtype.name}: "
            f"an in-place operation keeps the dtype of the tensor it writes; "
            f"use the form that makes a new tensor, or convert this one first"
        )
    shapes = [operand.shape for operand in (target, *others) if isinstance(operand, Tensor)]
    shape = layout.broadcast_shapes(*shapes)
    if shape != target.shape:
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}: "
            f"an in-place operation cannot make its tensor larger"
        )
    guard_write(target, *others)
    _run(row, compute, target, (target, *others))
    target.untyped_storage()._version += 1
    return target


def write(target: Tensor, source: Tensor | Number) -> None:
    """Overwrite every element of `target` with `source`, which is broadcast to it and converted.

    Raises:
        RuntimeError: the shapes do not fit, the number does not fit into the dtype, or the write is refused
            by `guard_write`.
    """
    guard_write(target, source)
    row = scalars.TABLE["copy"]
    if isinstance(source, Tensor):
        strides = layout.expand_strides(source.shape, source.stride(), target.shape)
        if isinstance(strides, layout.Refusal):
            raise RuntimeError(strides.reason)
        _run(row, source.dtype, target, (source,))
    else:
        cell = encode_one(source, target.dtype)
        storage = UntypedStorage.allocate(target.element_size())
        storage.cells(target.dtype.cell)[0] = cell
        _run(row, target.dtype, target, (make_tensor(storage, target.dtype, Size(), (), 0),))
    target.untyped_storage()._version += 1


def guard_write(target: Tensor, *sources: Tensor | Number) -> None:
    """Refuse a write that would not mean what it says.

    Raises:
        RuntimeError: the memory is read-only; two elements of `target` share a cell; or a source shares some
            cells with `target` without being the same view.
    """
    if target.untyped_storage().readonly:
        raise RuntimeError(
            "this tensor looks into read-only memory (from_numpy of a read-only array): write to a clone()"
        )
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


def _overlaps_partly(target: Tensor, source: Tensor) -> bool:
    if target.untyped_storage() is not source.untyped_storage():
        return False
    same = target.storage_offset() == source.storage_offset() and target.dtype is source.dtype
    if same and target.shape == source.shape and target.stride() == source.stride():
        return False
    return layout.ranges_meet(_byte_range(target), _byte_range(source))


def _byte_range(tensor: Tensor) -> tuple[int, int] | None:
    reached = layout.address_range(tensor.shape, tensor.stride(), tensor.storage_offset())
    if reached is None:
        return None
    return reached[0] * tensor.element_size(), (reached[1] + 1) * tensor.element_size() - 1


def _types(row: Scalar, operands: Sequence[Tensor | Number]) -> tuple[dtype, dtype]:
    """The type in which a row computes, and the type of its result."""
    if row.refuses_bool and any(result_type(operand) is dtypes.bool for operand in operands):
        raise RuntimeError(row.refuses_bool)
    compute = result_type(*operands)
    if row.result == scalars.FLOAT and not compute.is_floating_point:
        compute = dtypes.get_default_dtype()
    return compute, dtypes.bool if row.result == scalars.TRUTH else compute


def _run(row: Scalar, compute: dtype, out: Tensor, operands: Sequence[Tensor | Number]) -> None:
    if compute.is_floating_point and compute.itemsize == 2:
        compute = dtypes.float32  # sixteen-bit floats compute in float32 and round once, at the end
    inputs = [_operand(operand, compute, out.shape) for operand in operands]
    backend(out.device.type).pointwise(row, compute, out.shape, out._operand(), inputs)


def _operand(operand: Tensor | Number, compute: dtype, shape: Size) -> Operand:
    """An operand as the backend wants it: broadcast to the shape of the operation."""
    if isinstance(operand, Tensor):
        cells, element_type, strides, offset = operand._operand()
        if operand.shape != shape:
            strides = layout.broadcast_strides(operand.shape, strides, shape)
        return Operand(cells, element_type, strides, offset)
    if compute.category == dtypes.INTEGER:
        operand = wrap_integer(int(operand), compute)
    cell = encode_one(operand, compute)
    storage = UntypedStorage.allocate(compute.itemsize)
    cells = storage.cells(compute.cell)
    cells[0] = cell
    return Operand(cells, compute, (0,) * len(shape), 0)
