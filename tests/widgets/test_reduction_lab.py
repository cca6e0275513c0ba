"""The Reduction Lab: shapes, fibres and numbers are those of the library's own reductions."""

from __future__ import annotations

import itertools
import re

import pytest

import tensorlab as tl
from tensorlab.widgets import ReductionLab
from tests.widgets.lab_page import button, field, set_field, settled_hash

ENGINE, WORDS = "reduction_lab/engine.js", "reduction_lab/words.js"
SHAPES = [(), (4,), (1,), (3, 4), (4, 4), (3, 1), (2, 3, 4), (2, 2, 2), (1, 2, 3, 2)]
CASES = [
    (shape, dims, keepdim)
    for shape in SHAPES
    for count in range(len(shape) + 1)
    for dims in itertools.combinations(range(len(shape)), count)
    for keepdim in (False, True)
    if dims or not keepdim
]


def lab_of(shape, dims, keepdim, operation="sum"):
    return ReductionLab(shape, dims=dims, keepdim=keepdim, operation=operation)


def test_shapes_are_the_librarys(call_js):
    for case, found in zip(CASES, call_js([[ENGINE, "reducedShape", *case] for case in CASES]), strict=True):
        assert found == list(lab_of(*case).result.shape), case


@pytest.mark.parametrize("operation", ["sum", "mean", "amax", "argmax"])
def test_each_result_is_made_of_its_fibre(call_js, operation):
    places = []
    for shape, dims, keepdim in CASES:
        if operation == "argmax" and len(dims) > 1:
            continue
        lab = lab_of(shape, dims, keepdim, operation)
        x, result = lab.tensor, lab.result
        indices = itertools.product(*map(range, result.shape))
        places += [((shape, dims, keepdim), x, index, result[index].item()) for index in indices]
    fibres = call_js([[ENGINE, "fibre", index, *case] for case, _, index, _ in places])
    targets = call_js(
        [
            [ENGINE, "targetOf", own, *case]
            for (case, *_), gathered in zip(places, fibres, strict=True)
            for own in gathered
        ]
    )
    assert targets == [list(index) for (_, _, index, _), own in zip(places, fibres, strict=True) for _ in own]
    numbers = [[x[tuple(own)].item() for own in f] for (_, x, *_), f in zip(places, fibres, strict=True)]
    made = call_js([[ENGINE, "combine", operation, list_] for list_ in numbers])
    assert made == pytest.approx([value for *_, value in places], rel=1e-6)


def test_the_sample_is_the_tensor(call_js):
    x = ReductionLab((16, 16)).tensor
    assert call_js([[ENGINE, "sampleValue", k] for k in range(256)]) == x.view(-1).tolist()


def test_the_way_back_is_judged_by_dividing(call_js):
    for (shape, dims, keepdim), found in zip(
        CASES, call_js([[ENGINE, "back", *case] for case in CASES]), strict=True
    ):
        x = tl.arange(1, 1 + ReductionLab(shape).tensor.numel(), dtype=tl.float64).view(shape)
        total = x.sum(dims, keepdim=keepdim) if dims else x.sum()
        kept = x.sum(dims, keepdim=True) if dims else x.sum()
        if found["kind"] == "refused":
            with pytest.raises(RuntimeError, match=re.escape(found["reason"])):
                x / total
            continue
        divided = x / total
        right = divided.shape == x.shape and bool((divided == x / kept).all())
        # Where all numbers happen to be alike, as over a single element, the picture is right as well.
        assert (found["kind"] == "fits") == right, (shape, dims, keepdim)


def test_dimensions_are_refused_as_in_the_library(call_js):
    start = ReductionLab().state
    for dims in ([2], [-3], [0, 0], [0, -2]):
        (answer,) = call_js([[ENGINE, "check", {**start, "dims": dims}]])
        with pytest.raises((IndexError, RuntimeError), match=re.escape(answer["refusal"])):
            tl.ones(3, 4).sum(tuple(dims) if len(dims) > 1 else dims[0])


def test_the_line_of_python_makes_the_result(call_js):
    cases = [(*case, operation) for case in CASES for operation in ("sum", "mean", "amax")]
    states = [lab_of(*case).state for case in cases]
    for case, line in zip(cases, call_js([[WORDS, "call", state] for state in states]), strict=True):
        lab = lab_of(*case)
        made = eval(f"x{line}", {"x": lab.tensor})
        assert made.shape == lab.result.shape
        assert made.tolist() == lab.result.tolist()


