"""The page's engine and `tensorlab.core.layout` give the same answers and the same reasons, case by case.

The cases are the ones written by hand in ``layout_cases.json`` and all small layouts; what both must answer
is counted by brute force where counting is possible.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path

import pytest

import tensorlab as tl
from tensorlab.core import dtypes, layout
from tensorlab.widgets import StorageLab

ENGINE, DRAWN, NUMBERS = (f"shared/{name}.js" for name in ("layout", "drawn", "numbers"))
PYTHON, STATE = (f"storage_lab/{name}.js" for name in ("python", "state"))
BY_HAND = json.loads((Path(__file__).parent / "layout_cases.json").read_text(encoding="utf-8"))
NAMES = {name: name.split("_")[0] + "".join(part.title() for part in name.split("_")[1:]) for name in BY_HAND}

SHAPES = [shape for dims in range(4) for shape in itertools.product(range(4), repeat=dims)]
random.seed(20)


def strides_of(shape):
    """All strides 0 … 4 of a shape, or forty of them drawn where there are many."""
    if len(shape) < 3:
        return list(itertools.product(range(5), repeat=len(shape)))
    return [tuple(random.choices((0, 1, 2, 3, 4, 6, 12), k=3)) for _ in range(40)]


LAYOUTS = [(shape, strides, offset) for shape in SHAPES for strides in strides_of(shape) for offset in (0, 2)]


def in_python(name, arguments):
    """The answer of `tensorlab.core.layout`, in the form that the page's engine has."""
    try:
        answer = getattr(layout, name)(*arguments)
    except IndexError as error:
        return {"refusal": str(error)}
    if isinstance(answer, layout.Refusal):
        return {"refusal": answer.reason}
    if name == "check_bounds":
        return {"reached": None if answer is None else list(answer)}
    if name == "check_index":
        return {"index": list(answer)}
    return list(answer) if isinstance(answer, tuple) else answer


def compare(call_js, name, cases):
    answers = call_js([[ENGINE, NAMES[name], *case] for case in cases])
    for case, answer in zip(cases, answers, strict=True):
        assert answer == in_python(name, case), f"{name}{tuple(case)}"


@pytest.mark.parametrize("name", BY_HAND)
def test_cases_written_by_hand(call_js, name):
    compare(call_js, name, BY_HAND[name])


def test_both_sides_answer_and_refuse_in_the_hand_written_cases():
    for name in ("check_bounds", "check_index"):
        kinds = {"refusal" in in_python(name, case) for case in BY_HAND[name]}
        assert kinds == {True, False}


@pytest.mark.parametrize("name", ["numel", "default_strides"])
def test_all_small_shapes(call_js, name):
    compare(call_js, name, [[shape] for shape in SHAPES])


def test_all_small_layouts(call_js):
    compare(call_js, "is_contiguous", [[shape, strides] for shape, strides, _ in LAYOUTS])
    compare(call_js, "address_range", LAYOUTS)
    compare(call_js, "check_bounds", [[*case, cells] for case in LAYOUTS for cells in (0, 5, 12)])


def test_all_small_indices(call_js):
    cases = [
        [index, shape]
        for shape in SHAPES
        if len(shape) < 3
        for dims in range(3)
        for index in itertools.product(range(-4, 5), repeat=dims)
    ]
    compare(call_js, "check_index", cases)


def test_flat_index_and_who_lies_in_a_cell_by_counting(call_js):
    cases = [case for case in LAYOUTS if 0 not in case[0]][::3]
    calls, wanted = [], []
    for shape, strides, offset in cases:
        lies_in = {}
        for index in itertools.product(*map(range, shape)):
            cell = offset + sum(i * step for i, step in zip(index, strides, strict=True))
            calls.append([ENGINE, "flatIndex", index, strides, offset])
            wanted.append(cell)
            lies_in.setdefault(cell, []).append(list(index))
        for cell in range(max(lies_in) + 2):
            calls.append([ENGINE, "elementsAt", cell, shape, strides, offset])
            wanted.append(lies_in.get(cell, []))
    for call, answer, right in zip(calls, call_js(calls), wanted, strict=True):
        assert answer == right, call


