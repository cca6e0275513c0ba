"""The gradients of one small pointwise operation, computed and delivered by one kernel.

Going back through a small operation costs Python's time, not the processor's: a new tensor for each gradient,
another for each sum, and a look at every operand before. Where all operands are dense and of one dtype, and
of one shape or one element, one kernel computes all gradients and writes each where it belongs: over the
gradient that arrived, if nobody else holds it, onto what waits at the operand already, or into new memory. An
operand of one element gets the sum.

Which kernel that is follows from how the operands meet (`Meeting`). An operation that is recorded on a short
way knows it already, and its plan is made for it. For all others `flow` looks when the gradient arrives. What
is left to do for each gradient is written out as text for a plan and a meeting, and compiled by Python: see
`tensorlab.ops.flow_source`.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

from tensorlab import dtypes, layout
from tensorlab.autograd.engine import ALONE, ALONE_INSIDE
from tensorlab.autograd.formulas import Meeting, Plan
from tensorlab.autograd.node import Output
from tensorlab.autograd.written import compiled
from tensorlab.backends import backend
from tensorlab.backends.operands import CELL, ONE, RUN
from tensorlab.ops.flow_source import flow_source, passes_on
from tensorlab.scalars.source import compute_type
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["SMALL", "flow", "flow_of"]

SMALL = 16_384
# So many elements are summed in one go, with no more rounding than a block of `sum` has.
FOLDED = 1024
SINGLE = (dtypes.float32, dtypes.float64)


def flow(node: Any, gradient: Tensor, pending: dict, alone: bool, retain: bool, asked: Any) -> bool:
    """Compute the gradients of a node's operands and add them to those that wait.

    Args:
        node: made from a row of the scalar table.
        gradient: that of its result.
        pending: what waits at each node.
        alone: nobody else holds `gradient`.
        retain: whether the node keeps what it kept.
        asked: has no meaning here: one kernel computes all gradients.

    Returns:
        False if this is no case for one kernel; nothing has happened then.
    """
    meeting = _meeting(node, gradient)
    if meeting is None:
        return False
    plan = node.plan
    own = plan.flows.get(meeting)
    if own is None:
        own = plan.flows[meeting] = _written(plan, meeting)
    return own(node, gradient, pending, alone, retain, asked)


def flow_of(plan: Plan, meeting: Meeting) -> Callable[..., bool]:
    """`flow` for the nodes of a plan, whose operands are known to meet in a certain way.

    Its text is written, and its kernel compiled, when the first gradient arrives.
    """

    def first(node: Any, gradient: Tensor, pending: dict, alone: bool, retain: bool, asked: Any) -> bool:
        own = plan.flow
        if own is None or own is first:
            own = plan.flow = _written(plan, meeting)
        return own(node, gradient, pending, alone, retain, asked)

    return first


def _meeting(node: Any, gradient: Tensor) -> Meeting | None:
    """How what a node kept and the edges of its operands meet the gradient; None if no kernel knows them."""
    element_type, shape, size = gradient._dtype, gradient._shape, layout.numel(gradient._shape)
    if not 0 < size <= SMALL or node.kept is None or element_type not in SINGLE:
        return None
    kept = []
    for value in node.kept:
        if value.__class__ is Tensor:
            if value._dtype is not element_type or dense_cells(value) is False:
                return None
            if value._shape != shape and layout.numel(value._shape) != 1:
                return None
            kept.append(RUN if value._shape == shape else CELL)
        elif value.__class__ is float or value.__class__ is int:
            kept.append(ONE)
        else:
            return None
    folded = []
    for place in node.plan.live:
        edge = node.edges[place]
        if edge.dtype is not element_type:
            return None
        folded.append(edge.shape != shape)
        if folded[-1] and (layout.numel(edge.shape) != 1 or size > FOLDED):
            return None
    return Meeting(element_type, tuple(kept), tuple(folded))


def _written(plan: Plan, meeting: Meeting) -> Callable[..., bool]:
    """The compiled text of `flow_source`, with its kernel."""
    element_type = meeting.dtype
    if not plan.formulas or len(meeting.kept) > 3 or element_type not in SINGLE:
        return _refuse
    for formula, _ in plan.formulas:
        if formula is not None and compute_type(formula, element_type) is not element_type:
            return _refuse
    if passes_on(plan, meeting):
        add = backend("cpu").joint_kernel(((None, (0,)),), element_type, (RUN,), (False,))
        return _compiled(plan, meeting, kernel=add)
    kernel = backend("cpu").joint_kernel(plan.formulas, element_type, (RUN, *meeting.kept), meeting.folded)
    return _compiled(plan, meeting, kernel=kernel, uniform=_uniform(plan, meeting))


def _uniform(plan: Plan, meeting: Meeting) -> Callable[..., bool]:
    """The same for a gradient that is one number for all elements; its kernel is made when one arrives."""
    if RUN not in meeting.kept:
        return _refuse
    found: list[Callable[..., bool]] = []

    def uniform(*arguments: Any) -> bool:
        if not found:
            kinds = CELL, *meeting.kept
            kernel = backend("cpu").joint_kernel(plan.formulas, meeting.dtype, kinds, meeting.folded)
            found.append(_compiled(plan, meeting, kernel=kernel, one_for_all=_one_for_all))
        return found[0](*arguments)

    return uniform


def _one_for_all(gradient: Tensor) -> np.ndarray | None:
    """The one cell that all elements of a gradient look at; None if they look at several."""
    if any(gradient._stride):
        return None
    cells = gradient._storage.cells(gradient._dtype.cell)
    return cells if cells.size == 1 else cells[gradient._offset :][:1]


def _refuse(*arguments: Any) -> bool:
    return False


def _compiled(plan: Plan, meeting: Meeting, **names: Any) -> Callable[..., bool]:
    """The function that `flow_source` describes, where certain names have a meaning."""
    text = flow_source(plan, meeting, uniform="one_for_all" in names)
    names.update(
        ALONE_INSIDE=ALONE_INSIDE,
        Output=Output,
        WAITING=ALONE + 1,  # a variable holds it, and the dictionary of what waits
        cell=meeting.dtype.cell,
        default_strides=layout.default_strides,
        dense_cells=dense_cells,
        element_type=meeting.dtype,
        empty=np.empty,
        getrefcount=getrefcount,
        make_dense=make_dense,
        ndarray=np.ndarray,
    )
    return compiled(text, "flow of a small operation", names)
