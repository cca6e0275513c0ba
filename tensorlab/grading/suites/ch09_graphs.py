"""Chapter 9: the questions about graphs, each of them a small program that makes one."""

from __future__ import annotations

from random import Random

from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch09_right, ch09_wrong_graphs, ch09_wrong_run

DEEP = 5_000  # more calls inside each other than Python allows, five times over


def _asked(*lines: str, says: tuple[str, ...] = ()) -> Case:
    return Case(("\n".join(lines),), says)


def _x(source: Random) -> str:
    return f"x = tl.tensor({source.randint(2, 9)}.0, requires_grad=True)"


X = "x = tl.tensor(3.0, requires_grad=True)"


# --- accumulate -------------------------------------------------------------------------------------------

NODE = ("x = tl.ones(2, requires_grad=True)", "node, pending = (x * x).grad_fn, {}")
TWO = ("x = tl.ones(2, requires_grad=True)", "a, b, pending = (x * x).grad_fn, x.exp().grad_fn, {}")
ONE = ("x = tl.tensor(1.0, requires_grad=True)", "node, pending = (x * x).grad_fn, {}")


def _pair(source: Random) -> str:
    return f"tl.tensor([{source.randint(-9, 9)}.0, {source.randint(1, 9)}.5])"


def _arrive(source: Random, count: int) -> Case:
    arriving = [f"accumulate(pending, node, {_pair(source)})" for _ in range(count)]
    return _asked(*NODE, *arriving, "pending[node].tolist()")


def _zero(source: Random) -> Case:
    numbers = [0, source.randint(1, 9), 0]
    source.shuffle(numbers)
    arriving = [f"accumulate(pending, node, tl.tensor({number}.0))" for number in numbers]
    return _asked(*ONE, *arriving, "pending[node].item(), len(pending)")


def _shared(source: Random) -> Case:
    return _asked(
        *TWO,
        f"g = {_pair(source)}",
        "accumulate(pending, a, g)",
        "accumulate(pending, b, g)",
        f"accumulate(pending, {source.choice('ab')}, {_pair(source)})",
        "pending[a].tolist(), pending[b].tolist(), g.tolist()",
    )


ACCUMULATE = Exercise(
    id="09.accumulate",
    title="Gradients that wait",
    stars=2,
    signature="accumulate(pending, node, gradient)",
    task="Add a gradient to those that wait at a node; pending holds what waits, by node. Return nothing.",
    part="tensorlab.autograd.engine:accumulate",
    programs=True,
    topics=(
        Topic(
            "the first gradient",
            1,
            "Nothing waits at the node yet, so the gradient is put there.",
            (
                _asked(*NODE, "accumulate(pending, node, tl.tensor([1.0, 2.0]))", "pending[node].tolist()"),
                _asked(*TWO, "accumulate(pending, b, tl.tensor([1.0, 2.0]))", "a in pending, b in pending"),
            ),
            lambda source: _arrive(source, 1),
        ),
        Topic(
            "another one",
            3,
            "A result that is used twice gets a gradient from each use, and the two are added.",
            (
                _asked(
                    *NODE,
                    "accumulate(pending, node, tl.tensor([1.0, 2.0]))",
                    "accumulate(pending, node, tl.tensor([10.0, 20.0]))",
                    "pending[node].tolist()",
                ),
                _asked(
                    *NODE,
                    "for g in (1.0, 10.0, 100.0):",
                    "    accumulate(pending, node, tl.tensor([g, 0.0]))",
                    "pending[node].tolist()",
                ),
            ),
            lambda source: _arrive(source, source.randint(2, 5)),
        ),
        Topic(
            "a gradient of zero",
            1,
            "Zero is a number like any other. A zero that waits is something that waits.",
            (
                _asked(
                    *ONE, "accumulate(pending, node, tl.tensor(0.0))", "pending[node].item(), len(pending)"
                ),
                _asked(
                    *ONE,
                    "accumulate(pending, node, tl.tensor(0.0))",
                    "accumulate(pending, node, tl.tensor(5.0))",
                    "pending[node].item(), len(pending)",
                ),
                _asked(
                    *ONE,
                    "accumulate(pending, node, tl.tensor(5.0))",
                    "accumulate(pending, node, tl.tensor(0.0))",
                    "pending[node].item(), len(pending)",
                ),
            ),
            _zero,
        ),
        Topic(
            "two nodes of one kind",
            1,
            "Each node has a place of its own, also beside another one that does the same.",
            (
                _asked(
                    "x = tl.ones(2, requires_grad=True)",
                    "a, b, pending = (x * x).grad_fn, (x * x).grad_fn, {}",
                    "accumulate(pending, a, tl.tensor([1.0, 2.0]))",
                    "accumulate(pending, b, tl.tensor([10.0, 20.0]))",
                    "pending[a].tolist(), pending[b].tolist()",
                ),
            ),
            lambda source: _asked(
                "x = tl.ones(2, requires_grad=True)",
                "a, b, pending = (x * 2).grad_fn, (x * 2).grad_fn, {}",
                f"accumulate(pending, a, {_pair(source)})",
                f"accumulate(pending, b, {_pair(source)})",
                f"accumulate(pending, a, {_pair(source)})",
                "pending[a].tolist(), pending[b].tolist()",
            ),
        ),
        Topic(
            "nobody else's tensor",
            2,
            "An addition hands one and the same tensor to both of its operands. To add in place would "
            "change it "
            "for the other one. And the first gradient needs no copy.",
            (
                _asked(
                    *TWO,
                    "g = tl.tensor([1.0, 2.0])",
                    "accumulate(pending, a, g)",
                    "accumulate(pending, b, g)",
                    "accumulate(pending, a, tl.tensor([10.0, 20.0]))",
                    "pending[a].tolist(), pending[b].tolist(), g.tolist()",
                ),
                _asked(
                    *NODE,
                    "g = tl.tensor([1.0, 2.0])",
                    "accumulate(pending, node, tl.tensor([10.0, 20.0]))",
                    "accumulate(pending, node, g)",
                    "pending[node].tolist(), g.tolist()",
                ),
                _asked(
                    *NODE, "g = tl.tensor([1.0, 2.0])", "accumulate(pending, node, g)", "pending[node] is g"
                ),
            ),
            _shared,
        ),
    ),
    wrong=ch09_wrong_graphs.solutions.wrong_of("09.accumulate"),
    right=ch09_right.solutions.right_of("09.accumulate"),
)


