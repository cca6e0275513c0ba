"""Grades one submission: a row for each question, whatever the submission does.

Nothing of the student's runs here. The functions of the notebook are called in a box, one input a request,
and their plain answers are compared with the library's own.
"""

from __future__ import annotations

import hashlib
import logging
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tensorlab.grading import feedback, room
from tensorlab.grading.boxes import BoxError, BoxFactory, Level
from tensorlab.grading.boxes.bubblewrap import BubblewrapBoxes
from tensorlab.grading.boxes.container import ContainerBox
from tensorlab.grading.boxes.limited import LimitedBox
from tensorlab.grading.boxes.process import ProcessBox
from tensorlab.grading.inside.values import printable
from tensorlab.grading.judge import Failure, Question, Verdict, answers, draw, weigh
from tensorlab.grading.notebook import Cell, Notebook, UnreadableNotebook, parse_notebook
from tensorlab.grading.outcomes import Ended, shorten
from tensorlab.grading.session import CellReport, Exhausted, Limits, Missing, Session
from tensorlab.grading.suite import Exercise, Secret

_log = logging.getLogger(__name__)

#: Longest feedback in a row, in characters.
MAX_FEEDBACK = 1500


@dataclass(frozen=True)
class Row:
    """The result of one student and question.

    Attributes:
        points: None when the machine failed, the question was not graded yet or nothing was handed in: none
            of these is a score.
        status: ``right``, ``partial``, ``wrong``, ``unanswered``, ``missing`` (no such function),
            ``timeout``, ``died``, ``unreadable`` (the file), ``machine`` (not the student's fault: grade
            again), ``pending`` (not graded yet), or ``absent`` (in the roster, and handed in nothing).
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


@dataclass(frozen=True)
class _Result:
    """What a row says came of a question."""

    status: str
    points: int | None
    words: str


@dataclass
class _Trial:
    """A question on its way: what is asked, and what was answered so far."""

    exercise: Exercise
    questions: Sequence[Question] = ()
    records: list[Failure] = field(default_factory=list)
    seconds: float = 0.0
    stopped: _Result | None = None


def boxes(
    exercises: Sequence[Exercise], level: Level = "none", image: str = "", *, tight: bool = False
) -> BoxFactory:
    """Starts boxes of a level, with the kernels loaded where answers work on tensors.

    Args:
        image: of the containers that they are; without one, the system itself closes them off.
        tight: whether they have as little memory as `room` says.
    """
    parts = [exercise.part for exercise in exercises]
    warm = any(part.startswith("tensorlab.ops.") for part in parts)
    options: dict[str, Any] = {"warm": warm}
    if tight:
        options |= {"memory_bytes": room.MEMORY, "backend": room.BACKEND}
    if image:
        return partial(ContainerBox, image, parts, **options)
    if level == "none":
        return partial(ProcessBox, parts, **options)
    if level == "strong":
        return BubblewrapBoxes(parts, alone=tight, **options)
    return partial(LimitedBox, parts, alone=tight, **options)


class Grader:
    """Grades submissions of one chapter.

    Args:
        exercises: the questions.
        secret: draws the hidden inputs; None asks the public cases only.
        open_box: starts a box; those of `boxes` if left out.
        level: of those boxes.
        open_tight: starts a box of little memory, as `room` needs it; those of `boxes` if left out.
    """

    def __init__(
        self,
        exercises: Sequence[Exercise],
        secret: Secret | None = None,
        open_box: BoxFactory | None = None,
        level: Level = "none",
        limits: Limits | None = None,
        open_tight: BoxFactory | None = None,
    ) -> None:
        self.exercises = exercises
        self.level: Level = level
        self.limits = limits or Limits()
        self._secret = secret
        self._public: dict[str, list[Question]] = {}  # by exercise; the same for every student
        self.open_box = open_box or boxes(exercises, level)
        self._open_tight = open_tight or boxes(exercises, level, tight=True)

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
            for judged in self.judged(notebook, session, student, asked):
                yield judged.row
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
        return Session(notebook.code, self.open_box, self.limits)

    def judged(
        self,
        notebook: Notebook,
        session: Session,
        student: str,
        exercises: Sequence[Exercise] | None = None,
    ) -> Iterator[Judged]:
        """What came of one question after the other.

        Hidden cases are asked when all public ones are, in a fresh box: what a box has seen of them cannot
        reach the answers that feedback shows.
        """
        asked = self.exercises if exercises is None else exercises
        trials = (self._begun(exercise, notebook, session, student) for exercise in asked)
        if self._secret is None:
            yield from (self._ended(trial, notebook, student) for trial in trials)
            return
        begun = list(trials)
        session.run_again()
        with closing(self._tight(notebook.code)) as tight:
            for trial in begun:
                self._ask(trial, notebook, session, student, hidden=True)
                source = self._secret.source(student, f"{trial.exercise.id}, large")
                self._prove(trial, tight, student, source)
                yield self._ended(trial, notebook, student)

    def _begun(self, exercise: Exercise, notebook: Notebook, session: Session, student: str) -> _Trial:
        """A question with the answers to its public cases."""
        trial = _Trial(exercise)
        self._ask(trial, notebook, session, student, hidden=False)
        return trial

    def _ask(
        self, trial: _Trial, notebook: Notebook, session: Session, student: str, *, hidden: bool
    ) -> None:
        """Ask the public or the hidden cases, whatever comes of them."""
        if trial.stopped is not None:
            return
        exercise, started = trial.exercise, time.monotonic()
        try:
            if not hidden:
                if exercise.id not in self._public:
                    self._public[exercise.id] = draw(exercise)
                source = self._secret.source(student, exercise.id) if self._secret else None
                trial.questions = draw(exercise, source, self._public[exercise.id])
            questions = [question for question in trial.questions if question.hidden == hidden]
            trial.records += answers(exercise, questions, session.ask(exercise), trial.records)
        except Missing:
            trial.stopped = _Result("missing", 0, why_missing(exercise, notebook, session.reports))
        except Exhausted as error:
            trial.stopped = _Result("timeout", 0, f"{exercise.name} was not called: {error}.")
        except BoxError as error:
            words = f"This machine could not run the notebook: {error}. Grade again."
            trial.stopped = _Result("machine", None, words)
        except Exception as error:
            trial.stopped = _Result("machine", None, self._own_mistake(student, error))
        trial.seconds += time.monotonic() - started

    def _tight(self, cells: list[Cell]) -> Session:
        """Cells in boxes of little memory."""
        return Session(cells, self._open_tight, self.limits)

    def _prove(self, trial: _Trial, tight: Session, student: str, source: random.Random) -> None:
        """Take the topics about memory from an answer that has no room for large tensors."""
        if trial.stopped is not None:
            return
        started = time.monotonic()
        try:
            trial.records += room.unproven(trial.exercise, trial.records, tight, source, self._tight)
        except BoxError as error:
            words = f"This machine could not run the notebook in little memory: {error}. Grade again."
            trial.stopped = _Result("machine", None, words)
        except Exception as error:
            trial.stopped = _Result("machine", None, self._own_mistake(student, error))
        trial.seconds += time.monotonic() - started

    def _ended(self, trial: _Trial, notebook: Notebook, student: str) -> Judged:
        """The row of a question that was asked."""
        exercise, stopped = trial.exercise, trial.stopped
        verdict: Verdict | None = None
        if stopped is None:
            verdict = weigh(exercise, trial.records)
            first = verdict.failures[0].got if verdict.failures else None
            status = first.status if isinstance(first, Ended) and not verdict.points else verdict.status
            stopped = _Result(status, verdict.points, feedback.one_line(verdict))
        row = Row(
            student=student,
            question=exercise.id,
            title=exercise.title,
            points=stopped.points,
            max_points=exercise.points,
            status=stopped.status,
            feedback=tidy(stopped.words),
            level=self.level,
            sha256=notebook.sha256,
            seconds=round(trial.seconds, 3),
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
