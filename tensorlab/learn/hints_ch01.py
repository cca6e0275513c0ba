"""Hints of chapter 1: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "01.numel": (
        "Shape (2, 3) says: 2 rows, and in each of them 3 numbers. So the 3 occurs 2 times.",
        "Adding the sizes gives 2 + 3 = 5 for (2, 3). Draw two rows of three boxes and count them: 6.",
        "Keep a running product and go through the sizes. Before the first size is read, the product must "
        "already be right for the shape (), which holds one number.",
        "for size in shape: count = count * size",
    ),
    "01.nbytes": (
        "Bytes are numbers times bytes a number. The first factor depends on the shape alone, the second on "
        "the dtype alone.",
        "4 bytes a number is right for float32. Three float64 take 24 bytes, not 12, and three bool take 3.",
        "Count the numbers first; layout.numel(shape) does it, and it works in this exercise. "
        "Then ask the dtype how many bytes one number takes.",
        "dtype.itemsize is the number of bytes of one number.",
    ),
    "01.flat_index": (
        "The storage is one line of cells. Each index moves along it: index i of a dimension takes i steps, "
        "and the stride says how many cells one step is.",
        "In a table with strides (3, 1), element (1, 2) lies 1 · 3 + 2 · 1 = 5 cells after element (0, 0). "
        "When that one lies in cell 4, the answer is 9 and not 5.",
        "Start at the cell of the first element. Then add the steps of one dimension after the other.",
        "for i, stride in zip(index, strides): cell = cell + i * stride",
    ),
    "01.check_index": (
        "Two things can be wrong with an index: how many entries it has, and where one of them points. "
        "Check the number first: without it, entry and size do not belong together.",
        "i % size accepts everything: for size 3 it turns the index 3 into 0 and -4 into 2. Neither of "
        "the two exists: the indices are -3, -2, -1, 0, 1, 2.",
        "Compare len(index) with len(shape). Then, for each dimension: raise the error for what is "
        "outside, add the size to what is negative, keep the rest.",
        "if not -size <= i < size: "
        'raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")',
    ),
    "01.nested_repr": (
        "A tensor of n dimensions is a row of tensors of n - 1 dimensions. Its text is their texts, joined "
        "with ', ' and put in brackets. A tensor of no dimensions is one number.",
        "Shape (2, 0) is a row of two tensors of shape (0,): its text is [[], []], not []. And shape () has "
        "no brackets at all.",
        "Part i along the first dimension has the rest of the shape, the rest of the strides, and its first "
        "element i * strides[0] cells further on. Print the parts with the same function.",
        "part = nested_repr(cells, shape[1:], strides[1:], offset + i * strides[0])",
    ),
}
