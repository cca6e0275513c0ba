"""The straight way of small dense tensors: from dtypes to the kernel of one loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from tensorlab.backends import backend
from tensorlab.backends.operands import WORTHWHILE
from tensorlab.dtypes import FLOATING, by_name, dtype
from tensorlab.layout import Size
from tensorlab.ops.operands import Number, to_round, types_of, widened
from tensorlab.scalars import FLOAT, Scalar
from tensorlab.tensor import Tensor, make_dense

__all__ = ["flat_kernel", "most_straight"]

# Up to this many elements the steps of Python on the way to threads cost more than these spare.
SMALL = 16_384


def most_straight(row: Scalar) -> int:
    """The most elements of runs that go straight to the kernel, which one thread works through."""
    return max(SMALL, WORTHWHILE // row.cost)


def flat_kernel(
    row: Scalar, *operands: dtype | Number, itself: bool = False
) -> tuple[Callable[..., None], dtype] | Literal[False]:
    """The one-loop kernel for dense tensors of these dtypes and such numbers, and the dtype of its result.

    There is none where the result's dtype hangs on `set_default_dtype`, or where a number must be rounded
    first.

    Args:
        row: the scalar function.
        operands: of each tensor its dtype; of the others a number of the same kind.
        itself: whether the first operand is the output.
    """
    stand_ins: list[Tensor | Number] = [
        make_dense(np.empty(1, t.cell), t, Size((1,)), (1,)) if isinstance(t, dtype) else t for t in operands
    ]
    floating = any(isinstance(t, dtype) and t.category == FLOATING for t in operands)
    if not floating and (row.result == FLOAT or any(isinstance(t, float) for t in operands)):
        return False
    compute, out_type = types_of(row, stand_ins)
    if to_round(row, stand_ins, compute):
        return False
    number_types = {int: "int64", float: "float64"}
    types = [t if isinstance(t, dtype) else by_name(number_types[type(t)]) for t in operands]
    kinds = ["run" if isinstance(t, dtype) else "one" for t in operands]
    if itself:
        kinds[0] = "self"
    kernel = backend("cpu").flat_kernel(row, widened(compute), (out_type, *types), ("run", *kinds))
    return kernel, out_type
