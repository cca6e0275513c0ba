"""What carries a gradient back through a view: the elements go where they came from, and the rest is 0.

A view takes some elements of a tensor, perhaps several times. Its adjoint puts a gradient of the view's shape
in the places that the elements were taken from, and adds up what comes to the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tensorlab.autograd.formulas import Backward, Formula
from tensorlab.autograd.recording import linear, record
from tensorlab.core import layout
from tensorlab.core.dtypes import int64
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import is_non_overlapping_and_dense
from tensorlab.core.positions import steps_clear
from tensorlab.dispatch.copies import write
from tensorlab.dispatch.memory import filled
from tensorlab.tensor import Tensor


def placed(gradient: Tensor, shape: Size, take: Callable[[Tensor], Tensor]) -> Tensor:
    """Zeros of a shape, in which the part that `take` sees is a gradient.

    Args:
        gradient: of the part.
        shape: of the whole.
        take: makes a view of a tensor of that shape, in which no element comes twice.

    Example:
        >>> import tensorlab as tl
        >>> placed(tl.ones(2), tl.Size([2, 3]), lambda whole: whole.select(1, 0))
        tensor([[1., 0., 0.],
                [1., 0., 0.]])
    """
    whole = filled(shape, layout.default_strides(shape), gradient._dtype, 0, gradient._storage.backend)
    write(take(whole), gradient)
    return linear(whole, gradient, take)


def placed_together(
    gradients: Sequence[Tensor | None], shape: Size, take: Callable[[Tensor], Sequence[Tensor]]
) -> Tensor:
    """`placed` for several parts that do not overlap, those without gradient left at 0.

    Args:
        gradients: of the parts, at least one of them not None.
        shape: of the whole.
        take: makes the views of all parts.

    Example:
        >>> import tensorlab as tl
        >>> placed_together([None, tl.ones(2)], tl.Size([4]), lambda whole: whole.split(2))
        tensor([0., 0., 1., 1.])
    """
    some = next(gradient for gradient in gradients if gradient is not None)
    whole = filled(shape, layout.default_strides(shape), some._dtype, 0, some._storage.backend)
    for part, gradient in zip(take(whole), gradients, strict=True):
        if gradient is not None:
            write(part, gradient)
    return record(Together, whole, *gradients, take=take)


class Together(Backward):
    """The node of `placed_together`: each part's gradient is the part of the whole's."""

    __slots__ = ()
    plans: ClassVar[dict] = {}

    @classmethod
    def step(cls, position: int) -> tuple[Formula, Formula, tuple[str, ...]]:
        """The formula of one part."""

        def part(grad: Tensor, take: Callable[[Tensor], Sequence[Tensor]]) -> Tensor:
            return take(grad)[position]

        return part, part, ("take",)


Layout = tuple[Sequence[int], Sequence[int], int]


def placed_strided(gradient: Any, source: Layout, view: Layout) -> Tensor:
    """The gradient of a tensor of which `as_strided` made a view.

    It is taken to the cells of the storage that the view reads, where it adds up, and from there to the
    elements of the source. Where several of these share a cell, each gets an equal part of it.

    Args:
        gradient: of the view.
        source: shape, strides and offset of the tensor.
        view: those of the view.
    """
    if 0 in view[0] or 0 in source[0]:  # nothing was read: zeros without a history
        return gradient.new_zeros(source[0])
    first, last = _reach(source, view)
    cells = gradient.new_zeros(last - first + 1)
    if _distinct(view):
        flat = placed(gradient, cells.shape, lambda whole: _laid(whole, view, first))
    else:
        flat = cells.index_add(0, _cells_of(view, cells, first), gradient.reshape(-1))
    if not _distinct(source):
        places = _cells_of(source, cells, first)
        shared = cells.new_zeros(cells.shape, dtype=int64).index_add(0, places, places.new_ones(places.shape))
        flat = flat / shared.clamp(1)
    return flat.as_strided(source[0], source[1], source[2] - first)


def _laid(whole: Tensor, view: Layout, first: int) -> Tensor:
    again: Any = whole
    return again.as_strided(view[0], view[1], view[2] - first)


def _reach(*layouts: Layout) -> tuple[int, int]:
    """The first and the last cell that any of the layouts reaches."""
    reached = [found for one in layouts if (found := layout.address_range(*one)) is not None]
    if not reached:
        return 0, -1
    return min(first for first, _ in reached), max(last for _, last in reached)


def _distinct(one: Layout) -> bool:
    """Whether no two elements of a layout share a cell, as far as that is seen at once."""
    shape, strides, _ = one
    return is_non_overlapping_and_dense(Size(shape), tuple(strides)) or steps_clear(shape, strides)


def _cells_of(one: Layout, cells: Any, first: int) -> Any:
    """The cell of each element, counted from `first`, as int64."""
    numbered = cells.new_ones(cells.shape, dtype=int64).cumsum(0) - 1
    return _laid(numbered, one, first).reshape(-1)
