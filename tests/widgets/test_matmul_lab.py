"""The Matmul Lab: shapes, refusals and every sum are those of the library's own product."""

from __future__ import annotations

import functools
import itertools
import re

import pytest

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.widgets import MatmulLab
from tests.widgets.lab_page import button, field, set_field, settled_hash

ENGINE, WORDS = "matmul_lab/engine.js", "matmul_lab/words.js"
SHAPES = [(3,), (4,), (1,), (2, 3), (3, 4), (4, 3), (1, 3), (2, 3, 4), (3, 4, 2), (1, 4, 3), (2, 4, 3)]
SHAPES += [(2, 1, 3, 4), (5, 4, 3), (1, 2, 3, 4), (3, 1, 4, 2)]
PAIRS = [*itertools.product(SHAPES, repeat=2)]


@functools.cache
def fitting():
    """The pairs that have a product, found where a test asks: to ask for them all compiles kernels."""
    return [pair for pair in PAIRS if MatmulLab(*pair).result is not None]


def test_products_are_the_librarys(call_js):
    for (a, b), found in zip(PAIRS, call_js([[ENGINE, "product", a, b] for a, b in PAIRS]), strict=True):
        lab = MatmulLab(a, b)
        if lab.result is None:
            assert found == {"refusal": lab.reason}, (a, b)
        else:
            assert found["shape"] == list(lab.result), (a, b)


def test_there_are_products_of_all_kinds():
    ranks = {(len(a), len(b)) for a, b in fitting()}
    assert {(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (3, 1), (1, 4)} <= ranks
    assert len(fitting()) < len(PAIRS)


def test_each_element_is_the_sum_of_its_terms(call_js):
    for a, b in fitting():
        lab = MatmulLab(a, b)
        left, right = lab.operands
        indices = [*itertools.product(*map(range, lab.result))]
        found = call_js([[ENGINE, "terms", index, a, b] for index in indices])
        made = (left @ right).reshape(-1).tolist()
        x, y = left.view(-1).tolist(), right.view(-1).tolist()
        assert [sum(x[i] * y[j] for i, j in pairs) for pairs in found] == made, (a, b)


def test_the_line_makes_the_operands_and_has_the_bytes_that_are_shown(call_js):
    for a, b in fitting():
        lines = call_js([[ENGINE, "operandLine", name, shape] for name, shape in (("a", a), ("b", b))])
        left, right = (eval(line, {"tl": tl}) for line in lines)
        for made, operand in zip((left, right), MatmulLab(a, b).operands, strict=True):
            assert (made.shape, made.dtype, made.tolist()) == (operand.shape, tl.float32, operand.tolist())
        bytes_, flops = left.nbytes + right.nbytes + (left @ right).nbytes, MatmulLab(a, b).flops
        [found] = call_js([[ENGINE, "cost", a, b]])
        assert found["bytes"] == bytes_, (a, b)
        assert found["intensity"] == pytest.approx(flops / bytes_)
        facts = {fact["name"]: fact["value"] for fact in call_js([[WORDS, "costFacts", a, b]])[0]}
        assert facts["bytes"].endswith(f"= {bytes_:,} B")


@pytest.mark.parametrize("shape", [(5, 4, 6), (6, 2, 5), (2, 3, 3, 5), (12, 5, 3), (1, 7, 5)])
def test_no_two_matrices_of_a_sample_are_alike(shape):
    for operand in MatmulLab(shape, (1, shape[-1], 3)).operands[:1]:
        matrices = operand.view(-1, *shape[-2:]).tolist()
        assert len({str(matrix) for matrix in matrices}) == len(matrices)
        assert all(len({str(row) for row in matrix}) > 1 for matrix in matrices)


def test_the_letters_are_those_of_the_cards(call_js):
    pairs = [((2, 3, 4), (4, 5)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,))]
    found = [call_js([[WORDS, "letters", name, *pair] for name in "abc"]) for pair in pairs]
    assert ["".join(map("".join, letters)) for letters in found] == ["mkknmn", "kknn", "mkkm", "kk"]


