"""The Broadcast Lab: both sides broadcast as the library does, and the gradient sums what was stretched."""

from __future__ import annotations

import itertools
import re

import pytest

import tensorlab as tl
from tensorlab.core import broadcasting, layout
from tensorlab.widgets import BroadcastLab
from tests.widgets.lab_page import button, field, set_field, settled_hash

ENGINE, RULES = "broadcast_lab/engine.js", "shared/broadcast.js"
WORDS = "broadcast_lab/words.js"
SHAPES = [shape for dims in range(4) for shape in itertools.product((0, 1, 2, 3), repeat=dims) if dims < 3]
SHAPES += [(2, 1, 3), (1, 3, 1), (4, 2, 3), (1, 1, 1)]
PAIRS = [*itertools.product(SHAPES, SHAPES)]


def met(a, b):
    """The shape that both broadcast to, or the library's reason."""
    try:
        return list(broadcasting.broadcast_shapes(a, b))
    except RuntimeError as error:
        return str(error)


def test_shapes_and_strides_are_the_librarys(call_js):
    for (a, b), answer in zip(
        PAIRS, call_js([["shared/meet.js", "meet", a, b] for a, b in PAIRS]), strict=True
    ):
        known = met(a, b)
        if isinstance(known, str):
            assert answer == {"refusal": known}
            continue
        assert answer["shape"] == known
        for own, stride in zip((a, b), answer["strides"], strict=True):
            dense = layout.default_strides(own)
            assert stride == list(broadcasting.broadcast_strides(own, dense, known)), (a, b)


def test_columns_say_what_stretches(call_js):
    for (a, b), found in zip(PAIRS, call_js([[ENGINE, "columns", a, b] for a, b in PAIRS]), strict=True):
        known = met(a, b)
        assert any(column["clash"] for column in found) == isinstance(known, str), (a, b)
        if isinstance(known, str):
            continue
        assert [column["size"] for column in found] == known
        for operand, own in enumerate((a, b)):
            lead = len(known) - len(own)
            wide = [None] * lead + list(own)
            truth = [size is None or (size == 1 and new != 1) for size, new in zip(wide, known, strict=True)]
            assert [column["stretches"][operand] for column in found] == truth, (a, b)


def test_expand_strides_are_the_librarys(call_js):
    cases = [(own, layout.default_strides(own), new) for own, new in PAIRS]

    def answer(own, strides, new):
        known = broadcasting.expand_strides(own, strides, new)
        return {"refusal": known.reason} if isinstance(known, layout.Refusal) else list(known)

    wanted = [answer(*case) for case in cases]
    fits = [case for case, known in zip(cases, wanted, strict=True) if isinstance(known, list)]
    assert call_js([[RULES, "expandStrides", *case] for case in fits]) == [
        known for known in wanted if isinstance(known, list)
    ]


def test_the_gradients_line_sums_what_was_stretched(call_js):
    cases = [(own, met(a, b)) for a, b in PAIRS if isinstance(met(a, b), list) for own in (a, b)]
    cases = [(own, result) for own, result in cases if 0 not in result]
    lines = call_js([[ENGINE, "gradientLine", own, result] for own, result in cases])
    for (own, result), line in zip(cases, lines, strict=True):
        gradient = eval(line, {"g": tl.ones(result)})
        each = layout.numel(result) // layout.numel(own)
        assert gradient.shape == own, (own, result, line)
        assert set(gradient.reshape(-1).tolist()) == {each}


def test_the_python_side_sums_the_same_dimensions(call_js):
    pairs = [pair for pair in PAIRS if isinstance(met(*pair), list)][::7]
    for a, b in pairs:
        lab = BroadcastLab(a, b)
        found = call_js([[ENGINE, "summed", own, met(a, b)] for own in (a, b)])
        assert lab.summed == tuple((*one["front"], *one["inside"]) for one in found)


