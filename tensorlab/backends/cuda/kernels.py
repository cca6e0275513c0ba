"""The kernels that move cells as they are: fill, copy, and what a mask chooses.

They are written as kernels for `numba.cuda` are. `cuda` says which thread runs; see
`tensorlab.backends.cuda.simulator`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.simulator import cuda

__all__ = ["choose_by_mask", "copy_bytes", "fill", "transpose"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

POSITIONS, SELECT, SCATTER = range(3)

# Of a transposed copy: a square's side, its cells in shared memory, and the rows copied at a time.
TILE, SQUARE, STEP = 8, 72, 4
LARGE = {"TILE": 32, "SQUARE": 1056, "STEP": 8}
cell_type = np.float32

# The threads of the one block that works through a mask; each takes a run of it.
RUNS = 64


def fill(cells: Any, first: int, count: int, value: Any) -> None:
    """Overwrite cells side by side with one number."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        cells[first + i] = value


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


def choose_by_mask(
    action, total, count, shape, line, line_first, mask, mask_first, mask_strides, x, x_first, x_strides
):  # fmt: skip
    """What `Core.compact` does, by one block: each thread takes a run of the mask.

    First every thread counts what its run has. A sum over the runs before it says where in the line its own
    elements begin.
    """
    counts = cuda.shared.array(RUNS, np.int64)
    me = cuda.threadIdx.x
    length = (total + RUNS - 1) // RUNS
    begin, end = me * length, min(me * length + length, total)
    found = 0
    for i in range(begin, end):
        rest = i
        cell = mask_first
        for dim in range(len(shape) - 1, -1, -1):
            cell += rest % shape[dim] * mask_strides[dim]
            rest //= shape[dim]
        if mask[cell] != 0:
            found += 1
    counts[me] = found
    cuda.syncthreads()
    place = 0
    for before in range(me):
        place += counts[before]
    for i in range(begin, end):
        rest = i
        cell, x_cell = mask_first, x_first
        for dim in range(len(shape) - 1, -1, -1):
            position = rest % shape[dim]
            rest //= shape[dim]
            cell += position * mask_strides[dim]
            if action != POSITIONS:
                x_cell += position * x_strides[dim]
        if mask[cell] != 0:
            if action == POSITIONS:
                rest = i
                for dim in range(len(shape) - 1, -1, -1):
                    line[line_first + dim * count + place] = rest % shape[dim]
                    rest //= shape[dim]
            elif action == SELECT:
                line[line_first + place] = x[x_cell]
            else:
                x[x_cell] = line[line_first + place]
            place += 1
