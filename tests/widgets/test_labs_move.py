"""How the labs show a layout: the colours of memory, strides as arrows, named layouts, cells that fly."""

from __future__ import annotations

import re

import pytest

import tensorlab as tl
from tensorlab.figures import ink
from tensorlab.widgets import IndexingLab, StorageLab, StrideLab, ViewDoctor
from tensorlab.widgets.stride_lab.operations import apply
from tests.widgets.lab_page import button, element, field, in_hand, set_field, shown, slot

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

COLOUR = "e => getComputedStyle(e).backgroundColor"
FILL = "e => e.style.getPropertyValue('--fill')"
FLIGHTS = """(selector) => [...document.querySelectorAll(selector)].flatMap((e) =>
  e.getAnimations().filter((a) => a instanceof Animation && a.effect.getKeyframes()[0].transform).map(() =>
    e.dataset.index))"""
ROWS = """(lines) => lines.map((line) => [...line.children].map((cell) => cell.offsetTop))
  .map((tops) => [...new Set(tops)].map((top) => tops.filter((other) => other === top).length))"""
PRESETS = ("rows", "columns", "transpose", "every second", "windows", "broadcast", "overlap")


def cell(page, number):
    return slot(page, number).locator(".tlw-slot-value")


def hops(page):
    return page.locator(".tlw-hop-label").all_text_contents()


def steps_beside(page):
    return [text.strip() for text in page.locator(".tlw-step-arrow, .tlw-step-to").all_inner_texts()]


@pytest.mark.parametrize("cells", [1, 2, 7, 12])
def test_the_colours_are_those_of_the_figures(call_js, cells):
    numbers = range(cells)
    found = call_js([["shared/memory.js", "memoryFill", number, cells] for number in numbers])
    for number, fill in zip(numbers, found, strict=True):
        drawn = re.sub(r", #\w+", "", ink.memory(number / max(cells - 1, 1)))
        # Halfway is the end of one pair of colours and the start of the other.
        same = fill.replace("var(--tl-memory-0), var(--tl-memory-1) 100%", "var(--tl-memory-1) 0%")
        assert [same.replace(" ", ""), fill.replace(" ", "")].count(drawn.replace(" ", ""))


def test_a_cell_keeps_its_colour_wherever_it_is_shown(show):
    page = show(StorageLab(shape=(4, 3), stride=(1, 4), cells=14, hand=(3, 2)))
    assert element(page, 1, 2).evaluate(COLOUR) == cell(page, 9).evaluate(COLOUR)
    assert element(page, 1, 2).evaluate(COLOUR) != element(page, 2, 2).evaluate(COLOUR)
    at_rest = cell(page, 12).evaluate(COLOUR)
    assert at_rest == cell(page, 13).evaluate(COLOUR) == "rgb(229, 233, 240)"


def test_a_copy_has_the_same_colours_in_a_doubled_frame(show):
    page = show(StrideLab(shape=(2, 3), ops=[("flip", 1)], hand=(1, 1)))
    page.mouse.move(0, 0)
    assert page.locator(".tlw-storage.tlw-new-storage").count() == 1
    assert cell(page, 0).evaluate("e => getComputedStyle(e).borderTopStyle") == "double"
    flipped = element(page, 0, 0).evaluate(FILL)
    page.locator(".tlw-chip").first.click()
    assert page.locator(".tlw-new-storage").count() == 0
    assert element(page, 0, 2).evaluate(FILL) == flipped
    gathered = show(IndexingLab((3, 4), "[2, 0]", told=True))
    tensors = gathered.locator(".tlw-tensor")
    row = tensors.nth(0).locator('[data-index="2,3"]')
    assert tensors.nth(1).locator('[data-index="0,3"]').evaluate(FILL) == row.evaluate(FILL)
    assert tensors.nth(1).get_attribute("class") == "tlw-tensor tlw-copied-cells"
    doctor = show(ViewDoctor(tl.arange(6).view(2, 3).t(), target=(6,), told=True))
    first, copy = doctor.locator(".tlw-tape").all()
    assert copy.locator(".tlw-slot-value").all_inner_texts() == ["0", "3", "1", "4", "2", "5"]
    assert copy.locator('[data-cell="1"]').evaluate(FILL) == first.locator('[data-cell="3"]').evaluate(FILL)


