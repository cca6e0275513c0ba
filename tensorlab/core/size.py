"""Size: the type of a tensor's shape."""

from __future__ import annotations

import operator
from collections.abc import Iterable


class Size(tuple):
    """A tensor's shape: a tuple of ints with PyTorch's name and repr.

    What slicing, ``+`` and ``*`` make of a shape is a shape again.

    Raises:
        TypeError: an item is not an integer.

    Example:
        >>> shape = Size((2, 3))
        >>> shape.numel(), shape[1:], (5,) + shape
        (6, tensorlab.Size([3]), tensorlab.Size([5, 2, 3]))
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable = ()) -> Size:
        """The shape of these sizes."""
        new = tuple.__new__(cls, sizes)
        for size in new:
            if type(size) is not int:
                return tuple.__new__(cls, [_size_item(item, dim) for dim, item in enumerate(new)])
        return new

    def numel(self) -> int:
        """The number of elements that a tensor of this shape has."""
        from tensorlab.core.layout import numel  # here, because `layout` is built on this file

        return numel(self)

    def __repr__(self) -> str:
        return f"tensorlab.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # int -> int, slice -> Size
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other: tuple) -> Size:
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: tuple) -> Size:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times) -> Size:  # type: ignore[no-untyped-def]  # SupportsIndex
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


# ``size_of_ints(Size, sizes)`` is ``Size(sizes)`` of what is known to be ints, in less than half the time.
size_of_ints = tuple.__new__


def _size_item(item: object, dim: int) -> int:
    try:
        return operator.index(item)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"tensorlab.Size() takes an iterable of 'int' (item {dim} is {type(item).__name__!r})"
        ) from None