def test_the_search_in_a_cell_stops_at_its_limit(call_js):
    shape, strides = [1000, 1000, 1000], [0, 0, 0]
    (found,) = call_js([[ENGINE, "elementsAt", 3, shape, strides, 3, 5]])
    assert found == [[0, 0, k] for k in range(5)]


def test_unravel_counts_in_row_major_order(call_js):
    for shape in [(), (4,), (2, 3), (3, 1, 2)]:
        indices = [list(index) for index in itertools.product(*map(range, shape))]
        assert call_js([[ENGINE, "unravel", k, shape] for k in range(len(indices))]) == indices


@pytest.mark.parametrize("cap", [1, 10, 4096])
def test_what_is_drawn_never_exceeds_its_cap(call_js, cap):
    shapes = [*SHAPES, (5000,), (100, 100), (3, 70, 70), (2, 2, 64, 64), (10**6, 10**6), (1, 9999), (9999, 1)]
    for shape, part in zip(shapes, call_js([[DRAWN, "drawnPart", s, cap] for s in shapes]), strict=True):
        count = math.prod(shape)
        assert part["count"] == count
        assert part["drawn"] == part["plates"] * part["rows"] * part["columns"] <= cap
        assert part["drawn"] == count or count > part["drawn"] > 0
        if count <= cap:
            assert part["drawn"] == count


def test_the_drawn_window_holds_the_first_reached_cell(call_js):
    cases = [
        (12, 3),
        (4096, None),
        (10**6, None),
        (10**6, 0),
        (10**6, 500),
        (5000, 4990),
    ]
    windows = call_js([[DRAWN, "drawnWindow", cells, first, 4096] for cells, first in cases])
    for (cells, first), window in zip(cases, windows, strict=True):
        assert window["stop"] - window["start"] == min(cells, 4096)
        assert 0 <= window["start"] <= (first or 0) < window["stop"] <= cells


def test_strides_and_hand_follow_the_shape_as_in_python(call_js):
    cases = [
        ((3, 4), (4, 1), (2, 6), (2, 3)),
        ((3, 4), (1, 3), (2, 2), (2, 3)),
        ((3, 4), (1, 3), (2, 3, 2), (1, 1)),
        ((3, 4), (4, 1), (0, 4), (2, 1)),
        ((2, 2), (0, 1), (1, 2), (1, 1)),
        ((), (), (3,), ()),
        ((3,), (2,), (), (2,)),
        ((0, 2), (2, 1), (2, 2), None),
    ]
    for shape, stride, new_shape, hand in cases:
        lab = StorageLab(shape=shape, stride=stride, cells=40, hand=hand)
        lab.shape = new_shape
        followed, held = call_js(
            [
                [ENGINE, "strideAfterShape", shape, stride, new_shape],
                [ENGINE, "handAfterShape", hand, new_shape],
            ]
        )
        assert tuple(followed) == lab.stride
        assert (held and tuple(held)) == lab.hand or (held == [] and lab.hand == ())


# ---- the line of Python, and the sample's values


def lines(call_js, layouts):
    return call_js([[PYTHON, "pythonLine", case] for case in layouts])


def as_layout(shape, stride, offset, cells, dtype="int64"):
    return {"shape": shape, "stride": stride, "offset": offset, "cells": cells, "dtype": dtype}


@pytest.mark.parametrize(
    ("case", "line"),
    [
        (as_layout((12,), (1,), 0, 12), "tl.arange(12)"),
        (as_layout((3, 4), (4, 1), 0, 12), "tl.arange(12).view(3, 4)"),
        (as_layout((3, 4), (4, 1), 0, 12, "float32"), "tl.arange(12, dtype=tl.float32).view(3, 4)"),
        (as_layout((4, 3), (1, 4), 0, 12), "tl.arange(12).view(3, 4).t()"),
        (as_layout((4, 2, 3), (1, 12, 4), 0, 24), "tl.arange(24).view(2, 3, 4).permute(2, 0, 1)"),
        (as_layout((3,), (1,), 2, 12), "tl.arange(12)[2:5]"),
        (as_layout((4,), (3,), 2, 12), "tl.arange(12)[2::3]"),
        (as_layout((), (), 5, 12), "tl.arange(12)[5]"),
        (as_layout((3, 4), (4, 1), 2, 14), "tl.arange(14).as_strided((3, 4), (4, 1), 2)"),
        (as_layout((3, 4), (0, 1), 0, 4), "tl.arange(4).as_strided((3, 4), (0, 1), 0)"),
        (as_layout((3,), (0,), 1, 4), "tl.arange(4).as_strided((3,), (0,), 1)"),
        (as_layout((2, 3), (3, 1), 0, 6, "bool"), "tl.zeros(6, dtype=tl.bool).view(2, 3)"),
    ],
)
def test_the_line_is_the_shortest_one(call_js, case, line):
    assert lines(call_js, [case]) == [line]


