"""Results of a run as CSV and JSON: written whole, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import tensorlab
from tensorlab.grading.boxes import Level
from tensorlab.grading.files import AlreadyThere, fingerprint, write_whole
from tensorlab.grading.grader import Row
from tensorlab.grading.inside.values import printable

COLUMNS = (
    "student", "question", "title", "points", "max_points", "status", "feedback", "level", "sha256",
    "seconds", "topic", "misconception",
)  # fmt: skip

#: The form of ``results.json``.
SCHEMA = 2

CSV_NAME, JSON_NAME = "results.csv", "results.json"

#: A spreadsheet reads a cell that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


@dataclass(frozen=True)
class Run:
    """What is true of all rows of one run, so that a result can be explained or made again later.

    Attributes:
        version, package_sha256: of tensorlab.
        suite_sha256: of the chapter's questions and known solutions.
        secret_id: names the secret of the hidden inputs without giving it away.
        limits: see `session.Limits`.
        machine: processor, system and versions.
        started: when, in UTC.
    """

    chapter: str
    version: str
    package_sha256: str
    suite_sha256: str
    secret_id: str
    level: Level
    limits: Mapping[str, float]
    machine: Mapping[str, object]
    started: str

    @property
    def grounds(self) -> tuple[object, ...]:
        """What a row rests on besides the notebook: where this differs the question is asked again."""
        return self.suite_sha256, self.secret_id, self.level, dict(self.limits)


@dataclass(frozen=True)
class Reported:
    """A row as it stands in a report, and the number of the run that it is from; None before it is graded."""

    row: Row
    run: int | None


@dataclass(frozen=True)
class Results:
    """A chapter's rows, with the facts of the runs that they are from by number."""

    chapter: str
    runs: Mapping[int, Run]
    reported: Sequence[Reported]

    @property
    def rows(self) -> list[Row]:
        """The rows alone."""
        return [one.row for one in self.reported]


class BadResults(ValueError):
    """A text is no ``results.json`` of this version."""


def package_digest() -> str:
    """A fingerprint of the Python files of tensorlab, recorded with every run."""
    root = Path(tensorlab.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def as_json(results: Results) -> dict[str, Any]:
    """The results as plain data; of the runs, those that a row is from."""
    used = sorted({one.run for one in results.reported if one.run is not None})
    return {
        "schema": SCHEMA,
        "chapter": results.chapter,
        "runs": {str(run): asdict(results.runs[run]) for run in used},
        "rows": [{**_plain(one.row), "run": one.run} for one in results.reported],
    }


def json_text(results: Results) -> str:
    """The content of a ``results.json``."""
    return json.dumps(as_json(results), indent=1, ensure_ascii=False) + "\n"


def read_results(text: str) -> Results:
    """The results that `json_text` wrote.

    Raises:
        BadResults: the text is none of these.
    """
    try:
        plain: dict[str, Any] = json.loads(text)
        runs = {int(number): Run(**facts) for number, facts in plain["runs"].items()}
        rows = [Reported(Row(**{name: row[name] for name in COLUMNS}), row["run"]) for row in plain["rows"]]
        return Results(plain["chapter"], runs, rows)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadResults(f"no results.json of this version of tensorlab ({error!r}); grade again") from error


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV with a header. Text that a spreadsheet would run as a formula gets a leading ``'``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([cell(getattr(row, column)) for column in COLUMNS])
    return text.getvalue()


class Target:
    """The folder of the results, looked at before any time is spent on grading.

    While notebooks are graded their code may do to the folder what this user may do. So no link is followed
    afterwards, and a file that stands in the folder is replaced only where `ours` knows it.

    Args:
        folder: made when it is not there.
        ours: whether a file of this path and SHA-256 may be replaced.

    Raises:
        AlreadyThere: results of somebody else are there.
        OSError: the folder cannot be made or written.
    """

    def __init__(self, folder: Path, ours: Callable[[Path, str], bool]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder.resolve()
        self._ours = ours
        for name in (CSV_NAME, JSON_NAME):
            self._check(self._folder / name)
        probe = self._folder / f".{CSV_NAME}.probe.tmp"
        write_whole(probe, "", replace=True)
        probe.unlink()

    def write(self, name: str, text: str, note: Callable[[Path, str], None]) -> Path:
        """Write one file, and call `note` with its path and SHA-256 before that.

        Raises:
            AlreadyThere: somebody else's file, or a link, stands there now.
            OSError: it cannot be written.
        """
        path = self._folder / name
        if self._folder.resolve() != self._folder:  # it, or a folder that it lies in, has become a link
            raise AlreadyThere(str(self._folder))
        self._folder.mkdir(parents=True, exist_ok=True)
        self._check(path)
        note(path, hashlib.sha256(text.encode()).hexdigest())
        write_whole(path, text, replace=True)
        return path

    def _check(self, path: Path) -> None:
        found = fingerprint(path)
        if found is not None and not self._ours(path, found):
            raise AlreadyThere(str(path))


def _plain(row: Row) -> dict[str, Any]:
    return {column: _readable(getattr(row, column)) for column in COLUMNS}


def cell(value: Any) -> Any:
    """A value as a spreadsheet may hold it: text that would run as a formula gets a leading ``'``."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + _readable(value)
    return _readable(value)


def _readable(value: Any) -> Any:
    """File names may hold control characters, and bytes that are no text: they are written as escapes."""
    return printable(value) if isinstance(value, str) else value
