"""Chapter 3, *Views without copying*: the questions about layouts; `ch03_tensors` has those about tensors."""

from __future__ import annotations

from random import Random

from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch03_right, ch03_wrong, ch03_wrong_dims, draw
from tensorlab.grading.suites.ch03_tensors import DIAGONAL, SETITEM


def _slice(size: int, stride: int, *bounds: int | None) -> Case:
    return Case((size, stride, slice(*bounds)))


def _refused_step(size: int, stride: int, *bounds: int | None) -> Case:
    return Case((size, stride, slice(*bounds)), ("step must be greater than zero",))


def _inside(source: Random) -> Case:
    size = source.randint(4, 12)
    start = source.randint(1, size - 2)
    return _slice(size, source.choice((1, 3, 5)), start, source.randint(start + 1, size))


def _with_step(source: Random) -> Case:
    size = source.randint(6, 15)
    start = source.randint(0, 3)
    return _slice(size, source.randint(1, 6), start, source.randint(start + 1, size), source.randint(2, 4))


def _from_the_end(source: Random) -> Case:
    """Bounds left out, counted from the end, or beyond it."""
    size = source.randint(3, 9)
    far = (None, -size - source.randint(1, 4), size + source.randint(1, 4), -1, -2, 0)
    return _slice(size, source.randint(1, 5), source.choice(far), source.choice(far))


def _nothing(source: Random) -> Case:
    size = source.randint(2, 9)
    start = source.randint(1, size)
    return _slice(size, source.randint(1, 5), start, source.randint(1, start))


SLICED = Exercise(
    id="03.sliced",
    title="What a slice does",
    stars=2,
    signature="sliced(size, stride, bounds)",
    task="Return the size and the stride of the sliced dimension, and how many cells lie before its first "
    "element.",
    part="tensorlab.core.part_rules:sliced",
    topics=(
        Topic(
            "start and stop",
            1,
            "start:stop keeps stop - start positions. The stride stays, and start steps are skipped, each of "
            "them one stride long. A step that is not written is None, and means 1.",
            (
                _slice(5, 1, 0, 3),
                _slice(5, 1, 2, 5),
                _slice(6, 1, 1, 4),
                _slice(5, 4, 0, 3),
                _slice(5, 4, 2, 3),
                _slice(5, 4, 1, 5),
            ),
            _inside,
        ),
        Topic(
            "a step",
            2,
            "One step of the slice is step steps of the dimension, so the stride grows by that factor. The "
            "last position counts even where the step does not reach stop exactly.",
            (
                _slice(6, 1, 0, 6, 2),
                _slice(8, 1, 0, 6, 2),
                _slice(7, 1, 0, 7, 2),
                _slice(7, 1, 1, 7, 3),
                _slice(8, 3, 1, 6, 2),
                _slice(9, 5, 0, 9, 4),
                _slice(5, 2, 3, 4, 7),
            ),
            _with_step,
        ),
        Topic(
            "bounds left out, from the end, and beyond it",
            2,
            "None stands for the beginning or the end, a negative bound counts from the end, and a bound "
            "that lies outside is moved to the nearest end. A slice never complains of one.",
            (
                _slice(5, 4, None, None),
                _slice(5, 4, 2, None),
                _slice(5, 4, None, 2),
                _slice(5, 4, None, None, 2),
                _slice(5, 4, -2, None),
                _slice(5, 4, None, -1),
                _slice(5, 4, -3, -1),
                _slice(5, 4, 1, 99),
                _slice(5, 4, -99, 2),
                _slice(5, 4, None, 0),
                _slice(5, 4, 3, -9),
                _slice(5, 4, 99, None),
            ),
            _from_the_end,
        ),
        Topic(
            "nothing left",
            1,
            "Where stop is not behind start no position is left. The size is 0 and never negative.",
            (
                _slice(5, 1, 3, 3),
                _slice(5, 4, 3, 1),
                _slice(5, 1, 5, 5),
                _slice(0, 1, 0, 3),
                _slice(6, 2, 4, 1, 2),
            ),
            _nothing,
        ),
        Topic(
            "steps that lead nowhere, or back",
            1,
            "A view has no negative strides, so the step must be at least 1.",
            (
                _refused_step(5, 1, None, None, -1),
                _refused_step(5, 1, 4, 0, -2),
                _refused_step(5, 4, 0, 3, -1),
                Case((5, 1, slice(None, None, 0)), ("zero",)),
                Case((5, 4, slice(3, 1, 0)), ("zero",)),
            ),
            lambda source: _refused_step(
                source.randint(2, 9), source.randint(1, 4), 0, 2, -source.randint(1, 4)
            ),
        ),
    ),
    wrong=ch03_wrong.solutions.wrong_of("03.sliced"),
    right=ch03_right.solutions.right_of("03.sliced"),
)


