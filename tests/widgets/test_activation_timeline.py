"""The Activation Timeline: what its engine says is alive is what the library keeps."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from tensorlab.widgets import ActivationTimeline
from tensorlab.widgets.activation_timeline.widget import STEPS
from tests.widgets.lab_page import button, field, settled_hash

ENGINE, WORDS = "activation_timeline/engine.js", "activation_timeline/words.js"


def cases():
    """Chains of every two steps, and longer ones drawn at random, with all sizes of checkpoints."""
    source = random.Random(11)
    chains = [list(pair) for pair in itertools.product(STEPS, repeat=2)]
    chains += [source.choices([*STEPS], k=source.randint(3, 8)) for _ in range(40)]
    return [
        ActivationTimeline(chain, segment=segment, recording=recording).state
        for chain in chains
        for segment in {0, 1, 2, 3, len(chain)}
        if segment <= len(chain)
        for recording in ((True, False) if segment == 0 else (True,))
    ]


def kept(states):
    """For each state, what the library keeps: for each moment, for each result."""
    lab, found = ActivationTimeline(), []
    for state in states:
        lab.state = state
        found.append([list(living) for living in zip(*lab.lives.values(), strict=True)])
    return found


def test_what_is_alive_is_what_the_library_keeps(call_js, interpreted):
    states = cases()
    found = call_js([[ENGINE, "alive", state] for state in states])
    for state, got, want in zip(states, found, interpreted(kept, states), strict=True):
        assert got == want, state


def test_a_result_is_freed_after_the_last_moment_at_which_it_is_alive(call_js):
    states = [ActivationTimeline(result=result).state for result in range(1, 7)]
    found = call_js([[ENGINE, "freedBy", state, state["result"]] for state in states])
    lives = ActivationTimeline().lives.values()
    assert found == [max(n for n, here in enumerate(alive) if here) + 1 for alive in lives]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"steps": ["sin"]}, "a chain has 2 to 8 steps, got 1"),
        ({"steps": ["sin"] * 9}, "a chain has 2 to 8 steps, got 9"),
        ({"steps": ["sin", "cos"]}, "a step is one of add, mul, sin, square, exp, tanh, relu"),
        ({"segment": 7}, "a segment has 0 to 6 steps, got 7"),
        ({"segment": -1}, "a segment has 0 to 6 steps, got -1"),
        ({"pieces": 3}, "the batch is cut into"),
        ({"result": 0}, "there are results 1 to 6, not 0"),
    ],
)
def test_a_lab_that_cannot_be_is_refused(call_js, arguments, reason):
    with pytest.raises(ValueError, match=re.escape(reason)):
        ActivationTimeline(**arguments)
    (answer,) = call_js([[ENGINE, "check", {**ActivationTimeline().state, **arguments}]])
    assert reason in answer["refusal"]


def test_a_guess_beyond_the_end_is_refused(call_js):
    for guess in (-1, 14):
        with pytest.raises(ValueError, match="there are moments 0 to 13"):
            ActivationTimeline().change(guess=guess)
        (answer,) = call_js([[ENGINE, "check", {**ActivationTimeline().state, "guess": guess}]])
        assert "there are moments 0 to 13" in answer["refusal"]


def test_the_line_of_python_shows_the_same(call_js):
    import tensorlab as tl

    for lab in (ActivationTimeline(segment=2), ActivationTimeline(recording=False)):
        (line,) = call_js([[WORDS, "line", lab.state]])
        assert list(eval(line, {"tl": tl}).values()) == list(lab.lives.values())


def test_the_text_twin_folds_the_answer():
    before, after = ActivationTimeline().text_twin().split("</summary>")
    assert "alive after" not in before
    assert "3, 4, 5, 6, 7, 8, 9, 10, 11" in after


# ---- in a page


def test_nothing_is_alive_before_the_prediction(show, expect):
    page = show(ActivationTimeline(key="t"))
    assert page.locator(".tlw-at-alive").count() == 0
    field(page, "freed by").select_option("11")
    button(page, "Commit").click()
    expect(page.locator(".tlw-told")).to_contain_text("Right.")
    expect(page.locator(".tlw-told")).to_contain_text("exp (3) and square (4) save it")
    assert page.locator(".tlw-at-alive").count() == sum(map(sum, ActivationTimeline().lives.values()))
    assert "guess:11/told:yes" in settled_hash(page, "told:yes")


def test_a_wrong_moment_is_explained_and_another_choice_asks_anew(show, expect):
    page = show(ActivationTimeline())
    field(page, "freed by").select_option("3")
    button(page, "Commit").click()
    expect(page.locator(".tlw-told")).to_contain_text("Not so: after square forward (4) it is still needed.")
    field(page, "checkpoints").select_option("6")
    assert page.locator(".tlw-at-alive").count() == 0
    field(page, "step 1").select_option("exp")
    expect(field(page, "example")).to_have_value("your own")
    page.get_by_label("recording").uncheck()
    expect(field(page, "freed by").locator("option")).to_have_count(7)


def test_a_click_into_the_asked_row_chooses_the_moment(show, expect):
    page = show(ActivationTimeline())
    page.locator(".tlw-at-asked").nth(5).click()
    expect(field(page, "freed by")).to_have_value("5")
