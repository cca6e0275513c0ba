"""Chapter 9, the engine: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.autograd import engine
from tensorlab.grading.suite import Solutions

solutions = Solutions()

RUN = "09.run"


def several(gradients):
    """What a node gives, as a tuple."""
    return gradients if isinstance(gradients, tuple) else (gradients,)


def pairs(node, gradients):
    """Each gradient with the node that it goes to."""
    targets = [target for target, _ in node.next_functions]
    return [pair for pair in zip(targets, several(gradients), strict=False) if pair[0] is not None]


@solutions.wrong(
    RUN,
    belief="Each gradient is passed on as soon as it arrives.",
    lesson="Then a shared node runs once for each path that leads to it, and the paths of a deep graph are "
    "countless. Let gradients wait, and run the node once with their sum.",
)
def runs_once_a_path(roots, retain_graph=False):
    waiting, used = list(roots), []
    with tl.no_grad():
        while waiting:
            node, gradient = waiting.pop()
            used.append(node)
            waiting += pairs(node, node(gradient))
    for node in used:
        if not retain_graph:
            node.release()


@solutions.wrong(
    RUN,
    belief="A node can run as soon as something has arrived.",
    lesson="The rest arrives later, and is lost. A node is ready when all that lead to it have run.",
)
def runs_when_something_arrived(roots, retain_graph=False):
    pending, queue = {}, []
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
            queue.append(node)
        done = set()
        while queue:
            node = queue.pop(0)
            if node in done:
                continue
            done.add(node)
            for target, gradient in pairs(node, node(pending[node])):
                engine.accumulate(pending, target, gradient)
                queue.append(target)
            if not retain_graph:
                node.release()


@solutions.wrong(
    RUN,
    belief="A node has one gradient, so the newest is put there.",
    lesson="A result that is used twice gets a gradient from each use. They are added.",
)
def overwrites_what_waits(roots, retain_graph=False):
    pending = dict(roots)
    with tl.no_grad():
        for node in engine.topological_order([node for node, _ in roots]):
            for target, gradient in pairs(node, node(pending[node])):
                pending[target] = gradient
            if not retain_graph:
                node.release()


@solutions.wrong(
    RUN,
    belief="A function that calls itself for each operand is the natural way.",
    lesson="A chain of ten thousand operations is ten thousand calls inside each other, and Python allows "
    "a thousand.",
)
def calls_itself_for_each_operand(roots, retain_graph=False):
    order, seen, pending = [], set(), {}

    def visit(node):
        seen.add(node)
        for target, _ in node.next_functions:
            if target is not None and target not in seen:
                visit(target)
        order.append(node)

    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
            if node not in seen:
                visit(node)
        for node in reversed(order):
            for target, gradient in pairs(node, node(pending.pop(node))):
                engine.accumulate(pending, target, gradient)
            if not retain_graph:
                node.release()


@solutions.wrong(
    RUN,
    belief="The backward pass computes with gradients, and they require none, so nothing is recorded.",
    lesson="It also computes with what the nodes kept, and that does. Put the pass into `with "
    "tl.no_grad():`.",
)
def records_the_pass(roots, retain_graph=False):
    pending = {}
    for node, gradient in roots:
        engine.accumulate(pending, node, gradient)
    for node in engine.topological_order([node for node, _ in roots]):
        for target, gradient in pairs(node, node(pending.pop(node))):
            engine.accumulate(pending, target, gradient)
        if not retain_graph:
            node.release()


@solutions.wrong(
    RUN,
    belief="What the nodes kept goes away by itself.",
    lesson="It goes with the graph, which lives as long as y does. node.release() lets go of it at once.",
)
def keeps_everything(roots, retain_graph=False):
    pending = {}
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
        for node in engine.topological_order([node for node, _ in roots]):
            for target, gradient in pairs(node, node(pending.pop(node))):
                engine.accumulate(pending, target, gradient)


@solutions.wrong(
    RUN,
    belief="After a pass nobody needs what was kept.",
    lesson="With retain_graph=True somebody does: another pass will go the same way.",
)
def releases_always(roots, retain_graph=False):
    pending = {}
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
        for node in engine.topological_order([node for node, _ in roots]):
            for target, gradient in pairs(node, node(pending.pop(node))):
                engine.accumulate(pending, target, gradient)
            node.release()


@solutions.wrong(
    RUN,
    belief="backward begins with 1.",
    lesson="With the gradient that is given. 1 is what y.backward() gives.",
)
def begins_with_one(roots, retain_graph=False):
    pending = {}
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, tl.ones_like(gradient))
        for node in engine.topological_order([node for node, _ in roots]):
            for target, gradient in pairs(node, node(pending.pop(node))):
                engine.accumulate(pending, target, gradient)
            if not retain_graph:
                node.release()


@solutions.wrong(
    RUN,
    belief="A pass begins at one node.",
    lesson="At as many as there are roots. Each brings its gradient.",
)
def begins_at_the_first_root(roots, retain_graph=False):
    pending = dict(roots[:1])
    with tl.no_grad():
        for node in engine.topological_order([roots[0][0]]):
            for target, gradient in pairs(node, node(pending.pop(node))):
                engine.accumulate(pending, target, gradient)
            if not retain_graph:
                node.release()


@solutions.wrong(
    RUN,
    belief="The graph is a line, and next_functions[0] leads on.",
    lesson="An operation gives a gradient for each operand. All of them go on.",
)
def follows_one_operand(roots, retain_graph=False):
    pending = {}
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
        for node in engine.topological_order([node for node, _ in roots]):
            if node not in pending:
                continue
            for target, gradient in pairs(node, node(pending.pop(node)))[:1]:
                engine.accumulate(pending, target, gradient)
            if not retain_graph:
                node.release()


@solutions.wrong(
    RUN,
    belief="Every operand has a node.",
    lesson="One that asks for no gradient has None in next_functions, and nothing goes there.",
)
def takes_each_operand_for_a_node(roots, retain_graph=False):
    pending = {}
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
        for node in engine.topological_order([node for node, _ in roots]):
            gradients = several(node(pending.pop(node)))
            for (target, _), gradient in zip(node.next_functions, gradients, strict=False):
                engine.accumulate(pending, target, gradient)
            if not retain_graph:
                node.release()


@solutions.wrong(
    RUN,
    belief="What was kept can go before the node runs.",
    lesson="The node computes with it. Release it afterwards.",
)
def releases_too_early(roots, retain_graph=False):
    pending = {}
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
        for node in engine.topological_order([node for node, _ in roots]):
            if not retain_graph:
                node.release()
            for target, gradient in pairs(node, node(pending.pop(node))):
                engine.accumulate(pending, target, gradient)
