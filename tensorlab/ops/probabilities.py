"""A function of probabilities that is made of others. The rows of the scalar table have the rest."""

from __future__ import annotations

import math

from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.pointwise import erfc, mul
from tensorlab.registry import op
from tensorlab.tensor import Tensor

SQRT_HALF = math.sqrt(0.5)


@op(namespace="special")
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The probability that a standard normal variable lies below each element; precise in the lower tail too.

    Example:
        >>> import tensorlab as tl
        >>> tl.special.ndtr(tl.tensor([-1.96, 0.0, 1.96]))
        tensor([0.0250, 0.5000, 0.9750])
    """
    need_tensors("ndtr", input=input)
    return mul(erfc(mul(input, -SQRT_HALF)), 0.5, out=out)
