"""Quizzes in the built book, in a real browser: by keyboard, by mouse, without scripts, after a reload."""

from __future__ import annotations

import pytest

CHAPTER = "book/chapters/01_a_tensor_is_a_line.html"
COST = "A tensor keeps a million temperatures"


@pytest.fixture
def page(open_page):
    page = open_page(CHAPTER)
    page.wait_for_selector(".tlp")
    return page


def question(page, text):
    return page.locator(".tlq form", has_text=text)


def focused(page):
    return page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )


def test_nothing_is_revealed_before_a_prediction(page):
    form = question(page, COST)
    output = page.get_by_text("bytes", exact=False).locator("visible=true", has_text="list   32")
    assert output.count() == 0
    assert form.get_by_role("button").count() == 0  # it comes with a choice
    form.get_by_role("radio").first.focus()
    page.keyboard.press("Enter")
    assert "Choose an answer first" in form.inner_text()
    assert form.get_attribute("data-state") == "open"
    assert form.locator(".tlq-mark", has_text="✓").count() == 0


def test_a_prediction_by_keyboard_reveals_and_uncovers(page):
    form = question(page, COST)
    covers = page.locator(".tlq-cover").count()
    form.get_by_role("radio").nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert form.get_attribute("data-state") == "wrong"
    assert "A Python float is a 64-bit number" in form.inner_text()
    assert "The answer: about eight times as much." in form.inner_text()
    assert page.locator(".tlq-cover").count() < covers
    assert page.get_by_text("tensor  4,000,000 bytes").is_visible()
    assert focused(page) == "Change my mind"
    page.keyboard.press("Enter")
    assert form.get_attribute("data-state") == "open"
    assert page.locator(".tlq-cover").count() == covers


def test_each_wrong_number_has_its_own_answer(page):
    said = set()
    form = question(page, "What is a[0] after these lines?")
    for number in ("1", "5", "9"):
        form.get_by_role("textbox").fill(number)
        page.keyboard.press("Enter")
        said.add(form.locator(".tlq-verdict").inner_text())
        page.keyboard.press("Enter")
    assert len(said) == 3
    assert "Right." in said


def test_a_definition_and_code_stay_in_sight(page):
    assert all(term.is_visible() for term in page.locator("main strong .std-term").all())
    assert all(code.is_visible() for code in page.locator(".cell_input:not(details *)").all())


def test_everything_is_shown_to_those_who_ask_and_the_address_says_so(open_page):
    page = open_page(CHAPTER)
    page.wait_for_selector(".tlp")
    switch, hidden = (
        page.get_by_role("switch", name="show everything"),
        page.locator("[hidden='until-found']"),
    )
    assert not hidden.first.is_visible()
    switch.press("Space")
    assert all(box.is_visible() for box in hidden.all())
    assert not page.locator(".tlq-cover").first.is_visible()
    assert page.locator(".tl-open [role=status]").inner_text() == "All outputs are shown."
    assert "?show=everything" in page.url
    page.goto(page.url.partition("?")[0])
    assert switch.is_checked()  # this browser remembers
    assert "?show=everything" in page.url
    switch.press("Space")
    assert "show=" not in page.url
    page.reload()
    page.wait_for_selector(".tlp")
    assert not hidden.first.is_visible()
    page.goto(page.url + "?show=everything")
    page.wait_for_selector(".tlp")
    assert hidden.first.is_visible()
    assert page.evaluate("localStorage.getItem('tensorlab:show')") is None  # a link decides for itself


def test_the_line_above_a_chapter_counts_what_is_there(page):
    line = page.locator(".tl-open")
    forms, puzzles = page.locator(".tlq form").count(), page.locator(".tlp").count()
    assert f"{forms + puzzles} questions" in line.inner_text()
    assert line.get_by_role("link").get_attribute("href").endswith("exercises/01_a_tensor_is_a_line.html")


@pytest.mark.parametrize("width", [390, 1280])
def test_code_of_a_puzzle_is_one_line_without_its_indentation(open_page, width):
    page = open_page(CHAPTER, width=width)
    page.wait_for_selector(".tlp")
    for line in page.locator(".tlp ul li").all():
        code, button = line.locator("code"), line.get_by_role("button")
        assert code.inner_text() == code.inner_text().strip()
        assert code.evaluate("e => e.getClientRects().length") == 1
        box = page.locator(".tlp ul").bounding_box()
        edge = button.bounding_box()
        assert edge["x"] + edge["width"] <= box["x"] + box["width"] + 1


