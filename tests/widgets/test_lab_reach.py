"""By keyboard, by ear, without JavaScript, and by a link: every way to a Storage Lab."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from tensorlab.widgets import StorageLab
from tests.site_fixtures import ROOT
from tests.widgets.lab_page import (
    button,
    element,
    focused,
    in_hand,
    reading,
    set_field,
    settled_hash,
    shown,
    slot,
)

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

AXE = ROOT / "tests" / "book" / "axe" / "axe.min.js"


def test_tab_reaches_every_control_once(show):
    page = show(StorageLab(shape=(3, 4)))
    names = []
    for _ in range(19):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate("(e => e.getAttribute('aria-label') ?? e.textContent)(document.activeElement)")
        )
    assert names == [
        *("shape", "stride", "offset", "storage length in cells", "dtype"),
        *("rows", "columns", "transpose", "every second", "windows", "broadcast", "overlap"),
        "[0, 0], value 0., storage cell 0",
        "storage cell 0, holds 0., reached by the tensor",
        *("Copy the Python line", "Predict", "Reset", "Copy link", "As text"),
    ]


def test_arrow_keys_move_the_element_in_hand(show):
    page = show(StorageLab(shape=(2, 3, 4)))
    element(page, 0, 0, 0).focus()
    for key, index in [
        ("ArrowRight", "0,0,1"),
        ("ArrowDown", "0,1,1"),
        ("End", "0,1,3"),
        ("ArrowRight", "0,1,3"),
        ("PageDown", "1,1,3"),
        ("PageDown", "1,1,3"),
        ("Home", "1,1,0"),
        ("ArrowUp", "1,0,0"),
        ("ArrowUp", "1,0,0"),
        ("PageUp", "0,0,0"),
        ("ArrowLeft", "0,0,0"),
    ]:
        page.keyboard.press(key)
        assert (key, focused(page)) == (key, index)
        assert in_hand(page)[0] == [index]
    assert page.locator(".tlw-cell[tabindex='0']").count() == 1


def test_the_storage_is_walked_by_keyboard_and_lights_the_tensor(show):
    page = show(StorageLab(shape=(2, 3), stride=(1, 1), cells=6))
    slot(page, 0).focus()
    page.keyboard.press("ArrowRight")
    assert focused(page) == "1"
    assert page.locator(".tlw-cell.tlw-sharing").count() == 2
    page.keyboard.press("End")
    assert "Storage cell 5 rests" in reading(page)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert in_hand(page)[0] == ["0,1"]


def test_the_arithmetic_is_announced(show):
    page = show(StorageLab(shape=(3, 4)))
    element(page, 0, 0).focus()
    page.keyboard.press("ArrowDown")
    status = page.locator("[role=status]")
    expect(status).to_have_text(
        "[1, 0], value 4., storage cell 4: offset 0 plus 1 times 4 plus 0 times 1; byte 16."
    )
    set_field(page, "offset", "0")
    set_field(page, "shape", "2, 2")
    expect(status).to_contain_text(
        "Shape (2, 2), strides (2, 1), offset 0, float32: 4 elements over a storage of 12 cells"
    )


def test_the_picture_has_a_text_twin(show):
    page = show(StorageLab(shape=(2, 2), stride=(1, 2), offset=1, cells=5))
    page.get_by_text("As text").click()
    table = page.locator(".tlw-twin table")
    expect(table).to_be_visible()
    assert table.locator("tbody tr").all_inner_texts() == [
        "[0, 0]\t1.\t1 + 0·1 + 0·2\t1\t4",
        "[0, 1]\t3.\t1 + 0·1 + 1·2\t3\t12",
        "[1, 0]\t2.\t1 + 1·1 + 0·2\t2\t8",
        "[1, 1]\t4.\t1 + 1·1 + 1·2\t4\t16",
    ]
    set_field(page, "offset", "0")
    assert table.locator("tbody tr").first.inner_text() == "[0, 0]\t0.\t0 + 0·1 + 0·2\t0\t0"


def refuse(page):
    set_field(page, "offset", "99")


def predict(page):
    page.get_by_role("button", name="Predict").click()


def predict_wrong(page):
    predict(page)
    slot(page, 11).click()


def open_twin(page):
    page.get_by_text("As text").click()


STATES = {
    "scalar": ({"shape": ()}, None),
    "vector": ({"shape": (5,)}, None),
    "empty": ({"shape": (0, 3), "cells": 4}, None),
    "cube": ({"shape": (2, 3, 2), "hand": (1, 1, 1)}, None),
    "shared": ({"shape": (3, 2), "stride": (0, 1), "cells": 4}, None),
    "refused": ({"shape": (3, 4)}, refuse),
    "asking": ({"shape": (3, 4)}, predict),
    "told": ({"shape": (2, 4), "cells": 12}, predict_wrong),
    "text": ({"shape": (3, 4)}, open_twin),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", STATES)
def test_axe_finds_nothing(show, name, theme):
    arguments, act = STATES[name]
    page = show(StorageLab(**arguments), theme=theme)
    if act is not None:
        act(page)
    page.add_script_tag(path=AXE)
    found = page.evaluate(
        """async () => (await axe.run(document.querySelector(".tlw"))).violations.flatMap(
          ({ id, help, nodes }) => nodes.map((node) => [id, help, node.html, node.failureSummary])
        )"""
    )
    assert found == []


def test_without_javascript_there_is_the_text_twin(show):
    page = show(StorageLab(shape=(2, 2)), scripts=False)
    assert "A tensor of shape (2, 2), strides (2, 1), offset 0, float32" in page.locator("body").inner_text()


def test_the_state_is_kept_in_the_address(show):
    page = show(StorageLab(shape=(3, 4), key="first"), StorageLab(shape=(5,), key="second"))
    assert page.evaluate("location.hash") == ""
    first, second = page.locator(".tlw-lab").nth(0), page.locator(".tlw-lab").nth(1)
    first.get_by_label("shape", exact=True).fill("2, 6")
    page.keyboard.press("Enter")
    settled_hash(page, "first=shape:2,6")
    second.locator('[data-index="3"]').click()
    state = settled_hash(page, "second=")
    assert "first=shape:2,6/stride:6,1/offset:0/cells:12/dtype:float32/hand:0,0" in state
    assert "second=shape:5/stride:1/offset:0/cells:5/dtype:float32/hand:3" in state
    page.reload()
    expect(first.locator(".tlw-line")).to_have_text("tl.arange(12, dtype=tl.float32).view(2, 6)")
    expect(second.locator(".tlw-cell.tlw-in-hand")).to_have_attribute("data-index", "3")
    first.get_by_role("button", name="Reset").click()
    page.wait_for_function("!location.hash.includes('first')")


def test_a_link_opens_in_its_state(show):
    page = show(
        StorageLab(shape=(3, 4), key="lab"),
        state="lab=shape:4,3/stride:1,4/offset:0/cells:12/dtype:int8/hand:3,2",
    )
    assert shown(page) == "tl.arange(12, dtype=tl.int8).view(3, 4).t()"
    assert in_hand(page) == (["3,2"], ["11"])
    page.evaluate("location.hash = 'lab=shape:12'")
    expect(page.locator(".tlw-line")).to_have_text("tl.arange(12, dtype=tl.float32)")


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("lab=shape:9,9", "element (8, 8) would lie in cell"),
        ("lab=nonsense", "which is no part of a lab's state"),
        ("lab=", "which is no part of a lab's state"),
        ("lab=shape:3,4/dtype:complex64", "there is no dtype"),
        ("lab=cells:%3Cscript%3E", "“<script>” is not one"),
    ],
)
def test_a_broken_link_is_refused_and_the_lab_lives(show, state, reason):
    page = show(StorageLab(shape=(3, 4), key="lab"), state=state)
    message = page.locator(".tlw-message")
    assert message.inner_text().startswith("The link's state was not used: ")
    assert reason in message.inner_text()
    assert shown(page) == "tl.arange(12, dtype=tl.float32).view(3, 4)"
    set_field(page, "shape", "2, 6")
    assert "link" not in message.inner_text()


@pytest.mark.parametrize("state", ["section-2", "other=shape:9", "lab", "%E0%A4%A", "lab=%E0%A4%A", "&&=&"])
def test_an_address_that_is_not_ours_changes_nothing(show, state):
    page = show(StorageLab(shape=(3, 4), key="lab"), state=state)
    assert shown(page) == "tl.arange(12, dtype=tl.float32).view(3, 4)"
    assert "link" not in page.locator(".tlw-message").inner_text()
    assert page.evaluate("location.hash.slice(1)") == state


def test_copying_the_line_and_the_link(show):
    page = show(StorageLab(shape=(3, 4), key="lab"))
    page.get_by_role("button", name="Copy the Python line").click()
    assert page.evaluate("navigator.clipboard.readText()") == "tl.arange(12, dtype=tl.float32).view(3, 4)"
    set_field(page, "shape", "2, 6")
    button(page, "Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert unquote(link).endswith("#lab=shape:2,6/stride:6,1/offset:0/cells:12/dtype:float32/hand:0,0")
    expect(button(page, "Copied")).to_be_visible()
