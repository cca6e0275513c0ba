"""What Numba's Python cannot say: whole vectors and shuffles, as intrinsics of the compiler underneath.

Each intrinsic has a twin in plain Python, which takes its place under ``NUMBA_DISABLE_JIT=1``: the twin says
what the intrinsic does, and the tests compare the two.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

from tensorlab.backends.cpu.intrinsics import lesser
from tensorlab.backends.cpu.jit import helper
from tensorlab.backends.cpu.machine import vectors
from tensorlab.backends.cpu.pointers import at

__all__ = ["TILE", "WIDE", "transpose_block", "transpose_tile"]

# Rows and columns of the tile that is transposed inside registers: 8 vectors of 8 cells.
TILE = 8
# The same of cells of 4 bytes where a register holds 16 of them.
WIDE = 16


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


def _quarters(pattern: list[int]) -> list[int]:
    """The lanes of a shuffle that does the same in each quarter; 4 and above are the second vector's."""
    return [
        (lane % 4 + quarter) + (WIDE if lane >= 4 else 0) for quarter in range(0, WIDE, 4) for lane in pattern
    ]


def _whole_quarters(pattern: list[int]) -> list[int]:
    """The lanes of a shuffle that moves whole quarters."""
    return [4 * quarter + lane for quarter in pattern for lane in range(4)]


# The steps by which a wide tile is transposed: how far apart two vectors are, and their two shuffles. In the
# first two, cells change places within a quarter of a vector, which the processor does four at a time.
_STEPS = (
    (1, _quarters([0, 4, 1, 5]), _quarters([2, 6, 3, 7])),
    (2, _quarters([0, 1, 4, 5]), _quarters([2, 3, 6, 7])),
    (4, _whole_quarters([0, 2, 4, 6]), _whole_quarters([1, 3, 5, 7])),
    (8, _whole_quarters([0, 2, 4, 6]), _whole_quarters([1, 3, 5, 7])),
)


def _transposed_widely(builder: ir.IRBuilder, rows: list[Any]) -> list[Any]:
    """The columns of a wide tile whose rows are these vectors, as vectors."""
    lanes = ir.VectorType(ir.IntType(32), WIDE)
    for distance, low, high in _STEPS:
        for i in range(WIDE):
            if i & distance == 0:
                a, b = rows[i], rows[i + distance]
                rows[i], rows[i + distance] = (
                    builder.shuffle_vector(a, b, ir.Constant(lanes, mask)) for mask in (low, high)
                )
    # The first two steps leave the second and third of four columns exchanged.
    return [rows[column & ~3 | (column & 1) << 1 | column >> 1 & 1] for column in range(WIDE)]


