"""The Stride Lab in a static page: no kernel, no network."""

from __future__ import annotations

import re

import pytest

from tensorlab.widgets import StrideLab
from tests.widgets.lab_page import (
    button,
    element,
    field,
    focused,
    in_hand,
    reading,
    set_field,
    settled_hash,
    slot,
)

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def operation(page, name):
    return page.locator(f'[data-operation="{name}"]')


def operate(page, name, **fields):
    if operation(page, name).get_attribute("aria-pressed") != "true":
        operation(page, name).click()
    for label, text in fields.items():
        field(page.locator(".tlw-form"), label).fill(text)
        field(page.locator(".tlw-form"), label).press("Tab")
    return page.locator(".tlw-preview").inner_text()


def chips(page):
    return page.locator(".tlw-chip").all_inner_texts()


def test_an_operation_is_previewed_and_applied(show):
    page = show(StrideLab(shape=(3, 4)))
    assert operate(page, "step", dim="1", start="0", stop="4", step="2") == (
        "x[:, ::2] gives shape (3, 2), strides (4, 2), offset 0: a view, 0 bytes moved."
    )
    button(page, "Apply").click()
    assert chips(page) == ["x start", "[:, ::2] view · 0 B"]
    assert page.locator(".tlw-cell").all_inner_texts() == ["0.", "2.", "4.", "6.", "8.", "10."]
    assert page.locator(".tlw-slot.tlw-reached").count() == 6
    operate(page, "flip", dims="0")
    button(page, "Apply").click()
    assert chips(page)[-1] == ".flip(0) copy · 24 B"
    assert page.locator(".tlw-slot-value").all_inner_texts() == ["8.", "10.", "4.", "6.", "0.", "2."]
    expect(page.locator(".tlw-line")).to_have_text(
        "tl.arange(12, dtype=tl.float32).view(3, 4)[:, ::2].flip(0)"
    )
    page.locator(".tlw-chip").first.click()
    assert chips(page) == ["x start"]


def test_a_view_that_fails_says_why_and_reshape_copies(show):
    page = show(StrideLab(shape=(3, 4), ops=[("transpose", 0, 1)]))
    expect(page.locator(".tlw-why")).to_have_text(
        "view(-1) fails here: dimensions 0 and 1 are not adjacent in memory. Dimension 0 steps 1 cell; to go "
        "on where dimension 1 ends it would have to step 3·4 = 12."
    )
    assert operate(page, "view", sizes="12") == (
        "raises an error: cannot view (4, 3) with strides (1, 4) as (12,): dimensions 0 and 1 are not "
        "adjacent in memory; reshape would copy 48 bytes."
    )
    expect(button(page, "Apply")).to_be_disabled()
    assert "a copy: 48 bytes moved into a new storage" in operate(page, "reshape", sizes="12")
    field(page.locator(".tlw-form"), "sizes").press("Enter")
    assert chips(page)[-1] == ".reshape(12) copy · 48 B"
    expect(page.locator(".tlw-why")).to_contain_text("view(-1) works here")


def test_pointing_lights_both_sides(show):
    page = show(StrideLab(shape=(8,), ops=[("unfold", 0, 3, 1)]))
    slot(page, 2).hover()
    lit = page.locator(".tlw-cell.tlw-sharing").evaluate_all("found => found.map(e => e.dataset.index)")
    assert lit == ["0,2", "1,1", "2,0"]
    assert "3 elements share this storage cell." in reading(page)
    element(page, 2, 1).hover()
    assert in_hand(page) == (["2,1"], ["3"])
    slot(page, 2).click()
    slot(page, 2).click()
    assert in_hand(page)[0] == ["1,1"]


def test_the_walk_counts_the_lines_that_it_fetches(show):
    page = show(StrideLab(shape=(3, 4), line=16))
    for _ in range(5):
        button(page, "Step").click()
    cost = page.locator(".tlw-cost")
    expect(cost).to_have_text(
        "5 of 12 numbers read, 2 cache lines of 16 B fetched: 32 B moved for 20 B used."
    )
    assert in_hand(page) == (["1,0"], ["4"])
    assert page.locator(".tlw-cache-line.tlw-was-fetched").count() == 2
    field(page, "walk").select_option("first")
    button(page, "Walk").click()
    expect(cost).to_have_text(
        "12 of 12 numbers read, 12 cache lines of 16 B fetched: 192 B moved for 48 B used.", timeout=10_000
    )
    assert page.locator(".tlw-strip .tlw-fetch").count() == 12
    field(page, "cache line").select_option("64")
    assert page.locator(".tlw-cache-line").count() == 1


def test_without_motion_the_walk_is_there_at_once(show):
    page = show(StrideLab(shape=(3, 4)))
    page.emulate_media(reduced_motion="reduce")
    button(page, "Walk").click()
    expect(page.locator(".tlw-cost")).to_contain_text("12 of 12 numbers read, 3 cache lines")


