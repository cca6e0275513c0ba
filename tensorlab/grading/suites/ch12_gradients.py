"""Chapter 12, cross-entropy and the safe where: questions that run small programs and look at gradients."""

from __future__ import annotations

from random import Random

from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch12_right, ch12_wrong_losses, ch12_wrong_masks
from tensorlab.grading.suites.ch12_draw import logits, near

Rows = list[list[float]]


def _program(*lines: str) -> Case:
    return Case(("\n".join(lines),), same=near)


def _rows(source: Random, rows: int, classes: int, most: int = 6) -> Rows:
    numbers = logits(source, rows * classes, most)
    return [numbers[i * classes : (i + 1) * classes] for i in range(rows)]


def _targets(source: Random, rows: int, classes: int) -> list[int]:
    return [source.randrange(classes) for _ in range(rows)]


def _value(rows: Rows, targets: list[int], dtype: str = "") -> Case:
    numbers = repr(rows).replace("-inf", "-tl.inf")
    named = f", dtype=tl.{dtype}" if dtype else ""
    return _program(
        f"logits = tl.tensor({numbers}{named})",
        f"target = tl.tensor({targets})",
        "cross_entropy(logits, target)",
    )


def _gradient(rows: Rows, targets: list[int]) -> Case:
    numbers = repr(rows).replace("-inf", "-tl.inf")
    return _program(
        f"logits = tl.tensor({numbers}, requires_grad=True)",
        f"target = tl.tensor({targets})",
        "cross_entropy(logits, target).backward()",
        "logits.grad",
    )


def _drawn(source: Random) -> Case:
    rows, classes = source.sample(range(2, 6), 2)
    return _value(_rows(source, rows, classes, 3), _targets(source, rows, classes))


def _square(source: Random) -> Case:
    n = source.randint(3, 5)
    return _value(_rows(source, n, n, 3), _targets(source, n, n))


def _far(source: Random) -> Case:
    rows, classes = source.randint(2, 4), source.randint(2, 4)
    numbers = _rows(source, rows, classes)
    targets = _targets(source, rows, classes)
    for row, target in zip(numbers, targets, strict=True):
        row[(target + 1) % classes] += source.choice((200.0, 1000.0, 3000.0))
    return _value(numbers, targets)


def _ruled_out(source: Random) -> Case:
    rows, classes = source.randint(2, 3), source.randint(3, 4)
    numbers, targets = _rows(source, rows, classes, 3), _targets(source, rows, classes)
    for row, target in zip(numbers, targets, strict=True):
        row[(target + source.randint(1, classes - 1)) % classes] = float("-inf")
    return _value(numbers, targets)


def _gradient_drawn(source: Random) -> Case:
    rows, classes = source.sample(range(2, 5), 2)
    numbers, targets = _rows(source, rows, classes), _targets(source, rows, classes)
    if source.random() < 0.5:
        numbers[0][(targets[0] + 1) % classes] += 1000.0
    return _gradient(numbers, targets)


