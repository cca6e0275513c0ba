"""Links to a lab's state: they ask and don't answer, and what cannot be is said, also aloud."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.widgets import (
    AdjointCards,
    BroadcastLab,
    IndexingLab,
    MatmulLab,
    PromotionLattice,
    ReductionLab,
    StorageLab,
    StrideLab,
    TapePlayer,
    ViewDoctor,
)
from tests.widgets.lab_page import button, field, set_field, settled_hash, shown

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

TOLD = {
    "adjoint": lambda: AdjointCards("take", "take-write", told=True),
    "broadcast": lambda: BroadcastLab((3, 1), (4,), told=True),
    "doctor": lambda: ViewDoctor(shape=(2, 3), told=True),
    "indexing": lambda: IndexingLab((3, 4), "[0, 2]", told=True),
    "matmul": lambda: MatmulLab((2, 3), (3, 4), told=True),
    "promotion": lambda: PromotionLattice(tl.int8, tl.int16, told=True),
    "reduction": lambda: ReductionLab((2, 3), dims=(0,), told=True),
    "tape": lambda: TapePlayer("x * w", x=2, w=3, told=True),
}


def spoken(page):
    return page.locator(".tlw-lab [role=status].tlw-hidden").first


@pytest.mark.parametrize("name", TOLD)
def test_a_link_asks_and_gives_no_answer(show, name):
    page = show(TOLD[name]())
    button(page, "Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    for word in ("told", "guess", "refused", "pair", "marks", "answer", "says", "stretch"):
        assert word not in link
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_function("document.querySelector('.tlw-lab .tlw-actions')")
    assert page.get_by_role("button", name="Ask me").count() == 0
    told = page.locator(".tlw-told, .tlw-outcome").first
    assert told.inner_text() == ""


@pytest.mark.parametrize("lab", [StorageLab, StrideLab])
def test_a_link_that_cannot_be_is_said_aloud_and_leaves_the_address(show, lab):
    page = show(lab(shape=(3, 4), key="lab"), state="lab=shape:-9&other=1")
    expect(page.locator(".tlw-message")).to_contain_text("The link's state was not used: ")
    expect(spoken(page)).to_contain_text("The link's state was not used: ")
    page.wait_for_function("location.hash === '#other=1'")


@pytest.mark.parametrize("lab", [StorageLab, StrideLab])
def test_page_and_lab_say_the_same(show, lab):
    page = show(lab(shape=(3, 4), key="lab"))
    first = shown(page)
    set_field(page, "shape", "2, 6")
    settled_hash(page, "lab=shape:2,6")
    # A section's name leaves the lab as it is; in an address of other states this lab is as at first.
    page.evaluate("location.hash = 'section'")
    page.wait_for_timeout(50)
    assert shown(page) != first
    page.evaluate("location.hash = 'other=1'")
    expect(page.locator(".tlw-line")).to_have_text(first)


def test_announcements_are_sentences_apart(show):
    page = show(BroadcastLab((3, 1), (4,)))
    field(page, "shape of the result").fill("3, 4")
    page.keyboard.press("Enter")
    expect(spoken(page)).to_contain_text(
        "Right: the result is (3, 4). Not so: shapes are aligned from the right;"
    )
    expect(spoken(page)).to_contain_text("dimension 0. Stretching moves 0 bytes")


def test_escape_ends_the_questions(show):
    page = show(StorageLab(shape=(3, 4)))
    button(page, "Predict").click()
    expect(page.locator(".tlw-message")).to_have_text(
        "Choose a storage cell, or type its number. Escape ends the questions."
    )
    field(page, "storage cell").press("Escape")
    expect(button(page, "Predict")).to_be_focused()
    expect(button(page, "Predict")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".tlw-message")).to_contain_text("Point at a cell")
    assert page.locator(".tlw-cell").first.inner_text() == "0."
