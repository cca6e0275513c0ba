"""The parts of products: tiles, and copies of blocks.

Each is compiled once for a dtype, and serves small products and large ones, with and without ends, and
attention.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from tensorlab import dtypes
from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.levels import compute_name
from tensorlab.backends.cpu.linking import external

__all__ = ["part"]

_parts: dict[tuple[str, str, int, int], Any] = {}


def part(name: str, type_name: str, run: int, short: int) -> Any:
    """One of the parts, as kernels call it.

    Args:
        name: ``"pack"`` or ``"tile"``.
        type_name: the name of the dtype of the cells.
        run, short: how sums are cut into runs; see `tensorlab.backends.cpu.gemm.tile.run_of`.
    """
    key = name, type_name, run, short
    found = _parts.get(key)
    if found is None:
        from tensorlab.backends.cpu.gemm.text import parts_source

        element_type = dtypes.by_name(type_name)
        module = jit.load(f"gemm_parts_{type_name}", parts_source(element_type, run, short))
        symbol = f"{module.__name__}.{name}".replace(".", "_")
        found = _parts[key] = external(symbol, getattr(module, name), _kinds(name, element_type))
    return found


def _kinds(name: str, element_type: dtypes.dtype) -> list[types.Type]:
    """The types of a part's arguments."""
    number = types.CPointer(numba.from_dtype(np.dtype(compute_name(element_type))))
    word, cell = types.int64, types.CPointer(numba.from_dtype(element_type.cell))
    if name == "pack":
        return [word, word, cell, word, word, number, word]
    return [word, word, word, number, word, word, number, word, number, word, types.boolean]
