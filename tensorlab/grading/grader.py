"""Grades one submission: a row for each question, whatever the submission does.

Nothing of the student's runs here. The functions of the notebook are called in a box, one input a request,
and their plain answers are compared with the library's own.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tensorlab.grading import feedback
from tensorlab.grading.boxes import BoxDied, BoxError, BoxFactory, BoxTimeout, Level
from tensorlab.grading.boxes.process import ProcessBox
from tensorlab.grading.inside.values import printable
from tensorlab.grading.judge import Verdict, judge
from tensorlab.grading.notebook import Notebook, UnreadableNotebook, parse_notebook
from tensorlab.grading.outcomes import Outcome, shorten
from tensorlab.grading.session import CellReport, Exhausted, Limits, Missing, Session
from tensorlab.grading.suite import Exercise, Secret

_log = logging.getLogger(__name__)

#: Longest feedback in a row, in characters.
MAX_FEEDBACK = 1500


@dataclass(frozen=True)
class Row:
    """The result of one student and question.

    Attributes:
        points: None when the machine failed or the question was not graded yet: neither is a score.
        status: ``right``, ``partial``, ``wrong``, ``unanswered``, ``missing`` (no such function),
        ``timeout``,
            ``died``, ``unreadable`` (the file), ``machine`` (not the student's fault: grade again), or
            ``pending`` (not graded yet).
        level: how far the student's code was isolated (`tensorlab.grading.boxes`); "" where none has run.
        sha256: of the submitted file; "" when there is none that could be read.
        seconds: spent on this question; the first one includes running the cells.
        topic: points by topic, such as ``"a line 1/1; a matrix 0/2"``; "" when no answer was judged.
        misconception: the belief that the feedback tells; "" if none fits.
    """

    student: str
    question: str
    title: str
    points: int | None
    max_points: int
    status: str
    feedback: str
    level: str
    sha256: str
    seconds: float
    topic: str = ""
    misconception: str = ""


@dataclass(frozen=True)
class Judged:
    """The result of one question, and what the judge found.

    Attributes:
        verdict: None when there was no answer to judge.
    """

    row: Row
    verdict: Verdict | None = None


def process_boxes(exercises: Sequence[Exercise]) -> BoxFactory:
    """Starts boxes that are plain processes, with the kernels loaded where answers work on tensors."""
    parts = [exercise.part for exercise in exercises]
    return partial(ProcessBox, parts, warm=any(part.startswith("tensorlab.ops.") for part in parts))


class Grader:
    """Grades submissions of one chapter.

    Args:
        exercises: the questions.
        secret: draws the hidden inputs; None asks the public cases only.
        open_box: starts a box; plain processes if left out.
        level: of those boxes.
    """

    def __init__(
        self,
        exercises: Sequence[Exercise],
        secret: Secret | None = None,
        open_box: BoxFactory | None = None,
        level: Level = ProcessBox.level,
        limits: Limits | None = None,
    ) -> None:
        self.exercises = exercises
        self.level: Level = level
        self.limits = limits or Limits()
        self._secret = secret
        self._open_box = open_box or process_boxes(exercises)

    def rows(self, raw: bytes, student: str, exercises: Sequence[Exercise] | None = None) -> Iterator[Row]:
        """One row a question, each as soon as it is judged, whatever the file or its code does.

        Args:
            raw: the file that was handed in.
            exercises: the questions to ask, all of them if left out.
        """
        asked = self.exercises if exercises is None else exercises
        try:
            notebook = parse_notebook(raw)
        except UnreadableNotebook as error:
            sha256 = hashlib.sha256(raw).hexdigest()
            yield from self.refused(student, f"The notebook cannot be read: {error}.", asked, sha256)
            return
        except Exception as error:
            words = self._own_mistake(student, error)
            sha256 = hashlib.sha256(raw).hexdigest()
            for exercise in asked:
                yield without_run(exercise, student, self.level, "machine", None, words, sha256)
            return
        session = self.session(notebook)
        try:
            for exercise in asked:
                yield self._question(exercise, notebook, session, student).row
        finally:
            session.close()

    def refused(
        self, student: str, reason: str, exercises: Sequence[Exercise] | None = None, sha256: str = ""
    ) -> list[Row]:
        """Rows without points for a submission that cannot be run."""
        asked = self.exercises if exercises is None else exercises
        return [
            without_run(exercise, student, self.level, "unreadable", 0, reason, sha256) for exercise in asked
        ]

    def grade(self, notebook: Notebook, student: str) -> list[Row]:
        """One row a question for a notebook that was read."""
        session = self.session(notebook)
        try:
            return [judged.row for judged in self.judged(notebook, session, student)]
        finally:
            session.close()

    def session(self, notebook: Notebook) -> Session:
        """The notebook in boxes of this grader. Nothing runs before the first question."""
        return Session(notebook.code, self._open_box, self.limits)

    def judged(self, notebook: Notebook, session: Session, student: str) -> Iterator[Judged]:
        """What came of one question after the other."""
        for exercise in self.exercises:
            yield self._question(exercise, notebook, session, student)

    def _question(self, exercise: Exercise, notebook: Notebook, session: Session, student: str) -> Judged:
        started = time.monotonic()
        verdict: Verdict | None = None
        status: str
        points: int | None = 0
        hidden = self._secret.source(student, exercise.id) if self._secret else None
        asked: list[tuple[Any, ...]] = []
        ask = session.ask(exercise)

        def remember(args: tuple[Any, ...]) -> Outcome:
            asked[:] = [args]
            return ask(args)

        try:
            verdict = judge(exercise, remember, hidden)
            status, points, words = verdict.status, verdict.points, feedback.one_line(verdict)
        except Missing:
            status, words = "missing", why_missing(exercise, notebook, session.reports)
        except BoxTimeout:
            seconds = self.limits.call_seconds
            status, words = (
                "timeout",
                f"{feedback.call_text(exercise, asked[0])} took longer than {seconds:g} s and was ended.",
            )
        except BoxDied:
            status, words = (
                "died",
                f"A call of {exercise.name} ended the Python process, so there is no answer.",
            )
        except Exhausted as error:
            status, words = "timeout", f"No time is left for {exercise.name}: {error}."
        except BoxError as error:
            status, points, words = (
                "machine",
                None,
                f"This machine could not run the notebook: {error}. Grade again.",
            )
        except Exception as error:
            status, points, words = "machine", None, self._own_mistake(student, error)
        row = Row(
            student=student,
            question=exercise.id,
            title=exercise.title,
            points=points,
            max_points=exercise.points,
            status=status,
            feedback=tidy(words),
            level=self.level,
            sha256=notebook.sha256,
            seconds=round(time.monotonic() - started, 3),
            topic=feedback.topic_points(verdict) if verdict else "",
            misconception=verdict.belief.belief if verdict and verdict.belief else "",
        )
        return Judged(row, verdict)

    def _own_mistake(self, student: str, error: Exception) -> str:
        """A mistake in this program must not cost the other students their grades, nor this one a score."""
        _log.error("grading %s failed", student, exc_info=error)
        return f"The grader itself failed ({type(error).__name__}); this is its mistake. Please report it."


def without_run(
    exercise: Exercise,
    student: str,
    level: str,
    status: str,
    points: int | None,
    words: str,
    sha256: str = "",
) -> Row:
    """A row that no run of a notebook has to do with."""
    return Row(
        student=student,
        question=exercise.id,
        title=exercise.title,
        points=points,
        max_points=exercise.points,
        status=status,
        feedback=tidy(words),
        level=level,
        sha256=sha256,
        seconds=0.0,
    )


def why_missing(exercise: Exercise, notebook: Notebook, reports: Mapping[int, CellReport]) -> str:
    """Why the notebook, having run, defines no such function: one or two sentences that help."""
    name = exercise.name
    answers = [cell for cell in notebook.cells if cell.id == exercise.answer_cell]
    code = [cell for cell in answers if cell.kind == "code"]
    if not code:
        if not answers:
            return f"No cell defines {name}. Write {exercise.opening} in a code cell."
        kind = {"markdown": "a Markdown cell", "raw": "a raw cell"}.get(answers[-1].kind, "no code cell")
        return f"The answer cell is {kind} now, so it does not run. Make it a code cell again."
    cell = code[-1]
    report = reports.get(cell.number, CellReport())
    if report.ended:
        return f"The answer cell (cell {cell.number}) was skipped, because {report.ended}."
    if report.raised is not None:
        error = report.raised
        place = f", line {error.line}: {error.source}" if error.line else ""
        return f"The answer cell (cell {cell.number}{place}) stopped with {error}, so {name} is not defined."
    if report.defines:
        return f"The answer cell defines {', '.join(report.defines)}. The grader looks for the name {name}."
    return f"The answer cell (cell {cell.number}) does not define {name}. Write {exercise.opening} there."


def tidy(words: str) -> str:
    """Feedback as a row holds it: printable, and not too long."""
    return shorten(printable(words), MAX_FEEDBACK)
