"""Chapter 7, places: the questions about reading from places and adding into them."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import (
    ch07_right,
    ch07_wrong_gather,
    ch07_wrong_index_add,
    ch07_wrong_scatter,
    draw,
)

INT = dtypes.int64
Shape = tuple[int, ...]


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _tensor(shape: Shape, strides: Shape | None = None, offset: int = 0, **more: Any) -> Strided:
    return strided(shape, strides, offset, **more)


def _places(*numbers: int, shape: Shape | None = None, strides: Shape | None = None) -> Strided:
    return strided((len(numbers),) if shape is None else shape, strides, cells=numbers, dtype=INT, storage=2)


def _values(shape: Shape, dtype: dtypes.dtype = dtypes.float32) -> Strided:
    """What is added: 10, 11, … so that each can be told from the others."""
    return strided(shape, cells=range(10, 10 + layout.numel(shape)), dtype=dtype, storage=3)


def _with(shape: Shape, dim: int, size: int) -> Shape:
    """The shape with another size of one dimension."""
    dim %= len(shape)
    return (*shape[:dim], size, *shape[dim + 1 :])


def _gaps(source: Random, shape: Shape) -> Strided:
    """A tensor with a gap behind each row, which begins inside its storage."""
    wide = layout.default_strides(_with(shape, -1, shape[-1] + source.randint(1, 2)))
    return _tensor(shape, wide, source.randint(0, 3))


def _view(source: Random, shape: Shape) -> Strided:
    """A tensor with its dimensions in any order, or a gap, which may begin inside its storage."""
    return _tensor(shape, draw.loose(source, shape, zeros=False), source.randint(0, 2))


def _added(source: Random, dim: int | None = None, twice: bool = False, view: bool = False) -> Case:
    """A case for index_add_, whose places are all different or not."""
    shape = draw.shape(source, 2, 7, (2, 2) if view else (2, 3))
    at = source.randrange(-len(shape), len(shape)) if dim is None else dim
    size = shape[at]
    places = (
        [source.randrange(size) for _ in range(size + 1)]  # one more than there are places: one comes twice
        if twice
        else source.sample(range(size), source.randint(1, size))
    )
    x = _view(source, shape) if view else _tensor(shape)
    return Case((x, at, _places(*places), _values(_with(shape, at, len(places)))))


INDEX_ADD = Exercise(
    id="07.index_add_",
    title="Add into places",
    stars=2,
    signature="index_add_(input, dim, index, source)",
    task="Add each slice of source into the slice of input that index names, and return input.",
    part="tensorlab.ops.indexing.index_select:index_add_",
    topics=(
        Topic(
            "each place once",
            2,
            "Slice k of source is added into slice index[k] of input. The other slices stay, and the input "
            "itself comes back.",
            _cases(
                (_tensor((1,)), 0, _places(0), _values((1,))),
                (_tensor((3,)), 0, _places(2), _values((1,))),
                (_tensor((3,)), 0, _places(2, 0), _values((2,))),
                (_tensor((3, 2)), 0, _places(1), _values((1, 2))),
                (_tensor((3, 2)), 0, _places(2, 0, 1), _values((3, 2))),
                (_tensor((3, 2), dtype=INT), 0, _places(1, 2), _values((2, 2), INT)),
                (
                    _tensor((1,), cells=[2**53], dtype=INT),
                    0,
                    _places(0),
                    _tensor((1,), cells=[1], dtype=INT, storage=3),
                ),
            ),
            lambda source: _added(source, dim=0),
        ),
        Topic(
            "a place that is named again",
            2,
            "It gets every slice that it is named for, one after the other, each sum in the dtype of input.",
            _cases(
                (_tensor((2,)), 0, _places(0, 0), _values((2,))),
                (_tensor((2,)), 0, _places(0, 1, 1, 0), _values((4,))),
                (_tensor((3,)), 0, _places(1, 1, 1), _values((3,))),
                (_tensor((3,)), 0, _places(2, 0, 2), _values((3,))),
                (_tensor((3, 2)), 0, _places(1, 1), _values((2, 2))),
                (_tensor((1,), cells=[2**24]), 0, _places(0, 0), _tensor((2,), cells=[1, 1], storage=3)),
            ),
            lambda source: _added(source, dim=0, twice=True),
        ),
        Topic(
            "another dimension",
            2,
            "dim says which dimension the index counts along. It may count from the end.",
            _cases(
                (_tensor((2, 3)), 1, _places(2), _values((2, 1))),
                (_tensor((2, 3)), 1, _places(2, 0), _values((2, 2))),
                (_tensor((2, 2)), 1, _places(1, 0), _values((2, 2))),
                (_tensor((2, 3)), -1, _places(0, 2, 0), _values((2, 3))),
                (_tensor((2, 3)), -1, _places(0, 2, 0, 1), _values((2, 4))),
                (_tensor((2, 3, 2)), 1, _places(2, 2), _values((2, 2, 2))),
                (_tensor((2, 3, 2)), -1, _places(1, 0), _values((2, 3, 2))),
                (_tensor((2, 3, 2)), -2, _places(1, 0), _values((2, 2, 2))),
            ),
            lambda source: _added(source, twice=source.random() < 0.5),
        ),
        Topic(
            "no places",
            1,
            "An index without places adds nothing, and the input comes back as it was.",
            _cases(
                (_tensor((3,)), 0, _places(), _values((0,))),
                (_tensor((2, 3)), 0, _places(), _values((0, 3))),
                (_tensor((2, 3)), 1, _places(), _values((2, 0))),
            ),
            lambda source: Case(
                (_tensor(shape := draw.shape(source, 1, 7, (1, 3))), 0, _places(), _values((0, *shape[1:])))
            ),
        ),
        Topic(
            "views",
            1,
            "The values are added into the cells that the input shows, wherever they lie in its storage.",
            _cases(
                (_tensor((2,), (2,), 1), 0, _places(1), _values((1,))),
                (_tensor((3, 2), (1, 3)), 0, _places(2, 0), _values((2, 2))),
                (_tensor((2, 2), (4, 1), 1), 1, _places(1, 1), _values((2, 2))),
                (_tensor((3, 2), (1, 3)), 1, _places(1, 1), _values((3, 2))),
                (_tensor((3, 2), (1, 3)), 1, _places(1, 1, 0), _values((3, 3))),
            ),
            lambda source: _added(source, source.randrange(2), twice=source.random() < 0.5, view=True),
        ),
    ),
    wrong=ch07_wrong_index_add.solutions.wrong_of("07.index_add_"),
    right=ch07_right.solutions.right_of("07.index_add_"),
)


def _index(source: Random, shape: Shape, dim: int, *, longer: bool = False, whole: bool = True) -> Strided:
    """An index along `dim` of a tensor of this shape.

    Args:
        longer: whether it may be longer than the tensor along `dim`.
        whole: whether it is as large as the tensor along the other dimensions, or perhaps smaller.
    """
    sizes = shape if whole else tuple(source.randint(1, size) for size in shape)
    of_index = _with(sizes, dim, source.randint(1, shape[dim] + 2 * longer))
    return _places(*(source.randrange(shape[dim]) for _ in range(layout.numel(of_index))), shape=of_index)


def _gathered(source: Random, dim: int, **sizes: bool) -> Case:
    shape = draw.shape(source, 2, 7, (2, 2))
    return Case((_tensor(shape), dim, _index(source, shape, dim, **sizes)))


def _gathered_anywhere(source: Random) -> Case:
    shape = draw.shape(source, 2, 7, (1, 3))
    dim = source.randrange(-len(shape), len(shape))
    return Case((_tensor(shape), dim, _index(source, shape, dim)))


def _gathered_view(source: Random) -> Case:
    shape, dim = draw.shape(source, 2, 7, (2, 2)), source.randrange(2)
    index = _index(source, shape, dim)
    turned = strided(index.shape, draw.loose(source, index.shape, zeros=False))
    cells = [source.randrange(shape[dim]) for _ in turned.cells]
    return Case((_view(source, shape), dim, _places(*cells, shape=index.shape, strides=turned.strides)))


GATHER = Exercise(
    id="07.gather",
    title="One place for each element",
    stars=3,
    signature="gather(input, dim, index)",
    task="Return a new tensor of index's shape: for each place of it the element of input that it names.",
    part="tensorlab.ops.indexing.gather_scatter:gather",
    topics=(
        Topic(
            "along the rows of a table",
            2,
            "For dimension 1 the element [i, j] of the answer is input[i, index[i, j]].",
            _cases(
                (_tensor((1, 2)), 1, _places(1, shape=(1, 1))),
                (_tensor((2, 2)), 1, _places(1, 0, shape=(2, 1))),
                (_tensor((2, 3)), 1, _places(2, 0, shape=(2, 1))),
                (_tensor((2, 3)), 1, _places(2, 0, 1, 1, shape=(2, 2))),
                (_tensor((2, 2), dtype=INT), 1, _places(1, 1, 0, 1, shape=(2, 2))),
            ),
            lambda source: _gathered(source, 1),
        ),
        Topic(
            "along the columns of a table",
            2,
            "For dimension 0 the element [i, j] of the answer is input[index[i, j], j].",
            _cases(
                (_tensor((2, 1)), 0, _places(1, shape=(1, 1))),
                (_tensor((2, 2)), 0, _places(1, 0, shape=(1, 2))),
                (_tensor((3, 2)), 0, _places(2, 0, shape=(1, 2))),
                (_tensor((3, 2)), 0, _places(2, 0, 1, 1, shape=(2, 2))),
                (_tensor((2, 2)), 0, _places(1, 1, 0, 1, shape=(2, 2))),
            ),
            lambda source: _gathered(source, 0),
        ),
        Topic(
            "any number of dimensions",
            2,
            "The index chooses along dim, which may count from the end. Everywhere else an element keeps its "
            "place.",
            _cases(
                (_tensor((3,)), 0, _places(2, 0)),
                (_tensor((3,)), -1, _places(1, 1, 1, 0)),
                (_tensor((2, 3)), -1, _places(2, 0, shape=(2, 1))),
                (_tensor((3, 2)), -2, _places(2, 0, shape=(1, 2))),
                (_tensor((2, 2, 2)), 0, _places(1, 0, 0, 1, shape=(1, 2, 2))),
                (_tensor((2, 3, 2)), 1, _places(2, 0, 1, 2, shape=(2, 1, 2))),
                (_tensor((2, 2, 3)), 2, _places(2, 0, 1, 2, shape=(2, 2, 1))),
                (_tensor((2, 2, 3)), -1, _places(1, 0, 2, 2, shape=(2, 2, 1))),
            ),
            _gathered_anywhere,
        ),
        Topic(
            "an index of another size",
            1,
            "The answer has the shape of the index. Along dim it may be longer than the input, elsewhere "
            "shorter; it may be empty.",
            _cases(
                (_tensor((3, 2)), 1, _places(1, shape=(1, 1))),
                (_tensor((3, 2)), 1, _places(1, 0, 0, 1, 1, 0, shape=(2, 3))),
                (_tensor((2, 3)), 0, _places(1, 0, 1, shape=(3, 1))),
                (_tensor((2, 3)), 0, _places(shape=(0, 3))),
            ),
            lambda source: _gathered(source, source.randrange(2), longer=True, whole=False),
        ),
        Topic(
            "views",
            1,
            "Both tensors may be turned, or begin inside their storage. Read their elements, not their "
            "cells.",
            _cases(
                (_tensor((3, 2), (1, 3)), 1, _places(1, 0, 1, shape=(3, 1))),
                (_tensor((2, 2), (3, 1), 1), 1, _places(1, 0, shape=(2, 1))),
                (_tensor((2, 3)), 1, _places(0, 1, 2, 1, shape=(2, 2), strides=(1, 2))),
            ),
            _gathered_view,
        ),
    ),
    wrong=ch07_wrong_gather.solutions.wrong_of("07.gather"),
    right=ch07_right.solutions.right_of("07.gather"),
)


def _scattered(source: Random, dim: int | None = None, *, twice: bool = True, larger: bool = False) -> Case:
    """A case for scatter_add.

    Args:
        dim: of a table; None for any dimension of any tensor.
        twice: whether places are named several times.
        larger: whether the values reach beyond the index.
    """
    shape = draw.shape(source, 2, 7, (1, 3) if dim is None else (2, 2))
    at = source.randrange(-len(shape), len(shape)) if dim is None else dim
    of_index = _with(shape, at, source.randint(2, 5) if twice else 1)
    index = _places(*(source.randrange(shape[at]) for _ in range(layout.numel(of_index))), shape=of_index)
    values = tuple(size + source.randint(0, 2) for size in of_index) if larger else of_index
    return Case((_tensor(shape), at, index, _values(values)))


def _into_a_view(source: Random) -> Case:
    shape, dim = draw.shape(source, 2, 7, (2, 2)), source.randrange(2)
    index = _index(source, shape, dim)
    return Case((_gaps(source, shape), dim, index, _values(index.shape)))


SCATTER_ADD = Exercise(
    id="07.scatter_add",
    title="The way back of gather",
    stars=3,
    signature="scatter_add(input, dim, index, src)",
    task="Return a copy of input into which each element of src is added at the place that index names.",
    part="tensorlab.ops.indexing.gather_scatter:scatter_add",
    topics=(
        Topic(
            "each place once",
            2,
            "For dimension 1, src[i, j] is added into [i, index[i, j]] of a copy. The rest is the input's.",
            _cases(
                (_tensor((1, 2)), 1, _places(1, shape=(1, 1)), _values((1, 1))),
                (_tensor((2, 2)), 1, _places(1, 0, shape=(2, 1)), _values((2, 1))),
                (_tensor((2, 3)), 1, _places(2, 0, shape=(2, 1)), _values((2, 1))),
                (_tensor((2, 3)), 1, _places(2, 0, 1, 2, shape=(2, 2)), _values((2, 2))),
                (_tensor((2, 2), dtype=INT), 1, _places(1, 0, shape=(2, 1)), _values((2, 1), INT)),
            ),
            lambda source: _scattered(source, 1, twice=False),
        ),
        Topic(
            "a place that is named again",
            2,
            "It gets every value. What gather has read twice, scatter_add adds twice.",
            _cases(
                (_tensor((1, 2)), 1, _places(0, 0, shape=(1, 2)), _values((1, 2))),
                (_tensor((2, 2)), 1, _places(1, 1, 0, 0, shape=(2, 2)), _values((2, 2))),
                (_tensor((2, 2)), 1, _places(1, 0, 1, 0, 0, 0, shape=(2, 3)), _values((2, 3))),
            ),
            lambda source: _scattered(source, 1),
        ),
        Topic(
            "any dimension",
            2,
            "The index chooses along dim, which may count from the end. Everywhere else a value keeps its "
            "place.",
            _cases(
                (_tensor((3,)), 0, _places(2, 0, 2), _values((3,))),
                (_tensor((2, 2)), 0, _places(1, 0, shape=(1, 2)), _values((1, 2))),
                (_tensor((3, 2)), 0, _places(2, 0, 2, 1, shape=(2, 2)), _values((2, 2))),
                (_tensor((2, 3)), -1, _places(2, 0, shape=(2, 1)), _values((2, 1))),
                (_tensor((3, 2)), -2, _places(2, 0, shape=(1, 2)), _values((1, 2))),
                (_tensor((2, 3, 2)), 1, _places(2, 0, 1, 2, shape=(2, 1, 2)), _values((2, 1, 2))),
                (_tensor((2, 2, 3)), -1, _places(2, 0, 1, 1, shape=(2, 2, 1)), _values((2, 2, 1))),
            ),
            _scattered,
        ),
        Topic(
            "more values than places",
            1,
            "The index decides how far it goes. Values beyond it are not looked at.",
            _cases(
                (_tensor((2, 2)), 1, _places(1, shape=(1, 1)), _values((1, 2))),
                (_tensor((2, 2)), 1, _places(1, 0, shape=(2, 1)), _values((2, 2))),
                (_tensor((2, 3)), 0, _places(1, 0, shape=(1, 2)), _values((2, 3))),
                (_tensor((2, 3)), 1, _places(shape=(2, 0)), _values((2, 3))),
            ),
            lambda source: _scattered(source, source.randrange(2), twice=False, larger=True),
        ),
        Topic(
            "views",
            1,
            "The input may begin inside its storage, with gaps after its rows. The copy has none, and the "
            "input stays as it was.",
            _cases(
                (_tensor((2, 2), (3, 1), 1), 1, _places(1, 0, shape=(2, 1)), _values((2, 1))),
                (_tensor((3,), (2,)), 0, _places(2, 2), _values((2,))),
                (
                    _tensor((2, 2)),
                    1,
                    _places(1, 1, 0, 0, shape=(2, 2), strides=(1, 2)),
                    _values((2, 2)),
                ),
            ),
            _into_a_view,
        ),
    ),
    wrong=ch07_wrong_scatter.solutions.wrong_of("07.scatter_add"),
    right=ch07_right.solutions.right_of("07.scatter_add"),
)
