"""Gradescope's ``results.json``: what its autograder shows a student."""

from __future__ import annotations

import json
from typing import Any

from tensorlab.grading.grader import Row
from tensorlab.grading.inside.values import printable
from tensorlab.grading.reports.student_page import result_words
from tensorlab.grading.reports.totals import BadReport
from tensorlab.grading.results import Results


def gradescope(results: Results) -> str:
    """One student's results: a test for each question, with points by topic and the feedback.

    All that it holds may be seen by the student: a row names no hidden input, and no time is told, since an
    answer can wait as long as its input says. What the autograder prints is the grader's own, and hidden.

    Raises:
        BadReport: the results are not of one student, or the machine failed: then there is no score.
    """
    students = sorted({row.student for row in results.rows})
    if len(students) != 1:
        raise BadReport(f"Gradescope takes the results of one student, and here are {len(students)}")
    without = [row.question for row in results.rows if row.points is None]
    if without:
        raise BadReport(f"there is no score yet for {', '.join(without)}; grade again")
    plain = {
        "score": sum(row.points or 0 for row in results.rows),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(row) for row in results.rows],
    }
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def _test(row: Row) -> dict[str, Any]:
    topics = f"Points by topic: {row.topic}.\n" if row.topic else ""
    return {
        "number": row.question,
        "name": printable(row.title),
        "name_format": "text",
        "score": row.points,
        "max_score": row.max_points,
        "status": "passed" if row.points == row.max_points else "failed",
        "output": printable(f"{result_words(row).capitalize()}.\n{topics}{row.feedback}"),
        "output_format": "text",
        "visibility": "visible",
    }
