"""Arithmetic by NumPy: every element, sums and other folds, running totals, products of matrices."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.numpy.cells import HALVES, load, store
from tensorlab.backends.numpy.formulas import of_arrays
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.folds import Fold, arguments_of
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type
from tensorlab.scalars.updates import Update

__all__ = ["arg_reduce", "gemm", "pointwise", "quiet", "reduce", "scan", "update"]


def quiet(launch: Callable[..., Any]) -> Callable[..., Any]:
    """A launch that says nothing of infinities, NaN and what wraps around: they are results like others."""

    @functools.wraps(launch)
    def silent(*buffers: Any) -> Any:
        with np.errstate(all="ignore"):
            return launch(*buffers)

    return silent


def pointwise(
    row: Scalar, compute: dtype, shape: Sequence[int], out: OperandLayout, inputs: Sequence[OperandLayout]
) -> Launch:
    """See `tensorlab.backends.protocol.Core.pointwise`."""
    if 0 in shape:
        return no_launch
    compute = compute_type(row.formula, compute)
    formula = of_arrays(row.formula, compute)

    def launch(target: Any, *sources: Any) -> None:
        values = [load(item, layout, shape, compute) for item, layout in zip(sources, inputs, strict=True)]
        store(target, out, shape, formula(*values))

    return quiet(launch)


def update(
    rule: Update, element_type: dtype, shape: tuple[int, int], steps: Sequence[int] | None = None
) -> Launch:
    """See `tensorlab.backends.protocol.Core.update`."""
    if 0 in shape:
        return no_launch
    compute = dtypes.float32 if element_type in HALVES else element_type
    formula, written, count = of_arrays(rule.formula, compute), rule.written, len(rule.arguments[0])
    layouts = [OperandLayout(element_type, (step, 1)) for step in steps or [shape[1]] * count]

    def launch(*operands: Any) -> None:
        pairs = zip(operands, layouts, strict=False)
        values = [load(buffer, layout, shape, compute) for buffer, layout in pairs]
        moved = iter(formula(*values, *(compute.cell.type(value) for value in operands[count:])))
        for buffer, layout, is_written in zip(operands, layouts, written, strict=False):
            if is_written:
                store(buffer, layout, shape, next(moved))

    return quiet(launch)


_JOINS = {
    "add": np.add,
    "multiply": np.multiply,
    "greatest": np.maximum,
    "least": np.minimum,
    "both": np.logical_and,
    "either": np.logical_or,
}


def reduce(
    fold: Fold,
    value: dtype,
    shape: Sequence[int],
    dims: Sequence[int],
    out: OperandLayout,
    source: OperandLayout,
    k: float = 0.0,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.reduce`."""
    kept = tuple(1 if dim in dims else size for dim, size in enumerate(shape))
    if 0 in kept:
        return no_launch
    n = math.prod(shape[dim] for dim in dims)

    def launch(target: Any, item: Any) -> None:
        x = load(item, source, shape, dtypes.bool if fold.truth else value)
        store(target, out, kept, _folded(fold, value, x, tuple(dims), n, k))

    return quiet(launch)


def _folded(fold: Fold, value: dtype, x: np.ndarray, dims: tuple[int, ...], n: int, k: float) -> Any:
    center = _folded(fold.center, value, x, dims, n, k) if fold.center else None
    exact = not value.is_floating_point or fold.join.name in ("greatest", "least")
    compute = value if exact else dtypes.float64
    known = {"x": x.astype(compute.cell, copy=False), "c": center, "k": k, "n": n}
    # The greatest number's place in `each` is a matter of floats alone: integers keep their type.
    seen = of_arrays(fold.each, compute)(*(known[name] for name in arguments_of(fold.each)))
    seen = np.broadcast_to(seen, x.shape)
    if fold.join.name in ("add", "multiply") and seen.dtype.kind in "biu":
        seen = seen.astype(np.int64)
    if n == 0:
        known["total"] = np.full([1 if dim in dims else s for dim, s in enumerate(x.shape)], fold.join.start)
    else:
        known["total"] = _JOINS[fold.join.name].reduce(seen, axis=dims, keepdims=True)
    finish = of_arrays(fold.finish, dtypes.float64 if compute.is_floating_point else compute)
    return finish(*(known[name] for name in arguments_of(fold.finish)))


def arg_reduce(
    greatest: bool,
    shape: Sequence[int],
    dims: Sequence[int],
    places: OperandLayout,
    source: OperandLayout,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.arg_reduce`."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    ones = [1 if dim in dims else size for dim, size in enumerate(shape)]
    if 0 in ones:
        return no_launch
    find = np.argmax if greatest else np.argmin
    compute = (
        dtypes.float32 if source.dtype.itemsize == 2 and source.dtype.is_floating_point else source.dtype
    )

    def launch(place: Any, item: Any) -> None:
        x = load(item, source, shape, compute).transpose([*kept, *dims])
        lines = x.reshape([shape[dim] for dim in kept] + [-1])
        store(place, places, ones, find(lines, axis=-1).reshape(ones))

    return quiet(launch)


_SCANS = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum}


def scan(
    name: str,
    value: dtype,
    shape: Sequence[int],
    dim: int,
    out: OperandLayout,
    source: OperandLayout,
    places: OperandLayout | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.scan`."""
    if 0 in shape:
        return no_launch
    if name in ("cumsum", "cumprod"):
        value = dtypes.float64 if value.is_floating_point else dtypes.int64
    elif value in HALVES:
        value = dtypes.float32
    steps = np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))])

    def launch(target: Any, *others: Any) -> None:
        *found, item = others
        x = load(item, source, shape, value)
        total = _SCANS[name].accumulate(x, axis=dim)
        if places is not None:
            wins = np.where((x == total) | (x != x), steps, 0)
            store(found[0], places, shape, np.maximum.accumulate(wins, axis=dim))
        store(target, out, shape, total)

    return quiet(launch)


def gemm(
    element_type: dtype,
    batch: Sequence[int],
    sizes: tuple[int, int, int],
    out: Sequence[int],
    a: Sequence[int],
    b: Sequence[int],
    source: Sequence[int] | None = None,
    activation: Scalar | None = None,
    residual: Sequence[int] | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.gemm`."""
    m, n, k = sizes
    result = (*batch, m, n)
    if 0 in result:
        return no_launch
    half = element_type.is_floating_point and element_type.itemsize == 2
    compute = dtypes.float32 if half else element_type

    def read(item: Any, shape: Sequence[int], strides: Sequence[int]) -> Any:
        return load(item, OperandLayout(element_type, tuple(strides)), shape, compute)

    def launch(
        target: Any,
        x: Any,
        y: Any,
        added: Any = None,
        alpha: Any = 1,
        beta: Any = 0,
        last: Any = None,
    ) -> None:
        total: Any = np.zeros(result, compute.cell)
        if alpha != 0:
            total = np.matmul(read(x, (*batch, m, k), a), read(y, (*batch, k, n), b))
            total = total if alpha == 1 else total * compute.cell.type(alpha)
        if added is not None and beta != 0:
            assert source is not None
            total = total + read(added, result, source) * compute.cell.type(beta)
        if activation is not None:
            total = of_arrays(activation.formula, compute_type(activation.formula, compute))(total)
        if residual is not None:
            total = total + read(last, result, residual)
        store(target, OperandLayout(element_type, tuple(out)), result, total)

    return quiet(launch)
