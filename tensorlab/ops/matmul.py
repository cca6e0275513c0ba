"""The matrix product and its family: views, and one batched product of the backend.

Each function here says which shapes it takes. The work is done by two that touch memory: `product` and
`added_product`, in `tensorlab.ops.products`.
"""

from __future__ import annotations

from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.backends.cuda import matmul as tensor_cores
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.operands import Number
from tensorlab.ops.products import added_product, product
from tensorlab.ops.shape import UnsafeViewBackward0
from tensorlab.registry import op
from tensorlab.tensor import Tensor, without_history


@op("function method", aliases="linalg.matmul", names="contracts")
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product of two tensors, ``input @ other``.

    Two vectors give their dot product. A vector on the left is a row, on the right a column, and that
    dimension is gone from the result. Of tensors of more dimensions the last two are the matrices; the
    leading ones are broadcast, and broadcast operands are not copied.

    Args:
        input: of shape (k), or (…, m, k).
        other: of shape (k), or (…, k, n), and of the same dtype.
        out: a tensor of the result's shape and dtype to write into.

    Returns:
        a new tensor of shape (…, m, n), without m or n where an operand is a vector; or `out`. float16 and
        bfloat16 are summed up in float32 and rounded once; integers wrap around.

    Raises:
        RuntimeError: the dtypes differ, the inner sizes differ, the leading sizes cannot be broadcast, or an
            operand has no dimensions.
        NotImplementedError: the operands are bool.

    Example:
        >>> a = tl.arange(6).view(2, 3)
        >>> a @ tl.tensor([1, 0, 1])
        tensor([2, 8])
        >>> tl.matmul(tl.ones(5, 1, 2, 3), tl.ones(4, 3, 7)).shape
        tensorlab.Size([5, 4, 2, 7])
        >>> a @ a
        Traceback (most recent call last):
            ...
        RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3): the last size of the first, \
3, must equal the second-to-last size of the second, 2
    """
    if out is not None:
        return product(input, other, out)
    return as_matmul(product(input, other), input, other)


def as_matmul(result: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """A product as the graph shows it where an operand is a batch: PyTorch's ends with the view of a `bmm`.

    A matrix on the left of a batch is the exception: there it turns both around, and this library does not.
    """
    if result._edge is None or (a.ndim < 3 and b.ndim < 3) or (a.ndim == 2 and requires_grad(a)):
        return result
    return record(UnsafeViewBackward0, without_history(result), result, sizes=result._shape)


@op("function method", names="contracts")
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (m, k) and (k, n); `matmul` without vectors, batches and broadcasting.

    Args:
        input: of shape (m, k).
        mat2: of shape (k, n), and of the same dtype.
        out: a tensor of shape (m, n) to write into.

    Raises:
        RuntimeError: an operand is no matrix, or the sizes or dtypes do not fit.

    Example:
        >>> tl.mm(tl.tensor([[1, 2], [3, 4]]), tl.tensor([[0, 1], [1, 0]]))
        tensor([[2, 1],
                [4, 3]])
    """
    if not input.ndim == mat2.ndim == 2:
        _expect_matrices("mm", input, mat2, "self")
    return product(input, mat2, out)


@op("function method", names="contracts")
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two batches of matrices, (b, m, k) and (b, k, n), one by one.

    Args:
        input: of shape (b, m, k).
        mat2: of shape (b, k, n), and of the same dtype.
        out: a tensor of shape (b, m, n) to write into.

    Raises:
        RuntimeError: an operand has not three dimensions, or the sizes or dtypes do not fit.

    Example:
        >>> tl.bmm(tl.ones(10, 2, 3), tl.ones(10, 3, 4)).shape
        tensorlab.Size([10, 2, 4])
    """
    _expect_batches("bmm", input, mat2)
    return product(input, mat2, out)


@op("function method", names="contracts")
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix (m, k) and a vector (k): m numbers.

    Args:
        input: of shape (m, k).
        vec: of shape (k), and of the same dtype.
        out: a tensor of shape (m) to write into.

    Raises:
        RuntimeError: the operands are no matrix and no vector, or the sizes or dtypes do not fit.

    Example:
        >>> tl.mv(tl.tensor([[1, 2], [3, 4]]), tl.tensor([10, 1]))
        tensor([12, 34])
    """
    _expect_matrix_and_vector("mv", input, vec)
    return product(input, vec, out)


@op("function method", names="contracts")
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements, as a tensor without dimensions.

    Raises:
        RuntimeError: an operand is no vector, or their lengths or dtypes differ.

    Example:
        >>> tl.dot(tl.tensor([2, 3]), tl.tensor([2, 1]))
        tensor(7)
    """
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors, of shapes "
            f"{tuple(input.shape)} and {tuple(tensor.shape)}: inner and matmul take more dimensions"
        )
    return product(input, tensor, out)


@op("function method")
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product of two vectors; as `dot`, since there are no complex numbers here to conjugate.

    Args:
        input, other: vectors of one length and dtype.
        out: a tensor without dimensions to write into.

    Example:
        >>> tl.vdot(tl.tensor([1, 2]), tl.tensor([3, 4]))
        tensor(11)
    """
    return dot(input, other, out=out)


