"""Products that are made of views, one matrix product and elementwise ones."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.recording import in_place, record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes, layout
from tensorlab.core.layout import Size
from tensorlab.dispatch.operands import Number, is_number, number_from, result_type
from tensorlab.dispatch.primitive import check_out, need_one_device
from tensorlab.ops.aliases import as_own
from tensorlab.ops.arithmetic import add
from tensorlab.ops.conversion import cast
from tensorlab.ops.creation import full_like
from tensorlab.ops.elementwise import compute, compute_into
from tensorlab.ops.joining import stack
from tensorlab.ops.outputs import need_dtype, written
from tensorlab.ops.pointwise import mul
from tensorlab.ops.products import product
from tensorlab.ops.shape import broadcast_tensors
from tensorlab.ops.view_backward import placed
from tensorlab.registry import op
from tensorlab.scalars.steps import WITH_PRODUCT
from tensorlab.tensor import Tensor

# From so many products on, a kernel that adds them to a table at once is worth its compilation: 256 KB of
# float32.
LARGE = 1 << 16


@op("function method", names="multiplies_outer")
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of an element of one vector and an element of another.

    Args:
        input: a vector of n elements: the rows.
        vec2: a vector of m elements: the columns.
        out: a tensor of shape (n, m) to write into.

    Raises:
        RuntimeError: an operand is no vector.

    Example:
        >>> tl.outer(tl.tensor([1, 2]), tl.tensor([1, 10, 100]))
        tensor([[  1,  10, 100],
                [  2,  20, 200]])
    """
    for name, operand in (("self", input), ("vec2", vec2)):
        if operand.ndim != 1:
            raise RuntimeError(
                f"outer: Expected 1-D argument {name}, but got {operand.ndim}-D, of shape "
                f"{tuple(operand.shape)}"
            )
    return mul(input.unsqueeze(1), vec2, out=out)


@op("function method", names="multiplies_outer")
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`outer` by another name.

    Example:
        >>> tl.ger(tl.tensor([1, 2]), tl.tensor([1, 10]))
        tensor([[ 1, 10],
                [ 2, 20]])
    """
    return outer(input, vec2, out=out)


@op("function method")
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last dimension of both: a dot product for every pair of their rows.

    Args:
        input: of shape (…, k), or without dimensions.
        other: of shape (…, k), or without dimensions; of the same dtype.
        out: a tensor of the result's shape to write into.

    Returns:
        a tensor with the leading dimensions of `input`, then those of `other`; the elementwise product if
        either is without dimensions.

    Raises:
        RuntimeError: the last sizes or the dtypes differ.

    Example:
        >>> tl.inner(tl.ones(2, 3), tl.tensor([1.0, 2.0, 3.0]))
        tensor([6., 6.])
    """
    if 0 in (input.ndim, other.ndim):  # of both: a number is no tensor
        return mul(input, other, out=out)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(input.shape)} "
            f"and {list(other.shape)}"
        )
    if out is None and input.ndim == other.ndim == 1 and not (requires_grad(input) or requires_grad(other)):
        return product(input, other)
    return tensordot(input, other, ([-1], [-1]), out=out)


@op()
def tensordot(
    a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] = 2, *, out: Tensor | None = None
) -> Tensor:
    """The sum of products over some dimensions of two tensors; the others remain, those of `a` first.

    Args:
        a, b: tensors of one dtype.
        dims: two lists of dimensions, of `a` and of `b`, that are summed over in pairs; or how many: the last
            ones of `a` with the first ones of `b`.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: the sizes of a pair differ, or `dims` does not fit.
        IndexError: there is no such dimension.

    Example:
        >>> tl.tensordot(tl.ones(2, 3, 4), tl.ones(4, 3, 5), dims=([1, 2], [1, 0])).shape
        tensorlab.Size([2, 5])
    """
    dims_a, dims_b = _pairs(a, b, dims)
    for x, y in zip(dims_a, dims_b, strict=True):
        if a.shape[x] == b.shape[y]:
            continue
        if b.shape[y] == 1:  # one operand is broadcast along the other, which can be summed before
            a = a.sum(x, keepdim=True, dtype=a.dtype)
        elif a.shape[x] == 1:
            b = b.sum(y, keepdim=True, dtype=b.dtype)
        else:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[x]} in dim {x} and second "
                f"has size {b.shape[y]} in dim {y}: the shapes are {tuple(a.shape)} and {tuple(b.shape)}"
            )
    rows = [dim for dim in range(a.ndim) if dim not in dims_a]
    columns = [dim for dim in range(b.ndim) if dim not in dims_b]
    k = Size(a.shape[dim] for dim in dims_a).numel()
    row_sizes = Size(a.shape[dim] for dim in rows)
    column_sizes = Size(b.shape[dim] for dim in columns)
    left = a.permute([*rows, *dims_a]).reshape([row_sizes.numel(), k])
    right = b.permute([*dims_b, *columns]).reshape([k, column_sizes.numel()])
    result = product(left, right).reshape(row_sizes + column_sizes)
    return result if out is None else written(out, result, exact=True)


