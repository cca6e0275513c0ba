"""Mutants of right solutions: a machine makes them, and the suites catch nearly all of them."""

from __future__ import annotations

import random

import pytest

from tensorlab.grading.judge import Question
from tensorlab.grading.mutants import PATIENCE, hunt, mutants, survives
from tensorlab.grading.outcomes import Raised, ask_directly, expected
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suites import chapters, exercises


@pytest.mark.parametrize("chapter", chapters())
def test_every_mutant_loses_points_or_is_named_as_right(chapter):
    found = [result for e in exercises(chapter) for result in hunt(e)]
    assert sum(result.made for result in found) > 90
    assert [(result.solution, m.change) for result in found for m in result.missed] == []


@pytest.mark.parametrize("exercise", exercises(), ids=lambda e: e.id)
def test_what_is_named_as_right_after_all_is(exercise):
    """It is a change that the machine makes, and a hundred fresh questions a topic do not find it out."""
    source = random.Random(1)
    named = [solution for solution in exercise.right if solution.same]
    cases = [(topic, case) for topic in exercise.topics if named for case in topic.hidden(source, 100)]
    questions = [Question(topic, case, expected(exercise, case), True) for topic, case in cases]
    for solution in named:
        made = {m.change: m for m in mutants(answer_source(exercise, solution.function), exercise.name)}
        for reason, changes in solution.same.items():
            assert reason.endswith(".")
            for change in changes:
                assert survives(made[change], questions), change


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
