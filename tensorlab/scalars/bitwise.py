"""Operations on the bits of integers; on bools, logic."""

from __future__ import annotations

from tensorlab.scalars.row import BOTH, COUNTING, INTEGERS, Scalar, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def bitwise_not(x):
    """Every bit inverted: ``~input``, which is ``-input - 1`` for signed integers; for bools, not.

    >>> tl.bitwise_not(tl.tensor([0, 5]))
    tensor([-1, -6])
    """
    return ~x


def bitwise_not_bool(x):
    return not x


def bitwise_and(x, y):
    """The bits that are set in both: ``input & other``; for bools, and.

    >>> tl.bitwise_and(tl.tensor([12, 7]), 10)
    tensor([8, 2])
    """
    return x & y


def bitwise_or(x, y):
    """The bits that are set in either: ``input | other``; for bools, or.

    >>> tl.bitwise_or(tl.tensor([12, 7]), 10)
    tensor([14, 15])
    """
    return x | y


def bitwise_xor(x, y):
    """The bits that are set in exactly one: ``input ^ other``; for bools, whether they differ.

    >>> tl.bitwise_xor(tl.tensor([12, 7]), 10)
    tensor([ 6, 13])
    """
    return x ^ y


def bitwise_left_shift(x, y):
    """The bits moved `other` places up: ``input << other``.

    Bits that leave the type are lost; a distance below 0 or past the type's width leaves 0.

    >>> tl.bitwise_left_shift(tl.tensor([1, 3]), 2)
    tensor([ 4, 12])
    """
    # A processor takes the distance modulo 64. Bits past a narrower type's width go when the cell is stored.
    return x << y if 0 <= y < 64 else number(0)


def bitwise_right_shift(x, y):
    """The bits moved `other` places down: ``input >> other``.

    Copies of the sign move in; a distance below 0 or past the type's width leaves only the sign, 0 or -1.

    >>> tl.bitwise_right_shift(tl.tensor([8, -8]), 2)
    tensor([ 2, -2])
    """
    # all the way leaves the sign: 0 or -1
    return x >> y if 0 <= y < 64 else number(-1) if x < 0 else number(0)


ROWS = (
    Scalar("bitwise_not", bitwise_not, 1, takes=INTEGERS, variants="function method in_place"),
    Scalar(
        "bitwise_and",
        bitwise_and,
        2,
        takes=INTEGERS,
        numbers=BOTH,
        variants="function method in_place",
    ),
    Scalar(
        "bitwise_or",
        bitwise_or,
        2,
        takes=INTEGERS,
        numbers=BOTH,
        variants="function method in_place",
    ),
    Scalar(
        "bitwise_xor",
        bitwise_xor,
        2,
        takes=INTEGERS,
        numbers=BOTH,
        variants="function method in_place",
    ),
    Scalar(
        "bitwise_left_shift",
        bitwise_left_shift,
        2,
        takes=COUNTING,
        numbers=BOTH,
        variants="function method in_place",
    ),
    Scalar(
        "bitwise_right_shift",
        bitwise_right_shift,
        2,
        takes=COUNTING,
        numbers=BOTH,
        variants="function method in_place",
    ),
)
