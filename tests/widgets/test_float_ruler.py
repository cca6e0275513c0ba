"""The Float Ruler: gaps, exponentials, shares and entropy are the library's own."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.widgets import FloatRuler
from tests.widgets.lab_page import settled_hash

ENGINE, WORDS = "float_ruler/engine.js", "float_ruler/words.js"
STATES = [
    {"logits": logits, "shift": shift}
    for logits in ([2, 1, 0], [0, 0], [10, 0, 0], [60, -60, 0], [0.5, -1.5, 3, 2.5, -120])
    for shift in (-1000, -100, 0, 50, 88, 1000)
]


def told(numbers):
    """Numbers as JSON brings them: it has no nan and no inf."""
    return [None if not math.isfinite(number) else pytest.approx(number, rel=1e-5) for number in numbers]


def labs():
    return [FloatRuler(state["logits"], shift=state["shift"]) for state in STATES]


def test_shares_and_entropy_are_the_librarys(call_js):
    numbers = call_js([[ENGINE, "values", state] for state in STATES])
    assert numbers == [lab.tensor.tolist() for lab in labs()]
    for lab, own, safe in zip(
        labs(),
        call_js([[ENGINE, "formula", each] for each in numbers]),
        call_js([[ENGINE, "softmax", each] for each in numbers]),
        strict=True,
    ):
        if lab.tensor.exp().amax().item() > 1e-30:  # below it a machine may take the smallest floats for 0
            assert own == told(lab.by_formula.tolist())
        assert safe == told(lab.softmax.tolist())
        assert call_js([[ENGINE, "entropy", safe]]) == [pytest.approx(lab.entropy, rel=1e-5, abs=1e-30)]


def test_gaps_are_those_of_float32(call_js):
    numbers = [0.0, 1.0, -1.0, 2.5, 1002.0, -99.5, 16777216.0]
    wanted = [float(np.spacing(np.float32(abs(number)))) for number in numbers]
    assert call_js([[ENGINE, "gap", number] for number in numbers]) == wanted


@pytest.mark.parametrize(
    ("number", "fate"),
    [(88.5, "fits"), (89, "overflow"), (-80, "fits"), (-104.5, "underflow"), (1000, "overflow")],
)
def test_the_fate_of_an_exponential(call_js, number, fate):
    power = tl.tensor(float(number)).exp().item()
    assert call_js([[ENGINE, "fate", number]]) == [fate]
    assert fate == ("overflow" if power == math.inf else "underflow" if power == 0 else "fits")


def test_the_line_of_python_makes_the_shares(call_js):
    for lab, line in zip(labs(), call_js([[WORDS, "line", state] for state in STATES]), strict=True):
        assert eval(line, {"tl": tl}).tolist() == lab.softmax.tolist()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"logits": [1]}, "2 to 5 logits are drawn, got 1"),
        ({"logits": [1] * 6}, "2 to 5 logits are drawn, got 6"),
        ({"logits": [121, 0]}, "logits go from -120 to 120 here, got 121"),
        ({"shift": 200000}, "up to 100000 is added to all, got 200000"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_both(call_js, changes, reason):
    (answer,) = call_js([[ENGINE, "check", {**FloatRuler().state, **changes}]])
    assert answer["refusal"].startswith(reason)
    with pytest.raises(ValueError, match=re.escape(reason)):
        FloatRuler(**{**FloatRuler().state, **changes})


def test_the_text_twin_tells_both_softmaxes():
    twin = FloatRuler([2, 1, 0], shift=1000).text_twin()
    assert twin.count("<td>nan</td>") == 3
    assert "0.832 nats" in twin


# ---- in a page


def test_a_thousand_more_breaks_the_formula_alone(show, expect):
    page = show(FloatRuler(key="r"))
    bars = page.locator(".tlw-shares")
    expect(bars.first).to_contain_text("0.665")
    page.get_by_role("button", name="+1000").click()
    expect(bars.first).to_have_text(re.compile("nan.*nan.*nan"))
    expect(bars.last).to_contain_text("0.665")
    expect(page.locator(".tlw-body .tlw-wrong").last).to_contain_text("inf / inf is nan")
    assert settled_hash(page, "shift:1000")
    page.get_by_role("button", name="Reset").click()
    expect(bars.first).to_contain_text("0.665")


def test_a_logit_moves_by_keyboard(show, expect):
    page = show(FloatRuler([0, 0]))
    slider = page.get_by_role("slider", name="logit 0")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".tlw-shares").last).to_contain_text("0.881")
    expect(slider).to_be_focused()
    expect(page.locator(".tlw-body")).to_contain_text("bits, at most 1")
