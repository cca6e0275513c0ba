"""The greater of two floats where NaN does not matter: one instruction instead of three.

`tensorlab.backends.cpu.intrinsics.maximum` passes every NaN on, which takes a comparison and a choice beside
the maximum itself. Who finds out about NaN in another way, as softmax does when it adds up exponentials, need
not pay for that.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config
from numba.extending import intrinsic

__all__ = ["IMPORT", "greater"]


@intrinsic
def _greater(typing, a, b):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = arguments[0].type
        declared = ir.FunctionType(kind, [kind, kind])
        function = builder.module.declare_intrinsic("llvm.maxnum", [kind], declared)
        return builder.call(function, arguments, fastmath=("nnan", "nsz"))

    return a(a, a), generate


# The greater of two floats of one type; anything if one of them is NaN.
greater: Any = np.fmax if config.DISABLE_JIT else _greater  # type: ignore[attr-defined]

# The line of a generated module that imports it; Numba's cache does not see when it changes.
IMPORT = (
    "from tensorlab.backends.cpu.greater import greater  # "
    + hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    + "\n"
)
