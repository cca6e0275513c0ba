"""The kernels that move cells as they are: fill, copy, and what a mask chooses.

They are written as kernels for `numba.cuda` are. `cuda` says which thread runs; see
`tensorlab.backends.cuda.simulator`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends.cuda.indexing import cell_of
from tensorlab.backends.cuda.intrinsics import quotient, remainder
from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.rows import WARPS, joined
from tensorlab.backends.cuda.simulator import cuda

__all__ = ["choose_by_mask", "copy_bytes", "count_by_mask", "count_up", "fill", "transpose"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

POSITIONS, SELECT, SCATTER = range(3)

# Of a transposed copy: a square's side, its cells in shared memory, and the rows copied at a time.
TILE, SQUARE, STEP = 8, 72, 4
LARGE = {"TILE": 32, "SQUARE": 1056, "STEP": 8}
cell_type = np.float32

# Of a mask: what is done where it is not 0, and in which numbers is counted.
ACTION, number = POSITIONS, np.int64


def fill(cells: Any, first: int, count: int, value: Any) -> None:
    """Overwrite cells side by side with one number."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        cells[first + i] = value


def count_up(cells: Any, first: int, count: int, value: Any, step: int) -> None:
    """Overwrite cells side by side with numbers that are a step apart."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        cells[first + i] = value + i * step


def copy_bytes(to: Any, cells: Any, count: int) -> None:
    """Overwrite the first bytes of some memory with those of other memory."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        to[i] = cells[i]


def transpose(rows, columns, batch, out, out_first, out_batch, out_row, x, x_first, x_batch, x_column):
    """Copy matrices whose columns are runs of cells to where their rows are.

    Neighbouring threads read neighbours of a column, and write neighbours of a row: a square goes through
    shared memory, whose lines are one cell longer, so that a column of it lies in as many banks as a row.
    """
    tile = cuda.shared.array(SQUARE, cell_type)
    x_cell, out_cell = start(x_first, x_batch, batch), start(out_first, out_batch, batch)
    me = cuda.threadIdx.x
    across, down = me % TILE, me // TILE
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    for i in range(down, TILE, STEP):
        if top + across < rows and left + i < columns:
            tile[i * (TILE + 1) + across] = x[x_cell + top + across + (left + i) * x_column]
    cuda.syncthreads()
    for i in range(down, TILE, STEP):
        if top + i < rows and left + across < columns:
            out[out_cell + (top + i) * out_row + left + across] = tile[across * (TILE + 1) + i]


def count_by_mask(total, length, shape, counts, mask, mask_first, mask_strides):
    """How many elements of a mask are not 0: each block counts a run of it."""
    warps = cuda.shared.array(WARPS, number)
    begin, found = cuda.blockIdx.x * length, number(0)
    for i in range(begin + cuda.threadIdx.x, min(begin + length, total), cuda.blockDim.x):
        if mask[cell_of(i, shape, mask_first, mask_strides)] != 0:
            found = number(found + 1)
    found = joined(found, warps, True)
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = found


def choose_by_mask(
    total, length, count, shape, counts, line, line_first, mask, mask_first, mask_strides,
    x, x_first, x_strides,
):  # fmt: skip
    """What `Core.compact` does, by blocks that have a run of the mask each; `counts` is what they have.

    The sum of the counts before its own says where in the line a block's elements begin. Then it goes through
    its run, and the threads add up how many of them chose, which says where each one's element goes.
    """
    warps = cuda.shared.array(WARPS, number)
    chosen = cuda.shared.array(WARPS, number)
    me, threads = cuda.threadIdx.x, cuda.blockDim.x
    lane, warp = me % 32, me // 32
    before = number(0)
    for block in range(me, cuda.blockIdx.x, threads):
        before = number(before + counts[block])
    before = joined(before, warps, True)
    begin = cuda.blockIdx.x * length
    end = min(begin + length, total)
    for first in range(begin, end, threads):
        i, own = first + me, number(0)
        if i < end and mask[cell_of(i, shape, mask_first, mask_strides)] != 0:
            own = number(1)
        place, step = own, 1
        while step < 32:
            other = cuda.shfl_up_sync(0xFFFFFFFF, place, step)
            if lane >= step:
                place = number(place + other)
            step *= 2
        if lane == 31:
            chosen[warp] = place
        cuda.syncthreads()
        of_all = number(0)
        for each in range(threads // 32):
            if each == warp:
                place = number(place + of_all)
            of_all = number(of_all + chosen[each])
        if own != 0:
            cell = line_first + before + place - 1
            if ACTION == POSITIONS:
                rest = i
                for dim in range(len(shape) - 1, -1, -1):
                    line[cell + dim * count] = remainder(rest, shape[dim])
                    rest = quotient(rest, shape[dim])
            elif ACTION == SELECT:
                line[cell] = x[cell_of(i, shape, x_first, x_strides)]
            else:
                x[cell_of(i, shape, x_first, x_strides)] = line[cell]
        cuda.syncthreads()
        before = number(before + of_all)
