"""Finds the submissions in a folder.

Two layouts, which may be mixed: one notebook a student, ``ada.ipynb``; or one folder a student,
``ada/01_a_tensor_is_a_line.ipynb``, with notebooks of other chapters beside it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from tensorlab.grading.inside.values import printable
from tensorlab.grading.notebook import UnreadableNotebook, read_bytes, read_notebook

_ANSWER_CELL = re.compile(r"(\d\d)-\w+-answer\Z")


class NoSubmissions(ValueError):
    """The folder holds nothing that could be graded; the text says what was looked for."""


@dataclass(frozen=True)
class Submission:
    """One student's notebook, or the reason why there is none.

    Attributes:
        path: None when `problem` says why.
    """

    student: str
    path: Path | None
    problem: str = ""


@dataclass(frozen=True)
class Copy:
    """What a student handed in, as it was before any student's code ran.

    Attributes:
        content: None when there is no file that can be read; `problem` says why.
        sha256: of the content; "" when there is none.
    """

    student: str
    content: bytes | None
    sha256: str
    problem: str = ""


def take(submission: Submission) -> Copy:
    """Read what was handed in, once. No link is followed and nothing is written."""
    student = printable(submission.student)  # file names may hold bytes that are no text
    if submission.path is None:
        return Copy(student, None, "", submission.problem)
    try:
        content = read_bytes(submission.path)
    except UnreadableNotebook as error:
        return Copy(student, None, "", f"The notebook cannot be read: {error}.")
    return Copy(student, content, hashlib.sha256(content).hexdigest())


def chapters_handed_in(folder: Path, known: Collection[str]) -> list[str]:
    """The chapters of which there are submissions, as far as names and cells say: ``["01", "03"]``.

    A file in a student's folder says it by the two digits that its name begins with. A file that stands for
    its student says it by the ids of its cells, since its name is the student's.

    Args:
        known: the chapters that have exercises.
    """
    found: set[str] = set()
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            found |= {path.name[:2] for path in entry.iterdir() if _is_notebook(path)}
        elif _is_notebook(entry):
            found |= _chapters_of_cells(entry)
    return sorted(found & set(known))


def _chapters_of_cells(path: Path) -> set[str]:
    """The chapters whose answer cells a notebook has: ``03-sliced-answer`` is one of chapter 03."""
    try:
        cells = read_notebook(path).cells
    except UnreadableNotebook:
        return set()
    return {match[1] for cell in cells if (match := _ANSWER_CELL.match(cell.id))}


def find_submissions(folder: Path, chapter: str) -> list[Submission]:
    """The submissions of one chapter, sorted by student.

    A student who appears twice becomes one submission with a problem: the grader does not choose.

    Raises:
        NoSubmissions: not a folder, or nothing in it.
    """
    if not folder.is_dir():
        raise NoSubmissions(f"{folder} is not a folder; give the one that holds the submitted notebooks")
    found: dict[str, list[Submission]] = {}
    for entry in sorted(folder.iterdir()):
        submission = _submission(entry, chapter)
        if submission is not None:
            found.setdefault(submission.student, []).append(submission)
    if not found:
        raise NoSubmissions(
            f"{folder} holds no notebooks; expected NAME.ipynb or NAME/{chapter}_….ipynb for each student"
        )
    return [_only(student, those) for student, those in sorted(found.items())]


def not_graded(folder: Path) -> list[str]:
    """Names of files that are no notebooks. One of them may be meant as one: ``ada.zip``, say."""
    names = [entry.name for entry in folder.iterdir() if entry.is_file() and not _is_notebook(entry)]
    return sorted(name for name in names if not name.startswith("."))


def _is_notebook(path: Path) -> bool:
    return path.suffix.casefold() == ".ipynb"


def _submission(entry: Path, chapter: str) -> Submission | None:
    """What one entry of the folder is; None for what is no submission at all."""
    if entry.name.startswith("."):
        return None  # .ipynb_checkpoints and the like
    if _is_notebook(entry) and not (entry.is_dir() and not entry.is_symlink()):
        return Submission(entry.stem, entry)
    if entry.is_symlink() or not entry.is_dir():
        return None
    notebooks = list(_notebooks(entry, chapter))
    if len(notebooks) == 1:
        return Submission(entry.name, notebooks[0])
    if not notebooks:
        return Submission(entry.name, None, f"There is no notebook {chapter}_….ipynb in the folder.")
    names = ", ".join(path.name for path in notebooks)
    return Submission(entry.name, None, f"Several notebooks of chapter {chapter}: {names}. Keep one.")


def _notebooks(folder: Path, chapter: str) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if _is_notebook(path) and path.name.startswith(f"{chapter}_"):
            yield path


def _only(student: str, submissions: list[Submission]) -> Submission:
    if len(submissions) == 1:
        return submissions[0]
    return Submission(student, None, f"Both a file and a folder are called {student}. Keep one.")
