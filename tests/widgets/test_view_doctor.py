"""The View Doctor: its diagnosis is the library's, and it tells only what the reader has committed to."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

import tensorlab as tl
from tensorlab.core import layout, view_rules
from tensorlab.widgets import ViewDoctor
from tests.widgets.lab_page import button, field, set_field, settled_hash, slot

ENGINE = "view_doctor/engine.js"
BY_HAND = json.loads((Path(__file__).parent / "doctor_cases.json").read_text(encoding="utf-8"))
SMALL = [
    [list(shape), list(stride), [-1]]
    for dims in (1, 2, 3)
    for shape in itertools.product((1, 2, 3), repeat=dims)
    for stride in itertools.product((0, 1, 2, 3, 6), repeat=dims)
]


def merge(shape, stride, dims):
    """Whether these neighbouring dimensions become one, by the library's rule."""
    part = [shape[dim] for dim in dims]
    found = layout.view_strides(part, [stride[dim] for dim in dims], (layout.numel(part),))
    return found if isinstance(found, tuple) else None


def test_borders_are_the_librarys(call_js):
    cases = [*BY_HAND, *SMALL]
    for (shape, stride, _), found in zip(
        cases, call_js([[ENGINE, "borders", s, t] for s, t, _ in cases]), strict=True
    ):
        truth = [merge(shape, stride, (dim, dim + 1)) is not None for dim in range(len(shape) - 1)]
        assert [border["merges"] for border in found] == truth, (shape, stride)
        for border in found:
            if not border["free"]:
                size, step = border["needs"]
                assert border["merges"] == (border["has"] == size * step)


def test_runs_merge_and_cannot_grow(call_js):
    cases = [case for case in (*BY_HAND, *SMALL) if 0 not in case[0]]
    for (shape, stride, _), found in zip(
        cases, call_js([[ENGINE, "runs", s, t] for s, t, _ in cases]), strict=True
    ):
        assert [dim for run in found for dim in run["dims"]] == list(range(len(shape)))
        for run in found:
            used = [dim for dim in run["dims"] if shape[dim] != 1]
            assert run["size"] == layout.numel([shape[dim] for dim in run["dims"]])
            assert not used or merge(shape, stride, used) == (run["step"],), (shape, stride)
        for one, other in itertools.pairwise(found):
            used = [dim for dim in (*one["dims"], *other["dims"]) if shape[dim] != 1]
            assert merge(shape, stride, used) is None, (shape, stride)


def targets(shape):
    count = layout.numel(shape)
    return [sizes for sizes in itertools.product((1, 2, 3, 4, 6), repeat=2) if layout.numel(sizes) == count]


def test_the_treatment_is_the_librarys(call_js):
    cases = [*BY_HAND, *([s, t, list(sizes)] for s, t, _ in SMALL for sizes in targets(s))]
    calls = [[ENGINE, "treat", {"shape": s, "stride": t, "offset": 2}, sizes] for s, t, sizes in cases]
    for (shape, stride, sizes), answer in zip(cases, call_js(calls), strict=True):
        if "refusal" in answer:
            with pytest.raises(RuntimeError, match=re.escape(answer["refusal"])):
                view_rules.viewed(tuple(shape), tuple(stride), tuple(sizes))
            continue
        new_shape, new_stride = view_rules.viewed(tuple(shape), tuple(stride), tuple(sizes))
        assert answer["shape"] == list(new_shape)
        if isinstance(new_stride, tuple):
            assert answer["stride"] == list(new_stride)
        else:
            assert answer["why"] == new_stride.reason
            storage = tl.arange(layout.address_range(shape, stride, 2)[1] + 1)
            copied = tl.as_strided(storage, shape, stride, 2).reshape(new_shape)
            assert answer["order"] == copied.reshape(-1).tolist()


def test_a_size_that_lies_across_a_border_is_found_where_view_fails(call_js):
    cases = [[s, t, list(sizes)] for s, t, _ in SMALL for sizes in targets(s)]
    for (shape, stride, sizes), found in zip(
        cases, call_js([[ENGINE, "cuts", *case] for case in cases]), strict=True
    ):
        works = isinstance(layout.view_strides(shape, stride, sizes), tuple)
        assert ("straddling" in found) == (not works), (shape, stride, sizes)
        if works:
            assert sorted(dim for run in found["fit"] for dim in run) == [0, 1]