# --- topological_order ------------------------------------------------------------------------------------


def _ordered(*lines: str, roots: str = "y.grad_fn") -> Case:
    """How many nodes there are, and whether each stands before those that it leads to."""
    return _asked(
        *lines,
        f"order = topological_order([{roots}])",
        "place = {node: at for at, node in enumerate(order)}",
        "len(order), all(place[node] < place.get(after, -1) for node in order for after, _ in "
        "node.next_functions if after)",
    )


def _graph(source: Random, count: int = 6) -> list[str]:
    """Lines that make a graph in which any result may be used several times. All its numbers stay whole."""
    names, lines = ["x"], [f"x = tl.tensor({source.randint(2, 4)}.0, requires_grad=True)"]
    for number in range(source.randint(3, count)):
        one, other = source.choice(names), source.choice(names)
        sign = source.choice("+*") if number < 2 else "+"
        lines.append(f"t{number} = {one} {sign} {other}")
        names.append(f"t{number}")
    unused = [name for name in names[1:] if not any(f" {name}" in line for line in lines)]
    return [*lines, f"y = {' + '.join(unused)} * {names[1]}"]


DIAMONDS = (
    (X, "a = x * 2", "y = a + a.exp()"),
    (X, "a = x * 2", "y = a.exp() + a"),
    (X, "a = x * 2", "y = a.exp().exp() * a + x"),
    (X, "y = x * x"),
    (X, "a = x * 2", "b = a + x", "y = a * b + b"),
)