def test_the_cover_leads_to_the_question(page):
    page.locator(".tlq-cover button").first.click()
    assert page.evaluate("document.activeElement.closest('form').innerText").startswith(COST)


def test_one_note_speaks_for_an_output_and_the_figure_behind_it(open_page):
    page = open_page("book/chapters/14_convolution_and_layout.html")
    covered = page.locator(".cell:has(> .cell_output[hidden])")
    without_code = page.locator(".cell:has(> .cell_output[hidden]):not(:has(> .cell_input))")
    assert without_code.count() > 1
    assert page.locator(".tlq-cover").count() <= covered.count() - without_code.count()


def test_covered_text_shows_on_paper(page):
    page.emulate_media(media="print")
    hidden = page.locator("[hidden='until-found']")
    assert hidden.count() > 5
    assert all(box.is_visible() for box in hidden.all())
    assert page.locator(".tlq-cover").first.is_hidden()


def test_answers_are_there_after_a_reload_and_only_those(page):
    question(page, COST).get_by_text("about eight times as much").click()
    question(page, COST).get_by_role("button").click()
    page.reload()
    page.wait_for_selector(".tlp")
    assert question(page, COST).get_attribute("data-state") == "right"
    kept = page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('tensorlab:quiz:'))")
    assert kept == ["tensorlab:quiz:ch01-list-cost"]


PROGRAM = (
    "def rows",
    "table = []",
    "for i in",
    "row = []",
    "for j in",
    "cell = offset + i * strides",
    "row.append(cells[cell])",
    "table.append",
    "return",
)


def test_parsons_by_keyboard(page):
    puzzle = page.locator(".tlp")
    pool, program = puzzle.locator("ul li"), puzzle.locator("ol li")
    for text in PROGRAM[:2]:
        pool.filter(has_text=text).first.get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert focused(page).startswith("Add line")
    program.nth(1).locator("[data-verb='up']").focus()
    page.keyboard.press("Enter")
    assert focused(page) == "Move up line 1: table = []"
    puzzle.get_by_role("button", name="Check").click()
    assert "Look at line 1. The table must exist before" in puzzle.inner_text()
    program.nth(0).locator("[data-verb='down']").focus()
    page.keyboard.press("Alt+ArrowDown")
    assert program.nth(0).locator("code").inner_text().startswith("def rows")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert program.count() == 1


def test_parsons_by_dragging(page):
    puzzle = page.locator(".tlp")
    for text in PROGRAM:
        line = puzzle.locator("ul li").filter(has_text=text).first
        line.scroll_into_view_if_needed()
        source, target = line.bounding_box(), puzzle.locator("ol").bounding_box()
        page.mouse.move(source["x"] + 8, source["y"] + source["height"] / 2)
        page.mouse.down()
        page.mouse.move(source["x"] + 40, source["y"] + 40, steps=2)
        page.mouse.move(target["x"] + 40, target["y"] + target["height"] + 4, steps=4)
        page.mouse.up()
    puzzle.get_by_role("button", name="Check").click()
    assert "Right." in puzzle.inner_text()
    assert "            row.append(cells[cell]" in puzzle.locator("pre").inner_text()
    puzzle.locator("ol li").first.scroll_into_view_if_needed()
    first = puzzle.locator("ol li").first.bounding_box()
    page.mouse.move(first["x"] + 8, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(first["x"] + 8, first["y"] - 60, steps=4)
    page.mouse.up()
    assert puzzle.locator("ol li").count() == len(PROGRAM) - 1


@pytest.mark.parametrize("width", [320, 390])
def test_no_quiz_is_wider_than_a_phone(open_page, width):
    page = open_page(CHAPTER, width=width)
    page.wait_for_selector(".tlp")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_questions_and_folded_answers_are_there(open_page, watched):
    page = open_page(CHAPTER, scripts=False)
    # The theme preloads scripts, which a browser without scripts gives up; nothing else may fail.
    watched[:] = [problem for problem in watched if "/_static/scripts/" not in problem]
    assert page.locator("p", has_text=COST).first.is_visible()
    assert page.get_by_text("tensor  4,000,000 bytes").is_visible()
    answer = page.locator("details", has_text="And if you said").first
    assert answer.get_by_text("And if you said").is_hidden()
    answer.locator("summary").click()
    assert answer.get_by_text("And if you said").is_visible()