def _order(shape: tuple[int, ...], *order: int) -> Case:
    return Case((shape, default_strides(shape), order))


def _not_an_order(shape: tuple[int, ...], *order: int) -> Case:
    says = f"must name each of the {len(shape)} dimensions once"
    return Case((shape, default_strides(shape), order), (says,))


def _no_such_dim(shape: tuple[int, ...], *order: int) -> Case:
    return Case((shape, default_strides(shape), order), ("Dimension out of range",))


def _shuffled(source: Random) -> Case:
    """An order that is not its own inverse, over strides that are not those of a new tensor."""
    sizes = source.sample(range(2, 9), source.randint(3, 4))
    order = list(range(len(sizes)))
    while all(order[order[dim]] == dim for dim in order):
        source.shuffle(order)
    return Case((tuple(sizes), tuple(source.sample(range(1, 50), len(sizes))), tuple(order)))


def _negative_order(source: Random) -> Case:
    case = _shuffled(source)
    shape, strides, order = case.args
    return Case((shape, strides, tuple(dim - source.randint(0, 1) * len(shape) for dim in order)))


def _broken_order(source: Random) -> Case:
    shape = draw.shape(source, 2, 5, (2, 4))
    order = source.sample(range(len(shape)), len(shape))
    if source.random() < 0.4:
        return _not_an_order(shape, *order[:-1])
    if len(shape) > 2 and source.random() < 0.4:  # one too small and one too large: the sum is right
        order[order.index(0)] = 1
        order[order.index(len(shape) - 1)] -= 1
        return _not_an_order(shape, *order)
    order[0] = order[1] if source.random() < 0.5 else order[1] - len(shape)
    return _not_an_order(shape, *order)


PERMUTED = Exercise(
    id="03.permuted",
    title="Dimensions in another order",
    stars=2,
    signature="permuted(shape, strides, order)",
    task="Return shape and strides of the view whose dimension i is dimension order[i] of the tensor.",
    part="tensorlab.core.view_rules:permuted",
    topics=(
        Topic(
            "tables",
            1,
            "Each dimension keeps its size and its stride. They move together, and no number moves.",
            (
                _order((2, 3), 0, 1),
                _order((2, 3), 1, 0),
                _order((3, 2), 1, 0),
                Case(((2, 3), (1, 7), (1, 0))),
                Case(((3, 3), (0, 2), (1, 0))),
            ),
            lambda source: Case(
                (draw.shape(source, 2, 9, (2, 2)), tuple(source.sample(range(1, 30), 2)), (1, 0))
            ),
        ),
        Topic(
            "three dimensions and more",
            2,
            "order says where each dimension of the view comes from, not where the tensor's dimensions go. "
            "The two differ when three dimensions change places in a circle.",
            (
                _order((2, 3, 4), 0, 2, 1),
                _order((2, 3, 4), 2, 1, 0),
                _order((2, 3, 4), 1, 2, 0),
                _order((2, 3, 4), 2, 0, 1),
                _order((2, 3, 4, 5), 0, 2, 3, 1),
                _order((2, 3, 4, 5), 3, 0, 1, 2),
                Case(((2, 3, 4), (5, 1, 20), (2, 0, 1))),
            ),
            _shuffled,
        ),
        Topic(
            "negative dimensions, one, and none",
            1,
            "-1 is the last dimension. With one dimension or none there is one order.",
            (
                _order((), *()),
                _order((5,), 0),
                _order((5,), -1),
                _order((2, 3), -1, 0),
                _order((2, 3, 4), -1, 0, 1),
                _order((2, 3, 4), 1, -1, -3),
            ),
            _negative_order,
        ),
        Topic(
            "what is no order",
            2,
            "An order names every dimension once. With one missing or one twice there is no such view.",
            (
                _not_an_order((2, 3), 0),
                _not_an_order((2, 3), 0, 0),
                _not_an_order((2, 3), 1, -1),
                _not_an_order((2, 3, 4), 0, 1),
                _not_an_order((2, 3, 4), 0, 1, 1),
                _not_an_order((2, 3, 4), 1, 1, 1),
                _not_an_order((2, 3), 0, 1, 1),
                _not_an_order((), *(0,)),
            ),
            _broken_order,
        ),
        Topic(
            "dimensions that do not exist",
            1,
            "A tensor of n dimensions has the dimensions -n to n - 1. Any other is an IndexError.",
            (
                _no_such_dim((2, 3), 0, 2),
                _no_such_dim((2, 3), 0, -3),
                _no_such_dim((2, 3, 4), 0, 1, 5),
                _no_such_dim((5,), 1),
            ),
            lambda source: _no_such_dim(
                (2, 3, 4), *source.choice(((0, 1, 3), (0, 4, 1), (-4, 1, 2), (7, 1, 0)))
            ),
        ),
    ),
    wrong=ch03_wrong_dims.solutions.wrong_of("03.permuted"),
    right=ch03_right.solutions.right_of("03.permuted"),
)


