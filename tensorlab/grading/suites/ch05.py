"""Chapter 5, *dtypes and interop*: the questions about dtypes and about the bits of a float.

Those about files are in `ch05_files`.
"""

from __future__ import annotations

import struct
from random import Random
from typing import Any

from tensorlab import dtypes, layout
from tensorlab.dtypes import dtype
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch05_right, ch05_wrong_bits, ch05_wrong_casts, ch05_wrong_types, draw
from tensorlab.grading.suites.ch05_files import PUT_TOGETHER, TAKE_APART

BOOL, U8, I8, I16, I32, I64 = dtypes.bool, dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64
F16, BF16, F32, F64 = dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64
FLOATS, INTS = (F16, BF16, F32, F64), (U8, I8, I16, I32, I64)


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


CAN_CAST = Exercise(
    id="05.can_cast",
    title="May it be written in place?",
    stars=1,
    signature="can_cast(from_, to)",
    task="Return whether a result of dtype from_ may be written into a tensor of dtype to.",
    part="tensorlab.ops.casts:can_cast",
    topics=(
        Topic(
            "the same category",
            1,
            "Floats may go into floats and integers into integers, of any width. Digits or range may be "
            "lost, the category "
            "is kept.",
            _cases(
                (F32, F32),
                (F32, F64),
                (F64, F16),
                (F64, F32),
                (I8, I64),
                (I64, I8),
                (I64, U8),
                (U8, I8),
                (BOOL, BOOL),
            ),
            lambda source: Case(tuple(source.choice(source.choice(((FLOATS), (INTS)))) for _ in "a") * 2),
        ),
        Topic(
            "to a higher category",
            1,
            "bool below integer below float: upwards everything may go, also from a wide dtype into a narrow "
            "one.",
            _cases((I8, F32), (I64, F16), (I64, F32), (BOOL, I8), (BOOL, F16), (U8, F64), (BOOL, U8)),
            lambda source: Case((source.choice(INTS), source.choice(FLOATS))),
        ),
        Topic(
            "to a lower category",
            2,
            "A float may not become an integer in place, and no number a bool: what is lost then is not a "
            "digit but "
            "the meaning.",
            _cases((F32, I64), (F16, I64), (F32, I8), (F64, I32), (I64, BOOL), (U8, BOOL), (F32, BOOL)),
            lambda source: Case(
                source.choice(((source.choice(FLOATS), source.choice(INTS)), (source.choice(INTS), BOOL)))
            ),
        ),
    ),
    wrong=ch05_wrong_types.solutions.wrong_of("05.can_cast"),
    right=ch05_right.solutions.right_of("05.can_cast"),
)


def _table(element_type: dtype) -> Strided:
    """An operand of one dimension."""
    return strided((2,), cells=[0, 1], dtype=element_type)


def _single(element_type: dtype, value: int = 1) -> Strided:
    """An operand without dimensions."""
    return strided((), cells=[value], dtype=element_type)


def _number(source: Random) -> Any:
    return source.choice((True, source.randint(-5, 2000), source.randint(1, 9) / 4))


def _two_tables(source: Random, first: tuple[dtype, ...], second: tuple[dtype, ...]) -> Case:
    operands = [_table(source.choice(first)), _table(source.choice(second))]
    source.shuffle(operands)
    return Case(tuple(operands))