def _pairs(a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The dimensions of both tensors that are summed over together, counted from the front."""
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(
                f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}: "
                f"the tensors have {a.ndim} and {b.ndim} dimensions"
            )
        return list(range(a.ndim - dims, a.ndim)), list(range(dims))
    given_a, given_b = dims
    if len(given_a) != len(given_b):
        raise RuntimeError(
            f"both dimension lists should have same length, got {list(given_a)} and {list(given_b)}"
        )
    found = (
        [layout.wrap_dim(dim, a.ndim) for dim in given_a],
        [layout.wrap_dim(dim, b.ndim) for dim in given_b],
    )
    for wrapped, given in zip(found, dims, strict=True):
        if len(set(wrapped)) < len(wrapped):
            raise RuntimeError(f"a dimension appears multiple times in the list of dims {list(given)}")
    return found


@op("function method")
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: every element of `input` replaced by that element times the whole of `other`.

    The tensor with fewer dimensions gets leading ones of size 1. The sizes of the result are the products.

    Example:
        >>> tl.kron(tl.tensor([1, 10]), tl.tensor([[1, 2]]))
        tensor([[ 1,  2, 10, 20]])
    """
    ndim = max(input.ndim, other.ndim)
    left = (1,) * (ndim - input.ndim) + input.shape
    right = (1,) * (ndim - other.ndim) + other.shape
    spread = input.reshape([size for pair in left for size in (pair, 1)]) * other.reshape(
        [size for pair in right for size in (1, pair)]
    )
    result = as_own(spread.reshape([x * y for x, y in zip(left, right, strict=True)]))
    return result if out is None else written(out, result)


@op("function method")
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    Raises:
        RuntimeError: `input` is no matrix.
        NotImplementedError: its elements are bool.

    Example:
        >>> tl.trace(tl.arange(9).view(3, 3))
        tensor(12)
    """
    if input.ndim != 2:
        raise RuntimeError(
            f"trace: expected a matrix, but got tensor with dim {input.ndim}: its shape is "
            f"{tuple(input.shape)}"
        )
    if input.dtype is dtypes.bool:
        raise NotImplementedError("trace is not implemented for 'Bool': convert first, x.to(tensorlab.int64)")
    return record(TraceBackward0, input.detach().diagonal().sum(), input, sizes=input._shape)


TraceBackward0 = formulas(
    "TraceBackward0",
    input=lambda grad, sizes: placed(grad.expand(min(sizes)), sizes, lambda whole: whole.diagonal()),
)


@op("function method")
def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``.

    Args:
        input: a tensor that can be broadcast to (n, m); with ``beta=0`` it is not read.
        vec1, vec2: vectors of n and of m elements.
        beta, alpha: numbers; ints if all operands are of integers.
        out: a tensor of shape (n, m) to write into.

    Raises:
        RuntimeError: the shapes do not fit, or `beta` or `alpha` is a float among integers.
        TypeError: `beta` or `alpha` is no number.

    Example:
        >>> tl.addr(tl.zeros(2, 2), tl.tensor([1.0, 2.0]), tl.tensor([3.0, 4.0]), alpha=10)
        tensor([[30., 40.],
                [60., 80.]])
    """
    floating = any(operand.is_floating_point() for operand in (input, vec1, vec2))
    beta, alpha = number_from(beta), number_from(alpha)
    for name, number in (("beta", beta), ("alpha", alpha)):
        if not is_number(number):
            raise TypeError(f"addr(): {name} must be a number, got {number!r}")
        if isinstance(number, float) and not floating:
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number, "
                f"got {number}"
            )
    if input.ndim > 2:
        raise RuntimeError(f"addr(): input can be broadcast to two dimensions, and it has {input.ndim}")
    if out is not None:
        check_out("addr", out, input, vec1, vec2)
    addend, first, second = _untracked(input, vec1, vec2)
    result = _with_product(addend, first, second, beta, alpha, out)
    return record(AddrBackward0, result, input, vec1, vec2, beta=beta, alpha=alpha)


