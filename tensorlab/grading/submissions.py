"""Finds the submissions of a chapter among the files of a class: one file a student, or the reason why not.

Whose a file is, names tell: ``ada.ipynb``, ``ada/…`` at any depth, nbgrader's ``submitted/ada/…``, and what
Canvas, Moodle and Gradescope pack. These may be mixed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tensorlab.grading.handed_in import ARCHIVE, NOTEBOOK, PYTHON, File, files
from tensorlab.grading.inside.values import printable
from tensorlab.grading.notebook import UnreadableNotebook, parse_notebook
from tensorlab.grading.suites import exercises

_ANSWER_CELL = re.compile(r"(\d\d)-\w+-answer\Z")
_DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
_CHAPTER = re.compile(r"(?:\A|_)(\d\d)_")

# Moodle: a folder for each student. Canvas: all files in one, of a student, of late ones so marked.
_MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_\w+\Z")
_CANVAS = re.compile(r"([^_]+)(?:_LATE)?_(\d+)_\d+_(.+)\Z")
# Gradescope: a folder for each submission, and beside them who made it. nbgrader: one above all students.
_GRADESCOPE = "submission_metadata.yml"
_SUBMITTED = "submitted"
_ABOVE_STUDENTS = re.compile(rf"{_SUBMITTED}\Z|assignment_\d+_export\Z")
# What platforms and browsers add to the name of a file that is handed in again.
_ATTEMPT = re.compile(r"(?:-(\d+)| \((\d+)\))?\Z")


class NoSubmissions(ValueError):
    """There is nothing that could be graded; the text says what was looked for."""


@dataclass(frozen=True)
class Submission:
    """What one student handed in, or the reason why there is nothing.

    Attributes:
        file: None when `problem` says why.
    """

    student: str
    file: File | None
    problem: str = ""


@dataclass(frozen=True)
class Copy:
    """What a student handed in, as it was before any student's code ran.

    Attributes:
        content: None when there is no file that can be read; `problem` says why.
        sha256: of the content; "" when there is none.
        problem: "" beside no content says that the student handed in nothing at all (see `absent`).
    """

    student: str
    content: bytes | None
    sha256: str
    problem: str = ""


def in_one_form(name: str) -> str:
    """A name as it is compared: some systems write an accent as a letter of its own, and spaces vary.

    Example:
        >>> in_one_form("U\u0308nal  C\u0327elik ") == "\u00dcnal \u00c7elik"
        True
    """
    return " ".join(unicodedata.normalize("NFC", name).split()) or name


def take(submission: Submission) -> Copy:
    """Read what was handed in, once. No link is followed and nothing is written."""
    student = printable(submission.student)  # file names may hold bytes that are no text
    if submission.file is None:
        return Copy(student, None, "", submission.problem)
    try:
        content = submission.file.content()
    except UnreadableNotebook as error:
        return Copy(student, None, "", f"The notebook cannot be read: {error}.")
    return Copy(student, content, hashlib.sha256(content).hexdigest())


def absent(roster: Iterable[str], present: Iterable[Copy]) -> list[Copy]:
    """For each student of a roster who handed in nothing, an entry without a file and without a problem."""
    there = {copy.student for copy in present}
    return [Copy(student, None, "") for student in roster if student not in there]


def chapters_handed_in(source: Path, known: Collection[str]) -> list[str]:
    """The chapters of which there are submissions, as far as names and cells say: ``["01", "03"]``.

    Args:
        known: the chapters that have exercises.
    """
    told = {chapter_of(file) for file in _files(source) if file.suffix in (NOTEBOOK, PYTHON)}
    return [chapter for chapter in sorted(known) if chapter in told]


def find_submissions(source: Path, chapter: str) -> list[Submission]:
    """The submissions of one chapter, sorted by student.

    Of several attempts the last counts, as their names number them. Where names do not tell, the student's
    submission is a problem: the grader does not choose.

    Args:
        source: a folder, or an archive.

    Raises:
        NoSubmissions: neither, or nothing in it.
    """
    if not source.is_dir() and source.suffix.casefold() != ARCHIVE:
        raise NoSubmissions(f"{source} is not a folder or {ARCHIVE} file; give what holds the notebooks")
    handed_in = _files(source)
    found: dict[str, list[File]] = {student: [] for student in _empty_folders(source)}
    names = _names_of_gradescope(handed_in)
    made_by = [(file, owner) for file in handed_in for owner in _owners(file, names)]
    numbers: dict[str, set[str]] = {}
    for _, (name, number) in made_by:
        numbers.setdefault(name, set()).add(number)
    for file, (name, number) in made_by:
        # Two people may have one name. What their platform calls them beside it tells them apart.
        student = f"{name} ({number})" if number and len(numbers[name]) > 1 else name
        if file.suffix in (NOTEBOOK, PYTHON, ARCHIVE):
            found.setdefault(student, []).append(file)
        elif len(_below_the_class(file)) > 1:
            found.setdefault(student, [])
    if not found:
        one = f"NAME{NOTEBOOK} or NAME/{chapter}_…{NOTEBOOK}"
        raise NoSubmissions(f"{source} holds no notebooks; expected {one} for each student")
    return [_submission(student, those, chapter) for student, those in sorted(found.items())]


def not_graded(source: Path) -> list[str]:
    """Names of files beside the submissions that are no notebooks. One of them may be meant as one."""
    return sorted(
        file.name
        for file in _files(source)
        if len(_below_the_class(file)) == 1 and file.suffix not in (NOTEBOOK, PYTHON)
    )


def _files(source: Path) -> list[File]:
    """All files; where nbgrader keeps what was submitted beside the rest of a course, those."""
    found = list(files(source)) if source.exists() else []
    return [file for file in found if _is_above(file) and file.parts[0] == _SUBMITTED] or found


def _empty_folders(source: Path) -> list[str]:
    """Folders of students who put nothing in."""
    if not source.is_dir():
        return []
    folders = [entry for entry in source.iterdir() if entry.is_dir() and not entry.is_symlink()]
    names = [folder.name for folder in folders if not any(folder.iterdir()) and folder.name[0] != "."]
    return [in_one_form(name) for name in names]


def _is_above(file: File) -> bool:
    """Whether it lies in a folder that stands above all students. No archive of a student is one."""
    return len(file.parts) > 1 and file.packed != 1 and bool(_ABOVE_STUDENTS.match(file.parts[0]))


def _below_the_class(file: File) -> tuple[str, ...]:
    """The parts from the student's on."""
    return file.parts[1:] if _is_above(file) else file.parts


