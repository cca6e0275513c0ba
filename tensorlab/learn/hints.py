"""``hint("01.numel")``: one hint at a time, from a concept to the solution."""

from __future__ import annotations

from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import UnknownExercise, exercise
from tensorlab.learn import (
    hints_ch01,
    hints_ch02,
    hints_ch03,
    hints_ch04,
    hints_ch05,
    hints_ch06,
    hints_ch07,
    hints_ch08,
    hints_ch09,
    hints_ch10,
    hints_ch11,
    hints_ch12,
    hints_ch13,
    hints_ch14,
    progress,
)
from tensorlab.learn.show import Card, Line

STEPS = ("Concept", "Counterexample", "First step", "One line", "Solution")

_HINTS = {
    **hints_ch01.HINTS,
    **hints_ch02.HINTS,
    **hints_ch03.HINTS,
    **hints_ch04.HINTS,
    **hints_ch05.HINTS,
    **hints_ch06.HINTS,
    **hints_ch07.HINTS,
    **hints_ch08.HINTS,
    **hints_ch09.HINTS,
    **hints_ch10.HINTS,
    **hints_ch11.HINTS,
    **hints_ch12.HINTS,
    **hints_ch13.HINTS,
    **hints_ch14.HINTS,
}


def hint(exercise_id: str) -> Card:
    """Open the next hint of an exercise and show all that are open.

    There are five: a concept, a counterexample, a first step, one line, the solution. Opening the solution
    marks the exercise as assisted, unless all its points were reached before.

    Example:
        >>> hint("01.nummel").headline
        "There is no such exercise: no exercise is called '01.nummel'; close to it: '01.numel', ..."
    """
    try:
        asked = exercise(exercise_id)
    except UnknownExercise as error:
        return Card("hint", f"There is no such exercise: {error}.", "bad")
    return hints_of(asked, 1, f'hint("{asked.id}") again')


def hint_texts(exercise_id: str) -> tuple[str, ...]:
    """The hints of an exercise before its solution; none where nobody has written any."""
    return _HINTS.get(exercise_id, ())


def hints_of(asked: Exercise, more: int, again: str) -> Card:
    """The hints that are open, after opening so many more.

    Args:
        again: what opens the next one, for the sentence that says so.
    """
    record = progress.load(asked.id)
    record.hints = min(record.hints + more, len(STEPS))
    if record.hints == len(STEPS) and record.points < asked.points:
        record.assisted = True
    note = ""
    try:
        progress.save(asked.id, record)
    except progress.NotSaved as error:
        note = f"Which hints are open is not saved: {error}."
    return _card(asked, record, again, note)


def _card(asked: Exercise, record: progress.Progress, again: str, note: str) -> Card:
    texts = (*hint_texts(asked.id), answer_source(asked, asked.right[0].function))
    lines = [
        Line(step, text, code=step in ("One line", "Solution"))
        for step, text in zip(STEPS[: record.hints], texts, strict=False)
    ]
    return Card(
        f"{asked.id} · {asked.title}",
        f"Hint {record.hints} of {len(STEPS)}.",
        "plain",
        tuple(lines),
        footer=tuple(filter(None, (_next(record, again), note))),
    )


def _next(record: progress.Progress, again: str) -> str:
    left = len(STEPS) - record.hints
    if left > 1:
        return f"{again} opens the next one."
    if left == 1:
        return "The next hint is the solution, and marks this exercise as assisted."
    if record.assisted:
        return "This exercise is marked as assisted. Write it once more from memory, tomorrow."
    return "That was the last hint."
