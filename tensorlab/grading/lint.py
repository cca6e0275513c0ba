"""What an exercise owes before it is handed out, asked in one call and told in sentences.

The tests of the project ask it of every exercise of the book; ``tensorlab lint-exercise`` asks it of one that
is being written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tensorlab.grading.mutants import hunt
from tensorlab.grading.proof import KillRow, kill_rows
from tensorlab.grading.suite import Exercise

#: How many known solutions an exercise needs at least.
WRONG, RIGHT = 8, 2

#: The hints before the solution: a concept, a counterexample, a first step, one line.
HINTS = 4

#: The cells of an exercise in its notebook.
ROLES = ("prose", "answer", "check", "hint")

#: A shorter line, such as ``return x``, gives nothing away.
LINE = len("return x")

#: Chapter and name.
EXERCISE_ID = re.compile(r"\d\d\.[a-zA-Z_]\w*\Z")


def lint(exercise: Exercise) -> list[str]:
    """What is wrong with an exercise's questions and known solutions; empty when nothing is.

    The known solutions are judged only where the contract is whole, and mutants of the right ones are made
    last: what comes first explains what would come later.

    Example:
        >>> from tensorlab.grading.suites import exercise
        >>> lint(exercise("01.numel"))
        []
    """
    return lint_contract(exercise) or lint_worth(exercise, kill_rows(exercise)) or [*_mutants(exercise)]


def lint_contract(exercise: Exercise) -> list[str]:
    """What is wrong with an exercise as it is written down: its texts, topics, points, known solutions."""
    return [*_texts(exercise), *_topics(exercise), *_known(exercise)]


def lint_worth(exercise: Exercise, rows: Sequence[KillRow]) -> list[str]:
    """What is wrong with what its known solutions are worth.

    Args:
        rows: what `grading.proof.kill_rows` says of them.
    """
    found = [_unworthy(row) for row in rows if not row.as_it_should]
    misread = [row.solution for row in rows if row.kind == "wrong" and row.as_it_should and not row.named]
    found += [f"the wrong solution {name!r} is told another belief than its own" for name in misread]
    lost = {title for row in rows if row.kind == "wrong" for title in row.lost}
    found += [f"no wrong solution loses topic {t.title!r}" for t in exercise.topics if t.title not in lost]
    return found


def lint_hints(hints: Sequence[str], answers: Iterable[str]) -> list[str]:
    """What is wrong with an exercise's hints.

    Args:
        hints: the texts before the solution, in the order in which they open.
        answers: the sources of right answers. A hint may show a line of one, but only the last hint.

    Example:
        >>> lint_hints(("Count.", "Count.", "Begin at 1.", "def f(x): return 1"), [])
        ["the hint 'Count.' stands twice", 'hint 4 shows a whole function; that is for the solution']
    """
    lines = {line.strip() for answer in answers for line in answer.splitlines()}
    found = [] if len(hints) == HINTS else [f"{HINTS} hints come before the solution: {len(hints)} given"]
    found += [f"the hint {text!r} stands twice" for text in _twice(hints)]
    for number, text in enumerate(hints, 1):
        shown = [line for line in text.splitlines() if len(line) > LINE and line in lines]
        if "def " in text:
            found.append(f"hint {number} shows a whole function; that is for the solution")
        elif number < HINTS and shown:
            found.append(f"hint {number} shows a line of the solution, {shown[0]!r}; only hint {HINTS} may")
    return found


def lint_notebook(exercise: Exercise, cells: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is wrong with the four cells of an exercise in its solution notebook.

    Args:
        cells: those of the whole notebook, as its JSON holds them.

    Example:
        >>> from tensorlab.grading.suites import exercise
        >>> lint_notebook(exercise("01.numel"), [])
        ["the notebook needs the cells prose, answer, check, hint of '01.numel', in this order: it has none"]
    """
    mine = {
        about["role"]: cell
        for cell in cells
        if (about := cell["metadata"].get("tensorlab", {})).get("exercise") == exercise.id
    }
    if tuple(mine) != ROLES:
        return [
            f"the notebook needs the cells {', '.join(ROLES)} of {exercise.id!r}, in this order: "
            f"it has {', '.join(mine) or 'none'}"
        ]
    prose, answer, check, hint = ("".join(cell["source"]) for cell in mine.values())
    needed = (
        ("text", prose, f"`{exercise.id}` · {'★' * exercise.stars} · {exercise.points} points"),
        ("text", prose, f"`{exercise.signature}`"),
        ("answer", answer, exercise.opening),
        ("check", check, f'check("{exercise.id}")'),
        ("hint", hint, f'# hint("{exercise.id}")'),  # opened when asked, and not by 'run all cells'
    )
    found = [f"the {what} cell lacks {text}" for what, source, text in needed if text not in source]
    if mine["answer"]["id"] != exercise.answer_cell:
        found.append(f"the answer cell is called {mine['answer']['id']!r}, not {exercise.answer_cell!r}")
    about = mine["check"]["metadata"]
    for name in ("nbgrader", "tensorlab"):
        if (points := about.get(name, {}).get("points")) != exercise.points:
            found.append(f"the check cell's {name} metadata give {points} points, not {exercise.points}")
    return found


