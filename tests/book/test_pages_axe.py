"""axe-core finds nothing serious on any page, in the light, in the dark, and as narrow as a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import ADDRESSES, Open

AXE = Path(__file__).parent / "axe" / "axe.min.js"
PHONE = {"width": 390, "height": 844}
RUN_AXE = """async (rules) => {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const { violations } = await axe.run(document, options);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) => nodes.map((n) => `${id}: ${help}: ${n.target}: ${n.failureSummary}`));
}"""

# Of all rules these alone ask for colours. All others see the same in the dark at the same width.
RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]

# The theme gives code that scrolls a place in the tab order, 0.3 s after the window got its size.
SCROLLING_CODE_IS_REACHED = """() => [...document.querySelectorAll("main pre")].every(
  (code) => code.scrollWidth <= code.clientWidth || code.tabIndex === 0
)"""


@pytest.mark.parametrize("address", ADDRESSES)
def test_axe_finds_nothing_serious(open_page: Open, address: str) -> None:
    page = open_page(address, theme="light")
    page.add_script_tag(path=AXE)
    found = {"light": page.evaluate(RUN_AXE)}
    page.close()
    page = open_page(address, theme="dark")  # a change of theme would draw thousands of transitions
    page.add_script_tag(path=AXE)
    found["dark"] = page.evaluate(RUN_AXE, RULES_OF_COLOURS)
    page.set_viewport_size(PHONE)
    page.wait_for_function(SCROLLING_CODE_IS_REACHED)
    found["narrow"] = page.evaluate(RUN_AXE)
    assert found == {"light": [], "dark": [], "narrow": []}
