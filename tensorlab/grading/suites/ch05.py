"""Chapter 5, *dtypes and interop*: the questions about dtypes and about the bits of a float.

Where two dtypes meet is asked in `ch05_meeting`, what a file holds in `ch05_files`.
"""

from __future__ import annotations

import struct
from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Large, Topic
from tensorlab.grading.suites import ch05_right, ch05_wrong_bits, ch05_wrong_casts, ch05_wrong_types, draw
from tensorlab.grading.suites.ch05_files import PUT_TOGETHER, TAKE_APART
from tensorlab.grading.suites.ch05_meeting import RESULT_TYPE
from tensorlab.grading.suites.draw import Counted

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
    part="tensorlab.core.dtypes:can_cast",
    topics=(
        Topic(
            "floats and integers",
            1,
            "Floats may go into floats and integers into integers, of any width: digits or range may be "
            "lost, the category is kept. A float may not go into an integer.",
            _cases(
                (F32, F32),
                (F32, I64),
                (F32, F64),
                (F64, F16),
                (F64, F32),
                (F32, BF16),
                (BF16, F16),
                (I8, I64),
                (I64, I8),
                (I64, U8),
                (U8, I8),
                (BOOL, BOOL),
            ),
            lambda source: Case(
                tuple(map(source.choice, source.choice(((FLOATS, FLOATS), (INTS, INTS), (FLOATS, INTS)))))
            ),
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
            "digit but the meaning.",
            _cases(
                (F16, I64),
                (F32, I8),
                (F64, I32),
                (BF16, I32),
                (I64, BOOL),
                (U8, BOOL),
                (F32, BOOL),
            ),
            lambda source: Case(
                source.choice(((source.choice(FLOATS), source.choice(INTS)), (source.choice(INTS), BOOL)))
            ),
        ),
    ),
    wrong=ch05_wrong_types.solutions.wrong_of("05.can_cast"),
    right=ch05_right.solutions.right_of("05.can_cast"),
)


def _cast_case(source: Random, first: tuple[dtype, ...], second: tuple[dtype, ...]) -> Case:
    """A dense tensor, with quarters and negative numbers where its dtype has them."""
    element_type = source.choice(first)
    shape = draw.shape(source, 2, 3, (1, 3))
    numbers = [source.randint(-400, 400) / 4 for _ in range(layout.numel(shape))]
    if element_type in INTS:
        numbers = [abs(int(number)) for number in numbers]
    return Case((strided(shape, cells=numbers, dtype=element_type), source.choice(second)))


def _held(source: Random) -> Case:
    """Numbers that the other dtype holds as well. It may be as wide as their own."""
    if source.random() < 0.7:
        return _cast_case(source, (U8, I16), (I32, F32, F64, BF16))
    numbers = [source.randint(0, 60) for _ in range(source.randint(2, 9))]
    from_, to = source.choice(((I8, U8), (U8, I8), (F16, BF16)))
    return Case((strided((len(numbers),), cells=numbers, dtype=from_), to))


def _floats(
    *numbers: float, shape: tuple[int, ...] | None = None, strides: Any = None, dtype: dtype = F32
) -> Strided:
    return strided(shape or (len(numbers),), strides, cells=numbers, dtype=dtype)


def _large_as_it_is(source: Random) -> Large:
    """4 KiB as if they were 16 GiB, of which every copy would have to be made."""
    row, shape = Counted(source), (1 << 22, 1024)
    return Large(f"cast({row.rows(shape)}, tl.float32)", F32, shape, lambda _, k: row[k])


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
                (_floats(1.5, -0.25), BF16),
                (_floats(2.0, 3.0, dtype=BF16), F32),
                (_floats(1.5, -0.25, dtype=F16), BF16),
                (strided((3,), dtype=I8), U8),
            ),
            _held,
        ),
        Topic(
            "the dtype that it has",
            2,
            "Nothing has to be done, and no copy made. The input comes back, the very object.",
            _cases(
                (_floats(1.0, 2.0), F32),
                (strided((2, 3), dtype=I64), I64),
                (strided((3, 2), (1, 3), dtype=F64), F64),
                (strided((2,), cells=[0, 1], dtype=BOOL), BOOL),
            ),
            lambda source: Case((strided((3, 2), (1, 4), dtype=(t := source.choice(FLOATS + INTS))), t)),
            _large_as_it_is,
        ),
        Topic(
            "a float becomes an integer",
            1,
            "The fraction is dropped, towards zero: 1.9 becomes 1, and -1.9 becomes -1.",
            _cases(
                (_floats(1.9), I64),
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
    part="tensorlab.core.float_bits:float32_fields",
    topics=(
        Topic(
            "positive numbers",
            2,
            "The stored exponent is 127 more than the power of 2, and the fraction has 23 bits behind the 1 "
            "that is not stored.",
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
    bits=32,
)


EXERCISES = (CAN_CAST, RESULT_TYPE, CAST, FLOAT32_FIELDS, TAKE_APART, PUT_TOGETHER)
