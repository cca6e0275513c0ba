"""Hints of chapter 14: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "14.places": (
        "Follow the window's first element. It begins at 0 and walks until the window's last element stands "
        "on the image's last one.",
        "A window of 3 in a line of 3 has one place, not none. With a step of 2 in a line of 6 it has two, "
        "and one element is left over.",
        "How many elements does the window cover when it is dilated? Take that off the padded image: this is "
        "the way that it can go.",
        "way = extent + before + after - covered",
    ),
    "14.unfold": (
        "No number is copied. The same cells are shown under a new shape, whose windows may share them.",
        "Windows of 3 in a line of 5, step 1: shape (3, 3), strides (1, 1). Cell 2 is shown three times.",
        "Copy shape and strides into lists. Change the dimension's own entry in both, and put one more entry "
        "at the end of both.",
        "strides[dimension] = stride * step",
    ),
    "14.channels_last_strides": (
        "Walk through memory: one step leads to the next channel, C steps to the next pixel to the right.",
        "(2, 3, 4, 5) gives (60, 1, 15, 3). Nothing was permuted: the 1 stands where the 3 channels do.",
        "Write down the order of the dimensions from the fastest to the slowest: 1 comes first, 0 last.",
        "for dim in [1, *range(len(shape) - 1, 1, -1), 0]:",
    ),
    "14.fold": (
        "unfold takes: column p holds what window p met. fold gives back: every number is added to the "
        "element that it was taken from.",
        "With a window of 2 in a line of 3 the middle element lies in two windows. If both say 1, it gets 2.",
        "Make an image of zeros with the padding around it, and reshape the input to (N, C, k, k, down, "
        "across). For a fixed element of the window, all places are one strided slice of the image.",
        "image[:, :, rows, columns] += blocks[:, :, i, j]",
    ),
    "14.conv2d": (
        "Every result is a sum of products. Written as a table, the weights have a row for each window, the "
        "image a column for each place.",
        "Two groups of two channels: windows 0 to M/2 see channels 0 and 1 alone. One product over all four "
        "channels would add what they must not see.",
        "Pad first. unfold along H, then along W, gives all windows without a copy; [..., ::dilation, "
        "::dilation] takes a dilated window out of a larger one.",
        "columns = windows.permute(1, 4, 5, 0, 2, 3).reshape(groups, -1, n * down * across)",
    ),
}
