"""How one scalar function runs over all elements: in which order, how many at a time, on how many threads.

Such a kernel waits for memory. Where neighbours in the result are neighbours in each operand, or one cell of
it, a thread moves 16 bytes at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cuda import text
from tensorlab.backends.cuda.driver import Driver
from tensorlab.backends.cuda.intrinsics import WIDEST
from tensorlab.backends.operands import OperandLayout
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.scalars import Scalar

__all__ = ["Walk", "walks"]

# One kernel counts fewer runs than this (see `tensorlab.backends.cuda.text.divider`).
MOST_RUNS = 1 << 31

# How many times as many blocks as the GPU holds at once share the elements, at most: so many that it hardly
# matters when the last ones begin late.
WAVES = 16


class Walk(NamedTuple):
    """A kernel of a scalar function, and what it is launched with.

    Attributes:
        kernel: the kernel.
        runs: how many runs of neighbours it computes.
        begin: its first arguments.
        firsts: for each operand that is no number, where it begins, counted from where the whole one does.
        strides: for each of them, the steps between its runs; none where the runs lie in a line.
        alignments: the bytes of which the address of an operand must be a multiple; 0 if it needs not.
    """

    kernel: Callable[..., None]
    runs: int
    begin: tuple[Any, ...]
    firsts: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    alignments: tuple[int, ...]

    def grid(self, driver: Driver) -> tuple[int, int]:
        """How many blocks of how many threads."""
        threads = min(self.runs, driver.threads)
        blocks = ceil_div(self.runs, threads)
        if blocks > 2 * driver.blocks:  # enough for each thread to compute two runs
            blocks = min(ceil_div(blocks, 2), WAVES * driver.blocks)
        return blocks, threads

    def ends(self, operands: Sequence[OperandLayout]) -> list[tuple[int, tuple[Any, ...]] | None]:
        """Of each operand its `firsts` and its `strides`, if it has any; None of a number."""
        ends = zip(self.firsts, self.strides, strict=True)
        return [None if each.is_number else _end(*next(ends)) for each in operands]

    def checks(self, operands: Sequence[OperandLayout]) -> list[tuple[int, int, int]]:
        """Which operands must be aligned: their places, the bytes of their cells, and their `alignments`."""
        places = [place for place, each in enumerate(operands) if not each.is_number]
        return [
            (place, operands[place].dtype.itemsize, alignment)
            for place, alignment in zip(places, self.alignments, strict=True)
            if alignment
        ]


def _end(first: int, strides: tuple[int, ...]) -> tuple[int, tuple[Any, ...]]:
    return first, (strides,) if strides else ()


def walks(
    row: Scalar, compute: dtype, shape: Sequence[int], operands: Sequence[OperandLayout]
) -> tuple[list[Walk], list[Walk]]:
    """The launches that compute all elements: those for aligned operands, and those for any.

    There is more than one where there are too many elements for one.

    Args:
        row, compute, shape: see `tensorlab.backends.protocol.Core.pointwise`.
        operands: the result's layout, and those of the operands.
    """
    cells = [each for each in operands if not each.is_number]
    sizes, strides = coalesce(shape, [each.strides for each in cells])
    types = tuple((each.dtype, each.is_number) for each in operands)
    width = 8 if max(each.dtype.itemsize for each in cells) <= 2 else 4
    inner = [each[-1] for each in strides]
    has_neighbours = inner[0] == 1 and all(step in (0, 1) for step in inner)
    alignments = tuple(
        min(width * each.dtype.itemsize, WIDEST) if step else 0
        for each, step in zip(cells, inner, strict=True)
    )
    is_line = has_neighbours and len(sizes) == 1
    narrow = list(_walks(row, compute, types, 1, is_line, sizes, strides, (0,) * len(cells)))
    if not has_neighbours or (not is_line and (sizes[-1] % width or not _keep(alignments, cells, strides))):
        return narrow, narrow
    return list(_walks(row, compute, types, width, is_line, sizes, strides, alignments)), narrow


def _keep(
    alignments: Sequence[int], cells: Sequence[OperandLayout], strides: Sequence[tuple[int, ...]]
) -> bool:
    """Whether all runs are aligned if the first ones are."""
    return not any(
        step * each.dtype.itemsize % alignment
        for alignment, each, steps in zip(alignments, cells, strides, strict=True)
        if alignment
        for step in steps[:-1]
    )


def _walks(
    row: Scalar,
    compute: dtype,
    types: tuple[tuple[dtype, bool], ...],
    width: int,
    is_line: bool,
    sizes: tuple[int, ...],
    strides: Sequence[tuple[int, ...]],
    alignments: tuple[int, ...],
) -> Iterator[Walk]:
    is_run = iter([bool(each[-1]) or (not is_line and width == 1) for each in strides])
    ways = ["number" if is_number else "run" if next(is_run) else "same" for _, is_number in types]
    kernel = text.kernel_of(
        row.name, text.pointwise_text(row, compute, [each for each, _ in types], ways, width, is_line)
    )
    if is_line:
        runs = ceil_div(sizes[0], width)
        yield Walk(kernel, runs, (sizes[0],), (0,) * len(strides), ((),) * len(strides), alignments)
        return
    sizes = (*sizes[:-1], sizes[-1] // width)
    strides = [(*each[:-1], each[-1] * width) for each in strides]
    for part, firsts in _parts(sizes, strides):
        factors, shifts = zip(*map(text.divider, part), strict=True)
        begin = math.prod(part), part, factors, shifts
        yield Walk(kernel, begin[0], begin, firsts, tuple(strides), alignments)


def _parts(
    sizes: tuple[int, ...], strides: Sequence[tuple[int, ...]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Parts of fewer than `MOST_RUNS` runs: their sizes, and where they begin in each operand."""
    if math.prod(sizes) < MOST_RUNS:
        yield sizes, (0,) * len(strides)
        return
    dim = sizes.index(max(sizes))
    half = sizes[dim] // 2
    for begin, size in (0, half), (half, sizes[dim] - half):
        for part, firsts in _parts((*sizes[:dim], size, *sizes[dim + 1 :]), strides):
            moved = (first + begin * each[dim] for first, each in zip(firsts, strides, strict=True))
            yield part, tuple(moved)
