"""Norms of vectors and matrices, vectors of length 1, and the angle between two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.dispatch.operands import is_number, number_from, result_type
from tensorlab.ops.argreduce import amax
from tensorlab.ops.arithmetic import div
from tensorlab.ops.factorizations import svdvals
from tensorlab.ops.outputs import delivered, typed_out, written
from tensorlab.ops.reduce import Dims, Reduce, as_dims, as_one_dim, own_type, reduce, spread
from tensorlab.ops.reduction import sum as add_up
from tensorlab.ops.shape import broadcast_tensors
from tensorlab.ops.where import safe_where, where
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Order = float | str | None


def d_vector_norm(
    grad: Tensor, input: Tensor, result: Tensor, k: float, dim: Dims, keepdim: bool
) -> Tensor | None:
    """The gradient of `vector_norm`; 0 where the norm is 0, which has no slope there."""
    if k == 0:
        return None
    grad, norm = (spread(tensor, input.shape, dim, keepdim) for tensor in (grad, result))
    if k == 1:
        return input.sgn() * grad
    if k == 2:
        return grad * safe_where(norm != 0, lambda length: input / length, norm, 0.0)
    if math.isinf(k):
        equal = (input.abs() == norm) | ((input != input) & (norm != norm))
        return input.sgn() * (grad / equal.sum(as_dims(dim, input.ndim, "sum"), True) * equal)
    if k < 1:
        power = where(input == 0, 0.0, input.abs() ** (k - 1.0))
        return input.sgn() * power * grad * norm ** (1.0 - k)
    scale = safe_where(norm != 0, lambda length: grad / length ** (k - 1.0), norm, 0.0)
    return (input.sgn() * input.abs() ** (k - 1.0) if k < 2 else input * input.abs() ** (k - 2.0)) * scale


def _norm(row: str) -> Reduce:
    return Reduce(row, own_type, "LinalgVectorNorm", d_vector_norm, name="linalg.vector_norm")


# The norms that have a reduction of their own; that of any other order p is `norm_p`.
_NORMS = {
    0.0: _norm("norm_0"),
    1.0: _norm("norm_1"),
    2.0: _norm("norm_2"),
    math.inf: _norm("norm_greatest"),
    -math.inf: _norm("norm_least"),
}
_OF_ANY_ORDER = _norm("norm_p")


@op(namespace="linalg")
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The length of vectors: the `ord`-th root of the sum of the `ord`-th powers of their magnitudes.

    Squares are added in float64, so that float32 vectors as long as 1e38 keep their length.

    Args:
        x: a floating-point tensor.
        ord: which norm: 2 is the usual length, 1 adds up the magnitudes, inf takes the greatest and -inf the
            least of them, 0 counts the elements that are not 0.
        dim: the dimension, or dimensions, along which a vector lies; all without it.
        keepdim: whether the dimensions stay, with size 1.
        dtype: the floating type to convert each element to first, no narrower than theirs.
        out: a tensor of the result's shape and dtype to write into.

    Raises:
        RuntimeError: the elements are not floats, `dtype` is narrower, or a norm of no elements has no value.
        TypeError: `ord` is no number.
        IndexError: there is no such dimension.

    Example:
        >>> x = tl.tensor([[3.0, 4.0], [6.0, -8.0]])
        >>> tl.linalg.vector_norm(x, dim=1), tl.linalg.vector_norm(x, tl.inf)
        (tensor([ 5., 10.]), tensor(8.))
    """
    element_type = x.dtype
    ord = number_from(ord)
    if isinstance(ord, (str, bool)) or not isinstance(ord, (int, float)):
        raise TypeError(f"linalg.vector_norm(): argument 'ord' must be Number, not {type(ord).__name__}")
    if not element_type.is_floating_point:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{element_type.name}: convert with .to(tensorlab.float32) first"
        )
    value = dtype or element_type
    if not value.is_floating_point or dtypes.promote_types(value, element_type) is not value:
        raise RuntimeError(
            f"linalg.vector_norm: the dtype of the input ({element_type.name}) should be convertible without "
            f"narrowing to the specified dtype ({value.name})"
        )
    if out is not None:
        typed_out("linalg.vector_norm", value, out)
    if (ord < 0 or ord == math.inf) and 0 in x.shape:
        for position in as_dims(dim, x.ndim, "linalg.vector_norm"):
            if x.shape[position] == 0:
                raise RuntimeError(
                    f"linalg.vector_norm cannot compute the {ord} norm on the dimension {position} because "
                    f"this dimension is empty and the operation does not have an identity"
                )
    primitive = _NORMS.get(float(ord), _OF_ANY_ORDER)
    return reduce(primitive, x, dim, keepdim, value, out, float(ord))


