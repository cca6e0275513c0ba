"""Hints of chapter 9: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "09.mul_backward": (
        "Ask of each factor how much the product grows when the factor grows by a little. Then multiply by "
        "what "
        "arrives, which says how much the end grows with the product.",
        "With grad 10, input 2 and other 3, a step of input by 0.1 moves the product by 0.3 and the end by "
        "3. "
        "So the gradient of input is 30. It has no 2 in it.",
        "Compute the gradient of input first. The gradient of other has the same form, with the roles "
        "exchanged.",
        "of_input = grad * other",
    ),
    "09.exp_backward": (
        "exp is the function that is its own slope. The slope at input is exp(input), and you have that "
        "number.",
        "For result 20 and grad 1 the answer is 20. exp(20) would be about 485 million.",
        "You need one multiplication, and no exp.",
        "return grad * result",
    ),
    "09.is_leaf": (
        "A tensor that a recorded operation made knows the node of that operation. A leaf has none.",
        "tl.ones(2, requires_grad=True).to(tl.float64) requires a gradient and isn't a leaf: the cast made "
        "it.",
        "Print grad_fn of a few tensors: of one that you made, of a product, of a cast, of something "
        "detached.",
        "input.grad_fn is None",
    ),
    "09.accumulate": (
        "pending is a dictionary from a node to the tensor that waits there. If nothing waits, put the "
        "gradient "
        "there. If something does, put the sum there.",
        "After g arrived at a and at b, both hold the same tensor. If you now add to a's with +=, b's "
        "changes too.",
        "Ask `node in pending`. Don't ask whether what waits is true: a gradient of 0 isn't.",
        "pending[node] = pending[node] + gradient",
    ),
    "09.topological_order": (
        "A node may be written down when all nodes that lead to it are. So count, for each node, how many "
        "edges "
        "lead to it, and write down whoever has no edge left.",
        "In y = a + a.exp() the node of a is reached from the + first, and its other user, exp, comes later.",
        "Two loops. The first finds all nodes and counts the edges to each. The second keeps a list of "
        "nodes that "
        "are ready, takes one out, and lowers the counts of those it leads to.",
        "count[after] -= 1; ready += [after] if count[after] == 0 else []",
    ),
    "09.run": (
        "You have both halves already: an order in which each node comes after all that lead to it, and a "
        "place "
        "where gradients wait. Go through the order.",
        "If a node runs as soon as something arrives, y = a * a + a gives a's node half of its gradient.",
        "Put the given gradients where they wait. Then for each node in topological order: take out what "
        "waits, "
        "call the node, release it unless retain_graph, and let each gradient wait at its node in "
        "next_functions.",
        "for (target, _), gradient in zip(node.next_functions, gradients): ...",
    ),
}