def test_the_line_makes_exactly_this_tensor(call_js):
    layouts = []
    for shape, stride, offset in LAYOUTS[::2]:
        reached = layout.address_range(shape, stride, offset)
        first = 0 if reached is None else reached[1] + 1
        layouts += [as_layout(shape, stride, offset, first + more, "int32") for more in (0, 3)]
    for case, line in zip(layouts, lines(call_js, layouts), strict=True):
        x = eval(line, {"tl": tl})
        made = {
            "shape": tuple(x.shape),
            "stride": x.stride(),
            "offset": x.storage_offset(),
            "cells": len(x.storage()),
            "dtype": x.dtype.name,
        }
        assert made == case, line


def test_the_line_of_a_given_tensor(call_js):
    given = as_layout([3, 4], [4, 1], 0, 12)
    calls = [
        [PYTHON, "pythonLine", given, "x", given],
        [PYTHON, "pythonLine", {**given, "offset": 1, "shape": [2, 4]}, "weights", given],
    ]
    assert call_js(calls) == ["x", "weights.as_strided((2, 4), (4, 1), 1)"]


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_the_sample_holds_what_arange_holds(call_js, dtype):
    numbers = [
        *range(300),
        *range(2040, 2070),
        *range(32760, 32775),
        *range(65500, 65540),
        100_001,
        9_999_999,
    ]
    texts = call_js([["shared/sample.js", "sampleText", k, dtype.name] for k in numbers])
    if dtype is tl.bool:
        assert set(texts) == {"False"}
        return
    held = tl.arange(numbers[-1] + 1, dtype=dtype)
    values = [held[k].item() for k in numbers]
    assert [float(text) if dtype.is_floating_point else int(text) for text in texts] == values
    assert all(text.endswith(".") == (dtype.is_floating_point and text != "inf") for text in texts)


# ---- what a reader types, and what an address says


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3, 4", [3, 4]),
        ("3,4", [3, 4]),
        ("(3, 4)", [3, 4]),
        ("[3 4]", [3, 4]),
        (" 3 ", [3]),
        ("(3,)", [3]),
        ("", []),
        ("()", []),
        ("-1", [-1]),
        ("00", [0]),
    ],
)
def test_lists_of_numbers_are_read_as_people_write_them(call_js, text, numbers):
    assert call_js([[NUMBERS, "readNumbers", text, "the shape"]]) == [{"value": numbers}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3, x", "the shape is a list of whole numbers such as 3, 4; “x” is not one"),
        ("1.5", "the shape is a list of whole numbers such as 3, 4; “1.5” is not one"),
        ("1e3", "the shape is a list of whole numbers such as 3, 4; “1e3” is not one"),
        ("3,,4", "the shape is a list of whole numbers such as 3, 4; a number is missing in “3,,4”"),
        (", 4", "the shape is a list of whole numbers such as 3, 4; a number is missing in “, 4”"),
        ("(3, 4", "the shape is a list of whole numbers such as 3, 4; “(3” is not one"),
        ("99999999", "numbers here go up to 9,999,999; the shape has 99999999"),
        ("9" * 20, "numbers here go up to 9,999,999; the shape has " + "9" * 20),
        ("1,1,1,1,1,1,1,1,1", "up to 8 dimensions can be drawn; the shape has 9"),
    ],
)
def test_other_text_is_refused_in_words(call_js, text, reason):
    assert call_js([[NUMBERS, "readNumbers", text, "the shape"]]) == [{"refusal": reason}]


