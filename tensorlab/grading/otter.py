"""A solution notebook as Otter-Grader wants it: raw cells around questions, other marks, tests by topic.

nbgrader needs no copy: `solutions/` carries its metadata. Otter reads neither nbgrader's metadata nor its
marks, and would hand the solution out with ``### BEGIN SOLUTION`` in it. The tests ask `tensorlab.check`, so
there is one list of questions for all.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tensorlab.grading.release import BEGIN, END, as_text
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import exercise

OTTER_BEGIN, OTTER_END = "# BEGIN SOLUTION", "# END SOLUTION"

_CONFIG = """# ASSIGNMENT CONFIG
name: {name}
init_cell: true
export_cell: false
check_all_cell: false
generate:
  show_stdout: false"""


def otter_copy(solutions: Path) -> str:
    """The text of the notebook that ``otter assign`` takes.

    Args:
        solutions: a notebook that `tensorlab.grading.release.released` accepts.
    """
    notebook = json.loads(solutions.read_text(encoding="utf-8"))
    cells = [_raw(_CONFIG.format(name=solutions.stem), "otter-config")]
    asked: Exercise | None = None
    for cell in notebook["cells"]:
        about = cell.get("metadata", {}).get("tensorlab", {})
        now = exercise(about["exercise"]) if "exercise" in about else None
        if now is not asked:
            cells += _closed(asked) + _opened(now)
            asked = now
        if about.get("role") == "answer":
            cells += _answer(cell)
        elif about.get("role") != "check":  # Otter writes a check cell of its own
            cells.append(_plain(cell))
    cells += _closed(asked)
    return as_text({**notebook, "cells": cells})


def _opened(asked: Exercise | None) -> list[dict[str, Any]]:
    if asked is None:
        return []
    name = _name(asked)
    return [_raw(f"# BEGIN QUESTION\nname: {name}\npoints: {asked.points}", f"{name}-begin")]


def _closed(asked: Exercise | None) -> list[dict[str, Any]]:
    """The tests of a question, which stand at its end."""
    if asked is None:
        return []
    name = _name(asked)
    tests = [_test(asked, number) for number in range(len(asked.topics))]
    return [
        _raw("# BEGIN TESTS", f"{name}-tests"),
        *tests,
        _raw("# END TESTS", f"{name}-tests-end"),
        _raw("# END QUESTION", f"{name}-end"),
    ]


def _test(asked: Exercise, number: int) -> dict[str, Any]:
    """One topic. Points count only when the first topic holds, as everywhere."""
    topic = asked.topics[number]
    source = (
        f'""" # BEGIN TEST CONFIG\npoints: {topic.points}\nhidden: false\n""" # END TEST CONFIG\n'
        f"import tensorlab\n"
        f'card = tensorlab.check("{asked.id}")\n'
        f"assert card.points > 0 and card.items[{number}][0], card"
    )
    return _code(source, f"{_name(asked)}-test-{number + 1}")


def _answer(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """The answer cell with Otter's marks, which it obeys only between two raw cells that say the same."""
    source = "".join(cell["source"]).replace(BEGIN, OTTER_BEGIN).replace(END, OTTER_END)
    return [
        _raw(OTTER_BEGIN, f"{cell['id']}-begin"),
        _code(source, cell["id"]),
        _raw(OTTER_END, f"{cell['id']}-end"),
    ]


def _plain(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell as it is, without nbgrader's metadata."""
    kept = {name: value for name, value in cell.items() if name != "metadata"}
    return {**kept, "metadata": {}}


def _name(asked: Exercise) -> str:
    return re.sub(r"\W", "_", asked.id)


def _code(source: str, cell_id: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def _raw(source: str, cell_id: str) -> dict[str, Any]:
    return {"cell_type": "raw", "id": cell_id, "metadata": {}, "source": source.splitlines(keepends=True)}
