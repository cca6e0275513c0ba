"""Many submissions at once: processes that take one after the other, and what becomes of those that die.

A process of the pool holds a grader and runs no code of a student; its boxes do. Rows come back one by one,
as soon as they are judged, and nobody but the process that called writes them down. So a process that is
killed costs the question in hand, which is asked again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Any

from tensorlab.grading.boxes.guard import die_with_parent, end_all, guarded
from tensorlab.grading.grader import Grader, Row, without_run

#: Processes that may die over one submission before the machine is blamed.
MOST_DEATHS = 3

STOP_SECONDS = 5.0  # for a process to close its boxes

# A forked process shares the memory of this one. Elsewhere than on Linux forking is not safe.
_processes: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


@dataclass(frozen=True)
class Task:
    """One submission to grade.

    Attributes:
        questions: ids of the exercises to ask.
        deaths: processes that have died over it.
    """

    student: str
    content: bytes
    sha256: str
    questions: tuple[str, ...]
    deaths: int = 0


class _Worker:
    """A process, this end of its pipe, and what is left of its task."""

    def __init__(self, make: Callable[[], Grader], folder: str, task: Task) -> None:
        self.pipe, theirs = _processes.Pipe()
        self._process = _processes.Process(target=_serve, args=(make, theirs, folder), daemon=True)
        with warnings.catch_warnings():
            # Python warns of a fork beside threads. The new process takes no lock that one of them may hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        theirs.close()
        self.give(task)

    def give(self, task: Task) -> None:
        self.task = task
        with contextlib.suppress(OSError):  # it has died, which shows where its answer is awaited
            self.pipe.send(task)

    def note(self, row: Row) -> None:
        """A question is done."""
        left = tuple(question for question in self.task.questions if question != row.question)
        self.task = replace(self.task, questions=left)

    def stop(self) -> None:
        self._process.terminate()

    def wait(self) -> None:
        """Wait for a process that was stopped, or has died."""
        self._process.join(STOP_SECONDS)
        self._process.kill()
        self._process.join()
        self.pipe.close()


def grade_all(make: Callable[[], Grader], tasks: Iterable[Task], jobs: int) -> Generator[Row, None, None]:
    """A row for each question of each task, in the order in which they are judged.

    Closing the generator ends all processes and their boxes.

    Args:
        make: makes a grader; each process has its own.
        tasks: taken one by one, as processes become free.
        jobs: how many processes.
    """
    rest, again = iter(tasks), deque[Task]()
    workers: list[_Worker] = []

    def take() -> Task | None:
        return again.popleft() if again else next(rest, None)

    with tempfile.TemporaryDirectory(prefix="tensorlab-grade-", ignore_cleanup_errors=True) as folder:
        try:
            while True:
                while len(workers) < jobs and (task := take()):
                    workers.append(_Worker(make, folder, task))
                if not workers:
                    return
                ready = wait([worker.pipe for worker in workers])
                for worker in [worker for worker in workers if worker.pipe in ready]:
                    try:
                        row = worker.pipe.recv()
                    except (EOFError, OSError):
                        if worker.task.deaths + 1 < MOST_DEATHS:
                            again.append(replace(worker.task, deaths=worker.task.deaths + 1))
                        else:
                            yield from given_up(make(), worker.task)
                        _end([worker])
                        workers.remove(worker)
                        continue
                    if row:
                        worker.note(row)
                        yield row
                    elif task := take():
                        worker.give(task)
                    else:
                        _end([worker])
                        workers.remove(worker)
        finally:
            _end(workers)


def _end(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.stop()
    for worker in workers:
        worker.wait()


def rows_of(grader: Grader, task: Task) -> Iterator[Row]:
    """The rows of a task, each as soon as it is judged."""
    asked = [exercise for exercise in grader.exercises if exercise.id in task.questions]
    return grader.rows(task.content, task.student, asked)


def given_up(grader: Grader, task: Task) -> list[Row]:
    """The rows of a task over which too many processes have died."""
    words = "Too many processes of the grader were killed over this notebook. Grade again."
    return [
        without_run(exercise, task.student, grader.level, "machine", None, words, task.sha256)
        for exercise in grader.exercises
        if exercise.id in task.questions
    ]


def _serve(make: Callable[[], Grader], pipe: Connection, folder: str) -> None:
    """What a process of the pool does, until it is stopped."""
    signal.signal(signal.SIGINT, _ignore)  # a handler, since what is ignored stays so in the boxes
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent()
    tempfile.tempdir = folder
    with guarded(), contextlib.suppress(EOFError, OSError):  # the process that called is gone
        grader = make()
        while True:
            task: Task = pipe.recv()
            for row in rows_of(grader, task):
                pipe.send(row)
            if grader.level != "strong":
                end_all()  # what was left behind; a strong box leaves nothing
            pipe.send(None)


def _ignore(number: int, frame: FrameType | None) -> None:
    """Ctrl-C reaches all processes; the one that called stops the others."""


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit
