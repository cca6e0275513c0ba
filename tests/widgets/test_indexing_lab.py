"""The Indexing Lab: what an index takes in the page is what the library takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tensorlab as tl
from tensorlab.widgets import IndexingLab
from tensorlab.widgets.indexing_lab.parse import parse_index
from tests.widgets.lab_page import button, field, settled_hash

ENGINE, PARSE = "indexing_lab/engine.js", "indexing_lab/parse.js"
CASES = json.loads((Path(__file__).parent / "index_cases.json").read_text(encoding="utf-8"))


def taken(call_js, cases):
    items = [answer["items"] for answer in call_js([[PARSE, "parseIndex", text] for _, text in cases])]
    return call_js([[ENGINE, "take", shape, i] for (shape, _), i in zip(cases, items, strict=True)])


def test_an_index_takes_what_the_library_takes(call_js):
    for (shape, text), found in zip(CASES, taken(call_js, CASES), strict=True):
        lab = IndexingLab(shape, text)
        if lab.result is None:
            assert found == {"refusal": lab.reason}, (shape, text)
            continue
        assert (found["kind"] == "view") == lab.is_view, (shape, text)
        assert found["shape"] == list(lab.result.shape), (shape, text)
        assert found["sources"] == lab.result.reshape(-1).tolist(), (shape, text)
        if lab.is_view:
            layout = (tuple(found["stride"]), found["offset"])
            assert layout == (lab.result.stride(), lab.result.storage_offset()), (shape, text)


def test_the_cases_show_views_copies_and_refusals(call_js):
    assert {found.get("kind", "refused") for found in taken(call_js, CASES)} == {"view", "copy", "refused"}


def test_duplicates_are_counted_as_the_library_counts_them(call_js):
    cases = [case for case in CASES if IndexingLab(*case).result is not None]
    sources = [found["sources"] for found in taken(call_js, cases)]
    times = call_js([[ENGINE, "timesNamed", c[0], s] for c, s in zip(cases, sources, strict=True)])
    for (shape, text), counts in zip(cases, times, strict=True):
        x = IndexingLab(shape, text).tensor
        index = parse_index(text, x)
        once = tl.zeros_like(x)
        once[index] += 1
        assert once.view(-1).tolist() == [min(count, 1) for count in counts], (shape, text)
        lists = [tl.tensor(item) for item in index if isinstance(item, list) and item]
        if lists and len(lists) == len(index):
            every = tl.zeros_like(x).index_put_(tuple(lists), tl.tensor(1), accumulate=True)
            assert every.view(-1).tolist() == counts, (shape, text)


NO_INDEX = [
    "",
    "x",
    "1.5",
    "x > y",
    "1;2",
    "[1, True]",
    "[[0, 1]]",
    "f(1)",
    "x % 0 == 1",
    "1:2:3:4",
    "[0",
    "..., ...",
    "x[0]",
    "0 < x < 3",
    "1 +",
    "__import__('os')",
    "1000000000000000000",
    "(x, 1)",
    "x + 1 == 2",
    "abc:",
]


@pytest.mark.parametrize("text", NO_INDEX)
def test_other_text_is_refused_on_both_sides(call_js, text):
    (answer,) = call_js([[PARSE, "parseIndex", text]])
    assert list(answer) == ["refusal"]
    with pytest.raises(ValueError, match=r"nothing that this lab reads|one \.\.\. at most"):
        IndexingLab((3, 4), text)


@pytest.mark.parametrize(
    ("prediction", "wrong"),
    [
        ({}, []),
        ({"says": "view"}, ["a list or a mask gathers a copy"]),
        ({"guess": [2]}, ["the result has shape (2, 4)"]),
        ({"refused": True}, ["it works"]),
        ({"index": "7", "refused": False}, ["it raises an error"]),
        ({"index": "7", "refused": True}, []),
        ({"index": "1:", "says": "copy"}, ["numbers, slices, None and ... make a view"]),
    ],
)
def test_what_is_wrong_with_a_prediction_is_said(call_js, prediction, wrong):
    state = {"shape": [3, 4], "index": "[0, 2]", "says": "copy", "guess": [2, 4], "refused": False}
    assert call_js([[ENGINE, "mistakes", {**state, **prediction}]]) == [wrong]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"shape": [0, 4]}, ValueError, "sizes 1 or more"),
        ({"shape": [2, 2, 2, 2]}, ValueError, "1 to 3 dimensions"),
        ({"shape": [12, 13]}, ValueError, "this would have 156"),
        ({"index": 3}, TypeError, "the index is a text"),
        ({"says": "both"}, ValueError, "says is 'view', 'copy' or None"),
    ],
)
def test_nonsense_never_arrives(change, error, reason):
    lab = IndexingLab()
    before = dict(lab.state)
    with pytest.raises(error, match=re.escape(reason)):
        lab.set_state({"state": {**lab.state, **change}})
    assert lab.state == before


def test_the_text_twin_folds_the_answer():
    before, after = IndexingLab((2, 2), "[1, 1]").text_twin().split("</summary>")
    assert "gathered" not in before
    assert "A gathered copy, 32 bytes, of shape (2, 2)." in after
    assert "It raises an error: index 5" in IndexingLab((2, 2), "5").text_twin()


# ---- in a page


def commit(page, kind, shape):
    if kind:
        page.get_by_role("radio", name=kind).check()
    field(page, "shape of the result").fill(shape)
    button(page, "Commit").click()


def test_duplicates_are_shown_after_the_prediction(show, expect):
    page = show(IndexingLab((3, 4), "[0, 0, 2]"))
    commit(page, None, "3, 4")
    expect(page.get_by_role("alert")).to_have_text("Say first whether it is a view or a gathered copy.")
    commit(page, "a view", "3, 4")
    told = page.locator(".tlw-told")
    expect(told).to_contain_text("Not so: a list or a mask gathers a copy.")
    expect(told).to_contain_text("x[index] += 1 gathers first and writes back, so each gets 1 once")
    once = page.get_by_role("grid", name="x[index] += 1 adds").locator(".tlw-cell").all_inner_texts()
    every = page.get_by_role("grid", name="accumulate=True adds").locator(".tlw-cell").all_inner_texts()
    assert once == ["1"] * 4 + ["0"] * 4 + ["1"] * 4
    assert every == ["2"] * 4 + ["0"] * 4 + ["1"] * 4
    page.get_by_role("grid", name="x[index]", exact=True).locator('[data-index="1,3"]').hover()
    expect(page.locator(".tlw-reading")).to_contain_text("x[index][1, 3] is x[0, 3]")
    expect(page.locator(".tlw-reading")).to_contain_text("x[0, 3] is named 2 times.")


def test_pointing_at_x_finds_it_in_the_result(show, expect):
    page = show(IndexingLab((3, 4), "1:, ::2", told=True))
    x, result = (page.get_by_role("grid", name=name, exact=True) for name in ("x", "x[index]"))
    x.locator('[data-index="2,2"]').hover()
    expect(result.locator(".tlw-in-hand")).to_have_attribute("data-index", "1,1")
    x.locator('[data-index="0,0"]').hover()
    expect(page.locator(".tlw-reading")).to_have_text("x[0, 0] is not taken")
    x.locator('[data-index="0,0"]').focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".tlw-reading")).to_contain_text("x[index][0, 0] is x[1, 0]")


def test_a_refused_index_is_an_answer_and_other_text_is_not(show, expect):
    page = show(IndexingLab((3, 4), "1", key="i"))
    field(page, "index").fill("5")
    page.keyboard.press("Enter")
    page.get_by_label("it raises an error").check()
    button(page, "Commit").click()
    expect(page.locator(".tlw-told")).to_contain_text("Right.")
    expect(page.locator(".tlw-told")).to_contain_text("An error: index 5 is out of bounds for dimension 0")
    field(page, "index").fill("x +")
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-message")).to_contain_text("“x +” is nothing that this lab reads")
    page.get_by_role("group", name="Examples").get_by_role("button", name="x > 5").click()
    commit(page, "a gathered copy", "6")
    expect(page.locator(".tlw-told")).to_contain_text("Right.")
    assert "index:x > 5" in settled_hash(page, "x > 5")
