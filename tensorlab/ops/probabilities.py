"""Functions of probabilities, and second names: what `tensorlab.special` alone has."""

from __future__ import annotations

import math

from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.pointwise import erfc, mul
from tensorlab.ops.rows import function_of
from tensorlab.tensor import Tensor

__all__ = ["entr", "erfcx", "expit", "gammaln", "log_ndtr", "ndtr", "ndtri", "psi", "xlog1py"]

SQRT_HALF = math.sqrt(0.5)

gammaln, psi, expit = (
    function_of("lgamma", "gammaln"),
    function_of("digamma", "psi"),
    function_of("sigmoid", "expit"),
)
entr, erfcx, xlog1py = map(function_of, ("entr", "erfcx", "xlog1py"))
ndtri, log_ndtr = map(function_of, ("ndtri", "log_ndtr"))


def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The probability that a standard normal variable lies below each element; precise in the lower tail too.

    Example:
        >>> import tensorlab as tl
        >>> tl.special.ndtr(tl.tensor([-1.96, 0.0, 1.96]))
        tensor([0.0250, 0.5000, 0.9750])
    """
    need_tensors("ndtr", input=input)
    return mul(erfc(mul(input, -SQRT_HALF)), 0.5, out=out)