def test_what_stride_0_reads_again_is_dashed_and_has_no_fill(show):
    page = show(StorageLab(shape=(2, 3), stride=(0, 1), cells=3))
    assert page.locator(".tlw-again").evaluate_all("found => found.map(e => e.dataset.index)") == [
        "1,0",
        "1,1",
        "1,2",
    ]
    again = element(page, 1, 1)
    assert again.evaluate(COLOUR) == "rgba(0, 0, 0, 0)"
    assert again.evaluate("e => getComputedStyle(e).borderTopStyle") == "dashed"


def test_strides_are_arrows_beside_the_tensor_and_on_the_line(show):
    page = show(StorageLab(shape=(3, 4)))
    assert steps_beside(page) == ["+4", "+1"]
    assert hops(page) == ["+4", "+1"]
    element(page, 2, 1).click()
    page.mouse.move(0, 0)
    assert hops(page) == ["2·4", "1·1"]
    set_field(page, "shape", "2, 2, 3")
    assert steps_beside(page) == ["+3", "+1", "+6", "+3", "+1"]
    set_field(page, "shape", "1, 4")
    assert steps_beside(page) == ["+1"]


def test_the_arrow_beside_the_tensor_leads_from_the_first_row_to_the_second(show):
    page = show(StorageLab(shape=(3, 4)))
    arrow = page.locator(".tlw-step-down").bounding_box()
    rows = [element(page, i, 0).bounding_box() for i in range(2)]
    middles = [row["y"] + row["height"] / 2 for row in rows]
    assert arrow["y"] == pytest.approx(middles[0], abs=1.5)
    assert arrow["y"] + arrow["height"] == pytest.approx(middles[1], abs=1.5)
    assert arrow["x"] + arrow["width"] < rows[0]["x"]


@pytest.mark.parametrize("shape", [(3, 4), (2, 5), (4, 2)])
def test_the_named_layouts_are_what_they_say(call_js, shape):
    r, c = shape
    x = tl.arange(r * c).view(r, c)
    wanted = {
        "rows": x,
        "columns": tl.arange(r * c).view(c, r).t(),
        "transpose": x.t(),
        "every second": x[:, ::2],
        "windows": tl.arange(r * c).unfold(0, c, 2)[: r + 2],
        "broadcast": x[0].expand(r, c),
        "overlap": x.as_strided((r, c), (1, 1)),
    }
    assert tuple(wanted) == PRESETS
    layouts, calls = call_js(
        [
            ["storage_lab/presets.js", "presetLayouts", shape, r * c],
            ["stride_lab/presets.js", "presetOperations", shape],
        ]
    )
    for name, view in wanted.items():
        assert layouts[name] == {"shape": list(view.shape), "stride": list(view.stride()), "offset": 0}
    made = dict.fromkeys(calls, x)
    for name, ops in calls.items():
        for op in ops:
            made[name] = apply(made[name], op)
    wanted["windows"] = x.unfold(1, min(3, c), 1)
    for name, view in wanted.items():
        assert made[name].tolist() == view.tolist(), name


@pytest.mark.parametrize("shape", [[], [5], [0, 3], [1, 4]])
def test_without_a_table_there_are_no_named_layouts(call_js, shape):
    layouts, calls = call_js(
        [
            ["storage_lab/presets.js", "presetLayouts", shape, tl.zeros(shape).numel()],
            ["stride_lab/presets.js", "presetOperations", shape],
        ]
    )
    assert layouts == calls == {}


def test_a_named_layout_is_shown_with_one_press(show):
    page = show(StorageLab(shape=(3, 4)))
    row = page.locator(".tlw-presets")
    assert row.locator("button").all_inner_texts() == list(PRESETS)
    expect(row.locator("[aria-pressed=true]")).to_have_text("rows")
    for name, line in {
        "transpose": "tl.arange(12, dtype=tl.float32).view(3, 4).t()",
        "columns": "tl.arange(12, dtype=tl.float32).view(4, 3).t()",
        "broadcast": "tl.arange(12, dtype=tl.float32).as_strided((3, 4), (0, 1), 0)",
    }.items():
        button(page, name).click()
        assert shown(page) == line
        expect(row.locator("[aria-pressed=true]")).to_have_text(name)
    set_field(page, "offset", "2")
    expect(row.locator("[aria-pressed=true]")).to_have_count(0)


