"""Chapter 5, *dtypes and interop*: the questions about the dtype in which operands meet.

They are small programs, for one of the operands is set beforehand: the default dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch05_right, ch05_wrong_types

BOOL, U8, I8, I16, I32, I64 = dtypes.bool, dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64
F16, BF16, F32, F64 = dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64
FLOATS, INTS = (F16, BF16, F32, F64), (U8, I8, I16, I32, I64)


def _table(element_type: dtype, size: int = 2) -> str:
    """An operand of one dimension, as a program makes it."""
    return f"tl.ones({size}, dtype=tl.{element_type.name})"


def _single(element_type: dtype, value: int = 1) -> str:
    """An operand without dimensions."""
    return f"tl.tensor({value}, dtype=tl.{element_type.name})"


def _call(operands: Sequence[Any]) -> str:
    """A call with these operands: tensors as they are made, and Python numbers."""
    return f"result_type({', '.join(x if isinstance(x, str) else repr(x) for x in operands)})"


def _meet(*operands: Any) -> Case:
    return Case((_call(operands),))


def _meet_by_default(default: dtype, *operands: Any) -> Case:
    """The same under another default dtype, which is float32 again after it."""
    lines = (
        f"tl.set_default_dtype(tl.{default.name})",
        f"met = {_call(operands)}",
        "tl.set_default_dtype(tl.float32)",
        "met",
    )
    return Case(("\n".join(lines),))


def _meetings(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(_meet(*call) for call in calls)


def _number(source: Random) -> Any:
    return source.choice((True, source.randint(-5, 2000), source.randint(1, 9) / 4))


def _two_tables(source: Random, first: tuple[dtype, ...], second: tuple[dtype, ...]) -> Case:
    operands = [_table(source.choice(first)), _table(source.choice(second))]
    source.shuffle(operands)
    return _meet(*operands)


def _beside_a_number(source: Random) -> Case:
    """A table and a number; one time in four under another default dtype."""
    table, number = _table(source.choice(dtypes.ALL)), _number(source)
    if source.random() < 0.25:
        return _meet_by_default(source.choice((F64, F16)), table, number)
    return _meet(table, number)


def _beside(source: Random, table: str) -> Case:
    """A tensor with dimensions, and one without or one of a single element."""
    of = source.choice(dtypes.ALL)
    return _meet(table, _table(of, source.randint(0, 1)) if source.random() < 0.3 else _single(of))


def _crowd(source: Random) -> Case:
    """Operands of all three groups, of some several, in any order."""
    tables = [_table(source.choice(dtypes.ALL)) for _ in range(source.randint(1, 3))]
    singles = [_single(source.choice(dtypes.ALL)) for _ in range(source.randint(0, 3))]
    operands = [*tables, *singles, _number(source)]
    source.shuffle(operands)
    return _meet(*operands)


RESULT_TYPE = Exercise(
    id="05.result_type",
    title="Which dtype does the sum have?",
    stars=3,
    signature="result_type(*operands)",
    task="Return the dtype that the operands promote to: tensors with dimensions, without, and "
    "Python numbers.",
    part="tensorlab.dispatch.operands:result_type",
    topics=(
        Topic(
            "tensors of one category",
            2,
            "tl.promote_types gives the dtype that two promote to.",
            _meetings(
                (_table(F32), _table(F32)),
                (_table(F32), _table(F64)),
                (_table(I32), _table(I8)),
                (_table(U8), _table(I8)),
                (_table(F16), _table(BF16)),
                (_table(BOOL), _table(BOOL)),
                (_table(I16),),
            ),
            lambda source: _two_tables(source, *(source.choice(((INTS, INTS), (FLOATS, FLOATS))))),
        ),
        Topic(
            "a float beside an integer",
            2,
            "The float decides alone, however wide the integer is: int64 and float16 give float16.",
            _meetings(
                (_table(I64), _table(F32)),
                (_table(F32), _table(I64)),
                (_table(I64), _table(F16)),
                (_table(I32), _table(F32)),
                (_table(BOOL), _table(U8)),
                (_table(F16), _table(BOOL)),
            ),
            lambda source: _two_tables(source, (I32, I64, I16), (F16, BF16, F32)),
        ),
        Topic(
            "a tensor without dimensions",
            2,
            "Several of them promote among themselves like any others. Beside a tensor with dimensions one "
            "raises the category and nothing else: it counts only when its category is higher, and then with "
            "its own dtype. A tensor of shape (1,) has a dimension, though only one element.",
            _meetings(
                (_table(I8), _single(I64, 1000)),
                (_single(I64, 1000), _table(I8)),
                (_table(F32), _single(F64)),
                (_table(F16), _single(I64)),
                (_table(I64), _single(F16)),
                (_table(I8), _single(F64)),
                (_table(BOOL), _single(U8)),
                (_table(I8), _table(I64, 1)),
                (_table(I64, 0), _table(I8)),
                (_table(F32), _table(I64, 1)),
                (_single(I8), _single(I64)),
                (_single(F32), _single(I64)),
            ),
            lambda source: _beside(source, _table(source.choice(dtypes.ALL))),
        ),
        Topic(
            "a Python number",
            2,
            "A number raises the category too. An int brings int64, a bool bool, and a float the default "
            "dtype, which is float32 until tl.set_default_dtype changes it.",
            (
                *_meetings(
                    (_table(I8), 1000),
                    (_table(F64), 0.5),
                    (_table(F16), 2.5),
                    (_table(F16), 3),
                    (_table(I64), 0.5),
                    (_table(I8), 0.5),
                    (_table(BOOL), 1),
                    (_table(U8), True),
                    (_table(BOOL), True),
                    (0.5, _table(I32)),
                ),
                _meet_by_default(F64, _table(I64), 0.5),
                _meet_by_default(F64, _table(F32), 0.5),
                _meet_by_default(F16, _table(BOOL), 0.5),
            ),
            _beside_a_number,
        ),
        Topic(
            "several at once",
            1,
            "There are three groups: tensors with dimensions, tensors without, numbers. Each is promoted "
            "within itself, all of its members, and then they are asked in this order.",
            _meetings(
                (_single(I8), 1000),
                (_single(F16), 0.5),
                (_single(BOOL), 0.5),
                (1, 2.5),
                (True, 2),
                (_table(I8), _single(I64), 0.5),
                (_table(I8), _single(I64), 7),
                (_table(BOOL), _single(BOOL), True),
                (_table(U8), _table(I8), 3),
                (_table(BOOL), _single(I16), 1000),
                (_table(I8), _single(F64), 0.5),
                (_single(I8), _single(U8), _table(BOOL)),
                (_table(U8), _table(I8), _table(I32)),
                (_table(F32), _table(I64), 3),
                (_single(F16), _single(F32), 0.5, _single(F64)),
            ),
            _crowd,
        ),
    ),
    wrong=ch05_wrong_types.solutions.wrong_of("05.result_type"),
    right=ch05_right.solutions.right_of("05.result_type"),
    programs=True,
)
