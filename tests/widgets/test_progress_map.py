"""The progress map: what a browser and a file know of a reader, by keyboard, on a phone, light and dark."""

from __future__ import annotations

import json

import pytest

from tensorlab.grading.suites import exercises
from tensorlab.widgets import Line, Parsons, ProgressMap
from tensorlab.widgets.progress_map.chapters import Chapter, chapters_in
from tests.site_fixtures import ROOT
from tests.widgets.test_labs_alike import AXE, RUN_AXE, SIZES

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

ENGINE = "progress_map/engine.js"
CHAPTERS = [
    Chapter(1, "A line", "01_a_line", (("Predict", "a"), ("Recall", "b"), ("Parsons", "c")), exercises("01")),
    Chapter(2, "Strides", "02_strides", (("Predict", "d"),), exercises("02")),
]


def record(points, **more):
    return {"points": points, "checks": 1, "hints": 0, "assisted": False} | more


def export(**records):
    named = {f"01.{name}": value for name, value in records.items()}
    return json.dumps({"tensorlab": "progress", "version": 1, "exercises": named})


class TestRules:
    @pytest.mark.parametrize(
        ("kind", "text", "state"),
        [
            ("Predict", None, "none"),
            ("Predict", "{", "none"),
            ("Predict", "7", "none"),
            ("Predict", '{"predictions": "x"}', "none"),
            ("Predict", '{"predictions": [null]}', "none"),
            ("Predict", '{"predictions": [0]}', "done"),
            ("Recall", '{"predictions": [0, null]}', "begun"),
            ("Recall", '{"predictions": [0, 12]}', "done"),
            ("Parsons", '{"program": []}', "none"),
            ("Parsons", '{"program": [2]}', "begun"),
            ("Parsons", '{"program": [2], "solved": false}', "begun"),
            ("Parsons", '{"program": [2], "solved": true}', "done"),
            ("Parsons", '{"program": [], "solved": true}', "done"),
        ],
    )
    def test_what_a_quiz_keeps(self, call_js, kind, text, state):
        assert call_js([[ENGINE, "quizState", kind, text]]) == [state]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "this is not a file that"),
            ("[]", "this is not a file that"),
            ('{"exercises": {}}', "this is not a file that"),
            ('{"tensorlab": "progress"}', "names no exercises"),
            ('{"tensorlab": "progress", "exercises": {"01.numel": {"points": "4"}}}', "01.numel"),
            ('{"tensorlab": "progress", "exercises": {"<b>": {}}}', "cannot be read"),
            ("x" * 1_000_001, "too long"),
        ],
    )
    def test_files_that_are_something_else(self, call_js, text, says):
        (found,) = call_js([[ENGINE, "readExport", text]])
        assert says in found["refusal"]

    def test_a_file_of_tensorlab(self, call_js, monkeypatch, tmp_path):
        """What the command line writes is what the page reads."""
        from tensorlab.learn import progress, transfer

        monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path))
        progress.save("01.numel", progress.Progress(points=4, checks=3, hints=5, assisted=True))
        (found,) = call_js([[ENGINE, "readExport", transfer.exported()]])
        assert found["records"]["01.numel"] == record(4, checks=3, hints=5, assisted=True)

    @pytest.mark.parametrize(
        ("record", "state"),
        [
            (None, "none"),
            (record(0, checks=0), "none"),
            (record(0), "begun"),
            (record(4), "solved"),
            (record(4, assisted=True), "assisted"),
        ],
    )
    def test_an_exercise(self, call_js, record, state):
        assert call_js([[ENGINE, "exerciseState", {"points": 4}, record]]) == [state]


def test_the_chapters_of_the_book_and_all_their_quizzes():
    found = chapters_in(ROOT / "book" / "chapters")
    assert [chapter.number for chapter in found][:3] == [1, 2, 3]
    assert found[0].title == "A tensor is a line"
    assert ("Parsons", "ch01-rows-of") in found[0].quizzes
    assert found[2].exercises == exercises("03")
    keys = [key for chapter in found for _, key in chapter.quizzes]
    assert len(keys) == len(set(keys))
    assert all(key.startswith(f"ch{chapter.number:02}-") for chapter in found for _, key in chapter.quizzes)


