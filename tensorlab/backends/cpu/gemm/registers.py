"""A tile of the result in vector registers: what Numba's Python cannot say, as intrinsics of the compiler.

A tile is a small matrix of numbers, some rows of a few vectors each. It can do five things: begin as zeros,
add an outer product, add those of a run of steps, add another tile, and go to memory. Every operation has a
twin in plain Python, where a tile is a NumPy array, which takes its place under ``NUMBA_DISABLE_JIT=1``: read
the twins to see what the intrinsics do.

Pointers are those of `tensorlab.backends.cpu.pointers`; rows and columns count numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from tensorlab.backends.cpu.pointers import Pointer

__all__ = [
    "Tile",
    "add_outer",
    "add_outer_at",
    "add_run",
    "add_run_partly",
    "plus",
    "store",
    "store_partly",
    "zeros",
]

INDEX = ir.IntType(64)
SHORT = ir.IntType(32)


class Tile(types.Type):
    """The compiler's type of a tile: `rows` × `vectors` vectors of `lanes` numbers."""

    def __init__(self, number: Any, rows: int, vectors: int, lanes: int) -> None:
        self.number, self.rows, self.vectors, self.lanes = number, rows, vectors, lanes
        super().__init__(f"Tile({number}, {rows}, {vectors}, {lanes})")

    @property
    def vector(self) -> ir.VectorType:
        """One register."""
        if isinstance(self.number, types.Float):
            element = ir.FloatType() if self.number.bitwidth == 32 else ir.DoubleType()
        else:
            element = ir.IntType(self.number.bitwidth)
        return ir.VectorType(element, self.lanes)


@register_model(Tile)
class _TileModel(models.PrimitiveModel):
    """A tile is an array of vectors, each of which the compiler puts into a register."""

    def __init__(self, manager: Any, tile: Tile) -> None:
        super().__init__(manager, tile, ir.ArrayType(tile.vector, tile.rows * tile.vectors))


