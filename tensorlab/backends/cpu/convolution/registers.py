"""One more operation of a register tile: a step whose numbers lie anywhere.

See `tensorlab.backends.cpu.gemm.registers` for tiles, and for their other operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import config, types
from numba.extending import intrinsic

from tensorlab.backends.cpu.gemm.registers import Writer
from tensorlab.backends.cpu.pointers import Pointer

__all__ = ["add_outer_at"]


@intrinsic
def _add_outer_at(typing, tile, a, places, b):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, a_value, places_value, b_value = arguments
        write = Writer(builder, tile)
        int64, number = context.get_value_type(types.int64), context.get_constant
        places = [builder.gep(places_value, [number(types.int64, i)]) for i in range(tile.rows)]
        offsets = [builder.load(place, align=8, typ=int64) for place in places]
        return write.add_outer(value, a_value, offsets, [write.load(b_value, j) for j in range(tile.vectors)])

    return tile(tile, a, types.CPointer(types.int64), b), generate


def _add_outer_at_plainly(tile: np.ndarray, a: Pointer, places: Pointer, b: Pointer) -> np.ndarray:
    rows, columns = tile.shape
    for i in range(rows):
        for j in range(columns):
            tile[i, j] += a[places[i]] * b[j]
    return tile


# add_outer_at(tile, a, places, b): tile[i, j] + a[places[i]] * b[j]
add_outer_at: Any = _add_outer_at_plainly if config.DISABLE_JIT else _add_outer_at  # type: ignore[attr-defined]
