"""Mutants of right solutions: a machine makes them, and the suites catch nearly all of them."""

from __future__ import annotations

import random

import pytest

from tensorlab.grading.judge import Question
from tensorlab.grading.mutants import PATIENCE, hunt_chapter, mutants, survives
from tensorlab.grading.outcomes import Raised, ask_directly, expected
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suites import chapters, exercise, exercises


def hunted(chapter):
    """How many mutants there are in a chapter, and those that keep their points for no reason."""
    found = hunt_chapter(chapter)
    missed = [(result.solution, change) for result in found for change in result.missed]
    return sum(result.made for result in found), missed


@pytest.mark.part(3)  # the book's page on the proof hunts in all chapters
@pytest.mark.parametrize("chapter", chapters())
def test_every_mutant_loses_points_or_is_named_as_right(chapter, interpreted):
    made, missed = interpreted(hunted, chapter)
    assert made > 9 * len(exercises(chapter))
    assert missed == []


def not_the_same(exercise_id):
    """The changes that are named as right, and that one of a hundred fresh questions a topic finds out."""
    asked, source = exercise(exercise_id), random.Random(1)
    named = [solution for solution in asked.right if solution.same]
    cases = [(topic, case) for topic in asked.topics if named for case in topic.hidden(source, 100)]
    questions = [Question(topic, case, expected(asked, case), True) for topic, case in cases]
    wrong = []
    for solution in named:
        made = {m.change: m for m in mutants(answer_source(asked, solution.function), asked.name)}
        changes = [change for together in solution.same.values() for change in together]
        wrong += [change for change in changes if not survives(asked, made[change], questions)]
    return wrong


@pytest.mark.part(3)
@pytest.mark.parametrize("exercise_id", [e.id for e in exercises()])
def test_what_is_named_as_right_after_all_is(exercise_id, interpreted):
    reasons = [reason for solution in exercise(exercise_id).right for reason in solution.same]
    assert all(reason.endswith(".") for reason in reasons)
    assert interpreted(not_the_same, exercise_id) == []


SOURCE = '''
def f(x, least=0):
    """Says nothing."""
    if x > least and not x == 7:
        return [x + 1, x * 2][x in (1, 2)]
    while x < 3:
        x -= 1
    return x
'''


def test_each_kind_of_change_is_made():
    changes = {mutant.change for mutant in mutants(SOURCE, "f")}
    assert {
        "def f(x, least=0): -> def f(x, least=1):",
        "if x > least and (not x == 7): -> if x >= least and (not x == 7):",
        "if x > least and (not x == 7): -> if x <= least and (not x == 7):",
        "if x > least and (not x == 7): -> if x > least or not x == 7:",
        "if x > least and (not x == 7): -> if True:",
        "if x > least and (not x == 7): -> if False:",
        "if x > least and (not x == 7): -> if x > least and +(x == 7):",
        "return [x + 1, x * 2][x in (1, 2)] -> return [x - 1, x * 2][x in (1, 2)]",
        "return [x + 1, x * 2][x in (1, 2)] -> return [x + 1, x + 2][x in (1, 2)]",
        "return [x + 1, x * 2][x in (1, 2)] -> return [x + 1, x * 2][x not in (1, 2)]",
        "x -= 1 -> x += 1",
        "x -= 1 -> x -= 0",
    } <= changes


def test_a_mutant_does_what_its_change_says():
    made = {mutant.change: mutant.function for mutant in mutants("def f(x):\n    return x < 2", "f")}
    assert made["return x < 2 -> return x <= 2"](2) is True
    assert made["return x < 2 -> return x < 1"](1) is False


def test_a_loop_without_an_end_is_stopped():
    (endless,) = [m.function for m in mutants(SOURCE, "f") if m.change == "x -= 1 -> x -= 0"]
    for _ in range(2):  # the rounds of one call are counted, not those of all
        got = ask_directly(endless, (-1,))
    assert isinstance(got, Raised)
    assert str(PATIENCE) in got.message