@pytest.mark.parametrize(
    ("state", "wrong"),
    [
        ({"guess": [3]}, []),
        ({"guess": [4]}, ["the dimension that is named goes, the others stay: (3,)"]),
        ({"guess": [3, 1]}, ["without keepdim the dimension goes: (3,)"]),
        ({"guess": [3], "keepdim": True}, ["keepdim=True keeps a dimension of size 1: (3, 1)"]),
        ({"guess": [12]}, ["the result has shape (3,)"]),
    ],
)
def test_a_wrong_shape_is_explained(call_js, state, wrong):
    start = {"shape": [3, 4], "dims": [1], "keepdim": False}
    assert call_js([[ENGINE, "mistakes", {**start, **state}]]) == [wrong]


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"shape": (0, 3)}, ValueError, "sizes are 1 or more"),
        ({"shape": (2,) * 5, "dims": ()}, ValueError, "up to 4 dimensions"),
        ({"shape": (17, 16)}, ValueError, "this would have 272"),
        ({"operation": "median"}, ValueError, "the operation is one of"),
        ({"dims": (0, 1), "operation": "argmax"}, ValueError, "argmax takes one dimension"),
        ({"dims": (2,)}, IndexError, "Dimension out of range"),
        ({"dims": (0, -2)}, RuntimeError, "appears multiple times"),
    ],
)
def test_a_lab_that_cannot_be_is_refused(arguments, error, reason):
    with pytest.raises(error, match=re.escape(reason)):
        ReductionLab(**arguments)


def test_the_text_twin_folds_the_answer():
    before, after = ReductionLab((2, 2), dims=(0,)).text_twin().split("</summary>")
    assert "The result" not in before
    assert "<td>4.</td>" in after
    assert ReductionLab((), dims=()).text_twin().count("<tr>") == 4


# ---- in a page


def test_the_result_is_drawn_after_the_prediction(show, expect):
    page = show(ReductionLab((3, 4), dims=(1,)))
    assert page.get_by_role("grid", name="result").count() == 0
    field(page, "shape of the result").fill("4")
    page.keyboard.press("Enter")
    told = page.locator(".tlw-told")
    expect(told).to_contain_text("Not so: the dimension that is named goes, the others stay: (3,).")
    expect(told).to_contain_text("x / x.sum(1) raises an error")
    result = page.get_by_role("grid", name="result")
    assert result.locator(".tlw-cell").all_inner_texts() == ["12", "24", "16"]
    result.locator('[data-index="1"]').hover()
    expect(page.locator(".tlw-reading")).to_contain_text("8 + 5 + 2 + 9 = 24")
    lit = page.get_by_role("grid", name="x", exact=True).locator(".tlw-sharing")
    assert lit.evaluate_all("found => found.map(e => e.dataset.index)") == ["1,0", "1,1", "1,2", "1,3"]


def test_pointing_at_an_element_shows_where_it_goes(show, expect):
    page = show(ReductionLab((2, 3), dims=(0,), told=True))
    page.get_by_role("grid", name="x", exact=True).locator('[data-index="1,2"]').hover()
    expect(page.get_by_role("grid", name="result").locator(".tlw-in-hand")).to_have_attribute(
        "data-index", "2"
    )


def test_a_square_that_divides_by_the_wrong_sums_is_called_wrong(show, expect):
    page = show(ReductionLab((4, 4), dims=(1,), told=True))
    expect(page.locator(".tlw-told")).to_contain_text("x / x.sum(1) runs and is wrong")
    page.get_by_label("keepdim").check()
    field(page, "shape of the result").fill("4, 1")
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-told")).to_contain_text("Right.")
    expect(page.locator(".tlw-told")).to_contain_text("(4, 1) broadcasts to (4, 4)")


def test_axes_are_pressed_and_another_choice_asks_anew(show, expect):
    page = show(ReductionLab((2, 3), dims=(0,), told=True, key="r"))
    axes = page.locator(".tlw-axes-choice button")
    axes.nth(1).focus()
    page.keyboard.press("Enter")
    expect(axes.nth(1)).to_be_focused()
    expect(axes.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(button(page, "Commit")).to_be_visible()
    field(page, "shape of the result").fill("()")
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-told")).to_contain_text("Right.")
    field(page, "operation").select_option("argmax")
    expect(page.locator(".tlw-message")).to_contain_text("argmax takes one dimension")
    set_field(page, "shape", "5")
    assert "shape:5/dims:0" in settled_hash(page, "shape:5")
