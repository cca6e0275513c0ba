"""The report of ``tensorlab test --gpu``: objects of JSON, one a line, each on the disk when it is known.

====================  ============================================================================
a line with           is
====================  ============================================================================
``card``              the GPU, and with what it is driven: the first line
``collected``         the names of all tests that are to run
``test``              a test that has ended: ``outcome``, ``seconds``, ``text``, which says why it failed
``difference``        what a test has found, before it ends; ``of`` names the test
``sanitizer``         what a tool of compute-sanitizer has found
``is_whole``          whether all has run, and in ``not_run`` what has not: the last line
====================  ============================================================================

Several processes write to one report. If they are killed, what they have found is there, and no last line.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["OUT", "UNTIL", "append", "read", "summary"]

# Variables of the environment: the report's file, and the time at which no test is begun any more.
OUT, UNTIL = "TENSORLAB_TEST_OUT", "TENSORLAB_TEST_UNTIL"

Row = dict[str, Any]


def append(row: Row) -> None:
    """Write a line to the report, in one piece."""
    file = os.open(os.environ[OUT], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, f"{json.dumps(row)}\n".encode())
        os.fsync(file)
    finally:
        os.close(file)


def read(report: Path) -> list[Row]:
    """The lines of a report; without the last one, if whoever wrote it was killed amid it."""
    return [json.loads(line) for line in report.read_text("utf-8").split("\n")[:-1]]


def summary(rows: list[Row]) -> Row:
    """How many tests passed and were skipped, which failed, and the names of those that did not run."""
    ended: dict[str, str] = {}
    for row in rows:
        if "test" in row and ended.get(row["test"]) != "failed":
            ended[row["test"]] = row["outcome"]
    outcomes = list(ended.values())
    collected = next((row["collected"] for row in rows if "collected" in row), None)
    return {
        "passed": outcomes.count("passed"),
        "skipped": outcomes.count("skipped"),
        "failed": [name for name, outcome in ended.items() if outcome == "failed"],
        "not_run": None if collected is None else [name for name in collected if name not in ended],
    }