def test_operations_and_bytes_are_counted_once(call_js):
    for (a, b), found in zip(
        fitting(), call_js([[ENGINE, "cost", *pair] for pair in fitting()]), strict=True
    ):
        lab = MatmulLab(a, b)
        assert found["flops"] == lab.flops == 2 * layout.numel(lab.result) * a[-1]
        numbers = layout.numel(a) + layout.numel(b) + layout.numel(lab.result)
        assert found["bytes"] == 4 * numbers  # a stretched batch is read from the same cells
        assert found["intensity"] == pytest.approx(found["flops"] / found["bytes"])


def test_the_batch_is_read_with_the_strides_of_expand(call_js):
    for (a, b), found in zip(
        fitting(), call_js([[ENGINE, "product", *pair] for pair in fitting()]), strict=True
    ):
        for own, strides in zip((a, b), found["strides"], strict=True):
            if len(own) > 1:
                stretched = tl.zeros(own).expand(*found["batch"], *own[-2:])
                kept = [dim for dim, size in enumerate(found["batch"]) if size > 1]
                assert [strides[dim] for dim in kept] == [stretched.stride(dim) for dim in kept], (a, b)


@pytest.mark.parametrize(
    ("prediction", "wrong"),
    [
        ({}, []),
        ({"pair": [0, 0]}, ["dimension 1 of a is summed with dimension 0 of b"]),
        ({"guess": [2, 3]}, ["the product has shape (2, 4)"]),
        ({"refused": True, "guess": None}, ["the product is (2, 4)"]),
        ({"b": [4, 3], "guess": [2, 3]}, ["it raises an error"]),
        ({"b": [4, 3], "guess": None, "refused": True}, []),
        ({"b": [5, 3, 4], "pair": [1, 1], "guess": [5, 2, 4]}, []),
    ],
)
def test_what_is_wrong_with_a_prediction_is_said(call_js, prediction, wrong):
    state = {"a": [2, 3], "b": [3, 4], "pair": [1, 0], "guess": [2, 4], "refused": False}
    assert call_js([[ENGINE, "mistakes", {**state, **prediction}]]) == [wrong]


def test_stretched_operands_and_vectors_are_named(call_js):
    pairs = [((2, 1, 3, 4), (5, 4, 3)), ((3,), (3, 4)), ((3,), (3,)), ((2, 3), (3, 4))]
    found = call_js([[WORDS, "productText", *pair] for pair in pairs])
    assert "10 products of (3, 4) and (4, 3), one for each index of the batch (2, 5)." in found[0]
    assert found[0].endswith("a and b are read again with stride 0, not copied.")
    assert "The vector a gets an axis of size 1 for the product, which goes again." in found[1]
    assert "Both vectors get an axis" in found[2]
    assert found[3] == "The result has shape (2, 4): one product of (2, 3) and (3, 4)."


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"a": []}, ValueError, "a has 1 to 4 dimensions"),
        ({"b": [2, 0]}, ValueError, "b has 1 to 4 dimensions of sizes 1 or more"),
        ({"a": [1] * 5}, ValueError, "a has 1 to 4 dimensions"),
        ({"pair": [1]}, ValueError, "a pair is a dimension of a and one of b"),
        ({"pair": [2, 0]}, ValueError, "a pair is a dimension of a and one of b"),
        ({"guess": ["x"]}, TypeError, "the guess must be an integer"),
    ],
)
def test_nonsense_never_arrives(change, error, reason):
    lab = MatmulLab()
    before = dict(lab.state)
    with pytest.raises(error, match=re.escape(reason)):
        lab.set_state({"state": {**lab.state, **change}})
    assert lab.state == before


def test_large_shapes_are_counted_and_not_multiplied_out():
    lab = MatmulLab((512, 1024), (1024, 512))
    assert (lab.result, lab.flops) == ((512, 512), 2 * 512 * 512 * 1024)
    with pytest.raises(ValueError, match="up to 65536 elements; this would have 524288"):
        _ = lab.operands


