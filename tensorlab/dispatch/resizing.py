"""Another shape for a tensor in place, and what becomes of an `out` that does not fit its result."""

from __future__ import annotations

import sys

from tensorlab.core import layout
from tensorlab.core.layout import Size
from tensorlab.core.warned import warn_caller
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor


def resize(tensor: Tensor, shape: Size, stride: tuple[int, ...] | None = None) -> None:
    """Let `tensor` have another shape, in its own storage where there is room, else in a larger one.

    Args:
        tensor: it keeps its dtype, its offset and what its storage holds.
        shape: the new shape.
        stride: its strides, without gaps; those of row-major order where none are given.

    Raises:
        RuntimeError: the storage is too small, and something else looks into it: another tensor, or another
            library. Nobody knows what, so it could not follow into the larger storage.
    """
    # Two references: the tensor's own, and the argument of this call; of a view, that of its base as well,
    # if only the view holds that.
    base_alone = tensor._base is not None and sys.getrefcount(tensor._base) <= 2
    alone = sys.getrefcount(tensor._storage) <= 2 + base_alone
    stride = layout.default_strides(shape) if stride is None else stride
    size = tensor._dtype.itemsize
    needed = tensor._offset + layout.numel(shape)
    storage = tensor._storage
    if needed * size > storage.nbytes():
        if not storage.resizable():
            raise RuntimeError(
                f"Trying to resize storage that is not resizable: its {storage.nbytes()} bytes are shared "
                f"with NumPy or another library, and {needed * size} are needed; x.clone() has its own"
            )
        if not alone:
            raise RuntimeError(
                f"cannot resize a tensor of shape {list(tensor._shape)} to {list(shape)}: that needs more "
                f"memory, and something else looks into the storage that it has; bring a tensor of shape "
                f"{list(shape)}"
            )
        memory = storage.backend.allocate(needed, tensor._dtype.cell)
        storage.backend.copy(memory, storage._memory)
        storage = UntypedStorage(memory, backend=storage.backend)
    cells = storage.cells(tensor._dtype.cell)
    # One interruption-free run of assignments: Python looks for signals at calls and jumps.
    tensor._storage = storage
    tensor._shape = shape
    tensor._stride = stride
    tensor._at = cells, tensor._offset
    tensor._base = None


def resize_output(out: Tensor, shape: Size, stride: tuple[int, ...] | None = None) -> None:
    """Let `out` have the shape of a result; warn if it has elements, which somebody may have meant to keep.

    Raises:
        RuntimeError: see `resize`.

    Example:
        >>> import tensorlab as tl
        >>> out = tl.empty(0)
        >>> tl.add(tl.ones(3), 1, out=out)
        tensor([2., 2., 2.])
        >>> out
        tensor([2., 2., 2.])
    """
    if out.numel():
        warn_caller(
            f"out had shape {list(out._shape)} and was resized to {list(shape)}, the shape of the result; "
            f"bring an out of that shape, or one without elements, which takes any",
            UserWarning,
        )
    resize(out, shape, stride)
