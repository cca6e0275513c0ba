"""Chapter 10, finite differences: the questions about a check of gradients, as small programs.

Some functions in them have a wrong gradient, planted on purpose. An answer has to find these, and to let the
others pass.
"""

from __future__ import annotations

from random import Random

from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch10_right, ch10_wrong_differences


def _planted(forward: str, backward: str, *, keeps: bool = False) -> str:
    """An operation of one tensor x, with the gradient `backward` of g, and of x where it `keeps` that."""
    lines = ["class Planted(tl.autograd.Function):", "    @staticmethod", "    def forward(ctx, x):"]
    lines += ["        ctx.save_for_backward(x)"] * keeps
    lines += [f"        return {forward}", "    @staticmethod", "    def backward(ctx, g):"]
    lines += ["        (x,) = ctx.saved_tensors"] * keeps
    return "\n".join([*lines, f"        return {backward}"])


def _tensor(numbers: object, name: str = "x", needs: bool = True) -> str:
    more = ", requires_grad=True" if needs else ""
    return f"{name} = tl.tensor({numbers}, dtype=tl.float64{more})"


def _right(function: str, numbers: object, *before: str) -> Case:
    return Case(("\n".join([*before, _tensor(numbers), f"gradcheck({function}, (x,))"]),))


def _with_gradient(
    forward: str, backward: str, numbers: object, *, keeps: bool = False, right: bool = False
) -> Case:
    """An operation with a gradient of its own, which is wrong or `right`."""
    lines = [_planted(forward, backward, keeps=keeps), _tensor(numbers), "gradcheck(Planted.apply, (x,))"]
    return Case(("\n".join(lines),), () if right else ("mismatch",))


def _numbers(source: Random, count: int, least: int = 1) -> list[float]:
    """Numbers that all differ, none of them near 0."""
    return [n / 4 for n in source.sample(range(4 * least, 4 * least + 12), count)]


#: What is right, and what is wrong, one number at a time: forward, backward, whether that needs x.
_RIGHT = ("lambda x: x * x", "lambda x: x.exp()", "lambda x: 3 * x + 1", "lambda x: x / 2", "lambda x: 1 / x")
_WRONG = (
    ("x * x", "g * x"),
    ("x ** 3", "g * 3 * x"),
    ("x.exp()", "g * x"),
    ("1 / x", "g / (x * x)"),
    ("3 * x", "g + 3"),
)


def _one_at_a_time(source: Random) -> Case:
    """Whether a gradient is right shows in its numbers alone: not in who wrote it, nor in its form."""
    numbers = _numbers(source, source.randint(1, 3), least=2)
    if source.random() < 0.2:
        return _right(source.choice(_RIGHT), numbers)
    if source.random() < 0.2:
        return _with_gradient(*source.choice(_WRONG), numbers, keeps=True)
    right, by = source.random() < 0.5, source.randint(2, 9)
    off = 0 if right else source.choice((-1, 1, 2))
    forward, backward = source.choice(
        (
            (f"{by} * x", f"{by + off} * g"),
            (f"{by} * x * x", f"{2 * by + off} * g * x"),
            (f"{by} / x", f"{off - by} * g / (x * x)"),
        )
    )
    return _with_gradient(forward, backward, numbers, keeps=True, right=right)


#: Wrong, and right for a sum of the results: each column of the Jacobian adds up to what it should. And the
#: same as it should be.
_HIDDEN = (
    ("x.flip(0)", "g.clone()", False),
    ("x.roll(1, 0)", "g.roll(1, 0)", False),
    ("x[[2, 0, 1]]", "g[[2, 0, 1]]", False),
    ("x.clone()", "g.mean().expand(g.shape)", False),
    ("x.flip(0)", "g.flip(0)", True),
    ("x.roll(1, 0)", "g.roll(-1, 0)", True),
    ("x[[2, 0, 1]]", "g[[1, 2, 0]]", True),
)


def _seen_by_no_sum(source: Random) -> Case:
    forward, backward, right = source.choice(_HIDDEN)
    return _with_gradient(forward, backward, _numbers(source, 3), right=right)


def _steep(source: Random) -> Case:
    numbers = [source.randint(100, 999) for _ in range(source.randint(1, 3))]
    if source.random() < 0.5:
        return _right(f"lambda x: {source.randint(2, 9)} * x * x", numbers)
    at = source.randint(2, 9)
    return _right(f"lambda x: {source.randint(10, 99)} * (x - {at}) ** 2", [at, at])


def _two(function: str, *tensors: str, use: str = "(x, w)", right: bool = True, before: str = "") -> Case:
    lines = [before] if before else []
    program = "\n".join([*lines, *tensors, f"gradcheck({function}, {use})"])
    return Case((program,), () if right else ("mismatch",))


_DOUBLED = _planted("2 * x", "g * 3")


def _several(source: Random) -> Case:
    given = _tensor(_numbers(source, 2)), _tensor(_numbers(source, 2), "w")
    if source.random() < 0.3:
        return _two("lambda x, w: x * w + w", *given)
    by, right = source.randint(2, 9), source.random() < 0.5
    planted = _planted(f"{by} * x", f"g * {by if right else by + 1}")
    return _two("lambda x, w: x * Planted.apply(w)", *given, right=right, before=planted)


def _shaped(source: Random) -> Case:
    rows, columns = source.sample((1, 2, 3), 2)
    numbers = _numbers(source, rows * columns)
    table = [numbers[i * columns : (i + 1) * columns] for i in range(rows)]
    if source.random() < 0.5:
        return _right(source.choice(("lambda x: x.t()", "lambda x: x.sum(0)", "lambda x: x @ x.t()")), table)
    right = source.random() < 0.5
    backward = "g.t()" if right else "g.reshape(x.shape)"
    table = [[1.5, 2.0, 3.0], numbers[:1] * 3]
    return _with_gradient("x.t().clone()", backward, table, keeps=True, right=right)


