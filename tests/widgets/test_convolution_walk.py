"""The Convolution Walk: windows, cells and lines are those of the library's own views."""

from __future__ import annotations

import itertools

import pytest

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.widgets import ConvolutionWalk
from tests.widgets.lab_page import button, field, set_field, settled_hash

ENGINE, WORDS = "convolution_walk/engine.js", "convolution_walk/words.js"
SETTINGS = [
    {"image": (4, 6, 6)},
    {"image": (4, 6, 6), "kernel": 2, "stride": 2},
    {"image": (3, 6, 6), "padding": 1},
    {"image": (4, 7, 5), "dilation": 2},
    {"image": (2, 5, 8), "kernel": 2, "stride": 3, "padding": 1, "dilation": 3},
    {"image": (16, 4, 4), "line": 64},
    {"image": (4, 6, 6), "sees": "one", "line": 32},
    {"image": (1, 4, 6), "kernel": 1},  # one channel: both orders are the same
    {"image": (5, 1, 1), "kernel": 1},
]
LABS = [ConvolutionWalk(**{**s, "layout": name}) for s in SETTINGS for name in ("NCHW", "NHWC")]


def every_place(lab):
    return itertools.product(*map(range, lab.windows.shape[2:4]))


def test_the_view_is_the_librarys(call_js):
    views = call_js([[ENGINE, "windowView", lab.state, lab.state["layout"]] for lab in LABS])
    for lab, view in zip(LABS, views, strict=True):
        assert view == {"shape": list(lab.windows.shape), "stride": list(lab.windows.stride())}, lab


def test_a_window_reads_and_touches_what_the_librarys_does(call_js):
    cases = [(lab, place) for lab in LABS for place in every_place(lab)]
    names = [lab.state["layout"] for lab, _ in cases]
    lines = call_js(
        [[ENGINE, "linesTouched", lab.state, n, place] for (lab, place), n in zip(cases, names, strict=True)]
    )
    assert lines == [lab.lines(place) for lab, place in cases]
    seen = call_js([[ENGINE, "read", lab.state, place] for lab, place in cases])
    for (lab, (down, across)), elements in zip(cases, seen, strict=True):
        numbers = [lab.image[0, c, i, j].item() for c, i, j in elements]
        window = lab.windows[0, :, down, across]
        assert numbers == (window[:1] if lab.state["sees"] == "one" else window).flatten().tolist()


def test_cells_hold_what_the_library_put_there(call_js):
    for lab in LABS:
        shape = lab.image.shape[1:]
        elements = [list(index) for index in itertools.product(*map(range, shape))]
        cells = call_js([[ENGINE, "cellOf", lab.state, lab.state["layout"], element] for element in elements])
        assert sorted(cells) == list(range(lab.image.numel()))
        memory = tl.as_strided(lab.image, (lab.image.numel(),), (1,))
        values = call_js([[ENGINE, "valueAt", lab.state, element] for element in elements])
        assert [value or 0 for value in values] == [memory[cell].item() for cell in cells]


def test_columns_are_the_librarys(call_js):
    found = call_js([[ENGINE, "bytes", lab.state] for lab in LABS])
    for lab, sizes in zip(LABS, found, strict=True):
        assert sizes == {"image": lab.image.nbytes, "columns": lab.columns.nbytes}
        view = lab.windows.permute(0, 1, 4, 5, 2, 3)
        assert tl.equal(view.reshape(lab.columns.shape), lab.columns), lab
        assert lab.windows._storage is not lab.columns._storage


def test_the_line_of_python_makes_the_view(call_js):
    for lab, line in zip(LABS, call_js([[WORDS, "line", lab.state] for lab in LABS]), strict=True):
        channels, height, width = lab.state["image"]
        x = tl.arange(channels * height * width, dtype=tl.float32).view(1, channels, height, width)
        made = eval(line, {"tl": tl, "F": F, "x": x})
        assert made.stride() == lab.windows.stride()
        assert tl.equal(made, lab.windows)


