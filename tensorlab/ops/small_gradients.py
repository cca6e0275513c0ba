"""The gradients of one small pointwise operation, computed and delivered by one kernel.

Going back through a small operation costs Python's time, not the processor's: a new tensor for each gradient,
and another for each sum. Where all operands are dense and of one dtype, and of one shape or one element, one
kernel computes all gradients and writes each where it belongs: over the gradient that arrived, if nobody else
holds it, onto what waits at the operand already, or into new memory. An operand of one element gets the sum.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from tensorlab import dtypes, layout
from tensorlab.autograd.engine import ALONE, ALONE_INSIDE
from tensorlab.backends import backend
from tensorlab.backends.operands import CELL, ONE, RUN
from tensorlab.scalars.source import compute_type
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["SMALL", "flow"]

SMALL = 16_384
# So many elements are summed in one go, with no more rounding than a block of `sum` has.
FOLDED = 1024
# In a key: the gradient is the same for all elements.
UNIFORM = "uniform"
SINGLE = (dtypes.float32, dtypes.float64)


def flow(node: Any, gradient: Tensor, pending: dict, alone: bool) -> bool:
    """Compute the gradients of a node's operands and add them to those that wait.

    Args:
        node: made from a row of the scalar table.
        gradient: that of its result.
        pending: what waits at each node.
        alone: nobody else holds `gradient`.

    Returns:
        False if this is no case for one kernel; nothing has happened then.
    """
    cells = gradient._dense if gradient._dense is not None else dense_cells(gradient)
    kept = node.kept
    if kept is None:
        return False
    element_type, shape, stride = gradient._dtype, gradient._shape, gradient._stride
    key: Any = element_type
    if cells is not False:
        size = cells.size
    elif kept and not any(stride):  # one number for all elements, as the gradient of a sum is
        size, stride = layout.numel(shape), layout.default_strides(shape)
        cells, alone = gradient._storage.cells(element_type.cell)[gradient._offset :][:1], False
        key = key, UNIFORM
    else:
        return False
    if not 0 < size <= SMALL:
        return False
    arguments: list[Any] = [cells]
    versions = node.versions
    for place, value in enumerate(kept):
        if value.__class__ is Tensor:
            own = value._dense if value._dense is not None else dense_cells(value)
            if own is False or value._dtype is not element_type or value._storage._version != versions[place]:
                return False
            if value._shape is not shape and value._shape != shape:
                if own.size != 1:
                    return False
                key = key, CELL, place
            arguments.append(own)
        elif value.__class__ is float or value.__class__ is int:
            key = key, value.__class__
            arguments.append(value)
        else:
            return False
    plan = node.plan
    delivered: Any = ()
    for place in plan.live:
        edge = node.edges[place]
        # an Output has another way to wait
        if edge.dtype is not element_type or not edge.direct:
            return False
        folded = edge.shape is not shape and edge.shape != shape
        if folded:
            if layout.numel(edge.shape) != 1 or size > FOLDED:
                return False
            key = key, place
        for other, _ in delivered:
            if edge is other:
                return False  # x * x: what was computed for the first operand waits nowhere yet
        waiting = pending.get(edge)
        if waiting is not None:
            own = waiting._dense if waiting._dense is not None else dense_cells(waiting)
            if (
                own is False
                or getrefcount(waiting) != ALONE + 1
                or getrefcount(waiting._storage) != ALONE_INSIDE
            ):
                return False
            arguments.append(own)
            arguments.append(1)
        else:
            if folded:
                memory = np.empty(1, element_type.cell)
                result = make_dense(memory, element_type, edge.shape, layout.default_strides(edge.shape))
            elif alone and getrefcount(gradient._storage) == ALONE_INSIDE:
                alone = False
                result, memory = gradient, cells
            else:
                memory = np.empty(size, element_type.cell)
                result = make_dense(memory, element_type, shape, stride)
            arguments.append(memory)
            arguments.append(0)
            delivered = (*delivered, (edge, result))
    kernel = plan.kernels.get(key)
    if kernel is None:
        kernel = plan.kernels[key] = _kernel(node, gradient)
    if kernel is False:
        return False
    kernel(*arguments)
    for edge, result in delivered:
        pending[edge] = result
    return True


def _kernel(node: Any, gradient: Tensor) -> Any:
    """The kernel for a plan, or False if there is none."""
    element_type, shape = gradient._dtype, gradient._shape
    parts = node.plan.formulas
    if not parts or element_type not in SINGLE or len(node.kept) > 3:
        return False
    if any(
        formula is not None and compute_type(formula, element_type) is not element_type
        for formula, _ in parts
    ):
        return False
    kinds = [CELL if dense_cells(gradient) is False else RUN]
    for value in node.kept:
        kinds.append(ONE if not isinstance(value, Tensor) else RUN if value._shape == shape else CELL)
    if RUN not in kinds:
        return False
    folded = [node.edges[place].shape != shape for place in node.plan.live]
    return backend("cpu").joint_kernel(parts, element_type, kinds, folded)
