"""Makes the exercise notebook from the solution notebook, and knows when a student has worked in one.

A solution stands between two marks and is replaced by a line that raises NotImplementedError. Nothing else
changes but outputs, which are dropped. The release carries a fingerprint of itself: a notebook that no longer
matches it has been worked in, and is never replaced without being told.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from tensorlab.grading.notebook import UnreadableNotebook, read_notebook
from tensorlab.grading.outcomes import STARTER
from tensorlab.grading.suites import UnknownExercise, exercise

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

_FILE_NAME = re.compile(r"(\d\d)_\w+\.ipynb\Z")


class ReleaseError(ValueError):
    """The solution notebook cannot be released as it is; the text says which cell and why."""


def solution_notebooks(folder: Path) -> list[Path]:
    """The solution notebooks of a folder, ``NN_name.ipynb``, in order."""
    return sorted(path for path in folder.glob("*.ipynb") if _FILE_NAME.match(path.name))


def released(solutions: Path) -> str:
    """The text of the exercise notebook that belongs to a solution notebook.

    Raises:
        ReleaseError: a mark without its partner, an answer without marks, or a notebook that cannot be read.
    """
    try:
        read_notebook(solutions)
    except UnreadableNotebook as error:
        raise ReleaseError(f"{solutions}: {error}") from None
    notebook = json.loads(solutions.read_text(encoding="utf-8"))
    release = copy.deepcopy(notebook)
    release["cells"] = [_released_cell(cell, solutions) for cell in notebook["cells"]]
    _check_no_leak(notebook, release, solutions)
    release["metadata"].setdefault("tensorlab", {})["release"] = fingerprint(release)
    return as_text(release)


def as_text(notebook: dict[str, Any]) -> str:
    """A notebook as Jupyter writes it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def fingerprint(notebook: dict[str, Any]) -> str:
    """A digest of all that a student can change: kind, id, source, outputs and run count of every cell."""
    cells = [
        [
            cell.get("cell_type"),
            cell.get("id"),
            "".join(cell.get("source", "")),
            cell.get("outputs") or [],
            cell.get("execution_count"),
        ]
        for cell in notebook.get("cells", [])
    ]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()


def was_worked_in(path: Path) -> bool:
    """Whether a notebook is anything else than an untouched release."""
    try:
        read_notebook(path)
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        recorded = notebook["metadata"]["tensorlab"]["release"]
    except (UnreadableNotebook, OSError, KeyError, TypeError):
        return True  # whatever it is, it is not something that this program wrote
    return bool(recorded != fingerprint(notebook))


def _released_cell(cell: dict[str, Any], path: Path) -> dict[str, Any]:
    cell = copy.deepcopy(cell)
    if cell["cell_type"] == "code":
        cell["outputs"], cell["execution_count"] = [], None
    about = cell.get("metadata", {}).get("tensorlab", {})
    source = "".join(cell["source"])
    where = f"{path.name}, cell {cell.get('id')}"
    if about.get("role") == "answer":
        source = _without_solution(source, about.get("exercise"), where)
    elif BEGIN in source or END in source:
        raise ReleaseError(f"{where}: a solution mark outside an answer cell")
    cell["source"] = source.splitlines(keepends=True)
    return cell


def _without_solution(source: str, exercise_id: Any, where: str) -> str:
    try:
        asked = exercise(exercise_id)
    except UnknownExercise as error:
        raise ReleaseError(f"{where}: {error}") from None
    lines: list[str] = []
    inside = False
    solutions = 0
    for line in source.splitlines():
        mark = line.strip()
        if mark == BEGIN and not inside:
            inside, solutions = True, solutions + 1
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f'{indent}raise NotImplementedError("{STARTER}{asked.name}")')
        elif mark == END and inside:
            inside = False
        elif BEGIN in line or END in line:
            raise ReleaseError(f"{where}: {mark!r} without its partner, or not alone on its line")
        elif not inside:
            lines.append(line)
    enough = solutions >= 1 if asked.is_class else solutions == 1  # of a class each method has a pair
    if inside or not enough:
        raise ReleaseError(f"{where}: an answer cell needs one {BEGIN!r} and one {END!r}")
    return "\n".join(lines)


def _check_no_leak(notebook: dict[str, Any], release: dict[str, Any], path: Path) -> None:
    """Refuse a release that repeats a line of a solution anywhere. The marks alone could be misplaced."""
    everything = {line.strip() for cell in release["cells"] for line in "".join(cell["source"]).splitlines()}
    for cell in notebook["cells"]:
        for line in solution_lines("".join(cell["source"])):
            if line in everything:
                raise ReleaseError(f"{path.name}: the solution's line {line!r} also stands outside the marks")


def solution_lines(source: str) -> list[str]:
    """The lines between the marks that say something, without their indentation."""
    lines: list[str] = []
    inside = False
    for line in map(str.strip, source.splitlines()):
        if line in (BEGIN, END):
            inside = line == BEGIN
        elif inside and len(line) > len("return x"):
            lines.append(line)
    return lines
