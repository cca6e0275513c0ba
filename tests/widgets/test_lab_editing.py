"""Editing the layout and predicting an address in a static page."""

from __future__ import annotations

import re

import ipywidgets
import pytest

from tensorlab.widgets import StorageLab
from tests.widgets.lab_page import button, element, field, in_hand, reading, set_field, shown, slot

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def test_editing_the_layout_redraws_it(show):
    page = show(StorageLab(shape=(3, 4)))
    set_field(page, "shape", "(2, 6)")
    assert shown(page) == "tl.arange(12, dtype=tl.float32).view(2, 6)"
    assert field(page, "stride").input_value() == "6, 1"
    set_field(page, "stride", "1, 2")
    assert shown(page) == "tl.arange(12, dtype=tl.float32).view(6, 2).t()"
    set_field(page, "storage length in cells", "20")
    set_field(page, "offset", "3")
    assert shown(page) == "tl.arange(20, dtype=tl.float32).as_strided((2, 6), (1, 2), 3)"
    set_field(page, "shape", "")
    assert shown(page) == "tl.arange(20, dtype=tl.float32)[3]"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        (
            "offset",
            "1",
            "element (2, 3) would lie in cell 1 + 2·4 + 3·1 = 12, and the storage has cells 0 … 11",
        ),
        ("offset", "-1", "the offset -1 is negative; a storage begins with cell 0"),
        (
            "shape",
            "4, 4",
            "element (3, 3) would lie in cell 0 + 3·4 + 3·1 = 15, and the storage has cells 0 … 11",
        ),
        ("shape", "3, -4", "the size -4 of dimension 1 is negative; sizes are 0 or more"),
        ("shape", "3; 4", "the shape is a list of whole numbers such as 3, 4; “3;” is not one"),
        ("stride", "4", "2 sizes need 2 strides, got 1"),
        ("stride", "4, -1", "the stride -1 of dimension 1 is negative; strides are 0 or more"),
        ("storage length in cells", "5", "and the storage has cells 0 … 4"),
        ("offset", "two", "the offset is one whole number; “two” is not one"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(show, name, text, reason):
    page = show(StorageLab(shape=(3, 4)))
    before = shown(page)
    set_field(page, name, text)
    assert reason in page.locator(".tlw-message").inner_text()
    assert page.locator(".tlw-message").inner_text().startswith("Refused, the picture stays: ")
    assert shown(page) == before
    assert field(page, name).input_value() == text
    expect(field(page, name)).to_have_attribute("aria-invalid", "true")
    assert reason in page.locator("[role=status]").inner_text()
    page.keyboard.press("Escape")
    assert field(page, name).input_value() != text
    assert page.locator("[aria-invalid]").count() == 0
    assert "Refused" not in page.locator(".tlw-message").inner_text()


def test_minus_zero_is_zero(show):
    page = show(StorageLab(shape=(3, 4)))
    set_field(page, "shape", "-0")
    assert "numel 0" in page.locator(".tlw-facts").inner_text().replace("\n", " ")
    assert "-0" not in page.locator(".tlw-lab").inner_text() + field(page, "shape").input_value()


def test_fields_that_only_fit_together_can_be_entered_one_by_one(show):
    page = show(StorageLab(shape=(4, 3), stride=(1, 4)))
    set_field(page, "shape", "3, 4")
    assert "Refused" in page.locator(".tlw-message").inner_text()
    set_field(page, "stride", "4, 1")
    assert shown(page) == "tl.arange(12, dtype=tl.float32).view(3, 4)"
    assert page.locator("[aria-invalid]").count() == 0


def test_a_refused_draft_stays_while_the_reader_looks_around(show):
    page = show(StorageLab(shape=(3, 4)))
    set_field(page, "offset", "9")
    element(page, 1, 1).click()
    page.wait_for_timeout(50)
    assert field(page, "offset").input_value() == "9"
    assert "Refused" in page.locator(".tlw-message").inner_text()
    assert in_hand(page) == (["1,1"], ["5"])


def test_arrow_keys_change_the_number_at_the_caret(show):
    page = show(StorageLab(shape=(3, 4), cells=40))
    shape = field(page, "shape")
    shape.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    assert shape.input_value() == "4, 4"
    page.keyboard.press("End")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert shape.input_value() == "4, 1"
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert shape.input_value() == "4, 0"
    assert "No elements: a size is 0." in page.locator(".tlw-plates").inner_text()


def test_steppers_are_for_the_pointer(show):
    page = show(StorageLab(shape=(3, 4), cells=20))
    button(page, "increase offset").click(click_count=3)
    assert field(page, "offset").input_value() == "3"
    button(page, "decrease offset").click()
    assert field(page, "offset").input_value() == "2"
    assert shown(page).endswith("(4, 1), 2)")


def test_a_linked_slider_drives_the_lab_as_far_as_the_layout_fits(show):
    lab = StorageLab(shape=(3, 4), cells=14)
    slider = ipywidgets.IntSlider(min=0, max=9)
    ipywidgets.jslink((slider, "value"), (lab, "offset"))
    page = show(slider, lab)
    handle = page.locator(".noUi-handle")
    handle.focus()
    for offset, standing in [(1, 1), (2, 2), (3, 2), (4, 2)]:
        page.keyboard.press("ArrowRight")
        expect(field(page, "offset")).to_have_value(str(standing))
        assert shown(page).endswith(f"(4, 1), {standing})")
        refused = f"would lie in cell {offset} + 2·4 + 3·1" in page.locator(".tlw-message").inner_text()
        assert refused == (offset != standing)
    page.keyboard.press("Home")
    expect(field(page, "offset")).to_have_value("0")
    assert "Refused" not in page.locator(".tlw-message").inner_text()


def test_reset_goes_back_to_the_beginning(show):
    page = show(StorageLab(shape=(3, 4), hand=(1, 1)))
    set_field(page, "shape", "2, 3")
    element(page, 0, 2).click()
    button(page, "Reset").click()
    assert shown(page) == "tl.arange(12, dtype=tl.float32).view(3, 4)"
    assert in_hand(page) == (["1,1"], ["5"])


def test_a_prediction_is_asked_for_before_the_answer_is_shown(show):
    page = show(StorageLab(shape=(3, 4), stride=(4, 1), offset=2, cells=16))
    button(page, "Predict").click()
    assert set(page.locator(".tlw-cell").all_inner_texts()) == {"?"}
    assert page.locator(".tlw-reached").count() == 0
    assert page.locator(".tlw-hop").count() == 0
    element(page, 1, 2).click()
    assert in_hand(page) == (["1,2"], [])
    slot(page, 8).hover()
    assert in_hand(page) == (["1,2"], [])
    assert "In which storage cell does [1, 2] lie?" in reading(page)
    assert "= ?" in reading(page)
    assert "1·4" not in reading(page)
    slot(page, 7).click()
    assert "Not 7: [1, 2] lies in cell 8. 0 of 1 right so far." in reading(page)
    assert in_hand(page) == (["1,2"], ["8"])
    assert page.locator(".tlw-missed").get_attribute("data-cell") == "7"


def test_the_arrow_keys_choose_what_to_predict(show):
    page = show(StorageLab(shape=(3, 4), hand=(0, 0)))
    button(page, "Predict").click()
    element(page, 0, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert in_hand(page) == (["1,2"], [])
    assert "In which storage cell does [1, 2] lie?" in reading(page)


def test_a_prediction_by_keyboard(show):
    page = show(StorageLab(shape=(3, 4)))
    button(page, "Predict").focus()
    page.keyboard.press("Enter")
    index = [int(i) for i in page.locator(".tlw-cell.tlw-in-hand").get_attribute("data-index").split(",")]
    page.get_by_label("storage cell", exact=True).fill("x")
    page.keyboard.press("Enter")
    assert "the storage cell is one whole number; “x” is not one" in reading(page)
    page.get_by_label("storage cell", exact=True).fill(str(4 * index[0] + index[1]))
    page.keyboard.press("Enter")
    assert re.search(
        rf"Right: \[{index[0]}, {index[1]}\] lies in cell \d+\. 1 of 1 right so far\.", reading(page)
    )
    expect(button(page, "Next")).to_be_focused()
    page.keyboard.press("Enter")
    assert "In which storage cell" in reading(page)
    expect(page.get_by_label("storage cell", exact=True)).to_be_focused()
    button(page, "Predict").press("Enter")
    assert "?" not in page.locator(".tlw-cell").all_inner_texts()
