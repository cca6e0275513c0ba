"""Folds of floats by whole vectors, as intrinsics of the compiler underneath.

The compiler makes vectors of a plain loop, too, but what is left over behind the last of them it takes in
loops of their own, and no loop that asks for memory ahead becomes vectors. Here the last vector of a row is
told which of its lanes count, and each step asks for the memory of a later one.

Four functions for each way to join: ``add_run`` folds cells that lie side by side into one number,
``add_streams`` four such runs at a time into one number, ``add_each`` four of them into one number each, and
``add_rows`` rows of cells into one row; so do ``multiply_run``, ``greatest_run``, ``least_run``, and so on.
Each has a twin in plain Python, which takes its place under ``NUMBA_DISABLE_JIT=1``: read the twins to see
what the intrinsics do. Pointers are those of `tensorlab.backends.cpu.pointers`.

Vectors have the same number of lanes on every processor, so that a sum is the same number everywhere.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from tensorlab.backends.cpu.gemm import registers
from tensorlab.backends.cpu.gemm.registers import INDEX, SHORT, Tile, Writer
from tensorlab.backends.cpu.pointers import LINE, Pointer, advance

__all__ = [
    "IMPORT",
    "STREAMS",
    "add_each",
    "add_rows",
    "add_run",
    "add_streams",
    "greatest_each",
    "greatest_rows",
    "greatest_run",
    "greatest_streams",
    "least_each",
    "least_rows",
    "least_run",
    "least_streams",
    "multiply_each",
    "multiply_rows",
    "multiply_run",
    "multiply_streams",
]

# Bytes to a vector. A shorter register takes it in two or four pieces.
SIZE = 64
# Vectors to a step of a run. Each has a total of its own, so that no addition waits for the one before.
VECTORS = 4
# How far ahead of a run memory is asked for, in bytes. Whole pages further on, it would fall into the own
# places of the first-level cache of what is read now.
AHEAD = 5120

# Runs that are folded at the same time. Memory gives more where it is read in several places: a processor
# asks for what comes next by itself, but for each place only so much.
STREAMS = 4

# Rows that are read together, so that a total is loaded and stored once for all of them. More would be more
# places to read from at once than the processor follows.
TOGETHER = 4
# Of the rows to come after those, as many are asked for as these bytes have cells. More would drive each
# other out of a first-level cache where rows are long; the processor has seen by then where the others lie.
ASKED = 8

_INSTRUCTIONS: dict[str, Any] = {
    "add": ir.IRBuilder.fadd,
    "multiply": ir.IRBuilder.fmul,
    "greatest": "llvm.maximum",
    "least": "llvm.minimum",
}
_PLAIN: dict[str, Callable] = {
    "add": operator.add,
    "multiply": operator.mul,
    "greatest": np.maximum,
    "least": np.minimum,
}


class _Folder:
    """Writes the instructions of one fold of `cells`, in lanes of the type `number`."""

    def __init__(self, builder: Any, join: str, cells: Any, number: Any) -> None:
        self.builder = builder
        self.instruction = _INSTRUCTIONS[join]
        self.bits = number.bitwidth
        self.lanes = SIZE * 8 // self.bits
        self.source = Writer(builder, Tile(cells, 1, 1, self.lanes))
        self.target = Writer(builder, Tile(number, 1, 1, self.lanes))

    def join(self, a: Any, b: Any) -> Any:
        """Two vectors, lane by lane."""
        if callable(self.instruction):
            return self.instruction(self.builder, a, b)
        name = f"{self.instruction}.v{a.type.count}f{self.bits}"
        declared = ir.FunctionType(a.type, [a.type, a.type])
        function = cgutils.get_or_insert_function(self.builder.module, declared, name)
        # Which of 0 and -0 is the greater is left open: on common processors it would take three more
        # instructions to know.
        return self.builder.call(function, [a, b], fastmath=("nsz",))

    def join_all(self, vectors: Sequence[Any]) -> Any:
        """An even number of vectors, by pairs."""
        while len(vectors) > 1:
            vectors = [self.join(a, b) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        return vectors[0]

    def load(self, pointer: Any, mask: Any = None) -> Any:
        """The cells at a pointer as a vector; a lane that the mask leaves out may hold anything."""
        value = self.source.load(pointer, 0, mask)
        widens = value.type != self.target.tile.vector
        return self.builder.fpext(value, self.target.tile.vector) if widens else value

    def mask(self, count: Any) -> Any:
        """Which lanes are among the first `count`, of which there are fewer than lanes."""
        lanes = ir.Constant(ir.VectorType(SHORT, self.lanes), [*range(self.lanes)])
        given = self.source.spread(self.builder.trunc(count, SHORT))
        return self.builder.icmp_unsigned("<", lanes, given)

    def ask(self, pointer: Any) -> None:
        """Ask for the line of a cell."""
        line, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [line, number, number, number])
        function = cgutils.get_or_insert_function(self.builder.module, declared, "llvm.prefetch.p0")
        how = [number(0), number(3), number(1)]  # to read, keep near, data
        self.builder.call(function, [self.builder.bitcast(pointer, line), *how])

    def across(self, vector: Any) -> Any:
        """The lanes of one vector, joined: its halves, their halves, and so on."""
        half = self.lanes // 2
        while half:
            order = ir.VectorType(SHORT, half)
            low, high = (
                self.builder.shuffle_vector(vector, vector, ir.Constant(order, [*range(first, first + half)]))
                for first in (0, half)
            )
            vector = self.join(low, high)
            half //= 2
        return self.builder.extract_element(vector, SHORT(0))


def _run_of(join: str) -> Any:
    @intrinsic
    def run(typing, x, n, far, start):  # type: ignore[no-untyped-def]
        """`n` cells folded into one number of the type of `start`, which is what no cells give.

        `far` says whether memory is asked for ahead.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            first, count, asks, nothing = arguments
            folder = _Folder(builder, join, x.dtype, start)
            lanes, moved = folder.lanes, folder.source.moved
            empty = folder.target.spread(nothing)
            totals = [cgutils.alloca_once_value(builder, empty) for _ in range(VECTORS)]

            def take(vector: int, cells: Any) -> None:
                builder.store(folder.join(builder.load(totals[vector]), cells), totals[vector])

            def ask(cells: Any, vectors: int) -> None:
                size = folder.source.size
                with builder.if_then(asks):
                    for line in range(0, vectors * lanes * size, LINE):
                        folder.ask(moved(cells, (AHEAD + line) // size))

            step = INDEX(VECTORS * lanes)
            steps = builder.udiv(count, step)
            with cgutils.for_range(builder, steps) as loop:
                cells = moved(first, builder.mul(loop.index, step))
                ask(cells, VECTORS)
                for vector in range(VECTORS):
                    take(vector, folder.load(moved(cells, vector * lanes)))
            rest = moved(first, builder.mul(steps, step))
            left = builder.urem(count, step)
            with cgutils.for_range(builder, builder.udiv(left, INDEX(lanes))) as loop:
                cells = moved(rest, builder.mul(loop.index, INDEX(lanes)))
                ask(cells, 1)
                take(0, folder.load(cells))
            last = builder.urem(left, INDEX(lanes))
            with builder.if_then(builder.icmp_unsigned(">", last, INDEX(0))):
                cells = moved(first, builder.sub(count, last))
                ask(cells, 1)
                mask = folder.mask(last)
                take(1, builder.select(mask, folder.load(cells, mask), empty))
            return folder.across(folder.join_all([builder.load(total) for total in totals]))

        return start(x, types.int64, types.boolean, start), generate

    return run


def _streams_of(join: str) -> Any:
    @intrinsic
    def streams(typing, x, n, apart, start):  # type: ignore[no-untyped-def]
        """`STREAMS` runs of `n` cells, `apart` cells apart, folded into one number of the type of `start`."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            folder = _Folder(builder, join, x.dtype, start)
            return folder.across(folder.join_all(_folded_streams(folder, *arguments)))

        return start(x, types.int64, types.int64, start), generate

    return streams


def _each_of(join: str) -> Any:
    @intrinsic
    def each(typing, x, n, apart, start):  # type: ignore[no-untyped-def]
        """`STREAMS` runs of `n` cells, `apart` cells apart, folded into a number each."""
        numbers = types.UniTuple(start, STREAMS)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            folder = _Folder(builder, join, x.dtype, start)
            found = [folder.across(total) for total in _folded_streams(folder, *arguments)]
            return context.make_tuple(builder, numbers, found)

        return numbers(x, types.int64, types.int64, start), generate

    return each


def _folded_streams(folder: _Folder, first: Any, count: Any, apart: Any, nothing: Any) -> list[Any]:
    """A vector of each of `STREAMS` runs, to which all the run's others are joined, lane by lane."""
    builder, lanes, moved = folder.builder, INDEX(folder.lanes), folder.source.moved
    empty = folder.target.spread(nothing)
    totals = [cgutils.alloca_once_value(builder, empty) for _ in range(STREAMS)]
    runs = [moved(first, builder.mul(apart, INDEX(stream))) for stream in range(STREAMS)]
    last = builder.urem(count, lanes)
    whole = builder.sub(count, last)
    with cgutils.for_range(builder, builder.udiv(count, lanes)) as loop:
        cell = builder.mul(loop.index, lanes)
        for total, run in zip(totals, runs, strict=True):
            builder.store(folder.join(builder.load(total), folder.load(moved(run, cell))), total)
    with builder.if_then(builder.icmp_unsigned(">", last, INDEX(0))):
        mask = folder.mask(last)
        for total, run in zip(totals, runs, strict=True):
            cells = builder.select(mask, folder.load(moved(run, whole), mask), empty)
            builder.store(folder.join(builder.load(total), cells), total)
    return [builder.load(total) for total in totals]


def _rows_of(join: str) -> Any:
    @intrinsic
    def rows(typing, x, row_step, count, width, total, far):  # type: ignore[no-untyped-def]
        """`count` rows of `width` cells, `row_step` cells apart, folded into the row at `total`.

        `far` says whether memory is asked for ahead.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            first, step, number, cells, result, asks = arguments
            folder = _Folder(builder, join, x.dtype, total.dtype)
            lanes, moved = INDEX(folder.lanes), folder.source.moved
            whole, last = builder.udiv(cells, lanes), builder.urem(cells, lanes)
            ends = builder.icmp_unsigned(">", last, INDEX(0))
            mask = folder.mask(last)

            def fold(rows: list[Any], vector: Any, mask: Any = None) -> None:
                """Fold one vector of each row into the total's."""
                j = builder.mul(vector, lanes)
                places = [moved(row, j) for row in rows]
                with builder.if_then(asks):
                    for place in places[: ASKED // folder.source.size]:
                        folder.ask(moved(place, builder.mul(step, INDEX(TOGETHER))))
                seen = folder.join_all([folder.load(place, mask) for place in places])
                target = moved(result, j)
                folder.target.save(folder.join(folder.target.load(target, 0, mask), seen), target, 0, mask)

            def fold_rows(begin: Any, end: Any, together: int) -> None:
                """Fold whole groups of so many rows, numbered `begin` … `end` - 1."""
                with cgutils.for_range(builder, end, begin) as group:
                    row = builder.mul(group.index, INDEX(together))
                    rows = [
                        moved(first, builder.mul(builder.add(row, INDEX(k)), step)) for k in range(together)
                    ]
                    with cgutils.for_range(builder, whole) as loop:
                        fold(rows, loop.index)
                    with builder.if_then(ends):
                        fold(rows, whole, mask)

            groups = builder.udiv(number, INDEX(TOGETHER))
            fold_rows(INDEX(0), groups, TOGETHER)
            fold_rows(builder.mul(groups, INDEX(TOGETHER)), number, 1)
            return context.get_dummy_value()

        integer = types.int64
        return types.none(x, integer, integer, integer, total, types.boolean), generate

    return rows


def _plain_run_of(join: str) -> Callable:
    def run(x: Pointer, n: int, far: bool, start: Any) -> Any:
        total = start
        for i in range(n):
            total = type(start)(_PLAIN[join](total, x[i]))
        return total

    return run


def _plain_streams_of(join: str) -> Callable:
    def streams(x: Pointer, n: int, apart: int, start: Any) -> Any:
        total = start
        for i in range(n):
            for stream in range(STREAMS):
                total = type(start)(_PLAIN[join](total, x[stream * apart + i]))
        return total

    return streams


def _plain_each_of(join: str) -> Callable:
    def each(x: Pointer, n: int, apart: int, start: Any) -> tuple:
        run = _plain_run_of(join)
        return tuple(run(advance(x, stream * apart), n, False, start) for stream in range(STREAMS))

    return each


def _plain_rows_of(join: str) -> Callable:
    def rows(x: Pointer, row_step: int, count: int, width: int, total: Pointer, far: bool) -> None:
        for i in range(count):
            for j in range(width):
                total[j] = _PLAIN[join](total[j], x[i * row_step + j])

    return rows


if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
    _run, _streams = _plain_run_of, _plain_streams_of
    _each, _rows = _plain_each_of, _plain_rows_of
else:
    _run, _streams, _each, _rows = _run_of, _streams_of, _each_of, _rows_of

add_run, multiply_run, greatest_run, least_run = map(_run, _INSTRUCTIONS)
add_streams, multiply_streams, greatest_streams, least_streams = map(_streams, _INSTRUCTIONS)
add_each, multiply_each, greatest_each, least_each = map(_each, _INSTRUCTIONS)
add_rows, multiply_rows, greatest_rows, least_rows = map(_rows, _INSTRUCTIONS)

# The line of a generated module that imports one of them; Numba's cache does not see when they change.
_DIGEST = hashlib.sha256(Path(__file__).read_bytes() + Path(registers.__file__).read_bytes()).hexdigest()[:12]
IMPORT = f"from tensorlab.backends.cpu.fold_vectors import {{name}}  # {_DIGEST}\n"