AddrBackward0 = formulas(
    "AddrBackward0",
    input=lambda grad, beta: grad * beta,
    vec1=lambda grad, vec2, alpha: (grad @ vec2) * alpha,
    vec2=lambda grad, vec1, alpha: (grad.mT @ vec1) * alpha,
)


def _untracked(*operands: Tensor) -> list[Tensor]:
    return [operand.detach() if requires_grad(operand) else operand for operand in operands]


def _with_product(
    input: Tensor, vec1: Tensor, vec2: Tensor, beta: Number, alpha: Number, out: Tensor | None
) -> Tensor:
    result_dtype = result_type(input, vec1, vec2)
    large = vec1.ndim == vec2.ndim == 1 and vec1.numel() * vec2.numel() >= LARGE
    if large and result_dtype.is_floating_point and beta != 0:
        operands = input, vec1.unsqueeze(1), vec2, float(beta), float(alpha)
        if out is None:
            return compute(WITH_PRODUCT, *operands)
        return compute_into(out, WITH_PRODUCT, *operands, resizes=True)
    halves = result_dtype.is_floating_point and result_dtype.itemsize == 2
    # Everything is computed in the result's dtype; halves are rounded once, at the end.
    kind = dtypes.float32 if halves else result_dtype
    products = outer(cast(vec1, kind), cast(vec2, kind))
    if kind is dtypes.bool:
        beta, alpha = bool(beta), bool(alpha)  # bools stay bools: a product is `and`, a sum is `or`
    if alpha != 1:
        products = products * alpha
    if beta == 0:  # -0 leaves every product as it is, and the result is laid out like `input`
        addend = full_like(input, -0.0 if kind.is_floating_point else 0, dtype=kind)
    else:
        addend = cast(input, kind) if beta == 1 else cast(input, kind) * beta
    if not halves:
        return add(addend, products, out=out)
    result = cast(addend + products, result_dtype)
    return result if out is None else written(out, result)


@op("method")
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """`addr` in place: `input`, of shape (n, m), is overwritten.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.addr_(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 10.0, 100.0]))
        tensor([[  1.,  10., 100.],
                [  2.,  20., 200.]])
    """
    if input.shape != (*vec1.shape, *vec2.shape):
        raise RuntimeError(
            f"addr_(): a tensor that is written in place keeps its shape: it has {list(input.shape)}, and "
            f"the result {[*vec1.shape, *vec2.shape]}"
        )
    with in_place(AddrBackward0, input, vec1, vec2, beta=beta, alpha=alpha):
        target, *vectors = _untracked(input, vec1, vec2)
        addr(target, *vectors, beta=beta, alpha=alpha, out=target)
    return written_by("addr_", input)


@op("function method")
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross products of vectors of three elements.

    Args:
        input, other: tensors of one dtype and as many dimensions, of size 3 in `dim`; the others broadcast.
        dim: the dimension that the vectors lie along; without it the first of size 3.
        out: a tensor of the result's shape to write into.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the shapes or dtypes do not fit.

    Example:
        >>> tl.cross(tl.tensor([1, 0, 0]), tl.tensor([0, 1, 0]), dim=0)
        tensor([0, 0, 1])
    """
    if dim is None:
        if 3 not in input.shape:
            raise RuntimeError(f"no dimension of size 3 in input: its shape is {tuple(input.shape)}")
        dim = input.shape.index(3)
    if input.ndim != other.ndim:
        raise RuntimeError(
            f"linalg.cross: inputs must have the same number of dimensions, got shapes {tuple(input.shape)} "
            f"and {tuple(other.shape)}"
        )
    dim = layout.wrap_dim(dim, input.ndim)
    if not input.ndim or input.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3, got shapes {tuple(input.shape)} and "
            f"{tuple(other.shape)}"
        )
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"linalg.cross: expected both of one dtype, got {input.dtype.name} and {other.dtype.name}: "
            f"convert first, x.to(tensorlab.{dtypes.promote_types(input.dtype, other.dtype).name})"
        )
    need_one_device("linalg.cross", input, other)
    a, b = broadcast_tensors(input, other)
    x, y = ([operand.select(dim, i) for i in range(3)] for operand in (a, b))
    terms = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    if out is not None:
        need_dtype(out, input.dtype)
    return stack(terms, dim, out=out)
