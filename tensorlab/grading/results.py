"""Results of a run as CSV and JSON: written whole, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensorlab.grading.boxes import Level
from tensorlab.grading.files import AlreadyThere, write_whole
from tensorlab.grading.grader import Row
from tensorlab.grading.inside.values import printable

COLUMNS = (
    "student", "question", "title", "points", "max_points", "status", "feedback", "level", "sha256",
    "seconds", "topic", "misconception",
)  # fmt: skip

CSV_NAME, JSON_NAME = "results.csv", "results.json"

#: A spreadsheet reads a cell that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


@dataclass(frozen=True)
class Run:
    """What is true of all rows of one run, so that a result can be explained or made again later."""

    chapter: str
    version: str
    suite_sha256: str
    secret_id: str
    level: Level
    limits: Mapping[str, float]


def as_json(run: Run, rows: Sequence[Row]) -> dict[str, Any]:
    """The run and its rows as plain data."""
    about = {name: getattr(run, name) for name in Run.__dataclass_fields__}
    return {"schema": 1, **about, "limits": dict(run.limits), "rows": [_plain(row) for row in rows]}


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV with a header. Text that a spreadsheet would run as a formula gets a leading ``'``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([cell(getattr(row, column)) for column in COLUMNS])
    return text.getvalue()


def targets(folder: Path, *, replace: bool) -> tuple[Path, Path]:
    """Where the results go, checked before any time is spent on grading.

    Raises:
        AlreadyThere: results are there and may not be replaced.
        OSError: the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / CSV_NAME, folder / JSON_NAME
    for path in paths:
        if path.exists() and not replace:
            raise AlreadyThere(str(path))
    probe = folder / f".{CSV_NAME}.probe.tmp"
    write_whole(probe, "", replace=True)
    probe.unlink()
    return paths


def write_results(folder: Path, run: Run, rows: Sequence[Row], *, replace: bool) -> tuple[Path, Path]:
    """Write ``results.csv`` and ``results.json`` into `folder`. Returns their paths.

    Raises:
        AlreadyThere, OSError: see `targets`.
    """
    csv_path, json_path = targets(folder, replace=replace)
    write_whole(
        json_path, json.dumps(as_json(run, rows), indent=1, ensure_ascii=False) + "\n", replace=replace
    )
    write_whole(csv_path, as_csv(rows), replace=replace)
    return csv_path, json_path


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
