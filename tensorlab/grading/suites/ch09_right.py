"""Chapter 9: solutions that are right, and go other ways than the library."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.autograd import engine
from tensorlab.grading.suite import Solutions

solutions = Solutions()

_LOOKED = "return (input {}).grad_fn.next_functions[0][0].name() == 'AccumulateGrad'"


@solutions.right("09.mul_backward", idea="Each factor's slope is the other factor.")
def multiplies_crosswise(grad, input, other):
    return grad * other, grad * input


@solutions.right("09.mul_backward", idea="The slopes in turn, each times what arrives.")
def goes_through_the_slopes(grad, input, other):
    return tuple(grad.mul(slope) for slope in (other, input))


@solutions.right("09.exp_backward", idea="exp is its own slope.")
def multiplies_by_the_result(grad, result):
    return result * grad


@solutions.right("09.exp_backward", idea="A product, added to nothing.")
def adds_a_product_to_nothing(grad, result):
    return tl.addcmul(tl.zeros_like(grad), grad, result)


@solutions.right("09.is_leaf", idea="No operation stands behind it.")
def has_no_grad_fn(input):
    return input.grad_fn is None


@solutions.right(
    "09.is_leaf",
    idea="The node that takes its gradient adds it to grad; or it takes none.",
    same={
        "Whatever the operation computes, its node leads to the same one.": (
            f"{_LOOKED.format('* 1')} -> {_LOOKED.format('+ 1')}",
            f"{_LOOKED.format('* 1')} -> {_LOOKED.format('* 2')}",
            f"{_LOOKED.format('* 1')} -> {_LOOKED.format('* 0')}",
        )
    },
)
def looks_where_its_gradient_goes(input):
    if not input.requires_grad:
        return True
    return (input * 1).grad_fn.next_functions[0][0].name() == "AccumulateGrad"


@solutions.right("09.accumulate", idea="The first is put there, others are added.")
def puts_or_adds(pending, node, gradient):
    pending[node] = pending[node] + gradient if node in pending else gradient


@solutions.right("09.accumulate", idea="By what waits, if anything does.")
def asks_what_waits(pending, node, gradient):
    waiting = pending.get(node)
    if waiting is not None:
        gradient = waiting + gradient
    pending[node] = gradient


@solutions.right(
    "09.topological_order", idea="Count who leads to each node; whoever nobody leads to any more is next."
)
def counts_who_leads_here(roots):
    count, found = dict.fromkeys(roots, 0), list(dict.fromkeys(roots))
    for node in found:
        for after, _ in node.next_functions:
            if after is not None:
                if after not in count:
                    count[after] = 0
                    found.append(after)
                count[after] += 1
    ready, order = [node for node in found if count[node] == 0], []
    while ready:
        order.append(ready.pop())
        for after, _ in order[-1].next_functions:
            if after is not None:
                count[after] -= 1
                if count[after] == 0:
                    ready.append(after)
    return order


@solutions.right(
    "09.topological_order", idea="The youngest first: each node is older than those that lead to it."
)
def sorts_by_age(roots):
    seen, waiting = set(roots), list(roots)
    while waiting:
        for after, _ in waiting.pop().next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)
    return sorted(seen, key=lambda node: -node._sequence_nr())


@solutions.right(
    "09.topological_order",
    idea="Written down when all behind it is, with a list in place of calls; then turned.",
)
def writes_down_on_the_way_back(roots):
    order, seen = [], set()
    for root in roots:
        path = [(root, iter(root.next_functions))] if root not in seen else []
        seen.add(root)
        while path:
            node, rest = path[-1]
            after = next((after for after, _ in rest if after is not None and after not in seen), None)
            if after is None:
                order.append(node)
                path.pop()
            else:
                seen.add(after)
                path.append((after, iter(after.next_functions)))
    return order[::-1]


@solutions.right(
    "09.run",
    idea="In topological order, with what waits in a dictionary.",
    same={
        "Every node of these graphs hands a gradient on, so one waits at each when its turn comes.": (
            "if node not in pending: -> if False:",
        ),
    },
)
def goes_through_the_order(roots, retain_graph=False):
    pending = {}
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
        for node in engine.topological_order([node for node, _ in roots]):
            if node not in pending:
                continue
            gradients = node(pending.pop(node))
            if not retain_graph:
                node.release()
            if not isinstance(gradients, tuple):
                gradients = (gradients,)
            for (target, _), gradient in zip(node.next_functions, gradients, strict=False):
                if target is not None:
                    engine.accumulate(pending, target, gradient)


@solutions.right("09.run", idea="A node runs when as many gradients have arrived as there are edges to it.")
def counts_what_has_to_arrive(roots, retain_graph=False):
    waiting_for, found = {}, list(dict.fromkeys(node for node, _ in roots))
    known = set(found)
    for node in found:
        for target, _ in node.next_functions:
            if target is not None:
                waiting_for[target] = waiting_for.get(target, 0) + 1
                if target not in known:
                    known.add(target)
                    found.append(target)
    pending, ready = {}, [node for node in found if node not in waiting_for]
    with tl.no_grad():
        for node, gradient in roots:
            engine.accumulate(pending, node, gradient)
        while ready:
            node = ready.pop()
            gradients = node(pending.pop(node))
            if not retain_graph:
                node.release()
            gradients = gradients if isinstance(gradients, tuple) else (gradients,)
            for (target, _), gradient in zip(node.next_functions, gradients, strict=False):
                if target is not None:
                    engine.accumulate(pending, target, gradient)
                    waiting_for[target] -= 1
                    if not waiting_for[target]:
                        ready.append(target)