CROSS_ENTROPY = Exercise(
    id="12.cross_entropy",
    title="Cross-entropy of logits",
    stars=2,
    signature="cross_entropy(input, target)",
    task="Return the mean over all rows of minus the log-probability of the row's target.",
    part="tensorlab.ops.likelihood:cross_entropy",
    programs=True,
    topics=(
        Topic(
            "the mean of the losses",
            2,
            "Of each row take the log-probability of its own target, minus that, and the mean over the rows.",
            (
                _value([[0.0, 0.0]], [0]),
                _value([[2.0, 0.0]], [1]),
                _value([[2.0, 0.0, -1.0], [0.5, 1.0, 3.0]], [1, 0]),
                _value([[0.0, 1.0], [2.0, -1.0], [4.0, 4.0]], [0, 0, 1]),
                _value([[1.0], [5.0]], [0, 0]),
                _value([[2.0, 0.0, -1.0]], [1], "float64"),
            ),
            _drawn,
        ),
        Topic(
            "as many rows as classes",
            1,
            "Each row has one target. input[:, target] would be a table of all targets for all rows.",
            (
                _value([[0.0, 1.0], [2.0, -1.0]], [0, 1]),
                _value([[0.0, 1.0], [2.0, -1.0]], [1, 1]),
                _value([[0.0, 1.0, 3.0], [2.0, -1.0, 0.5], [1.0, 1.5, -2.0]], [2, 0, 0]),
            ),
            _square,
        ),
        Topic(
            "logits far apart",
            2,
            "A probability may be too small for any float while its logarithm is an ordinary number: stay in "
            "logarithms.",
            (
                _value([[1000.0, 0.0]], [0]),
                _value([[1000.0, 0.0]], [1]),
                _value([[0.0, 150.0]], [0]),
                _value([[1000.0, 0.0, -1000.0], [-2000.0, 0.0, 3.0]], [2, 0]),
            ),
            _far,
        ),
        Topic(
            "a class that is ruled out",
            1,
            "Its logit is -inf, and so is its logarithm. The loss of another class doesn't ask for it, and 0 "
            "times -inf is nan.",
            (
                _value([[float("-inf"), 0.0]], [1]),
                _value([[float("-inf"), 0.0, 1.0], [2.0, 0.0, float("-inf")]], [2, 1]),
            ),
            _ruled_out,
        ),
        Topic(
            "the way back",
            2,
            "The loss is made of operations on tensors, so that backward reaches the logits: softmax less 1 "
            "at the target, divided by the number of rows.",
            (
                _gradient([[0.0, 0.0]], [0]),
                _gradient([[2.0, 0.0, -1.0], [0.5, 1.0, 3.0]], [1, 0]),
                _gradient([[1000.0, 0.0]], [1]),
                _gradient([[0.0, 1.0], [2.0, -1.0]], [0, 1]),
            ),
            _gradient_drawn,
        ),
    ),
    wrong=ch12_wrong_losses.solutions.wrong_of("12.cross_entropy"),
    right=ch12_right.solutions.right_of("12.cross_entropy"),
)


#: Functions with the condition of their domain, and arguments outside and inside.
_DOMAINS = {
    "tl.sqrt": ("x > 0", (0.0, -1.0), (0.25, 1.0, 4.0, 9.0)),
    "tl.log": ("x > 0", (0.0, -2.0), (0.5, 1.0, 2.0, 8.0)),
    "tl.reciprocal": ("x != 0", (0.0,), (-2.0, 0.5, 4.0, -0.25)),
}


def _call(name: str, numbers: list[float], other: str = "0.0") -> tuple[str, str]:
    told = repr(numbers).replace("nan", "tl.nan")
    return (
        f"x = tl.tensor({told}, requires_grad=True)",
        f"y = safe_where({_DOMAINS[name][0]}, {name}, x, {other})",
    )


def _forwards(name: str, numbers: list[float], other: str = "0.0") -> Case:
    return _program(*_call(name, numbers, other), "y.detach()")


def _backwards(name: str, numbers: list[float], other: str = "0.0") -> Case:
    return _program(*_call(name, numbers, other), "y.sum().backward()", "x.grad")


def _inside(source: Random, name: str, count: int) -> list[float]:
    return [source.choice(_DOMAINS[name][2]) for _ in range(count)]


def _mixed(source: Random, name: str) -> list[float]:
    numbers = _inside(source, name, source.randint(1, 3)) + list(_DOMAINS[name][1])
    source.shuffle(numbers)
    return numbers


def _good(source: Random) -> Case:
    name = source.choice(("tl.sqrt", "tl.log"))
    return _forwards(name, _inside(source, name, source.randint(2, 4)), "-5.0")


def _outside(source: Random, how: str) -> Case:
    name = source.choice(("tl.sqrt", "tl.log", "tl.reciprocal"))
    build = _forwards if how == "forwards" else _backwards
    return build(name, _mixed(source, name), str(float(source.randint(-3, 3))))


def _nothing_good(source: Random) -> Case:
    name = source.choice(("tl.sqrt", "tl.log", "tl.reciprocal"))
    return _backwards(name, list(_DOMAINS[name][1]) * source.randint(1, 2))


def _strict(numbers: list[float], domain: str, formula: str, safe: str = "") -> Case:
    """A function that raises an error when it is given anything outside its domain."""
    return _program(
        "def strict(z):",
        f"    if not bool(({domain.replace('x', 'z')}).all()):",
        f'        raise ValueError("the function was given a number outside of {domain.replace("x", "z")}")',
        f"    return {formula}",
        f"x = tl.tensor({numbers}, requires_grad=True)",
        f"safe_where({domain}, strict, x, 0.0{safe}).sum().backward()",
        "x.grad",
    )


def _strict_root(numbers: list[float]) -> Case:
    return _strict(numbers, "x > 0", "z.sqrt()")


def _strict_circle(numbers: list[float]) -> Case:
    return _strict(numbers, "x * x < 1", "(1 - z * z).sqrt()", ", 0.0")


