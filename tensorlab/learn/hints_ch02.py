"""Hints of chapter 2: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "02.default_strides": (
        "A step along a dimension passes everything that lies inside it: all the elements of the "
        "dimensions after it. The dimension's own size does not matter.",
        "Shape (2, 3, 4): a step of dimension 0 passes 3 rows of 4, which is 12 cells, not 3. And shape "
        "() has no dimensions, so it has no strides: (), not (1,).",
        "Begin with the last dimension, whose stride is 1. Going left, the stride grows by the factor of the "
        "size that you have passed.",
        "step = step * max(size, 1)",
    ),
    "02.unravel": (
        "Row by row, the last index changes fastest. It is the remainder of the position by the last size; "
        "the quotient counts the full rows, and is a position in the dimensions that are left.",
        "Shape (2, 3), position 4: 4 // 3 is row 1 and 4 % 3 is column 1. Dividing by the 2 rows instead "
        "gives row 2, which does not exist.",
        "First compare the position with the number of elements. Then go through the sizes from the last to "
        "the first, and keep a remainder for each. They come in reverse order.",
        "position, i = divmod(position, size)",
    ),
    "02.is_contiguous": (
        "Ask each dimension one question, from the last to the first: is your stride what all the dimensions "
        "inside you take? Dimensions of size 1 are not asked.",
        "Shape (2, 3) with strides (4, 1): the strides fall and end with 1, and still a cell is skipped "
        "after each row. Shape (1, 3) with strides (9, 1): the 9 is never used.",
        "Keep the stride that is expected, which begins with 1 and is multiplied by each size passed. "
        "A tensor without elements needs no question at all.",
        "if size > 1 and stride != expected: answer False",
    ),
    "02.address_range": (
        "Each dimension leads size - 1 steps away from the offset: up if its stride is positive, down if "
        "it is negative. Look at each dimension by itself.",
        "The first and the last element are not the ends. Shape (2, 3), strides (-3, 1), offset 3: they "
        "lie in cells 3 and 2, but element (1, 0) lies in cell 0, and element (0, 2) in cell 5.",
        "Begin with low and high at the offset. Each dimension moves one of the two. With a size of 0 the "
        "answer is None.",
        "low = low + min(0, (size - 1) * stride)",
    ),
    "02.overlaps": (
        "Only the cells decide. Collect them all: if two elements share a cell, there are fewer different "
        "cells than elements.",
        "No stride of 0 does not mean no overlap: with shape (3, 3) and strides (1, 1), cell 1 is both "
        "(0, 1) and (1, 0). And rows may interleave without sharing: shape (2, 3), strides (3, 2) gives "
        "0, 2, 4 and 3, 5, 7.",
        "Go through all indices and work out the cell of each. Keep the cells in a set: a cell that is in it "
        "already is shared.",
        "cell = sum(i * stride for i, stride in zip(index, strides))",
    ),
}
