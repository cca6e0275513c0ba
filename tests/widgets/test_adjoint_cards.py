"""The Adjoint Cards: what each card makes, and which pairs belong together, is what the library says."""

from __future__ import annotations

import re

import pytest

import tensorlab as tl
from tensorlab.widgets import AdjointCards
from tensorlab.widgets.adjoint_cards.widget import THERE, fitting
from tests.widgets.lab_page import button, field, set_field, settled_hash

ENGINE, WORDS = "adjoint_cards/engine.js", "adjoint_cards/words.js"
PAIRS = [(there, back) for there in THERE for back in fitting(there)]
RIGHT = {
    ("flip", "flip"),
    ("permute", "permute-inverse"),
    ("slice", "slice-zeros"),
    ("take", "take-add"),
    ("expand", "sum"),
    ("sum", "expand"),
}


def test_the_cards_that_fit_are_the_same(call_js):
    assert call_js([[ENGINE, "fitting", there] for there in THERE]) == [fitting(there) for there in THERE]


def test_the_sums_are_the_librarys(call_js):
    states = [AdjointCards(*pair).state for pair in PAIRS]
    states += [{**state, "x": [-n for n in state["x"]], "y": state["y"][::-1]} for state in states]
    labs = [AdjointCards(s["there"], s["back"], x=s["x"], y=s["y"]) for s in states]
    found = call_js([[ENGINE, "sums", state] for state in states])
    for lab, (left, right) in zip(labs, found, strict=True):
        assert (left, right) == pytest.approx(lab.sums, rel=1e-6)


def test_the_numbers_to_begin_with_are_the_same(call_js):
    found = call_js([[ENGINE, "numbersFor", there, "scattered"] for there in THERE])
    for there, numbers in zip(THERE, found, strict=True):
        state = AdjointCards(there).state
        assert numbers == {"x": state["x"], "y": state["y"]}


def is_adjoint(there, back):
    lab = AdjointCards(there, back)
    x = lab.x.clone().requires_grad_()
    THERE[there][2](x).backward(lab.y)
    return tl.allclose(x.grad, lab.back)


def test_a_pair_is_what_backward_gives(call_js):
    found = call_js([[ENGINE, "isPair", *pair] for pair in PAIRS])
    assert {pair for pair, right in zip(PAIRS, found, strict=True) if right} == RIGHT
    for pair, right in zip(PAIRS, found, strict=True):
        lab = AdjointCards(*pair)
        assert is_adjoint(*pair) is right, pair
        assert (abs(lab.sums[0] - lab.sums[1]) < 1e-4) is right, "the scattered numbers tell them apart"


def test_ones_do_not_tell_a_wrong_permutation(call_js):
    lab = AdjointCards("permute", "permute-same", x=[1] * 8, y=[1] * 8)
    assert lab.sums == (8.0, 8.0)
    (said,) = call_js([[WORDS, "outcomeText", lab.state]])
    assert "too alike" in said


def test_the_line_of_python_gives_the_sums(call_js):
    labs = [AdjointCards(*pair) for pair in PAIRS]
    for lab, line in zip(labs, call_js([[WORDS, "lineText", lab.state] for lab in labs]), strict=True):
        left, right = eval(line, {"tl": tl, "x": lab.x, "y": lab.y})
        assert (left.item(), right.item()) == pytest.approx(lab.sums)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"there": "turn"}, "there is one of flip, permute"),
        ({"back": "flip"}, "back is one of take-write"),
        ({"x": [1, 2]}, "x has shape (3,) here, which is 3 numbers; got 2"),
        ({"y": [1, 2, 100]}, "numbers here go from -99 to 99"),
        ({"guess": "maybe"}, "a guess is one of pair, other"),
    ],
)
def test_a_lab_that_cannot_be_is_refused_alike(call_js, change, reason):
    lab = AdjointCards("take")
    (answer,) = call_js([[ENGINE, "check", {**lab.state, **change}]])
    assert answer["refusal"].startswith(reason)
    with pytest.raises(ValueError, match=re.escape(reason)):
        lab.change(**change)


def test_the_text_twin_folds_the_answer():
    before, after = AdjointCards("take", "take-write").text_twin().split("</summary>")
    assert "there(x), take" in before
    assert "<td>19</td>" not in before
    assert "<td>19</td>" in after
    assert "<td>16</td>" in after


# ---- in a page


def test_the_sums_come_after_the_prediction(show, expect):
    page = show(AdjointCards("take", "take-write"))
    told = page.locator(".tlw-told")
    expect(told).to_be_empty()
    button(page, "They belong together").click()
    expect(told).to_contain_text("Not so")
    expect(told).to_contain_text("= 19")
    expect(told).to_contain_text("= 16")
    expect(button(page, "Ask again")).to_be_focused()
    page.get_by_role("button", name="zeros, y added at [0, 0, 2]").click()
    expect(told).to_be_empty()
    button(page, "They belong together").click()
    expect(told).to_contain_text("Right.")
    expect(told).to_contain_text("for any x and y")


def test_numbers_that_are_too_alike_are_named(show, expect):
    page = show(AdjointCards("permute", "permute-same", told=True))
    told = page.locator(".tlw-told")
    expect(told).to_contain_text("The two sums differ")
    button(page, "ones").click()
    expect(told).to_contain_text("too alike to tell")
    set_field(page, "numbers of x", "1, 2")
    expect(page.locator(".tlw-message")).to_contain_text("x has shape (2, 2, 2) here")
    field(page, "numbers of x").press("Escape")
    expect(field(page, "numbers of x")).to_have_value("1, 1, 1, 1, 1, 1, 1, 1")


def test_cards_are_chosen_with_the_keyboard(show, expect):
    page = show(AdjointCards("flip", key="a"))
    card = page.get_by_role("button", name="x[::2]")
    card.focus()
    page.keyboard.press("Enter")
    expect(card).to_have_attribute("aria-pressed", "true")
    expect(card).to_be_focused()
    assert page.get_by_role("group", name="Back").get_by_role("button").count() == 2
    assert "there:slice/back:slice-twice" in settled_hash(page, "there:slice")
