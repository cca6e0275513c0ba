"""Rung 6: a tile of the result stays in vector registers over all steps of k, and memory sees it once."""

from __future__ import annotations

import numpy as np
from numba import njit

from tensorlab.backends.cpu import jit, machine
from tensorlab.backends.cpu.gemm.blocks import blocks
from tensorlab.backends.cpu.gemm.registers import add_outer, store_partly, zeros
from tensorlab.backends.cpu.pointers import advance, at

BYTES = machine.vectors().size  # of a vector register
VECTORS = 3  # to a row of a tile

_SIZES = blocks(8)  # in numbers of float64; those of float32 take half the room
ROWS, STEPS, HEIGHT, COLUMNS = _SIZES.rows, _SIZES.steps, _SIZES.height, _SIZES.columns


@jit.kernel()
def vectorised(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """The five loops of every fast matrix product, on one thread.

    A block of B stays in the second-level cache, a strip of A in the first, a tile of the result in
    registers. Both operands are copied into the order in which the tile reads them, and filled up with zeros.

    Goto and van de Geijn, *Anatomy of High-Performance Matrix Multiplication* (2008), found this form. In the
    names that BLIS gave it `COLUMNS` is NC, `STEPS` KC, `HEIGHT` MC, `ROWS` MR and `width` NR; loops 1, 2 and
    3 are jc, pc and ic, 4 and 5 the macro-kernel, and `_tile` is the micro-kernel.

    Args:
        a, b, out: of shapes (m, k), (k, n) and (m, n); see `tensorlab.gemm`.
    """
    m, k = a.shape
    n = b.shape[1]
    width = VECTORS * BYTES // out.itemsize
    panels = np.empty((COLUMNS + width) * STEPS, b.dtype)
    strips = np.empty((HEIGHT + ROWS) * STEPS, a.dtype)
    cells = out.reshape(-1)
    cells[:] = 0
    for j in range(0, n, COLUMNS):  # 1: blocks of columns
        columns = min(COLUMNS, n - j)
        for p in range(0, k, STEPS):  # 2: blocks of steps
            steps = min(STEPS, k - p)
            _pack(b[p : p + steps, j : j + columns], width, panels)
            for i in range(0, m, HEIGHT):  # 3: blocks of rows
                rows = min(HEIGHT, m - i)
                _pack(a[i : i + rows, p : p + steps].T, ROWS, strips)
                for r in range(0, rows, ROWS):  # 4: strips as high as a tile
                    for q in range(0, columns, width):  # 5: tiles
                        strip, panel = at(strips, r * steps), at(panels, q * steps)
                        corner = at(cells, (i + r) * n + j + q)
                        high, wide = min(ROWS, rows - r), min(width, columns - q)
                        _tile(steps, strip, panel, width, corner, n, high, wide)


@njit(error_model="numpy")
def _pack(block: np.ndarray, width: int, to: np.ndarray) -> None:
    """Strips of `width` columns, one after the other, row by row. What a strip lacks at the edge is 0."""
    steps, columns = block.shape
    for j in range(0, columns, width):
        for p in range(steps):
            row = to[j * steps + p * width : j * steps + (p + 1) * width]
            for q in range(width):
                row[q] = block[p, j + q] if j + q < columns else 0


@njit(error_model="numpy")
def _tile(steps, a, b, width, c, c_row, rows, columns):  # type: ignore[no-untyped-def]
    """Add a strip of A times a panel of B to a tile of the result. Each step adds an outer product."""
    sums = zeros(b, ROWS, VECTORS, BYTES)
    for _ in range(steps):
        sums = add_outer(sums, a, 1, b)
        a = advance(a, ROWS)
        b = advance(b, width)
    store_partly(sums, c, c_row, rows, columns, True)