def _texts(exercise: Exercise) -> Iterator[str]:
    if not EXERCISE_ID.match(exercise.id):
        yield f"the id {exercise.id!r} is no chapter and name, such as '02.unravel'"
    elif exercise.id.partition(".")[2] != exercise.name:
        yield f"the id {exercise.id!r} and the part {exercise.part!r} name two functions"
    if not 1 <= exercise.stars <= 4:
        yield f"stars go from 1 to 4, not {exercise.stars}"
    if exercise.signature.partition("(")[0] != exercise.name:
        yield f"the signature {exercise.signature!r} is not one of {exercise.name!r}"
    if not exercise.title or exercise.title.endswith("."):
        yield f"the title {exercise.title!r} is no heading"
    if not exercise.task.endswith("."):
        yield f"the task {exercise.task!r} is no sentence"


def _topics(exercise: Exercise) -> Iterator[str]:
    if len(exercise.topics) < 2:
        yield f"one topic tells no half answer from a whole one: {len(exercise.topics)} given, 2 needed"
    for title in _twice(topic.title for topic in exercise.topics):
        yield f"two topics are called {title!r}"
    for topic in exercise.topics:
        about = f"topic {topic.title!r}"
        if topic.points < 1:
            yield f"{about} gives {topic.points} points"
        if not topic.rule.endswith("."):
            yield f"{about}: the rule {topic.rule!r} is no sentence"
        if not topic.public:
            yield f"{about} shows no public case"


def _known(exercise: Exercise) -> Iterator[str]:
    if len(exercise.wrong) < WRONG:
        given = f"{len(exercise.wrong)} given"
        yield f"{WRONG} wrong solutions are needed, each from a belief that somebody holds: {given}"
    if len(exercise.right) < RIGHT:
        given = f"{len(exercise.right)} given"
        yield f"{RIGHT} right solutions are needed, on other ways than the library: {given}"
    for known in (exercise.wrong, exercise.right):
        for name in _twice(solution.name for solution in known):
            yield f"two known solutions are called {name!r}"
    for belief in _twice(solution.belief for solution in exercise.wrong):
        yield f"two wrong solutions hold the belief {belief!r}"
    for solution in exercise.wrong:
        for what, text in (("belief", solution.belief), ("lesson", solution.lesson)):
            if not text.endswith((".", "?", "!")):
                yield f"{solution.name}: the {what} {text!r} is no sentence"


def _unworthy(row: KillRow) -> str:
    kept, lost = f"{row.points} of {row.max_points} points", f"it loses {', '.join(row.lost)}"
    return {
        "reference": f"the library's own function gets {kept}: {lost}",
        "right": f"the right solution {row.solution!r} gets {kept}: {lost}",
        "starter": f"the exercise as it is handed out gets {kept}",
        "wrong": f"the wrong solution {row.solution!r} keeps {kept}: no question finds it out",
    }[row.kind]


def _mutants(exercise: Exercise) -> Iterator[str]:
    for result in hunt(exercise):
        for change in result.missed:
            yield f"{result.solution!r} keeps its points with one thing changed: {change}"


def _twice(texts: Iterable[str]) -> list[str]:
    return [text for text, count in Counter(texts).items() if count > 1]
