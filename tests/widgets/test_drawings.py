"""Every figure is drawn wide and narrow: nothing is too small, cut off, or over something else."""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree

import pytest

import tensorlab as tl
from tensorlab import figures
from tensorlab.figures import Figure, Scene, figure
from tests.widgets.figure_samples import SAMPLES

SMALLEST = 11

# For each text its size, its box and its words; for each drawing its frame and what is drawn in it.
LOOK = """() => [...document.querySelectorAll("svg")].map((svg) => {
  const box = (node) => {
    const b = node.getBoundingClientRect();
    return [b.left, b.top, b.right, b.bottom];
  };
  const shapes = [...svg.querySelectorAll("rect, path, image, circle")];
  return {
    figure: svg.closest("section").id, kind: svg.parentElement.className, frame: box(svg),
    texts: [...svg.querySelectorAll("text")].map((node) =>
      ({ words: node.textContent, size: parseFloat(getComputedStyle(node).fontSize), box: box(node) })),
    shapes: shapes.filter((node) => !node.closest("pattern")).map(box),
  };
})"""


def page(figures: dict[str, Figure]) -> str:
    """All figures, with both drawings in sight."""
    shown = "".join(f'<section id="{name}">{one._repr_html_()}</section>' for name, one in figures.items())
    style = ".tl-figure{container-type:normal!important;width:720px}.tl-figure>div{display:block!important}"
    return f'<!doctype html><meta charset="utf-8"><body>{shown}<style>{style}</style>'


@pytest.fixture(scope="module")
def seen(chromium):
    opened = chromium.new_page(viewport={"width": 800, "height": 900})
    opened.set_content(page(SAMPLES))
    found = opened.evaluate(LOOK)
    opened.close()
    return found


def test_every_public_figure_has_a_sample():
    shapes = {"Box", "Cells", "Figure", "Scene", "colour", "memory", "lighthouse"}
    older = {"aligned_shapes", "batches_that_meet", "folded_into"}
    older |= {"in_reading_order", "over_one_storage"}
    older |= {"picked_from", "read_and_added_back", "roofline", "row_meets_column"}
    assert set(SAMPLES) == set(figures.__all__) - shapes - older


def test_both_widths_are_drawn(seen):
    assert len(seen) == 2 * len(SAMPLES)


def test_no_text_is_too_small(seen):
    small = [
        (one["figure"], text["words"])
        for one in seen
        for text in one["texts"]
        if text["size"] < SMALLEST - 0.01
    ]
    assert small == []


def test_nothing_leaves_the_frame(seen):
    outside = []
    for one in seen:
        left, top, right, bottom = one["frame"]
        boxes = [*one["shapes"], *(text["box"] for text in one["texts"])]
        if any(b[0] < left - 2 or b[1] < top - 2 or b[2] > right + 2 or b[3] > bottom + 2 for b in boxes):
            outside.append((one["figure"], one["kind"]))
    assert outside == []


def overlapping(texts):
    """Pairs of words whose boxes share more than a hair; a line of type is higher than its letters."""
    for number, one in enumerate(texts):
        for other in texts[number + 1 :]:
            a, b = one["box"], other["box"]
            across = min(a[2], b[2]) - max(a[0], b[0])
            down = min(a[3], b[3]) - max(a[1], b[1])
            if across > 1 and down > 0.35 * min(one["size"], other["size"]):
                yield one["words"], other["words"]


def test_labels_do_not_overlap(seen):
    found = {(one["figure"], one["kind"]): list(overlapping(one["texts"])) for one in seen}
    assert {where: pairs for where, pairs in found.items() if pairs} == {}


