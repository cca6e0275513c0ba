"""Figures are well-formed SVG made from real tensors, and say in words what they show."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import tensorlab as tl
from tensorlab.figures import (
    aligned_shapes,
    batches_that_meet,
    folded_into,
    in_reading_order,
    over_one_storage,
    picked_from,
    read_and_added_back,
    row_meets_column,
)


def drawings(figure):
    assert figure._repr_html_().count("<svg") == len(figure.drawings)
    return [ElementTree.fromstring(drawing) for drawing in figure.drawings]


def texts(svg):
    return [node.text for node in svg.iter() if node.tag.endswith("text")]


@pytest.fixture
def line():
    return tl.arange(12, dtype=tl.float32)


def test_a_drawing_shows_the_tensor_above_all_cells_of_its_storage(line):
    window = tl.as_strided(line, (2, 2), (4, 1), 5)
    (svg,) = drawings(over_one_storage({"window": window}, "What to see."))
    numbers = [text for text in texts(svg) if re.fullmatch(r"\d+", text)]
    cells = [str(i) for i in range(12)]
    assert numbers[:4] == ["5", "6", "9", "10"]
    assert sorted(numbers[4:], key=int) == sorted(cells + cells, key=int)
    assert {"window", "shape (2, 2)", "stride (4, 1)", "offset 5"} <= set(texts(svg))
    assert svg.attrib["aria-label"].endswith("it reaches storage cells [5, 6, 9, 10]")


def test_the_hand_is_ringed_in_the_storage_and_where_the_tensor_shows_it(line):
    tensors = {"line": line, "tail": line[8:]}
    whole, tail = over_one_storage(tensors, "What to see.", hand=6).drawings
    assert whole.count("fill:none") == 2
    assert tail.count("fill:none") == 1


def test_panels_line_up_below_the_tallest_tensor(line):
    svgs = drawings(over_one_storage({"a": line, "b": line.view(4, 3)}, "What to see."))
    assert len({svg.attrib["viewBox"].split()[-1] for svg in svgs}) == 1


def test_a_short_storage_leaves_room_for_the_facts():
    (svg,) = drawings(over_one_storage({"x": tl.arange(2)}, "What to see."))
    assert float(svg.attrib["width"]) >= 270


def test_what_cannot_be_drawn_is_refused(line):
    with pytest.raises(ValueError, match="cube has 3 dimensions; a drawing shows 1 or 2"):
        over_one_storage({"cube": line.view(2, 2, 3)}, "What to see.")
    with pytest.raises(ValueError, match="other and line do not look into one storage"):
        over_one_storage({"line": line, "other": tl.zeros(12)}, "What to see.")


def test_captions_are_escaped(line):
    assert "1 &lt; 2" in over_one_storage({"line": line}, "1 < 2")._repr_html_()


def test_runs_are_cut_where_the_step_changes():
    x = tl.arange(12).view(3, 4)
    one, four = drawings(in_reading_order({"x": x, "t": x.t()}, "What to see."))
    cells = [str(i) for i in range(12)]
    assert [text for text in texts(one) if re.fullmatch(r"\d+", text)] == cells
    assert "steps of 1" in texts(one)
    assert [text for text in texts(four) if re.fullmatch(r"\d+", text)][:4] == ["0", "4", "8", "1"]
    assert texts(four).count("-7") >= 2
    assert "runs of cells 0 4 8, 1 5 9, 2 6 10, 3 7 11" in four.attrib["aria-label"]


def test_one_element_is_a_run():
    (svg,) = drawings(in_reading_order({"x": tl.zeros(1, 1)}, "What to see."))
    assert "runs of cells 0" in svg.attrib["aria-label"]


def test_totals_stand_where_their_elements_went():
    x = tl.arange(6).view(2, 3)
    down, across = drawings(folded_into(x, {"x.sum(0)": 0, "x.sum(1)": 1}, "What to see."))
    assert {"x.sum(0)", "shape (3,)", "strides (0, 1)", "3", "5", "7"} <= set(texts(down))
    assert {"x.sum(1)", "shape (2,)", "strides (1, 0)", "3", "12"} <= set(texts(across))
    assert (
        down.attrib["aria-label"]
        == "x.sum(0): elements [0, 0], [1, 0] are added into element 0 of the result"
    )
    with pytest.raises(ValueError, match="this tensor has 1"):
        folded_into(tl.ones(3), {"x.sum()": 0}, "What to see.")


def test_what_is_read_twice_gets_two_values():
    x, places, y = tl.tensor([5.0, 7.0]), tl.tensor([0, 0]), tl.tensor([1.0, 2.0])
    figure = read_and_added_back(x, places, y, "What to see.")
    there, back = drawings(figure)
    assert there.attrib["aria-label"] == "x[places]: cells 0, 0 are read: 5, 5"
    assert back.attrib["aria-label"] == "values 1, 2 are added into cells 0, 0: 3, 0"
    assert [drawing.count("<polygon") for drawing in figure.drawings] == [2, 2]
    with pytest.raises(ValueError, match="2 places and 1 values"):
        read_and_added_back(x, places, y[:1], "What to see.")


def test_the_element_in_hand_stands_where_its_row_and_its_column_cross():
    a, b = tl.tensor([[1, 2, 3], [4, 5, 6]]), tl.tensor([[1, 0], [0, 1], [2, 2]])
    (svg,) = drawings(row_meets_column(a, b, (1, 0), "What to see."))
    numbers = [text for text in texts(svg) if text.isdigit()]
    shown = [number for x in (a, b, a @ b) for number in x.view(-1).tolist()]
    assert numbers == [str(number) for number in shown]
    assert {"a  (2, 3)", "b  (3, 2)", "a @ b  (2, 2)"} <= set(texts(svg))
    assert svg.attrib["aria-label"].endswith("[1, 0] of the product is 4 × 1 + 5 × 0 + 6 × 2 = 16")
    filled = ElementTree.tostring(svg, encoding="unicode")
    assert filled.count("fill:var(--tl-reach, ") == 3 + 3
    assert filled.count("fill:var(--tl-hand, ") == 1


@pytest.mark.parametrize(("a", "b"), [((2, 1), (5,)), ((3,), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (2, 3))])
def test_batches_meet_as_the_librarys_do(a, b):
    (svg,) = drawings(batches_that_meet(a, b, "What to see."))
    # Matrices of one number each: which of a, in hundreds, and which of b.
    count = [tl.arange(1, tl.zeros(shape).numel() + 1).view(*shape, 1, 1) for shape in (a, b)]
    product = (count[0] * 100) @ tl.ones_like(count[1]) + tl.ones_like(count[0]) @ count[1]
    named = re.findall(r"a(\d+) @ b(\d+)", svg.attrib["aria-label"])
    assert [100 * (int(x) + 1) + int(y) + 1 for x, y in named] == product.view(-1).tolist()
    assert [text for text in texts(svg) if re.fullmatch(r"a\d+ b\d+", text)] == [
        f"a{x} b{y}" for x, y in named
    ]


def test_what_an_index_takes_is_filled():
    x = tl.arange(6).view(2, 3)
    view, copy = drawings(picked_from(x, {"x[:, 1:]": x[:, 1:], "x[[0], [2]]": x[[0], [2]]}, "What to see."))
    assert {"x[:, 1:]", "a view", "shape (2, 2)"} <= set(texts(view))
    assert {"x[[0], [2]]", "a copy", "shape (1,)"} <= set(texts(copy))
    assert view.attrib["aria-label"] == "x[:, 1:]: a view of shape (2, 2) holds 1, 2, 4, 5"
    with pytest.raises(ValueError, match="all different"):
        picked_from(tl.zeros(2, 2), {}, "What to see.")


def test_shapes_are_aligned_from_the_right_and_stretched_sizes_have_an_arrow():
    (svg,) = drawings(aligned_shapes([{"table": (3, 4), "row": (4,)}], "What to see."))
    assert texts(svg) == ["table", "3", "4", "row", "1", "→ 3", "4", "they meet in", "3", "4"]
    assert (
        svg.attrib["aria-label"] == "table (3, 4); row (4,), read as (3, 4); they meet in (3, 4), 12 elements"
    )


def test_a_column_that_does_not_fit_is_ringed_and_said():
    refused, met = aligned_shapes(
        [{"table": (3, 4), "three": (3,)}, {"table": (0, 4), "one": (1, 1)}], "What to see."
    ).drawings
    assert refused.count("fill:none") == 2
    assert "4 and 3 differ, and neither is 1: refused" in refused
    assert "they do not meet in dimension 1" in refused
    assert met.count("fill:none") == 0
    assert {"→ 0", "→ 4"} <= set(texts(ElementTree.fromstring(met)))
    with pytest.raises(ValueError, match="nothing to align"):
        aligned_shapes([{"number": ()}], "What to see.")
