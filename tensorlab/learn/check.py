"""``check("01.numel")``: the public questions of an exercise, asked in the student's own notebook."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tensorlab.grading import feedback
from tensorlab.grading.inside.calls import Parts
from tensorlab.grading.judge import Verdict, judge
from tensorlab.grading.outcomes import Outcome, Raised, ask_directly, shorten
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import UnknownExercise, exercise
from tensorlab.learn import parts, progress
from tensorlab.learn.clock import OutOfTime, time_limit, uncounted
from tensorlab.learn.show import Card, Line

#: Seconds for all public cases together. A right answer to any of them takes microseconds, once the library's
#: kernels are compiled. That time does not count, and waiting for a busy machine hardly does.
PATIENCE = 5.0

MAX_PRINTED = 600  # characters of what the student's function printed


class NotSolved(Exception):
    """Raised under nbgrader only, where a cell that raises nothing gets full points."""


def check(exercise_id: str) -> Card | float:
    """Try the function that you wrote on public cases, and show the smallest one that fails, and why.

    Args:
        exercise_id: such as ``"01.numel"``. The function is looked up by its name in the notebook.

    Returns:
        a card that a notebook shows when this is the last line of a cell. While nbgrader runs the notebook,
        the points as a number, which is what nbgrader reads.

    Raises:
        NotSolved: under nbgrader only, when there are no points.

    Example:
        >>> def numel(shape):
        ...     return sum(shape)
        >>> print(check("01.numel").headline)
        Not yet: 0 of 4 points.
    """
    frame = sys._getframe(1)
    return check_in(exercise_id, {**frame.f_globals, **frame.f_locals})


def check_in(exercise_id: str, namespace: Mapping[str, Any]) -> Card | float:
    """`check`, with the names given instead of looked up in the caller."""
    card = _answer(exercise_id, namespace)
    if "NBGRADER_EXECUTION" not in os.environ:
        return card
    if card.points == 0:
        raise NotSolved(card.headline)
    return float(card.points)


def _answer(exercise_id: str, namespace: Mapping[str, Any]) -> Card:
    try:
        asked = exercise(exercise_id)
    except UnknownExercise as error:
        return Card("check", f"There is no such exercise: {error}.", "bad")
    function = namespace.get(asked.name)
    if not callable(function):
        return _no_function(asked, function)
    try:
        verdict = verdict_of(asked, function)
        return _card(verdict, function, _remember(verdict))
    except OutOfTime as stopped:
        return _too_slow(asked, stopped.args_of_call)


def verdict_of(asked: Exercise, function: Callable[..., Any], hidden: random.Random | None = None) -> Verdict:
    """Judge a function of this process against the library's own, whatever is adopted.

    Args:
        hidden: draws hidden cases; the public ones only if left out.

    Raises:
        OutOfTime: it took longer than `PATIENCE`.
    """
    with parts.the_librarys_own(), time_limit(PATIENCE, aside=uncounted):
        return judge(asked, _asker(asked, function), hidden)


def _asker(asked: Exercise, function: Callable[..., Any]) -> Callable[[tuple[Any, ...]], Outcome]:
    switches = Parts([asked.part])

    def ask(args: tuple[Any, ...]) -> Outcome:
        try:
            with contextlib.redirect_stdout(Beginning()):
                return ask_directly(function, args, switches.without(asked.part), asked.named)
        except OutOfTime as stopped:
            stopped.args_of_call = args
            raise

    return ask


class Beginning(io.TextIOBase):
    """Keeps the first characters that are printed and drops the rest."""

    def __init__(self) -> None:
        self._text = ""

    def write(self, text: str) -> int:
        """Take what was printed."""
        if len(self._text) <= MAX_PRINTED:
            self._text += text[: MAX_PRINTED + 1]
        return len(text)

    def kept(self) -> str:
        """What was kept, with a mark where it was cut."""
        return shorten(self._text.strip(), MAX_PRINTED)


def _remember(verdict: Verdict) -> str:
    """Note the result. Returns a sentence when that did not work, which never stops a check."""
    record = progress.load(verdict.exercise.id)
    record.checks += 1
    record.points = max(record.points, verdict.points)
    try:
        progress.save(verdict.exercise.id, record)
    except progress.NotSaved as error:
        return f"Your progress is not saved: {error}."
    return ""


def title_of(asked: Exercise) -> str:
    """How an exercise is called on a card."""
    return f"{asked.id} · {asked.title}"


def _card(verdict: Verdict, function: Callable[..., Any], note: str) -> Card:
    printed = printed_by(verdict.exercise, function)
    lines = lines_of(verdict, printed) if verdict.failures else ()
    if verdict.status == "unanswered":
        lines = printed_instead(verdict.exercise, printed)
    notes = (note,) if note else ()
    name = verdict.exercise.id
    adopting = f'tl.adopt("{name}") makes it a part of the library.'
    notes = (adopting if verdict.status == "right" else _hint_line(verdict.exercise), *notes)
    return card_of(verdict, lines, "Run the cell with your function, then this one.", notes)


def card_of(verdict: Verdict, lines: tuple[Line, ...], then: str, footer: tuple[str, ...]) -> Card:
    """A verdict as a card.

    Args:
        lines: of the first failure, from `lines_of`; of an answer that is not written, what it printed.
        then: what to do once the function is written.
    """
    asked = verdict.exercise
    points = feedback.points_text(verdict)
    if verdict.status == "unanswered" and any(line.label == "Printed" for line in lines):
        headline = f"{asked.name} prints and returns nothing: {points} so far."
        return Card(title_of(asked), headline, "plain", lines, footer=footer)
    if verdict.status == "unanswered":
        headline = f"{asked.name} gives None" if verdict.returned else "Not written yet"
        returning = Line("Return", "A function that comes to its end without a return gives None.")
        return Card(
            title_of(asked),
            f"{headline}: {points} so far.",
            "plain",
            (
                Line("Asked", asked.task),
                *((returning,) if verdict.returned else (Line("Write", asked.opening, code=True),)),
                Line("Then", then),
                *lines,
            ),
            footer=footer,
        )
    items = tuple(
        (
            topic.title not in verdict.lost,
            f"{topic.title} ({topic.points} point{'s' if topic.points > 1 else ''})",
        )
        for topic in asked.topics
    )
    if verdict.status == "right":
        headline = f"All public cases pass: {points}."
        return Card(title_of(asked), headline, "good", items=items, footer=footer, points=verdict.points)
    foundation = asked.topics[0].title
    if foundation in verdict.lost and len(verdict.lost) < len(asked.topics):
        footer = (f"Points start to count when “{foundation}” passes.", *footer)
    return Card(
        title_of(asked),
        f"Not yet: {points}.",
        "partial" if verdict.points else "bad",
        lines,
        items,
        footer,
        points=verdict.points,
    )


def lines_of(
    verdict: Verdict, printed: Callable[[tuple[Any, ...]], str] = lambda args: ""
) -> tuple[Line, ...]:
    """The first failure: what was asked, expected and got, what was printed on the way, and why.

    Args:
        printed: says what a call of the answer with these arguments prints.
    """
    asked = verdict.exercise
    failure = verdict.smallest or next(iter(verdict.failures), None)
    if failure is None:  # not written yet
        return (Line("Asked", asked.task),)
    lines = [
        Line("Asked", asked.task),
        Line("Call", feedback.call_text(asked, failure.case.args), code=True),
        Line("Expected", feedback.expected_text(failure), code=True),
        Line("Got", feedback.got_text(failure), code=True),
    ]
    if isinstance(failure.got, Raised) and failure.got.line:
        text = (
            f": {failure.got.source}" if failure.got.source else ""
        )  # unknown where it was typed into Python
        lines.append(Line("At", f"line {failure.got.line}{text}", code=True))
    if text := printed(failure.case.args):
        lines.append(Line("Printed", text, code=True))
    sentences = feedback.why(verdict)
    lines += [Line("" if number else "Why", sentence) for number, sentence in enumerate(sentences)]
    return tuple(lines)


def printed_instead(asked: Exercise, printed: Callable[[tuple[Any, ...]], str]) -> tuple[Line, ...]:
    """What to say of a function that prints on the first public case and returns nothing; else no lines."""
    args = asked.topics[0].public[0].args
    text = printed(args)
    if not text:
        return ()
    return (
        Line("Asked", asked.task),
        Line("Call", feedback.call_text(asked, args), code=True),
        Line("Printed", text, code=True),
        Line("Why", "print shows a value to you and gives nothing to the caller. Write return in its place."),
    )


def printed_by(asked: Exercise, function: Callable[..., Any]) -> Callable[[tuple[Any, ...]], str]:
    """What tells `lines_of` what a function of this process prints: the function is called once more."""

    def printed(args: tuple[Any, ...]) -> str:
        heard = Beginning()
        limit = time_limit(PATIENCE, aside=uncounted)
        with parts.the_librarys_own(), limit, contextlib.redirect_stdout(heard):
            ask_directly(function, args, named=asked.named)
        return heard.kept()

    return printed


def _hint_line(asked: Exercise) -> str:
    return f'Stuck? hint("{asked.id}") opens one hint at a time.'


def _no_function(asked: Exercise, found: object) -> Card:
    if found is None:
        text = f"There is no function {asked.name} here yet. Run the cell that defines it, then this one."
    else:
        text = (
            f"{asked.name} is not a function here: it is of type {type(found).__name__}. Run its cell again."
        )
    return Card(title_of(asked), text, "plain", (Line("Asked", asked.task),), footer=(_hint_line(asked),))


def _too_slow(asked: Exercise, args: tuple[Any, ...] | None) -> Card:
    call = () if args is None else (Line("Call", feedback.call_text(asked, args), code=True),)
    why = (
        "Look at the loops: does each of them come closer to its end with every turn? Or do they go through "
        "far more than the call asks for?"
    )
    return Card(
        title_of(asked),
        f"{asked.name} did not come to an end within {PATIENCE:g} seconds, so it was stopped.",
        "bad",
        (*call, Line("Why", why)),
        footer=(_hint_line(asked),),
    )
