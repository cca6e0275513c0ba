"""Hints open one by one, stay open, and the last one is remembered."""

from __future__ import annotations

import pytest

from tensorlab.grading.suites import exercises
from tensorlab.learn import check, hint, progress
from tensorlab.learn.hints import STEPS
from tests.learn.reference_solutions import SOLUTIONS
from tests.notebooks import cells_of, source_of


@pytest.mark.parametrize("exercise_id", [e.id for e in exercises()])
def test_every_exercise_has_five_different_hints(exercise_id):
    cards = [hint(exercise_id) for _ in STEPS]
    for number, card in enumerate(cards, 1):
        assert card.headline == f"Hint {number} of {len(STEPS)}."
        assert [line.label for line in card.lines] == list(STEPS[:number])
    texts = [line.text for line in cards[-1].lines]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("e", exercises(), ids=lambda e: e.id)
def test_only_the_last_hint_is_a_solution(e):
    for _ in range(4):
        assert "def " not in str(hint(e.id))
    solution = hint(e.id).lines[-1].text
    (notebook,) = SOLUTIONS.glob(f"{e.chapter}_*.ipynb")
    setup = next(source_of(cell) for cell in cells_of(notebook) if cell["id"] == "setup")
    namespace = {}
    exec(f"{setup}\n{solution}", namespace)
    card = check.__globals__["check_in"](e.id, namespace)
    assert card.points == e.points


def test_the_solution_is_announced_and_marks_the_exercise():
    for _ in range(3):
        assert "opens the next one" in str(hint("01.numel"))
    assert "The next hint is the solution, and marks this exercise as assisted." in str(hint("01.numel"))
    assert not progress.load("01.numel").assisted
    assert "marked as assisted" in str(hint("01.numel"))
    assert progress.load("01.numel").assisted
    assert hint("01.numel").headline == "Hint 5 of 5."


def test_who_has_all_points_may_look():
    progress.save("01.numel", progress.Progress(points=4, checks=1))
    for _ in STEPS:
        card = hint("01.numel")
    assert "That was the last hint." in str(card)
    assert not progress.load("01.numel").assisted


def test_hints_of_one_exercise_do_not_open_those_of_another():
    hint("01.numel")
    hint("01.numel")
    assert hint("01.nbytes").headline == "Hint 1 of 5."


def test_hints_open_where_nothing_can_be_saved(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path / "file"))
    assert "is not saved" in str(hint("01.numel"))
    assert hint("01.numel").headline == "Hint 2 of 5."


def test_an_unknown_exercise():
    assert "'01.numel'" in hint("numel").headline
