"""Rows as JUnit XML: a suite for each student, a case for each question."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from tensorlab.grading.grader import Row
from tensorlab.grading.inside.values import printable


def junit(rows: Sequence[Row]) -> str:
    """Lost points are a failure; a failure of the machine is an error, which is no score.

    What was not handed in is skipped.
    """
    root = ElementTree.Element("testsuites")
    suites: dict[str, list[Row]] = {}
    for row in rows:
        suites.setdefault(row.student, []).append(row)
    for student, theirs in suites.items():
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=printable(student),
            tests=str(len(theirs)),
            failures=str(sum(_kind(row) == "failure" for row in theirs)),
            errors=str(sum(_kind(row) == "error" for row in theirs)),
            skipped=str(sum(_kind(row) == "skipped" for row in theirs)),
            time=f"{sum(row.seconds for row in theirs):.3f}",
        )
        for row in theirs:
            _case(suite, row)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _kind(row: Row) -> str:
    """The element that says what is wrong with a row; "" when it has all points."""
    if row.status == "absent":
        return "skipped"
    if row.points is None:
        return "error"
    return "failure" if row.points < row.max_points else ""


def _case(suite: ElementTree.Element, row: Row) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=row.question, name=row.title, time=f"{row.seconds:.3f}"
    )
    if kind := _kind(row):
        points = "no score" if row.points is None else f"{row.points} of {row.max_points} points"
        found = ElementTree.SubElement(case, kind, type=row.status, message=points)
        found.text = printable(row.feedback)
