"""One round: a notebook's answers, tried in a box that was started before it was needed."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from tensorlab.grading.boxes import Box, BoxError, BoxFactory
from tensorlab.grading.boxes.process import ProcessBox
from tensorlab.grading.grader import Grader, Judged
from tensorlab.grading.notebook import Cell, Notebook
from tensorlab.grading.session import Heard, Limits, Session
from tensorlab.grading.suite import Exercise
from tensorlab.learn.check import MAX_PRINTED

#: Shorter than those of `tensorlab grade`: somebody is waiting.
LIMITS = Limits(cell_seconds=4.0, call_seconds=2.0, cells_seconds=30.0, question_seconds=30.0)


def warm_boxes(questions: Sequence[Exercise]) -> SpareBoxes:
    """Boxes for the answers to some questions."""
    return SpareBoxes(partial(ProcessBox, [question.part for question in questions], warm=True))


class SpareBoxes:
    """Always one box ahead: the one that is taken has been running for a while.

    Args:
        start: starts a box; called in another thread.
    """

    def __init__(self, start: BoxFactory) -> None:
        self._start = start
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="boxes")
        self._next: Future[Box] = self._starter.submit(start)

    def open(self) -> Box:
        """The box that is ready, or will be soon.

        Raises:
            BoxError: it could not be started.
        """
        ready, self._next = self._next, self._starter.submit(self._start)
        return ready.result()

    def close(self) -> None:
        """End the box that nobody took."""
        if not self._next.cancel():
            with contextlib.suppress(BoxError):
                self._next.result().close()
        self._starter.shutdown()


@dataclass(frozen=True)
class Answer:
    """What came of one question.

    Attributes:
        source: the cell with the answer; "" when there is none.
        heard: the calls that printed anything, and what.
    """

    exercise: Exercise
    judged: Judged
    source: str
    heard: tuple[Heard, ...] = ()

    def printed(self, args: tuple[Any, ...]) -> str:
        """What the call with these very arguments printed."""
        return next((heard.printed for heard in self.heard if heard.args is args), "")

    @property
    def points(self) -> int:
        """0 too where this machine failed."""
        return self.judged.row.points or 0

    @property
    def is_right(self) -> bool:
        """Whether all points were given."""
        return self.points == self.exercise.points


@dataclass(frozen=True)
class Finished:
    """A round that came to its end.

    Attributes:
        seconds: from the save to here.
        clock: when that was, as a clock shows it.
        printed: the numbers of the cells that printed anything, and what.
    """

    answers: tuple[Answer, ...]
    seconds: float
    clock: str
    printed: tuple[tuple[int, str], ...] = ()

    @property
    def points(self) -> int:
        """Of all questions."""
        return sum(answer.points for answer in self.answers)


class Round:
    """A notebook that is being tried, in a thread of its own.

    Args:
        waited: seconds since the save.
    """

    def __init__(
        self, questions: Sequence[Exercise], notebook: Notebook, boxes: SpareBoxes, waited: float = 0.0
    ) -> None:
        self._boxes = boxes
        self._grader = Grader(questions, limits=LIMITS)
        self._notebook = notebook
        self._session = Session(notebook.code, self._open_box, LIMITS, listen=MAX_PRINTED)
        self._started = time.monotonic() - waited
        self._given_up = False
        self._result: queue.SimpleQueue[Finished | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="round", daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """How long ago the save was."""
        return time.monotonic() - self._started

    def finished(self) -> Finished | None:
        """What came of it; None as long as it runs.

        Raises:
            whatever went wrong in this program while it ran.
        """
        try:
            result = self._result.get_nowait()
        except queue.Empty:
            return None
        if isinstance(result, BaseException):
            raise result
        return result

    def give_up(self) -> None:
        """End the box, and wait until the round is over."""
        self._given_up = True
        while self._thread.is_alive():
            self._session.close()
            self._thread.join(0.05)

    def _open_box(self) -> Box:
        if self._given_up:
            raise BoxError("a newer save came")
        return self._boxes.open()

    def _run(self) -> None:
        try:
            answers = []
            for judged in self._grader.judged(self._notebook, self._session, student=""):
                if self._given_up:
                    return
                exercise = next(e for e in self._grader.exercises if e.id == judged.row.question)
                source, heard = answer_source(exercise, self._notebook), tuple(self._session.heard)
                answers.append(Answer(exercise, judged, source, heard))
            seconds = time.monotonic() - self._started
            reports = sorted(self._session.reports.items())
            printed = tuple((number, report.printed) for number, report in reports if report.printed)
            self._result.put(Finished(tuple(answers), seconds, time.strftime("%H:%M:%S"), printed))
        except BaseException as error:  # to the thread that shows things
            self._result.put(error)
        finally:
            self._session.close()


def answer_source(exercise: Exercise, notebook: Notebook) -> str:
    """The last cell that answers a question: the one released for it, or one that defines its function."""
    opening = exercise.opening.partition("(")[0]

    def answers(cell: Cell) -> bool:
        return cell.id == exercise.answer_cell or opening in cell.source

    found = [cell.source for cell in notebook.code if answers(cell)]
    return found[-1] if found else ""
