"""Where a chapter stands in the ledger: what is still to grade, and the rows that a report is made of."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tensorlab.grading.grader import Grader, Row, tidy, without_run
from tensorlab.grading.ledger import Entry, Graded, Ledger
from tensorlab.grading.pool import Task
from tensorlab.grading.results import Reported, Results, Run
from tensorlab.grading.suite import Exercise

ABSENT = "Nothing was handed in."


@dataclass(frozen=True)
class Left:
    """A student, and the questions that are still to be asked of what the student handed in."""

    entry: Entry
    exercises: Sequence[Exercise]


def left_to_grade(
    ledger: Ledger, folder: str, run: Run, exercises: Sequence[Exercise], only: Sequence[str] = ()
) -> list[Left]:
    """What a run has to do: everything whose newest row is missing, of another file, or of other grounds.

    A row that a failure of the machine left without points counts as missing. Of who handed in nothing,
    nothing is asked.

    Args:
        only: patterns ``STUDENT`` or ``STUDENT/QUESTION``. What they name is graded again, and nothing else.

    Raises:
        LookupError: a pattern names nothing that was handed in.
    """
    standing, runs = ledger.standing(run.chapter), ledger.runs(run.chapter)

    def holds(entry: Entry, exercise: Exercise) -> bool:
        graded = standing.get((entry.student, exercise.id))
        return (
            graded is not None
            and graded.row.sha256 == entry.sha256
            and graded.row.points is not None
            and (bool(entry.sha256) or graded.row.feedback == tidy(entry.problem))
            and runs[graded.run].grounds == run.grounds
        )

    entries = [entry for entry in ledger.entries(run.chapter, folder) if not entry.absent]
    if only:
        named = {pattern: list(_named(pattern, entries, exercises)) for pattern in only}
        for pattern, found in named.items():
            if not found:
                raise LookupError(pattern)
        wanted = {pair for found in named.values() for pair in found}
    else:
        wanted = {(e.student, x.id) for e in entries for x in exercises if not holds(e, x)}
    pairs = [(entry, [x for x in exercises if (entry.student, x.id) in wanted]) for entry in entries]
    return [Left(entry, asked) for entry, asked in pairs if asked]


def _named(
    pattern: str, entries: Iterable[Entry], exercises: Sequence[Exercise]
) -> Iterator[tuple[str, str]]:
    student, slash, question = pattern.rpartition("/")
    if not slash:
        student, question = pattern, "*"
    for entry in entries:
        if entry.student == student or fnmatchcase(entry.student, student):
            for exercise in exercises:
                if question in (exercise.id, exercise.name) or fnmatchcase(exercise.id, question):
                    yield entry.student, exercise.id


#: Grades tasks somewhere, with graders that it has made.
Way = Callable[[Callable[[], Grader], Iterable[Task]], Generator[Row, None, None]]


def grade_left(
    ledger: Ledger, make: Callable[[], Grader], run: Run, left: Sequence[Left], way: Way
) -> Generator[Row, None, None]:
    """Grade; each row is on disk when it is yielded.

    Args:
        way: the processes that do it (`pool.grade_all`, `cluster.grade_on`).
    """
    number = ledger.begin(run)
    with closing(_rows(ledger, make, left, way)) as rows:
        for row in rows:
            ledger.store(number, row)
            yield row


def _rows(
    ledger: Ledger, make: Callable[[], Grader], left: Sequence[Left], way: Way
) -> Generator[Row, None, None]:
    grader = make()
    for each in left:
        if not each.entry.sha256:
            yield from grader.refused(each.entry.student, each.entry.problem, each.exercises)
    tasks = (_task(ledger, each) for each in left if each.entry.sha256)
    with closing(way(make, tasks)) as rows:
        yield from rows


def _task(ledger: Ledger, left: Left) -> Task:
    entry = left.entry
    asked = tuple(exercise.id for exercise in left.exercises)
    return Task(entry.student, ledger.content(entry.sha256), entry.sha256, asked)


def reported(
    ledger: Ledger, chapter: str, exercises: Sequence[Exercise], folder: str | None = None
) -> Results:
    """A row for every student and question, in that order.

    What is not graded yet has status ``pending``; of a student who handed in nothing, all is ``absent``.
    """
    standing = ledger.standing(chapter)
    entries = ledger.entries(chapter, folder)
    rows = [_report(standing, entry, exercise) for entry in entries for exercise in exercises]
    return Results(chapter, ledger.runs(chapter), rows)


def with_absent(results: Results, roster: Iterable[str]) -> Results:
    """The results, with rows for those of a roster who have none: they handed in nothing."""
    there = {row.student for row in results.rows}
    asked = {row.question: row for row in results.rows}.values()
    more = [
        Reported(
            Row(student, row.question, row.title, None, row.max_points, "absent", ABSENT, "", "", 0.0), None
        )
        for student in roster
        if student not in there
        for row in asked
    ]
    reported = sorted([*results.reported, *more], key=lambda one: one.row.student)
    return Results(results.chapter, results.runs, reported)


def _report(standing: Mapping[tuple[str, str], Graded], entry: Entry, exercise: Exercise) -> Reported:
    if entry.absent:
        row = without_run(exercise, entry.student, "", "absent", None, ABSENT)
        return Reported(row, None)
    graded = standing.get((entry.student, exercise.id))
    if graded is not None and graded.row.sha256 == entry.sha256:
        return Reported(graded.row, graded.run)
    words = "Not graded yet." if graded is None else "Not graded since the file changed."
    row = without_run(exercise, entry.student, "", "pending", None, words, entry.sha256)
    return Reported(row, None)