def test_line_bytes_and_gradients_are_of_one_dtype(call_js):
    pairs = [pair for pair in PAIRS if isinstance(met(*pair), list) and 0 not in met(*pair)][::9]
    for a, b in pairs:
        left, right = (eval(line, {"tl": tl}) for line in call_js([[WORDS, "operandLines", a, b]])[0])
        result = left + right
        saved = 2 * result.nbytes - left.nbytes - right.nbytes
        [text] = call_js([[WORDS, "costText", a, b, list(result.shape)]])
        assert f"would take {saved:,} byte" in text if saved else text == "Nothing has to stretch."
        g = tl.ones_like(result)
        for own in (left, right):
            own.requires_grad_()
        (left + right).backward(g)
        for own in (left, right):
            [line] = call_js([[ENGINE, "gradientLine", own.shape, result.shape]])
            assert own.grad.tolist() == eval(line, {"g": g}).tolist()


@pytest.mark.parametrize(
    ("prediction", "wrong"),
    [
        ({}, []),
        ({"shift": 0}, ["shapes are aligned from the right"]),
        ({"stretch_a": []}, ["a has stride 0 in dimension 1"]),
        ({"stretch_b": [0, 1]}, ["b has stride 0 in dimension 0"]),
        ({"guess": [3, 1]}, ["the result is (3, 4)"]),
        ({"refused": True, "guess": None}, ["they fit, and give (3, 4)"]),
    ],
)
def test_what_is_wrong_with_a_prediction_is_said(call_js, prediction, wrong):
    right = {"a": [3, 1], "b": [4], "shift": 1, "stretch_a": [1], "stretch_b": [0], "guess": [3, 4]}
    [found] = call_js([[ENGINE, "judged", {**right, "refused": False, **prediction}]])
    assert found["wrong"] == wrong
    # Each part that is right is credited, whatever else is wrong.
    parts = {
        "shift": "shapes are aligned from the right",
        "guess": "the result is (3, 4)",
        "stretch_a": "a has stride 0 in dimension 1",
        "stretch_b": "b has stride 0 in dimension 0",
    }
    assert found["right"] == [text for name, text in parts.items() if name not in prediction]


def test_shapes_that_do_not_fit_are_predicted_too(call_js):
    state = {"a": [3], "b": [4], "shift": 0, "stretch_a": [], "stretch_b": [], "guess": None, "refused": True}
    calls = [[ENGINE, "judged", state], [ENGINE, "judged", {**state, "refused": False, "guess": [4]}]]
    assert call_js(calls) == [
        {"right": ["the shapes don't fit"], "wrong": []},
        {"right": [], "wrong": ["the shapes don't fit"]},
    ]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"a": [3, -1]}, ValueError, "negative size -1"),
        ({"a": [1] * 5}, ValueError, "up to 4 dimensions are drawn; a has 5"),
        ({"shift": 2}, ValueError, "shift is 0 … 1 columns, got 2"),
        ({"stretch_b": [2]}, ValueError, "names dimensions 0 … 1"),
        ({"guess": ["x"]}, TypeError, "every size of the guess must be an integer"),
    ],
)
def test_nonsense_never_arrives(change, error, reason):
    lab = BroadcastLab()
    before = dict(lab.state)
    with pytest.raises(error, match=re.escape(reason)):
        lab.change(**change)
    with pytest.raises(error, match=re.escape(reason)):
        lab.set_state({"state": {**lab.state, **change}})
    assert lab.state == before


def test_the_text_twin_folds_the_answer():
    before, after = BroadcastLab((3, 1), (4,)).text_twin().split("</summary>")
    assert "(3, 4)" not in before
    assert "The result has shape (3, 4)" in after
    assert "They don't fit. The size of tensor a (3)" in BroadcastLab((3,), (4,)).text_twin()


# ---- in a page


def spot(page, name):
    return page.locator(f'[data-spot="{name}"]')


