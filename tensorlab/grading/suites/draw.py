"""Random shapes, indices and layouts for hidden cases."""

from __future__ import annotations

import textwrap
from random import Random

from tensorlab.core import dtypes
from tensorlab.core.layout import default_strides, numel


def shape(source: Random, least: int = 1, most: int = 4, dims: tuple[int, int] = (1, 4)) -> tuple[int, ...]:
    """A shape with sizes from `least` to `most`."""
    return tuple(source.randint(least, most) for _ in range(source.randint(*dims)))


def index(source: Random, of: tuple[int, ...]) -> tuple[int, ...]:
    """An element of a shape without sizes of 0."""
    return tuple(source.randrange(size) for size in of)


def shape_with_zero(source: Random) -> tuple[int, ...]:
    """A shape with at least one size of 0."""
    sizes = list(shape(source))
    sizes[source.randrange(len(sizes))] = 0
    return tuple(sizes)


def mixed_shape(source: Random, size: int) -> tuple[int, ...]:
    """A shape of one to four dimensions, some of which have this size and the others 2 or more."""
    sizes = [source.randint(2, 4) for _ in range(source.randint(1, 4))]
    for dim in source.sample(range(len(sizes)), source.randint(1, len(sizes))):
        sizes[dim] = size
    return tuple(sizes)


def spread_strides(of: tuple[int, ...]) -> tuple[int, ...]:
    """Strides that no dense tensor has: the first dimension is the nearest, and every second cell is skipped.

    Example:
        >>> spread_strides((2, 3))
        (2, 4)
    """
    return tuple(2 * stride for stride in reversed(default_strides(of[::-1])))


def numbers(source: Random, count: int) -> list[float] | list[int]:
    """Cells, all ints or all floats; some floats are whole, so that ``1.0`` and ``1`` differ."""
    if source.random() < 0.5:
        return [source.randint(-99, 99) for _ in range(count)]
    return [source.randint(-40, 40) / 4 for _ in range(count)]


class Counted:
    """Whole numbers that follow from their places: made by a line of code, and one by one.

    Example:
        >>> made = Counted(Random(1))
        >>> made.line((2, 3))
        '((tl.arange(6, dtype=tl.int32) * 4 + 9) % 11).to(tl.float32).reshape((2, 3))'
        >>> [made[place] for place in range(6)]
        [9, 2, 6, 10, 3, 7]
    """

    def __init__(self, source: Random) -> None:
        self._step, self._start = source.randint(2, 10), source.randint(0, 10)

    def __getitem__(self, place: int) -> int:
        return (place * self._step + self._start) % 11

    def line(self, of: tuple[int, ...], kind: dtypes.dtype = dtypes.float32) -> str:
        """The code for a tensor of a shape and dtype."""
        numbers = f"(tl.arange({numel(of)}, dtype=tl.int32) * {self._step} + {self._start}) % 11"
        return f"({numbers}).to(tl.{kind.name}).reshape({of})"

    def rows(self, of: tuple[int, ...]) -> str:
        """The code for a tensor whose rows are one row in memory, so that only a copy of it is large.

        It neither casts nor reshapes, which exercises switch off. A row holds up to a million numbers: then
        float32 has all exactly on the way.
        """
        row = f"(tl.arange({of[-1]}, dtype=tl.float32) * {self._step} + {self._start}) % 11"
        return f"tl.as_strided({row}, {of}, {(*(0 for _ in of[:-1]), 1)})"


def loose(source: Random, of: tuple[int, ...], zeros: bool = True) -> tuple[int, ...]:
    """Strides of a tensor of this shape as views have them: dimensions exchanged, a gap, a stride of 0.

    Every layout comes from a dense one, so neighbours that can be merged are as likely as those that cannot.
    """
    order = list(range(len(of)))
    if source.random() < 0.6:
        source.shuffle(order)
    dense = default_strides(tuple(of[dim] for dim in order))
    strides = [dense[order.index(dim)] for dim in range(len(of))]
    if of and source.random() < 0.4:
        at = order.index(source.randrange(len(of)))  # a gap behind this dimension: all outside it move apart
        strides = [2 * s if order.index(dim) <= at else s for dim, s in enumerate(strides)]
    if zeros and of and source.random() < 0.3:
        strides[source.randrange(len(of))] = 0
    return tuple(strides)


def loose_layout(source: Random, zeros: bool = True) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape of 2 to 4 dimensions and strides as views have them (see `loose`)."""
    of = shape(source, 2, 4, (2, 4))
    return of, loose(source, of, zeros)


def layout_with_ones(source: Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A layout with dimensions of size 1, whose strides are anything."""
    sizes, strides = map(list, loose_layout(source))
    for _ in range(source.randint(1, 2)):
        place = source.randint(0, len(sizes))
        sizes.insert(place, 1)
        strides.insert(place, source.choice((0, 1, 5, 7)))
    return tuple(sizes), tuple(strides)


def factors(source: Random, count: int) -> tuple[int, ...]:
    """A shape with `count` elements, 1 or more: it is cut at random places, with a size of 1 now and then.

    Example:
        >>> factors(Random(1), 7) in [(7,), (1, 7), (7, 1)]
        True
    """
    sizes = []
    while count > 1:
        size = source.choice([n for n in range(2, count + 1) if count % n == 0])
        sizes.append(size)
        count //= size
    source.shuffle(sizes)
    if source.random() < 0.25:
        sizes.insert(source.randint(0, len(sizes)), 1)
    return tuple(sizes) or (1,)


def lines(text: str) -> str:
    r"""A program that stands indented in a file of questions, from the margin.

    Example:
        >>> lines('''
        ...     x = 1
        ...     x + 1
        ...     ''')
        'x = 1\nx + 1'
    """
    return textwrap.dedent(text).strip()
