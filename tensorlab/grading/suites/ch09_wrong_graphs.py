"""Chapter 9, gradients that wait and orders of nodes: solutions that are wrong, each from a belief."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()

WAIT, ORDER = "09.accumulate", "09.topological_order"


@solutions.wrong(
    WAIT,
    belief="A node has one gradient, so the newest is put there.",
    lesson="A result that is used twice gets a gradient from each use. They are added.",
)
def overwrites(pending, node, gradient):
    pending[node] = gradient


@solutions.wrong(
    WAIT,
    belief="The first one counts; whatever comes later has been there already.",
    lesson="Each use of a result brings a gradient of its own. They are added.",
)
def keeps_the_first(pending, node, gradient):
    pending.setdefault(node, gradient)


@solutions.wrong(
    WAIT,
    belief="pending[node] += gradient is the same in less memory.",
    lesson="It writes into the tensor that waits, and that one may wait at another node as well, or belong "
    "to "
    "the caller. Make a new one: pending[node] + gradient.",
)
def adds_in_place(pending, node, gradient):
    if node in pending:
        pending[node] += gradient
    else:
        pending[node] = gradient


@solutions.wrong(
    WAIT,
    belief="What arrives is mine, so I add to it.",
    lesson="The tensor that arrives may be going to another node as well. Make a new one.",
)
def adds_into_what_arrives(pending, node, gradient):
    pending[node] = gradient.add_(pending[node]) if node in pending else gradient


@solutions.wrong(
    WAIT,
    belief="To be safe, the first one is copied.",
    lesson="Nobody writes into it, so it can wait as it is. Most nodes get one gradient, and a copy would "
    "double their memory.",
)
def copies_the_first(pending, node, gradient):
    pending[node] = pending[node] + gradient if node in pending else gradient.clone()


@solutions.wrong(
    WAIT,
    belief="`if pending.get(node):` asks whether something waits there.",
    lesson="It asks whether its number isn't 0, and of several numbers it can't. Ask `is None`, or `node "
    "in pending`.",
)
def asks_whether_it_is_true(pending, node, gradient):
    waiting = pending.get(node)
    pending[node] = waiting + gradient if waiting else gradient


@solutions.wrong(
    WAIT,
    belief="Zero changes nothing, so it needs no place.",
    lesson="A node that has got a zero has got its gradient, and runs with it. A node that has got none "
    "doesn't run.",
)
def leaves_zeros_out(pending, node, gradient):
    if (gradient != 0).any().item():
        pending[node] = pending[node] + gradient if node in pending else gradient


@solutions.wrong(
    WAIT,
    belief="A node is known by its name.",
    lesson="Many nodes are called MulBackward0. The node itself is the key.",
)
def uses_the_name(pending, node, gradient):
    key = next((known for known in pending if known.name() == node.name()), node)
    pending[key] = pending[key] + gradient if key in pending else gradient
    pending.setdefault(node, pending[key])


@solutions.wrong(
    WAIT,
    belief="Several gradients are averaged.",
    lesson="If y = a + a, a step of a moves y by two. The uses add up.",
)
def averages(pending, node, gradient):
    pending[node] = (pending[node] + gradient) / 2 if node in pending else gradient


@solutions.wrong(
    WAIT,
    belief="Slopes are multiplied, so gradients that meet are too.",
    lesson="Along one path they are multiplied. Where paths meet they are added.",
)
def multiplies(pending, node, gradient):
    pending[node] = pending[node] * gradient if node in pending else gradient


@solutions.wrong(
    WAIT,
    belief="All gradients are kept, and whoever needs them adds them up.",
    lesson="A node takes one gradient, the sum. Add when it arrives, and nothing has to be kept.",
)
def keeps_a_list(pending, node, gradient):
    pending.setdefault(node, []).append(gradient)


@solutions.wrong(
    ORDER,
    belief="Down the first edge as far as it goes, and each node is written down when I come by.",
    lesson="The first visit may be too early: another user of the node comes later in the list. Write a node "
    "down when all behind it is written, and turn the list round.",
)
def writes_down_at_the_first_visit(roots):
    order, waiting = [], list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        if node not in order:
            order.append(node)
            waiting += [after for after, _ in node.next_functions if after is not None][::-1]
    return order


@solutions.wrong(
    ORDER,
    belief="Layer by layer: first the root, then all it leads to, then all those lead to.",
    lesson="A short path and a long one may lead to the same node. On the short one it is reached before its "
    "other user.",
)
def goes_layer_by_layer(roots):
    order = list(dict.fromkeys(roots))
    for node in order:
        for after, _ in node.next_functions:
            if after is not None and after not in order:
                order.append(after)
    return order


@solutions.wrong(
    ORDER,
    belief="Who is done first stands first.",
    lesson="That is the order of the forward pass, leaves first. Backward needs it turned round.",
)
def forgets_to_turn_it_round(roots):
    order, seen = [], set()
    for root in roots:
        path = [root]
        while path:
            node = path[-1]
            seen.add(node)
            left = [after for after, _ in node.next_functions if after is not None and after not in seen]
            if left:
                path.append(left[0])
            else:
                path.pop()
                if node not in order[-1:]:
                    order.append(node)
    return order


@solutions.wrong(
    ORDER,
    belief="A graph is a tree: each node is reached by one path.",
    lesson="A result that is used twice is reached twice. Remember which nodes were there.",
)
def takes_it_for_a_tree(roots):
    order, waiting = [], list(roots)
    while waiting and len(order) < 20_000:
        node = waiting.pop()
        order.append(node)
        waiting += [after for after, _ in node.next_functions if after is not None]
    return order


@solutions.wrong(
    ORDER,
    belief="A function that calls itself for each operand is the natural way.",
    lesson="It is, for small graphs. A chain of ten thousand operations is ten thousand calls inside each "
    "other, "
    "and Python allows a thousand.",
)
def calls_itself(roots):
    order, seen = [], set()

    def visit(node):
        seen.add(node)
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                visit(after)
        order.append(node)

    for root in roots:
        if root not in seen:
            visit(root)
    return order[::-1]


@solutions.wrong(
    ORDER,
    belief="The graph is a line, and next_functions[0] leads on.",
    lesson="An operation has as many operands as it has. Follow all of them.",
)
def follows_the_first_operand(roots):
    order = []
    for node in roots:
        while node is not None and node not in order[-2:]:
            order.append(node)
            node = node.next_functions[0][0] if node.next_functions else None
    return order


@solutions.wrong(
    ORDER,
    belief="What next_functions holds are nodes.",
    lesson="For an operand without a gradient it holds None. That is no node.",
)
def takes_none_for_a_node(roots):
    found = list(dict.fromkeys(roots))
    seen = set(found)
    for node in found:
        for after, _ in node.next_functions if node else ():
            if after not in seen:
                seen.add(after)
                found.append(after)
    return sorted(found, key=lambda node: -node._sequence_nr() if node else 1)


@solutions.wrong(
    ORDER,
    belief="backward begins at one tensor, so there is one root.",
    lesson="A pass may begin at several. Whatever any of them leads to belongs to it.",
)
def takes_the_first_root(roots):
    found, seen = [roots[0]], {roots[0]}
    for node in found:
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                found.append(after)
    return sorted(found, key=lambda node: -node._sequence_nr())


@solutions.wrong(
    ORDER,
    belief="The roots come first, whatever they lead to.",
    lesson="One root may lead to another one, which then has to wait for it.",
)
def puts_the_roots_first(roots):
    found, seen = list(dict.fromkeys(roots)), set(roots)
    for node in found:
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                found.append(after)
    count = len(set(roots))
    return found[:count] + sorted(found[count:], key=lambda node: -node._sequence_nr())


@solutions.wrong(
    ORDER,
    belief="The graph ends with the last operation.",
    lesson="Behind it stands the leaf's own node, AccumulateGrad, which adds to grad. Without it nothing "
    "arrives.",
)
def leaves_the_leaves_out(roots):
    found, seen = list(dict.fromkeys(roots)), set(roots)
    for node in found:
        for after, _ in node.next_functions:
            if after is not None and after not in seen and after.next_functions:
                seen.add(after)
                found.append(after)
    return sorted(found, key=lambda node: -node._sequence_nr())


@solutions.wrong(
    ORDER,
    belief="Nodes are numbered as they are made, so the oldest comes first.",
    lesson="The oldest are those that everybody leads to: they run last. Turn it round.",
)
def puts_the_oldest_first(roots):
    found, seen = list(dict.fromkeys(roots)), set(roots)
    for node in found:
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                found.append(after)
    return sorted(found, key=lambda node: node._sequence_nr())