def test_states_that_cannot_be_are_refused_alike(call_js):
    good = ConvolutionWalk((4, 6, 6)).state
    wrong = [
        {"image": [4, 6]},
        {"image": [4, 0, 6]},
        {"image": [4, 9, 9]},
        {"image": [4, 6, 6], "padding": 2},
        {"kernel": 0},
        {"stride": 0},
        {"padding": -1},
        {"dilation": 0},
        {"layout": "CHWN"},
        {"sees": "none"},
        {"line": 128},
    ]
    for changes, found in zip(wrong, call_js([[ENGINE, "check", {**good, **c}] for c in wrong]), strict=True):
        assert "refusal" in found, changes
        with pytest.raises((TypeError, ValueError)):
            ConvolutionWalk.checked({**good, **changes})
    assert call_js([[ENGINE, "check", good]]) == [{"state": good}]


def test_a_window_larger_than_its_image_is_refused_in_the_librarys_words(call_js):
    for changes in ({"kernel": 7}, {"dilation": 3}, {"image": [4, 6, 2]}):
        state = {**ConvolutionWalk((4, 6, 6)).state, **changes}
        (found,) = call_js([[ENGINE, "check", state]])
        with pytest.raises(RuntimeError) as error:
            ConvolutionWalk.checked(state)
        assert found["refusal"] == str(error.value)


def test_the_place_stays_within_the_image(call_js):
    state = {**ConvolutionWalk((4, 6, 6)).state, "place": [9, -1]}
    assert ConvolutionWalk.checked(state)["place"] == [3, 0]
    assert call_js([[ENGINE, "check", state]])[0]["state"]["place"] == [3, 0]


def test_the_text_twin_counts_lines_in_both_orders():
    twin = ConvolutionWalk((16, 4, 4), line=64).text_twin()
    assert "2304 bytes" in twin
    assert '<th scope="row">[0, 0]</th><td>16</td><td>9</td>' in twin


# ---- in a page


def test_a_walk_lights_the_window_and_its_lines(show, expect):
    page = show(ConvolutionWalk((4, 6, 6), key="w"))
    places = page.get_by_role("grid", name="Places")
    places.locator('[data-index="0,0"]').focus()
    page.keyboard.press("ArrowRight")
    expect(places.locator(".tlw-in-hand")).to_have_attribute("data-index", "0,1")
    lit = page.get_by_role("grid", name="Image").locator(".tlw-sharing")
    expect(lit).to_have_count(36)
    assert lit.first.get_attribute("data-index") == "0,0,1"
    lab = ConvolutionWalk((4, 6, 6))
    expect(page.locator(".tlw-touched")).to_have_count(len(lab.lines((0, 1))))
    expect(page.locator(".tlw-in-window")).to_have_count(36)
    assert "place:0,1" in settled_hash(page, "place:0,1")


def test_the_other_order_moves_cells_and_not_the_image(show, expect):
    page = show(ConvolutionWalk((4, 6, 6)))
    grid = page.get_by_role("grid", name="Image").locator(".tlw-cell")
    before = grid.all_inner_texts()
    field(page, "storage").select_option("NHWC")
    expect(page.locator(".tlw-touched")).to_have_count(9)
    assert grid.all_inner_texts() == before
    values = page.locator(".tlw-slot-value").all_inner_texts()
    assert values[:5] == ["0", "36", "72", "108", "1"]
    expect(page.locator(".tlw-line")).to_contain_text("channels_last")


def test_a_cell_of_the_storage_leads_to_its_window(show, expect):
    page = show(ConvolutionWalk((4, 6, 6), layout="NHWC"))
    page.locator('[data-cell="60"]').click()  # (60 - 0) / 24 is row 2, and 12 / 4 column 3
    expect(page.locator(".tlw-subject")).to_have_text("windows[0, :, 2, 3]")


def test_presets_and_fields_change_the_state(show, expect):
    page = show(ConvolutionWalk())
    button(page, "real lines").click()
    expect(page.locator(".tlw-reading")).to_contain_text("16 lines, 1,024 B")
    expect(page.locator(".tlw-reading")).to_contain_text("9 lines, 576 B")
    expect(button(page, "real lines")).to_have_attribute("aria-pressed", "true")
    set_field(page, "kernel", "5")
    expect(page.locator(".tlw-message")).to_contain_text("maximum size for tensor at dimension 2 is 4")
    set_field(page, "padding", "0")
    set_field(page, "channels, height, width", "4, 3, 3")
    set_field(page, "padding", "1")
    expect(page.locator(".tlw-zero").first).to_have_text("0")
