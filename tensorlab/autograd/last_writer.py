"""Who wrote a storage last: what the error about a kept tensor names that was written since.

An operation that writes leaves a mark on the storage. That costs the time of one assignment, and becomes a
name only when somebody asks. A mark is a name, the function itself, or the row of a scalar function that was
written over its first operand. Those who check a write before they make it leave the version before it, and
one of these or a kind of node.
"""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any

from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor


def mark(storage: UntypedStorage, writer: Any) -> None:
    """Note who is about to write a storage.

    Args:
        storage: what will be written.
        writer: the name of the operation, or its kind of node, or None for nobody in particular.
    """
    storage._writer = storage._version, writer


def mark_out(out: Tensor) -> None:
    """Note that an operation is about to write its `out`, if it has not given its name already."""
    storage = out._storage
    before = getattr(storage, "_writer", None)
    if not isinstance(before, tuple) or before[0] != storage._version:
        mark(storage, "an operation with out=")


def written_by(name: str, tensor: Tensor) -> Tensor:
    """`tensor`, which an operation of this name has written by way of others."""
    tensor._storage._writer = name
    return tensor


def writer_of(storage: UntypedStorage) -> str | None:
    """The name of the operation that wrote a storage last; None if nobody wrote it, or nobody knows.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(3)
        >>> x[0] = 1
        >>> tl.autograd.last_writer.writer_of(x.untyped_storage())
        'x[...] = value'
    """
    writer = getattr(storage, "_writer", None)
    if isinstance(writer, tuple):
        version, writer = writer
        if version == storage._version:  # the write was refused, and the mark before it is lost
            return None
    if writer is None or isinstance(writer, str):
        return writer
    if isinstance(writer, FunctionType):
        return writer.__name__
    node = writer.__name__ if isinstance(writer, type) else writer.node or writer.name
    if node == "NotImplemented":  # of an operation that PyTorch does not differentiate either
        return None
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", re.sub(r"Backwards?\d*$", "", node)).lower() + "_"
