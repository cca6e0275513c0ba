"""The matrix product as a primitive: batched GEMM of the backend, for operands of any rank and layout.

A vector on the left is a matrix of one row, one on the right a matrix of one column; matrices that stand
before a whole batch are read again with stride 0. Nothing is copied.

For ``c = a @ b`` with a gradient `g` of `c`, that of `a` is ``g @ b.T`` and that of `b` is ``a.T @ g``. Where
a matrix was broadcast to a batch, its gradient is summed over the batch; a batch of rows times one matrix is
one product of all rows, so that the sum happens inside of it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import Backward, formulas
from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.unbroadcasting import unbroadcast
from tensorlab.backends import Backend, Launch
from tensorlab.core import broadcasting, dtypes, layout, product_shapes
from tensorlab.core.layout import Refusal, Size
from tensorlab.dispatch.guards import guard_write, same_place, share_cells
from tensorlab.dispatch.operands import Number, is_number, number_from
from tensorlab.dispatch.primitive import (
    IN_PLACE,
    Operand,
    Primitive,
    Recorded,
    Result,
    binary,
    call,
    call_in_place,
    compute,
    refuse_recorded,
)
from tensorlab.ops.conversion import copy_
from tensorlab.ops.outputs import written
from tensorlab.scalars import Scalar
from tensorlab.tensor import Tensor


class Product(Primitive):
    """``a @ b``; the operands are the two."""

    name = "matmul"
    differentiable = True

    def result(self, operands: Sequence[Operand], params: tuple) -> Result:
        """The broadcast batch and the rows and columns that the vectors left, row-major.

        Raises:
            TypeError: an operand is no tensor.
            RuntimeError: the dtypes or the sizes do not fit.
        """
        a, b = _factors(operands)
        shape = _shape_of(a, b)
        return Result(shape, layout.default_strides(shape), a.dtype)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Operand], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        return _gemm(backend, result, *_factors(operands))

    def node(self, operands: Sequence[Operand], params: tuple) -> Recorded:
        """Named as PyTorch names the product of these ranks."""
        a, b = _factors(operands)
        return product_node(a.ndim, b.ndim, _turned(b)), {}

    def check_out(self, out: Tensor, result: Result, operands: Sequence[Operand], brought: bool) -> None:
        """Refuse an `out` of another dtype: a product is not converted."""
        if out.dtype is not result.dtype:
            raise RuntimeError(
                f"Expected out tensor to have dtype {result.dtype.name}, but got {out.dtype.name} instead: "
                f"a product is not converted when it is written"
            )


class AddedProduct(Product):
    """``beta * source + alpha * (a @ b)``; the operands are source, a, b, beta and alpha."""

    def __init__(self, name: str) -> None:
        self.name = name

    def result(self, operands: Sequence[Operand], params: tuple) -> Result:
        """As that of the product, to whose shape the source is broadcast."""
        source, a, b = _tensors(operands)
        if source.dtype is not a.dtype or source.dtype is not b.dtype:
            raise RuntimeError(
                f"{self.name}(): self and mat2 must have the same dtype, but got {source.dtype.name}, "
                f"{a.dtype.name} and {b.dtype.name}: convert first, x.to(tensorlab.{source.dtype.name})"
            )
        return super().result((a, b), params)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Operand], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        source, a, b = _tensors(operands)
        gemm = _gemm(backend, result, a, b, source)
        return lambda out, source, a, b, beta, alpha: gemm(out, a, b, source, alpha, beta)

    def node(self, operands: Sequence[Operand], params: tuple) -> Recorded:
        """Named after the function."""
        _, a, b = _tensors(operands)
        return added_node(self.name, a.ndim, b.ndim, _turned(b)), {}


class EndedProduct(Product):
    """``activation(a @ b + source) + residual``; `params` say which of the two are among the operands."""

    def __init__(self, activation: Scalar | None) -> None:
        self.activation = activation

    def result(self, operands: Sequence[Operand], params: tuple) -> Result:
        """As that of the product."""
        return super().result(operands[:2], ())

    def node(self, operands: Sequence[Operand], params: tuple) -> Recorded:
        """None: the gradient of the activation would need what stood before it."""
        return None, {}

    def launch(self, backend: Backend, result: Result, operands: Sequence[Operand], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        a, b, *others = operands
        ends = iter(others)
        source, residual = (next(ends) if there else None for there in params)
        gemm = _gemm(backend, result, a, b, source, self.activation, residual)
        one, beta = (1.0, 1.0) if result.dtype.is_floating_point else (1, 1)
        beta = beta if params[0] else 0 * one

        def launch(out: Any, a: Any, b: Any, *buffers: Any) -> None:
            added = iter(buffers)
            source, residual = (next(added) if there else None for there in params)
            gemm(out, a, b, source, one, beta, residual)

        return launch


MATMUL = Product()
_added = functools.cache(AddedProduct)
_ended: dict[str | None, EndedProduct] = {}


def product(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """``a @ b`` of tensors of any rank, broadcast; see `tensorlab.ops.matmul.matmul`."""
    if out is None:
        return binary(MATMUL, a, b)
    if isinstance(out, Tensor) and any(isinstance(t, Tensor) and share_cells(out, t) for t in (a, b)):
        refuse_recorded("matmul(): ", out, a, b)  # its elements would be overwritten before they are read
        guard_write(out)
        return written(out, product(a, b))
    return call(MATMUL, a, b, out=out)


def added_product(
    name: str, source: Tensor, a: Tensor, b: Tensor, beta: Number, alpha: Number, out: Tensor | None
) -> Tensor:
    """``beta * source + alpha * (a @ b)``, where `source` is broadcast to the product's shape.

    Args:
        name: the public function, for messages.
        source, a, b: tensors of one dtype.
        beta, alpha: numbers. With 0 the operands that they stand before are not read.
        out: a tensor to write into; it may be `source`.

    Raises:
        RuntimeError: the shapes do not fit, or `out` has another shape and is `source`.
        TypeError: `beta` or `alpha` is no number.
    """
    primitive = _added(name)
    kind = float if source._dtype.is_floating_point else int
    numbers = _as_number(name, "beta", beta, kind), _as_number(name, "alpha", alpha, kind)
    operands = (source, a, b, *numbers)
    out = source if out is IN_PLACE else out
    if out is None:
        return call(primitive, *operands)
    others = (a, b) if same_place(out, source) else (a, b, source)
    if any(share_cells(out, other) for other in others):
        guard_write(out)
        apart = added_product(name, source, a, b, beta, alpha, None)
        return written_by(f"{name}_", copy_(out, apart)) if out is source else written(out, apart)
    if out is source:
        return call_in_place(primitive, *operands, writer=f"{name}_")
    return call(primitive, *operands, out=out)


def _as_number(name: str, word: str, number: object, kind: type) -> Any:
    if number.__class__ is kind:
        return number
    number = number_from(number)
    if not is_number(number):
        raise TypeError(f"{name}(): {word} must be a number, got {number!r}")
    return kind(number)


def ended_product(
    name: str,
    a: Tensor,
    b: Tensor,
    source: Tensor | None = None,
    activation: Scalar | None = None,
    residual: Tensor | None = None,
) -> Tensor:
    """``activation(a @ b + source) + residual``, where the sums never go to memory in between.

    Nothing is recorded for a gradient: that of the activation would need what stood before it.

    Args:
        name: the public function, for messages.
        a, b: tensors of one dtype.
        source, residual: tensors of that dtype that can be broadcast to the product's shape.
        activation: a row of the table of scalar functions, of one operand and without parameters.
    """
    if source is None and activation is None and residual is None:
        return product(a, b)
    if activation is not None and (activation.arity != 1 or activation.parameters):
        raise RuntimeError(f"{name}(): {activation.name} is no function of one number")
    others = [operand for operand in (source, residual) if operand is not None]
    for operand in others:
        if operand.dtype is not a.dtype:
            raise RuntimeError(
                f"{name}(): what is added to a product must have its dtype, {a.dtype.name}, and it has "
                f"{operand.dtype.name}: convert first, x.to(tensorlab.{a.dtype.name})"
            )
    key = None if activation is None else activation.name
    primitive = _ended.get(key) or _ended.setdefault(key, EndedProduct(activation))
    return compute(primitive, a, b, *others, params=(source is not None, residual is not None))


# --- layouts ------------------------------------------------------------------------------------------


def _factors(operands: Sequence[Operand]) -> tuple[Tensor, Tensor]:
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"matmul(): both operands must be tensors, got {type(operand).__name__}: {operand!r}"
            )
    a, b = operands
    return a, b  # type: ignore[return-value]  # the loop above has seen to it


def _tensors(operands: Sequence[Any]) -> tuple[Tensor, Tensor, Tensor]:
    source, a, b = operands[:3]
    return source, a, b


def _gemm(
    backend: Backend,
    result: Result,
    a: Any,
    b: Any,
    source: Any = None,
    activation: Scalar | None = None,
    residual: Any = None,
) -> Launch:
    shape, rows, columns = result.shape, a.ndim > 1, b.ndim > 1
    # A vector on the left is a row and one on the right a column; the stride of that dimension is never used.
    a_shape, a_stride = (a.shape, a.stride()) if rows else ((1, *a.shape), (0, *a.stride()))
    b_shape, b_stride = (b.shape, b.stride()) if columns else ((*b.shape, 1), (*b.stride(), 0))
    (m, k), n = a_shape[-2:], b_shape[-1]
    batch = shape[: len(shape) - rows - columns]

    def of_matrices(operand: Tensor | None) -> tuple[int, ...] | None:
        if operand is None:
            return None
        return _of_matrices(_expanded(operand, shape), len(batch), rows, columns)

    return backend.gemm(
        a.dtype,
        batch,
        (m, n, k),
        _of_matrices(result.stride, len(batch), rows, columns),
        (*broadcasting.broadcast_strides(a_shape[:-2], a_stride[:-2], batch), *a_stride[-2:]),
        (*broadcasting.broadcast_strides(b_shape[:-2], b_stride[:-2], batch), *b_stride[-2:]),
        of_matrices(source),
        activation,
        of_matrices(residual),
    )


def _turned(b: Tensor) -> bool:
    """Whether a right operand lies as a transposed matrix does."""
    return b.ndim > 1 and b._stride[-2] == 1 != b._stride[-1]


def _shape_of(a: Tensor, b: Tensor) -> Size:
    if a.ndim and b.ndim:
        _check_dtypes(a, b)
    return product_shapes.matmul_shape(a.shape, b.shape)


def _of_matrices(strides: Sequence[int], batch_dims: int, rows: bool, columns: bool) -> tuple[int, ...]:
    """A result's strides with a row's and a column's put in where a vector left the dimension out.

    Example:
        >>> _of_matrices((12, 4), 1, True, False)
        (12, 4, 0)
    """
    batch, matrix = strides[:batch_dims], list(strides[batch_dims:])
    return (*batch, matrix.pop(0) if rows else 0, matrix.pop(0) if columns else 0)


def _expanded(source: Tensor, shape: Size) -> tuple[int, ...]:
    strides = broadcasting.expand_strides(source.shape, source.stride(), shape)
    if isinstance(strides, Refusal):
        raise RuntimeError(strides.reason)
    return strides


def _check_dtypes(a: Tensor, b: Tensor) -> None:
    if a.dtype is not b.dtype:
        wider = dtypes.promote_types(a.dtype, b.dtype).name
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {a.dtype.name} != {b.dtype.name}: "
            f"a matrix product converts nothing; convert first, x.to(tensorlab.{wider})"
        )
    if a.dtype is dtypes.bool:
        raise NotImplementedError(
            "the matrix product is not implemented for 'Bool': convert first, x.to(tensorlab.int64), and the "
            "product counts the pairs that are both True"
        )


# --- gradients ----------------------------------------------------------------------------------------


def _left(grad: Any, a_dims: int, b: Any) -> Any:
    """The gradient of the left operand, perhaps still with batch dimensions that it was broadcast to."""
    if b.ndim == 1:
        return grad * b if a_dims == 1 else grad.unsqueeze(-1) @ b.unsqueeze(0)
    if a_dims == 1:
        return (b @ grad.unsqueeze(-1)).squeeze(-1)
    return grad @ b.mT


def _right(grad: Any, a: Any, b_dims: int, turned: bool) -> Any:
    """The gradient of the right operand, perhaps still with batch dimensions that it was broadcast to.

    Of a transposed matrix it is made transposed, so that it lies as the matrix itself does.
    """
    if a.ndim == 1:
        return grad * a if b_dims == 1 else a.unsqueeze(-1) @ grad.unsqueeze(-2)
    if b_dims == 1:
        return a.flatten(0, -2).mT @ grad.flatten()
    if b_dims == 2 and a.ndim > 2:
        a, grad = a.flatten(0, -2), grad.flatten(0, -2)
    return (grad.mT @ a).mT if turned else a.mT @ grad


def matmul_backward(grad: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of both factors of ``a @ b``, each of the factor's own shape.

    Args:
        grad: of the product.
        a, b: tensors of any rank but 0, as `product` takes them.

    Example:
        >>> import tensorlab as tl
        >>> a, b = tl.ones(5, 2, 3), tl.ones(3, 4)
        >>> [tuple(g.shape) for g in matmul_backward(tl.ones(5, 2, 4), a, b)]
        [(5, 2, 3), (3, 4)]
    """
    left, right = _left(grad, a.ndim, b), _right(grad, a, b.ndim, _turned(b))
    return unbroadcast(left, a._shape), unbroadcast(right, b._shape)


