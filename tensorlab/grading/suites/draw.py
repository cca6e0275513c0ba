"""Random shapes, indices and layouts for hidden cases."""

from __future__ import annotations

from random import Random

from tensorlab.layout import default_strides


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