TOPOLOGICAL_ORDER = Exercise(
    id="09.topological_order",
    title="Who may run next?",
    stars=3,
    signature="topological_order(roots)",
    task="Return a list of all nodes that can be reached, each once, and each before those that it leads to.",
    part="tensorlab.autograd.engine:topological_order",
    programs=True,
    topics=(
        Topic(
            "a chain",
            2,
            "Each node leads to the next one by next_functions, down to the leaf's AccumulateGrad.",
            (_ordered(X, "y = x * 2"), _ordered(X, "y = (x * 2).exp() + 1")),
            lambda source: _ordered(_x(source), f"y = {'-' * source.randint(2, 5)}x"),
        ),
        Topic(
            "a diamond",
            3,
            "A node that is used twice comes after both of its users. Whoever writes it down at the first "
            "visit writes it down too early.",
            tuple(_ordered(*lines) for lines in DIAMONDS),
            lambda source: _ordered(*_graph(source)),
        ),
        Topic(
            "each node once",
            1,
            "Many paths may lead to one node. It stands in the list once, and is looked at once.",
            (
                _ordered(X, "y = x + x", "y = y + y", "y = y + y"),
                _ordered(X, "y = x", "for _ in range(8):", "    y = y + y"),
            ),
            lambda source: _ordered(
                _x(source), "y = x", f"for _ in range({source.randint(3, 8)}):", "    y = y * y"
            ),
        ),
        Topic(
            "operands without a gradient",
            1,
            "An operand that asks for no gradient has no node: next_functions holds None for it.",
            (
                _ordered(X, "c = tl.tensor(2.0)", "y = c * x"),
                _ordered(X, "c = tl.tensor(2.0)", "y = (c * x + c) * c"),
            ),
            lambda source: _ordered(
                _x(source), "c = tl.tensor(2.0)", *(source.choice(("y = c * x", "y = x + c", "y = c - x")),)
            ),
        ),
        Topic(
            "several roots",
            1,
            "A root may lead to another root, and then comes before it, wherever it stands in the list.",
            (
                _ordered(X, "a = x * 2", "y = a.exp()", roots="a.grad_fn, y.grad_fn"),
                _ordered(X, "a = x * 2", "y = x.exp()", roots="a.grad_fn, y.grad_fn"),
                _ordered(X, "y = x * 2", roots="y.grad_fn, y.grad_fn"),
            ),
            lambda source: _ordered(
                *_graph(source), roots=source.choice(("t0.grad_fn, y.grad_fn", "t1.grad_fn, t0.grad_fn"))
            ),
        ),
        Topic(
            f"a chain of {DEEP:,} operations",
            2,
            "A function that calls itself for each step of the chain ends at Python's limit of about a "
            "thousand "
            "calls inside each other. Keep a list of what is to be visited, and loop.",
            (_ordered(X, "y = x", f"for _ in range({DEEP}):", "    y = y.view(())"),),
            lambda source: _ordered(
                _x(source), "y = x", f"for _ in range({source.randint(1100, 1300)}):", "    y = y.view(())"
            ),
        ),
    ),
    wrong=ch09_wrong_graphs.solutions.wrong_of("09.topological_order"),
    right=ch09_right.solutions.right_of("09.topological_order"),
)


# --- run --------------------------------------------------------------------------------------------------

FROM_Y = "run([(y.grad_fn, tl.tensor(1.0))])"


def _given(source: Random) -> Case:
    return _asked(
        _x(source), "y = x * x", f"run([(y.grad_fn, tl.tensor({source.randint(2, 9)}.0))])", "x.grad.item()"
    )


def _two_roots(source: Random) -> Case:
    numbers = source.sample(range(1, 9), 2)
    return _asked(
        _x(source),
        "a = x * 2",
        "y = a * a",
        f"run([(a.grad_fn, tl.tensor({numbers[0]}.0)), (y.grad_fn, tl.tensor({numbers[1]}.0))])",
        "x.grad.item()",
    )


