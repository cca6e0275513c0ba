"""Chapter 4, *view, reshape, contiguous*: the questions about shapes and strides alone.

Those about tensors are in `ch04_tensors`, the hardest one is in `ch04_views`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import layout
from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch04_right, ch04_wrong_axes, ch04_wrong_sizes, draw
from tensorlab.grading.suites.ch04_tensors import CONTIGUOUS, FLATTEN, RESHAPE
from tensorlab.grading.suites.ch04_views import VIEW_STRIDES


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _with_zeros(source: Random) -> Case:
    """Two or three neighbours of stride 0, and something dense inside or around them."""
    shape = draw.shape(source, 2, 4, (2, 3))
    zeros = source.randint(1, len(shape))
    if source.random() < 0.5:
        return Case((shape, (0,) * zeros + default_strides(shape[zeros:])))
    return Case((shape, default_strides(shape[:-zeros]) + (0,) * zeros))


MERGE_AXES = Exercise(
    id="04.merge_axes",
    title="Which dimensions are one?",
    stars=2,
    signature="merge_axes(shape, strides)",
    task="Return shape and strides of the same elements in the same order, with as few dimensions as "
    "possible.",
    part="tensorlab.core.layout:merge_axes",
    topics=(
        Topic(
            "row after row",
            2,
            "All steps of the inner dimension together are one step of the outer one, so the two are one.",
            _cases(
                ((2,), (1,)),
                ((2, 3), (3, 1)),
                ((4, 2), (2, 1)),
                ((3, 3), (3, 1)),
                ((2, 3, 4), (12, 4, 1)),
                ((2, 2, 2, 3), (12, 6, 3, 1)),
            ),
            lambda source: Case((shape := draw.shape(source, 2, 5, (2, 4)), default_strides(shape))),
        ),
        Topic(
            "dimensions that stay apart",
            2,
            "Where the outer stride is not the inner stride times the inner size, there is a jump between "
            "the "
            "rows, and the dimensions stay apart.",
            _cases(
                ((2, 2), (1, 2)),
                ((3, 2), (1, 3)),
                ((2, 3), (4, 1)),
                ((2, 2), (3, 1)),
                ((3, 2, 4), (4, 12, 1)),
                ((2, 3, 4), (24, 4, 1)),
                ((2, 3, 4), (16, 4, 1)),
                ((4, 2, 3), (1, 12, 4)),
                ((2, 2, 2), (8, 4, 1)),
                ((2, 2, 2, 3), (24, 6, 3, 1)),
            ),
            lambda source: Case(draw.loose_layout(source, zeros=False)),
        ),
        Topic(
            "any stride may be the step",
            1,
            "A merged dimension steps as its innermost one did. That step may be 2, or 8: gaps that are all "
            "alike do not matter.",
            _cases(
                ((3,), (2,)), ((2, 3), (6, 2)), ((3, 2), (8, 4)), ((2, 3, 4), (36, 12, 3)), ((2, 2), (4, 4))
            ),
            lambda source: Case((shape := draw.shape(source, 2, 4, (2, 3)), _spread(source, shape))),
        ),
        Topic(
            "a stride of 0",
            1,
            "The rule holds for 0 as well: 0 = 0 · size merges, and a stride of 0 beside another one does "
            "not.",
            _cases(
                ((3,), (0,)),
                ((2, 3), (0, 0)),
                ((2, 3), (0, 1)),
                ((2, 3), (1, 0)),
                ((2, 3), (3, 0)),
                ((2, 2, 2), (0, 0, 0)),
                ((2, 3, 4), (0, 4, 1)),
                ((2, 2, 3), (0, 0, 1)),
            ),
            _with_zeros,
        ),
        Topic(
            "a size of 1",
            1,
            "A dimension of size 1 takes no step. Its stride says nothing, and it goes before its neighbours "
            "are compared.",
            _cases(
                ((1,), (5,)),
                ((1, 1), (7, 5)),
                ((3, 1), (1, 7)),
                ((1, 3), (7, 1)),
                ((2, 1, 3), (3, 9, 1)),
                ((2, 1, 3), (4, 4, 1)),
                ((2, 1, 2), (1, 5, 2)),
                ((2, 1, 2), (4, 9, 2)),
                ((2, 1, 3), (0, 5, 1)),
                ((2, 1, 2, 2), (4, 5, 2, 1)),
                ((2, 1, 2, 2), (8, 5, 4, 1)),
                ((2, 1, 2, 3), (12, 7, 3, 1)),
            ),
            lambda source: Case(draw.layout_with_ones(source)),
        ),
        Topic(
            "no dimensions",
            1,
            "Shape () has nothing to merge: the answer is ((), ()), a pair of empty tuples.",
            _cases(((), ())),
            lambda source: Case(((), ())),
        ),
    ),
    wrong=ch04_wrong_axes.solutions.wrong_of("04.merge_axes"),
    right=ch04_right.solutions.right_of("04.merge_axes"),
)


def _spread(source: Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    step = source.randint(2, 5)
    return tuple(step * stride for stride in default_strides(shape))


_FITS_NOT = "is invalid for input of size"
_TWO_UNKNOWN = "only one dimension can be inferred"
_BELOW = "invalid shape dimension"
_ANY_VALUE = "can be any value"


def _refused(sizes: tuple[int, ...], count: int, says: str) -> Case:
    others = {_FITS_NOT, _TWO_UNKNOWN, _BELOW, _ANY_VALUE} - {says}
    return Case((sizes, count), (says,), tuple(sorted(others)))


def _one_unknown(source: Random, wrong: bool = False) -> Case:
    """One size of -1; with `wrong`, the others do not divide the number of elements."""
    shape = list(draw.shape(source, 2, 9, (2, 4)))
    count = layout.numel(tuple(shape))
    shape[source.randrange(len(shape))] = -1
    if not wrong:
        return Case((tuple(shape), count))
    known = layout.numel(tuple(size for size in shape if size != -1))
    return _refused(tuple(shape), count + source.randrange(1, known), _FITS_NOT)


def _too_many(source: Random) -> Case:
    shape = draw.shape(source, 2, 9, (2, 4))
    return _refused(shape, layout.numel(shape) + source.choice((-1, 1, 2)), _FITS_NOT)


def _no_elements(source: Random) -> Case:
    """A size of -1 beside a 0 could be anything; beside other sizes it is 0."""
    shape = list(draw.shape(source, 1, 5, (1, 3)))
    place = source.randint(0, len(shape))
    if source.random() < 0.5:
        return Case(((*shape[:place], -1, *shape[place:]), 0))
    shape[source.randrange(len(shape))] = 0
    return _refused((*shape[:place], -1, *shape[place:]), 0, _ANY_VALUE)


INFER_SIZE = Exercise(
    id="04.infer_size",
    title="What does -1 stand for?",
    stars=2,
    signature="infer_size(shape, count)",
    task="Return the shape as a tuple, its one -1 replaced so that it has `count` elements, or refuse it.",
    part="tensorlab.core.layout:infer_size",
    topics=(
        Topic(
            "one size of -1",
            2,
            "The other sizes are known. What they multiply to, divides the number of elements.",
            _cases(
                ((-1,), 6),
                ((2, -1), 6),
                ((-1, 2), 6),
                ((3, -1), 12),
                ((2, -1, 3), 12),
                ((12, -1), 12),
                ((-1, 1), 1),
                ((3, -1), 3**41),
            ),
            _one_unknown,
        ),
        Topic(
            "all sizes given",
            1,
            "Without a -1 nothing is inferred. The sizes have to multiply to the number of elements.",
            _cases(((6,), 6), ((2, 3), 6), ((), 1), ((1, 1), 1), ((2, 0), 0), ((3**20, 3**21), 3**41)),
            lambda source: Case((shape := draw.shape(source, 1, 9), layout.numel(shape))),
        ),
        Topic(
            "sizes that do not fit",
            2,
            "A view neither makes nor drops an element. A shape with another number of them is refused.",
            (
                _refused((5,), 6, _FITS_NOT),
                _refused((2, 2), 6, _FITS_NOT),
                _refused((2, 4), 6, _FITS_NOT),
                _refused((), 6, _FITS_NOT),
                _refused((4, -1), 6, _FITS_NOT),
                _refused((-1, 12), 6, _FITS_NOT),
                _refused((3, 0), 6, _FITS_NOT),
                _refused((0, -1), 6, _FITS_NOT),
                _refused((2**32, 2**32), 0, _FITS_NOT),
            ),
            lambda source: source.choice((_too_many, lambda s: _one_unknown(s, wrong=True)))(source),
        ),
        Topic(
            "no elements",
            2,
            "0 elements beside a known product of 0: every size fits, so none can be inferred. Beside any "
            "other "
            "product it is 0.",
            (
                Case(((-1,), 0)),
                Case(((-1, 3), 0)),
                Case(((2, -1), 0)),
                _refused((0, -1), 0, _ANY_VALUE),
                _refused((-1, 0), 0, _ANY_VALUE),
                _refused((2, -1, 0), 0, _ANY_VALUE),
            ),
            _no_elements,
        ),
        Topic(
            "more than one -1, or less than -1",
            1,
            "Two unknown sizes have many answers. And only -1 means 'unknown'; no size is -2.",
            (
                _refused((-1, -1), 6, _TWO_UNKNOWN),
                _refused((2, -1, -1), 12, _TWO_UNKNOWN),
                _refused((-2,), 6, _BELOW),
                _refused((-2, 3), 6, _BELOW),
                _refused((-2, -3), 6, _BELOW),
            ),
            lambda source: _refused(*_hopeless(source)),
        ),
    ),
    wrong=ch04_wrong_sizes.solutions.wrong_of("04.infer_size"),
    right=ch04_right.solutions.right_of("04.infer_size"),
)


def _hopeless(source: Random) -> tuple[tuple[int, ...], int, str]:
    shape = list(draw.shape(source, 2, 4, (2, 4)))
    count = layout.numel(tuple(shape))
    if source.random() < 0.5:
        for place in source.sample(range(len(shape)), 2):
            shape[place] = -1
        return tuple(shape), count, _TWO_UNKNOWN
    shape[source.randrange(len(shape))] *= -1
    return tuple(shape), count, _BELOW


EXERCISES = (MERGE_AXES, INFER_SIZE, CONTIGUOUS, RESHAPE, FLATTEN, VIEW_STRIDES)
