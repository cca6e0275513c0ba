"""The Promotion Lattice: the picture is the rule, and the rule is the library's."""

from __future__ import annotations

import itertools
import re

import pytest

import tensorlab as tl
from tensorlab.core import dtypes
from tensorlab.widgets import PromotionLattice
from tests.widgets.lab_page import button, field, settled_hash

ENGINE, WORDS = "promotion_lattice/engine.js", "promotion_lattice/words.js"
NAMES = [t.name for t in dtypes.ALL]
OPERANDS = [(kind, name) for kind in ("tensor", "zerodim") for name in NAMES]
OPERANDS += [("number", name) for name in ("bool", "int64", "float32")]
PAIRS = [pair for pair in itertools.product(OPERANDS, repeat=2) if not pair[0][0] == pair[1][0] == "number"]


def lattice_of(left, right):
    state = {"left": left, "right": right, "guess": None, "told": False}
    lattice = PromotionLattice()
    lattice.state = state
    return lattice


def test_two_dtypes_meet_in_the_lowest_one_above_both(call_js):
    pairs = [*itertools.product(NAMES, repeat=2)]
    found = call_js([[ENGINE, "promote", *pair] for pair in pairs])
    assert found == [tl.promote_types(getattr(tl, a), getattr(tl, b)).name for a, b in pairs]


def results(pairs):
    """The dtypes that operands promote to in the library."""
    return [(a + b).dtype.name for a, b in (lattice_of(*pair).operands for pair in pairs)]


def test_operands_meet_as_in_the_library(call_js, interpreted):
    found = call_js([[ENGINE, "resultType", *pair] for pair in PAIRS])
    for pair, answer, expected in zip(PAIRS, found, interpreted(results, PAIRS), strict=True):
        assert answer["dtype"] == lattice_of(*pair).result.name == expected, pair


def refusals(pairs):
    """Why the library refuses to add in place; None where it does."""
    found = []
    for a, b in (lattice_of(*pair).operands for pair in pairs):
        before = a.dtype
        try:
            a += b
        except RuntimeError as error:
            found.append(str(error))
        else:
            assert a.dtype is before
            found.append(None)
    return found


def test_in_place_is_refused_where_the_library_refuses(call_js, interpreted):
    pairs = [pair for pair in PAIRS if pair[0][0] != "number"]
    found = call_js([[ENGINE, "inPlaceRefusal", *pair] for pair in pairs])
    for pair, refusal, error in zip(pairs, found, interpreted(refusals, pairs), strict=True):
        if refusal is None:
            assert error is None, pair
        else:
            assert re.search({"shape": "shape", "dtype": "can't be cast"}[refusal], error), pair


def test_what_follows_is_true(call_js):
    told = call_js([[WORDS, "consequences", *pair] for pair in PAIRS])
    for (left, right), lines in zip(PAIRS, told, strict=True):
        a, b = lattice_of(left, right).operands
        for line in lines:
            if line.startswith("a @ b"):
                with pytest.raises((RuntimeError, NotImplementedError)):
                    a @ b
            elif line.startswith("The number"):
                value, name = re.search(r"is (-?\d+) in (\w+)\.", line).groups()
                one = tl.ones(2, dtype=getattr(tl, name))
                assert (one * 1000)[0].item() == int(value)
            else:
                assert line.startswith("a += b")


def test_the_operands_are_written_as_python(call_js):
    for operand, text in zip(OPERANDS, call_js([[WORDS, "operandText", o] for o in OPERANDS]), strict=True):
        made = eval(text, {"tl": tl})
        known, _ = lattice_of(operand, ("tensor", "int8")).operands
        assert type(made) is type(known)
        if operand[0] == "number":
            assert made == known
        else:
            assert (made.shape, made.dtype) == (known.shape, known.dtype)


def test_each_rule_has_its_reason(call_js):
    tensor, zerodim, number = ("tensor", "int8"), ("zerodim", "int64"), ("number", "float32")
    calls = [
        [WORDS, "reasonText", tensor, ("tensor", "uint8")],
        [WORDS, "reasonText", tensor, tensor],
        [WORDS, "reasonText", zerodim, tensor],
        [WORDS, "reasonText", tensor, number],
    ]
    assert call_js(calls) == [
        "Both are tensors, so the lattice decides: int16 is the lowest dtype above both.",
        "Both are int8, and so is the result.",
        "A 0-dim tensor speaks after a tensor. Its category, integer, is no higher than integer, so int8 "
        "stays.",
        "A Python number speaks after a tensor, but floating is a higher category than integer: the two "
        "promote to float32.",
    ]


