"""``adopt("ch03.permuted")``: the student's own function becomes a part of the library."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tensorlab.grading.judge import Verdict
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import UnknownExercise, chapters, exercise, exercises
from tensorlab.learn import kept, parts, progress, trials
from tensorlab.learn.check import lines_of, printed_by, title_of, verdict_of
from tensorlab.learn.clock import OutOfTime
from tensorlab.learn.samples import SAMPLES
from tensorlab.learn.show import Card, Line
from tensorlab.learn.speed import Slowdown, slowdown

#: Says of an exercise why its function was not adopted, until it is. Shown by `status`.
refused: dict[str, str] = {}

#: How long each adopted function takes, measured when it was adopted. Shown by `status`.
measured: dict[str, Slowdown] = {}

_HERE: Any = object()  # the function is looked up where `adopt` is called
_KEPT: Any = object()  # every part that is kept


def adopt(which: str | None = _KEPT, function: Callable[..., Any] | None = _HERE) -> Card:
    """Put your own function into the library, in place of the library's own.

    It has to pass its gate first: all public cases of its exercise, fresh random ones, and small programs
    over the whole library, which must give what they gave before. A function that does not pass is not
    adopted, and the library stays as it is. So it does when this Python ends: nothing is written into it.

    What you adopt is kept in a file of yours, with what it needs from your notebook. ``adopt()`` puts the
    kept parts in again after a restart, through the same gate. Nothing does so by itself.

    Args:
        which: an exercise, ``"03.permuted"`` or ``"ch03.permuted"``; or a chapter, ``"ch03"``, for all of its
            functions that are written. None gives every part back to the library; their files stay. Left out,
            all parts that are kept.
        function: your function; looked up by its name where `adopt` is called if left out. None gives this
            part back to the library.

    Returns:
        a card that says what was done. `status` shows all parts; `blame` finds the one that breaks something.

    Example:
        >>> from tensorlab import layout
        >>> def numel(shape):
        ...     return numel(shape[1:]) * shape[0] if shape else 1
        >>> print(adopt("01.numel").headline)
        The library now uses your numel.
        >>> layout.numel((2, 3))  # which every view asks, is yours now
        6
        >>> print(adopt(None).headline)
        All parts are the library's own again; yours was numel.
    """
    if which is None:
        return _give_all_back()
    if which is _KEPT:
        return _again()
    frame = sys._getframe(1)
    namespace = {**frame.f_globals, **frame.f_locals}
    name = which.removeprefix("ch") if isinstance(which, str) else which
    if name in chapters():
        return _chapter(name, namespace, back=function is None)
    try:
        asked = exercise(_completed(name))
    except UnknownExercise as error:
        return Card("adopt", f"There is no such part: {error}.", "bad")
    if function is None:
        return _give_back(asked)
    written = namespace.get(asked.name) if function is _HERE else function
    return adopt_function(asked, written)


def _completed(name: Any) -> Any:
    """The one exercise whose id begins so: ``"03.permute"`` means ``"03.permuted"``."""
    known = [asked.id for asked in exercises()]
    meant = [each for each in known if isinstance(name, str) and "." in name and each.startswith(name)]
    return meant[0] if name not in known and len(meant) == 1 else name


def adopt_function(asked: Exercise, function: Any, *, is_kept: bool = False) -> Card:
    """`adopt` for one exercise and what was found as its function.

    Args:
        is_kept: whether it comes from the file in which it is kept.
    """
    if not callable(function):
        found = "" if function is None else f" It is of type {type(function).__name__}."
        return Card(
            title_of(asked),
            f"There is no function {asked.name} here yet.{found} Run the cell that defines it, "
            "then this one.",
        )
    try:
        verdict = verdict_of(asked, function, random.Random())
    except OutOfTime:
        return _refuse(asked, "it did not come to an end in time", ())
    if verdict.status != "right":
        return _refuse(asked, _why(verdict), lines_of(verdict, printed_by(asked, function)))
    together = {**parts.adopted(), asked.id: function}
    for title, program in SAMPLES.items():
        names, want, got = trials.culprits(program, together)
        if names:
            others = [name for name in names if name != asked.id]
            beside = f" together with {' and '.join(others)}" if others else ""
            lines = (Line("With", str(got), code=True), Line("Without", str(want), code=True))
            return _refuse(asked, f"it passes its cases, and{beside} it changes {title}", lines)
    parts.put(asked, function)
    refused.pop(asked.id, None)
    measured[asked.id] = slowdown(asked, function)
    notes = ["tl.status() shows all parts.", _remember(verdict)]
    if measured[asked.id].is_slow:
        notes.append(f"It is right, and on the small inputs of its cases it {measured[asked.id]}.")
    return Card(
        title_of(asked),
        f"The library now uses your {asked.name}.",
        "good",
        (
            Line("In place of", asked.part.replace(":", "."), code=True),
            Line("Kept", f"in {kept.file_of(asked)}" if is_kept else _keep(asked, function)),
            Line("Undo", f'tl.adopt("{asked.id}", None), or tl.adopt(None) for all'),
        ),
        footer=tuple(filter(None, notes)),
        points=verdict.points,
    )


def _keep(asked: Exercise, function: Callable[..., Any]) -> str:
    """Write an adopted function down. Returns what to say of it."""
    try:
        kept.keep(asked, function)
    except kept.NotKept as error:
        return f"until this Python ends, since {error}"
    return f"in {kept.file_of(asked)}; after a restart tl.adopt() puts it in again"


def _again() -> Card:
    """Adopt every part that is kept and not in use."""
    done: list[tuple[bool, str]] = []
    waiting = [asked for asked in kept.kept() if asked.id not in parts.adopted()]
    for asked in waiting:
        try:
            card = adopt_function(asked, kept.run(asked), is_kept=True)
        except kept.NotKept as error:
            card = _refuse(asked, str(error), ())
        except OutOfTime:
            card = _refuse(asked, f"{kept.file_of(asked)} did not come to an end in time", ())
        done.append((card.mood == "good", f"{asked.id}: {card.headline}"))
    if not done:
        words = "Every part that is kept is in use." if kept.kept() else "No part is kept yet."
        return Card("adopt", f'{words} tl.adopt("ch01") adopts the functions of a notebook.')
    count = sum(good for good, _ in done)
    mood = "good" if count == len(done) else "partial" if count else "bad"
    return Card("adopt", f"{count} of {len(done)} kept parts are in use again.", mood, items=tuple(done))


def _why(verdict: Verdict) -> str:
    if verdict.status == "unanswered":
        return "it is not written yet"
    return f"it does not pass its cases: {verdict.points} of {verdict.exercise.points} points"


def _refuse(asked: Exercise, reason: str, lines: tuple[Line, ...]) -> Card:
    refused[asked.id] = reason
    stays = "Your earlier one stays." if asked.id in parts.adopted() else "The library's own stays."
    return Card(
        title_of(asked),
        f"Your {asked.name} is not adopted: {reason}. {stays}",
        "bad",
        lines,
        footer=(f'check("{asked.id}") says more.',),
    )


def _remember(verdict: Verdict) -> str:
    """Note the points of a gate that was passed, as a check does."""
    record = progress.load(verdict.exercise.id)
    record.points = verdict.points
    try:
        progress.save(verdict.exercise.id, record)
    except progress.NotSaved as error:
        return f"Your progress is not saved: {error}."
    return ""


def _chapter(chapter: str, namespace: Mapping[str, Any], *, back: bool) -> Card:
    done: list[tuple[bool, str]] = []
    for asked in exercises(chapter):
        if back:
            parts.put(asked, None)
        elif callable(namespace.get(asked.name)):
            card = adopt_function(asked, namespace[asked.name])
            done.append((card.mood == "good", f"{asked.id}: {card.headline}"))
    if back:
        return Card(f"Chapter {chapter}", "All its parts are the library's own again.")
    if not done:
        return Card(
            f"Chapter {chapter}", "None of its functions is here yet. Run their cells, then this one."
        )
    count = sum(good for good, _ in done)
    whole = len(exercises(chapter))
    mood = "good" if count == whole else "partial" if count else "bad"
    return Card(f"Chapter {chapter}", f"{count} of its {whole} parts are yours now.", mood, items=tuple(done))


def _give_back(asked: Exercise) -> Card:
    was = asked.id in parts.adopted()
    parts.put(asked, None)
    words = "is the library's own again" if was else "was the library's own already"
    return Card(title_of(asked), f"{asked.name} {words}.")


def _give_all_back() -> Card:
    names = [exercise(name).name for name in parts.adopted()]
    for name in parts.adopted():
        parts.put(exercise(name), None)
    if not names:
        return Card("adopt", "All parts are the library's own already.")
    yours = f"yours {'was' if len(names) == 1 else 'were'} {', '.join(names)}"
    return Card("adopt", f"All parts are the library's own again; {yours}.")
