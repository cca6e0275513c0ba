"""What Numba's Python cannot say: whole vectors and shuffles, as intrinsics of the compiler underneath.

Each intrinsic has a twin in plain Python, which takes its place under ``NUMBA_DISABLE_JIT=1``: the twin says
what the intrinsic does, and the tests compare the two.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from tensorlab.backends.cpu.jit import kernel

__all__ = ["TILE", "transpose_block", "transpose_tile"]

# Rows and columns of the tile that is transposed inside registers: 8 vectors of 8 cells.
TILE = 8


def _transposed(builder: ir.IRBuilder, rows: list[Any]) -> list[Any]:
    """The columns of a tile whose rows are these vectors, as vectors."""
    rows = list(rows)
    # Exchange the off-diagonal quarters of ever larger squares: distance 1, then 2, then 4.
    distance = 1
    while distance < TILE:
        for i in range(TILE):
            if i & distance == 0:
                a, b = rows[i], rows[i + distance]
                upper = [c if c & distance == 0 else TILE + c - distance for c in range(TILE)]
                lower = [c + distance if c & distance == 0 else TILE + c for c in range(TILE)]
                rows[i], rows[i + distance] = (
                    builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), TILE), mask))
                    for mask in (upper, lower)
                )
        distance *= 2
    return rows


@intrinsic
def _transpose_into_block(typing_context, source, start, column, block, row, first):  # type: ignore[no-untyped-def]
    """``block[row + i, first + j] = source[start + i + j * column]`` for a whole tile."""
    cell = source.dtype
    integer = types.int64

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        source_value, start_value, column_value, block_value, row_value, first_value = arguments
        source_array = context.make_array(signature.args[0])(context, builder, source_value)
        block_array = context.make_array(signature.args[3])(context, builder, block_value)
        size = cell.bitwidth // 8 if hasattr(cell, "bitwidth") else 1
        number = ir.IntType(size * 8)
        vector = ir.VectorType(number, TILE)
        index = ir.IntType(64)

        def address(array: Any, position: Any) -> Any:
            offset = builder.mul(position, ir.Constant(index, size))
            first_cell = builder.ptrtoint(array.data, index)
            return builder.inttoptr(builder.add(first_cell, offset), ir.PointerType())

        width = ir.Constant(index, block_width)
        rows = []
        position = start_value
        for _ in range(TILE):
            loaded = builder.load(address(source_array, position), typ=vector)
            loaded.align = size
            rows.append(loaded)
            position = builder.add(position, column_value)
        for i, column_of_tile in enumerate(_transposed(builder, rows)):
            line = builder.mul(builder.add(row_value, ir.Constant(index, i)), width)
            stored = builder.store(column_of_tile, address(block_array, builder.add(line, first_value)))
            stored.align = size
        return context.get_dummy_value()

    block_width = BLOCK_WIDTH
    signature = types.void(source, integer, integer, block, integer, integer)
    return signature, generate


# The width of the blocks that tiles are written into; `tensorlab.backends.cpu.templates` makes them.
BLOCK_WIDTH = 256


@intrinsic
def _transpose_tile(typing_context, source, column, to, row):  # type: ignore[no-untyped-def]
    """``to[i * row + j] = source[i + j * column]`` for a whole tile, between pointers."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        read, column_value, write, row_value = arguments
        size = source.dtype.bitwidth // 8
        vector = ir.VectorType(ir.IntType(size * 8), TILE)
        rows = []
        for _ in range(TILE):
            address = builder.bitcast(read, vector.as_pointer())
            rows.append(builder.load(address, align=size, typ=vector))
            read = builder.gep(read, [column_value])
        for column_of_tile in _transposed(builder, rows):
            builder.store(column_of_tile, builder.bitcast(write, vector.as_pointer()), align=size)
            write = builder.gep(write, [row_value])
        return context.get_dummy_value()

    return types.void(source, types.int64, to, types.int64), generate


def _transpose_tile_plainly(source, column, to, row):  # type: ignore[no-untyped-def]
    for i in range(TILE):
        for j in range(TILE):
            to[i * row + j] = source[i + j * column]


def _transpose_into_block_plainly(source, start, column, block, row, first):  # type: ignore[no-untyped-def]
    for i in range(TILE):
        for j in range(TILE):
            block[row + i, first + j] = source[start + i + j * column]


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    _transpose_into_block = _transpose_into_block_plainly  # type: ignore[assignment]
    transpose_tile: Any = _transpose_tile_plainly
else:
    transpose_tile = _transpose_tile


@kernel()
def transpose_block(source, start, column, rows, columns, block):  # type: ignore[no-untyped-def]
    """``block[i, j] = source[start + i + j * column]`` for `rows` by `columns` cells.

    The source is read along its own rows, neighbours together; tiles are transposed inside registers, and
    what is left over at the edges is copied cell by cell.
    """
    whole_rows, whole_columns = rows - rows % TILE, columns - columns % TILE
    for j in range(0, whole_columns, TILE):
        for i in range(0, whole_rows, TILE):
            _transpose_into_block(source, start + i + j * column, column, block, i, j)  # type: ignore[call-arg]
        for i in range(whole_rows, rows):
            for k in range(j, j + TILE):
                block[i, k] = source[start + i + k * column]
    for j in range(whole_columns, columns):
        for i in range(rows):
            block[i, j] = source[start + i + j * column]