def test_the_text_twin_folds_the_answer():
    before, after = MatmulLab((2, 3), (3, 4)).text_twin().split("</summary>")
    assert "(2, 4)" not in before
    assert "<td>48</td>" in after
    assert "The product raises an error: mat1 and mat2" in MatmulLab((2, 3), (4, 3)).text_twin()


# ---- in a page


def axis(page, name):
    return page.locator(f'[data-axis="{name}"]')


def test_axes_are_joined_by_dragging(show, expect):
    page = show(MatmulLab((2, 3), (3, 4)))
    button(page, "Commit").click()
    expect(page.get_by_role("alert")).to_have_text(
        "First join the axis of a and the axis of b that are summed over."
    )
    start, end = (axis(page, name).bounding_box() for name in ("a1", "b0"))
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 20, steps=6)
    expect(axis(page, "a1")).to_have_class(re.compile("tlw-held"))
    page.mouse.up()
    expect(axis(page, "a1")).to_have_attribute("data-note", "summed")
    expect(axis(page, "b0")).to_have_attribute("data-note", "summed")
    field(page, "shape of the result").fill("2, 4")
    button(page, "Commit").click()
    expect(page.locator(".tlw-told")).to_contain_text("Right.")
    facts = page.locator(".tlw-facts").inner_text()
    assert "operations 2 · 2 · 3 · 4 = 48" in facts
    assert "bytes (6 + 12 + 8) × 4 B = 104 B" in facts


def test_axes_are_joined_with_the_keyboard(show, expect):
    page = show(MatmulLab((2, 3), (3, 4)))
    axis(page, "a0").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(axis(page, "a1")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(axis(page, "b1")).to_have_attribute("data-note", "summed")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(axis(page, "b0")).to_have_attribute("data-note", "summed")
    expect(axis(page, "b1")).to_have_attribute("data-note", "dim 1")


def test_an_axis_in_hand_is_laid_back(show, expect):
    page = show(MatmulLab((2, 3), (3, 4)))
    held = page.locator(".tlw-held")
    axis(page, "a1").press("Enter")
    expect(held).to_have_count(1)
    page.keyboard.press("Escape")
    expect(held).to_have_count(0)
    expect(axis(page, "a1")).to_be_focused()
    box = axis(page, "a0").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 300, y + 300, steps=4)
    expect(held).to_have_count(1)
    page.mouse.up()
    expect(held).to_have_count(0)


def test_an_element_shows_its_row_and_its_column(show, expect):
    page = show(MatmulLab((2, 3), (3, 4), told=True))
    page.get_by_role("grid", name="a @ b").locator('[data-index="1,2"]').hover()
    expect(page.locator(".tlw-reading")).to_contain_text("3·2 + 4·1 + 0·0 = 10")
    lit = [
        page.get_by_role("grid", name=name, exact=True)
        .locator(".tlw-sharing")
        .evaluate_all("found => found.map(e => e.dataset.index)")
        for name in "ab"
    ]
    assert lit == [["1,0", "1,1", "1,2"], ["0,2", "1,2", "2,2"]]
    page.get_by_role("grid", name="b", exact=True).locator('[data-index="2,3"]').hover()
    expect(page.locator(".tlw-subject")).to_have_text("(a @ b)[0, 3]")


def test_a_refused_product_is_an_answer(show, expect):
    page = show(MatmulLab((2, 3), (4, 3), told=True, key="m"))
    expect(page.locator(".tlw-told")).to_contain_text(
        "An error: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)"
    )
    assert page.locator(".tlw-cell:visible").count() == 0
    set_field(page, "shape of b", "3")
    expect(button(page, "Commit")).to_be_visible()
    assert "b:3" in settled_hash(page, "b:3")


def test_a_product_too_large_to_draw_is_counted(show, expect):
    page = show(MatmulLab((512, 1024), (1024, 512), told=True))
    expect(page.locator(".tlw-facts")).to_contain_text("2 · 512 · 1024 · 512 = 536,870,912")
    assert page.locator(".tlw-cell:visible").count() == 0
