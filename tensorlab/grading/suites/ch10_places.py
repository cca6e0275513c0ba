"""Chapter 10, places: the questions about what was read by index, and about the largest element."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes, layout, positions
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch10_right, ch10_wrong_amax, ch10_wrong_index, draw
from tensorlab.grading.suites.ch08_einsum import shows_the_same
from tensorlab.grading.suites.ch08_tensors import close

INT, WIDE = dtypes.int64, dtypes.float64
Shape = tuple[int, ...]


def _gradient(shape: Shape, **more: Any) -> Strided:
    return strided(shape, cells=range(1, 1 + layout.numel(shape)), **more)


def _places(*numbers: int, shape: Shape | None = None, storage: int = 2) -> Strided:
    return strided((len(numbers),) if shape is None else shape, cells=numbers, dtype=INT, storage=storage)


def _read(shape: Shape, read: Shape, *indices: Strided, **more: Any) -> Case:
    """A case: from a tensor of `shape` something of shape `read` was read at `indices`."""
    told = tuple(strided(x.shape, cells=x.cells, dtype=INT, storage=2 + n) for n, x in enumerate(indices))
    return Case((_gradient(read, **more), shape, told), same=shows_the_same)


def _once(source: Random) -> Case:
    size = source.randint(3, 9)
    count = source.randint(1, size)
    return _read((size,), (count,), _places(*source.sample(range(size), count)))


def _again(source: Random, least: int = 1) -> Case:
    """More places than there are to choose from, so that one comes up again; perhaps whole rows of them."""
    shape = draw.shape(source, 2, 3, (least, 2))
    count = shape[0] + source.randint(1, 2)
    places = [source.randrange(shape[0]) for _ in range(count)]
    return _read(shape, (count, *shape[1:]), _places(*places))


def _pairs(source: Random) -> Case:
    shape = draw.shape(source, 2, 7, (2, 3))
    rows, columns = shape[:2]
    if source.random() < 0.5:
        count = source.randint(2, 5)
        lists = [_places(*(source.randrange(n) for _ in range(count))) for n in (rows, columns)]
        return _read(shape, (count, *shape[2:]), *lists)
    m, n = source.randint(1, 3), source.randint(2, 3)
    column = _places(*(source.randrange(rows) for _ in range(m)), shape=(m, 1))
    row = _places(*(source.randrange(columns) for _ in range(n)))
    return _read(shape, (m, n, *shape[2:]), column, row)


def _from_the_end(source: Random) -> Case:
    size = source.randint(2, 4)
    places = [source.randrange(-size, 0) for _ in range(size + 1)]
    return _read((size,), (size + 1,), _places(*places))


INDEX_BACKWARD = Exercise(
    id="10.index_backward",
    title="The way back of an index",
    stars=2,
    signature="index_backward(grad, shape, indices)",
    task="Return the gradient of x, of this shape, where grad is the gradient of x[indices].",
    part="tensorlab.ops.indexing.advanced:index_backward",
    topics=(
        Topic(
            "each place once",
            2,
            "What was read at a place goes back to it. What was not read gets 0.",
            (
                _read((2,), (1,), _places(1)),
                _read((3,), (2,), _places(2, 0)),
                _read((4,), (4,), _places(3, 1, 0, 2)),
                _read((3,), (2,), _places(0, 2), dtype=WIDE),
            ),
            _once,
        ),
        Topic(
            "a place that was read again",
            3,
            "It gets the sum of what arrives for it. An assignment keeps the last one only, and so does +=.",
            (
                _read((1,), (2,), _places(0, 0)),
                _read((2,), (3,), _places(1, 0, 1)),
                _read((3,), (4,), _places(2, 2, 0, 2)),
                _read((2,), (6,), _places(0, 1, 0, 1, 0, 0)),
            ),
            lambda source: _again(source, 1),
        ),
        Topic(
            "whole rows",
            1,
            "One list of places chooses along the first dimension. Each of them stands for a row.",
            (
                _read((2, 3), (1, 3), _places(1)),
                _read((3, 2), (2, 2), _places(2, 0)),
                _read((3, 2), (3, 2), _places(1, 2, 1)),
                _read((2, 2, 2), (3, 2, 2), _places(1, 1, 0)),
            ),
            lambda source: _again(source, 2),
        ),
        Topic(
            "lists that are read in pairs",
            2,
            "Two lists are broadcast with each other, and read in pairs: x[[0, 2], [1, 3]] is two elements.",
            (
                _read((2, 2), (2,), _places(0, 1), _places(1, 1)),
                _read((3, 4), (2,), _places(0, 2), _places(1, 3)),
                _read((2, 3), (3,), _places(1, 1, 0), _places(2, 2, 0)),
                _read((2, 2), (2, 2), _places(1, 0, shape=(2, 1)), _places(1, 1)),
                _read((2, 3, 2), (2, 2), _places(1, 1), _places(2, 2)),
            ),
            _pairs,
        ),
        Topic(
            "a table of places",
            1,
            "What was read has the shape of the places, and after it the dimensions that weren't indexed.",
            (
                _read((3,), (2, 2), _places(0, 1, 1, 2, shape=(2, 2))),
                _read((2, 2), (2, 1, 2), _places(1, 1, shape=(2, 1))),
                _read((3,), (), _places(1, shape=())),
            ),
            lambda source: _read(
                (n := source.randint(2, 4),),
                (2, 3),
                _places(*(source.randrange(n) for _ in range(6)), shape=(2, 3)),
            ),
        ),
        Topic(
            "places from the end, and none",
            1,
            "-1 is the last place, and the same one as size - 1. Where nothing was read, all is 0.",
            (
                _read((3,), (1,), _places(-1)),
                _read((3,), (2,), _places(-1, 2)),
                _read((3, 2), (2, 2), _places(-3, 0)),
                _read((2, 3), (2,), _places(-1, 1), _places(0, -3)),
                _read((3,), (0,), _places()),
            ),
            _from_the_end,
        ),
    ),
    wrong=ch10_wrong_index.solutions.wrong_of("10.index_backward"),
    right=ch10_right.solutions.right_of("10.index_backward"),
)


def _largest(input: Strided, dim: Any, keepdim: bool = False) -> Case:
    """A case for amax: the result that goes with the input, and a gradient for each of its elements."""
    shape = input.shape
    dims = tuple(range(len(shape))) if dim == () else (dim,) if isinstance(dim, int) else dim
    gone = {layout.wrap_dim(d, len(shape)) for d in dims}
    kept = tuple(size for d, size in enumerate(shape) if d not in gone)
    best: dict[Shape, Any] = {}
    for position, value in enumerate(input.elements):
        index = positions.unravel(position, shape)
        place = tuple(i for d, i in enumerate(index) if d not in gone)
        best[place] = max(value, best.get(place, value))
    stays = tuple(1 if d in gone else size for d, size in enumerate(shape)) if keepdim else kept
    grad = strided(stays, cells=[6 * (k + 1) for k in range(layout.numel(kept))], dtype=input.dtype)
    told = strided(input.shape, input.strides, input.offset, cells=input.cells, dtype=input.dtype, storage=2)
    result = strided(stays, cells=list(best.values()), dtype=input.dtype, storage=3)
    return Case((grad, told, result, dim, keepdim), same=close)


def _table(*rows: tuple[float, ...], dtype: dtypes.dtype = dtypes.float32) -> Strided:
    return strided((len(rows), len(rows[0])), cells=[number for row in rows for number in row], dtype=dtype)


def _numbered(source: Random, shape: Shape, ties: bool = False) -> Strided:
    count = layout.numel(shape)
    cells = (
        [source.randint(0, 2) for _ in range(count)] if ties else source.sample(range(-count, count), count)
    )
    return strided(shape, cells=cells)


def _oblong(source: Random, ties: bool = False) -> Strided:
    m = source.randint(2, 4)
    return _numbered(source, (m, source.choice([n for n in range(2, 9) if n != m])), ties)


_BOX = strided((2, 2, 3), cells=[6, 1, 6, 0, 2, 6, 7, 3, 1, 6, 4, 4])

AMAX_BACKWARD = Exercise(
    id="10.amax_backward",
    title="The gradient of the largest",
    stars=3,
    signature="amax_backward(grad, input, result, dim, keepdim=False)",
    task="Return the gradient of input, where grad is the gradient of result, which is input.amax(dim, "
    "keepdim).",
    part="tensorlab.ops.argreduce:amax_backward",
    topics=(
        Topic(
            "one largest in each row",
            2,
            "The largest of a row gets the row's gradient, and the others get 0: moving them a little "
            "changes "
            "nothing.",
            (
                _largest(_table((1, 2)), 1),
                _largest(_table((1, 4, 3), (6, 2, 5)), 1),
                _largest(_table((1, 4), (6, 2), (3, 5)), 1),
                _largest(_table((1, 4, 3), (6, 2, 5), dtype=WIDE), 1),
            ),
            lambda source: _largest(_oblong(source), 1),
        ),
        Topic(
            "several that are equally large",
            3,
            "They share the gradient in equal parts, so that no more leaves than arrived.",
            (
                _largest(_table((2, 2)), 1),
                _largest(_table((3, 1, 3), (4, 4, 4)), 1),
                _largest(_table((5, 5, 0), (1, 2, 0), (0, 7, 7), (1, 1, 1)), 1),
                _largest(_table((0, 0, 0, 0, 0), (-1, -2, -1, -2, -1)), 1),
            ),
            lambda source: _largest(_oblong(source, ties=True), 1),
        ),
        Topic(
            "another dimension",
            2,
            "Without keepdim the dimension is gone from grad and result. Put it back, with size 1, before "
            "you "
            "compare: in a square table nothing complains if you don't.",
            (
                _largest(_table((1, 4), (6, 2)), 0),
                _largest(_table((1, 4), (6, 2)), 1),
                _largest(_table((1, 4, 3), (6, 2, 3)), 0),
                _largest(_table((1, 4, 3), (6, 2, 3)), -1),
                _largest(_table((1, 4, 3), (6, 2, 3)), -2),
                _largest(_BOX, 0),
                _largest(_BOX, 1),
            ),
            lambda source: _largest(
                x := _numbered(source, draw.shape(source, 2, 3, (2, 3)), ties=True),
                source.randrange(-len(x.shape), len(x.shape)),
            ),
        ),
        Topic(
            "keepdim",
            1,
            "With keepdim the dimension has stayed, and nothing has to be put back.",
            (
                _largest(_table((1, 4, 4), (6, 2, 5)), 1, True),
                _largest(_table((1, 4), (6, 2)), 0, True),
                _largest(_BOX, 1, True),
                _largest(_BOX, -1, True),
            ),
            lambda source: _largest(
                x := _numbered(source, draw.shape(source, 2, 3, (2, 3)), ties=True),
                source.randrange(len(x.shape)),
                True,
            ),
        ),
        Topic(
            "several dimensions, or all",
            2,
            "A tuple names several dimensions, the empty one all of them. Count the equals over all that "
            "went.",
            (
                _largest(_table((1, 4, 4), (3, 4, 0)), ()),
                _largest(_table((1, 4, 4), (3, 4, 0)), (0, 1)),
                _largest(_BOX, (0, 2)),
                _largest(_BOX, (-1, 0)),
                _largest(_BOX, (1, 2), True),
                _largest(_BOX, (), True),
                _largest(strided((), cells=[4]), ()),
            ),
            lambda source: _largest(
                _numbered(source, draw.shape(source, 2, 3, (3, 3)), ties=True),
                tuple(source.sample(range(3), source.choice((0, 2, 2, 3)))),
                source.random() < 0.5,
            ),
        ),
    ),
    wrong=ch10_wrong_amax.solutions.wrong_of("10.amax_backward"),
    right=ch10_right.solutions.right_of("10.amax_backward"),
)
