"""Recording written out for one kind of node: how a small operation remembers what it did.

`tensorlab.autograd.recording.record` takes any operation, and asks of each operand what it is, and of each
kept value where to find it. For an operation on a few numbers that costs more than the operation. The answers
are the same for all calls of one kind, so `recorder` writes the steps out as text without the questions, and
Python compiles it. What is left to ask is which operands require a gradient.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from tensorlab.autograd import anomaly, keeping
from tensorlab.autograd.formulas import Backward, Plan
from tensorlab.autograd.node import Leaf, sequence_numbers
from tensorlab.autograd.recording import keep
from tensorlab.autograd.views import edge_of
from tensorlab.autograd.written import compiled
from tensorlab.dtypes import dtype
from tensorlab.modes import current
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor, without_history

__all__ = ["recorder", "recorder_source"]


def recorder(
    kind: type[Backward],
    tensors: tuple[int, ...],
    met: tuple[dtype, tuple[str, ...]] | None = None,
    **notes: Any,
) -> Callable[..., Tensor]:
    """`record` for one kind of node, called with the result, the operands and the notes, all by place.

    The caller has made the result, knows that it is of a floating dtype if anything is recorded, and which
    operands are tensors. No note is a tensor.

    Args:
        kind: the kind of node.
        tensors: the positions of the operands that are tensors; all others are numbers.
        met: of a row of the scalar table the operands' dtype, and what each is to a kernel, where that is
            known and the same for all calls.
        notes: what the notes are where a call leaves them out.
    """
    key = kind, tensors, met, tuple(notes)
    found = _recorders.get(key)
    if found is None:
        found = _recorders[key] = _written(*key)
    if not notes:
        return found
    return FunctionType(found.__code__, found.__globals__, found.__name__, tuple(notes.values()))


_recorders: dict[tuple, FunctionType] = {}


def _written(
    kind: type[Backward],
    tensors: tuple[int, ...],
    met: tuple[dtype, tuple[str, ...]] | None,
    notes: tuple[str, ...],
) -> FunctionType:
    names: dict[str, Any] = {
        "Leaf": Leaf,
        "UNTRACKED": UNTRACKED,
        "anomaly": anomaly,
        "current": current,
        "edge_of": edge_of,
        "keeping": keeping,
        "kind": kind,
        "next_number": sequence_numbers.__next__,
        "settle": _settle,
        "without_history": without_history,
    }
    for chosen in itertools.product((0, 1), repeat=len(tensors)):
        mask = sum(bit << position for bit, position in zip(chosen, tensors, strict=True))
        plan = names[f"plan{mask}"] = kind.plan_for(mask)
        if met is not None:
            plan = names[f"plan{mask}"] = Plan(kind, mask)
            plan.flow = kind.flow_where(plan, *met)
    return compiled(recorder_source(kind, tensors, notes), f"recorder of {kind.__name__}", names)


def recorder_source(kind: type[Backward], tensors: Sequence[int], notes: Sequence[str] = ()) -> str:
    """The text of a recorder.

    Example:
        >>> from tensorlab.autograd.formulas import formulas
        >>> kind = formulas("MulBackward0", x=lambda grad, y: grad * y, y=lambda grad, x: grad * x)
        >>> print(recorder_source(kind, [0]))
        def record(result, x, y):
            if not current.grad:
                return result
            edge0 = x._edge if x._base is None else edge_of(x)
            if edge0.__class__ is Leaf:
                edge0 = edge0.node(x)
            if edge0 is None:
                return result
            node = kind()
            node.plan = plan1
            node.kept = (y,)
            node.versions = ()
            node.edges = (edge0, None)
            node.outputs = 1
            node.sequence = next_number()
            node.hooks = None
            node.slices = None
            node.shape = result._shape
            node.dtype = result._dtype
            if keeping.packers or anomaly.watching:
                settle(node)
            result._edge = node
            return result
        <BLANKLINE>
    """
    names = list(kind.inputs)
    lines = ["if not current.grad:", "    return result"]
    for position in tensors:
        edge, operand = f"edge{position}", names[position]
        lines += [
            f"{edge} = {operand}._edge if {operand}._base is None else edge_of({operand})",
            f"if {edge}.__class__ is Leaf:",
            f"    {edge} = {edge}.node({operand})",
        ]
    slots = range(len(names)) if kind.slots is None else kind.slots
    edges = [f"edge{position}" if position in tensors else "None" for position in slots]
    lines += [
        *_choices(kind, tensors, tensors, 0),
        f"node.edges = {_tuple(edges)}",
        "node.outputs = 1",
        "node.sequence = next_number()",
        "node.hooks = None",
        "node.slices = None",
        "node.shape = result._shape",
        "node.dtype = result._dtype",
        "if keeping.packers or anomaly.watching:",
        "    settle(node)",
        "result._edge = node",
        "return result",
    ]
    signature = f"def record({', '.join(['result', *names, *notes])}):"
    return "\n".join([signature, *_indented(lines), ""])


def _choices(kind: type[Backward], tensors: Sequence[int], left: Sequence[int], mask: int) -> list[str]:
    """Make the node by the plan for those operands that require a gradient; which of `left` do is asked."""
    if not left:
        return ["node = kind()", *_kept(kind, mask, tensors)] if mask else ["return result"]
    first, *others = left
    without = _choices(kind, tensors, others, mask)
    lines = [f"if edge{first} is None:", *_indented(without)]
    with_it = _choices(kind, tensors, others, mask | 1 << first)
    if without == ["return result"]:
        return [*lines, *with_it]
    return [*lines, "else:", *_indented(with_it)]


def _kept(kind: type[Backward], mask: int, tensors: Sequence[int]) -> list[str]:
    """Keep what the plan for these operands names, and the versions of the tensors among it."""
    lines = [f"node.plan = plan{mask}"]
    values, versions, read = [], [], []
    for index, place in enumerate(kind.plan_for(mask).places):
        version = "None"
        if isinstance(place, int):
            value = kind.inputs[place]
            if place in tensors:
                version = f"version{index}"
                read.append(version)
                lines.append(f"{version} = {value}._storage._version")
        elif isinstance(place, str):
            value = place
        else:
            value, version = "without_history(result)", "0"  # nobody has written it yet
        values.append(value)
        versions.append(version)
    lines.append(f"node.kept = {_tuple(values)}")
    if not read:
        return [*lines, f"node.versions = {_tuple(versions) if '0' in versions else '()'}"]
    # Most tensors are never written, and then the tuple of their versions is a constant.
    return [
        *lines,
        f"if {' or '.join(read)}:",
        f"    node.versions = {_tuple(versions)}",
        f"    if {' or '.join(f'{version} is UNTRACKED' for version in read)}:",
        "        settle(node)",
        "else:",
        f"    node.versions = {_tuple(['None' if version == 'None' else '0' for version in versions])}",
    ]


def _settle(node: Any) -> None:
    """Let hooks pack what a node keeps, refuse what it must not keep, and note the line that made it."""
    if node.kept:
        node.plan = type(node).plan_for(node.plan.mask)  # one that knows nothing of what is kept
        keep(node, list(node.kept))
    if anomaly.watching:
        anomaly.remember(node)


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
