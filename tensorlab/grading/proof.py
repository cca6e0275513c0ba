"""Proof of the grader: what every known wrong, right and missing solution is worth.

`kill_table` has them judged as answers of students are, in this process, so that a page of the book can show
it; the tests also run every one of them through a real box. Each solution is asked each question once, and
compared with as many others as need be.
"""

from __future__ import annotations

import functools
import html
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tensorlab.grading.judge import draw, weigh
from tensorlab.grading.outcomes import Outcome, answer_of
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import exercises

Kind = Literal["reference", "right", "starter", "wrong"]

#: Any seed does. This one is fixed so that the page of the book is the same after every build.
SEED = 1


@dataclass(frozen=True)
class KillRow:
    """One known solution and what it is worth.

    Attributes:
        says: the belief behind a wrong solution, or the idea of a right one.
        lost: titles of the topics that it loses.
        named: for a wrong solution, whether the student would be told this belief.
    """

    exercise: str
    solution: str
    kind: Kind
    says: str
    points: int
    max_points: int
    lost: tuple[str, ...]
    named: bool

    @property
    def as_it_should(self) -> bool:
        """Whether the grader does what it promises: right ones keep all points, wrong ones lose some."""
        if self.kind in ("reference", "right"):
            return self.points == self.max_points
        return self.points == 0 if self.kind == "starter" else self.points < self.max_points


def starter(*args: Any) -> Any:
    """What every exercise starts from."""
    raise NotImplementedError


def known_solutions(exercise: Exercise) -> list[tuple[Kind, str, str, Callable[..., Any]]]:
    """Kind, name, belief or idea, and function of every known solution of one exercise."""
    known: list[tuple[Kind, str, str, Callable[..., Any]]] = [
        ("reference", exercise.name, "The library's own function.", exercise.reference),
        ("starter", "starter", "The exercise as it is handed out.", starter),
    ]
    known += [("right", solution.name, solution.idea, solution.function) for solution in exercise.right]
    known += [("wrong", solution.name, solution.belief, solution.function) for solution in exercise.wrong]
    return known


def kill_table(chapter: str | None = None) -> list[KillRow]:
    """One row for each known solution of a chapter's exercises, or of all of them.

    Example:
        >>> all(row.as_it_should for row in kill_table("01"))
        True
    """
    return [row for exercise in exercises(chapter) for row in kill_rows(exercise)]


def kill_rows(exercise: Exercise) -> list[KillRow]:
    """One row for each known solution of one exercise, which need not be one of the book."""
    questions = draw(exercise, random.Random(SEED))

    @functools.cache
    def answers(function: Callable[..., Any]) -> list[Outcome]:
        return [answer_of(function, exercise, question.case) for question in questions]

    rows = []
    for kind, name, says, function in known_solutions(exercise):
        records = [q.answered(got) for q, got in zip(questions, answers(function), strict=True)]
        verdict = weigh(exercise, records, lambda solution: answers(solution.function))
        named = verdict.belief is not None and verdict.belief.function is function
        row = KillRow(exercise.id, name, kind, says, verdict.points, exercise.points, verdict.lost, named)
        rows.append(row)
    return rows


_HEADINGS = ("Exercise", "Solution", "Belief or idea", "Points", "Loses")


def as_markdown(rows: Sequence[KillRow]) -> str:
    """The table as Markdown."""
    lines = [f"| {' | '.join(_HEADINGS)} |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in _cells(row))} |" for row in rows]
    return "\n".join(lines)


def as_html(rows: Sequence[KillRow]) -> str:
    """The table as HTML that takes the page's own style, folded: one fold an exercise."""
    mine: dict[str, list[KillRow]] = {}
    for row in rows:
        mine.setdefault(row.exercise, []).append(row)
    return "".join(map(_fold, mine.values()))


def _fold(rows: Sequence[KillRow]) -> str:
    wrong, right = (sum(row.kind == kind for row in rows) for kind in ("wrong", "right"))
    counted = f"<code>{rows[0].exercise}</code>: {wrong} wrong answers, {right} right ones"
    head = "".join(f'<th scope="col">{heading}</th>' for heading in _HEADINGS[1:])
    body = "".join(f'<tr class="tl-kill-{row.kind}">{_html_cells(row)}</tr>' for row in rows)
    return (
        f'<details class="tl-fold"><summary>{counted}</summary><div class="pst-scrollable-table-container">'
        f'<table class="table tl-kill"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div></details>"
    )


def _html_cells(row: KillRow) -> str:
    return "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row)[1:])


def _cells(row: KillRow) -> tuple[str, ...]:
    solution = {"wrong": "wrong", "right": "right", "starter": "", "reference": ""}[row.kind]
    name = row.solution.replace("_", " ")
    return (
        row.exercise,
        f"{solution}: {name}" if solution else row.kind,
        row.says,
        f"{row.points} of {row.max_points}",
        "; ".join(row.lost) or "nothing",
    )
