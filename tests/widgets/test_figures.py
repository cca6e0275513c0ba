"""Every figure is drawn wide and narrow: nothing is too small, cut off, or over something else."""

from __future__ import annotations

import itertools
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
    assert set(SAMPLES) == set(figures.__all__) - shapes


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


@pytest.mark.parametrize("width", [350, 720])
def test_a_name_stands_beside_its_line_and_over_none(width):
    steps = list(range(40))
    falling, shaking = [40 - k for k in steps], [20 + 18 * (-1) ** k * (k > 15) for k in steps]
    scene = figures.plot({"falling": (steps, falling), "shaking": (steps, shaking)}).draw(width)
    ways = [
        [tuple(map(float, place.split())) for place in re.findall(r"[\d.]+ [\d.]+", d)]
        for d in re.findall(r'd="(M[^"]+)" style="[^"]*stroke-width:2.5', "".join(scene.parts))
    ]
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(\w+ing)<', "".join(scene.parts))
    assert len(found) == len(ways) == 2
    for right, level, name in found:
        x, y = float(right), float(level)
        start = x - 7 * len(name)
        heights = [
            b + (d - b) * (at - a) / (c - a)
            for way in ways
            for (a, b), (c, d) in itertools.pairwise(way)
            for at in (a, (a + c) / 2, c)
            if start < at < x
        ]
        assert heights
        assert not [height for height in heights if y - 12 < height < y + 3]
        own = ways[["falling", "shaking"].index(name)]
        assert min(abs(b - y) for a, b in own if start < a < x) < 30


def test_runs_are_cut_where_the_step_changes():
    x = tl.arange(12).view(3, 4)
    scene = figures.in_reading_order({"x": x, "t": x.t(), "one": tl.zeros(1, 1)}).draw(720)
    assert "x: runs of cells 0 1 2 3 4 5 6 7 8 9 10 11;" in scene.says
    assert "t: runs of cells 0 4 8, 1 5 9, 2 6 10, 3 7 11; one: runs of cells 0" in scene.says
    shown = texts(scene)
    assert (shown.count("+1"), shown.count("+4"), shown.count("-7")) == (1, 1, 3)


SHAPES = [(24,), (3, 8), (3, 2, 4), (6, 4), (3, 2, 2, 2), (1, 3, 2, 1, 4), (2, 12), (12, 2)]


@pytest.mark.parametrize("x", [tl.arange(24).view(2, 3, 4), tl.arange(24).view(2, 3, 4).transpose(0, 1)])
def test_shapes_fit_between_the_walls_where_the_library_makes_a_view(x):
    scene = figures.filling_runs(x, SHAPES).draw(720)
    for shape in SHAPES:
        try:
            x.view(shape)
            verdict = "a view"
        except RuntimeError:
            verdict = "no view"
        assert f"view{shape}: {verdict}" in scene.says
    red = sum("var(--tl-copy" in part and part.startswith("<rect") for part in scene.parts)
    assert bool(red) == ("no view" in scene.says)
    with pytest.raises(ValueError, match=r"shapes of 24 elements are wanted, 2 or more, got \(5, 5\)"):
        figures.filling_runs(x, [(5, 5)])


def test_totals_are_where_their_elements_went():
    x = tl.arange(6).view(2, 3)
    shown = texts(figures.folded_into(x, {"x.sum(0)": 0, "x.sum(1)": 1}).draw(720))
    assert {"x.sum(0)", "shape (3,)", "keepdim (1, 3)", "7", "shape (2,)", "keepdim (2, 1)", "12"} <= set(
        shown
    )
    with pytest.raises(ValueError, match="this tensor has 1"):
        figures.folded_into(tl.ones(3), {"x.sum()": 0})


def test_what_an_index_takes_is_coloured_and_copies_are_framed():
    x = tl.arange(6).view(2, 3)
    scene = figures.picked_from(x, {"x[:, 1:]": x[:, 1:], "x[[0], [2]]": x[[0], [2]]}).draw(720)
    assert (
        scene.says
        == "x[:, 1:]: a view of shape (2, 2) with 1, 2, 4, 5; x[[0], [2]]: a copy of shape (1,) with 2"
    )
    assert sum("fill:none;stroke:var(--tl-copy" in part for part in scene.parts) == 2
    with pytest.raises(ValueError, match="all different"):
        figures.picked_from(tl.zeros(2, 2), {})


def test_what_is_read_twice_gets_two_values():
    x, places, y = tl.tensor([5.0, 7.0]), tl.tensor([0, 0]), tl.tensor([1.0, 2.0])
    scene = figures.read_and_added_back(x, places, y).draw(350)
    assert scene.says == "x[places]: cells 0, 0 are read: 5, 5; values 1, 2 are added into cells 0, 0: 3, 0"
    with pytest.raises(ValueError, match="2 places and 1 values"):
        figures.read_and_added_back(x, places, y[:1])


def test_an_element_of_a_product_is_made_of_its_row_and_its_column():
    a, b = tl.tensor([[1, 2, 3], [4, 5, 6]]), tl.tensor([[1, 0], [0, 1], [2, 2]])
    scene = figures.row_meets_column(a, b, (1, 0)).draw(720)
    assert scene.says == "element [1, 0] of the product is 4·1 + 5·0 + 6·2 = 16"
    shown = [number for t in (b, a, a @ b) for number in t.view(-1).tolist()]
    assert [int(text) for text in texts(scene) if text.isdigit()] == shown


@pytest.mark.parametrize(("a", "b"), [((2, 1), (5,)), ((3,), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (2, 3))])
def test_batches_are_paired_as_the_librarys_are(a, b):
    scene = figures.batches_that_meet(a, b).draw(720)
    # Matrices of one number each: which of a, in hundreds, and which of b.
    count = [tl.arange(1, tl.zeros(shape).numel() + 1).view(*shape, 1, 1) for shape in (a, b)]
    product = (count[0] * 100) @ tl.ones_like(count[1]) + tl.ones_like(count[0]) @ count[1]
    named = re.findall(r"a(\d+) @ b(\d+)", scene.says)
    assert [100 * (int(first) + 1) + int(second) + 1 for first, second in named] == product.view(-1).tolist()


def test_a_matrix_that_a_batch_reads_again_is_dashed():
    scene = figures.batched(tl.ones(3, 2, 4), tl.ones(1, 4, 3)).draw(720)
    assert scene.says == "3 products (2, 4) @ (4, 3); b is one matrix, read again"
    assert "stride (0, 3, 1)" in texts(scene)
    with pytest.raises(ValueError, match=r"got \(2, 3, 4\) and \(3, 4, 5\)"):
        figures.batched(tl.ones(2, 3, 4), tl.ones(3, 4, 5))


def test_shapes_are_aligned_from_the_right():
    fits, fails = {"table": (3, 4), "row": (4,), "one": (1, 1)}, {"table": (3, 4), "three": (3,)}
    scene = figures.aligned_shapes([fits, fails]).draw(350)
    assert "table (3, 4), row (4,), one (1, 1): result (3, 4)" in scene.says
    assert "not broadcastable: 4 and 3" in texts(scene)
    assert {"→3", "1→3", "1→4"} <= set(texts(scene))
    with pytest.raises(ValueError, match="nothing to align"):
        figures.aligned_shapes([{"number": ()}])


def test_captions_are_escaped():
    assert "1 &lt; 2" in figures.tensor(tl.ones(2), "1 < 2")._repr_html_()
