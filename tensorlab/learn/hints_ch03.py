"""Hints of chapter 3: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "03.sliced": (
        "A slice changes three numbers: the size, which is how many indices are kept; the stride, which "
        "is how far apart they lie; and how many cells come before the first of them.",
        "(stop - start) // step is too small where it doesn't divide: sliced(7, 1, slice(0, 7, 2)) keeps "
        "0, 2, 4 and 6, which are four, and 7 // 2 is 3. And with stride 4, start 2 skips 8 cells, not 2.",
        "Bring the bounds inside first: what is None, what is negative, what lies outside. "
        "bounds.indices(size) gives start, stop and step after all that. Then raise the error for a step "
        "below 1.",
        "length = max(0, (stop - start + step - 1) // step)",
    ),
    "03.permuted": (
        "A dimension is a pair: a size and a stride. To permute is to put the pairs in another order. Both "
        "tuples are reordered in the same way.",
        "order (2, 0, 1) on shape (2, 3, 4) gives (4, 2, 3): dimension 2 comes first. Sending dimension 0 to "
        "place 2 instead would give (3, 4, 2). With two dimensions both give the same.",
        "Count every dimension of order from the front, with layout.wrap_dim. Then see whether each occurs "
        "once: sorted, they are 0, 1, 2, …",
        "new_shape = tuple(shape[dim] for dim in wanted)",
    ),
    "03.squeezed": (
        "A dimension goes when two things hold: it is asked for, and its size is 1. All others stay, with "
        "size and stride.",
        "squeezed((1, 3, 1), (3, 1, 1), (2,)) keeps the first 1: ((1, 3), (3, 1)). And dims () names "
        "nothing, so nothing goes, while None names everything.",
        "Make the list of the dimensions that are named, counted from the front. Raise the error if one "
        "occurs twice. Then make the list of those that stay.",
        "kept = [dim for dim in range(len(shape)) if shape[dim] != 1 or dim not in named]",
    ),
    "03.diagonal": (
        "Three questions make a view: how many elements, how far apart, and where is the first? Along a "
        "diagonal one step is one step down and one step to the right.",
        "'Columns plus one' is the step in a new table only. In a window of 2 columns with strides (8, 1) "
        "the diagonal steps 9 cells, not 3; in a turned (4, 3) table with strides (1, 4) it steps 5, not "
        "4.",
        "Say how many rows and how many columns are skipped: one of the two is 0. Both shorten the diagonal, "
        "and both move its beginning by their strides. Nothing may become shorter than 0.",
        "length = max(0, min(rows - skipped_rows, columns - skipped_columns))",
    ),
    "03.setitem": (
        "input[index] is a view. What you write into a view goes into the storage, where every tensor "
        "over it shows it. The question is only how to write into a tensor without giving its name to "
        "something else.",
        "part = input[index] and then part = 9.0 leaves the tensor as it was: the second line gives the name "
        "to a number. And input[index].clone() is a tensor with a storage of its own, so a write there is "
        "lost.",
        "Take the view first. Methods whose names end with _ write in place: fill_ takes a number, copy_ "
        "takes a tensor.",
        "part.fill_(value)",
    ),
}