def _strict_drawn(source: Random) -> Case:
    if source.random() < 0.5:
        return _strict_root(_mixed(source, "tl.sqrt"))
    numbers = [1.0, source.choice((-1.0, 2.0)), source.choice((0.5, -0.5, 0.25))]
    source.shuffle(numbers)
    return _strict_circle(numbers)


def _other_learns(numbers: list[float], others: list[float]) -> Case:
    return _program(
        f"x = tl.tensor({numbers})",
        f"other = tl.tensor({others}, requires_grad=True)",
        "safe_where(x > 0, tl.sqrt, x, other).sum().backward()",
        "other.grad",
    )


def _other_drawn(source: Random) -> Case:
    numbers = _mixed(source, "tl.sqrt")
    return _other_learns(numbers, [float(source.randint(-3, 3)) for _ in numbers])


def _caller_keeps(numbers: list[float]) -> Case:
    return _program(f"x = tl.tensor({numbers})", "safe_where(x > 0, tl.sqrt, x, 0.0)", "x")


SAFE_WHERE = Exercise(
    id="12.safe_where",
    title="A mask that holds on the way back",
    stars=3,
    signature="safe_where(condition, function, input, other, safe=1.0)",
    task="Return function(input) where the condition is true and other elsewhere, with a gradient that is "
    "never nan there.",
    part="tensorlab.ops.where:safe_where",
    programs=True,
    topics=(
        Topic(
            "the values",
            2,
            "Where the condition is true, the function of the element; elsewhere other.",
            (
                _forwards("tl.sqrt", [4.0, 9.0]),
                _forwards("tl.sqrt", [0.0, 4.0]),
                _forwards("tl.sqrt", [-1.0, 0.25, 0.0], "-5.0"),
                _forwards("tl.log", [0.0, 1.0, -2.0], "7.0"),
                _forwards("tl.reciprocal", [0.0, -2.0], "3.0"),
                _forwards("tl.sqrt", [1e-4, 4.0]),
            ),
            lambda source: _good(source) if source.random() < 0.3 else _outside(source, "forwards"),
        ),
        Topic(
            "the gradient where the condition is false",
            3,
            "It is 0. where sends a 0 back, and 0 times an infinite slope is nan: the function must be given "
            "safe there.",
            (
                _backwards("tl.sqrt", [0.0, 4.0]),
                _backwards("tl.sqrt", [0.0, -1.0, 0.25]),
                _backwards("tl.log", [0.0, 2.0], "7.0"),
                _backwards("tl.reciprocal", [0.0, -2.0, 0.5]),
            ),
            lambda source: _outside(source, "backwards"),
        ),
        Topic(
            "where the condition is true",
            1,
            "There nothing changes: the slope of the function, at the element itself. A nan stays, if the "
            "condition chose it.",
            (
                _backwards("tl.sqrt", [4.0]),
                _forwards("tl.reciprocal", [float("nan"), 0.0, 2.0]),
                _backwards("tl.sqrt", [1e-4, 4.0, 9.0]),
                _backwards("tl.log", [0.5, 8.0]),
            ),
            lambda source: _backwards("tl.log", _inside(source, "tl.log", source.randint(2, 4))),
        ),
        Topic(
            "what the function is given",
            1,
            "In place of an element that isn't chosen it gets safe, which the caller may name. It sees "
            "nothing else from outside its domain.",
            (
                _strict_root([0.0, 4.0]),
                _strict_circle([1.0, 0.5]),
                _strict_circle([-1.0, 0.25, 2.0]),
            ),
            _strict_drawn,
        ),
        Topic(
            "nowhere true",
            1,
            "A mask may be false everywhere. Then all is other, and the gradient is 0.",
            (
                _backwards("tl.sqrt", [0.0]),
                _backwards("tl.log", [0.0, -2.0]),
            ),
            _nothing_good,
        ),
        Topic(
            "other, and what the caller has",
            1,
            "other may be a tensor, and may need a gradient. The input stays as it was.",
            (
                _other_learns([0.0, 4.0], [2.0, 3.0]),
                _other_learns([-1.0, 0.0, 9.0], [2.0, 3.0, 1.0]),
                _caller_keeps([0.0, 4.0]),
            ),
            _other_drawn,
        ),
    ),
    wrong=ch12_wrong_masks.solutions.wrong_of("12.safe_where"),
    right=ch12_right.solutions.right_of("12.safe_where"),
)
