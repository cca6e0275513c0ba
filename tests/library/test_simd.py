"""Intrinsics against their plain meaning."""

from __future__ import annotations

import numpy as np
import pytest

from tensorlab.backends.cpu.simd import BLOCK_WIDTH, TILE, transpose_block
from tests.library.test_kernels import run_interpreted

SIZES = [(16, 32), (15, 9), (8, 8), (5, 32), (16, 3), (1, 1), (16, 24), (15, BLOCK_WIDTH), (11, 100)]


@pytest.mark.parametrize("cell", ["float32", "float64", "uint16", "int8", "bool", "int64"])
def test_transpose_block_is_a_transposed_copy(cell):
    column = 50
    source = (np.arange(7 + column * BLOCK_WIDTH) % 251).astype(cell)
    for rows, columns in SIZES:
        block = np.zeros((16, BLOCK_WIDTH), cell)
        transpose_block(source, 7, column, rows, columns, block)
        expected = np.zeros_like(block)
        for i in range(rows):
            for j in range(columns):
                expected[i, j] = source[7 + i + j * column]
        np.testing.assert_array_equal(block[:rows, :columns], expected[:rows, :columns])


def test_the_twin_does_the_same():
    """The tests above once more, with the intrinsics' plain Python in their place."""
    run_interpreted(__file__, "transposed_copy")


def test_tiles_fill_a_block():
    assert BLOCK_WIDTH % TILE == 0