_PRODUCTS = {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm"}


@functools.cache
def product_node(a_dims: int, b_dims: int, turned: bool) -> type[Backward]:
    """The kind of node that ``a @ b`` leaves, named as PyTorch names the product of these ranks.

    Args:
        a_dims, b_dims: the ranks of the operands.
        turned: whether the right operand is a transposed matrix.
    """

    def gradients(grad: Any, asked: Sequence[bool], kept: dict[str, Any]) -> Sequence[Any]:
        a, b = kept.get("a"), kept.get("b")
        if all(asked):
            return matmul_backward(grad, a, b)  # type: ignore[arg-type]  # both are kept, each for the other
        return (
            _left(grad, a_dims, b) if asked[0] else None,
            _right(grad, a, b_dims, turned) if asked[1] else None,
        )

    return formulas(
        f"{_PRODUCTS.get((a_dims, b_dims), 'Bmm')}Backward0",
        fused=gradients,
        a=lambda grad, b: _left(grad, a_dims, b),
        b=lambda grad, a: _right(grad, a, b_dims, turned),
    )


_ADDED = {"addmv": "AddmvBackward0", "baddbmm": "BaddbmmBackward0"}


@functools.cache
def added_node(name: str, a_dims: int, b_dims: int, turned: bool) -> type[Backward]:
    """The kind of node that ``beta * input + alpha * (a @ b)`` leaves.

    Args:
        name: of the public function.
        a_dims, b_dims, turned: as `product_node` takes them.
    """
    return formulas(
        _ADDED.get(name, "AddmmBackward0"),
        input=lambda grad, beta: _times(grad, beta),
        mat1=lambda grad, mat2, alpha: _left(_times(grad, alpha), a_dims, mat2),
        mat2=lambda grad, mat1, alpha: _right(_times(grad, alpha), mat1, b_dims, turned),
        beta=None,
        alpha=None,
    )


def _times(grad: Any, number: float) -> Any:
    return grad if number == 1 else grad * number
