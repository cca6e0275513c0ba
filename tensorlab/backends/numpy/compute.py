"""The core by NumPy: every element, folds, running totals, products of matrices, and what depends on places.

Cells are seen as arrays of the operation's shape, and results are stored in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.numpy.formulas import of_arrays
from tensorlab.backends.operands import Buffer, Launch, OperandLayout, no_launch
from tensorlab.backends.protocol import IndexLayout
from tensorlab.core import dtypes
from tensorlab.core.cells import from_float32, to_float32
from tensorlab.core.dtypes import dtype
from tensorlab.folds import Fold, arguments_of
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type
from tensorlab.scalars.updates import Update

HALVES = (dtypes.float16, dtypes.bfloat16)
# A launch says nothing of infinities, NaN and what wraps around: they are results like others.
quiet = np.errstate(all="ignore")


def elements(buffer: Buffer, shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """The cells that a layout leads to, without a copy."""
    cells, offset = buffer
    if 0 in shape:
        return np.empty(tuple(shape), cells.dtype)
    size = cells.itemsize
    return np.ndarray(tuple(shape), cells.dtype, cells, offset * size, [stride * size for stride in strides])


def load(item: Any, layout: OperandLayout, shape: Sequence[int], compute: dtype) -> Any:
    """An operand in the type to compute in: an array of the operation's shape, or one number."""
    if layout.is_number:
        return np.array(item).astype(compute.cell)[()]
    cells = elements(item, shape, layout.strides)
    return converted(cells, layout.dtype).astype(compute.cell, copy=False)


def converted(cells: np.ndarray, element_type: dtype) -> np.ndarray:
    """The numbers in cells: sixteen-bit floats become float32."""
    return to_float32(cells, element_type) if element_type in HALVES else cells


def widened(element_type: dtype) -> dtype:
    """The type to compute in: float32 for sixteen-bit floats."""
    return dtypes.float32 if element_type in HALVES else element_type


def store(item: Buffer, layout: OperandLayout, shape: Sequence[int], result: Any) -> None:
    """Convert results to an operand's dtype and write them."""
    result = np.asarray(result)
    kind = layout.dtype
    if kind in HALVES:
        result = from_float32(result.astype(np.float32), kind)
    elif kind is dtypes.bool:
        result = result != 0
    elif kind.category == dtypes.INTEGER and result.dtype.kind == "f":
        # PyTorch, too, asks the processor for 32 bits where these are enough.
        narrow = kind.is_signed and kind.itemsize <= 4
        result = result.astype(np.int32 if narrow else np.int64)
    elements(item, shape, layout.strides)[...] = result.astype(kind.cell, copy=False)


def pointwise(
    row: Scalar, compute: dtype, shape: Sequence[int], out: OperandLayout, inputs: Sequence[OperandLayout]
) -> Launch:
    """See `tensorlab.backends.protocol.Core.pointwise`."""
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
    compute = widened(element_type)
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