def _squeeze(shape: tuple[int, ...], *dims: int) -> Case:
    return Case((shape, default_strides(shape), dims))


def _squeeze_all(shape: tuple[int, ...]) -> Case:
    return Case((shape, default_strides(shape), None))


def _with_ones(source: Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape of three or four dimensions, two of them of size 1, and strides of any size."""
    shape = [1, 1, *(source.randint(2, 5) for _ in range(source.randint(1, 2)))]
    source.shuffle(shape)
    return tuple(shape), tuple(source.randint(1, 30) for _ in shape)


def _one_of_two(source: Random, negative: bool = False) -> Case:
    """Of two dimensions of size 1 one is named, perhaps from the end."""
    shape, strides = _with_ones(source)
    dim = source.choice([dim for dim, size in enumerate(shape) if size == 1])
    return Case((shape, strides, (dim - len(shape) if negative else dim,)))


SQUEEZED = Exercise(
    id="03.squeezed",
    title="Without the ones",
    stars=2,
    signature="squeezed(shape, strides, dims)",
    task="Return shape and strides without the dimensions of size 1: those among dims, or all when dims is "
    "None.",
    part="tensorlab.core.view_rules:squeezed",
    topics=(
        Topic(
            "all of them",
            1,
            "dims None means every dimension of size 1. Its stride goes with it; the others keep theirs.",
            (
                _squeeze_all((1, 3)),
                _squeeze_all((3, 1)),
                _squeeze_all((2, 3)),
                _squeeze_all((1, 2, 1, 3)),
                _squeeze_all((1, 1, 3)),
                Case(((2, 1, 3), (1, 9, 2), None)),
            ),
            lambda source: Case((*_with_ones(source), None)),
        ),
        Topic(
            "only those that are named",
            2,
            "A dimension that is not named stays, even when its size is 1. This is what keeps a batch of "
            "one.",
            (
                _squeeze((1, 3), 0),
                _squeeze((1, 1), 0),
                _squeeze((1, 3, 1), 0),
                _squeeze((1, 3, 1), 2),
                _squeeze((1, 1, 3, 1), 1, 3),
                _squeeze((1, 2, 1), *()),
                Case(((1, 2, 1, 3), (6, 50, 60, 1), (2, 0))),
            ),
            _one_of_two,
        ),
        Topic(
            "named, and not of size 1",
            2,
            "A named dimension of another size stays as well, without a word. So does one of size 0.",
            (
                _squeeze((2, 3), 0),
                _squeeze((1, 3), 1),
                _squeeze((1, 3, 1), 0, 1),
                _squeeze((0, 1), 0),
                _squeeze((1, 0, 1), 1, 2),
                _squeeze_all((1, 0, 1)),
            ),
            lambda source: Case(
                ((1, source.choice((0, 2, 3)), 1), (4, 1, 1), source.choice(((1,), (0, 1), (1, 2))))
            ),
        ),
        Topic(
            "negative dimensions, and nothing left",
            1,
            "-1 is the last dimension. When every dimension goes, the shape is () and one element remains.",
            (
                _squeeze((3, 1), -1),
                _squeeze((1, 3), -2),
                _squeeze((1, 3, 1), -1, 0),
                _squeeze_all((1,)),
                _squeeze_all((1, 1)),
                _squeeze((1, 1), 0, -1),
                _squeeze_all(()),
                _squeeze((), 0),
                _squeeze((), -1),
            ),
            lambda source: _one_of_two(source, negative=True),
        ),
        Topic(
            "named twice, or not there",
            2,
            "To name a dimension twice is a mistake, RuntimeError; to name one that does not exist is an "
            "IndexError.",
            (
                Case(((1, 3), (3, 1), (0, 0)), ("appears multiple times",)),
                Case(((1, 3), (3, 1), (1, -1)), ("appears multiple times",)),
                Case(((1, 3), (3, 1), (2,)), ("Dimension out of range",)),
                Case(((1, 3), (3, 1), (0, -3)), ("Dimension out of range",)),
                Case(((), (), (1,)), ("Dimension out of range",)),
                Case(((), (), (-2,)), ("Dimension out of range",)),
                Case(((), (), (0, -1)), ("appears multiple times",)),
            ),
            lambda source: source.choice(
                (
                    Case(((1, 2, 1), (2, 1, 1), (0, 2, source.choice((0, -1)))), ("appears multiple times",)),
                    Case(((1, 2, 1), (2, 1, 1), (source.choice((3, 5, -4)),)), ("Dimension out of range",)),
                )
            ),
        ),
    ),
    wrong=ch03_wrong_dims.solutions.wrong_of("03.squeezed"),
    right=ch03_right.solutions.right_of("03.squeezed"),
)


EXERCISES = (SLICED, PERMUTED, SQUEEZED, DIAGONAL, SETITEM)
