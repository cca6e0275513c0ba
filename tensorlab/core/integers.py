"""Division and rounding of whole numbers, as the sizes and numbers of blocks need them."""

from __future__ import annotations


def ceil_div(size: int, part: int) -> int:
    """How many parts it takes to hold `size`: the quotient, rounded up.

    Example:
        >>> ceil_div(9, 4), ceil_div(8, 4), ceil_div(0, 4)
        (3, 2, 0)
    """
    return -(-size // part)


def round_up(size: int, multiple: int) -> int:
    """The least multiple that is not below `size`.

    Example:
        >>> round_up(9, 4), round_up(8, 4), round_up(0, 4)
        (12, 8, 0)
    """
    return -(-size // multiple) * multiple


def round_down(size: int, multiple: int) -> int:
    """The greatest multiple that is not above `size`.

    Example:
        >>> round_down(9, 4), round_down(8, 4), round_down(3, 4)
        (8, 8, 0)
    """
    return size // multiple * multiple
