"""Where the lines of the caches begin: kernels that write whole vectors along a row begin them there.

A vector that is stored across two lines waits for both. Rows of any length begin anywhere in a line; where
memory begins is the matter of `tensorlab.memory`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from tensorlab.backends.cpu.pointers import LINE, Pointer

__all__ = ["IMPORT", "to_line"]


@intrinsic
def _to_line(typing, pointer):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        before = builder.and_(builder.neg(builder.ptrtoint(arguments[0], word)), ir.Constant(word, LINE - 1))
        return builder.udiv(before, ir.Constant(word, pointer.dtype.bitwidth // 8))

    return types.int64(pointer), generate


def _none(pointer: Pointer) -> int:
    """The interpreter takes one cell at a time, wherever it lies."""
    return 0


# The number of whole cells between a pointer and the next beginning of a line.
to_line: Any = _none if config.DISABLE_JIT else _to_line  # type: ignore[attr-defined]

# The line of a generated module that imports it; Numba's cache does not see when it changes.
IMPORT = (
    "from tensorlab.backends.cpu.lines import to_line  # "
    + hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    + "\nfrom tensorlab.backends.cpu.pointers import at\n"
)