@op("function method in_place", names="adds_product")
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``, rounded once at the end.

    Args:
        input: a tensor that can be broadcast to (m, n); with ``beta=0`` it is not read.
        mat1, mat2: matrices of shapes (m, k) and (k, n), of `input`'s dtype.
        beta, alpha: numbers; of integer tensors their whole part counts.
        out: a tensor of shape (m, n) to write into.

    Raises:
        RuntimeError: the shapes or dtypes do not fit.

    Example:
        >>> tl.addmm(tl.tensor([[10.0, 20.0]] * 2), tl.ones(2, 3), tl.ones(3, 2), alpha=2)
        tensor([[16., 26.],
                [16., 26.]])
    """
    _expect_matrices("addmm", mat1, mat2, "mat1")
    return added_product("addmm", input, mat1, mat2, beta, alpha, out)


@op("function method in_place in_place_function", names="adds_product")
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None
) -> Tensor:
    """``beta * input + alpha * (mat @ vec)`` for a matrix (m, k) and a vector (k); see `addmm`.

    Example:
        >>> tl.addmv(tl.tensor([100, 200]), tl.tensor([[1, 2], [3, 4]]), tl.tensor([10, 1]))
        tensor([112, 234])
    """
    _expect_matrix_and_vector("addmv", mat, vec)
    return added_product("addmv", input, mat, vec, beta, alpha, out)


@op("function method in_place", names="adds_product")
def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)`` for batches (b, m, k) and (b, k, n); see `addmm`.

    Example:
        >>> tl.baddbmm(tl.zeros(1, 1, 1), tl.ones(1, 1, 3), tl.ones(1, 3, 1), alpha=2)
        tensor([[[6.]]])
    """
    _expect_batches("baddbmm", batch1, batch2)
    return added_product("baddbmm", input, batch1, batch2, beta, alpha, out)


@op("function method in_place")
def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input`` plus `alpha` times the sum of all products of two batches, (b, m, k) and (b, k, n).

    The sum over the batch and the sum over k are one sum: that of a product of (m, b·k) and (b·k, n).

    Example:
        >>> tl.addbmm(tl.zeros(2, 2), tl.ones(10, 2, 3), tl.ones(10, 3, 2))
        tensor([[30., 30.],
                [30., 30.]])
    """
    _expect_batches("addbmm", batch1, batch2)
    b, m, k = batch1.shape
    wide = batch1.permute(1, 0, 2).reshape(m, b * k)
    tall = batch2.reshape(b * k, batch2.shape[2])
    return added_product("addbmm", input, wide, tall, beta, alpha, out)


def _expect_matrices(name: str, first: Tensor, second: Tensor, first_name: str) -> None:
    for word, operand in ((first_name, first), ("mat2", second)):
        if operand.ndim != 2:
            raise RuntimeError(
                f"{name}(): {word} must be a matrix, and it has shape {tuple(operand.shape)}: "
                f"matmul takes tensors of any number of dimensions"
            )


def _expect_batches(name: str, first: Tensor, second: Tensor) -> None:
    if len(first._shape) == len(second._shape) == 3:
        (batch, _, inner), (other, rows, _) = first._shape, second._shape
        if batch == other and inner == rows:
            return
    for word, operand in (("batch1", first), ("batch2", second)):
        if operand.ndim != 3:
            raise RuntimeError(
                f"{name}(): {word} must be a 3D tensor, a batch of matrices, and it has shape "
                f"{tuple(operand.shape)}: matmul takes tensors of any number of dimensions"
            )
    b, _, k = first.shape
    if second.shape[:2] != (b, k):
        raise RuntimeError(
            f"{name}(): Expected size for first two dimensions of batch2 tensor to be: [{b}, {k}] but got: "
            f"{list(second.shape[:2])}: the shapes are {tuple(first.shape)} and {tuple(second.shape)}"
        )


def _expect_matrix_and_vector(name: str, matrix: Tensor, vector: Tensor) -> None:
    if matrix.ndim != 2 or vector.ndim != 1:
        raise RuntimeError(
            f"{name}(): vector + matrix @ vector expected, got a matrix of shape {tuple(matrix.shape)} and a "
            f"vector of shape {tuple(vector.shape)}"
        )


# --- how precise ----------------------------------------------------------------------------------------

_PRECISIONS = ("highest", "high", "medium")
_precision = ["highest"]


@op()
def set_float32_matmul_precision(precision: str) -> None:
    """Say how precise products of float32 matrices must be: at least so much.

    Args:
        precision: ``"highest"`` for float32 throughout; ``"high"`` and ``"medium"`` allow fewer digits. The
            tensor cores of a GPU take 10 of 23 bits of each fraction then, as with
            ``tensorlab.backends.cuda.matmul.allow_tf32 = True``; a CPU computes in float32 whatever is
            allowed.

    Example:
        >>> tl.set_float32_matmul_precision("high")
        >>> tl.get_float32_matmul_precision()
        'high'
        >>> tl.set_float32_matmul_precision("highest")
    """
    if precision in _PRECISIONS:
        _precision[0] = precision
        tensor_cores.allow_tf32 = precision != "highest"
    else:
        warn_caller(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current "
            f"set_float32_matmul_precision call has no effect"
        )


@op()
def get_float32_matmul_precision() -> str:
    """How precise products of float32 matrices must be; see `set_float32_matmul_precision`.

    Example:
        >>> tl.get_float32_matmul_precision()
        'highest'
    """
    if tensor_cores.allow_tf32 == (_precision[0] != "highest"):
        return _precision[0]
    return "high" if tensor_cores.allow_tf32 else "highest"  # as the switch was set behind it
