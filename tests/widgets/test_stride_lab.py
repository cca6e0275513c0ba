"""The Stride Lab's Python side: real tensors decide, and nothing else is ever shown."""

from __future__ import annotations

import re

import pytest

import tensorlab as tl
from tensorlab.widgets import StrideLab


def test_the_lab_shows_what_the_operations_make():
    lab = StrideLab(shape=(2, 3, 4), ops=[("permute", 2, 0, 1), ("slice", 0, 0, 4, 2)])
    assert (lab.tensor.shape, lab.tensor.stride()) == ((2, 2, 3), (2, 12, 4))
    assert [tuple(x.shape) for x in lab.steps] == [(2, 3, 4), (4, 2, 3), (2, 2, 3)]
    assert lab.ops == [("permute", (2, 0, 1)), ("slice", 0, 0, 4, 2)]


def test_operations_are_added_and_taken_back():
    lab = StrideLab(shape=(3, 4))
    seen = []
    lab.observe(lambda change: seen.append(change["new"]["ops"]), "state")
    lab.apply("transpose", 0, 1)
    lab.apply("reshape", 12)
    assert lab.tensor.tolist() == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
    lab.undo()
    assert seen == [
        [["transpose", 0, 1]],
        [["transpose", 0, 1], ["reshape", [12]]],
        [["transpose", 0, 1]],
    ]


def test_the_hand_goes_to_the_nearest_element():
    lab = StrideLab(shape=(3, 4), hand=(2, 3))
    lab.apply("slice", 1, 0, 2, 1)
    assert lab.state["hand"] == [2, 1]
    lab.apply("select", 0, 0)
    assert lab.state["hand"] == [0]
    lab.apply("slice", 0, 1, 1, 1)
    assert lab.state["hand"] is None


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"ops": [("transpose", 0, 2)]}, IndexError, "Dimension out of range"),
        ({"ops": [("transpose", 0, 1), ("view", 12)]}, RuntimeError, "reshape would copy 48 bytes"),
        ({"ops": [("turn", 0)]}, ValueError, "there is no operation 'turn'"),
        ({"ops": [("transpose", 0)]}, TypeError, "transpose takes 2 arguments, got 1"),
        ({"ops": ["transpose"]}, TypeError, "an operation is a sequence"),
        ({"ops": [("select", 0, 1.5)]}, TypeError, "must be an integer"),
        ({"shape": (100, 100)}, ValueError, "up to 4096 elements; this would have 10000"),
        ({"shape": (64, 1), "ops": [("expand", 64, 65)]}, ValueError, "this would have 4160"),
        ({"line": 48}, ValueError, "line is one of (8, 16, 32, 64, 128), got 48"),
        ({"walk": "zigzag"}, ValueError, "walk is one of"),
        ({"dtype": "float8"}, TypeError, "float8"),
        ({"key": "My lab"}, ValueError, "key 'My lab' stands in the page's address"),
    ],
)
def test_a_lab_that_cannot_be_is_refused(arguments, error, reason):
    with pytest.raises(error, match=re.escape(reason)):
        StrideLab(**arguments)


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"ops": [["view", [5]]]}, RuntimeError),
        ({"ops": "transpose"}, TypeError),
        ({"shape": [3, -1]}, ValueError),
        ({"hand": ["a", 0]}, TypeError),
        ({"walk": None}, ValueError),
    ],
)
def test_nonsense_from_a_page_never_arrives(sent, error):
    lab = StrideLab(shape=(3, 4))
    before = dict(lab.state)
    with pytest.raises(error):
        lab.set_state({"state": {**lab.state, **sent}})
    with pytest.raises(KeyError):
        lab.set_state({"state": {"shape": [3, 4]}})
    lab.set_state({"_start": {}, "key": "x", "_esm": "alert(1)"})
    assert lab.state == before
    assert "alert(1)" not in lab._esm
    assert lab._start == before


def test_a_page_sets_the_whole_state():
    lab = StrideLab(shape=(3, 4))
    lab.set_state({"state": {**lab.state, "ops": [["transpose", 0, 1]], "hand": [3, 2]}})
    assert lab.tensor.stride() == (1, 4)
    assert lab.state["hand"] == [3, 2]


def test_members_that_are_not_there_are_named():
    with pytest.raises(TypeError, match="StrideLab has no 'colour'; it has"):
        StrideLab().change(colour="red")


def test_the_text_twin_tells_each_step():
    twin = StrideLab(shape=(3, 4), ops=[("transpose", 0, 1), ("flip", 0)]).text_twin()
    rows = re.findall(r"<tr>(.*?)</tr>", twin)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    assert cells[:4] == [
        ["step", "shape", "strides", "offset", "effect"],
        ["start", "(3, 4)", "(4, 1)", "0", "new storage"],
        [".transpose(0, 1)", "(4, 3)", "(1, 4)", "0", "view, 0 bytes moved"],
        [".flip(0)", "(4, 3)", "(1, 4)", "0", "copy, 48 bytes moved"],
    ]
    assert "0 + 3·1 + 2·4" in twin


def test_the_line_of_python_for_every_dtype():
    for name in ("bool", "int64", "float16"):
        lab = StrideLab(shape=(2, 2), dtype=name, ops=[("transpose", 0, 1)])
        x = eval(lab.line_of_python, {"tl": tl})
        assert (x.dtype, x.tolist()) == (lab.tensor.dtype, lab.tensor.tolist())
