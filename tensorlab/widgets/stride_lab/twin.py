"""The steps of a Stride Lab as text: what it shows without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.storage_lab.twin import layout_table
from tensorlab.widgets.stride_lab.operations import python_text

__all__ = ["effect", "steps_twin"]


def effect(before: Tensor, after: Tensor) -> str:
    """What an operation did: nothing, a view, or a copy of so many bytes.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(6).view(2, 3)
        >>> effect(x, x.t()), effect(x, x.flip(0)), effect(x, x.contiguous())
        ('view, 0 bytes moved', 'copy, 48 bytes moved', 'the same tensor, 0 bytes moved')
    """
    if after is before:
        return "the same tensor, 0 bytes moved"
    if after._storage is before._storage:
        return "view, 0 bytes moved"
    return f"copy, {after.nbytes} bytes moved"


def steps_twin(steps: Sequence[Tensor], ops: Sequence[list[Any]]) -> str:
    """The steps as an HTML table, and below it the address of every element of the last one."""
    told = [("start", "new storage", steps[0])]
    for call, before, after in zip(ops, steps[:-1], steps[1:], strict=True):
        told.append((python_text(call, before.shape), effect(before, after), after))
    rows = [(text, tuple(x.shape), x.stride(), x.storage_offset(), what) for text, what, x in told]
    last = steps[-1]
    table = html_table(
        "One operation after the other.", ["step", "shape", "strides", "offset", "effect"], rows
    )
    return table + layout_table(last, last.shape, last.stride(), last.storage_offset())
