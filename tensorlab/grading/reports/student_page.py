"""A page for each student: what each answer earned, why, and where to read on.

It says what the row says, which names no hidden input, and nothing of anybody else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from tensorlab.grading.grader import Row
from tensorlab.grading.reports.class_page import points_by_topic
from tensorlab.grading.reports.markup import Html, element, joined, page, table
from tensorlab.grading.reports.reading import link
from tensorlab.grading.reports.totals import Student, Total, totals
from tensorlab.grading.results import Results

_WORDS = {
    "right": "all points",
    "partial": "some points",
    "wrong": "no points yet",
    "unanswered": "not answered",
    "missing": "not found",
    "timeout": "took too long",
    "died": "ended the process",
    "unreadable": "could not be read",
    "machine": "not graded: our computer failed",
    "pending": "not graded yet",
    "absent": "not handed in",
}

_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,80}\Z")


def student_pages(
    results: Results, roster: Sequence[Student] = (), book: str = ""
) -> Iterator[tuple[str, str]]:
    """The name of a file and the page in it, for each student of the results and the roster.

    Args:
        book: the address of the book; "" names its sections without links.
    """
    rows: dict[str, list[Row]] = {}
    for row in results.rows:
        rows.setdefault(row.student, []).append(row)
    for total in totals(results.rows, roster):
        theirs = rows.get(total.student.student, [])
        yield file_name(total.student.student), _page(results.chapter, total, theirs, book)


def file_name(student: str) -> str:
    """A name that every system takes, and no two students share.

    Example:
        >>> file_name("ada"), file_name("../Ada Byron")
        ('ada.html', 'Ada-Byron-c402d993.html')
    """
    if _PLAIN_NAME.match(student):
        return f"{student}.html"
    plain = re.sub(r"[^A-Za-z0-9]+", "-", student)[:60].strip("-")
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain or 'student'}-{digest}.html"


def _page(chapter: str, total: Total, rows: Sequence[Row], book: str) -> str:
    title = f"Chapter {chapter.lstrip('0')}: {total.student.name or total.student.student}"
    if total.status == "absent":
        return page(title, element("p", "Nothing was handed in."))
    if total.points is None:
        earned = "Some questions are not graded yet, so there is no sum."
    else:
        earned = f"{total.points} of {total.max_points} points."
    lines = [(row.title, _points(row), result_words(row)) for row in rows]
    return page(
        title,
        element("p", earned),
        table("Your answers", ["Question", "Points", "Result"], lines),
        *(_question(row, book) for row in rows),
        _traces(rows),
    )


def _question(row: Row, book: str) -> Html:
    inside: list[object] = [
        element("h2", row.title),
        element("p", element("code", row.question), f": {_points(row)} points, {result_words(row)}."),
    ]
    lost = row.points is not None and row.points < row.max_points
    if lost:
        inside.append(_topics(points_by_topic(row)))
    # What a machine says of its failure is for whoever runs it.
    failed = row.status == "machine"
    words = "It isn't your fault. The question will be graded again." if failed else row.feedback
    inside.append(_said(words, row.misconception))
    if lost:
        check, hint = (element("code", f'{name}("{row.question}")') for name in ("check", "hint"))
        inside += [
            element("p", link(row.question, book)),
            element("p", "In the notebook, ", check, " tries your next answer; ", hint, " gives a hint."),
        ]
    return element("section", *inside)


def _said(feedback: str, belief: str) -> Html:
    """The feedback, with the belief that it tells set apart."""
    before, found, after = feedback.partition(f"“{belief}”")
    if not belief or not found:
        return element("p", feedback, class_="said")
    told = (element("p", part.strip(), class_="said") for part in (before, after))
    return joined([next(told), element("blockquote", found), *told])


def _topics(earned: Mapping[str, str]) -> Html:
    """Points by topic."""
    if not earned:
        return Html("")
    items = [element("li", element("b", points), " ", title) for title, points in earned.items()]
    listed = element("ul", *items, class_="topics")
    first = next(iter(earned.values()))
    if not first.startswith("0/"):
        return listed
    return joined([listed, element("p", "Without the first of these, the others give no points.")])


def _traces(rows: Sequence[Row]) -> Html:
    """Which file was graded."""
    sha256 = next((row.sha256 for row in rows if row.sha256), "")
    if not sha256:
        return Html("")
    said = "The file that was graded has the fingerprint (SHA-256) "
    return element("p", said, element("code", sha256), ".", class_="soft")


def result_words(row: Row) -> str:
    """What came of a question, in words for its student."""
    return _WORDS.get(row.status, row.status)


def _points(row: Row) -> str:
    return "–" if row.points is None else f"{row.points} of {row.max_points}"
