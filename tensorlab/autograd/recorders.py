"""Recording written out for one kind of node: how a small operation remembers what it did.

`tensorlab.autograd.recording.record` takes any operation, and asks of each operand what it is, and of each
kept value where to find it. For an operation on a few numbers that costs more than the operation. The answers
are the same for all calls of one kind, so `recorder` writes the steps out as text without the questions, and
Python compiles it. What is left to ask is which operands require a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.autograd import anomaly, keeping
from tensorlab.autograd.formulas import Backward, Plan
from tensorlab.autograd.node import Leaf, sequence_numbers
from tensorlab.autograd.recording import keep
from tensorlab.autograd.views import edge_of
from tensorlab.dtypes import dtype
from tensorlab.modes import current
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor, without_history

__all__ = ["recorder", "recorder_source"]


def recorder(
    kind: type[Backward],
    tensors: tuple[int, ...],
    notes: tuple[str, ...] = (),
    met: tuple[dtype, tuple[str, ...]] | None = None,
) -> Callable[..., Tensor]:
    """`record` for one kind of node, called with the result, the operands and the notes, all by place.

    The caller knows that the result is of a floating dtype, and that the operands are numbers or plain
    tensors. No note is a tensor.

    Args:
        kind: the kind of node.
        tensors: the positions of the operands that are tensors, one or two; all others are numbers.
        notes: the names of the notes.
        met: of a row of the scalar table the operands' dtype, and what each is to a kernel, where that is
            known and the same for all calls.
    """
    key = kind, tensors, notes, met
    found = _recorders.get(key)
    if found is None:
        found = _recorders[key] = _compiled(*key)
    return found


_recorders: dict[tuple, Callable[..., Tensor]] = {}


def _compiled(
    kind: type[Backward],
    tensors: tuple[int, ...],
    notes: tuple[str, ...],
    met: tuple[dtype, tuple[str, ...]] | None,
) -> Callable[..., Tensor]:
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
    for mask in _masks(tensors):
        plan = names[f"plan{mask}"] = kind.plan_for(mask)
        if met is not None:
            plan = names[f"plan{mask}"] = Plan(kind, mask)
            plan.flow = kind.flow_where(plan, *met)
    exec(compile(recorder_source(kind, tensors, notes), f"<recorder of {kind.__name__}>", "exec"), names)
    return names["record"]


def recorder_source(kind: type[Backward], tensors: Sequence[int], notes: Sequence[str] = ()) -> str:
    """The text of a recorder.

    Example:
        >>> from tensorlab.autograd.formulas import formulas
        >>> kind = formulas("MulBackward0", x=lambda grad, y: grad * y, y=lambda grad, x: grad * x)
        >>> print(recorder_source(kind, [0]))
        def record(result, x, y):
            if not current.grad:
                return result
            edge0 = x._edge
            if edge0.__class__ is Leaf or x._base is not None:
                edge0 = edge_of(x)
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
            f"{edge} = {operand}._edge",
            f"if {edge}.__class__ is Leaf or {operand}._base is not None:",
            f"    {edge} = edge_of({operand})",
        ]
    if len(tensors) == 1:
        lines += [f"if edge{tensors[0]} is None:", "    return result", "node = kind()"]
        lines += _kept(kind, 1 << tensors[0], tensors)
    else:
        first, second = tensors
        lines += [f"if edge{second} is None:", f"    if edge{first} is None:", "        return result"]
        lines += ["    node = kind()", *_indented(_kept(kind, 1 << first, tensors))]
        lines += ["else:", "    node = kind()", f"    if edge{first} is None:"]
        lines += _indented(_indented(_kept(kind, 1 << second, tensors)))
        lines += ["    else:", *_indented(_indented(_kept(kind, 1 << first | 1 << second, tensors)))]
    slots = range(len(names)) if kind.slots is None else kind.slots
    edges = [f"edge{position}" if position in tensors else "None" for position in slots]
    lines += [
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


def _masks(tensors: Sequence[int]) -> list[int]:
    """Which of the operands may require a gradient, as bits."""
    each = [1 << position for position in tensors]
    return each if len(each) == 1 else [*each, sum(each)]


def _kept(kind: type[Backward], mask: int, tensors: Sequence[int]) -> list[str]:
    """Keep what the plan for these operands names, and the versions of the tensors among it."""
    lines = [f"node.plan = plan{mask}"]
    values, versions = [], []
    for index, place in enumerate(kind.plan_for(mask).places):
        written = None
        if isinstance(place, int):
            value = kind.inputs[place]
            written = value if place in tensors else None
        elif isinstance(place, str):
            value = place
        else:
            value, written = "without_history(result)", "result"
        values.append(value)
        versions.append("None" if written is None else f"version{index}")
        if written is not None:
            lines.append(f"version{index} = {written}._storage._version")
    tracked = [version for version in versions if version != "None"]
    lines.append(f"node.kept = {_tuple(values)}")
    lines.append(f"node.versions = {_tuple(versions) if tracked else '()'}")
    if tracked:
        lines.append("if " + " or ".join(f"{version} is UNTRACKED" for version in tracked) + ":")
        lines.append("    settle(node)")
    return lines


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
