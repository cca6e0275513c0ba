"""What a reader does with the site: search, choose a theme, download, open what was computed."""

from __future__ import annotations

from .conftest import CHAPTER, Open


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


def test_an_excerpt_shows_no_answer_and_no_number_of_a_drawing(open_page: Open) -> None:
    page = open_page("search.html?q=columns+took")
    excerpt = page.locator("#search-results li", has_text="2. Strides").locator(".context")
    assert "times as long" in excerpt.inner_text()
    assert "The rows win" not in excerpt.inner_text()
    shown = page.evaluate(
        """async (address) => Search.htmlToText(await (await fetch(address)).text(), "")""", CHAPTER
    )
    assert "In which cell" not in shown  # the question is a widget, and its folded text tells the answer
    assert "Two rows of four cells come before it" not in shown
    assert "tensor(9.)" not in shown  # covered
    assert "Nobody searched for it" not in shown  # covered, too
    assert "is its offset" in shown  # a definition stays in sight
    assert "return table" not in shown  # the folded program of a Parsons puzzle
    assert "0 + 2·4 + 1·1" not in shown  # in a drawing


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
    page.wait_for_function(f"document.querySelectorAll('mjx-container').length >= {formulas}")


def test_the_reference_draws_a_graph_and_plays_one(open_page: Open) -> None:
    page = open_page("book/reference/autograd.html")
    assert page.locator("svg text", has_text="MulBackward0").first.is_visible()
    player = page.get_by_role("group", name="Tape Player")
    assert "forward, 0 of 3" in player.inner_text()
    player.get_by_role("button", name="step forward").press("Enter")
    assert "forward, 1 of 3" in player.inner_text()
