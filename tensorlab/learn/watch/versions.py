"""What the answers were before: the last one, and the best one, of each exercise."""

from __future__ import annotations

import difflib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tensorlab.grading.files import write_whole
from tensorlab.learn import progress

FILE_NAME = "answers.json"


@dataclass
class Version:
    """The answers to one exercise.

    Attributes:
        now, before: the last two that differ.
        best: the latest of those with the most points, and those points; -1 when there was none.
    """

    now: str = ""
    before: str = ""
    best: str = ""
    points: int = -1

    def take(self, source: str, points: int) -> bool:
        """Note an answer. Returns whether it is another one than before."""
        if source == self.now and points <= self.points:
            return False
        is_new = source != self.now
        if is_new:
            self.before, self.now = self.now, source
        if points >= self.points:
            self.best, self.points = source, points
        return is_new

    def difference(self) -> tuple[str, list[str]]:
        """What changed since the best answer, or, if this is the best, since the one before.

        Returns:
            what it is compared with, and the lines of a unified diff; none when there is nothing to compare.
        """
        if self.best and self.best != self.now:
            return f"your version with {self.points} points", _diff(self.best, self.now)
        return "the save before", _diff(self.before, self.now) if self.before else []


class Versions:
    """The versions of all exercises, kept in a file beside the progress."""

    def __init__(self) -> None:
        self._versions = _load(progress.folder() / FILE_NAME)

    def of(self, exercise_id: str) -> Version:
        """Those of one exercise."""
        return self._versions.setdefault(exercise_id, Version())

    def save(self) -> None:
        """Write them down.

        Raises:
            NotSaved: the folder cannot be written.
        """
        content = {name: asdict(version) for name, version in sorted(self._versions.items())}
        path = progress.folder() / FILE_NAME
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps({"version": 1, "answers": content}, indent=1) + "\n", replace=True)
        except OSError as error:
            raise progress.NotSaved(f"{path.parent} cannot be written ({error.strerror})") from error


def _load(path: Path) -> dict[str, Version]:
    """What was kept; nothing where there is nothing readable, since only differences are made from it."""
    try:
        answers = json.loads(path.read_text(encoding="utf-8"))["answers"]
        return {name: _version(fields) for name, fields in answers.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _version(fields: dict[str, Any]) -> Version:
    if any(type(fields[name]) is not type(value) for name, value in asdict(Version()).items()):
        raise TypeError("a field of the wrong type")
    return Version(**fields)


def _diff(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3)
    return [line for line in lines if not line.startswith(("---", "+++"))]