@pytest.mark.parametrize("text", ["x" * 10_000, "9" * 10_000, "1,," + "1" * 10_000])
def test_what_was_pasted_is_not_said_back_whole(call_js, text):
    for name in ("readNumbers", "readNumber"):
        [found] = call_js([[NUMBERS, name, text, "the shape"]])
        assert len(found["refusal"]) < 160


START = {**as_layout([3, 4], [4, 1], 0, 12, "float32"), "hand": [0, 0]}


def test_a_state_survives_the_address(call_js):
    for state in [
        START,
        {**as_layout([], [], 5, 12, "int8"), "hand": []},
        {**as_layout([0, 3], [3, 1], 0, 4, "bool"), "hand": None},
        {**as_layout([2, 2, 2], [0, 1, 4], 3, 99, "bfloat16"), "hand": [1, 0, 1]},
    ]:
        (text,) = call_js([[STATE, "writeState", state]])
        assert call_js([[STATE, "readState", text, START]]) == [{"state": state}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no part of a lab's state"),
        ("shape", "no part of a lab's state"),
        ("shape:3,4/colour:red", "“colour:red”, which is no part"),
        ("constructor:1", "no part of a lab's state"),
        ("shape:3,x", "“x” is not one"),
        ("offset:1,2", "offset is one whole number"),
        ("shape:9,9", "element (8, 8) would lie in cell"),
        ("shape:-1,4", "negative"),
        ("stride:-4,1", "the stride -4 of dimension 0 is negative"),
        ("cells:-5", "-5 cells cannot be"),
        ("dtype:complex64", "there is no dtype “complex64”"),
        ("dtype:toString", "there is no dtype “toString”"),
        ("hand:9,9", "index 9 is out of bounds"),
        ("hand:1", "too few indices"),
        ("shape:9999999,9999999,9999999/stride:0,0,0", "more elements than the page can count"),
    ],
)
def test_an_address_that_says_nonsense_is_refused_in_words(call_js, text, reason):
    (answer,) = call_js([[STATE, "readState", text, START]])
    assert list(answer) == ["refusal"]
    assert reason in answer["refusal"]


def test_several_widgets_share_one_address(call_js):
    hash_ = "shared/hash.js"
    assert call_js([[hash_, "formatHash", [["lab1", "shape:3,4/offset:0"], ["quiz", "a b&c"]]]]) == [
        "lab1=shape:3,4/offset:0&quiz=a%20b%26c"
    ]


SCHEMA = {"shape": "ints", "dim": "int", "operation": "word", "keepdim": "flag", "index": "text"}


def test_members_of_a_state_survive_the_address(call_js):
    for state in [
        {"shape": [3, 4], "dim": 1, "operation": "sum", "keepdim": True, "index": "1:, [0, 2]"},
        {"shape": [], "dim": -1, "operation": "amax", "keepdim": False, "index": "x > 5"},
    ]:
        (text,) = call_js([["shared/address.js", "writeFields", SCHEMA, state]])
        assert call_js([["shared/address.js", "readFields", SCHEMA, text]]) == [{"changes": state}]


def test_a_member_that_is_nothing_is_left_out(call_js):
    state = {"shape": [3], "dim": None, "operation": None, "keepdim": False, "index": "0"}
    assert call_js([["shared/address.js", "writeFields", SCHEMA, state]]) == ["shape:3/keepdim:no/index:0"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("colour:red", "it says “colour:red”, which is no part of this lab's state"),
        ("shape", "it says “shape”, which is no part of this lab's state"),
        ("toString:1", "it says “toString:1”, which is no part"),
        ("shape:3,x", "“x” is not one"),
        ("dim:1,2", "dim is one whole number"),
        ("operation:a b", "operation is one word, not “a b”"),
        ("keepdim:maybe", "keepdim is yes or no, not “maybe”"),
    ],
)
def test_a_member_that_cannot_be_is_refused(call_js, text, reason):
    (answer,) = call_js([["shared/address.js", "readFields", SCHEMA, text]])
    assert reason in answer["refusal"]
