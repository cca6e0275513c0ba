"""Every page in a real browser: both themes, wide and narrow, no complaint from the browser or from axe.

The `open_page` fixture fails a test on any console error or warning, any failed request, and any request to
another host.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .conftest import listed_files

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[..., "Page"]

CHAPTER = "book/chapters/01_a_tensor_is_a_line.html"
ADDRESSES = [f"{name}.html" for name in listed_files()] + ["search.html?q=stride", "genindex.html"]
WIDE, NARROW, LEAST = 1280, 390, 320
AXE = Path(__file__).parent / "axe" / "axe.min.js"
RUN_AXE = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) => nodes.map((n) => `${id}: ${help}: ${n.target}: ${n.failureSummary}`));
}"""
BEYOND_THE_EDGE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > width + 1)
    .map((e) => `${e.tagName}.${e.className} reaches ${e.getBoundingClientRect().right} of ${width}`);
}"""


def set_theme(page: Page, theme: str) -> None:
    """Change the system's theme, which the book follows until the reader chooses one."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")


@pytest.mark.parametrize("address", ADDRESSES)
class TestPage:
    """One page, looked at in each theme."""

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_axe_finds_nothing_serious(self, open_page: Open, address: str, theme: str) -> None:
        page = open_page(address, width=WIDE, theme=theme)
        page.add_script_tag(path=AXE)
        assert page.evaluate(RUN_AXE) == []

    @pytest.mark.parametrize("width", [NARROW, LEAST])
    def test_fits_a_telephone(self, open_page: Open, address: str, width: int) -> None:
        page = open_page(address, width=width, theme="dark")
        assert page.evaluate(BEYOND_THE_EDGE) == []
        set_theme(page, "light")

    def test_has_one_heading_of_the_first_rank(self, open_page: Open, address: str) -> None:
        page = open_page(address)
        assert page.locator("h1:visible").count() == 1

    def test_can_be_read_without_scripts(self, open_page: Open, address: str) -> None:
        page = open_page(address, scripts=False)
        assert page.locator("h1:visible").count() == 1
        ink = page.locator("main").evaluate("e => getComputedStyle(e).color")
        assert ink == "rgb(27, 36, 48)"


def test_the_first_address_leads_to_the_landing_page(open_page: Open) -> None:
    page = open_page("")
    page.wait_for_url("**/book/index.html")
    assert page.locator("h1:visible").inner_text().startswith("Tensors, Inside Out")


def test_search_finds_a_word_of_the_book(open_page: Open) -> None:
    page = open_page("book/index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("offset")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=offset")
    page.locator("#search-results .search-summary", has_text="found").wait_for()
    found = page.locator("#search-results li a").all_inner_texts()
    assert any("Glossary" in text for text in found)
    assert any("A tensor is a line" in text for text in found)


def test_the_reader_chooses_a_theme_and_it_stays(open_page: Open) -> None:
    page = open_page("book/index.html", theme="light")
    button = page.locator(".theme-switch-button:visible")
    for _ in range(3):
        button.click()
        if page.evaluate("document.documentElement.dataset.theme") == "dark":
            break
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.goto(page.url.replace("index", "glossary"))
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_exercise_can_be_downloaded_from_its_header(open_page: Open) -> None:
    page = open_page("exercises/01_a_tensor_is_a_line.html")
    page.locator("button[aria-label='Download this page']:visible").click()
    with page.expect_download() as download:
        page.locator("a.btn-download-source-button:visible").click()
    assert download.value.suggested_filename == "01_a_tensor_is_a_line.ipynb"


def test_every_widget_of_the_chapter_is_drawn(open_page: Open) -> None:
    page = open_page(CHAPTER)
    announced = page.locator('script[type="application/vnd.jupyter.widget-view+json"]').count()
    drawn = page.locator(".widget-subarea > *").count()
    assert announced > 0
    assert drawn == announced


def test_formulas_are_typeset_by_the_sites_own_mathjax(open_page: Open) -> None:
    page = open_page(CHAPTER)
    formulas = page.locator(".math.notranslate").count()
    if formulas == 0:
        pytest.skip("the chapter has no formula")
    assert page.locator("mjx-container").count() >= formulas