RUN = Exercise(
    id="09.run",
    title="The engine",
    stars=4,
    signature="run(roots, retain_graph=False)",
    task="Carry the gradients of the roots back through the graph, each node once, into the grad of the "
    "leaves.",
    part="tensorlab.autograd.engine:run",
    programs=True,
    topics=(
        Topic(
            "a chain",
            2,
            "A node is called with the gradient of its result, and gives those of its operands, which go "
            "on to "
            "the nodes in next_functions.",
            (
                _asked(X, "y = x * 2", FROM_Y, "x.grad.item()"),
                _asked(X, "y = (x * 2 + 1) * 5", FROM_Y, "x.grad.item()"),
                _asked(X, "y = -x", FROM_Y, "x.grad.item()"),
                _asked(
                    X,
                    "w = tl.tensor(2.0, requires_grad=True)",
                    "y = x * w",
                    FROM_Y,
                    "x.grad.item(), w.grad.item()",
                ),
            ),
            lambda source: _asked(
                _x(source),
                f"y = -(x * {source.randint(2, 9)} - 1) * {source.randint(2, 9)}",
                FROM_Y,
                "x.grad.item()",
            ),
        ),
        Topic(
            "a shared node, once",
            3,
            "A node runs when every gradient of its result has arrived, and then once, with their sum.",
            (
                _asked(X, "y = x * x", FROM_Y, "x.grad.item()"),
                _asked(X, "a = x * 2", "y = a * a + a", FROM_Y, "x.grad.item()"),
                _asked(
                    X,
                    "a, seen = x * 2, []",
                    "a.register_hook(seen.append)",
                    "y = a * a + a",
                    FROM_Y,
                    "[g.item() for g in seen], x.grad.item()",
                ),
                _asked(
                    X,
                    "a, seen = x * 2, []",
                    "a.register_hook(seen.append)",
                    "y = a + a * 5 * 7",
                    FROM_Y,
                    "[g.item() for g in seen], x.grad.item()",
                ),
            ),
            lambda source: _asked(
                *(lines := _graph(source))[:2],
                "seen = []",
                "t0.register_hook(seen.append)",
                *lines[2:],
                FROM_Y,
                "[g.item() for g in seen], x.grad.item()",
            ),
        ),
        Topic(
            "gradients that are given",
            2,
            "The pass begins with the gradients that stand beside the roots. Two roots may lead to one node.",
            (
                _asked(X, "y = x * x", "run([(y.grad_fn, tl.tensor(10.0))])", "x.grad.item()"),
                _asked(
                    X,
                    "a, b = x * 2, x * 3",
                    "run([(a.grad_fn, tl.tensor(1.0)), (b.grad_fn, tl.tensor(10.0))])",
                    "x.grad.item()",
                ),
                _asked(
                    X,
                    "a = x * 2",
                    "y = a * a",
                    "run([(a.grad_fn, tl.tensor(1.0)), (y.grad_fn, tl.tensor(10.0))])",
                    "x.grad.item()",
                ),
            ),
            lambda source: source.choice((_given, _two_roots))(source),
        ),
        Topic(
            "operands without a gradient",
            1,
            "next_functions holds None for an operand that asks for no gradient, and nothing goes there.",
            (
                _asked(X, "c = tl.tensor(2.0)", "y = c * x + c", FROM_Y, "x.grad.item(), c.grad"),
                _asked(X, "c = tl.tensor(2.0)", "y = c * (c - x)", FROM_Y, "x.grad.item(), c.grad"),
            ),
            lambda source: _asked(
                _x(source),
                f"c = tl.tensor({source.randint(2, 9)}.0)",
                "y = c * x * c",
                FROM_Y,
                "x.grad.item(), c.grad",
            ),
        ),
        Topic(
            "the pass is not recorded",
            1,
            "A node computes with tensors that require a gradient. Inside `with tl.no_grad():` nothing is "
            "recorded, or the graph would grow by the pass itself.",
            (
                _asked(X, "y = x * x", FROM_Y, "x.grad.requires_grad"),
                _asked(X, "y = x * x", FROM_Y, "z = x * 2", "z.requires_grad, x.grad.grad_fn"),
            ),
            lambda source: _asked(_x(source), "y = x * x * x", FROM_Y, "x.grad.item(), x.grad.grad_fn"),
        ),
        Topic(
            "what the graph keeps",
            2,
            "node.release() lets go of what a node kept, once it has run; retain_graph=True leaves it there "
            "for another pass.",
            (
                _asked(X, "y = x * x", FROM_Y, FROM_Y, "x.grad.item()", says=("a second time",)),
                _asked(
                    X,
                    "y = x * x",
                    "run([(y.grad_fn, tl.tensor(1.0))], True)",
                    "run([(y.grad_fn, tl.tensor(1.0))], True)",
                    "x.grad.item()",
                ),
                _asked(X, "y = x + x", FROM_Y, FROM_Y, "x.grad.item()"),
            ),
            lambda source: _asked(
                _x(source),
                "y = x * x",
                f"run([(y.grad_fn, tl.tensor({source.randint(1, 5)}.0))], True)",
                FROM_Y,
                "x.grad.item()",
            ),
        ),
        Topic(
            f"a chain of {DEEP:,} operations",
            2,
            "Python allows about a thousand calls inside each other. A loop over a list has no such limit.",
            (_asked(X, "y = x", f"for _ in range({DEEP}):", "    y = y.view(())", FROM_Y, "x.grad.item()"),),
            lambda source: _asked(
                _x(source),
                "y = x * 2",
                f"for _ in range({source.randint(1100, 1300)}):",
                "    y = y.view(())",
                FROM_Y,
                "x.grad.item()",
            ),
        ),
    ),
    wrong=ch09_wrong_run.solutions.wrong_of("09.run"),
    right=ch09_right.solutions.right_of("09.run"),
)
