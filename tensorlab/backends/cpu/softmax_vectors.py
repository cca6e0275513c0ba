"""The exponentials of softmax by whole vectors, where the processor has those of 64 bytes.

`raise_run` and `raise_rest` take the places of those of `tensorlab.backends.cpu.softmax_rows`, for rows of
float32 or float64 whose elements are neighbours.
"""

from __future__ import annotations

import hashlib
import inspect
from typing import Any

from numba import types
from numba.core import config
from numba.extending import intrinsic

from tensorlab.backends.cpu import vector_exp, vector_writer
from tensorlab.backends.cpu.groups import of_numba
from tensorlab.backends.cpu.pointers import advance
from tensorlab.backends.cpu.softmax_rows import LANES
from tensorlab.backends.cpu.vector_writer import VectorWriter, whole_registers
from tensorlab.dtypes import dtype, float32, float64

__all__ = ["IMPORT", "raise_rest", "raise_run", "raise_some", "raise_step", "sum_some", "sum_step", "usable"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

Number: Any = float
KEPT = True

_DIGEST = hashlib.sha256("".join(map(inspect.getsource, (vector_exp, vector_writer))).encode()).hexdigest()[
    :12
]
IMPORT = (
    "from tensorlab.backends.cpu.softmax_vectors import raise_some, raise_step, sum_some, sum_step"
    f"  # {_DIGEST}\n"
)


def usable(source: dtype, result: dtype) -> bool:
    """Whether vectors of the processor hold cells of these dtypes."""
    here: bool = source is result and source in (float32, float64) and not config.DISABLE_JIT  # type: ignore[attr-defined]
    return here and whole_registers()


def _sum(kept: bool, all_cells: bool) -> Any:
    """The intrinsic that adds up the exponentials of a step's cells; `kept` says whether they are written."""

    def typed(typing, source, to, greatest, count):
        def generate(context, builder, signature, arguments):
            read, to_write, number, cells = arguments
            write = VectorWriter(builder, of_numba(greatest))
            below, total = write.spread(number), write.same(0.0)
            for lane in range(0, LANES, write.lanes):
                place = context.get_constant(types.intp, lane)
                mask = None if all_cells else write.first_lanes(builder.sub(cells, place))
                x = write.load(builder.gep(read, [place]), mask)
                e = vector_exp.exp(write, builder.fsub(x, below), to_one=True)
                if kept:
                    write.store(e, builder.gep(to_write, [place]), mask)
                if mask is not None:
                    e = builder.select(mask, e, write.same(0.0))
                total = builder.fadd(total, e)
            return write.total(total)

        return greatest(source, to, greatest, types.int64), generate

    typed.__name__ = f"{'raise' if kept else 'sum'}_{'step' if all_cells else 'some'}"
    return intrinsic(typed)


# raise_step(source, to, greatest, count): the sum of the exponentials below the greatest of the cells of one
# step, which are written. raise_some: the same of its first `count` cells. The others write nothing.
raise_step, raise_some = _sum(True, True), _sum(True, False)
sum_step, sum_some = _sum(False, True), _sum(False, False)


def raise_run(steps, x, stride, out, greatest):
    """The sum of the exponentials below the greatest; they are kept in `out`."""
    total = Number(0)
    for step in range(steps):
        cells, results = advance(x, step * LANES), advance(out, step * LANES)
        if KEPT:
            total += raise_step(cells, results, greatest, LANES)
        else:
            total += sum_step(cells, results, greatest, LANES)
    return total


def raise_rest(step, rest, x, stride, out, greatest):
    """The same for the first `rest` cells of one step."""
    if KEPT:
        return raise_some(x, out, greatest, rest)
    return sum_some(x, out, greatest, rest)
