"""From two tensors to one batched matrix product of the backend: shapes, strides, and the guards of a write.

A product is prepared once for each combination of layouts and dtypes, and kept (see `Plan`): what remains of
a small one is the allocation and the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import empty, ndarray

from tensorlab import broadcasting, dtypes, layout, product_shapes
from tensorlab.autograd.formulas import Backward
from tensorlab.autograd.in_place import in_place
from tensorlab.autograd.recorders import recorder
from tensorlab.autograd.views import requires_grad
from tensorlab.autograd.writers import mark
from tensorlab.backends import Launch, backend
from tensorlab.dtypes import dtype
from tensorlab.layout import Refusal, Size
from tensorlab.modes import current
from tensorlab.ops.conversion import copy_
from tensorlab.ops.dispatch import Number, check_out, guard_write, is_number, same_place, share_cells
from tensorlab.ops.operands import number_from
from tensorlab.ops.outputs import written
from tensorlab.ops.plans import remember
from tensorlab.ops.product_gradients import added_node, product_node
from tensorlab.scalars import Scalar
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["added_product", "ended_product", "product"]


class Plan(NamedTuple):
    """Everything about a product that follows from the layouts and dtypes of its operands alone.

    Attributes:
        launch: what computes it.
        shape, stride, numel, dtype, cell: the result's.
        kernel, sizes: what computes a small product sooner, or None; only where both operands are dense.
        record: what records such a product.
    """

    launch: Launch
    shape: Size
    stride: tuple[int, ...]
    numel: int
    dtype: dtype
    cell: np.dtype
    kernel: Callable[..., None] | None
    sizes: np.ndarray | None
    record: Callable[..., Tensor]


_plans: dict[tuple, Plan] = {}

# The plans that have a kernel. Both operands are dense, so their shapes say all about their layouts. None
# stands where no such operands were met, or where there is no kernel for them. They are kept as plain tuples,
# which Python takes apart sooner than named ones.
_small: dict[tuple, tuple | None] = {}


def product(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """``a @ b`` of tensors of any rank, broadcast; see `tensorlab.ops.matmul.matmul`."""
    if out is not None:
        return _product_into(a, b, out)
    left: Any
    right: Any
    try:
        left, right = a._dense, b._dense  # kept with a dense operand, once they were asked for
        plan = _small[a._dtype, a._shape, b._dtype, b._shape]
    except (KeyError, AttributeError):
        left = plan = None
    # `type` is a step of the interpreter's own; `__class__` would be looked up as any attribute is.
    if plan is not None and type(left) is type(right) is ndarray:
        launch, shape, stride, numel, element_type, cell, kernel, sizes, record = plan
        memory = empty(numel, cell)
        kernel(sizes, memory, left, right)
    else:
        launch, shape, stride, numel, element_type, cell, _, _, record = _plan_of(a, b)
        memory = empty(numel, cell)
        left, right = dense_cells(a), dense_cells(b)
        launch(
            (memory, 0),
            a._buffer() if left is False else (left, 0),
            b._buffer() if right is False else (right, 0),
        )
    result = make_dense(memory, element_type, shape, stride)
    if (
        a._edge is None
        and b._edge is None
        and (a._base is None or a._base._edge is None)
        and (b._base is None or b._base._edge is None)
    ):
        return result
    return record(result, a, b)


def _plan_of(a: Tensor, b: Tensor) -> Plan:
    try:
        key = (*_signature(a), *_signature(b))
    except AttributeError:
        _check_tensors(a, b)
        raise
    plan = _plans.get(key)
    if plan is None:
        plan = remember(_plans, key, _prepare(a, b))
        shapes = a._dtype, a._shape, b._dtype, b._shape
        remember(_small, shapes, tuple(plan) if plan.kernel is not None else _small.get(shapes))
    return plan


def _product_into(a: Tensor, b: Tensor, out: Tensor) -> Tensor:
    _check_tensors(a, b)
    check_out("matmul", out, a, b)
    _check_out(out, a, b)
    if out.shape != _shape_of(a, b) or share_cells(out, a) or share_cells(out, b):
        # It takes the result's shape; or its elements would be overwritten before they are read.
        return written(out, product(a, b))
    key = ("out", *_signature(a), *_signature(b), *_signature(out))
    plan = _plans.get(key)
    if plan is None:
        plan = remember(_plans, key, _prepare(a, b, out=out))
    buffers = out._buffer(), a._buffer(), b._buffer()
    out._storage._version += 1
    plan.launch(*buffers)
    return out


def _check_tensors(*operands: object) -> None:
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"matmul(): both operands must be tensors, got {type(operand).__name__}: {operand!r}"
            )


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
    key = (
        name, a._dtype, a._shape, a._stride, b._dtype, b._shape, b._stride, source._dtype, source._shape,
        source._stride,
    )  # fmt: skip
    plan = _plans.get(key)
    if plan is None:
        _check_one_dtype(name, source, a, b)
    kind = float if source._dtype.is_floating_point else int
    if beta.__class__ is not kind:
        beta = _as_number(name, "beta", beta, kind)
    if alpha.__class__ is not kind:
        alpha = _as_number(name, "alpha", alpha, kind)
    if out is None:
        if plan is None:
            record = recorder(_added_node(name, a, b), (0, 1, 2), alpha=1.0, beta=1.0)
            plan = remember(_plans, key, _prepare(a, b, source)._replace(record=record))
        memory = np.empty(plan.numel, plan.cell)
        plan.launch((memory, 0), a._buffer(), b._buffer(), source._buffer(), alpha, beta)
        result = make_dense(memory, plan.dtype, plan.shape, plan.stride)
        if not (current.grad and (requires_grad(source) or requires_grad(a) or requires_grad(b))):
            return result
        return plan.record(result, source, a, b, alpha, beta)
    if out is not source:
        check_out(name, out, source, a, b)
    _check_out(out, a, b)
    others = (a, b) if same_place(out, source) else (a, b, source)
    shape = _shape_of(a, b)
    if out is source and out.shape != shape:
        raise RuntimeError(
            f"the product has shape {list(shape)}, and the tensor to write into has {list(out.shape)}: "
            f"a tensor that is written in place keeps its shape; use {name}, which makes a new tensor"
        )
    if out.shape != shape or any(share_cells(out, other) for other in others):
        apart = added_product(name, source, a, b, beta, alpha, None)
        return copy_(out, apart) if out is source else written(out, apart)
    key = (*key, *_signature(out))
    plan = _plans.get(key) or remember(_plans, key, _prepare(a, b, source, out))
    with in_place(_added_node(name, a, b), out, a, b, alpha=alpha, beta=beta):
        if out is not source:
            mark(out._storage, f"{name}(out=...)")
        buffers = out._buffer(), a._buffer(), b._buffer(), source._buffer()
        out._storage._version += 1
        plan.launch(*buffers, alpha, beta)
    return out


def _as_number(name: str, word: str, number: object, kind: type) -> Any:
    number = number_from(number)
    if not is_number(number):
        raise TypeError(f"{name}(): {word} must be a number, got {number!r}")
    return kind(number)


def _check_one_dtype(name: str, source: Tensor, a: Tensor, b: Tensor) -> None:
    if source.dtype is not a.dtype or source.dtype is not b.dtype:
        raise RuntimeError(
            f"{name}(): self and mat2 must have the same dtype, but got {source.dtype.name}, {a.dtype.name} "
            f"and {b.dtype.name}: convert first, x.to(tensorlab.{source.dtype.name})"
        )


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
    ends = [None if operand is None else _signature(operand) for operand in (source, residual)]
    key = ("ended", *_signature(a), *_signature(b), *ends, activation and activation.name)
    plan = _plans.get(key) or remember(_plans, key, _prepare(a, b, source, None, activation, residual))
    memory = np.empty(plan.numel, plan.cell)
    added = [None if operand is None else operand._buffer() for operand in (source, residual)]
    one = 1.0 if a.is_floating_point() else 1
    buffers = (memory, 0), a._buffer(), b._buffer()
    plan.launch(*buffers, added[0], one, one if source is not None else 0 * one, added[1])
    return make_dense(memory, plan.dtype, plan.shape, plan.stride)


def _signature(operand: Tensor) -> tuple:
    """What of an operand a plan depends on."""
    return operand._dtype, operand._shape, operand._stride


def _prepare(
    a: Tensor,
    b: Tensor,
    source: Tensor | None = None,
    out: Tensor | None = None,
    activation: Scalar | None = None,
    residual: Tensor | None = None,
) -> Plan:
    shape = _shape_of(a, b)
    rows, columns = a.ndim > 1, b.ndim > 1
    # A vector on the left is a row and one on the right a column; the stride of that dimension is never used.
    a_shape, a_stride = (a.shape, a.stride()) if rows else ((1, *a.shape), (0, *a.stride()))
    b_shape, b_stride = (b.shape, b.stride()) if columns else ((*b.shape, 1), (*b.stride(), 0))
    (m, k), n = a_shape[-2:], b_shape[-1]
    batch = shape[: len(shape) - rows - columns]
    stride = layout.default_strides(shape) if out is None else out.stride()
    launch = backend("cpu").gemm(
        a.dtype,
        batch,
        (m, n, k),
        _of_matrices(stride, len(batch), rows, columns),
        (*broadcasting.broadcast_strides(a_shape[:-2], a_stride[:-2], batch), *a_stride[-2:]),
        (*broadcasting.broadcast_strides(b_shape[:-2], b_stride[:-2], batch), *b_stride[-2:]),
        None if source is None else _of_matrices(_expanded(source, shape), len(batch), rows, columns),
        activation,
        None if residual is None else _of_matrices(_expanded(residual, shape), len(batch), rows, columns),
    )
    small = None
    plain = source is None and out is None and activation is None and residual is None
    if plain and _are_dense(a, b) and (not batch or (*a.shape[:-2],) == (*b.shape[:-2],) == (*batch,)):
        small = backend("cpu").small_gemm(a.dtype, (m, n, k), batch)
    kernel, sizes = small or (None, None)
    record = recorder(product_node(a.ndim, b.ndim, _turned(b)), (0, 1))
    return Plan(launch, shape, stride, layout.numel(shape), a.dtype, a.dtype.cell, kernel, sizes, record)


def _are_dense(*tensors: Tensor) -> bool:
    return all(tensor._stride == layout.default_strides(tensor._shape) for tensor in tensors)


def _added_node(name: str, a: Tensor, b: Tensor) -> type[Backward]:
    return added_node(name, a.ndim, b.ndim, _turned(b))


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


def _check_out(out: Tensor, *operands: Tensor) -> None:
    if out.dtype is not operands[0].dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {operands[0].dtype.name}, but got {out.dtype.name} instead: "
            f"a product is not converted when it is written"
        )
    guard_write(out)