def _left(function: str, numbers: object, seen: str) -> Case:
    return Case(("\n".join([_tensor(numbers), f"gradcheck({function}, (x,))", seen]),))


GRADCHECK = Exercise(
    id="10.gradcheck",
    title="Does the gradient agree with the differences?",
    stars=4,
    signature="gradcheck(func, inputs)",
    task="Return True if every gradient of func agrees with finite differences, and raise a RuntimeError "
    "that "
    "speaks of a mismatch if one does not.",
    part="tensorlab.autograd.gradcheck:gradcheck",
    programs=True,
    topics=(
        Topic(
            "one number at a time",
            2,
            "Move one number of the input by a small step to both sides, and divide the difference of the "
            "results "
            "by both steps. That is what its gradient has to be.",
            (
                _right("lambda x: x * x", [3.0]),
                _with_gradient("x * x", "g * x", [3.0], keeps=True),
                _right("lambda x: x.exp()", [0.5, 1.0]),
                _with_gradient("x ** 3", "g * 3 * x", [2.0, 3.0], keeps=True),
                _with_gradient("x * x", "2 * g * x", [3.0], keeps=True, right=True),
                _with_gradient("3 * x", "g + 3", [1.0, 2.0]),
            ),
            _one_at_a_time,
        ),
        Topic(
            "what a sum does not show",
            3,
            "Ask for every number of the result by itself, or give each a weight of its own. After a sum all "
            "weights are 1, and a gradient that arrives at the wrong place looks right.",
            (
                _with_gradient("x.flip(0)", "g.clone()", [1.0, 2.0]),
                _with_gradient("x[[2, 0, 1]]", "g[[2, 0, 1]]", [1.0, 2.0, 3.0]),
                _with_gradient("x.clone()", "g.mean().expand(g.shape)", [1.0, 2.0]),
                _with_gradient("x * x", "2 * x", [1.0, 2.0], keeps=True),
                _with_gradient("x.flip(0)", "g.flip(0)", [1.0, 2.0], right=True),
                _right("lambda x: x.flip(0)", [1.0, 2.0]),
                _right("lambda x: x.cumsum(0)", [1.0, 2.0, 3.0]),
            ),
            _seen_by_no_sum,
        ),
        Topic(
            "enough digits",
            2,
            "Stay with float64, with a step of about 1e-6 to both sides. In float32 the difference of two "
            "nearby "
            "results is mostly rounding; a large step, or one side only, measures the curve.",
            (
                _right("lambda x: x * x", [300.0]),
                _right("lambda x: 1000 * (x - 1) ** 2", [1.0]),
                _right("lambda x: x ** 3", [1.0, 0.5]),
                _right("lambda x: 7 * x * x", [512.0, 800.0]),
                _right("lambda x: x.exp()", [1.0, 3.0]),
            ),
            _steep,
        ),
        Topic(
            "several inputs",
            2,
            "Every input that requires a gradient is checked. One that func doesn't use has the gradient 0.",
            (
                _two("lambda x, w: x * w", _tensor([1.0, 2.0]), _tensor([3.0, 4.0], "w")),
                _two(
                    "lambda x, w: x * Planted.apply(w)",
                    _tensor([1.0, 2.0]),
                    _tensor([3.0, 4.0], "w"),
                    right=False,
                    before=_DOUBLED,
                ),
                _two(
                    "lambda x, w: Planted.apply(x) * w",
                    _tensor([1.0, 2.0], needs=False),
                    _tensor([3.0, 4.0], "w"),
                    before=_DOUBLED,
                ),
                _two("lambda x, w: 2 * x", _tensor([1.0, 2.0]), _tensor([3.0], "w")),
            ),
            _several,
        ),
        Topic(
            "shapes",
            1,
            "The input and the result may have any shapes, and the input may be a view.",
            (
                _right("lambda x: x.sum()", [1.0, 2.0]),
                _right("lambda x: x.t()", [[1.0, 2.0, 3.0]]),
                _right("lambda x: x @ x.t()", [[1.0, 2.0], [3.0, 4.0]]),
                _right("lambda x: x.expand(2, 2)", [1.0, 2.0]),
                _with_gradient(
                    "x.t().clone()", "g.reshape(x.shape)", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], keeps=True
                ),
                Case(
                    (
                        "\n".join(
                            [
                                "table = tl.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=tl.float64)",
                                "x = table.t().requires_grad_()",
                                "gradcheck(lambda x: x * x, (x,))",
                            ]
                        ),
                    )
                ),
            ),
            _shaped,
        ),
        Topic(
            "all as it was",
            1,
            "A check leaves its inputs to the last digit as they were, and adds nothing to their grad: 0.1 "
            "+ eps - "
            "eps isn't always 0.1. Write back what was there.",
            (
                _left("lambda x: x * x", [0.1, 0.2, 0.3], "x.tolist()"),
                _left("lambda x: x * x", [1.0, 2.0], "x.grad is None"),
                _left("lambda x: x + 1", [[0.7, 1.1], [1.9, 0.3]], "x.tolist()"),
            ),
            lambda source: _left(
                "lambda x: x * x",
                [source.randint(1, 99) / 100 for _ in range(6)],
                "(x.tolist(), x.grad is None)",
            ),
        ),
    ),
    wrong=ch10_wrong_differences.solutions.wrong_of("10.gradcheck"),
    right=ch10_right.solutions.right_of("10.gradcheck"),
)