def test_a_lab_offers_what_its_chapter_has_come_to(show):
    lab = StrideLab(shape=(3, 4), operations=("as_strided", "transpose"), presets=("overlap", "rows"))
    assert (lab.operations, lab.presets) == (["transpose", "as_strided"], ["rows", "overlap"])
    page = show(lab)
    assert page.locator(".tlw-operations button").all_inner_texts() == ["transpose", "as_strided"]
    assert page.locator(".tlw-presets button").all_inner_texts() == ["rows", "overlap"]
    assert page.get_by_text("view(-1)").count() == 0
    button(page, "overlap").click()
    assert page.locator(".tlw-chip").all_inner_texts()[-1] == ".as_strided((3, 4), (1, 1), 0) view · 0 B"
    whole = show(StrideLab(shape=(3, 4)))
    assert whole.locator(".tlw-operations button").count() == 15
    assert whole.get_by_text("view(-1)").count() == 1
    with pytest.raises(ValueError, match=r"there is no operation 'shear'; use transpose, permute"):
        StrideLab(operations=("shear",))
    with pytest.raises(ValueError, match=r"there is no preset 'diagonal'; use rows, columns"):
        StorageLab(presets=("diagonal",))
    assert show(StorageLab(presets=())).locator(".tlw-presets:visible").count() == 0


def test_cells_fly_to_their_new_places(show):
    page = show(StorageLab(shape=(2, 3), hand=(0, 1)))
    assert page.evaluate(FLIGHTS, ".tlw-cell") == []  # at first nothing has moved
    before = element(page, 1, 0).bounding_box()
    button(page, "transpose").click()
    page.wait_for_function(f"({FLIGHTS})('.tlw-cell').length > 0")
    flying = page.evaluate(FLIGHTS, ".tlw-cell")
    assert "0,0" not in flying  # cell 0 stays where it is
    assert set(flying) <= {"0,1", "1,0", "1,1", "2,0", "2,1"}
    page.wait_for_function(f"({FLIGHTS})('.tlw-cell').length === 0")
    expect(page.locator(".tlw-flying")).to_have_count(0)
    # Cell 3 was element (1, 0) and is (0, 1).
    assert element(page, 0, 1).inner_text() == "3."
    assert element(page, 1, 0).bounding_box()["x"] == pytest.approx(before["x"], abs=1)


def test_where_less_motion_is_wanted_nothing_flies(show):
    page = show(StorageLab(shape=(3, 4)))
    page.emulate_media(reduced_motion="reduce")
    button(page, "transpose").click()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(FLIGHTS, ".tlw-cell") == []
    assert element(page, 3, 2).inner_text() == "11."


def test_the_colours_give_no_prediction_away(show):
    page = show(StorageLab(shape=(3, 4)))
    button(page, "Predict").click()
    assert set(page.locator(".tlw-cell").evaluate_all(f"found => found.map({FILL})")) == {""}
    assert page.locator(".tlw-cell[data-at]").count() == 0


@pytest.mark.parametrize("width", [320, 360, 390])
def test_a_telephone_shows_a_whole_cache_line(show, width):
    page = show(StrideLab(shape=(4, 8), line=32), width=width, touch=True)
    lines = page.locator(".tlw-cache-line")
    assert lines.evaluate_all(ROWS) == [[8]] * 4
    for bytes_, rows in ((16, [4]), (64, [8, 8])):
        field(page, "cache line").select_option(str(bytes_))
        assert lines.evaluate_all(ROWS)[0] == rows
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    texts = page.locator(".tlw-slot-value").evaluate_all(
        "found => found.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"
    )
    assert texts == []


def test_the_element_in_hand_stays_in_hand_while_layouts_change(show):
    page = show(StorageLab(shape=(3, 4), hand=(1, 1)))
    button(page, "transpose").click()
    page.mouse.move(0, 0)
    assert in_hand(page) == (["1,1"], ["5"])