class Writer:
    """Writes the instructions of one operation on a tile."""

    def __init__(self, builder: Any, tile: Tile) -> None:
        self.builder, self.tile = builder, tile
        self.size = tile.number.bitwidth // 8
        self.suffix = f"v{tile.lanes}{'f' if tile.vector.element in _FLOATS else 'i'}{tile.number.bitwidth}"

    def spread(self, number: Any) -> Any:
        """A vector with the same number in every lane."""
        vector = ir.VectorType(number.type, self.tile.lanes)
        empty = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(empty, number, SHORT(0))
        order = ir.Constant(ir.VectorType(SHORT, self.tile.lanes), [0] * self.tile.lanes)
        return self.builder.shuffle_vector(first, empty, order)

    def multiply_add(self, a: Any, b: Any, total: Any) -> Any:
        """``a * b + total``; of floats in one instruction, rounded once, where the processor has it."""
        if self.tile.vector.element not in _FLOATS:
            return self.builder.add(self.builder.mul(a, b), total)
        return self._call("llvm.fmuladd." + self.suffix, self.tile.vector, [a, b, total])

    def add(self, a: Any, b: Any) -> Any:
        """The sum of two vectors."""
        return (self.builder.fadd if self.tile.vector.element in _FLOATS else self.builder.add)(a, b)

    def moved(self, pointer: Any, numbers: Any) -> Any:
        """The pointer, so many numbers further on."""
        return self.builder.gep(pointer, [INDEX(numbers) if isinstance(numbers, int) else numbers])

    def vector_at(self, pointer: Any, vector: int) -> Any:
        """The address of one of the vectors that begin at a pointer."""
        first = self.moved(pointer, vector * self.tile.lanes)
        return self.builder.bitcast(first, self.tile.vector.as_pointer())

    def load(self, pointer: Any, vector: int, mask: Any = None) -> Any:
        """A vector from memory; with a mask, only the lanes that it names are read and the others are 0."""
        address = self.vector_at(pointer, vector)
        if mask is None:
            return self.builder.load(address, align=self.size, typ=self.tile.vector)
        nothing = ir.Constant(self.tile.vector, None)
        name = f"llvm.masked.load.{self.suffix}.p0"
        return self._call(name, self.tile.vector, [address, mask, nothing])

    def save(self, value: Any, pointer: Any, vector: int, mask: Any = None) -> None:
        """A vector to memory; with a mask, only the lanes that it names."""
        address = self.vector_at(pointer, vector)
        if mask is None:
            self.builder.store(value, address, align=self.size)
        else:
            name = f"llvm.masked.store.{self.suffix}.p0"
            self._call(name, ir.VoidType(), [value, address, mask])

    def mask(self, vector: int, columns: Any) -> Any:
        """Which lanes of one of the vectors of a row lie before `columns`."""
        lanes = ir.VectorType(INDEX, self.tile.lanes)
        first = vector * self.tile.lanes
        numbers = ir.Constant(lanes, [first + lane for lane in range(self.tile.lanes)])
        return self.builder.icmp_signed("<", numbers, self.spread(columns))

    def add_outer(self, value: Any, a: Any, rows: list[Any], vectors: list[Any]) -> Any:
        """The tile, plus the outer product of the numbers at ``a + rows[i]`` and some vectors."""
        for i, row in enumerate(rows):
            number = self.builder.load(self.moved(a, row), align=self.size, typ=self.tile.vector.element)
            weight = self.spread(number)
            for j, vector in enumerate(vectors):
                place = i * self.tile.vectors + j
                total = self.multiply_add(weight, vector, self.builder.extract_value(value, place))
                value = self.builder.insert_value(value, total, place)
        return value

    def add_run(
        self,
        value: Any,
        steps: Any,
        a: Any,
        a_step: Any,
        b: Any,
        b_row: Any,
        rows: list[Any],
        masks: list[Any],
    ) -> Any:
        """The tile, plus so many outer products: `a` and `b` move on by `a_step` and `b_row` after each.

        The loop is written here: as one of Python's it would take longer to compile.
        """
        builder = self.builder
        before = builder.block
        head, body, behind = (builder.append_basic_block(name) for name in ("run", "step", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        places = range(self.tile.rows * self.tile.vectors)
        begun = [INDEX(0), a, b]
        with builder.goto_block(before):
            begun += [builder.extract_value(value, place) for place in places]
        state = [builder.phi(each.type) for each in begun]
        for variable, first in zip(state, begun, strict=True):
            variable.add_incoming(first, before)
        step, x, y, *totals = state
        for place, total in zip(places, totals, strict=True):
            value = builder.insert_value(value, total, place)
        builder.cbranch(builder.icmp_signed("<", step, steps), body, behind)
        builder.position_at_end(body)
        vectors = [self.load(y, j, mask) for j, mask in enumerate(masks)]
        grown = self.add_outer(value, x, rows, vectors)
        moved = [builder.add(step, INDEX(1)), self.moved(x, a_step), self.moved(y, b_row)]
        moved += [builder.extract_value(grown, place) for place in places]
        for variable, later in zip(state, moved, strict=True):
            variable.add_incoming(later, builder.block)
        builder.branch(head)
        builder.position_at_end(behind)
        return value

    def store_row(self, value: Any, i: int, pointer: Any, adds: Any, masks: list[Any]) -> None:
        """One row of the tile to memory, or added to what is there."""
        totals = [self.builder.extract_value(value, i * self.tile.vectors + j) for j in range(len(masks))]
        with self.builder.if_else(adds) as (adding, replacing):
            with adding:
                for j, (total, mask) in enumerate(zip(totals, masks, strict=True)):
                    self.save(self.add(self.load(pointer, j, mask), total), pointer, j, mask)
            with replacing:
                for j, (total, mask) in enumerate(zip(totals, masks, strict=True)):
                    self.save(total, pointer, j, mask)

    def _call(self, name: str, result: Any, arguments: list[Any]) -> Any:
        declared = ir.FunctionType(result, [argument.type for argument in arguments])
        function = self.builder.module.globals.get(name) or ir.Function(self.builder.module, declared, name)
        return self.builder.call(function, arguments)


_FLOATS = (ir.FloatType(), ir.DoubleType())


@intrinsic(prefer_literal=True)
def _zeros(typing, pointer, rows, vectors, size):
    sizes = (rows, vectors, size)
    if not all(isinstance(number, types.IntegerLiteral) for number in sizes):
        return None
    lanes = size.literal_value * 8 // pointer.dtype.bitwidth
    tile = Tile(pointer.dtype, rows.literal_value, vectors.literal_value, lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(context.get_value_type(tile), None)

    return tile(pointer, *sizes), generate


@intrinsic
def _add_outer(typing, tile, a, a_row, b):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, a_value, row_value, b_value = arguments
        write = Writer(builder, tile)
        rows = [builder.mul(row_value, INDEX(i)) for i in range(tile.rows)]
        return write.add_outer(value, a_value, rows, [write.load(b_value, j) for j in range(tile.vectors)])

    return tile(tile, a, types.intp, b), generate


@intrinsic
def _add_outer_at(typing, tile, a, places, b):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, a_value, places_value, b_value = arguments
        write = Writer(builder, tile)
        rows = [write.moved(places_value, i) for i in range(tile.rows)]
        offsets = [builder.load(place, align=8, typ=INDEX) for place in rows]
        return write.add_outer(value, a_value, offsets, [write.load(b_value, j) for j in range(tile.vectors)])

    return tile(tile, a, types.CPointer(types.int64), b), generate


@intrinsic
def _add_run(typing, tile, steps, a, a_row, a_step, b, b_row):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, steps_value, a_value, row_value, step_value, b_value, b_step = arguments
        write = Writer(builder, tile)
        rows = [builder.mul(row_value, INDEX(i)) for i in range(tile.rows)]
        masks = [None] * tile.vectors
        return write.add_run(value, steps_value, a_value, step_value, b_value, b_step, rows, masks)

    word = types.intp
    return tile(tile, word, a, word, word, b, word), generate


@intrinsic
def _add_run_partly(typing, tile, steps, rows, columns, a, a_row, a_step, b, b_row):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, steps_value, rows_value, columns_value, a_value, row_value, step_value, b_value, b_step = (
            arguments
        )
        write = Writer(builder, tile)
        last = builder.sub(rows_value, INDEX(1))
        offsets = []
        for i in range(tile.rows):  # beyond the last row, the last row once more
            within = builder.icmp_signed("<", INDEX(i), last)
            offsets.append(builder.mul(row_value, builder.select(within, INDEX(i), last)))
        whole = tile.vectors - 1
        masks = [*[None] * whole, write.mask(whole, columns_value)]
        return write.add_run(value, steps_value, a_value, step_value, b_value, b_step, offsets, masks)

    word = types.intp
    return tile(tile, word, word, word, a, word, word, b, word), generate


@intrinsic
def _plus(typing, tile, other):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, other_value = arguments
        write = Writer(builder, tile)
        for place in range(tile.rows * tile.vectors):
            pair = builder.extract_value(value, place), builder.extract_value(other_value, place)
            value = builder.insert_value(value, write.add(*pair), place)
        return value

    return (tile(tile, other), generate) if tile == other else None


@intrinsic
def _store(typing, tile, c, c_row, adds):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, pointer, row_value, adds_value = arguments
        write = Writer(builder, tile)
        for i in range(tile.rows):
            write.store_row(value, i, pointer, adds_value, [None] * tile.vectors)
            pointer = write.moved(pointer, row_value)
        return context.get_dummy_value()

    return types.none(tile, c, types.intp, types.boolean), generate


@intrinsic
def _store_partly(typing, tile, c, c_row, rows, columns, adds):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, pointer, row_value, rows_value, columns_value, adds_value = arguments
        write = Writer(builder, tile)
        masks = [write.mask(vector, columns_value) for vector in range(tile.vectors)]
        for i in range(tile.rows):
            with builder.if_then(builder.icmp_signed("<", INDEX(i), rows_value)):
                write.store_row(
                    value, i, write.moved(pointer, builder.mul(row_value, INDEX(i))), adds_value, masks
                )
        return context.get_dummy_value()

    return types.none(tile, c, types.intp, types.intp, types.intp, types.boolean), generate


def _zeros_plainly(pointer: Pointer, rows: int, vectors: int, size: int) -> np.ndarray:
    return np.zeros((rows, vectors * size // pointer.array.itemsize), pointer.array.dtype)


def _add_outer_plainly(tile: np.ndarray, a: Pointer, a_row: int, b: Pointer) -> np.ndarray:
    return _add_run_plainly(tile, 1, a, a_row, 0, b, 0)


def _add_outer_at_plainly(tile: np.ndarray, a: Pointer, places: Pointer, b: Pointer) -> np.ndarray:
    rows, columns = tile.shape
    for i in range(rows):
        for j in range(columns):
            tile[i, j] += a[places[i]] * b[j]
    return tile


def _add_run_plainly(
    tile: np.ndarray, steps: int, a: Pointer, a_row: int, a_step: int, b: Pointer, b_row: int
) -> np.ndarray:
    rows, columns = tile.shape
    return _add_run_partly_plainly(tile, steps, rows, columns, a, a_row, a_step, b, b_row)


def _add_run_partly_plainly(
    tile: np.ndarray,
    steps: int,
    rows: int,
    columns: int,
    a: Pointer,
    a_row: int,
    a_step: int,
    b: Pointer,
    b_row: int,
) -> np.ndarray:
    tile = tile.copy()
    for p in range(steps):
        for i in range(rows):
            for j in range(columns):
                tile[i, j] += a[i * a_row + p * a_step] * b[p * b_row + j]
    return tile


def _plus_plainly(tile: np.ndarray, other: np.ndarray) -> np.ndarray:
    return tile + other


def _store_plainly(tile: np.ndarray, c: Pointer, c_row: int, adds: bool) -> None:
    rows, columns = tile.shape
    _store_partly_plainly(tile, c, c_row, rows, columns, adds)


def _store_partly_plainly(
    tile: np.ndarray, c: Pointer, c_row: int, rows: int, columns: int, adds: bool
) -> None:
    for i in range(rows):
        for j in range(columns):
            c[i * c_row + j] = c[i * c_row + j] + tile[i, j] if adds else tile[i, j]


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    zeros: Any = _zeros_plainly
    add_outer: Any = _add_outer_plainly
    add_outer_at: Any = _add_outer_at_plainly
    add_run: Any = _add_run_plainly
    add_run_partly: Any = _add_run_partly_plainly
    plus: Any = _plus_plainly
    store: Any = _store_plainly
    store_partly: Any = _store_partly_plainly
else:
    # zeros(pointer, rows, vectors, size): a tile of numbers of the pointer's type, of so many rows of so many
    # vectors of `size` bytes. The sizes are constants.
    zeros = _zeros
    # add_outer(tile, a, a_row, b): tile[i, j] + a[i * a_row] * b[j]
    add_outer = _add_outer
    # add_outer_at(tile, a, places, b): tile[i, j] + a[places[i]] * b[j], whose rows lie anywhere in `a`
    add_outer_at = _add_outer_at
    # add_run(tile, steps, a, a_row, a_step, b, b_row): the outer products of so many steps, one after
    # another: tile[i, j] + a[i * a_row + p * a_step] * b[p * b_row + j] for each step p.
    add_run = _add_run
    # add_run_partly(tile, steps, rows, columns, a, a_row, a_step, b, b_row): the same, where `a` has only so
    # many rows and `b` so many columns, which end in the tile's last vector. Nothing beyond them is read.
    add_run_partly = _add_run_partly
    # plus(tile, other): tile[i, j] + other[i, j]
    plus = _plus
    # store(tile, c, c_row, adds): c[i * c_row + j] becomes tile[i, j], or grows by it.
    store = _store
    # store_partly(tile, c, c_row, rows, columns, adds): the same for the first rows and columns only.
    store_partly = _store_partly