@intrinsic
def _transpose_wide(typing, source, column, rows, columns, to, line):  # type: ignore[no-untyped-def]
    """``to[i * line + j] = source[i + j * column]`` for a wide tile, or what there is of it.

    From pointer to pointer. Whole vectors are written, one line after another: behind that part there may be
    anything afterwards. Returns whether there are such tiles for these cells on this processor; if not,
    nothing is done.
    """
    wide = getattr(source.dtype, "bitwidth", 0) == 32 and vectors().size == 64

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        if not wide:
            return context.get_constant(types.boolean, False)
        source_cell, step, rows_value, columns_value, write, line_value = arguments
        index, number = ir.IntType(64), ir.IntType(32)
        vector = ir.VectorType(number, WIDE)

        def whole() -> list[Any]:
            places = [builder.gep(source_cell, [builder.mul(index(j), step)]) for j in range(WIDE)]
            return [
                builder.load(builder.bitcast(place, vector.as_pointer()), align=4, typ=vector)
                for place in places
            ]

        def part() -> list[Any]:
            lanes = ir.VectorType(index, WIDE)
            given = builder.icmp_signed(
                "<", ir.Constant(lanes, list(range(WIDE))), _same(builder, rows_value)
            )
            kind = ir.FunctionType(vector, [ir.PointerType(), number, given.type, vector])
            load = cgutils.get_or_insert_function(builder.module, kind, "llvm.masked.load.v16i32.p0")
            loaded = []
            for j in range(WIDE):
                # The last again where there are no more: a load of nothing takes as long as a hundred others.
                there = builder.icmp_signed("<", index(j), columns_value)
                nearest = builder.select(there, index(j), builder.sub(columns_value, index(1)))
                place = builder.gep(source_cell, [builder.mul(nearest, step)])
                loaded.append(builder.call(load, [place, number(4), given, ir.Constant(vector, None)]))
            return loaded

        least = [builder.icmp_signed(">=", size, index(WIDE)) for size in (rows_value, columns_value)]
        with builder.if_else(builder.and_(*least), likely=True) as (then, otherwise):
            with then:
                complete = whole()
                after_whole = builder.block
            with otherwise:
                incomplete = part()
                after_part = builder.block
        tile = []
        for one, other in zip(complete, incomplete, strict=True):
            row = builder.phi(vector)
            row.add_incoming(one, after_whole)
            row.add_incoming(other, after_part)
            tile.append(row)
        for cells in _transposed_widely(builder, tile):
            builder.store(cells, builder.bitcast(write, vector.as_pointer()), align=4)
            write = builder.gep(write, [line_value])
        return context.get_constant(types.boolean, True)

    integer = types.int64
    return types.boolean(source, integer, integer, integer, to, integer), generate


def _same(builder: ir.IRBuilder, value: Any) -> Any:
    """A vector with the same number in every lane."""
    lanes = ir.VectorType(value.type, WIDE)
    first = builder.insert_element(ir.Constant(lanes, ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), WIDE), [0] * WIDE))


@intrinsic
def _transpose_tile(typing_context, source, column, to, row):  # type: ignore[no-untyped-def]
    """``to[i * row + j] = source[i + j * column]`` for a whole tile, between pointers."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        read, column_value, write, row_value = arguments
        size = getattr(source.dtype, "bitwidth", 8) // 8  # Numba's bools have no number of bits
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


def _no_wide_tiles(source, column, rows, columns, to, line):  # type: ignore[no-untyped-def]
    return False


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    transpose_wide: Any = _no_wide_tiles
    transpose_tile: Any = _transpose_tile_plainly
else:
    transpose_tile = _transpose_tile
    transpose_wide = _transpose_wide


@helper
def transpose_block(source, start, column, rows, above, columns, block, first, line):  # type: ignore[no-untyped-def]
    """``block[first + i * line + j] = source[start + i + j * column]`` for `rows` by `columns` cells.

    The source is read along its own rows, neighbours together, and tiles are transposed inside registers.
    Tiles that would not fit begin earlier: they have cells in common, and perhaps some of the `above` rows
    that the source has before the first. Where there is no room for a tile, cells are copied one by one.

    There are at most `WIDE` rows, and no more columns than cells to a line. `block` has `TILE` lines before
    `first`, and `WIDE` lines and `WIDE` cells behind it. What they hold beside the cells that are wanted may
    change.
    """
    # The last tile comes first: what it writes behind the ends of lines is written again by the others.
    last = (columns - 1) // WIDE * WIDE
    corner, to = at(source, start + last * column), at(block, first + last)
    if transpose_wide(corner, column, rows, columns - last, to, line):
        for j in range(0, last, WIDE):
            transpose_wide(at(source, start + j * column), column, rows, WIDE, at(block, first + j), line)
    elif columns < TILE or rows + above < TILE:
        for j in range(columns):
            for i in range(rows):
                block[first + i * line + j] = source[start + i + j * column]
    else:
        for j in range(0, columns, TILE):
            left = lesser(j, columns - TILE)
            for i in range(0, rows, TILE):
                top = lesser(i, rows - TILE)
                corner, to = at(source, start + top + left * column), at(block, first + top * line + left)
                transpose_tile(corner, column, to, line)
