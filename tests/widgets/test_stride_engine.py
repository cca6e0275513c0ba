"""The Stride Lab's page applies operations as the library does: same layouts, values, sharing, reasons.

The cases are those of ``step_cases.json`` and all operations on small tensors, applied to real tensors.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import tensorlab as tl
from tensorlab.core import layout, view_rules
from tensorlab.widgets import StrideLab
from tensorlab.widgets.stride_lab.operations import OPERATIONS, apply, python_text
from tensorlab.widgets.stride_lab.twin import effect

ENGINE, TEXT, WALKING, GUESS = (f"stride_lab/{name}.js" for name in ("engine", "text", "walking", "guess"))
VIEWS = "shared/views.js"
BY_HAND = json.loads((Path(__file__).parent / "step_cases.json").read_text(encoding="utf-8"))


def in_python(shape, ops):
    """The steps of real tensors in the form of the page's engine, or the first refusal."""
    steps = [tl.arange(layout.numel(shape), dtype=tl.float32).view(tuple(shape))]
    told = ["start"]
    for place, call in enumerate(ops):
        try:
            steps.append(apply(steps[-1], call))
        except (RuntimeError, IndexError, ValueError) as error:
            return {"refusal": str(error), "failed": place}
        told.append(effect(steps[-2], steps[-1]))
    return [
        {
            "shape": list(x.shape),
            "stride": list(x.stride()),
            "offset": x.storage_offset(),
            "cells": len(x.storage()),
            "elements": [int(value) for value in x.reshape(-1).tolist()],
            "effect": what,
        }
        for x, what in zip(steps, told, strict=True)
    ]


def in_page(call_js, cases):
    """The page's answers, each step with its elements read off its storage."""
    answers = call_js([[ENGINE, "run", shape, ops, "float32"] for shape, ops in cases])
    results = []
    for answer in answers:
        if "refusal" in answer:
            results.append(answer)
            continue
        steps = []
        for step in answer["steps"]:
            cells = [
                layout.flat_index(index, step["stride"], step["offset"])
                for index in itertools.product(*map(range, step["shape"]))
            ]
            values = step["values"]
            what = {
                None: "start",
                "view": "view, 0 bytes moved",
                "same": "the same tensor, 0 bytes moved",
                "copy": f"copy, {step.get('bytes')} bytes moved",
            }[step.get("effect")]
            steps.append(
                {name: step[name] for name in ("shape", "stride", "offset", "cells")}
                | {
                    "elements": [cell if values is None else values[cell] for cell in cells],
                    "effect": what,
                }
            )
        results.append(steps)
    return results


def compare(call_js, cases):
    for (shape, ops), answer in zip(cases, in_page(call_js, cases), strict=True):
        assert answer == in_python(shape, ops), f"{shape} {ops}"


def test_cases_written_by_hand(call_js):
    compare(call_js, BY_HAND)


def test_the_cases_cover_every_operation_and_every_effect():
    named = {call[0] for _, ops in BY_HAND for call in ops}
    assert named == set(OPERATIONS)
    answers = [in_python(*case) for case in BY_HAND]
    assert {"refusal" in answer for answer in answers} == {True, False}
    effects = {
        step["effect"].split(",")[0] for answer in answers if isinstance(answer, list) for step in answer
    }
    assert effects == {"start", "view", "copy", "the same tensor"}


STARTS = [
    ([], []),
    ([4], []),
    ([0, 3], []),
    ([3, 4], []),
    ([3, 4], [["transpose", 0, 1]]),
    ([2, 1, 3], []),
    ([2, 3, 2], [["permute", [2, 0, 1]]]),
    ([3, 4], [["slice", 1, 0, 4, 2]]),
    ([3, 1], [["expand", [2, 3, 2]]]),
]
SMALL = (-2, -1, 0, 1, 2)


def calls():
    """Operations with all small arguments."""
    for dim in SMALL:
        yield from (["unsqueeze", dim], ["squeeze", dim], ["flip", [dim]])
        for other in SMALL:
            yield from (["transpose", dim, other], ["select", dim, other], ["diagonal", other, 0, 1])
            yield from (["unfold", dim, other + 2, 1], ["unfold", dim, 2, other])
            yield from (["slice", dim, other, 3, 1], ["slice", dim, 0, other, 1], ["slice", dim, 0, 9, other])
    for order in itertools.permutations(range(3)):
        yield ["permute", list(order)]
    for sizes in itertools.product((-1, 1, 2, 3, 6), repeat=2):
        yield from (["view", list(sizes)], ["reshape", list(sizes)], ["expand", list(sizes)])
        yield ["view", [*sizes, 2]]
    yield from (["view", []], ["reshape", [-1]], ["contiguous"], ["flip", []], ["flip", [0, 1]])
    yield from (["as_strided", [2, 2], [a, b], c] for a in (0, 1, 3) for b in (1, 2) for c in (0, 4, 9))


def test_all_operations_with_small_arguments(call_js):
    compare(call_js, [[shape, [*ops, call]] for shape, ops in STARTS for call in calls()])


