"""Chapter 13, layers: the questions about what a module holds, a linear layer, dropout and a total norm."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from tensorlab.core import layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch13_right, ch13_wrong_layers, ch13_wrong_members, draw

Shape = tuple[int, ...]


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


# --- 13.named_members ---------------------------------------------------------------------------------


def _weight(number: int, *cells: float) -> Strided:
    """Weight `number`: each number is an object of its own, with a storage of its own."""
    return strided((len(cells) or 2,), cells=cells or [number, number + 0.5], storage=number)


def _row_of(number: int) -> Strided:
    """A view that begins where weight `number` begins: another object over the same storage."""
    return strided((1, 2), cells=[number, number + 0.5], storage=number)


A, B, C, D = map(_weight, range(1, 5))
NAMES = ("weight", "bias", "scale", "w", "b", "shift")
CHILDREN = ("first", "second", "0", "1", "head", "body")


def _members(source: Random, weights: list[Strided | None]) -> list[tuple[str, Any]]:
    names = source.sample(NAMES, min(len(weights), source.randint(0, 2)))
    return [(name, weights.pop()) for name in names]


def _module(source: Random, weights: list[Strided | None], depth: int) -> tuple[Any, Any]:
    """The members of a random module, and its children; it takes what it holds from `weights`."""
    own = _members(source, weights)
    names = source.sample(CHILDREN, source.randint(1, 3)) if depth else []
    return own, [(name, _module(source, weights, depth - 1)) for name in names]


def _tree(source: Random, weights: list[Strided | None]) -> Case:
    source.shuffle(weights)
    own = [(NAMES[0], weights.pop())]
    return Case((own, [(name, _module(source, weights, 2)) for name in source.sample(CHILDREN, 2)]))


def _different(count: int) -> list[Strided | None]:
    return [_weight(number) for number in range(1, count + 1)]


def _alone(source: Random) -> Case:
    names = source.sample(NAMES, source.randint(1, 4))
    return Case(([(name, _weight(number)) for number, name in enumerate(names, 1)], []))


NAMED_MEMBERS = Exercise(
    id="13.named_members",
    title="What does a network own?",
    stars=3,
    signature="named_members(own, children)",
    task="Return the parameters of a module and of all modules in it, each with its full name, each once.",
    part="tensorlab.nn.modules.module:named_members",
    topics=(
        Topic(
            "a module alone",
            1,
            "Without children the answer is the list of the module's own parameters, as pairs of name and "
            "parameter.",
            _cases(([("w", A)], []), ([("w", A), ("b", B)], []), ([("b", B), ("a", A)], []), ([], [])),
            _alone,
        ),
        Topic(
            "modules in it",
            2,
            "A name inside a child begins with the child's name and a point, at every depth. A module's own "
            "parameters come before those of its children.",
            _cases(
                ([], [("a", ([("w", A)], []))]),
                ([("w", A)], [("a", ([("w", B)], []))]),
                ([], [("a", ([("w", A)], [])), ("b", ([("w", B)], []))]),
                ([], [("a", ([], [("b", ([("w", A)], []))]))]),
                ([("s", A)], [("a", ([("w", B)], [("b", ([("w", C)], []))])), ("c", ([("w", D)], []))]),
            ),
            lambda source: _tree(source, _different(20)),
        ),
        Topic(
            "names without a parameter",
            1,
            "A layer without a bias has the name and None. None is no parameter.",
            _cases(
                ([("w", A), ("b", None)], []),
                ([("b", None)], []),
                ([], [("a", ([("w", A), ("b", None)], [])), ("c", ([("b", None), ("w", B)], []))]),
            ),
            lambda source: _tree(source, [*_different(12), *[None] * 8]),
        ),
        Topic(
            "a parameter that is shared",
            3,
            "One object comes once, under the first name that leads to it. An optimizer would move it twice "
            "otherwise.",
            _cases(
                ([("w", A), ("v", A)], []),
                ([("w", A)], [("a", ([("w", A)], []))]),
                ([], [("a", ([("w", A)], [])), ("b", ([("w", A), ("b", B)], []))]),
                ([], [("a", ([], [("b", ([("w", A)], []))])), ("c", ([("w", A)], []))]),
            ),
            lambda source: _tree(source, _different(4) * 5),
        ),
        Topic(
            "equal, and not the same",
            1,
            "Two parameters that hold equal numbers are two parameters. So are two tensors over one storage. "
            "Only `is` (or `id`) tells one object from two.",
            _cases(
                ([("w", _weight(1, 0, 0)), ("v", _weight(2, 0, 0))], []),
                ([("w", _weight(1, 0, 0))], [("a", ([("w", _weight(2, 0, 0))], []))]),
                ([("w", A), ("v", _row_of(1))], []),
            ),
            lambda source: _tree(
                source,
                [
                    *[_weight(number, 1, 1) for number in range(1, 9)],
                    *[strided((1, 2), cells=[1, 1], storage=number) for number in range(1, 9)],
                    *_different(20)[8:],
                ],
            ),
        ),
    ),
    wrong=ch13_wrong_members.solutions.wrong_of("13.named_members"),
    right=ch13_right.solutions.right_of("13.named_members"),
)


# --- 13.linear ----------------------------------------------------------------------------------------


def _filled(source: Random, shape: Shape, storage: int, strides: Shape | None = None) -> Strided:
    """Small whole numbers, so that sums in any order are exact."""
    reached = layout.address_range(shape, strides or layout.default_strides(shape), 0)
    count = reached[1] + 1 if reached else 0
    return strided(
        shape, strides, cells=[source.choice((-3, -2, -1, 1, 2, 3)) for _ in range(count)], storage=storage
    )


def _linear(source: Random, lead: Shape, sizes: Shape | None = None, bias: bool = True) -> Case:
    inputs, outputs = sizes or tuple(source.sample(range(2, 9), 2))
    given = _filled(source, (outputs,), 3) if bias else None
    return Case((_filled(source, (*lead, inputs), 1), _filled(source, (outputs, inputs), 2), given))


def _x(*shape: int) -> Strided:
    return strided(shape, cells=range(1, layout.numel(shape) + 1), storage=1)


def _w(*shape: int) -> Strided:
    return strided(shape, cells=[(-1) ** k * (k + 1) for k in range(layout.numel(shape))], storage=2)


def _b(size: int) -> Strided:
    return strided((size,), cells=range(10, 10 + size), storage=3)


def _of_views(source: Random) -> Case:
    inputs, outputs = source.sample(range(2, 9), 2)
    x = _filled(source, (3, inputs), 1, draw.loose(source, (3, inputs), zeros=False))
    w = _filled(source, (outputs, inputs), 2, draw.loose(source, (outputs, inputs), zeros=False))
    return Case((x, w, _filled(source, (outputs,), 3)))


LINEAR = Exercise(
    id="13.linear",
    title="A layer for any number of dimensions",
    stars=2,
    signature="linear(input, weight, bias=None)",
    task="Return input @ weight.T + bias for an input of shape (…, in), a weight (out, in) and a bias (out).",
    part="tensorlab.ops.linear:linear",
    topics=(
        Topic(
            "a table of inputs",
            2,
            "Row i of the answer has, for each output, the dot product of row i of the input with that "
            "output's row of the weight, plus its bias.",
            _cases(
                (_x(1, 2), _w(1, 2), _b(1)),
                (_x(1, 2), _w(3, 2), _b(3)),
                (_x(2, 3), _w(1, 3), _b(1)),
                (_x(2, 3), _w(4, 3), _b(4)),
                (_x(3, 2), _w(4, 2), _b(4)),
            ),
            lambda source: _linear(source, (source.randint(2, 8),)),
        ),
        Topic(
            "as many outputs as inputs",
            1,
            "A square weight can be multiplied the wrong way round, and nobody complains.",
            _cases((_x(1, 2), _w(2, 2), _b(2)), (_x(3, 2), _w(2, 2), _b(2)), (_x(3, 3), _w(3, 3), _b(3))),
            lambda source: _linear(source, (source.randint(2, 8),), (n := source.randint(2, 4), n)),
        ),
        Topic(
            "other numbers of dimensions",
            2,
            "The layer works on the last dimension and leaves the others as they are: one example alone, or "
            "a batch of sequences.",
            _cases(
                (_x(2), _w(3, 2), _b(3)),
                (_x(2, 1, 2), _w(3, 2), _b(3)),
                (_x(2, 2, 2), _w(3, 2), _b(3)),
                (_x(2, 3, 1, 2), _w(3, 2), _b(3)),
            ),
            lambda source: _linear(source, source.choice(((), (2, 3), (3, 2), (2, 1, 3)))),
        ),
        Topic(
            "no bias",
            1,
            "The bias may be None. A bias of zeros is one that is there.",
            _cases(
                (_x(2, 3), _w(2, 3), None),
                (_x(3), _w(2, 3), None),
                (_x(2, 2), _w(1, 2), strided((1,), cells=[0], storage=3)),
            ),
            lambda source: _linear(source, (source.randint(1, 3),), bias=False),
        ),
        Topic(
            "views",
            1,
            "Input and weight may be turned, or have gaps. Read their elements, not their cells.",
            _cases(
                (strided((2, 2), (1, 2), cells=[1, 2, 3, 4]), _w(3, 2), _b(3)),
                (_x(2, 2), strided((3, 2), (1, 3), cells=[1, -2, 3, -4, 5, -6], storage=2), _b(3)),
            ),
            _of_views,
        ),
    ),
    wrong=ch13_wrong_layers.solutions.wrong_of("13.linear"),
    right=ch13_right.solutions.right_of("13.linear"),
)


# --- 13.dropout ---------------------------------------------------------------------------------------


def _left_out(x: Strided, p: float) -> Callable[[Any, Any], bool]:
    """What says whether an answer is `x` with a share of about `p` left out, the rest divided by 1 - p."""

    def fits(got: Any, want: Any) -> bool:
        if not isinstance(got, Strided) or got.shape != x.shape or got.dtype is not x.dtype:
            return False
        if got.storage > 0 and p > 0:  # a tensor over the input's cells
            return False
        dropped = [number == 0 for number in got.elements]
        kept = zip(got.elements, x.elements, dropped, strict=True)
        if not all(gone or abs(y * (1 - p) - value) <= 1e-4 * abs(value) for y, value, gone in kept):
            return False
        count = len(dropped)
        spread = math.sqrt(p * (1 - p) / count)
        return abs(sum(dropped) / count - p) <= 6 * spread and _mixed(dropped, x.shape, p)

    return fits


def _mixed(dropped: list[bool], shape: Shape, p: float) -> bool:
    """Whether elements went one by one: neither the first ones, nor whole rows."""
    if p in (0, 1) or len(dropped) < 100:
        return True
    columns = shape[-1]
    halves = sum(dropped[: len(dropped) // 2]), sum(dropped[len(dropped) // 2 :])
    rows = [dropped[k : k + columns] for k in range(0, len(dropped), columns)] if len(shape) > 1 else []
    return all(halves) and not all(len(set(row)) == 1 for row in rows or [[True, False]])


def _dropped(shape: Shape, p: float, training: bool = True) -> Case:
    x = strided(shape, cells=range(1, layout.numel(shape) + 1))
    return Case((x, p, training), same=_left_out(x, p) if training else None)


DROPOUT = Exercise(
    id="13.dropout",
    title="Leave numbers out",
    stars=2,
    signature="dropout(input, p=0.5, training=True)",
    task="Return the input with each element 0 with probability p, else divided by 1 - p.",
    part="tensorlab.ops.dropout:dropout",
    topics=(
        Topic(
            "half of them",
            2,
            "About half are 0, and the others twice as large, so that the sum stays about what it was.",
            (_dropped((200,), 0.5), _dropped((20, 20), 0.5)),
            lambda source: _dropped((source.randint(15, 30), source.randint(15, 30)), 0.5),
        ),
        Topic(
            "another probability",
            2,
            "p is the share that is left out, and 1 - p the share that stays.",
            (_dropped((400,), 0.25), _dropped((400,), 0.9), _dropped((20, 20), 0.2)),
            lambda source: _dropped((source.randint(300, 600),), source.choice((0.1, 0.2, 0.3, 0.7, 0.8))),
        ),
        Topic(
            "not while training",
            2,
            "With training=False nothing changes: the very tensor comes back.",
            (
                _dropped((3,), 0.5, training=False),
                _dropped((2, 2), 0.9, training=False),
                _dropped((2, 2), 0.0, training=False),
            ),
            lambda source: _dropped(draw.shape(source, 2, 5), source.choice((0.1, 0.5, 0.9)), training=False),
        ),
        Topic(
            "nothing, or all",
            1,
            "With p = 0 every number stays as it is. With p = 1 none is left, and 0 / 0 is no number.",
            (_dropped((4,), 0.0), _dropped((4,), 1.0), _dropped((2, 3), 1.0)),
            lambda source: _dropped(draw.shape(source, 2, 5), source.choice((0.0, 1.0))),
        ),
    ),
    wrong=ch13_wrong_layers.solutions.wrong_of("13.dropout"),
    right=ch13_right.solutions.right_of("13.dropout"),
)


# --- 13.get_total_norm --------------------------------------------------------------------------------


def _norm(tensors: list[Strided], *norm_type: float) -> Case:
    return Case((tensors, *norm_type), rounding=1e-5)


def _grads(*rows: tuple[float, ...]) -> list[Strided]:
    return [strided((len(row),), cells=row, storage=k) for k, row in enumerate(rows, 1)]


def _random_grads(source: Random, least: int = 2) -> list[Strided]:
    shapes = [draw.shape(source, 1, 4, (1, 3)) for _ in range(source.randint(least, 4))]
    return [
        strided(shape, cells=[source.randint(-9, 9) for _ in range(layout.numel(shape))], storage=k)
        for k, shape in enumerate(shapes, 1)
    ]


GET_TOTAL_NORM = Exercise(
    id="13.get_total_norm",
    title="How long is a gradient?",
    stars=2,
    signature="get_total_norm(tensors, norm_type=2.0)",
    task="Return, as a tensor of no dimensions, the norm of all numbers of several tensors, as if they stood "
    "in one.",
    part="tensorlab.nn.utils.clip_grad:get_total_norm",
    topics=(
        Topic(
            "one tensor",
            1,
            "The length is the square root of the sum of squares, over all dimensions of the tensor.",
            (
                _norm(_grads((3, 4))),
                _norm(_grads((-5,))),
                _norm(_grads((2, -3, 6))),
                _norm([strided((2, 2), cells=[1, 5, -1, 3])]),
            ),
            lambda source: _norm(_random_grads(source)[:1]),
        ),
        Topic(
            "several tensors",
            3,
            "The squares of all numbers are added, and one root is taken at the end. Lengths do not add up.",
            (
                _norm(_grads((3,), (4,))),
                _norm(_grads((1, 2), (2,))),
                _norm(_grads((2, -3), (6,), (0, 0))),
                _norm([strided((2, 2), cells=[1, 5, -1, 3]), strided((3,), cells=[2, 2, -2], storage=2)]),
            ),
            lambda source: _norm(_random_grads(source)),
        ),
        Topic(
            "another norm",
            2,
            "The p-norm is the p-th root of the sum of the p-th powers of the magnitudes; for infinity it is "
            "the largest magnitude.",
            (
                _norm(_grads((3,), (-4,)), 1.0),
                _norm(_grads((3,), (-4,)), math.inf),
                _norm(_grads((1, -2), (5, 3)), math.inf),
                _norm(_grads((1, -2), (2,)), 3.0),
            ),
            lambda source: _norm(_random_grads(source), source.choice((1.0, 3.0, math.inf))),
        ),
        Topic(
            "no tensors",
            1,
            "Where no parameter has a gradient, the norm is 0.",
            (_norm([]), _norm([], 1.0), _norm([], math.inf)),
            lambda source: _norm([], source.choice((2.0, 1.0, 3.0, math.inf))),
        ),
    ),
    wrong=ch13_wrong_layers.solutions.wrong_of("13.get_total_norm"),
    right=ch13_right.solutions.right_of("13.get_total_norm"),
)
