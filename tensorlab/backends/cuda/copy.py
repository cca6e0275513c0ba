"""The kernels that move cells as they are: fill them, copy them, and copy what is transposed.

They are written as kernels for `numba.cuda` are. `cuda` says which thread runs; see
`tensorlab.backends.cuda.simulator`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.operands import MOST, raw
from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer, Launch, OperandLayout
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Of a transposed copy: a square's side, its cells in shared memory, and the rows copied at a time.
TILE, SQUARE, STEP = 8, 72, 4
LARGE = {"TILE": 32, "SQUARE": 1056, "STEP": 8}
cell_type = np.float32


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


def is_transposed(shape: Sequence[int], out: OperandLayout, source: OperandLayout) -> bool:
    """Whether rows are to be written of what has columns, and both are long enough to gain from it."""
    if len(shape) < 2 or min(shape[-2:]) < 8 or source.is_number or out.dtype is not source.dtype:
        return False
    if max(math.prod(shape[:-2]), ceil_div(shape[-2], TILE)) > MOST:
        return False
    return out.strides[-1] == 1 and source.strides[-2] == 1 and abs(source.strides[-1]) > 1


def prepare_transposed(
    backend: Cuda, shape: Sequence[int], out: OperandLayout, source: OperandLayout
) -> Launch:
    """Prepare to copy matrices whose columns are runs of cells to where their rows are."""
    constants = LARGE if backend.driver.threads == 256 else {}
    kernel = specialised(transpose, cell_type=source.dtype.cell.type, **constants)
    tile, step = constants.get("TILE", TILE), constants.get("STEP", STEP)
    *batch, m, n = shape
    grid = ceil_div(n, tile), ceil_div(m, tile), math.prod(batch)
    (*out_batch, out_row, _), (*batch_steps, _, column) = out.strides, source.strides

    def launch(target: Buffer, item: Buffer) -> None:
        ends = *raw(target), tuple(out_batch), out_row, *raw(item), tuple(batch_steps), column
        backend.run(kernel, grid, tile * step, m, n, tuple(batch), *ends)

    return launch
