"""The landing page: its lab by mouse and by keyboard, its map, what other sites are told of it."""

from __future__ import annotations

import pytest
from tensorlab_book.head import plain, site_address

from .conftest import CHAPTER, Open

LANDING = "book/index.html"


def reading(page):
    return page.locator(".tl-hero-facts").inner_text().split("\n")[0]


def drag(page, name, cells):
    box = page.get_by_role("slider", name=name).locator(".tl-hero-hit").bounding_box()
    pitch = page.locator(".tl-hero-cell").first.bounding_box()["width"]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + cells * pitch, y, steps=6)
    page.mouse.up()


def test_an_arrow_and_the_flag_are_dragged(open_page: Open) -> None:
    page = open_page(LANDING)
    assert reading(page) == "shape (3, 4) stride (4, 1) offset 0"
    drag(page, "stride to the right", 1)
    assert reading(page) == "shape (3, 2) stride (4, 2) offset 0"  # the shape gives way
    drag(page, "offset", 3)
    assert reading(page).endswith("stride (4, 2) offset 3")


def test_the_lab_by_keyboard(open_page: Open) -> None:
    page = open_page(LANDING)
    page.get_by_role("slider", name="stride downward").press("ArrowLeft")
    assert reading(page) == "shape (3, 4) stride (3, 1) offset 0"
    for _ in range(4):
        page.get_by_role("slider", name="offset").press("ArrowLeft")
    assert "step outside of memory" in page.locator(".tl-hero-sum").inner_text()
    page.get_by_role("application").press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.locator(".tl-hero-sum").inner_text() == "x[1, 0] is in cell 0 + 1 × 3 + 0 × 1 = 3"
    page.get_by_role("button", name="turned").press("Enter")
    assert reading(page) == "shape (4, 3) stride (1, 4) offset 0"


def test_every_reading_stays_in_memory(open_page: Open) -> None:
    page = open_page(LANDING, width=390)
    for name in ("stride to the right", "stride downward", "offset"):
        slider = page.get_by_role("slider", name=name)
        for key in ["ArrowRight"] * 13 + ["ArrowLeft"] * 13:
            slider.press(key)
            cells = page.locator(".tl-hero-tile text").all_text_contents()
            assert all(0 <= int(cell) < 12 for cell in cells)


def test_the_map_shows_24_chapters(open_page: Open) -> None:
    page = open_page(LANDING)
    cells = page.locator(".tl-map-cell")
    assert cells.count() == 24
    written = page.locator("a.tl-map-cell")
    assert " min" in written.first.inner_text()
    assert CHAPTER.endswith(written.first.get_attribute("href"))
    assert page.locator(".tl-measured li").count() == 3
    assert page.locator(".tl-start").inner_text().startswith("Start with chapter 1")


def test_other_sites_are_told_what_the_page_is(open_page: Open) -> None:
    page = open_page(LANDING)
    told = page.locator("meta[property='og:description']").get_attribute("content")
    assert told.startswith("Under every tensor lies one line of memory.")
    assert page.locator("meta[property='og:title']").get_attribute("content") == "Tensors, Inside Out"
    assert page.locator("meta[property='og:image']").count() == 0  # nobody knows yet where the site will be
    page = open_page(CHAPTER)
    title = page.locator("meta[property='og:title']").get_attribute("content")
    assert title == "1. A tensor is a line"


def test_other_sites_are_told_a_title_in_words() -> None:
    assert plain('<span class="section-number">9. </span>Graph &amp; engine') == "9. Graph & engine"
    assert plain("Glossary") == "Glossary"


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://github.com/Owner/name", "https://owner.github.io/name/"),
        ("https://gitlab.com/owner/name", ""),
        ("", ""),
    ],
)
def test_the_sites_address_follows_from_the_repositorys(repository: str, address: str) -> None:
    assert site_address(repository) == address