def _owners(file: File, names: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """Who handed a file in, and what tells them from others of their name; "" where nothing does."""
    first, *rest = _below_the_class(file)
    if moodle := _MOODLE.match(first):
        return [(in_one_form(moodle[1]), moodle[2])]
    if canvas := _CANVAS.match(first):
        return [(in_one_form(f"{canvas[1]}_{canvas[2]}"), "")]
    if rest and first in names:
        return [(in_one_form(name), first) for name in names[first]]
    return [(in_one_form(first if rest else file.stem), "")]


def _names_of_gradescope(handed_in: Iterable[File]) -> dict[str, list[str]]:
    """Who made which submission, where Gradescope's list of them says it, beside the submissions."""
    names = {}
    for file in handed_in:
        if _below_the_class(file) == (_GRADESCOPE,):
            try:
                said: Any = yaml.safe_load(file.content())
            except (UnreadableNotebook, yaml.YAMLError):
                continue
            for folder, about in said.items() if isinstance(said, dict) else ():
                people = about.get(":submitters") if isinstance(about, dict) else None
                listed = people if isinstance(people, list) else []
                told = [one[":name"] for one in listed if isinstance(one, dict) and one.get(":name")]
                names[str(folder)] = list(map(str, told)) or [str(folder)]
    return names


def _submission(student: str, handed_in: list[File], chapter: str) -> Submission:
    """The one file of a student that is of this chapter."""
    told = [(chapter_of(file), file) for file in handed_in]
    # What tells nothing may be a damaged notebook of this chapter: a file that stands for its student, or one
    # beside which no other is.
    those = [f for of, f in told if of == chapter or (of is None and len(_below_the_class(f)) == 1)]
    those = _last_attempts(those or [file for of, file in told if of is None])
    notebooks = [file for file in those if file.suffix == NOTEBOOK] or those
    if len(notebooks) == 1:
        return Submission(student, notebooks[0])
    if not notebooks:
        return Submission(student, None, f"There is no notebook {chapter}_…{NOTEBOOK} among the files.")
    listed = ", ".join("/".join(_below_the_class(file)) for file in notebooks)
    return Submission(student, None, f"Several notebooks of chapter {chapter}: {listed}. Keep one.")


def _last_attempts(those: list[File]) -> list[File]:
    """Of files that differ in the number of an attempt, the last."""
    last: dict[tuple[str, ...], tuple[int, File]] = {}
    for file in those:
        stem = file.stem
        attempt = _ATTEMPT.search(stem)
        number = int(attempt[1] or attempt[2] or 0) if attempt else 0
        canvas = _CANVAS.match(stem)
        name = (*file.parts[:-1], canvas[3] if canvas else stem, file.suffix)
        if attempt and number:
            name = (*file.parts[:-1], name[-2][: -len(attempt[0])], file.suffix)
        if name not in last or last[name][0] < number:
            last[name] = number, file
    return [file for _, file in last.values()]


def chapter_of(file: File) -> str | None:
    """The chapter that a file is of: as its name says, else its cells, else the functions in it; or None."""
    if (match := _CHAPTER.search(file.name)) and match[1] in _names():
        return match[1]
    if file.suffix == ARCHIVE:
        return None
    try:
        cells = parse_notebook(file.content()).cells
    except UnreadableNotebook:
        return None
    told = [match[1] for cell in cells if (match := _ANSWER_CELL.match(cell.id))]
    if not told:
        defined = {name for cell in cells for name in _DEFINED.findall(cell.source)}
        told = [chapter for chapter, names in _names().items() for _ in names & defined]
    return max(told, key=told.count) if told else None


def _names() -> dict[str, set[str]]:
    """The names that are asked for, by chapter."""
    names: dict[str, set[str]] = {}
    for exercise in exercises():
        names.setdefault(exercise.chapter, set()).add(exercise.name)
    return names
