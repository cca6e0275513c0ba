"""The text of what carries gradients back through one small operation, for one plan and one meeting.

A loop over operands that asks of each what it is costs more than the arithmetic of a small operation. All
these answers are known when the text is written, so it asks only what may differ from pass to pass: whether
a kept tensor was written since, what waits at an operand, and who else holds the gradient that arrived.
"""

from __future__ import annotations

import itertools

from tensorlab.autograd.formulas import Meeting, Plan
from tensorlab.backends.operands import ONE, RUN

__all__ = ["flow_source", "passes_on"]


def flow_source(plan: Plan, meeting: Meeting, uniform: bool = False) -> str:
    """The text of a plan's flow.

    It does what `tensorlab.ops.small_gradients.flow` does.

    Args:
        plan: what the node keeps and computes.
        meeting: how that meets the gradient.
        uniform: the gradient is one number for all elements, as that of a sum is, and not dense.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.autograd.formulas import Meeting
        >>> x = tl.ones(3, requires_grad=True)
        >>> plan = (x * 2.0).grad_fn.plan
        >>> print(flow_source(plan, Meeting(tl.float32, ("one",), (False,))))
        def flow(node, gradient, pending, alone, retain, asked):
            kept = node.kept
            if kept is None:
                return False
            [kept0] = kept
            b = kept0
            edges = node.edges
            edge0 = edges[0]
            if edge0.__class__ is Output:
                return False
            a = gradient._dense if gradient._dense is not None else dense_cells(gradient)
            if a is False:
                return uniform(node, gradient, pending, False, retain, asked)
            waiting0 = pending.get(edge0)
            if waiting0 is not None:
                out0, add0 = waiting0._dense, 1
                if out0.__class__ is not ndarray or getrefcount(waiting0) != WAITING:
                    return False
                if getrefcount(waiting0._storage) != ALONE_INSIDE:
                    return False
            elif alone and getrefcount(gradient._storage) == ALONE_INSIDE:
                alone = False
                made0, out0, add0 = gradient, a, 0
            else:
                out0, add0 = empty(a.size, cell), 0
                made0 = make_dense(out0, element_type, gradient._shape, gradient._stride)
            if not kernel(a, b, out0, add0):
                return False
            if not add0:
                pending[edge0] = made0
            if not retain:
                node.kept = None
            return True
        <BLANKLINE>
    """
    lines = ["kept = node.kept", "if kept is None:", "    return False"]
    lines += _kept(meeting)
    lines += _edges(plan)
    count = len(plan.live)
    if passes_on(plan, meeting):
        lines += _passed_on(count)
    else:
        lines += _arrived(uniform)
        run = _names(meeting)[meeting.kept.index(RUN)] if uniform else "a"
        for number, fold in enumerate(meeting.folded):
            lines += _memory(number, fold, uniform, run)
        outputs = [f"out{number}, add{number}" for number in range(count)]
        lines += [f"if not kernel({', '.join(['a', *_names(meeting), *outputs])}):", "    return False"]
        for number in range(count):
            lines += [f"if not add{number}:", f"    pending[edge{number}] = made{number}"]
    if plan.owns or any(kind != ONE for kind in meeting.kept):
        lines += ["if not retain:", "    node.kept = None"]
    lines.append("return True")
    return "def flow(node, gradient, pending, alone, retain, asked):\n" + "".join(
        f"    {line}\n" for line in lines
    )


def passes_on(plan: Plan, meeting: Meeting) -> bool:
    """Whether each operand gets the very gradient that arrives, as those of a sum do."""
    return not any(meeting.folded) and all(formula is None for formula, _ in plan.formulas)


def _names(meeting: Meeting) -> list[str]:
    """What the kernel's operands behind the gradient are called."""
    return list("bcd"[: len(meeting.kept)])


