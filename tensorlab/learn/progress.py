"""How far a student has come, in one small JSON file on the student's own machine.

It lies in the folder ``$TENSORLAB_HOME``, or where this system keeps a program's data. Nothing is sent
anywhere, and no grade depends on it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import platformdirs

from tensorlab.grading.files import write_whole

FILE_NAME = "progress.json"


@dataclass
class Progress:
    """What is remembered of one exercise.

    Attributes:
        points: the most that a self-check has given.
        checks: self-checks made.
        hints: hints opened.
        assisted: whether the solution was opened before all points were reached.
    """

    points: int = 0
    checks: int = 0
    hints: int = 0
    assisted: bool = False


class NotSaved(Exception):
    """The file could not be read or written; the text says why, in one clause."""


# What could not be written is remembered here until the kernel ends.
_unsaved: dict[str, Progress] = {}


def folder() -> Path:
    """Where the file lies."""
    home = os.environ.get("TENSORLAB_HOME")
    return Path(home) if home else Path(platformdirs.user_data_dir("tensorlab", appauthor=False))


def load(exercise_id: str) -> Progress:
    """What is remembered of one exercise; a fresh record when there is nothing, or nothing readable."""
    if exercise_id in _unsaved:
        return _unsaved[exercise_id]
    try:
        return _records().get(exercise_id, Progress())
    except NotSaved:
        return Progress()


def save(exercise_id: str, progress: Progress) -> None:
    """Remember it.

    Raises:
        NotSaved: the file cannot be written, or holds something else. It is left as it is, and the record is
            kept until the kernel ends.
    """
    try:
        records = _records() | _unsaved | {exercise_id: progress}
        content = {
            "version": 1,
            "exercises": {name: asdict(record) for name, record in sorted(records.items())},
        }
        folder().mkdir(parents=True, exist_ok=True)
        write_whole(folder() / FILE_NAME, json.dumps(content, indent=1) + "\n", replace=True)
    except OSError as error:
        _unsaved[exercise_id] = progress
        raise NotSaved(f"{folder()} cannot be written ({error.strerror})") from error
    except NotSaved:
        _unsaved[exercise_id] = progress
        raise
    _unsaved.clear()


def _records() -> dict[str, Progress]:
    path = folder() / FILE_NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        exercises = content["exercises"]
        return {name: parsed(fields) for name, fields in exercises.items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise NotSaved(f"{path} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotSaved(f"{path} is not a progress file; move it away to start a new one") from error


def parsed(fields: dict[str, Any]) -> Progress:
    """One record; a field of the wrong type makes the whole file suspect."""
    fresh = asdict(Progress())
    known = {name: fields[name] for name in fresh if name in fields}
    if any(type(value) is not type(fresh[name]) for name, value in known.items()):
        raise ValueError("a field of the wrong type")
    return Progress(**known)
