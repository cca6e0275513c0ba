"""The exercises of all chapters, by chapter and by id."""

from __future__ import annotations

import difflib
import hashlib
from pathlib import Path

from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import (
    ch01,
    ch02,
    ch03,
    ch04,
    ch05,
    ch06,
    ch07,
    ch08,
    ch09,
    ch10,
    ch11,
    ch12,
    ch13,
    ch14,
)

_CHAPTERS: dict[str, tuple[Exercise, ...]] = {
    "01": ch01.EXERCISES,
    "02": ch02.EXERCISES,
    "03": ch03.EXERCISES,
    "04": ch04.EXERCISES,
    "05": ch05.EXERCISES,
    "06": ch06.EXERCISES,
    "07": ch07.EXERCISES,
    "08": ch08.EXERCISES,
    "09": ch09.EXERCISES,
    "10": ch10.EXERCISES,
    "11": ch11.EXERCISES,
    "12": ch12.EXERCISES,
    "13": ch13.EXERCISES,
    "14": ch14.EXERCISES,
}


class UnknownExercise(LookupError):
    """No exercise has this id."""


def chapters() -> tuple[str, ...]:
    """The chapters that have exercises: ``("01", …)``."""
    return tuple(_CHAPTERS)


def exercises(chapter: str | None = None) -> tuple[Exercise, ...]:
    """The exercises of one chapter, or all of them, in the book's order.

    Raises:
        KeyError: the chapter has none.
    """
    if chapter is not None:
        return _CHAPTERS[chapter]
    return tuple(exercise for group in _CHAPTERS.values() for exercise in group)


def exercise(exercise_id: str) -> Exercise:
    """The exercise of this id.

    Raises:
        UnknownExercise: there is none; the message names the closest ones.

    Example:
        >>> exercise("01.numel").points
        4
    """
    by_id = {exercise.id: exercise for exercise in exercises()}
    try:
        return by_id[exercise_id]
    except (KeyError, TypeError):  # TypeError: a list, say, that cannot be looked up
        raise UnknownExercise(_no_such(exercise_id, by_id)) from None


def suite_digest(chapter: str) -> str:
    """A fingerprint of a chapter's questions and known solutions, recorded with every result."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob(f"ch{chapter}*.py")):
        # Line endings differ between a checkout on Windows and one on Linux; the questions do not.
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _no_such(exercise_id: object, by_id: dict[str, Exercise]) -> str:
    if not isinstance(exercise_id, str):
        return f"an exercise is named by a text such as '01.numel', got {type(exercise_id).__name__}"
    names = {exercise.name: exercise.id for exercise in by_id.values()}
    chapter = [known for known in by_id if known.partition(".")[0] == exercise_id.partition(".")[0]]
    close = difflib.get_close_matches(exercise_id, chapter or [*by_id, *names], n=3, cutoff=0.5)
    found = list(dict.fromkeys(names.get(match, match) for match in close))
    listed = ", ".join(f"'{match}'" for match in found or chapter)
    if found:
        return f"no exercise is called {exercise_id!r}; close to it: {listed}"
    if chapter:
        return f"no exercise is called {exercise_id!r}; its chapter has {listed}"
    first, *_, last = by_id
    return (
        f"no exercise is called {exercise_id!r}; there are '{first}' to '{last}', "
        "and `tensorlab progress` lists them"
    )
