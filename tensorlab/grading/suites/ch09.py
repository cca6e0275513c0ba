"""Chapter 9, *Graph and engine*: the questions about single nodes; about graphs see `ch09_graphs`."""

from __future__ import annotations

from random import Random

from tensorlab.core import dtypes
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch09_right, ch09_wrong, draw
from tensorlab.grading.suites.ch09_graphs import ACCUMULATE, RUN, TOPOLOGICAL_ORDER


def _row(*numbers: float, storage: int = 1) -> Strided:
    """Numbers in a row; a single one is a tensor without dimensions."""
    shape = () if len(numbers) == 1 else (len(numbers),)
    return strided(shape, cells=numbers, storage=storage)


def _drawn(source: Random, shape: tuple[int, ...], storage: int) -> Strided:
    cells = [source.choice((-1, 1)) * source.randint(2, 40) / 4 for _ in range(max(1, _count(shape)))]
    return strided(shape, cells=cells, storage=storage)


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _ones(shape: tuple[int, ...]) -> Strided:
    return strided(shape, cells=[1] * _count(shape), storage=1)


def _factors(source: Random, ones: bool = False) -> Case:
    shape = draw.shape(source, 2, 7, (1, 2))
    grad = _ones(shape) if ones else _drawn(source, shape, 1)
    return Case((grad, _drawn(source, shape, 2), _drawn(source, shape, 3)))


def _with_a_zero(source: Random) -> Case:
    numbers = [0, source.randint(2, 9), 0, source.randint(2, 9)]
    source.shuffle(numbers)
    other = [source.randint(2, 9) for _ in numbers]
    return Case(
        (_row(*(source.randint(2, 9) for _ in numbers)), _row(*numbers, storage=2), _row(*other, storage=3))
    )


def _square(source: Random) -> Case:
    shape = draw.shape(source, 2, 7, (1, 2))
    factor = _drawn(source, shape, 2)
    return Case((_drawn(source, shape, 1), factor, factor))


MUL_BACKWARD = Exercise(
    id="09.mul_backward",
    title="Back through a product",
    stars=1,
    signature="mul_backward(grad, input, other)",
    task="Return the gradients of input and of other, from the gradient of input * other.",
    part="tensorlab.ops.elementwise:mul_backward",
    topics=(
        Topic(
            "a gradient of ones",
            2,
            "When input grows by a little, the product grows by other times that, element by element.",
            (
                Case((_row(1), _row(2, storage=2), _row(3, storage=3))),
                Case((_row(1, 1), _row(2, 3, storage=2), _row(5, 7, storage=3))),
            ),
            lambda source: _factors(source, ones=True),
        ),
        Topic(
            "any other gradient",
            2,
            "What arrives says how much the end of the computation changes for each step of the product. The "
            "chain rule multiplies by it.",
            (
                Case((_row(10), _row(2, storage=2), _row(3, storage=3))),
                Case((_row(10, -1), _row(2, 3, storage=2), _row(5, 7, storage=3))),
                Case((_row(0, 2), _row(2, 3, storage=2), _row(5, 7, storage=3))),
            ),
            _factors,
        ),
        Topic(
            "a factor of zero",
            1,
            "Nothing has to be divided. The gradient of one factor needs the other factor and what arrives.",
            (
                Case((_row(1), _row(0, storage=2), _row(3, storage=3))),
                Case((_row(2, 3), _row(0, 5, storage=2), _row(7, 0, storage=3))),
                Case((_row(1), _row(0, storage=2), _row(0, storage=3))),
            ),
            _with_a_zero,
        ),
        Topic(
            "both factors in one storage",
            1,
            "x * x has two operands, and each of them gets a gradient. Whoever calls adds them up.",
            (
                Case((_row(1), _row(3, storage=2), _row(3, storage=2))),
                Case((_row(10, 1), _row(2, 3, storage=2), _row(2, 3, storage=2))),
            ),
            _square,
        ),
    ),
    wrong=ch09_wrong.solutions.wrong_of("09.mul_backward"),
    right=ch09_right.solutions.right_of("09.mul_backward"),
)


def _results(source: Random, ones: bool = False) -> Case:
    shape = draw.shape(source, 2, 7, (1, 2))
    cells = [source.randint(2, 40) / 4 for _ in range(_count(shape))]
    grad = _ones(shape) if ones else _drawn(source, shape, 1)
    return Case((grad, strided(shape, cells=cells, storage=2)))


def _ends(source: Random) -> Case:
    ends = [0.0, 0.0, float("inf"), source.randint(2, 9)]
    source.shuffle(ends)
    return Case((_row(*(source.randint(2, 9) for _ in ends)), _row(*ends, storage=2)))


