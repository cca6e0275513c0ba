"""Totals as CSV: plain, and in the columns that Canvas, Moodle and nbgrader use."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from tensorlab.grading.reports.totals import Total
from tensorlab.grading.results import cell


def sheet(chapter: str, totals: Sequence[Total]) -> str:
    """The totals, with the status of each."""
    lines = [
        (one.student.student, one.student.name, chapter, one.points, one.max_points, one.status)
        for one in totals
    ]
    return _csv([("student", "name", "chapter", "points", "max_points", "status"), *lines])


def canvas(chapter: str, totals: Sequence[Total]) -> str:
    """Canvas's gradebook: the assignment is a column, and the first row says its points."""
    header = ("Student", "ID", "SIS Login ID", "Section", _assignment(chapter))
    possible = ("    Points Possible", "", "", "", _most(totals))
    lines = [
        (
            _name(one),
            one.student.id,
            one.student.login or one.student.student,
            one.student.section,
            one.points,
        )
        for one in totals
    ]
    return _csv([header, possible, *lines])


def moodle(chapter: str, totals: Sequence[Total]) -> str:
    """For Moodle's import of grades, which maps students by user name, ID number or e-mail address."""
    lines = [
        (one.student.login or one.student.student, one.student.id, one.student.email, one.points)
        for one in totals
    ]
    return _csv([("Username", "ID number", "Email address", _assignment(chapter)), *lines])


def nbgrader(chapter: str, totals: Sequence[Total]) -> str:
    """The columns of ``nbgrader export``."""
    header = (
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
        "raw_score", "late_submission_penalty", "score", "max_score",
    )  # fmt: skip
    lines = [
        (
            _assignment(chapter), "", "", one.student.student, one.student.name, "", one.student.email,
            one.points, 0, one.points, one.max_points,
        )
        for one in totals
    ]  # fmt: skip
    return _csv([header, *lines])


def _assignment(chapter: str) -> str:
    return f"Chapter {chapter}"


def _name(one: Total) -> str:
    return one.student.name or one.student.student


def _most(totals: Sequence[Total]) -> int:
    return max((one.max_points for one in totals), default=0)


def _csv(lines: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([cell(value) for value in line] for line in lines)
    return text.getvalue()
