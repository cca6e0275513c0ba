"""Every page is light and fits a telephone, and axe-core finds nothing serious, by day and in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.site_fixtures import Watch

from .conftest import ADDRESSES, Open, listed_files
from .weight import assert_light

AXE = Path(__file__).parent / "axe" / "axe.min.js"
LEAST, TELEPHONE = {"width": 320, "height": 700}, {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 800}
# The pages of reference are made of the same elements, and so are those of exercises: one stands for most.
ALIKE = ("/reference/", "exercises/")
LONGEST = "book/reference/functions_pointwise.html", "exercises/13_nn_and_optimisers.html"
OF_EACH_KIND = [page for page in ADDRESSES if page in LONGEST or not any(kind in page for kind in ALIKE)]
OTHERS = [page for page in ADDRESSES if page not in OF_EACH_KIND]

RUN_AXE = """async (options) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...options });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) => nodes.map((n) => `${id}: ${help}: ${n.target}: ${n.failureSummary}`));
}"""

# Of all rules these alone ask for colours, and take longer than the others together. The others see the same
# in the dark at the same width.
RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]
ONLY_COLOURS = {"runOnly": RULES_OF_COLOURS}

# Of all text that looks the same and stands in elements that look the same, colours are looked at in one
# place: a page of functions has thousands of such.
LOOK_ONCE = """() => {
  const LOOK = [
    "color", "backgroundColor", "backgroundImage", "borderBottom", "boxShadow", "filter", "fontSize",
    "fontWeight", "mixBlendMode", "opacity", "position", "textDecoration", "textShadow", "visibility",
    "zIndex",
  ];
  const numbers = new Map();
  const mark = (element, around) => {
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    const counts = element.checkVisibility() && (hasText || element.matches("a, :empty"));
    const look = [around, counts, element.localName, ...LOOK.map((name) => style[name])].join();
    element.toggleAttribute("data-look", counts && !numbers.has(look));
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    for (const child of element.children) mark(child, numbers.get(look));
  };
  mark(document.body, "");
  axe.configure({ rules: [
    { id: "color-contrast", selector: "[data-look]" },
    { id: "link-in-text-block", selector: "a[href][data-look], [role=link][data-look]" },
  ] });
}"""

# The theme gives code that scrolls a place in the tab order, 0.3 s after the window got its size.
SCROLLING_CODE_IS_REACHED = """() => [...document.querySelectorAll("main pre")].every(
  (code) => code.scrollWidth <= code.clientWidth || code.tabIndex === 0
)"""

BEYOND_THE_EDGE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > width + 1)
    .map((e) => `${e.tagName}.${e.className} reaches ${e.getBoundingClientRect().right} of ${width}`);
}"""


@pytest.mark.parametrize("address", OF_EACH_KIND)
def test_it_is_light_and_fits_a_narrow_window(open_page: Open, watch: Watch, address: str) -> None:
    page = open_page(address, width=LEAST["width"])
    if address.removesuffix(".html") in listed_files():  # the search and the index of names are long lists
        assert_light(page, watch, address)
    assert page.evaluate(BEYOND_THE_EDGE) == []


@pytest.mark.part(12)
@pytest.mark.parametrize("address", OTHERS)
def test_so_do_those_that_are_alike(open_page: Open, watch: Watch, address: str) -> None:
    test_it_is_light_and_fits_a_narrow_window(open_page, watch, address)
    test_axe_finds_nothing_by_day(open_page, address)


# Each page is seen by day or in the dark, its neighbour the other way; with `--whole` both ways.
@pytest.mark.part(2)
@pytest.mark.parametrize("address", OF_EACH_KIND)
def test_axe_finds_nothing_by_day(open_page: Open, address: str) -> None:
    page = open_page(address, theme="light")
    page.add_script_tag(path=AXE)
    page.evaluate(LOOK_ONCE)
    assert page.evaluate(RUN_AXE, {}) == []


@pytest.mark.part(2)
@pytest.mark.parametrize("address", OF_EACH_KIND[1:] + OF_EACH_KIND[:1])
def test_axe_finds_nothing_in_the_dark(open_page: Open, address: str) -> None:
    # A change of theme on the page would draw thousands of transitions, so that it is opened anew.
    page = open_page(address, width=TELEPHONE["width"], theme="dark")
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.add_script_tag(path=AXE)
    page.wait_for_function(SCROLLING_CODE_IS_REACHED)
    page.evaluate(LOOK_ONCE)
    assert page.evaluate(RUN_AXE, {}) == []
    page.set_viewport_size(WIDE)
    page.evaluate(LOOK_ONCE)
    assert page.evaluate(RUN_AXE, ONLY_COLOURS) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_pale_word_is_found(open_page: Open, theme: str) -> None:
    """One place among all that look the same: what looks like nothing else is among them."""
    page = open_page("book/glossary.html", theme=theme)
    page.add_script_tag(path=AXE)
    page.evaluate("document.querySelector('main p').insertAdjacentHTML('beforeend', '<i id=pale>pale</i>')")
    page.evaluate("document.querySelector('#pale').style.color = 'gray'")
    page.evaluate("document.querySelector('#pale').style.backgroundColor = 'darkgray'")
    page.evaluate(LOOK_ONCE)
    found = page.evaluate(RUN_AXE, ONLY_COLOURS)
    assert len(found) == 1
    assert "#pale" in found[0]
