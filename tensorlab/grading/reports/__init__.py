"""Reports from what was graded: pure functions from totals or rows to text."""

from tensorlab.grading.reports.gradebooks import canvas, moodle, nbgrader, sheet
from tensorlab.grading.reports.junit import junit
from tensorlab.grading.reports.totals import (
    BadReport,
    Student,
    Total,
    read_roster,
    totals,
)

__all__ = [
    "BadReport",
    "Student",
    "Total",
    "canvas",
    "junit",
    "moodle",
    "nbgrader",
    "read_roster",
    "sheet",
    "totals",
]