def test_a_prediction_is_committed_before_the_reveal(show):
    page = show(StrideLab(shape=(3, 4)))
    button(page, "Predict").click()
    assert "strides (1, 4)" not in operate(page, "transpose")
    assert page.get_by_role("button", name="Apply").count() == 0
    button(page, "Commit").click()
    verdict = page.locator(".tlw-form .tlw-sentence")
    expect(verdict).to_have_text("Choose view, copy or error first.")
    page.get_by_role("radio", name="view").check()
    for name, text in (("shape", "4, 3"), ("strides", "3, 1"), ("offset", "0")):
        field(page, f"predicted {name}").fill(text)
    page.keyboard.press("Enter")
    expect(verdict).to_have_text(
        "Not so: the strides are (1, 4), not (3, 1). It gives shape (4, 3), strides (1, 4), offset 0: a "
        "view, 0 bytes moved. 0 of 1 right so far."
    )
    assert chips(page)[-1] == ".transpose(0, 1) view · 0 B"
    operate(page, "view", sizes="12")
    page.get_by_role("radio", name="error").check()
    button(page, "Commit").click()
    expect(verdict).to_contain_text(
        "Right: it raises an error: cannot view (4, 3) with strides (1, 4) as (12,)"
    )
    expect(verdict).to_contain_text("1 of 2 right so far.")


def test_a_walk_that_is_paused_stays_where_it_is(show):
    page = show(StrideLab(shape=(4, 6), key="w"))
    button(page, "Walk").click()
    expect(page.locator(".tlw-cost")).to_contain_text(re.compile(r"^([3-9]|1\d) of 24 numbers read"))
    button(page, "Pause").click()
    done = page.locator(".tlw-cost").inner_text()
    hand = in_hand(page)[0][0]
    page.wait_for_timeout(700)
    assert page.locator(".tlw-cost").inner_text() == done
    assert f"hand:{hand}" in settled_hash(page, f"hand:{hand}")
    button(page, "Go on").click()
    expect(page.locator(".tlw-cost")).to_contain_text("24 of 24 numbers read", timeout=20_000)


def test_the_lines_of_a_walk_are_predicted_too(show):
    page = show(StrideLab(shape=(2, 4)))
    page.emulate_media(reduced_motion="reduce")
    button(page, "Predict").click()
    button(page, "Walk").click()
    page.get_by_label("How many times will the walk fetch a cache line?").fill("8")
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-stroll .tlw-sentence")).to_have_text("Not 8: 2 fetches. 0 of 1 right so far.")


def test_the_keyboard_reaches_everything(show):
    page = show(StrideLab(shape=(3, 4)))
    operation(page, "transpose").focus()
    page.keyboard.press("ArrowRight")
    expect(operation(page, "permute")).to_be_focused()
    page.keyboard.press("Enter")
    field(page, "dims").focus()
    page.keyboard.press("Enter")
    assert chips(page)[-1] == ".permute(1, 0) view · 0 B"
    element(page, 0, 0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert focused(page) == "1,1"
    assert in_hand(page) == (["1,1"], ["5"])


def test_a_shape_for_which_the_operations_make_no_sense_clears_them(show):
    page = show(StrideLab(shape=(3, 4), ops=[("transpose", 0, 1)]))
    set_field(page, "shape", "5")
    assert chips(page) == ["x start"]
    set_field(page, "shape", "99, 99")
    expect(page.locator(".tlw-message")).to_contain_text(
        "the lab draws up to 4096 elements; this would have 9801"
    )
    assert page.locator(".tlw-cell").count() == 5


def test_operations_that_went_are_brought_back(show):
    page = show(StrideLab((3, 4), ops=[("transpose", 0, 1)]))
    before = page.locator(".tlw-line").inner_text()
    set_field(page, "shape", "6")
    expect(page.locator(".tlw-chain")).to_contain_text("did not fit the new shape.")
    button(page, "Bring back").click()
    expect(page.locator(".tlw-line")).to_have_text(before)
    expect(button(page, "Bring back")).to_have_count(0)


def test_the_focus_stays_in_the_form_after_an_operation(show):
    page = show(StrideLab((3, 4)))
    operation(page, "transpose").click()
    apply = page.locator(".tlw-go")
    apply.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-line")).to_contain_text("transpose")
    expect(apply).to_be_focused()
    page.keyboard.press("Enter")
    assert page.locator(".tlw-line").inner_text().count("transpose") == 2


def test_the_state_is_in_the_address(show):
    page = show(StrideLab(shape=(3, 4), key="one"))
    operate(page, "transpose")
    button(page, "Apply").click()
    text = settled_hash(page, "transpose")
    assert "one=shape:3,4/dtype:float32/ops:transpose(0,1)/hand:0,0/line:16/walk:last" in text
    again = show(StrideLab(shape=(2, 2), key="one"), state=text[1:])
    assert chips(again) == ["x start", ".transpose(0, 1) view · 0 B"]
    button(again, "Reset").click()
    assert chips(again) == ["x start"]
    wrong = show(StrideLab(key="one"), state="one=ops:view(5)")
    expect(wrong.locator(".tlw-message")).to_contain_text(
        "The link's state was not used: shape [5] is invalid"
    )


def test_the_text_twin_says_what_the_picture_shows(show):
    page = show(StrideLab(shape=(3, 4), ops=[("transpose", 0, 1)]))
    page.get_by_text("As text").click()
    expect(page.locator(".tlw-twin table")).to_have_count(2)
    steps, elements = page.locator(".tlw-twin table").all()
    assert steps.locator("tbody tr").last.inner_text().split("\t") == [
        ".transpose(0, 1)",
        "(4, 3)",
        "(1, 4)",
        "0",
        "a view, 0 bytes moved",
    ]
    assert elements.locator("tbody tr").count() == 12