def test_what_the_checks_look_for_is_found(chromium):
    def bad(width):
        scene = Scene(width, "Bad", "A drawing with three faults.")
        scene.text(0, 20, "too small", size=9)
        scene.text(10, 40, "one over")
        scene.text(12, 42, "the other")
        scene.cell(width - 10, 0)
        return scene

    opened = chromium.new_page()
    opened.set_content(page({"bad": Figure(bad)}))
    wide = opened.evaluate(LOOK)[0]
    opened.close()
    assert min(text["size"] for text in wide["texts"]) < SMALLEST
    assert list(overlapping(wide["texts"])) == [("one over", "the other")]
    assert max(box[2] for box in wide["shapes"]) > wide["frame"][2] + 2


@pytest.mark.parametrize("name", SAMPLES)
def test_a_drawing_is_titled_told_and_has_ids_of_its_own(name):
    shown = SAMPLES[name]._repr_html_() + SAMPLES[name]._repr_html_()
    ids = re.findall(r' id="([^"]+)"', shown)
    assert len(ids) == len(set(ids)) >= 8
    for svg in re.findall(r"<svg.*?</svg>", shown, re.DOTALL):
        root = ElementTree.fromstring(svg)
        told = {node.tag.rpartition("}")[2]: node for node in root[:2]}
        assert told["title"].attrib["id"] == root.attrib["aria-labelledby"]
        assert told["desc"].attrib["id"] == root.attrib["aria-describedby"]
        assert told["title"].text
        assert told["desc"].text
    used = set(re.findall(r"url\(#([^)]+)\)", shown))
    assert used <= set(ids)


def test_the_page_chooses_by_the_width_that_there_is(chromium):
    opened = chromium.new_page(viewport={"width": 390, "height": 700})
    opened.set_content(f'<!doctype html><body style="margin:20px">{SAMPLES["storage"]._repr_html_()}')
    shown = (
        "[...document.querySelectorAll('.tl-figure > div')]"
        ".filter((div) => div.offsetHeight).map((div) => div.className)"
    )
    assert opened.evaluate(shown) == ["tl-narrow"]
    opened.set_viewport_size({"width": figure.WIDE + 60, "height": 700})
    assert opened.evaluate(shown) == ["tl-wide"]
    opened.close()


def texts(scene):
    root = ElementTree.fromstring(scene.svg("key"))
    return [node.text for node in root.iter() if node.tag.endswith("text")]


def test_a_storage_is_drawn_once_and_a_cell_keeps_its_colour():
    x = tl.arange(10, 16).view(2, 3)
    scene = figures.storage({"x": x, "x.t()": x.t()}).draw(720)
    shown = texts(scene)
    assert [shown.count(str(number)) for number in range(10, 16)] == [3] * 6
    assert [shown.count(str(place)) for place in range(6)] == [1] * 6
    assert {"x", "x.t()", "shape (3, 2)", "stride (1, 3)", "+3", "+1"} <= set(shown)
    assert sum(f"--c:{figures.memory(2 / 5)};" in part for part in scene.parts) == 3


def test_the_hand_is_ringed_in_the_storage_and_where_a_tensor_shows_it():
    windows = tl.as_strided(tl.arange(5), (3, 3), (1, 1))
    scene = figures.storage(windows, hand=2).draw(720)
    assert sum("--tl-hand-edge" in part and "stroke-width:3" in part for part in scene.parts) == 4


def test_what_stride_0_reads_again_is_dashed():
    scene = figures.tensor(tl.arange(3).expand(4, 3)).draw(350)
    assert sum("stroke-dasharray:3 2.5" in part for part in scene.parts) == 9


@pytest.mark.parametrize("shape", [(), (1,), (2, 2, 3)])
def test_a_tensor_of_up_to_three_dimensions_is_drawn(shape):
    x = tl.arange(tl.zeros(shape).numel()).view(shape)
    shown = texts(figures.tensor(x).draw(350))
    assert {str(number) for number in range(x.numel())} <= set(shown)