def test_operands_are_dtypes_tensors_or_numbers():
    assert PromotionLattice(tl.int8, tl.tensor(5)).state["right"] == ["zerodim", "int64"]
    assert PromotionLattice(tl.zeros(2), True).state["right"] == ["number", "bool"]
    assert PromotionLattice(0.5, tl.int8).result is tl.float32
    with pytest.raises(TypeError, match="a dtype, a tensor or a number, got 'int8'"):
        PromotionLattice("int8", tl.int8)
    with pytest.raises(ValueError, match="Python combines two Python numbers"):
        PromotionLattice(1, 2)


@pytest.mark.parametrize(
    "sent",
    [
        {"left": ["vector", "int8"]},
        {"left": ["number", "int8"]},
        {"right": ["tensor", "int9"]},
        {"guess": "int9"},
        {"right": ["tensor"]},
    ],
)
def test_nonsense_from_a_page_never_arrives(sent):
    lattice = PromotionLattice()
    before = dict(lattice.state)
    with pytest.raises((TypeError, ValueError)):
        lattice.set_state({"state": {**lattice.state, **sent}})
    assert lattice.state == before


def test_the_text_twin_folds_the_answer():
    before, after = PromotionLattice(tl.int8, tl.uint8).text_twin().split("</summary>")
    assert "int16" not in before
    assert after.startswith("<p>int16</p>")
    assert after.count("<tr>") == 11


# ---- in a page


def node(page, dtype):
    return page.locator(f'[data-dtype="{dtype}"]')


def test_choosing_a_dtype_is_the_prediction(show, expect):
    page = show(PromotionLattice(tl.int8, tl.float16))
    assert page.locator(".tlw-result").count() == 0
    node(page, "int64").click()
    told = page.locator(".tlw-told")
    expect(told).to_contain_text("Not int64: float16. 0 of 1 right so far.")
    expect(node(page, "float16")).to_have_accessible_name("float16, b, result, floating")
    expect(node(page, "int64")).to_have_accessible_name("int64, your guess, integer")
    assert page.locator(".tlw-way-a").count() == 4
    expect(button(page, "Next pair")).to_be_focused()
    expect(node(page, "float16")).to_be_disabled()  # it is told already
    expect(told).to_contain_text("0 of 1 right")
    button(page, "Next pair").click()
    expect(told).to_be_empty()
    expect(node(page, "float16")).to_be_enabled()


def test_the_next_pair_is_of_two_dtypes_and_another_one(show):
    page = show(PromotionLattice(tl.int8, tl.uint8))
    pairs = []
    for _ in range(60):
        button(page, "Next pair").click()
        pairs.append([field(page, f"dtype of {name}").input_value() for name in "ab"])
    assert [pair for pair in pairs if pair[0] == pair[1]] == []
    assert [pair for before, pair in itertools.pairwise(pairs) if before[0] == pair[0]] == []


def test_the_lattice_is_walked_with_the_arrow_keys(show, expect):
    page = show(PromotionLattice(tl.int8, tl.uint8))
    node(page, "bool").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(node(page, "int16")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-told")).to_contain_text("Right: int16.")


def test_a_number_has_the_three_types_of_python(show, expect):
    page = show(PromotionLattice(tl.int8, tl.uint8, key="p"))
    field(page, "b is a").select_option("number")
    assert field(page, "dtype of b").locator("option:not([disabled])").all_inner_texts() == [
        "bool",
        "int64",
        "float32",
    ]
    expect(page.locator(".tlw-question")).to_contain_text("b is the Python int 1000")
    assert "right:number.int64" in settled_hash(page, "number.int64")
    field(page, "a is a").select_option("number")
    expect(page.locator(".tlw-message")).to_contain_text("Python combines two Python numbers")
    expect(field(page, "a is a")).to_have_value("tensor")
