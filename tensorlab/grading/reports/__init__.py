"""Reports from results that `tensorlab grade` has written: pure functions from totals or rows to text."""

from tensorlab.grading.reports.gradebooks import canvas, moodle, nbgrader, sheet
from tensorlab.grading.reports.junit import junit
from tensorlab.grading.reports.totals import (
    BadReport,
    Results,
    Student,
    Total,
    read_results,
    read_roster,
    totals,
)

__all__ = [
    "BadReport",
    "Results",
    "Student",
    "Total",
    "canvas",
    "junit",
    "moodle",
    "nbgrader",
    "read_results",
    "read_roster",
    "sheet",
    "totals",
]