def test_a_chapter_without_a_heading_is_named(tmp_path):
    (tmp_path / "01_x.ipynb").write_text('{"cells": []}')
    with pytest.raises(ValueError, match=r"01_x\.ipynb has no heading"):
        chapters_in(tmp_path)


@pytest.fixture
def page(show):
    return show(ProgressMap(CHAPTERS))


def keep(page, **kept):
    for key, predictions in kept.items():
        name = "program" if key == "c" else "predictions"
        page.evaluate(
            "([key, text]) => localStorage.setItem(`tensorlab:quiz:${key}`, text)",
            [key, json.dumps({"stamp": "s", name: predictions, "solved": key == "c"})],
        )
    page.reload()
    page.wait_for_selector(".tlm-chapter")


def choose(page, text):
    page.get_by_label("Exercises from a file").set_input_files(
        {"name": "progress.json", "mimeType": "application/json", "buffer": text.encode()}
    )


def test_the_predictions_of_this_browser(page):
    expect(page.locator(".tlm-name").first).to_have_text("0 of 3 quizzes")
    keep(page, a=[1], b=[0, None], c=[2])
    expect(page.locator(".tlm-name").first).to_have_text("2 of 3 quizzes")
    dots = page.locator(".tlm-dot").evaluate_all("all => all.map(e => e.dataset.state)")
    assert dots == ["done", "begun", "done", "none"]
    expect(page.locator(".tlm-next")).to_have_text("Go on with chapter 1, A line.")
    keep(page, b=[0, 1])
    expect(page.locator(".tlm-next")).to_have_text("Go on with chapter 2, Strides.")
    assert page.locator(".tlm-next a").get_attribute("href") == "chapters/02_strides.html"


def test_a_puzzle_counts_when_it_is_solved_and_not_before(show):
    """The puzzle and the map meet in what the browser keeps, so one page can hold both."""
    program = [Line("old = a", "Keep it first."), Line("a = b", "Needs old."), Line("b = old", "Needs old.")]
    trap = Line("b = a", "a is overwritten by now.")
    page = show(
        Parsons("c", "Swap.", program, distractors=[trap], because="One waits."), ProgressMap(CHAPTERS)
    )
    puzzle, dot = page.locator(".tlp"), page.locator(".tlm-dot").nth(2)

    def add(text):
        row = puzzle.locator("ul li").filter(has=page.get_by_text(text, exact=True))
        row.get_by_role("button").click()

    def after_a_reload(state):
        page.reload()
        expect(dot).to_have_attribute("data-state", state)

    after_a_reload("none")
    for text in ("old = a", "b = a", "b = old"):
        add(text)
    after_a_reload("begun")
    puzzle.get_by_role("button", name="Check").click()
    after_a_reload("begun")
    puzzle.get_by_role("button", name="Take out line 2").click()
    puzzle.get_by_role("button", name="Take out line 2").click()
    add("a = b")
    add("b = old")
    after_a_reload("begun")
    puzzle.get_by_role("button", name="Check").click()
    expect(puzzle.locator(".tlp-verdict")).to_contain_text("Right.")
    after_a_reload("done")
    expect(puzzle.locator(".tlp-verdict")).to_contain_text("Right.")
    puzzle.get_by_role("button", name="Start over").click()
    expect(puzzle.locator(".tlp-verdict")).to_be_empty()
    after_a_reload("done")
    expect(page.locator(".tlm-name").first).to_have_text("1 of 3 quizzes")