def test_what_cannot_be_drawn_is_named():
    x = tl.arange(12)
    with pytest.raises(ValueError, match="y and x do not share one storage"):
        figures.storage({"x": x, "y": x.clone()})
    with pytest.raises(ValueError, match="this one has 100: clone"):
        figures.storage(tl.arange(100))
    with pytest.raises(ValueError, match=r"this one has the shape \(2, 2, 3\)"):
        figures.storage(x.view(2, 2, 3))
    with pytest.raises(ValueError, match="has no colour 'red'"):
        figures.colour("red")
    with pytest.raises(ValueError, match=r"strip has \(12,\)"):
        figures.picture({"strip": x})


def test_the_lighthouse_fits_into_bytes():
    x = figures.lighthouse()
    assert x.shape == (24, 24)
    assert tl.equal(x, x.to(tl.uint8).float())
    assert x.min() == 12
    assert (x[4:7, 16:19] == 255).all()


def test_a_picture_frames_copies_only():
    x = figures.lighthouse()
    scene = figures.picture({"x": x, "view": x[::2, ::2], "copy": x.flip(0)}).draw(720)
    assert sum("--tl-copy" in part and part.startswith("<rect") for part in scene.parts) == 2
    assert sum(part.startswith("<image") for part in scene.parts) == 3


def test_fetched_lines_are_framed_and_counted():
    line = tl.arange(12)
    walks = figures.fetched_lines({"row": line[4:8], "column": line[1::4]}, 4)
    shown = texts(walks.draw(720))
    assert {"1 line fetched", "4 of 4 numbers used", "3 lines fetched", "3 of 12 numbers used"} <= set(shown)
    short = figures.fetched_lines({"all": line}, 8).draw(350)
    assert "all: 2 of 2 lines fetched, 12 of 16 numbers used" in short.says
    with pytest.raises(ValueError, match="per_line=0"):
        figures.fetched_lines({"row": line}, 0)


def test_sizes_in_the_list_drawing_are_measured():
    scene = figures.list_beside_storage([1.5, 2.5, 3.5], tl.float64).draw(720)
    listed = 3 * (sys.getsizeof(1.5) + 8)
    assert {f"{listed} bytes", "24 bytes"} <= set(texts(scene))
    with pytest.raises(ValueError, match="1 to 6 values"):
        figures.list_beside_storage([], tl.float32)


@pytest.mark.parametrize("index", [(0, 0), (2, 1), (1, 3)])
def test_the_way_ends_at_the_element(index):
    x = tl.arange(12).view(3, 4)
    scene = figures.way_to(x, index).draw(720)
    assert scene.says.endswith(f" = {x[index].item()}")
    assert texts(scene).count("+4") == index[0] + 1
    with pytest.raises(IndexError, match=r"\(3, 0\) is outside of the shape \(3, 4\)"):
        figures.way_to(x, (3, 0))


def test_the_bits_of_a_float_are_in_three_fields():
    scene = figures.float32_bits({"-2.0": 0xC0000000}).draw(720)
    shown = texts(scene)
    assert "".join(text for text in shown if text in ("0", "1")) == f"{0xC0000000:032b}"
    assert {"-2.0", "sign", "exponent", "fraction"} <= set(shown)
    with pytest.raises(ValueError, match="0x100000000, which is no pattern of 32 bits"):
        figures.float32_bits({"x": 1 << 32})


def test_lines_rise_where_their_numbers_do():
    scene = figures.plot({"up": ([1, 2, 4], [1.0, 2.0, 3.0])}, points=([1, 4], [1.0, 3.0])).draw(720)
    dots = [
        [float(at) for at in re.findall(r'c[xy]="([^"]+)"', part)]
        for part in scene.parts
        if "<circle" in part
    ]
    (left, low), (right, high) = dots[:2]
    assert left < right
    assert high < low
    for wrong in ({"short": ([1, 2], [1])}, {str(number): ([1], [1]) for number in range(5)}, {}):
        with pytest.raises(ValueError, match="as many x as y"):
            figures.plot(wrong)
    with pytest.raises(ValueError, match="positive numbers, got 0"):
        figures.plot({"zero": ([0, 1], [1, 1])}, log=True)
