"""The way back through one node by its formulas, written out for what it keeps.

`Backward.gradients` finds in a plan what each formula needs, and the engine looks at what comes of it. In a
pass that is not recorded, over a node without hooks, most of that is known beforehand: so the steps are
written out as text without the questions, and Python compiles it.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from tensorlab.autograd.engine import deliver
from tensorlab.autograd.node import Node
from tensorlab.autograd.written import compiled
from tensorlab.tensor import Tensor

__all__ = ["flow", "flow_source"]


def flow(
    node: Any, gradient: Any, pending: dict, alone: bool, retain: bool, asked: Container[Node] | None
) -> bool:
    """Compute the gradients of a node's operands by its formulas, and add them to those that wait.

    The first node of a plan has the plan's own flow written, which does so from then on.

    Args:
        node: made of formulas.
        gradient: that of its result; of several results a list, with None where none arrived.
        pending: what waits at each node.
        alone: whether nobody else holds `gradient`.
        retain: whether the node keeps what it kept.
        asked: the nodes that need a gradient, where not all do.

    Returns:
        False if the engine has to do it by `gradients`: not all nodes need one, or what was kept is packed,
        gone, or was written since. Nothing has happened then.
    """
    plan = node.plan
    if plan.flow is flow:
        names: dict[str, Any] = {"Tensor": Tensor, "deliver": deliver}
        for index, step in enumerate(plan.steps):
            if step is not None:
                names[f"formula{index}"] = step[0]
        plan.flow = compiled(flow_source(plan), f"flow of {node.name()}", names)
    return plan.flow(node, gradient, pending, alone, retain, asked)


def flow_source(plan: Any) -> str:
    """The text of a plan's flow.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, 2, requires_grad=True)
        >>> print(flow_source((x @ tl.ones(2, 2)).grad_fn.plan))
        def flow(node, gradient, pending, alone, retain, asked):
            kept = node.kept
            if kept is None or asked is not None:
                return False
            versions = node.versions
            if versions:
                for value, version in zip(kept, versions):
                    if version is not None:
                        if value.__class__ is not Tensor or value._storage._version != version:
                            return False
            gradient0 = formula0(gradient, kept[0])
            if not retain:
                node.release()
            edges = node.edges
            if gradient0 is not None:
                deliver(pending, edges[0], gradient0, False)
            return True
        <BLANKLINE>
    """
    lines = [
        "kept = node.kept",
        "if kept is None or asked is not None:",
        "    return False",
        "versions = node.versions",
        "if versions:",
        "    for value, version in zip(kept, versions):",
        "        if version is not None:",
        "            if value.__class__ is not Tensor or value._storage._version != version:",
        "                return False",
    ]
    if not plan.names:
        lines = lines[:3]
    for index, step in enumerate(plan.steps):
        if step is not None:
            arguments = ["gradient", *(f"kept[{at}]" for at in step[2])]
            lines.append(f"gradient{index} = formula{index}({', '.join(arguments)})")
    lines += ["if not retain:", "    node.release()", "edges = node.edges"]
    for index in plan.live:
        lines += [
            f"if gradient{index} is not None:",
            f"    deliver(pending, edges[{index}], gradient{index}, False)",
        ]
    lines.append("return True")
    return "\n".join(
        ["def flow(node, gradient, pending, alone, retain, asked):", *(f"    {line}" for line in lines), ""]
    )
