"""Hints of chapter 6: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "06.broadcast_strides": (
        "A stretched dimension is read again and again from the same cells: a step along it is 0 cells. "
        "Every other dimension keeps its step.",
        "(3, 1) with strides (1, 1) read as (3, 4): element [0, 3] must be in the cell of element [0, 0]. "
        "With stride 1 it would be in the cell of [3, 0].",
        "Count how many dimensions are missing on the left, and start with that many zeros. Then go "
        "through the sizes, the strides and the rest of the new shape side by side.",
        "steps.append(stride if size == new else 0)",
    ),
    "06.broadcast_shapes": (
        "Shapes are compared column by column, aligned on the right. In each column, collect the sizes "
        "that aren't 1. They must all be the same.",
        "(1,), (2,) and (3,): each of the others fits the first, and still the three don't broadcast. And "
        "(1,) with (0,) gives (0,): the result isn't always the larger size.",
        "Find the length of the longest shape and fill up all others with 1s on the left, until all are "
        "as long. Then every column is the same index in each shape.",
        "others = {shape[dim] for shape in padded} - {1}",
    ),
    "06.expand": (
        "The answer is a view: the same storage, the same offset, a new shape, and strides that are 0 "
        "where a dimension is new or stretched. You have to work out the new shape, and raise an error if "
        "there is none.",
        "(2,) can't become (4,), although 4 is twice 2. (3, 4) can't become (4,): no dimension may be "
        "dropped. And in (-1, 4), for an input of shape (4,), the -1 would keep the size of a dimension "
        "that doesn't exist.",
        "Count the new dimensions, and raise an error if the count is negative. Write the input's own "
        "shape with that many 1s on the left. Then compare the two, size by size.",
        "shape = tuple(size if new == -1 else new for size, new in zip(own, sizes, strict=True))",
    ),
    "06.guard_layout": (
        "Several elements share a cell if there is a dimension along which you can step, and the step is "
        "0 cells.",
        "tl.zeros(3).expand(1, 3) has a stride of 0 and is harmless: there is one row. "
        "tl.zeros(0).expand(3, 0) is harmless too: there is nothing to write.",
        "Let tensors without elements pass first. Then go through sizes and strides together, counting "
        "the dimensions from 0.",
        "for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):",
    ),
    "06.squared_error": (
        "The subtraction won't complain about a column and a row: it makes a table. So compare the shapes "
        "before it.",
        "(4, 1) and (4,) hold the same number of elements, and (1, 4) and (4, 1) have the same number of "
        "dimensions. Neither test is enough.",
        "Compare the two shapes as wholes, and raise ValueError with both of them in its text. After "
        "that, the mean of the squares is one line.",
        'if prediction.shape != target.shape: raise ValueError(f"… {tuple(prediction.shape)} …")',
    ),
    "06.squared_distances": (
        "The distance is a sum over the coordinates, and you can build up a sum bit by bit. For one "
        "coordinate, all differences are one table: a column minus a row.",
        "x[:, None] - y is a tensor of shape (m, n, d). With 50 coordinates it takes fifty times the room "
        "of the answer, and its square takes as much again. A list of 50 tables is no better.",
        "Start with a table of zeros of the right dtype. For each k, take column k of x as a column and "
        "column k of y as a row, and add the squares of their differences into the table, in place.",
        "difference = x[:, k, None] - y[:, k]",
    ),
}
