"""What holds for every lab: width, targets, themes, words for every control, and nothing that axe finds."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.widgets import (
    ActivationTimeline,
    AdjointCards,
    BroadcastLab,
    ConvolutionWalk,
    FloatRuler,
    IndexingLab,
    MatmulLab,
    OptimizerLab,
    PromotionLattice,
    ReductionLab,
    StrideLab,
    TapePlayer,
    ViewDoctor,
)
from tests.site_fixtures import ROOT

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

LABS = {
    "activation": lambda: [
        ActivationTimeline(["sin"] * 8, segment=3, told=True),
        ActivationTimeline(recording=False, pieces=4, told=True),
        ActivationTimeline(),
    ],
    "stride": lambda: [
        StrideLab(shape=(2, 3, 4), ops=[("permute", 2, 0, 1), ("flip", 0)]),
        StrideLab(shape=()),
        StrideLab(shape=(40,), line=64),
    ],
    "doctor": lambda: [
        ViewDoctor(tl.arange(24).view(2, 3, 4).transpose(0, 1), target=(6, 4), told=True),
        ViewDoctor(shape=(2, 1, 2, 3)),
    ],
    "broadcast": lambda: [
        BroadcastLab((3, 1), (4,), told=True),
        BroadcastLab((2, 3, 4, 5), (4, 1)),
        BroadcastLab((3,), (4,), told=True),
    ],
    "convolution": lambda: [
        ConvolutionWalk((3, 6, 6), padding=1),
        ConvolutionWalk((16, 4, 4), line=64, layout="NHWC"),
    ],
    "reduction": lambda: [
        ReductionLab((2, 3, 4), dims=(0, 2), operation="mean", told=True),
        ReductionLab((3, 4)),
    ],
    "adjoint": lambda: [AdjointCards("expand", told=True), AdjointCards()],
    "promotion": lambda: [PromotionLattice(tl.int8, 1000, told=True), PromotionLattice()],
    "indexing": lambda: [IndexingLab((3, 4), "[0, 0, 2]", told=True), IndexingLab((2, 3, 4), "9", told=True)],
    "matmul": lambda: [MatmulLab((2, 1, 3, 4), (5, 4, 3), told=True), MatmulLab()],
    "ruler": lambda: [FloatRuler(), FloatRuler([1.5, -120, 3, 0, 60], shift=1000)],
    "optimizer": lambda: [OptimizerLab(), OptimizerLab("Adam", lr=0.3, curvature=50, start=(5.0, -2.0))],
    "tape": lambda: [
        TapePlayer("h = x * w; z = (h / 2 + h).sum()", x=[1, -2], w=0.5, told=True),
        TapePlayer(ask="w"),
        TapePlayer("h = x.exp(); h *= 2; z = h.sum()", x=[0, 1], told=True),
        TapePlayer((tl.ones(2, 2, requires_grad=True).softmax(0) * tl.ones(2, requires_grad=True)).sum()),
    ],
}
AXE = ROOT / "tests" / "book" / "axe" / "axe.min.js"
# The test page has no headings and landmarks around its widgets; the book's pages are tested with theirs.
RUN_AXE = """async () => {
  const { violations } = await axe.run(document.body, { resultTypes: ["violations"] });
  return violations
    .filter(({ id }) => !["landmark-one-main", "page-has-heading-one", "region"].includes(id))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target}: ${node.failureSummary}`));
}"""
# In one step: a lab may draw its controls anew after every change of the width.
SIZES = """() => {
  const all = [...document.querySelectorAll(".tlw-lab :is(button, input, select, summary)")];
  return all.filter((element) => element.checkVisibility({ visibilityProperty: true })).map((element) => {
    const own = element.getBoundingClientRect();
    const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
    const least = element.closest(".tlw-cache-line") ? 24 : 0;
    return [element.outerHTML, own.width * own.height > 0, width, height, least];
  });
}"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize(("widths", "touch"), [((320, 390), True), ((700, 1280), False)])
def test_nothing_is_wider_than_the_page_or_too_small_to_hit(show, name, widths, touch):
    page = show(*LABS[name](), width=widths[0], touch=touch)
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(DRAWN)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        target = 44 if touch else 24
        controls = [control for control in page.evaluate(SIZES) if control[1]]
        assert controls
        # The cells of a cache line are as narrow as it takes to keep the line whole, and as high as all else.
        assert [c for c in controls if c[2] < (c[4] or target) or c[3] < target] == []


@pytest.mark.parametrize("name", LABS)
def test_axe_finds_nothing_in_the_light_and_in_the_dark(show, name):
    page = show(*LABS[name](), theme="light")
    page.add_script_tag(path=AXE)
    found = {"light": page.evaluate(RUN_AXE)}
    page.evaluate(
        "document.documentElement.dataset.theme = 'dark'; document.body.style.background = '#14171c'"
    )
    expect(page.locator(".tlw-lab").first).to_have_attribute("data-theme", "dark")
    page.evaluate("document.querySelectorAll('.tlw-twin').forEach((twin) => { twin.open = true; })")
    found["dark"] = page.evaluate(RUN_AXE)
    assert found == {"light": [], "dark": []}


@pytest.mark.parametrize("name", LABS)
def test_every_control_has_a_name_and_every_state_a_link(show, name):
    page = show(*LABS[name]())
    for control in page.locator(".tlw-lab :is(button, input, select):visible").all():
        assert control.evaluate(
            "e => (e.getAttribute('aria-label') ?? e.textContent ?? '').trim() || e.labels?.[0]?.textContent"
        )
    for lab in page.locator(".tlw-lab").all():
        lab.get_by_role("button", name="Copy link").click()
        link = page.evaluate("navigator.clipboard.readText()")
        assert "#" in link
        assert "undefined" not in link
        page.goto(link)
        expect(lab.locator(".tlw-message")).not_to_contain_text("The link's state was not used")


@pytest.mark.parametrize("name", LABS)
def test_a_reader_without_scripts_gets_the_text(show, name):
    page = show(*LABS[name](), scripts=False)
    assert page.locator("table, p").count() > 0
    assert page.locator(".tlw").count() == 0


STYLES = """(root) => [root, ...root.querySelectorAll("*")].map((element) => {
  const style = getComputedStyle(element);
  const names = ["backgroundColor", "color", "borderTopWidth", "borderTopColor", "borderTopStyle", "fontSize",
    "fontFamily", "fontWeight", "display", "width", "height", "padding", "margin"];
  return [element.className.baseVal ?? element.className, ...names.map((name) => style[name])];
})"""


@pytest.mark.parametrize("name", LABS)
def test_a_lab_looks_the_same_beside_all_others(show, name):
    mine = LABS[name]()[0]
    alone = show(mine, theme="light").locator(".tlw-lab").first.evaluate(STYLES)
    others = [lab for other in LABS if other != name for lab in LABS[other]()[:1]]
    beside = show(mine, *others, theme="light")
    expect(beside.locator(".tlw-lab")).to_have_count(len(LABS))
    assert beside.locator(".tlw-lab").first.evaluate(STYLES) == alone
