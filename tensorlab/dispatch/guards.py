"""What a write may not do: the guards that whoever writes cells asks first, and when tensors share memory."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.core import layout, memory_formats, modes
from tensorlab.dispatch.operands import Number
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor


def guard_write(target: Tensor, *sources: Tensor | Number) -> None:
    """Refuse a write that would not mean what it says.

    Raises:
        RuntimeError: the memory is read-only; elements of `target` share a cell because a stride is 0; or
            `target` and a source, both without gaps, share cells and are not the same view.
    """
    guard_memory(target, sources)
    guard_layout(target)


def guard_layout(target: Tensor) -> None:
    """The part of `guard_write` that follows from shape and strides, so that a plan need ask it once.

    Raises:
        RuntimeError: elements of `target` share a cell because a stride is 0.
    """
    if 0 not in target._stride:
        return
    for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):
        if stride == 0 and size > 1 and target.numel():
            raise RuntimeError(
                f"unsupported operation: more than one element of the written-to tensor refers to a single "
                f"memory location: dimension {dim} of shape {tuple(target.shape)} has stride 0. "
                f"Please clone() the tensor before performing the operation."
            )


def guard_memory(target: Tensor, sources: Sequence[Tensor | Number]) -> None:
    """The part of `guard_write` that depends on where the tensors lie.

    Raises:
        RuntimeError: the memory is read-only, or shared with a source in another layout.
    """
    guard_readonly(target)
    for source in sources:
        if (
            isinstance(source, Tensor)
            and source._storage._memory is target._storage._memory
            and _overlaps_partly(target, source)
        ):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
                "a single memory location. Please clone() the tensor before performing the operation."
            )


def guard_readonly(target: Tensor) -> None:
    """Refuse to write into memory that its owner has made read-only.

    Raises:
        RuntimeError: it is.
    """
    if target._storage._version is UNTRACKED:
        guard_inference(target)
    if target._storage.readonly:
        raise RuntimeError(
            "this tensor looks into read-only memory (from_numpy of a read-only array): write to a clone()"
        )


def guard_inference(target: Tensor) -> None:
    """Refuse to change a tensor whose writes nobody counts.

    Raises:
        RuntimeError: it was made in inference mode, and that has ended.
    """
    if target._storage._version is UNTRACKED and not modes.current.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone "
            "to get a normal tensor before doing inplace update."
        )


def same_place(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors are the same view of the same memory."""
    return (
        first._storage._memory is second._storage._memory
        and first._offset == second._offset
        and first._dtype is second._dtype
        and first._shape == second._shape
        and first._stride == second._stride
    )


def _overlaps_partly(target: Tensor, source: Tensor) -> bool:
    """Whether two views of one storage, if they are dense, share some cells in different places.

    Views with gaps are let through, as in PyTorch: ``x[::2]`` and ``x[1::2]`` interleave without meeting, and
    to find out whether two such views meet can take as long as the write.
    """
    if target is source:
        return False
    ranges = []
    for tensor in (target, source):
        if not memory_formats.is_non_overlapping_and_dense(tensor._shape, tensor._stride):
            return False
        if not tensor.numel():
            return False
        first = tensor._offset * tensor._dtype.itemsize
        ranges.append((first, first + tensor.nbytes - 1))
    if ranges[0] == ranges[1]:
        return target._stride != source._stride
    return layout.ranges_meet(*ranges)


def share_cells(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors may reach the same memory: the ranges of bytes that they reach meet."""
    return first._storage._memory is second._storage._memory and layout.ranges_meet(
        _byte_range(first), _byte_range(second)
    )


def _byte_range(tensor: Tensor) -> tuple[int, int] | None:
    reached = layout.address_range(tensor.shape, tensor.stride(), tensor.storage_offset())
    if reached is None:
        return None
    return reached[0] * tensor.element_size(), (reached[1] + 1) * tensor.element_size() - 1