def test_the_answer_comes_after_the_prediction(show, expect):
    page = show(BroadcastLab((3, 1), (4,)))
    told = page.locator(".tlw-told")
    button(page, "Commit").click()
    expect(page.get_by_role("alert")).to_have_text(
        "Commit to a shape first, such as 3, 4 or (). A wrong guess teaches more than none."
    )
    assert page.locator(".tlw-cell:visible").count() == 0
    spot(page, "bgrip").focus()
    page.keyboard.press("ArrowRight")
    expect(spot(page, "bgrip")).to_be_focused()
    spot(page, "a1").click()
    spot(page, "b0").click()
    field(page, "shape of the result").fill("3, 4")
    page.keyboard.press("Enter")
    expect(told).to_contain_text("Right.")
    expect(told).to_contain_text(
        "The gradient of a is g.sum(1, keepdim=True): every element of a was read 4 times"
    )
    expect(told).to_contain_text("Copies would take 68 bytes more.")
    expect(button(page, "Ask again")).to_be_focused()


def test_an_answer_that_nobody_was_asked_for_leaves_no_empty_fields(show, expect):
    page = show(BroadcastLab((3, 1), (4,), told=True))
    expect(field(page, "shape of the result")).to_be_hidden()
    button(page, "Ask me").click()
    expect(field(page, "shape of the result")).to_be_focused()
    expect(button(page, "Commit")).to_be_visible()


def test_the_facts_are_those_of_the_line(show):
    page = show(BroadcastLab((3, 1), (4,), told=True))
    made = eval(page.locator(".tlw-line").inner_text(), {"tl": tl})
    facts = page.locator(".tlw-facts").inner_text()
    assert f"{made.nbytes} B" in facts
    assert made.tolist() == [[float(i + 10 * j) for j in range(4)] for i in range(3)]


def test_the_shorter_shape_is_dragged_into_place(show, expect):
    page = show(BroadcastLab((2, 3, 4), (4,)))
    names = page.locator(".tlw-align-row").nth(1).locator(".tlw-size b")
    assert names.all_inner_texts() == ["4", "·", "·"]
    for columns, wanted in ((1, ["·", "4", "·"]), (-1, ["4", "·", "·"]), (2, ["·", "·", "4"])):
        box = spot(page, "bgrip").bounding_box()
        width = spot(page, "b0").bounding_box()["width"]
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + columns * width, y, steps=4)
        page.mouse.up()
        assert names.all_inner_texts() == wanted


def test_an_element_shows_what_it_reads(show, expect):
    page = show(BroadcastLab((3, 1), (4,), told=True))
    a, b, result = (page.get_by_role("grid", name=name, exact=True) for name in ("a", "b", "a + b"))
    result.locator('[data-index="2,3"]').hover()
    expect(page.locator(".tlw-subject")).to_have_text("[2, 3]: 2 + 30 = 32")
    lit = a.locator(".tlw-sharing").evaluate_all("found => found.map(e => e.dataset.index)")
    assert lit == ["2,0", "2,1", "2,2", "2,3"]
    assert b.locator(".tlw-again").count() == 8
    expect(page.locator(".tlw-reading")).to_contain_text(
        "b[3] is read by 3 elements of the result: [0, 3], [1, 3], [2, 3]. Its gradient is the sum"
    )


def test_a_clash_is_shown_where_it_is(show, expect):
    page = show(BroadcastLab((3,), (2, 4), told=True, key="b"))
    assert page.locator(".tlw-clash").count() == 3
    expect(page.locator(".tlw-told")).to_contain_text("An error: The size of tensor a (3) must match")
    set_field(page, "shape of a", "1")
    assert page.locator(".tlw-clash").count() == 0
    assert settled_hash(page, "a:1") == "#b=a:1/b:2,4"
    expect(button(page, "Commit")).to_be_visible()


def test_a_lab_without_gradients_does_not_speak_of_them(show):
    page = show(BroadcastLab((3, 1), (4,), told=True, gradients=False))
    page.get_by_text("As text").click()
    assert "is read by 4 elements of the result" in page.locator(".tlw-lab").inner_text()
    assert "gradient" not in page.locator(".tlw-lab").inner_text().lower()
    assert page.locator(".tlw-gradient").count() == 0