def _kept(meeting: Meeting) -> list[str]:
    """Find what was kept, and refuse what was written since."""
    lines = []
    if meeting.kept:
        names = [f"kept{index}" for index in range(len(meeting.kept))]
        lines.append(f"[{', '.join(names)}] = kept")
    if any(kind != ONE for kind in meeting.kept):
        lines.append("versions = node.versions")
    for index, (name, kind) in enumerate(zip(_names(meeting), meeting.kept, strict=True)):
        value = f"kept{index}"
        if kind == ONE:
            lines.append(f"{name} = {value}")
            continue
        lines += [
            f"{name} = {value}._dense if {value}._dense is not None else dense_cells({value})",
            f"if {name} is False or {value}._dtype is not element_type:",
            "    return False",
            f"if {value}._storage._version != versions[{index}]:",
            "    return False",
        ]
    return lines


def _edges(plan: Plan) -> list[str]:
    """Find where the gradients go."""
    lines = ["edges = node.edges"]
    names = [f"edge{number}" for number in range(len(plan.live))]
    lines += [f"{name} = edges[{place}]" for name, place in zip(names, plan.live, strict=True)]
    # One of several results waits in another way. And what was computed for the first operand of x * x waits
    # nowhere yet when the second one's is added.
    refused = [f"{name}.__class__ is Output" for name in names]
    refused += [f"{one} is {other}" for one, other in itertools.combinations(names, 2)]
    return [*lines, f"if {' or '.join(refused)}:", "    return False"]


def _arrived(uniform: bool) -> list[str]:
    """Find the cells of the gradient."""
    if uniform:
        return ["a = one_for_all(gradient)", "if a is None:", "    return False"]
    return [
        "a = gradient._dense if gradient._dense is not None else dense_cells(gradient)",
        "if a is False:",
        "    return uniform(node, gradient, pending, False, retain, asked)",
    ]


def _memory(number: int, fold: bool, uniform: bool, run: str) -> list[str]:
    """Find the memory that one gradient is written to or, with a flag, added to."""
    lines = [
        f"waiting{number} = pending.get(edge{number})",
        f"if waiting{number} is not None:",
        f"    out{number}, add{number} = waiting{number}._dense, 1",
        *_unless_alone(number),
    ]
    shape, strides, size = "gradient._shape", "gradient._stride", f"{run}.size"
    if fold:
        shape, size = f"edge{number}.shape", "1"
    elif not uniform:
        lines += [
            "elif alone and getrefcount(gradient._storage) == ALONE_INSIDE:",
            "    alone = False",
            f"    made{number}, out{number}, add{number} = gradient, a, 0",
        ]
    if fold or uniform:
        strides = f"default_strides({shape})"
    return [
        *lines,
        "else:",
        f"    out{number}, add{number} = empty({size}, cell), 0",
        f"    made{number} = make_dense(out{number}, element_type, {shape}, {strides})",
    ]


def _unless_alone(number: int) -> list[str]:
    """Refuse to write over what waits at an operand if somebody else sees it, or if it is no run of cells."""
    return [
        f"    if out{number}.__class__ is not ndarray or getrefcount(waiting{number}) != WAITING:",
        "        return False",
        f"    if getrefcount(waiting{number}._storage) != ALONE_INSIDE:",
        "        return False",
    ]


def _passed_on(count: int) -> list[str]:
    """Let the gradient itself wait at each operand, or add it to what waits there."""
    lines = []
    for number in range(count):
        lines += [
            f"waiting{number} = pending.get(edge{number})",
            f"if waiting{number} is not None:",
            f"    a, out{number} = gradient._dense, waiting{number}._dense",
            "    if a.__class__ is not ndarray:",
            "        return False",
            *_unless_alone(number),
        ]
    for number in range(count):
        lines += [
            f"if waiting{number} is None:",
            f"    pending[edge{number}] = gradient",
            "else:",
            f"    kernel(a, out{number}, 1)",
        ]
    return lines