def test_the_exercises_of_a_file_which_this_browser_keeps(page):
    assert page.get_by_role("button", name="Forget the exercises").is_hidden()
    choose(page, export(numel=record(4), nbytes=record(4, assisted=True), flat_index=record(2)))
    expect(page.locator(".tlm-message")).to_have_text("3 exercises read.")
    tiles = page.locator(".tlm-chapter").first.locator(".tlm-tile")
    states = ["solved", "assisted", "begun", "none", "none"]
    assert tiles.evaluate_all("all => all.map(e => e.dataset.state)") == states
    expect(tiles.first).to_have_text("✓numel: solved")
    page.reload()
    expect(page.locator(".tlm-name").nth(1)).to_have_text("2 of 5 exercises")
    page.get_by_role("button", name="Forget the exercises").press("Enter")
    expect(page.locator(".tlm-name").nth(1)).to_have_text("5 exercises")
    assert page.evaluate("localStorage.getItem('tensorlab:progress')") is None
    assert page.evaluate("document.activeElement.type") == "file"


def test_the_picture_shows_the_whole_book_and_what_is_done(page):
    cells = page.locator(".tl-map-cell")
    expect(cells).to_have_count(24)
    assert page.locator(".tl-map-planned").count() == 22
    expect(page.locator(".tlm-totals")).to_have_text("0 of 4 quizzes · 10 exercises")
    first = page.locator("[data-chapter='1']")
    keep(page, a=[1], b=[0, 1], c=[2])
    expect(first.locator(".tl-map-facts")).to_have_text("38 %")  # 3 of 3 quizzes, none of 5 exercises
    choose(page, export(numel=record(4), nbytes=record(4, assisted=True)))
    points = sum(asked.points for number in ("01", "02") for asked in exercises(number))
    expect(page.locator(".tlm-totals")).to_have_text(
        f"3 of 4 quizzes · 2 of 10 exercises · 8 of {points} points"
    )
    expect(first.locator(".tl-map-solved")).to_have_count(2)
    expect(page.locator(".tlm-next")).to_contain_text("Next unsolved exercise: 01.flat_index")
    everything = {asked.name: record(asked.points) for asked in exercises("01")}
    choose(page, export(**everything))
    expect(first.locator(".tl-map-facts")).to_have_text("all solved")
    expect(page.locator(".tlm-next a").last).to_have_attribute("href", "../exercises/02_strides.html")


def test_a_wrong_file_changes_nothing_and_says_why(page):
    choose(page, export(numel=record(4)))
    expect(page.locator(".tlm-name").nth(1)).to_have_text("1 of 5 exercises")
    choose(page, "<html>")
    expect(page.locator(".tlm-message")).to_contain_text("Not taken: this is not a file that")
    expect(page.locator(".tlm-name").nth(1)).to_have_text("1 of 5 exercises")


def test_a_browser_that_keeps_nothing_shows_the_map_all_the_same(show):
    page = show(ProgressMap(CHAPTERS))
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('off'); } })"
    )
    page.reload()
    page.wait_for_selector(".tlm-chapter")
    choose(page, export(numel=record(4)))
    expect(page.locator(".tlm-message")).to_have_text("1 exercise read; this browser does not keep them.")
    expect(page.locator(".tlm-name").nth(1)).to_have_text("1 of 5 exercises")


@pytest.mark.parametrize(("width", "touch"), [(320, True), (390, True), (1280, False)])
def test_width_and_targets(show, width, touch):
    page = show(ProgressMap(chapters_in(ROOT / "book" / "chapters")), width=width, touch=touch)
    choose(page, export(numel=record(4)))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    controls = page.locator(".tlm :is(button, input):visible")
    assert [size for size in controls.evaluate_all(SIZES) if min(size[1:]) < (44 if touch else 24)] == []


def test_axe_finds_nothing_in_the_light_and_in_the_dark(page):
    choose(page, export(numel=record(4), nbytes=record(1)))
    page.add_script_tag(path=AXE)
    light = page.evaluate(RUN_AXE)
    page.evaluate(
        "document.documentElement.dataset.theme = 'dark'; document.body.style.background = '#14171c'"
    )
    expect(page.locator(".tlm")).to_have_attribute("data-theme", "dark")
    assert (light, page.evaluate(RUN_AXE)) == ([], [])


def test_without_scripts_there_is_a_table_of_what_there_is(show):
    page = show(ProgressMap(CHAPTERS), scripts=False)
    assert "01.flat_index" in page.locator("table").inner_text()
