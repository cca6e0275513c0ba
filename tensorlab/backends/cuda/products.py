"""The product of matrices that `matmul` runs on a GPU, and what its rungs on the ladder share.

A block computes a square of ``TILE`` × ``TILE`` results. It walks along k, ``STEP`` by ``STEP``, and brings a
panel of `a` and a panel of `b` into shared memory. Both panels are brought by the same functions: an operand
is *outer* × k numbers, where the outer dimension is m for `a` and n for `b`, and lies in shared memory as
``STEP`` lines of ``TILE`` numbers.

Names in capitals are constants of a kernel; `tensorlab.backends.cuda.constants` gives it others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.intrinsics import load4, store4, word
from tensorlab.backends.cuda.simulator import WARP, cuda

__all__ = [
    "LARGEST",
    "MIDDLE",
    "SMALLEST",
    "Sizes",
    "fetch",
    "finish",
    "keep",
    "multiply",
    "of_operands",
    "place",
    "product",
    "sizes",
    "start",
    "widen",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Sizes(NamedTuple):
    """The constants that size a kernel.

    Attributes:
        TILE, KEPT: a block computes a square of ``TILE`` × ``TILE`` results, a thread ``KEPT`` × ``KEPT``.
        STEP: how far the block goes along k at a time: so far that each thread brings four numbers of each
            operand.
        PITCH: the distance of two lines of a panel: four more than its numbers, so that threads that write
            neighbours along k do not all write to one bank.
        PANEL, PANELS: the cells of a panel, and of the two that an operand has.
        SQUARE: the results of a thread.
        ACROSS: how many warps stand side by side. The threads of a warp are 8 rows of 4.
    """

    TILE: int
    KEPT: int
    STEP: int
    PITCH: int
    PANEL: int
    PANELS: int
    SQUARE: int
    ACROSS: int

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return (self.TILE // self.KEPT) ** 2


def sizes(tile: int, kept: int) -> Sizes:
    """The constants for squares of so many results for a block and for a thread."""
    step, pitch = 4 * tile // kept**2, tile + 4
    return Sizes(tile, kept, step, pitch, step * pitch, 2 * step * pitch, kept**2, tile // (4 * kept))


SMALLEST, MIDDLE, LARGEST = sizes(16, 4), sizes(64, 4), sizes(128, 8)

# They are as small as the simulator needs; a GPU gets others.
TILE, KEPT, STEP, PITCH, PANEL, PANELS, SQUARE, ACROSS = sizes(16, 4)
# Which operands have neighbours along k, and where four neighbours can be read or written in one access.
A_ALONG_K, B_ALONG_K = True, False
WIDE_A = WIDE_B = WIDE_OUT = False
# In which numbers is computed.
number = np.float32


def widen(cell):
    """The number that a cell holds."""
    return number(cell)


def finish(total, alpha, beta, source, source_cell, residual, residual_cell):
    """The cell of a result."""
    return total


def place(me, along_k):
    """Which four numbers of a panel a thread brings: the first one's place, outer and along k."""
    if along_k:
        return me // (STEP // 4), me % (STEP // 4) * 4
    return me % (TILE // 4) * 4, me // (TILE // 4)


def fetch(x, cell, step, outer_left, k_left, along_k, is_wide):
    """Four neighbours of a matrix, so far as there are any; zeros behind its end."""
    if is_wide:
        if k_left > 0:
            v = load4(x, cell)
            return widen(v[0]), widen(v[1]), widen(v[2]), widen(v[3])
        return number(0), number(0), number(0), number(0)
    there = k_left if along_k or k_left <= 0 else outer_left
    return (
        widen(x[cell]) if there > 0 else number(0),
        widen(x[cell + step]) if there > 1 else number(0),
        widen(x[cell + 2 * step]) if there > 2 else number(0),
        widen(x[cell + 3 * step]) if there > 3 else number(0),
    )


# How `b` is brought. Under these names stand other functions where it is no matrix in memory, but found in an
# image (see `tensorlab.backends.cuda.columns`); `row` and `column` are then whatever they take.


def place_b(me):
    """Which four numbers of a panel of `b` a thread brings."""
    return place(me, B_ALONG_K)


def begin_b(first, strides, batch, row, column, outer, i):
    """Where the first four numbers are that a thread brings."""
    k_step = 1 if WIDE_B and B_ALONG_K else row
    return start(first, strides, batch) + outer * column + i * k_step


def move_b(at, row, column):
    """Where the next ones are, one step of the block along k."""
    return at + STEP * (1 if WIDE_B and B_ALONG_K else row)


def fetch_b(b, at, row, column, outer_left, k_left):
    """The numbers themselves."""
    step = (1 if WIDE_B else row) if B_ALONG_K else column
    return fetch(b, at, step, outer_left, k_left, B_ALONG_K, WIDE_B)


def keep(panel, cell, values, along_k):
    """Put four neighbours into a panel, of which the first goes into a cell."""
    if along_k:
        cell = np.uint32(cell)  # where a cell's number may be negative, Numba counts it from the end
        panel[cell] = values[0]
        panel[np.uint32(cell + PITCH)] = values[1]
        panel[np.uint32(cell + 2 * PITCH)] = values[2]
        panel[np.uint32(cell + 3 * PITCH)] = values[3]
    else:
        store4(panel, cell, values)


def multiply(a_panel, a_cell, b_panel, b_cell, totals, rows, columns):
    """One step along k: a column of `a` times a row of `b`, for the results that a thread keeps.

    It keeps squares of 4 × 4. The second begins behind the first ones of the whole warp: so the 16 bytes that
    the warp reads at a time are neighbours.
    """
    for i in range(0, KEPT, 4):
        rows[i], rows[i + 1], rows[i + 2], rows[i + 3] = load4(a_panel, a_cell + i * 8)
        columns[i], columns[i + 1], columns[i + 2], columns[i + 3] = load4(b_panel, b_cell + i * 4)
    for r in range(KEPT):
        for s in range(KEPT):
            totals[r * KEPT + s] += rows[r] * columns[s]


def multiply4(a_panels, a_cell, b_panels, b_cell, totals, rows, columns):
    """Four steps: written one by one, for the compiler leaves such a loop as it is."""
    multiply(a_panels, a_cell, b_panels, b_cell, totals, rows, columns)
    multiply(a_panels, a_cell + PITCH, b_panels, b_cell + PITCH, totals, rows, columns)
    multiply(a_panels, a_cell + 2 * PITCH, b_panels, b_cell + 2 * PITCH, totals, rows, columns)
    multiply(a_panels, a_cell + 3 * PITCH, b_panels, b_cell + 3 * PITCH, totals, rows, columns)


def start(first, strides, batch):
    """The cell at which the matrix of a block's product begins."""
    rest = np.uint32(cuda.blockIdx.z)
    for dim in range(len(batch) - 1, -1, -1):
        size = np.uint32(
            batch[dim]
        )  # to divide 64 bits takes a call, around which no wgmma can be on its way
        first += word(rest % size) * strides[dim]
        rest = np.uint32(rest // size)
    return first


def product(
    m, n, k, alpha, beta, batch, out, out_first, out_batch, out_row, out_column,
    a, a_first, a_batch, a_row, a_column, b, b_first, b_batch, b_row, b_column,
    source, source_first, source_batch, source_row, source_column,
    residual, residual_first, residual_batch, residual_row, residual_column,
):  # fmt: skip
    """``out = finish(a @ b, ...)`` for a batch of matrices of any strides.

    While a panel of each operand is multiplied, the numbers of the next ones are on their way into registers,
    and then go into the other half of shared memory: one barrier a step is enough.
    """
    a_panels = cuda.shared.array(PANELS, number, alignment=16)
    b_panels = cuda.shared.array(PANELS, number, alignment=16)
    totals = cuda.local.array(SQUARE, number)
    rows = cuda.local.array(KEPT, number)
    columns = cuda.local.array(KEPT, number)
    for r in range(SQUARE):
        totals[r] = 0

    # what the thread brings
    me = cuda.threadIdx.x
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    a_outer, a_i = place(me, A_ALONG_K)
    b_outer, b_i = place_b(me)
    a_k = 1 if WIDE_A and A_ALONG_K else a_column
    a_step = a_k if A_ALONG_K else a_row
    a_cell = start(a_first, a_batch, batch) + (top + a_outer) * a_row + a_i * a_k
    b_at = begin_b(b_first, b_batch, batch, b_row, b_column, left + b_outer, b_i)
    a_left, b_left = word(m - top - a_outer), word(n - left - b_outer)
    a_end, b_end = word(k - a_i if a_left > 0 else 0), word(k - b_i if b_left > 0 else 0)
    a_keep, b_keep = word(a_i * PITCH + a_outer), word(b_i * PITCH + b_outer)
    # what it computes
    warp, lane = me // 32, me % 32
    row = warp // ACROSS * (8 * KEPT) + lane // 4 * 4
    column = warp % ACROSS * (4 * KEPT) + lane % 4 * 4

    keep(a_panels, a_keep, fetch(a, a_cell, a_step, a_left, a_end, A_ALONG_K, WIDE_A), A_ALONG_K)
    keep(b_panels, b_keep, fetch_b(b, b_at, b_row, b_column, b_left, b_end), B_ALONG_K)
    cuda.syncthreads()
    half = word(0)
    k = word(k)
    done = word(0)
    while done < k:
        done = word(done + STEP)
        a_cell += STEP * a_k
        b_at = move_b(b_at, b_row, b_column)
        a_values = fetch(a, a_cell, a_step, a_left, word(a_end - done), A_ALONG_K, WIDE_A)
        b_values = fetch_b(b, b_at, b_row, b_column, b_left, word(b_end - done))
        multiply4(a_panels, half + row, b_panels, half + column, totals, rows, columns)
        if STEP > 4:
            multiply4(
                a_panels, half + row + 4 * PITCH, b_panels, half + column + 4 * PITCH, totals, rows, columns
            )
        if STEP > 8:
            multiply4(
                a_panels, half + row + 8 * PITCH, b_panels, half + column + 8 * PITCH, totals, rows, columns
            )
            multiply4(
                a_panels, half + row + 12 * PITCH, b_panels, half + column + 12 * PITCH, totals, rows, columns
            )
        half = word(PANEL - half)
        keep(a_panels, half + a_keep, a_values, A_ALONG_K)
        keep(b_panels, half + b_keep, b_values, B_ALONG_K)
        cuda.syncthreads()

    out_cell = start(out_first, out_batch, batch)
    source_cell = start(source_first, source_batch, batch)
    residual_cell = start(residual_first, residual_batch, batch)
    for r in range(KEPT):
        i = top + row + r // 4 * 32 + r % 4
        for s in range(0, KEPT, 4):
            j = left + column + s * 4
            if i < m and j < n:
                t, cell = r * KEPT + s, out_cell + i * out_row + j * out_column
                added = source_cell + i * source_row + j * source_column
                last = residual_cell + i * residual_row + j * residual_column
                if WIDE_OUT:
                    store4(out, cell, (
                        finish(totals[t], alpha, beta, source, added, residual, last),
                        finish(totals[t + 1], alpha, beta, source, added + source_column,
                               residual, last + residual_column),
                        finish(totals[t + 2], alpha, beta, source, added + 2 * source_column,
                               residual, last + 2 * residual_column),
                        finish(totals[t + 3], alpha, beta, source, added + 3 * source_column,
                               residual, last + 3 * residual_column),
                    ))  # fmt: skip
                else:
                    for each in range(4):
                        if j + each < n:
                            out[cell + each * out_column] = finish(
                                totals[t + each], alpha, beta, source, added + each * source_column,
                                residual, last + each * residual_column,
                            )  # fmt: skip


@functools.cache
def of_operands(
    along_k: tuple[bool, bool], wide: tuple[bool, bool, bool], size: Sizes, **names: Any
) -> Callable[..., None]:
    """`product` for operands of a kind.

    Args:
        along_k: whether `a`, and `b`, have their neighbours along k.
        wide: whether `a`, `b` and the result are read and written four neighbours at a time.
        size: how much a block and a thread compute.
        names: ``widen``, ``finish`` and ``number``.
    """
    flags = dict(zip(("A_ALONG_K", "B_ALONG_K"), along_k, strict=True))
    flags |= dict(zip(("WIDE_A", "WIDE_B", "WIDE_OUT"), wide, strict=True))
    made = specialised(product, **size._asdict(), **flags, **names)
    if size.threads >= WARP:  # as many registers as let two blocks of 256 threads stand beside each other
        vars(made)["bounds"] = size.threads, 512 // size.threads
    return made
