"""What each student has in all, with the students of a roster who handed in nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from tensorlab.grading.grader import Row
from tensorlab.grading.submissions import in_one_form


class BadReport(ValueError):
    """The roster is not what a report can be made of."""


@dataclass(frozen=True)
class Student:
    """One line of a roster. `student` is the name that submissions go by; what is not known is ``""``."""

    student: str
    name: str = ""
    id: str = ""
    login: str = ""
    section: str = ""
    email: str = ""


@dataclass(frozen=True)
class Total:
    """The sum of one student.

    Attributes:
        points: None when nothing was handed in, when a question is not graded yet, or when the machine failed
            in one: none of these is a score.
        status: ``graded``, ``absent`` (nothing was handed in), ``pending`` (not graded yet), or ``machine``
            (grade again).
    """

    student: Student
    points: int | None
    max_points: int
    status: str


def read_roster(text: str) -> list[Student]:
    r"""The students of a CSV with a column ``student``, and any of name, id, login, section and email.

    Raises:
        BadReport: there is no such column, or a student stands there twice or without a name.

    Example:
        >>> read_roster("student,name\nada,Ada Lovelace\n")[0].name
        'Ada Lovelace'
    """
    lines = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    if "student" not in (lines.fieldnames or ()):
        raise BadReport(f"the first line needs a column 'student'; it has {lines.fieldnames or 'none'}")
    names = [field.name for field in fields(Student)]
    students = [Student(**{name: in_one_form(line.get(name) or "") for name in names}) for line in lines]
    seen: set[str] = set()
    for one in students:
        if not one.student or one.student in seen:
            raise BadReport(f"each line names another student; {one.student!r} is empty or there twice")
        seen.add(one.student)
    return students


def totals(rows: Sequence[Row], roster: Sequence[Student] = ()) -> list[Total]:
    """One total a student: those of the roster in its order, then those who are in the rows only."""
    theirs: dict[str, list[Row]] = {}
    for row in rows:
        theirs.setdefault(row.student, []).append(row)
    most = sum({row.question: row.max_points for row in rows}.values())
    listed = {one.student for one in roster}
    everybody = [*roster, *(Student(name) for name in theirs if name not in listed)]
    return [_total(one, theirs, most) for one in everybody]


def _total(one: Student, theirs: Mapping[str, Sequence[Row]], most: int) -> Total:
    rows = theirs.get(one.student, ())
    if all(row.status == "absent" for row in rows):
        return Total(one, None, most, "absent")
    scores = [row.points for row in rows if row.points is not None]
    if len(scores) < len(rows):
        pending = any(row.status == "pending" for row in rows)
        return Total(one, None, most, "pending" if pending else "machine")
    return Total(one, sum(scores), most, "graded")
