"""Reports from what was graded: pure functions from totals or rows to text."""

from tensorlab.grading.reports.class_page import Comparison, class_page
from tensorlab.grading.reports.gradebooks import canvas, moodle, nbgrader, sheet
from tensorlab.grading.reports.gradescope import gradescope
from tensorlab.grading.reports.junit import junit
from tensorlab.grading.reports.student_page import student_pages
from tensorlab.grading.reports.totals import (
    BadReport,
    Student,
    Total,
    read_roster,
    totals,
)

__all__ = [
    "BadReport",
    "Comparison",
    "Student",
    "Total",
    "canvas",
    "class_page",
    "gradescope",
    "junit",
    "moodle",
    "nbgrader",
    "read_roster",
    "sheet",
    "student_pages",
    "totals",
]
