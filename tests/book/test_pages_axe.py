"""axe-core finds nothing serious, and every page fits a telephone, in the light and in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import ADDRESSES, Open

AXE = Path(__file__).parent / "axe" / "axe.min.js"
LEAST, TELEPHONE = {"width": 320, "height": 700}, {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 800}

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

# In the light colours are looked at wherever there is text. In the dark, of all text that looks the same and
# stands in elements that look the same, at one: a page of functions has thousands of such.
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


@pytest.mark.parametrize("address", ADDRESSES)
def test_it_can_be_read_at_every_width_in_both_themes(open_page: Open, address: str) -> None:
    page = open_page(address, theme="light")
    page.add_script_tag(path=AXE)
    assert page.evaluate(RUN_AXE, {}) == []
    page.set_viewport_size(LEAST)
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.close()
    # A change of theme on the page would draw thousands of transitions.
    page = open_page(address, width=LEAST["width"], theme="dark")
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.set_viewport_size(TELEPHONE)
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.add_script_tag(path=AXE)
    page.wait_for_function(SCROLLING_CODE_IS_REACHED)
    page.evaluate(LOOK_ONCE)
    assert page.evaluate(RUN_AXE, {}) == []
    page.set_viewport_size(WIDE)
    page.evaluate(LOOK_ONCE)
    assert page.evaluate(RUN_AXE, ONLY_COLOURS) == []