EXP_BACKWARD = Exercise(
    id="09.exp_backward",
    title="Back through exp",
    stars=1,
    signature="exp_backward(grad, result)",
    task="Return the gradient of input, from the gradient of result = exp(input).",
    part="tensorlab.ops.elementwise:exp_backward",
    topics=(
        Topic(
            "a gradient of ones",
            2,
            "exp is its own slope, and its value is there already: it is the result.",
            (Case((_row(1), _row(2, storage=2))), Case((_row(1, 1), _row(0.5, 3, storage=2)))),
            lambda source: _results(source, ones=True),
        ),
        Topic(
            "any other gradient",
            2,
            "The slope alone says how the result changes. The chain rule multiplies by what arrives.",
            (
                Case((_row(10), _row(2, storage=2))),
                Case((_row(10, -1), _row(0.5, 3, storage=2))),
                Case((_row(0, 4), _row(0.5, 3, storage=2))),
            ),
            _results,
        ),
        Topic(
            "results of 0 and of infinity",
            1,
            "For a very small input the result is 0, and so is the slope. Neither a logarithm nor a division "
            "is needed.",
            (
                Case((_row(3), _row(0, storage=2))),
                Case((_row(3, 2), _row(0, float("inf"), storage=2))),
            ),
            _ends,
        ),
        Topic(
            "another dtype",
            1,
            "The gradient has the dtype of what it belongs to.",
            (
                Case(
                    (
                        strided((2,), cells=(3, 2), dtype=dtypes.float64),
                        strided((2,), cells=(5, 0.5), dtype=dtypes.float64, storage=2),
                    )
                ),
            ),
            lambda source: Case(
                (
                    strided((3,), cells=[source.randint(2, 9) for _ in range(3)], dtype=dtypes.float64),
                    strided(
                        (3,), cells=[source.randint(2, 9) for _ in range(3)], dtype=dtypes.float64, storage=2
                    ),
                )
            ),
        ),
    ),
    wrong=ch09_wrong.solutions.wrong_of("09.exp_backward"),
    right=ch09_right.solutions.right_of("09.exp_backward"),
)


def _asked(*lines: str) -> Case:
    return Case(("\n".join(lines),))


def _leaf(source: Random, *endings: str) -> Case:
    made = f"x = tl.tensor([{source.randint(1, 9)}.0, {source.randint(1, 9)}.5], requires_grad=True)"
    return _asked(made, *source.choice(endings).split("; "))


IS_LEAF = Exercise(
    id="09.is_leaf",
    title="Where does the graph begin?",
    stars=1,
    signature="is_leaf(input)",
    task="Return whether no recorded operation made this tensor.",
    part="tensorlab.autograd.methods:is_leaf",
    programs=True,
    topics=(
        Topic(
            "a tensor that you made, and a result",
            2,
            "What you make yourself is a leaf. What a recorded operation made is none: it has a grad_fn.",
            (
                _asked("x = tl.ones(2, requires_grad=True)", "is_leaf(x)"),
                _asked("x = tl.ones(2, requires_grad=True)", "y = x * 2", "is_leaf(y)"),
                _asked("x = tl.ones(2, requires_grad=True)", "y = (x * 2).exp()", "is_leaf(y)"),
                _asked(
                    "x = tl.ones(2, requires_grad=True)",
                    "y = x * 2",
                    "y.sum().backward()",
                    "is_leaf(x), is_leaf(y)",
                ),
            ),
            lambda source: _leaf(source, "is_leaf(x)", "is_leaf(x + 1)", "y = x.exp() * x; is_leaf(y)"),
        ),
        Topic(
            "a cast",
            2,
            "A cast to another dtype is an operation like any other. Cast first, then ask for a gradient.",
            (
                _asked("x = tl.ones(2, requires_grad=True).to(tl.float64)", "is_leaf(x)"),
                _asked("x = tl.ones(2).to(tl.float64).requires_grad_()", "is_leaf(x)"),
                _asked("x = tl.ones(2, requires_grad=True).to(tl.float32)", "is_leaf(x)"),
                _asked("x = tl.ones(2, requires_grad=True).half()", "is_leaf(x)"),
            ),
            lambda source: _leaf(
                source,
                "is_leaf(x.double())",
                "is_leaf(x.to(tl.float16))",
                "y = x.detach().to(tl.float64).requires_grad_(); is_leaf(y)",
                "is_leaf(x.float())",
            ),
        ),
        Topic(
            "no gradient asked for",
            1,
            "Where nothing asks for a gradient, nothing is recorded. So everything is a leaf.",
            (
                _asked("is_leaf(tl.ones(2))"),
                _asked("is_leaf(tl.ones(2) * 2)"),
                _asked("x = tl.ones(2, requires_grad=True)", "is_leaf(x.detach() * 2)"),
            ),
            lambda source: _leaf(
                source, "is_leaf(x.detach())", "is_leaf((x + 1).detach().exp())", "is_leaf(x > 1)"
            ),
        ),
        Topic(
            "views",
            1,
            "A view of a leaf is made by an operation, which carries the view's gradient back to the leaf.",
            (
                _asked("x = tl.ones(2, requires_grad=True)", "is_leaf(x[0])"),
                _asked("x = tl.ones(2, requires_grad=True)", "is_leaf(x.view(2, 1))"),
                _asked("is_leaf(tl.ones(2)[0])"),
            ),
            lambda source: _leaf(
                source, "is_leaf(x[1:])", "is_leaf(x.view(1, 2).t())", "is_leaf(x.detach()[0])"
            ),
        ),
    ),
    wrong=ch09_wrong.solutions.wrong_of("09.is_leaf"),
    right=ch09_right.solutions.right_of("09.is_leaf"),
)

EXERCISES = (MUL_BACKWARD, EXP_BACKWARD, IS_LEAF, ACCUMULATE, TOPOLOGICAL_ORDER, RUN)
