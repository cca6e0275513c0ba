"""Hints of chapter 6: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "06.broadcast_strides": (
        "A stretched dimension is read again and again from the same cells: a step along it is 0 cells. "
        "Every other dimension steps as it did before.",
        "(3, 1) with strides (1, 1) read as (3, 4): element [0, 3] has to be the cell of element [0, 0]. "
        "With stride 1 it would be the cell of [3, 0].",
        "Find out how many dimensions are missing in front, and put as many zeros first. Then go through "
        "the sizes, the strides and the rest of the new shape side by side.",
        "steps.append(stride if size == new else 0)",
    ),
    "06.broadcast_shapes": (
        "Shapes are compared column by column, aligned at their right ends. In each column, take all sizes "
        "that are not 1. There may be one kind of them at most.",
        "(1,), (2,) and (3,): each of the others fits the first one, and still they do not meet. And (1,) "
        "with (0,) gives (0,): the larger size is not always the one.",
        "Find the length of the longest shape and put sizes of 1 in front of all others, until all are as "
        "long. Then every column is the same index in each shape.",
        "others = {shape[dim] for shape in padded} - {1}",
    ),
    "06.expand": (
        "The answer is a view: the same storage, the same offset, a new shape, and strides that are 0 where "
        "a dimension is new or stretched. What is left is to find out the new shape, and to refuse what "
        "cannot be.",
        "(2,) cannot become (4,), although 4 is twice 2. (3, 4) cannot become (4,): nothing may be dropped. "
        "And in (-1, 4) the -1 would have to keep the size of a dimension that is not there.",
        "Count the dimensions that come in front, and refuse a negative count. Write the input's own shape "
        "with as many sizes of 1 in front. Then compare the two, size by size.",
        "shape = tuple(size if new == -1 else new for size, new in zip(own, sizes, strict=True))",
    ),
    "06.guard_layout": (
        "Several elements lie in one cell when there is a dimension along which one can step, and the step "
        "is 0 cells.",
        "tl.zeros(3).expand(1, 3) has a stride of 0 and is harmless: there is one row. "
        "tl.zeros(0).expand(3, 0) is harmless too: there is nothing to write.",
        "Let tensors without elements pass first. Then go through the sizes and strides together, counting "
        "the dimensions from 0.",
        "for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):",
    ),
    "06.squared_error": (
        "The subtraction will not complain about a column and a row: it makes a table. So the shapes have "
        "to be compared before it.",
        "(4, 1) and (4,) hold as many numbers, and (1, 4) and (4, 1) have as many dimensions. Neither is "
        "enough.",
        "Compare the two shapes as wholes, and raise ValueError with both of them in its text. After that, "
        "the mean of the squares is one line.",
        'if prediction.shape != target.shape: raise ValueError(f"… {tuple(prediction.shape)} …")',
    ),
    "06.squared_distances": (
        "The distance is a sum over the coordinates, and a sum can be added up bit by bit. For one "
        "coordinate, all differences are one table: a column against a row.",
        "x[:, None] - y is a tensor of shape (m, n, d). With 50 coordinates it takes fifty times the room "
        "of the answer, and its square takes as much again. A list of 50 tables is no better.",
        "Begin with a table of zeros of the right dtype. For each k, take column k of x as a column and "
        "column k of y as a row, and add the squares of their differences into the table, in place.",
        "difference = x[:, k, None] - y[:, k]",
    ),
}
