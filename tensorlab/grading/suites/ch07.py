"""Chapter 7, *Reductions, indexing, randomness*: the questions about ints alone.

Those about tensors are in `ch07_reductions` and `ch07_places`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch07_right, ch07_wrong_layout, ch07_wrong_words, draw
from tensorlab.grading.suites.ch07_places import GATHER, INDEX_ADD, SCATTER_ADD
from tensorlab.grading.suites.ch07_reductions import ARGMAX, NORMALIZE


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _some_dims(source: Random, least: int, signs: bool = False) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape, and at least so many of its dimensions in any order; with `signs`, some from the end."""
    shape = draw.shape(source, 2, 5, (max(least, 2), 4))
    dims = source.sample(range(len(shape)), source.randint(least, len(shape)))
    return shape, tuple(dim - len(shape) if signs and source.random() < 0.5 else dim for dim in dims)


def _named_twice(source: Random) -> Case:
    shape, dims = _some_dims(source, 1)
    again = source.choice(dims) - len(shape)
    return Case((shape, (*dims, again)), ("appears multiple times",))


FOLD_LAYOUT = Exercise(
    id="07.fold_layout",
    title="Where does each element go?",
    stars=2,
    signature="fold_layout(shape, dims, keepdim=False)",
    task="Return the shape that is left when dims are added along, and the strides that lead each element to "
    "its cell of the result.",
    part="tensorlab.core.fold_rules:fold_layout",
    topics=(
        Topic(
            "one dimension goes",
            2,
            "The size that is named goes. The others keep their order, have the strides of a new tensor of "
            "what is left, and the dimension that goes has the stride 0.",
            _cases(
                ((3,), (0,)),
                ((2, 3), (0,)),
                ((2, 3), (1,)),
                ((2, 3, 4), (0,)),
                ((2, 3, 4), (1,)),
                ((2, 3, 4), (2,)),
                ((2, 2, 3), (2,)),
            ),
            lambda source: Case((shape := draw.shape(source, 2, 5, (2, 4)), (source.randrange(len(shape)),))),
        ),
        Topic(
            "several dimensions go, or none",
            2,
            "Each name counts in the shape that came in, whatever goes before it. Where nothing is named, "
            "nothing goes.",
            _cases(
                ((2, 3), (0, 1)),
                ((2, 3), (1, 0)),
                ((2, 3), ()),
                ((2, 3, 4), (0, 1)),
                ((2, 3, 4), (0, 2)),
                ((2, 3, 4), (1, 2)),
                ((2, 3, 4, 5), (1, 2)),
                ((2, 3, 4, 5), (3, 0)),
            ),
            lambda source: Case(_some_dims(source, 2)),
        ),
        Topic(
            "keepdim",
            2,
            "With keepdim a dimension stays in its place, with size 1. No cell moves: the strides are those "
            "without it.",
            _cases(
                ((3,), (0,), True),
                ((2, 3), (0,), True),
                ((2, 3), (1,), True),
                ((2, 3, 4), (1,), True),
                ((2, 3, 4), (0, 2), True),
                ((2, 3, 4), (), True),
            ),
            lambda source: Case((*_some_dims(source, 1), True)),
        ),
        Topic(
            "counted from the end",
            1,
            "-1 is the last dimension, -2 the one before it.",
            _cases(
                ((2, 3), (-1,)),
                ((2, 3), (-2,)),
                ((2, 3, 4), (-1, 0)),
                ((2, 3, 4), (-3, -1)),
                ((2, 3, 4), (-1, -2)),
                ((2, 3), (-1,), True),
            ),
            lambda source: Case((*_some_dims(source, 1, signs=True), source.random() < 0.5)),
        ),
        Topic(
            "sizes of 1 and of 0",
            1,
            "They are sizes like all others. What is not named stays, and a new tensor's strides are those "
            "of layout.default_strides.",
            _cases(
                ((1,), (0,)),
                ((1, 3), (1,)),
                ((3, 1), (0,)),
                ((2, 1, 3), (2,)),
                ((2, 1, 3), (0,), True),
                ((2, 0, 3), (1,)),
                ((2, 0, 3), (2,)),
                ((2, 0, 3), (0,)),
                ((), ()),
            ),
            lambda source: Case(
                (
                    shape := draw.mixed_shape(source, source.choice((0, 1, 1))),
                    (source.randrange(len(shape)),),
                )
            ),
        ),
        Topic(
            "dimensions that cannot go",
            1,
            "A dimension goes once, by whichever name, and must exist.",
            (
                Case(((2, 3), (0, 0)), ("appears multiple times",)),
                Case(((2, 3), (1, -1)), ("appears multiple times",)),
                Case(((2, 3, 4), (0, 1, -3)), ("appears multiple times",)),
                Case(((2, 3), (2,)), ("dimension out of range",)),
                Case(((2, 3), (-3,)), ("dimension out of range",)),
                Case(((2, 3, 4), (0, 3)), ("dimension out of range",)),
            ),
            _named_twice,
        ),
    ),
    wrong=ch07_wrong_layout.solutions.wrong_of("07.fold_layout"),
    right=ch07_right.solutions.right_of("07.fold_layout"),
)


