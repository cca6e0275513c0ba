"""Figures are well-formed SVG made from real tensors, and say in words what they show."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import tensorlab as tl
from tensorlab.figures import over_one_storage


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
