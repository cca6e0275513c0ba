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

from tensorlab.backends.cpu.jit import kernel
from tensorlab.backends.cpu.machine import vectors

__all__ = ["TILE", "transpose_block", "transpose_tile"]

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
def _transpose_wide(typing, source, start, column, rows, columns, block, first):  # type: ignore[no-untyped-def]
    """``block[i, first + j] = source[start + i + j * column]`` for a wide tile, or what there is of it.

    The block may hold anything behind that part afterwards. Returns whether there are such tiles for these
    cells on this processor; if not, nothing is done.
    """
    wide = getattr(source.dtype, "bitwidth", 0) == 32 and vectors().size == 64

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        if not wide:
            return context.get_constant(types.boolean, False)
        read, start_value, step, rows_value, columns_value, write, first_value = arguments
        arrays = (signature.args[0], read), (signature.args[5], write)
        cells, block_cells = (context.make_array(t)(context, builder, v).data for t, v in arrays)
        index, number = ir.IntType(64), ir.IntType(32)
        vector = ir.VectorType(number, WIDE)
        source_cell = builder.gep(cells, [start_value])

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
                line = builder.select(there, index(j), builder.sub(columns_value, index(1)))
                place = builder.gep(source_cell, [builder.mul(line, step)])
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
        for i, line in enumerate(_transposed_widely(builder, tile)):
            place = builder.gep(block_cells, [builder.add(first_value, index(i * BLOCK_WIDTH))])
            builder.store(line, builder.bitcast(place, vector.as_pointer()), align=4)
        return context.get_constant(types.boolean, True)

    integer = types.int64
    return types.boolean(source, integer, integer, integer, integer, block, integer), generate


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


def _no_wide_tiles(source, start, column, rows, columns, block, first):  # type: ignore[no-untyped-def]
    return False


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    _transpose_into_block = _transpose_into_block_plainly  # type: ignore[assignment]
    transpose_wide: Any = _no_wide_tiles
    transpose_tile: Any = _transpose_tile_plainly
else:
    transpose_tile = _transpose_tile
    transpose_wide = _transpose_wide


@kernel()
def transpose_block(source, start, column, rows, columns, block):  # type: ignore[no-untyped-def]
    """``block[i, j] = source[start + i + j * column]`` for `rows` by `columns` cells.

    The source is read along its own rows, neighbours together; tiles are transposed inside registers, and
    what is left over at the edges is copied cell by cell, where tiles cannot be cut. There are at most `WIDE`
    rows; what a block holds behind the cells that are wanted may change.
    """
    done = 0
    while done < columns and transpose_wide(
        source, start + done * column, column, rows, columns - done, block, done
    ):
        done += WIDE
    if done >= columns:
        return
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
