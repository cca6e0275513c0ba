"""The Optimizer Lab: the ways are those of the library's own optimizers."""

from __future__ import annotations

import pytest

from tensorlab.widgets import OptimizerLab
from tests.widgets.lab_page import button

ENGINE, WORDS = "optimizer_lab/engine.js", "optimizer_lab/words.js"
LABS = [
    OptimizerLab(lr=0.04),
    OptimizerLab(lr=0.085, start=(3.0, -0.5)),
    OptimizerLab(lr=0.03, momentum=0.8, curvature=50),
    OptimizerLab(lr=0.01, momentum=1.0, curvature=1),
    OptimizerLab("Adam", lr=0.3),
    OptimizerLab("Adam", lr=0.001, curvature=7, start=(0.0, 2.0)),
    OptimizerLab(lr=1.0, momentum=1.0, curvature=50),  # leaves every picture, and ends early
]


def test_ways_are_the_librarys(call_js):
    ways = call_js([[ENGINE, "way", lab.state] for lab in LABS])
    for lab, found in zip(LABS, ways, strict=True):
        assert len(found) == len(lab.way)
        for here, there in zip(found, lab.way, strict=True):
            assert here == pytest.approx(there, rel=1e-9, abs=1e-12), lab
    assert len(ways[-1]) < 41


def test_states_that_cannot_be_are_refused_alike(call_js):
    good = LABS[0].state
    wrong = [
        {"start": [99, 0]},
        {"start": [1]},
        {"curvature": 0},
        {"curvature": 51},
        {"optimizer": "LBFGS"},
        {"rate": 0},
        {"rate": 1001},
        {"momentum": 101},
        {"momentum": -1},
    ]
    for changes, found in zip(wrong, call_js([[ENGINE, "check", {**good, **c}] for c in wrong]), strict=True):
        assert "refusal" in found, changes
        with pytest.raises((TypeError, ValueError)):
            OptimizerLab.checked({**good, **changes})
    assert call_js([[ENGINE, "check", good]]) == [{"state": good}]


def test_plain_sgd_multiplies_each_direction(call_js):
    lab = OptimizerLab(lr=0.07, curvature=25)
    ((along, across),) = call_js([[ENGINE, "factors", lab.state]])
    for (x, y), (next_x, next_y) in zip(lab.way, lab.way[1:], strict=False):
        assert (next_x, next_y) == pytest.approx((along * x, across * y))
    with_momentum = OptimizerLab(lr=0.07, momentum=0.5).state
    assert call_js([[ENGINE, "factors", with_momentum]]) == [None]


def test_the_start_moves_by_mouse_and_by_keys(show):
    page = show(OptimizerLab(key="slope"))
    handle = page.locator(".tlw-handle")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] - 30, steps=4)
    page.mouse.up()
    dragged = handle.get_attribute("aria-label")
    assert not dragged.startswith("start at (-4, 1)")
    page.keyboard.press("ArrowRight")
    assert handle.get_attribute("aria-label") != dragged


def test_a_preset_says_where_it_leads(show):
    page = show(OptimizerLab())
    button(page, "too long").click()
    assert "y grows" in page.locator(".tlw-optimizer-lab .tlw-note").inner_text()
    button(page, "no friction").click()
    assert "momentum=1" in page.locator(".tlw-line").inner_text()
    assert page.locator(".tlw-before").get_attribute("points")
