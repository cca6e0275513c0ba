"""The gradients of one small pointwise operation, computed and delivered by one kernel.

Going back through a small operation costs Python's time, not the processor's: a new tensor for each gradient,
and another for each sum. Where all operands are dense, of one shape and dtype, one kernel computes all
gradients and writes each where it belongs: over the gradient that arrived, if nobody else holds it, onto what
waits at the operand already, or into new memory.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from tensorlab import dtypes
from tensorlab.autograd.engine import ALONE, ALONE_INSIDE
from tensorlab.backends import backend
from tensorlab.dtypes import dtype
from tensorlab.scalars.source import compute_type
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["SMALL", "flow"]

SMALL = 16_384
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
    if cells is False or kept is None or cells.size > SMALL:
        return False
    element_type, shape = gradient._dtype, gradient._shape
    arguments: list[Any] = [cells]
    key: Any = element_type
    versions = node.versions
    for place, value in enumerate(kept):
        if value.__class__ is Tensor:
            own = value._dense if value._dense is not None else dense_cells(value)
            if (
                own is False
                or value._dtype is not element_type
                or value._shape != shape
                or value._storage._version != versions[place]
            ):
                return False
            arguments.append(own)
        elif value.__class__ is float or value.__class__ is int:
            key = key, value.__class__
            arguments.append(value)
        else:
            return False
    plan = node.plan
    kernel = plan.kernels.get(key)
    if kernel is None:
        kernel = plan.kernels[key] = _kernel(node, element_type, arguments)
    if kernel is False:
        return False
    delivered: list[tuple[Any, Tensor]] = []
    for place in plan.live:
        edge = node.edges[place]
        # an Output has another way to wait, and a gradient that has to be fitted is not written in place
        if edge.shape != shape or edge.dtype is not element_type or not edge.direct:
            return False
        if delivered and any(edge is other for other, _ in delivered):
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
            if alone and getrefcount(gradient._storage) == ALONE_INSIDE:
                alone = False
                result, memory = gradient, cells
            else:
                memory = np.empty(cells.size, element_type.cell)
                result = make_dense(memory, element_type, shape, gradient._stride)
            arguments.append(memory)
            arguments.append(0)
            delivered.append((edge, result))
    kernel(*arguments)
    for edge, result in delivered:
        pending[edge] = result
    return True


def _kernel(node: Any, element_type: dtype, arguments: list) -> Any:
    """The kernel for a plan, or False if there is none."""
    parts = node.plan.formulas
    if not parts or element_type not in SINGLE or len(arguments) > 4:
        return False
    if any(
        formula is not None and compute_type(formula, element_type) is not element_type
        for formula, _ in parts
    ):
        return False
    kinds = ["run" if isinstance(argument, np.ndarray) else "one" for argument in arguments]
    return backend("cpu").joint_kernel(parts, element_type, kinds)