FAR = 4 * 2**32  # the first word whose block does not fit into one word of the counter


def _seed(source: Random) -> int:
    return source.randrange(1, 2**32)


STREAM_WORDS = Exercise(
    id="07.stream_words",
    title="Any part of a stream, alone",
    stars=4,
    signature="stream_words(seed, start, count)",
    task="Return words start to start + count - 1 of the stream of a seed, as a list of ints.",
    part="tensorlab.random.counter:stream_words",
    topics=(
        Topic(
            "whole blocks from the beginning",
            2,
            "Block b is tl.random.philox_block of the counter (b, 0, 0, 0) under the key (seed, 0). The "
            "stream is one block after the other.",
            _cases((0, 0, 4), (8, 0, 4), (8, 0, 8), (1, 0, 12)),
            lambda source: Case((_seed(source), 0, 4 * source.randint(1, 4))),
        ),
        Topic(
            "any number of words",
            1,
            "The last block may be needed in part, or no block at all.",
            _cases((8, 0, 1), (8, 0, 3), (8, 0, 5), (8, 0, 11), (8, 0, 0)),
            lambda source: Case((_seed(source), 0, 4 * source.randint(0, 3) + source.randint(1, 3))),
        ),
        Topic(
            "from a later block on",
            1,
            "start counts words. Four of them are one block.",
            _cases((8, 4, 4), (8, 8, 4), (8, 4, 8), (8, 12, 2)),
            lambda source: Case((_seed(source), 4 * source.randint(1, 1000), 4 * source.randint(1, 3))),
        ),
        Topic(
            "from inside a block on",
            2,
            "The first block may be needed in part, too: of its four words start % 4 are left out.",
            _cases((8, 1, 1), (8, 1, 3), (8, 2, 4), (8, 3, 2), (8, 6, 3), (8, 7, 8), (8, 5, 0), (8, 3, 1)),
            lambda source: Case(
                (_seed(source), 4 * source.randint(0, 1000) + source.randint(1, 3), source.randint(1, 12))
            ),
        ),
        Topic(
            "a seed with more than 32 bits",
            1,
            "The key is two words: the lower 32 bits of the seed, then the upper ones.",
            _cases((2**32, 0, 4), (2**32 + 8, 0, 4), (2**63 + 5, 0, 4), (2**64 - 1, 2, 3)),
            lambda source: Case((source.randrange(2**32, 2**64), source.randint(0, 9), source.randint(1, 6))),
        ),
        Topic(
            "far away",
            2,
            "The number of the block fills two words of the counter: its lower 32 bits, then the upper ones. "
            "What lies before is never computed.",
            _cases(
                (8, 4_000_002, 1),
                (8, FAR, 4),
                (8, FAR + 1, 2),
                (8, FAR - 2, 4),
                (8, 5 * FAR + 3, 6),
                (8, 2**60, 3),
                (8, 2**60 - 5, 7),
            ),
            lambda source: Case((_seed(source), source.randrange(FAR, 2**60), source.randint(1, 9))),
        ),
    ),
    wrong=ch07_wrong_words.solutions.wrong_of("07.stream_words"),
    right=ch07_right.solutions.right_of("07.stream_words"),
)

EXERCISES = (FOLD_LAYOUT, ARGMAX, NORMALIZE, INDEX_ADD, GATHER, SCATTER_ADD, STREAM_WORDS)