RESULT_TYPE = Exercise(
    id="05.result_type",
    title="Which dtype has the sum?",
    stars=3,
    signature="result_type(*operands)",
    task="Return the dtype in which the operands meet: tensors with dimensions, without, and Python numbers.",
    part="tensorlab.ops.operands:result_type",
    topics=(
        Topic(
            "tensors of one category",
            2,
            "tl.promote_types says where two dtypes meet.",
            _cases(
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
            "The float decides alone, however wide the integer is: int64 and float16 meet in float16.",
            _cases(
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
            "Beside a tensor with dimensions it raises the category and nothing else: it counts only when "
            "its "
            "category is "
            "higher, and then with its own dtype.",
            _cases(
                (_table(I8), _single(I64, 1000)),
                (_single(I64, 1000), _table(I8)),
                (_table(F32), _single(F64)),
                (_table(F16), _single(I64)),
                (_table(I64), _single(F16)),
                (_table(I8), _single(F64)),
                (_table(BOOL), _single(U8)),
                (_single(I8), _single(I64)),
                (_single(F32), _single(I64)),
            ),
            lambda source: Case(
                (
                    _table(source.choice(dtypes.ALL)),
                    _single(source.choice(dtypes.ALL)),
                )
            ),
        ),
        Topic(
            "a Python number",
            2,
            "A number raises the category too. An int brings int64, a float the default dtype float32, a "
            "bool "
            "bool.",
            _cases(
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
            lambda source: Case((_table(source.choice(dtypes.ALL)), _number(source))),
        ),
        Topic(
            "several at once",
            1,
            "There are three groups: tensors with dimensions, tensors without, numbers. Each is promoted "
            "within "
            "itself, and then they are asked in this order.",
            _cases(
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
            ),
            lambda source: Case(
                (_number(source), _single(source.choice(dtypes.ALL)), _table(source.choice(dtypes.ALL)))
            ),
        ),
    ),
    wrong=ch05_wrong_types.solutions.wrong_of("05.result_type"),
    right=ch05_right.solutions.right_of("05.result_type"),
)


def _cast_case(source: Random, first: tuple[dtype, ...], second: tuple[dtype, ...]) -> Case:
    """A dense tensor, with quarters and negative numbers where its dtype has them."""
    element_type = source.choice(first)
    shape = draw.shape(source, 2, 3, (1, 3))
    numbers = [source.randint(-400, 400) / 4 for _ in range(layout.numel(shape))]
    if element_type in INTS:
        numbers = [abs(int(number)) for number in numbers]
    return Case((strided(shape, cells=numbers, dtype=element_type), source.choice(second)))


def _floats(
    *numbers: float, shape: tuple[int, ...] | None = None, strides: Any = None, dtype: dtype = F32
) -> Strided:
    return strided(shape or (len(numbers),), strides, cells=numbers, dtype=dtype)


CAST = Exercise(
    id="05.cast",
    title="The same numbers in another dtype",
    stars=2,
    signature="cast(input, dtype)",
    task="Return the input itself if it has this dtype, else a copy with its elements in this dtype.",
    part="tensorlab.ops.conversion:cast",
    topics=(
        Topic(
            "to a dtype that holds the numbers",
            2,
            "The same numbers in other cells, in a storage of their own.",
            _cases(
                (_floats(1.0, 2.0), F64),
                (_floats(0.5, -1.25), F64),
                (_floats(1.0, 0.0, 3.0), I64),
                (strided((3,), dtype=I64), F32),
                (strided((2, 3), dtype=U8), I32),
                (strided((), dtype=F32), F64),
            ),
            lambda source: _cast_case(source, (U8, I16), (I32, F32, F64)),
        ),
        Topic(
            "the dtype that it has",
            2,
            "Nothing has to be done. The input comes back, the very object.",
            _cases(
                (_floats(1.0, 2.0), F32),
                (strided((2, 3), dtype=I64), I64),
                (strided((3, 2), (1, 3), dtype=F64), F64),
                (strided((2,), cells=[0, 1], dtype=BOOL), BOOL),
            ),
            lambda source: Case((strided((3, 2), (1, 4), dtype=(t := source.choice(FLOATS + INTS))), t)),
        ),
        Topic(
            "a float becomes an integer",
            1,
            "The fraction is dropped, towards zero: 1.9 becomes 1, and -1.9 becomes -1.",
            _cases(
                (
                    _floats(
                        1.9,
                    ),
                    I64,
                ),
                (_floats(0.5, 1.5, 2.5), I32),
                (_floats(-1.9, -0.5), I64),
                (_floats(-2.5, 2.75, dtype=F64), I8),
            ),
            lambda source: _cast_case(source, (F32, F64), (I16, I32, I64)),
        ),
        Topic(
            "a number becomes a bool",
            1,
            "Zero is false, everything else is true: 0.5 and -1 as well.",
            _cases(
                (_floats(0.0, 1.0, 2.0), BOOL), (_floats(0.5, -0.25), BOOL), (strided((3,), dtype=I64), BOOL)
            ),
            lambda source: _cast_case(source, (F32, F16), (BOOL,)),
        ),
        Topic(
            "the layout of the copy",
            1,
            "The copy has no gaps, and keeps the order of the dimensions in memory: a turned tensor stays "
            "turned.",
            _cases(
                (strided((3, 2), (1, 3), dtype=F32), F64),
                (strided((3, 2), (1, 3), dtype=I64), F32),
                (strided((2, 2), (4, 1), 1, dtype=F32), F64),
                (strided((3, 2, 4), (4, 12, 1), dtype=I32), I64),
            ),
            lambda source: Case((strided((2, 3, 2), (1, 2, 6), source.randint(0, 3), dtype=F32), F64)),
        ),
    ),
    wrong=ch05_wrong_casts.solutions.wrong_of("05.cast"),
    right=ch05_right.solutions.right_of("05.cast"),
    lean=True,
)


def bits_of(number: float) -> int:
    """The four bytes of the nearest float32 as an int."""
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def _bits(*numbers: float) -> tuple[Case, ...]:
    return _cases(*((bits_of(number),) for number in numbers))


def _refused(bits: int, says: str) -> Case:
    return Case((bits,), (says,), ("not a number",) if says == "infinity" else ("infinity",))


FLOAT32_FIELDS = Exercise(
    id="05.float32_fields",
    title="Read the bits of a float",
    stars=3,
    signature="float32_fields(bits)",
    task="Return sign, significand and exponent as ints, so that the value is ±significand · 2^exponent.",
    part="tensorlab.float_bits:float32_fields",
    topics=(
        Topic(
            "positive numbers",
            2,
            "The stored exponent is 127 more than the power of 2, and the fraction has 23 bits behind the 1 "
            "that is "
            "not stored.",
            (*_bits(1.0, 2.0, 1.5, 0.5, 3.0, 0.1, 100.0, 4.14), *_cases((1 << 23,), ((255 << 23) - 1,))),
            lambda source: Case((source.randrange(1 << 23, 255 << 23),)),
        ),
        Topic(
            "negative numbers",
            1,
            "The first of the 32 bits is the sign. The rest says the same as for the positive number.",
            _bits(-1.0, -2.0, -0.1, -4.14),
            lambda source: Case(((1 << 31) + source.randrange(1 << 23, 255 << 23),)),
        ),
        Topic(
            "zero, twice",
            1,
            "All bits 0 but perhaps the sign: +0 and -0. There is no hidden 1 here, so the significand is 0.",
            _bits(0.0, -0.0),
            lambda source: Case((source.choice((0, 1 << 31)),)),
        ),
        Topic(
            "subnormal numbers",
            2,
            "A stored exponent of 0 means: no hidden 1, and the same power of 2 as a stored exponent of 1.",
            _cases((1,), (3,), (1 << 22,), ((1 << 23) - 1,), ((1 << 31) + 1,)),
            lambda source: Case((source.choice((0, 1 << 31)) + source.randrange(1, 1 << 23),)),
        ),
        Topic(
            "infinity and not a number",
            1,
            "A stored exponent of 255 is no exponent. With a fraction of 0 it says infinity, else not a "
            "number.",
            (
                _refused(255 << 23, "infinity"),
                _refused(511 << 23, "infinity"),
                _refused(0x7FC00000, "not a number"),
                _refused((255 << 23) + 1, "not a number"),
                _refused(0xFFC00000, "not a number"),
            ),
            lambda source: _refused(
                (255 << 23) + source.choice((0, 1 << 31)) + source.randrange(1, 1 << 23), "not a number"
            ),
        ),
    ),
    wrong=ch05_wrong_bits.solutions.wrong_of("05.float32_fields"),
    right=ch05_right.solutions.right_of("05.float32_fields"),
)


EXERCISES = (CAN_CAST, RESULT_TYPE, CAST, FLOAT32_FIELDS, TAKE_APART, PUT_TOGETHER)