_JOINS = {"add": np.add, "multiply": np.multiply, "greatest": np.maximum, "least": np.minimum}
_JOINS |= {"both": np.logical_and, "either": np.logical_or}


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
    kept, value = tuple(1 if dim in dims else size for dim, size in enumerate(shape)), widened(value)
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
    greatest: bool, shape: Sequence[int], dims: Sequence[int], places: OperandLayout, source: OperandLayout
) -> Launch:
    """See `tensorlab.backends.protocol.Core.arg_reduce`."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    ones = [1 if dim in dims else size for dim, size in enumerate(shape)]
    if 0 in ones:
        return no_launch
    find = np.argmax if greatest else np.argmin

    def launch(place: Any, item: Any) -> None:
        x = load(item, source, shape, widened(source.dtype)).transpose([*kept, *dims])
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
    if name in ("cumsum", "cumprod"):
        value = dtypes.float64 if value.is_floating_point else dtypes.int64
    steps = np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))])

    def launch(target: Any, *others: Any) -> None:
        *found, item = others
        x = load(item, source, shape, widened(value))
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
    compute = widened(element_type)

    def read(item: Any, shape: Sequence[int], strides: Sequence[int]) -> Any:
        return load(item, OperandLayout(element_type, tuple(strides)), shape, compute)

    def launch(
        target: Any, x: Any, y: Any, added: Any = None, alpha: Any = 1, beta: Any = 0, last: Any = None
    ) -> None:
        total: Any = np.zeros(result, compute.cell)
        if alpha != 0:
            total = np.matmul(read(x, (*batch, m, k), a), read(y, (*batch, k, n), b))
            total = total if alpha == 1 else total * compute.cell.type(alpha)
        if source is not None and beta != 0:
            total = total + read(added, result, source) * compute.cell.type(beta)
        if activation is not None:
            total = of_arrays(activation.formula, compute_type(activation.formula, compute))(total)
        if residual is not None:
            total = total + read(last, result, residual)
        store(target, OperandLayout(element_type, tuple(out)), result, total)

    return quiet(launch)


# --- places: index tensors, masks, and elements in order --------------------------------------------------

_AT = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def indexed(
    action: str,
    shape: tuple[int, ...],
    target: tuple[int, ...],
    other: tuple[int, ...],
    indices: tuple[IndexLayout, ...],
) -> Callable[..., bool]:
    """See `tensorlab.backends.protocol.Core.indexed`."""

    def launch(to: Buffer, source: Buffer, *index_buffers: Buffer) -> bool:
        gathers = action == "gather"
        cells, first = source if gathers else to
        led = first + _numbered(shape, other if gathers else target)
        outside = np.zeros(shape, bool)
        for layout, buffer in zip(indices, index_buffers, strict=True):
            index = elements(buffer, shape, layout.strides).astype(np.int64)
            outside |= (index < layout.low) | (index >= layout.size)
            led = led + np.where(index < 0, index + layout.size, index) * layout.step
        if gathers:
            elements(to, shape, target)[~outside] = cells[led[~outside]]
            return bool(outside.any())
        led, values = led.reshape(-1), elements(source, shape, other).reshape(-1)
        if action == "replace":
            cells[led] = values
        else:
            _AT[action].at(cells, led, values)
        return False

    return quiet(launch)


def compact(action: str, shape: Sequence[int], mask: Sequence[int], other: Sequence[int] = ()) -> Launch:
    """See `tensorlab.backends.protocol.Core.compact`."""

    def launch(line: Buffer, at: Buffer, cells: Buffer | None, count: int) -> None:
        found = elements(at, shape, mask) != 0
        if cells is None:
            elements(line, (len(shape), count), (count, 1))[...] = np.nonzero(found)
        elif action == "select":
            elements(line, (count,), (1,))[...] = elements(cells, shape, other)[found]
        else:
            elements(cells, shape, other)[found] = elements(line, (count,), (1,))

    return launch


def sort(
    element_type: dtype, rows: int, size: int, wanted: tuple[int, int], descending: bool, stable: bool = True
) -> Launch:
    """See `tensorlab.backends.protocol.Core.sort`."""
    first, end = wanted

    def launch(places: Buffer, source: Buffer) -> None:
        keys = converted(elements(source, (rows, size), (size, 1)), element_type)
        found = _order(keys, descending)[:, first:end]
        elements(places, found.shape, (end - first, 1))[...] = found

    return launch


def _numbered(shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """How far from the first element's cell each element's cell lies."""
    found = np.zeros(tuple(shape), np.int64)
    for dim, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        found += (np.arange(size) * stride).reshape([-1 if d == dim else 1 for d in range(len(shape))])
    return found


def _order(rows: np.ndarray, backwards: bool) -> np.ndarray:
    """The places of each row's elements in order; equal ones stay as they stand, and NaN is the greatest."""
    if not backwards:
        return np.argsort(rows, axis=-1, kind="stable")
    # Sorted backwards and read backwards, equal elements stand in their order again.
    return rows.shape[-1] - 1 - np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