def test_the_python_side_diagnoses_a_tensor():
    doctor = ViewDoctor(tl.arange(24).view(2, 3, 4)[:, :2], target=(4, 4))
    assert doctor.merges == [False, True]
    assert doctor.reason == "dimensions 0 and 1 are not adjacent in memory"
    doctor.change(target=[2, 8])
    assert (doctor.view, doctor.reason) == ((12, 1), None)


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"target": (5, 5)}, RuntimeError, "shape [5, 5] is invalid for input of size 24"),
        ({"shape": ()}, ValueError, "no borders"),
        ({"shape": (64, 64)}, ValueError, "up to 1024 elements; this would have 4096"),
        ({"shape": (2, 2), "stride": (9999, 1)}, RuntimeError, "would lie in cell"),
        ({"shape": (2, 2), "stride": (1,)}, RuntimeError, "2 sizes need 2 strides"),
        ({"tensor": [1]}, TypeError, "tensorlab tensor"),
    ],
)
def test_a_doctor_that_cannot_be_is_refused(arguments, error, reason):
    with pytest.raises(error, match=re.escape(reason)):
        ViewDoctor(**arguments)


def test_marks_that_make_no_sense_never_arrive():
    doctor = ViewDoctor()
    for sent in ({"marks": ["merge"]}, {"marks": ["merge", "yes"]}, {"answer": "perhaps"}):
        with pytest.raises(ValueError, match="marks are 2 of"):
            doctor.set_state({"state": {**doctor.state, **sent}})
    assert doctor.marks == ["open", "open"]


def test_the_text_twin_folds_the_answer():
    twin = ViewDoctor(shape=(3, 4), stride=(1, 3)).text_twin()
    before, after = twin.split("<summary>Write down your prediction, then open the answer</summary>")
    assert "merges" not in before
    assert "<td>1</td><td>4·3</td><td>no</td>" in after
    assert "reshape copies 48 bytes" in after


# ---- in a page


def border(page, place):
    return page.locator(".tlw-border button").nth(place)


def test_nothing_is_told_before_everything_is_marked(show, expect):
    page = show(ViewDoctor(shape=(3, 2, 4), stride=(4, 12, 1), target=(6, 4)))
    told = page.locator(".tlw-told")
    assert page.locator(".tlw-equation").count() == 0
    button(page, "Commit").click()
    expect(told).to_contain_text("Mark every border and choose an answer first.")
    border(page, 0).click()  # merge, which is wrong
    border(page, 1).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # apart
    page.get_by_role("radio", name="a copy, and view fails").check()
    button(page, "Commit").click()
    expect(told).to_contain_text("2 of 3 right.")
    expect(told).to_contain_text(
        "view(6, 4) fails: dimensions 0 and 1 are not adjacent in memory. Size 6 of the new shape would lie "
        "across that border. reshape copies 96 bytes into a new storage."
    )
    assert page.locator(".tlw-equation").all_inner_texts() == ["4 ≠ 2·12", "12 ≠ 4·1"]
    assert page.locator(".tlw-verdict").all_inner_texts() == ["✗ you said merge", "✓ as you said"]
    expect(page.locator(".tlw-line")).to_contain_text(".reshape(6, 4)")


def test_the_copy_shows_where_each_number_comes_from(show, expect):
    page = show(ViewDoctor(shape=(2, 3), stride=(1, 2), target=(6,), told=True))
    old, new = page.locator(".tlw-tape").all()
    assert new.locator(".tlw-slot-value").all_inner_texts() == ["0", "2", "4", "1", "3", "5"]
    new.locator(".tlw-slot").nth(1).hover()
    assert old.locator(".tlw-in-hand").get_attribute("data-cell") == "2"
    old.locator(".tlw-slot").nth(1).hover()
    assert new.locator(".tlw-in-hand").get_attribute("data-cell") == "3"


def test_a_view_that_exists_moves_nothing(show, expect):
    page = show(ViewDoctor(shape=(2, 3, 4), stride=(24, 8, 2), target=(6, 4), told=True))
    expect(page.locator(".tlw-told")).to_contain_text("view(6, 4) exists, with strides (8, 2)")
    expect(page.locator(".tlw-facts")).to_contain_text("reshape moves 0 B")
    assert page.locator(".tlw-tape:visible").count() == 1


def test_another_layout_asks_anew(show, expect):
    page = show(ViewDoctor(shape=(2, 3, 4), told=True, key="doc"))
    set_field(page, "stride", "12, 1, 3")
    assert page.locator(".tlw-equation").count() == 0
    expect(button(page, "Commit")).to_be_visible()
    set_field(page, "shape", "2, 5")
    assert field(page, "view as").input_value() == "-1"
    set_field(page, "view as", "7")
    expect(page.locator(".tlw-message")).to_contain_text("shape [7] is invalid for input of size 10")
    set_field(page, "view as", "10")
    assert "doc=shape:2,5/stride:5,1/offset:0/target:10" in settled_hash(page, "target:10")
    border(page, 0).click()
    page.wait_for_timeout(400)
    assert "merge" not in settled_hash(page, "target:10")  # a link asks; what somebody answered is not in it


def test_pointing_at_a_cell_says_which_element_it_is(show, expect):
    page = show(ViewDoctor(shape=(2, 3), stride=(1, 2)))
    expect(slot(page, 3)).to_have_accessible_name("4: storage cell 3 is element [1, 1]")
