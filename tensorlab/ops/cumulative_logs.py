"""The running sum of exponentials, as a logarithm."""

from __future__ import annotations

import numpy as np

from tensorlab import dtypes
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.layout import default_strides
from tensorlab.ops.aliases import detach
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.choice import where
from tensorlab.ops.conversion import compute_type, to
from tensorlab.ops.dispatch import check_out
from tensorlab.ops.folding import as_one_dim
from tensorlab.ops.outputs import written
from tensorlab.ops.pointwise import exp, log
from tensorlab.ops.rearranging import flip
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense


def _d_logcumsumexp(grad: Tensor, input: Tensor, result: Tensor, dim: int) -> Tensor:
    # Each element's gradient is the sum of grad · exp(input - result) over the results from it on. It is
    # taken in logarithms too, so that nothing overflows: for the positive gradients, then the negative ones.
    return _share(grad, input, result, dim) - _share(-grad, input, result, dim)


def _share(grad: Tensor, input: Tensor, result: Tensor, dim: int) -> Tensor:
    positive = grad > 0
    least = -dtypes.finfo_max(grad._dtype)
    logs = where(positive, log(where(positive, grad, 1.0)), least) - result
    return exp(flip(logcumsumexp(flip(logs, (dim,)), dim), (dim,)) + input)


LogcumsumexpBackward0 = formulas("LogcumsumexpBackward0", input=_d_logcumsumexp)


@op("function method")
@numpy_names
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the running sum of ``exp(input)`` along a dimension, without overflow on the way.

    Args:
        input: a floating tensor.
        dim: the dimension to run along.
        out: a tensor of `input`'s shape to write into.

    Raises:
        IndexError: there is no such dimension.
        NotImplementedError: the elements are not floats.

    Example:
        >>> import tensorlab as tl
        >>> tl.logcumsumexp(tl.tensor([1000.0, 1000.0, 1001.0]), 0)
        tensor([1000.0000, 1000.6932, 1001.5515])
    """
    position = as_one_dim("logcumsumexp", dim, need_tensor("logcumsumexp", input))
    if not input._dtype.is_floating_point:
        raise NotImplementedError(
            f"logcumsumexp() is not implemented for {input._dtype.name}: convert with "
            f".to(tensorlab.float32) first"
        )
    if out is not None:
        check_out("logcumsumexp", out, input)
    number = compute_type(input._dtype)
    cells = to(detach(input), number)._cells_array()
    if input.ndim:
        cells = np.logaddexp.accumulate(cells, axis=position)
    flat = np.ascontiguousarray(cells).reshape(-1)
    result = to(make_dense(flat.copy(), number, input._shape, default_strides(input._shape)), input._dtype)
    if out is not None:
        return written(out, result)
    return record(LogcumsumexpBackward0, result, input, dim=position)
