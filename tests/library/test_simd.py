"""Intrinsics against their plain meaning."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from tensorlab.backends.cpu.simd import TILE, WIDE, transpose_block
from tests.library.test_kernels import run, run_interpreted

# Rows, columns, and the rows of the source above the first.
SIZES = [(16, 32, 0), (15, 9, 0), (8, 8, 0), (5, 32, 0), (5, 32, 3), (16, 3, 0), (1, 1, 16), (1, 9, 16)]
SIZES += [(16, 24, 0), (15, 256, 0), (16, 255, 16), (11, 100, 0), (7, 31, 1), (7, 31, 0), (15, 17, 4)]
COLUMN, START = 50, 20


@njit
def transpose(source, start, column, rows, above, columns, block, first, line):
    transpose_block(source, start, column, rows, above, columns, block, first, line)


@pytest.mark.parametrize("cell", ["float32", "float64", "uint16", "int8", "bool", "int64"])
def test_transpose_block_is_a_transposed_copy(cell):
    source = (np.arange(START + COLUMN * 256) % 251).astype(cell)
    for rows, columns, above in SIZES:
        for line in (columns, 256):
            first = TILE * line
            block = np.zeros(first + WIDE * line + WIDE, cell)
            transpose(source, START, COLUMN, rows, above, columns, block, first, line)
            lines = block[first : first + rows * line].reshape(rows, line)
            expected = source[START + np.arange(rows)[:, None] + np.arange(columns) * COLUMN]
            np.testing.assert_array_equal(lines[:, :columns], expected)


def test_the_twin_does_the_same():
    """The tests above once more, with the intrinsics' plain Python in their place."""
    run_interpreted(__file__, "transposed_copy")


def test_wide_tiles_do_the_same(tmp_path):
    """The test above once more, as on a processor with vectors of 64 bytes."""
    program = (
        "from tensorlab.backends.cpu import machine, simd\n"
        "simd.vectors = lambda: machine.Vectors(64, 32)\n"
        "from tests.library.test_simd import test_transpose_block_is_a_transposed_copy as test\n"
        "test('float32'), test('int32')\n"
    )
    run(program, NUMBA_DISABLE_JIT="0", TENSORLAB_CACHE_DIR=str(tmp_path))
