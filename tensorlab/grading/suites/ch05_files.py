"""Chapter 5, *dtypes and interop*: the questions about what a file has to hold."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes
from tensorlab.core.layout import default_strides
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch05_right, ch05_wrong_files, draw

U8, I16, F32, I64 = dtypes.uint8, dtypes.int16, dtypes.float32, dtypes.int64


def _cases(*tensors: list[Strided]) -> tuple[Case, ...]:
    return tuple(Case((group,)) for group in tensors)


def _over(number: int, *layouts: tuple[Any, ...], cells: int = 6, dtype: dtypes.dtype = U8) -> list[Strided]:
    """Tensors over one storage, of which `number` is the number."""
    return [
        strided(shape, strides, offset, cells=cells, dtype=dtype, storage=number)
        for shape, strides, offset in layouts
    ]


def _in_pairs(number: int, *layouts: tuple[Any, ...], cells: int = 12) -> list[Strided]:
    """Tensors of int16 over a storage that `_over` makes of so many cells of uint8."""
    numbers = [low + 256 * (low + 1) for low in range(0, cells, 2)]
    return [strided(*layout, cells=numbers, dtype=I16, storage=number) for layout in layouts]


WHOLE, TAIL, TURNED = ((6,), (1,), 0), ((5,), (1,), 1), ((3, 2), (1, 3), 0)
EVERY_SECOND, ROWS = ((3,), (2,), 0), ((2, 3), (3, 1), 0)


def _random_views(source: Random, number: int, count: int) -> list[Strided]:
    layouts = [source.choice((WHOLE, TAIL, TURNED, EVERY_SECOND, ROWS)) for _ in range(count)]
    return _over(number, *layouts, dtype=source.choice((U8, I16)))


def _linked_tensors(source: Random) -> Case:
    """Views of one storage, now and then of two dtypes."""
    if source.random() < 0.5:
        return Case((_random_views(source, 1, source.randint(2, 4)),))
    whole, *views = source.choices((WHOLE, TAIL, TURNED, EVERY_SECOND, ROWS), k=3)
    return Case((_over(1, whole, cells=12) + _in_pairs(1, *views),))


def _shuffled(source: Random) -> Case:
    tensors = _random_views(source, 1, 2) + _random_views(source, 2, 2)
    source.shuffle(tensors)
    return Case((tensors,))


TAKE_APART = Exercise(
    id="05.take_apart",
    title="What has to be saved?",
    stars=3,
    signature="take_apart(tensors)",
    task="Return the bytes of each storage once, and for each tensor which storage it is and the other four "
    "facts.",
    part="tensorlab.io.plain:take_apart",
    topics=(
        Topic(
            "one tensor that fills its storage",
            2,
            "One storage and one record: its number 0, dtype, shape, strides and offset.",
            _cases(
                _over(1, ((2,), (1,), 0), cells=2),
                _over(1, WHOLE),
                _over(1, ROWS),
                _over(1, ROWS, dtype=I16),
                _over(1, WHOLE, dtype=F32),
                [],
            ),
            lambda source: Case(
                ([strided(draw.shape(source, 1, 3, (1, 3)), dtype=source.choice((U8, I16, F32, I64)))],)
            ),
        ),
        Topic(
            "one tensor that does not",
            2,
            "The storage is saved whole, with the cells that this tensor does not reach. Its strides and "
            "offset say which it does.",
            _cases(
                _over(1, EVERY_SECOND),
                _over(1, TAIL),
                _over(1, TURNED),
                _over(1, ((2,), (1,), 3)),
                _over(1, ((2, 2), (4, 1), 5), cells=12, dtype=I16),
            ),
            lambda source: Case(
                (_over(1, ((2, 2), (source.randint(2, 4), 1), source.randint(1, 3)), cells=9),)
            ),
        ),
        Topic(
            "several over one storage",
            3,
            "They share one storage, so it is saved once, and their records carry the same number, whatever "
            "their dtypes are.",
            _cases(
                _over(1, ROWS, ROWS),
                _over(1, WHOLE, TURNED),
                _over(1, ROWS, TURNED, EVERY_SECOND),
                _over(1, WHOLE, TAIL),
                _over(1, WHOLE, TAIL, dtype=I16),
                _over(1, TAIL, EVERY_SECOND, TAIL),
                _over(1, WHOLE, cells=12) + _in_pairs(1, TAIL),
            ),
            _linked_tensors,
        ),
        Topic(
            "several storages",
            1,
            "Number the storages in the order in which they first come up. Equal bytes do not make two "
            "storages one.",
            _cases(
                _over(1, WHOLE) + _over(2, WHOLE, cells=7),
                _over(1, WHOLE) + _over(2, WHOLE),
                _over(1, TURNED) + _over(2, WHOLE),
                _over(1, WHOLE, dtype=I16) + _over(2, ROWS) + _over(1, TAIL, dtype=I16),
                _over(2, TAIL, cells=8) + _over(1, WHOLE) + _over(2, WHOLE, cells=8) + _over(1, TAIL),
            ),
            _shuffled,
        ),
    ),
    wrong=ch05_wrong_files.solutions.wrong_of("05.take_apart"),
    right=ch05_right.solutions.right_of("05.take_apart"),
)


LINE = bytes(range(1, 13))


def _records(*layouts: tuple[Any, ...], number: int = 0, dtype: dtypes.dtype = U8) -> list[tuple[Any, ...]]:
    return [(number, dtype, *facts) for facts in layouts]


def _built(storages: list[bytes], records: list[tuple[Any, ...]]) -> Case:
    return Case((storages, records))


def _outside(source: Random) -> Case:
    """A record that reaches outside, and now and then good ones around it."""
    good = source.choices((WHOLE, TAIL, TURNED), k=2) if source.random() < 0.5 else []
    records = [*_records(*good), *_outsider(source)]
    source.shuffle(records)
    return _refused(records)


def _outsider(source: Random) -> list[tuple[Any, ...]]:
    if source.random() < 0.3:  # a single element
        ones = (1,) * source.randint(0, 2)
        return _records((ones, ones, source.randint(12, 15)))
    shape = draw.shape(source, 2, 3, (1, 2))
    cells = 12 - (default_strides(shape)[0] * shape[0]) + source.randint(1, 4)
    return _records((shape, default_strides(shape), cells))


def _refused(records: list[tuple[Any, ...]]) -> Case:
    return Case(([LINE], records), ("reaches outside its storage",))


def _linked(source: Random) -> Case:
    layouts = source.choices((WHOLE, TAIL, TURNED, EVERY_SECOND, ROWS), k=source.randint(2, 4))
    return _built([LINE], [(0, source.choice((U8, I16)), *facts) for facts in layouts])


def _mixed(source: Random) -> Case:
    records = [
        (source.randrange(3), U8, *source.choice((WHOLE, TAIL, TURNED, ROWS)))
        for _ in range(source.randint(2, 4))
    ]
    return _built([LINE, bytes(12), LINE[::-1]], records)


PUT_TOGETHER = Exercise(
    id="05.put_together",
    title="Views come back as views",
    stars=3,
    signature="put_together(storages, records)",
    task="Return the tensors that take_apart described. Those with the same storage number share one "
    "storage.",
    part="tensorlab.io.plain:put_together",
    topics=(
        Topic(
            "one tensor",
            2,
            "The bytes become a storage, and the record says how to look at it.",
            (
                _built([LINE], _records(((12,), (1,), 0))),
                _built([LINE], _records(((3, 4), (4, 1), 0))),
                _built([LINE], _records(((6,), (1,), 0), dtype=I16)),
                _built([bytes(8)], _records(((2,), (1,), 0), dtype=F32)),
                _built([b"\x00\x00\x80\x3f"], _records(((), (), 0), dtype=F32)),
            ),
            lambda source: _built([LINE], _records(((2, 3), (3, 1), 0), dtype=source.choice((U8, I16)))),
        ),
        Topic(
            "strides and an offset",
            2,
            "Shape, strides and offset are those of the record, counted in cells of its dtype.",
            (
                _built([LINE], _records(((4, 3), (1, 4), 0))),
                _built([LINE], _records(((3,), (2,), 1))),
                _built([LINE], _records(((2, 2), (3, 1), 1), dtype=I16)),
                _built([LINE], _records(((2, 3), (0, 1), 2))),
                _built([LINE], _records(((3, 0), (7, 1), 0))),
            ),
            lambda source: _built([LINE], _records(((2, 2), (1, source.randint(2, 3)), 1), dtype=I16)),
        ),
        Topic(
            "several over one storage",
            3,
            "Make each storage once. A write into one tensor then shows in the others, as before they were "
            "saved, whatever their dtypes are.",
            (
                _built([LINE], _records(WHOLE, WHOLE)),
                _built([LINE], _records(WHOLE, TURNED)),
                _built([LINE], _records(TAIL, ROWS, EVERY_SECOND)),
                _built([LINE], _records(WHOLE, TAIL, dtype=I16)),
                _built([LINE], _records(WHOLE) + _records(TAIL, dtype=I16)),
            ),
            _linked,
        ),
        Topic(
            "several storages",
            1,
            "The number says which storage. Equal bytes do not make two storages one.",
            (
                _built([LINE, bytes(12)], _records(WHOLE, number=1) + _records(WHOLE)),
                _built([LINE, LINE], _records(WHOLE) + _records(TAIL, number=1)),
                _built([LINE, LINE], _records(TURNED, number=1) + _records(TAIL) + _records(ROWS, number=1)),
            ),
            _mixed,
        ),
        Topic(
            "a record that reaches outside",
            1,
            "A file can be damaged. If any tensor would read past its storage, raise RuntimeError.",
            (
                _refused(_records(((13,), (1,), 0))),
                _refused(_records(((12,), (1,), 1))),
                _refused(_records(((1,), (1,), 12))),
                _refused(_records(((), (), 12))),
                _refused(_records(((3,), (6,), 0))),
                _refused(_records(((7,), (1,), 0), dtype=I16)),
                _refused(_records(((13,), (1,), 0), WHOLE)),
                _refused(_records(WHOLE, ((13,), (1,), 0))),
            ),
            _outside,
        ),
    ),
    wrong=ch05_wrong_files.solutions.wrong_of("05.put_together"),
    right=ch05_right.solutions.right_of("05.put_together"),
)
