"""Random operands of products for the hidden cases of chapter 8."""

from __future__ import annotations

from random import Random

Shape = tuple[int, ...]
Pair = tuple[Shape, Shape]


def sizes(source: Random) -> tuple[int, int, int]:
    """m, k and n, from 2 on and all different, so that no two of them can be mixed up."""
    m, k, n = source.sample(range(2, 6), 3)
    return m, k, n


def batches(source: Random, dims: tuple[int, int] = (1, 2)) -> Pair:
    """Two batch shapes that can be broadcast; at least one dimension of them is stretched.

    Example:
        >>> from tensorlab.core.broadcasting import broadcast_shapes
        >>> a, b = batches(Random(1))
        >>> a != b and len(broadcast_shapes(a, b)) >= 1
        True
    """
    while True:
        full = [source.randint(2, 3) for _ in range(source.randint(*dims))]
        one, other = ([size if source.random() < 0.6 else 1 for size in full] for _ in range(2))
        short = source.randint(0, len(full))
        a, b = tuple(one), tuple(other[short:])
        if a != b and max(a) > 1:
            return (a, b) if source.random() < 0.5 else (b, a)


def matrices(source: Random) -> Pair:
    """Two matrices without a batch."""
    m, k, n = sizes(source)
    return (m, k), (k, n)


def same_batch(source: Random) -> Pair:
    """Two tensors of matrices with one batch."""
    m, k, n = sizes(source)
    batch = tuple(source.randint(2, 3) for _ in range(source.randint(1, 2)))
    return (*batch, m, k), (*batch, k, n)


def stretched(source: Random) -> Pair:
    """Two tensors of matrices whose batches have to be broadcast."""
    m, k, n = sizes(source)
    a, b = batches(source)
    return (*a, m, k), (*b, k, n)


def with_vector(source: Random) -> Pair:
    """A vector on one side or on both; beside it a matrix, or a batch of them."""
    m, k, n = sizes(source)
    batch = tuple(source.choice((1, 2, 3)) for _ in range(source.choice((0, 1, 1, 2))))
    if source.random() < 0.2:
        return (k,), (k,)
    return ((k,), (*batch, k, n)) if source.random() < 0.5 else ((*batch, m, k), (k,))


def inner_sizes_differ(source: Random) -> Pair:
    """Operands of which everything fits but the inner sizes."""
    a, b = source.choice((matrices, with_vector))(source)
    return ((*a[:-1], a[-1] + 4), b) if source.random() < 0.5 else (a, _with_inner(b, a[-1] + 4))


def _with_inner(b: Shape, size: int) -> Shape:
    return (size,) if len(b) == 1 else (*b[:-2], size, b[-1])