def test_view_strides_for_all_small_layouts(call_js):
    shapes = [(2, 3), (3, 1, 2), (2, 2, 3), (1, 4), (0, 2), ()]
    cases = [
        (shape, strides, new)
        for shape in shapes
        for strides in itertools.product((0, 1, 2, 3, 6, 9), repeat=len(shape))
        for count in (layout.numel(shape),)
        for new in [(count,), (count, 1), (1, count), (2, -1), (3, -1), (2, 3, -1), shape]
        if -1 not in new or (count and count % abs(layout.numel([abs(s) for s in new])) == 0)
    ]
    cases = [(s, t, tuple(layout.infer_size(new, layout.numel(s)))) for s, t, new in cases]
    answers = call_js([[VIEWS, "viewStrides", *case] for case in cases])
    for case, answer in zip(cases, answers, strict=True):
        known = layout.view_strides(*case)
        if isinstance(known, layout.Refusal):
            assert answer["refusal"] == known.reason, case
        else:
            assert answer == {"stride": list(known)}, case


def test_the_line_of_python_makes_this_tensor(call_js):
    cases = [case for case in BY_HAND if isinstance(in_python(*case), list)]
    steps = [answer["steps"] for answer in call_js([[ENGINE, "run", *case, "int32"] for case in cases])]
    lines = call_js(
        [[TEXT, "pythonLine", shape, "int32", ops, s] for (shape, ops), s in zip(cases, steps, strict=True)]
    )
    for (shape, ops), line in zip(cases, lines, strict=True):
        lab = StrideLab(shape=shape, ops=ops, dtype="int32")
        assert line == lab.line_of_python
        x = eval(line, {"tl": tl})
        assert (x.shape, x.stride(), x.storage_offset()) == (
            lab.tensor.shape,
            lab.tensor.stride(),
            lab.tensor.storage_offset(),
        )
        assert x.tolist() == lab.tensor.tolist()


def test_an_operation_is_written_alike_on_both_sides(call_js):
    pairs = [(call, (3, 4)) for call in calls() if call[0] not in ("slice", "select") or -2 <= call[1] < 2]
    answers = call_js([[TEXT, "pythonText", call, shape] for call, shape in pairs])
    assert answers == [python_text(call, shape) for call, shape in pairs]


def test_operations_survive_the_address(call_js):
    for _, ops in BY_HAND:
        (text,) = call_js([[TEXT, "writeOps", ops]])
        assert call_js([[TEXT, "readOps", text]]) == [{"value": ops}]


@pytest.mark.parametrize(
    "text",
    ["transpose", "transpose(0)", "transpose(0,x)", "toString()", "view(2.x)", "transpose(0,1", "flip((0))"],
)
def test_other_text_in_the_address_is_refused(call_js, text):
    (answer,) = call_js([[TEXT, "readOps", text]])
    assert "operation" in answer["refusal"]


@pytest.mark.parametrize("walk", ["last", "first"])
def test_the_walk_meets_every_element_and_counts_the_lines_it_fetches(call_js, walk):
    for shape, ops in [((3, 4), []), ((3, 4), [("transpose", 0, 1)]), ((2, 3, 4), [("permute", 2, 0, 1)])]:
        lab = StrideLab(shape=shape, ops=ops)
        x = lab.tensor
        step = {"shape": x.shape, "stride": x.stride(), "offset": 0}
        order = [list(index) for index in itertools.product(*map(range, x.shape))]
        if walk == "first":
            order.sort(key=lambda index: index[::-1])
        count = x.numel()
        assert call_js([[WALKING, "indexAt", k, list(x.shape), walk] for k in range(count)]) == order
        assert call_js([[WALKING, "placeOf", i, list(x.shape), walk] for i in order]) == [*range(count)]
        (steps,) = call_js([[WALKING, "walkSteps", step, walk, 4, 2]])
        recent, fetched = [], []
        for index in order:
            line = layout.flat_index(index, x.stride()) // 4
            fetched.append(line not in recent)
            recent = [line, *(other for other in recent if other != line)][:2]
        assert [step["fetched"] for step in steps] == fetched
        assert [step["cell"] for step in steps] == [layout.flat_index(i, x.stride()) for i in order]


def test_what_is_wrong_with_a_prediction_is_said(call_js):
    shape, stride = view_rules.transposed((3, 4), (4, 1), 0, 1)
    view = {"shape": shape, "stride": stride, "offset": 0, "effect": "view", "bytes": 0}
    right = {"shape": [4, 3], "strides": [1, 4], "offset": 0}
    calls_ = [
        ["view", right, view],
        ["view", {**right, "strides": [3, 1]}, view],
        ["view", {"shape": [3, 4], "strides": [4, 1], "offset": 1}, view],
        ["copy", {}, view],
        ["error", {}, {"refusal": "…"}],
        ["view", right, {"refusal": "…"}],
        ["view", right, {**view, "effect": "same"}],
    ]
    assert call_js([[GUESS, "mistakes", *call] for call in calls_]) == [
        [],
        ["the strides are (1, 4), not (3, 1)"],
        ["the shape is (4, 3), not (3, 4)", "the strides are (1, 4), not (4, 1)", "the offset is 0, not 1"],
        ["you said copy, and it is a view"],
        [],
        ["you said view, and it is an error"],
        [],
    ]