@op(namespace="linalg")
def matrix_norm(
    A: Tensor,  # noqa: N803 - PyTorch's name
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The size of matrices, in one of several senses.

    Args:
        A: a floating-point tensor of at least two dimensions.
        ord: ``"fro"``, the root of the sum of squares; ``"nuc"``, the sum of the singular values; 2 and -2,
            the greatest and the least of them; 1 and -1, the greatest and least sum of a column's magnitudes;
            inf and -inf, the same of rows.
        dim: the dimensions of rows and of columns.
        keepdim: whether the two dimensions stay, with size 1.
        dtype: the floating type to convert each element to first, no narrower than theirs.
        out: a tensor of the result's shape and dtype to write into.

    Raises:
        RuntimeError: there is no such norm, or `dim` does not name two dimensions.
        IndexError: there is no such dimension.

    Example:
        >>> x = tl.tensor([[3.0, 0.0], [0.0, -4.0]])
        >>> [round(tl.linalg.matrix_norm(x, ord).item(), 4) for ord in ("fro", "nuc", 2, 1)]
        [5.0, 7.0, 4.0, 4.0]
    """
    if A.ndim < 2:
        raise RuntimeError(
            f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions, got {A.ndim}"
        )
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim!r}")
    if len({position % A.ndim for position in dim}) == 1:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got {tuple(dim)}")
    rows, columns = as_dims(tuple(dim), A.ndim, "linalg.matrix_norm")
    if ord not in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf) or isinstance(ord, bool):
        raise RuntimeError(
            f"linalg.matrix_norm: Order {ord} not supported: use 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        )
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim, dtype=dtype, out=out)
    if ord in ("nuc", 2, -2):
        found = _of_singular_values(A if dtype is None else A.to(dtype), ord, rows, columns)
        if keepdim:
            found = found.unsqueeze(-1).unsqueeze(-1)
            found = found.movedim((-2, -1), (rows, columns))
    else:
        along, across = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = vector_norm(A, 1, along, keepdim, dtype=dtype)
        across -= across > along and not keepdim
        found = _greatest(sums, across, keepdim) if ord in (1, math.inf) else sums.amin(across, keepdim)
    return found if out is None else written(out, found)


def _of_singular_values(matrices: Tensor, ord: float | str, rows: int, columns: int) -> Tensor:
    if matrices.dtype.itemsize < 4:
        raise RuntimeError(
            f"linalg.matrix_norm: Low precision dtypes not supported. Got {matrices.dtype.name}: "
            f"convert with .to(tensorlab.float32) first"
        )
    values = svdvals(matrices.movedim((rows, columns), (-2, -1)))
    if ord == "nuc":
        return values.sum(-1)
    return _greatest(values, -1) if ord == 2 else values.amin(-1)


def _greatest(values: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """The greatest of values that are not negative; 0 where there are none, as for a matrix without rows."""
    return (amax if values.shape[dim] else add_up)(values, dim, keepdim)


@op(name="norm", namespace="linalg")
def matrix_or_vector_norm(
    A: Tensor,  # noqa: N803 - PyTorch's name
    ord: Order = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The norm of vectors or of matrices, as the arguments say.

    With one dimension, or without `ord`, it is `vector_norm` (of all elements without `dim`); with two
    dimensions and an `ord` it is `matrix_norm`.

    Args:
        A: a floating-point tensor.
        ord: which norm (see `vector_norm` and `matrix_norm`); the root of the sum of squares without it.
        dim: one dimension for vectors, two for matrices.
        keepdim: whether the dimensions stay, with size 1.
        out: a tensor of the result's shape and dtype to write into.
        dtype: the floating type to convert each element to first, no narrower than theirs.

    Raises:
        RuntimeError: `ord` is given, `dim` is not, and the tensor is neither a vector nor a matrix; or what
            the two other functions refuse.

    Example:
        >>> x = tl.tensor([[3.0, 4.0], [0.0, 0.0]])
        >>> tl.linalg.norm(x), tl.linalg.norm(x, 1), tl.linalg.norm(x, 1, dim=1)
        (tensor(5.), tensor(4.), tensor([7., 0.]))
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype, out=out)
    ord = number_from(ord)
    if not isinstance(ord, str) and not is_number(ord):
        raise TypeError(f"linalg.norm(): argument 'ord' must be Number or str, not {type(ord).__name__}")
    if dim is None:
        if A.ndim not in (1, 2):
            raise RuntimeError(
                f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
            )
        is_vector = A.ndim == 1
        along: Any = 0 if is_vector else (0, 1)
    else:
        is_vector = not isinstance(dim, (tuple, list)) or len(dim) == 1
        along = dim
    if is_vector and not isinstance(ord, str):
        return vector_norm(A, ord, along, keepdim, dtype=dtype, out=out)
    return matrix_norm(A, ord, along, keepdim, dtype=dtype, out=out)


@op("function method", names="reduces_second")
def norm(
    input: Tensor,
    p: Order = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The norm of all elements, or of those along dimensions: the length, if nothing else is asked for.

    PyTorch means to replace it by `linalg.vector_norm` and `linalg.matrix_norm`, whose names say which.

    Args:
        input: a floating-point tensor.
        p: the order of the vector norm (see `linalg.vector_norm`); ``"fro"`` is 2, and ``"nuc"`` adds up the
            singular values of a matrix.
        dim: the dimension, or dimensions; all without it.
        keepdim: whether the dimensions stay, with size 1.
        out: a tensor of the result's shape and dtype to write into.
        dtype: the floating type to convert each element to first, no narrower than theirs.

    Raises:
        RuntimeError: the elements are not floats, or there is no such norm.

    Example:
        >>> x = tl.tensor([[3.0, 4.0], [6.0, 8.0]])
        >>> x.norm(dim=1), x.norm(1)
        (tensor([ 5., 10.]), tensor(21.))
    """
    if isinstance(p, str) and p != "fro":
        return matrix_norm(input, p, (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)  # type: ignore[arg-type]
    order = 2.0 if p is None or isinstance(p, str) else p
    return vector_norm(input, order, dim, keepdim, dtype=dtype, out=out)


@op("function method")
def renorm(input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None) -> Tensor:
    """Each slice along a dimension shortened to a length, where it is longer.

    Args:
        input: a floating tensor of at least two dimensions.
        p: which norm tells the length.
        dim: the dimension that counts the slices.
        maxnorm: the greatest length.
        out: a tensor of `input`'s shape to write into.

    Raises:
        RuntimeError: `p` is not positive, `maxnorm` is negative, or `input` has fewer than two dimensions.
        IndexError: there is no such dimension.

    Example:
        >>> tl.renorm(tl.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
    if p <= 0:
        raise RuntimeError(f"renorm: non-positive-norm not supported, got p={p}")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    position = as_one_dim("renorm", dim, input)
    others = tuple(at for at in range(input.ndim) if at != position)
    lengths = vector_norm(input, p, others, True)
    factors = where(lengths > maxnorm, maxnorm / (lengths + 1e-7), 1.0)
    return delivered("renorm", out, input * factors, input)


@op("method")
def renorm_(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`renorm` in place.

    Example:
        >>> tl.tensor([[3.0, 4.0]]).renorm_(2, 0, 1.0)
        tensor([[0.6000, 0.8000]])
    """
    # Of a copy, because the gradients need the elements that are overwritten.
    return input.copy_(renorm(input.clone(), p, dim, maxnorm))


# --- lengths and angles ---------------------------------------------------------------------------------


@op(namespace="nn.functional")
def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """`input` divided by the p-norms along `dim`, or by `eps` where a norm is less.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> F.normalize(tl.tensor([[3.0, 4.0], [0.0, 0.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 0.0000]])
    """
    return div(input, vector_norm(input, p, dim, keepdim=True).clamp_min(eps), out=out)


@op(aliases="nn.functional.cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between the vectors that lie along `dim`.

    Args:
        x1, x2: tensors of floating dtypes that can be broadcast with each other.
        dim: the dimension of the broadcast shape along which the vectors lie; the result lacks it.
        eps: the least norm that a vector counts with, so that 0 is similar to nothing.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the shapes do not broadcast, or neither tensor is floating.

    Example:
        >>> F.cosine_similarity(tl.tensor([[1.0, 0.0]]), tl.tensor([[2.0, 0.0], [0.0, 3.0]]))
        tensor([1., 0.])
    """
    common = result_type(x1, x2)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.name}: convert first, "
            f"x1.to(tensorlab.float32)"
        )
    x, y = broadcast_tensors(x1, x2)
    lengths = [vector_norm(t, 2, dim, keepdim=True).clamp_min(eps) for t in (x, y)]
    return (x / lengths[0] * (y / lengths[1])).sum(dim)
