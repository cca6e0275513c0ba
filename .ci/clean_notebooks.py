#!/usr/bin/env python3
"""Bring notebooks into the form in which they are committed.

    python .ci/clean_notebooks.py [--check] [NOTEBOOK ...]    without names: all of book, exercises, solutions

No outputs, no execution counts, only the metadata that something reads, an id for every cell, and the layout
in which Jupyter saves, so that a difference between two versions is a difference in what somebody wrote. A
cell with the line `# NBVAL_CHECK_OUTPUT` keeps its text output: the tests compare it.

`--check` changes nothing and exits with 1 when a notebook is not in that form. Needs no package.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("book", "exercises", "solutions")
CHECKED = "# NBVAL_CHECK_OUTPUT"
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
#: Whose metadata stays: the grader's and nbgrader's, the book's, and what a student may edit or delete.
KEPT_OF_NOTEBOOK = ("tensorlab", "mystnb", "jupytext")
KEPT_OF_CELL = ("tags", "tensorlab", "nbgrader", "mystnb", "editable", "deletable", "jupyter")


def cleaned(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook as it should be committed."""
    kept = {key: value for key, value in notebook.get("metadata", {}).items() if key in KEPT_OF_NOTEBOOK}
    cells = []
    taken: set[str] = set()
    for cell in notebook["cells"]:
        cells.append(cleaned_cell(cell, taken))
        taken.add(cells[-1]["id"])
    return {"cells": cells, "metadata": {**NOTEBOOK_METADATA, **kept}, "nbformat": 4, "nbformat_minor": 5}


def cleaned_cell(cell: dict[str, Any], taken: set[str]) -> dict[str, Any]:
    """Return the cell as it should be committed; `taken` are the ids of the cells before it."""
    source = "".join(cell["source"])
    clean: dict[str, Any] = {
        "cell_type": cell["cell_type"],
        "id": stable_id(cell.get("id"), source, taken),
        "metadata": {key: value for key, value in cell.get("metadata", {}).items() if key in KEPT_OF_CELL},
        "source": lines_of(source),
    }
    if cell["cell_type"] == "code":
        checked = CHECKED in source.splitlines()
        clean["execution_count"] = None
        clean["outputs"] = [text_of(output) for output in cell["outputs"] if checked and has_text(output)]
    elif "attachments" in cell:
        clean["attachments"] = cell["attachments"]
    return clean


def stable_id(given: str | None, source: str, taken: set[str]) -> str:
    """Return the cell's own id, or one made from its text when that is missing or taken."""
    if given and given not in taken:
        return given
    copies = 0
    while (made := hashlib.sha256(f"{copies} {source}".encode()).hexdigest()[:8]) in taken:
        copies += 1
    return made


def has_text(output: dict[str, Any]) -> bool:
    """Tell whether an output is one that the tests compare."""
    return output["output_type"] == "stream" or "text/plain" in output.get("data", {})


def text_of(output: dict[str, Any]) -> dict[str, Any]:
    """Return the text part of an output."""
    if output["output_type"] == "stream":
        return {"name": output["name"], "output_type": "stream", "text": lines_of(output["text"])}
    kept = {"text/plain": lines_of(output["data"]["text/plain"])}
    clean: dict[str, Any] = {"data": kept, "metadata": {}, "output_type": output["output_type"]}
    if output["output_type"] == "execute_result":
        clean["execution_count"] = None
    return clean


def lines_of(text: str | list[str]) -> list[str]:
    """Return a text as the list of lines that Jupyter saves."""
    return "".join(text).splitlines(keepends=True)


def as_text(notebook: dict[str, Any]) -> str:
    """Return the file's text, laid out as Jupyter saves it."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def replace(path: Path, text: str) -> None:
    """Write the file in one step: whoever reads it meanwhile sees the old one or the new one."""
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, delete=False, encoding="utf-8", newline="\n"
    ) as file:
        file.write(text)
    Path(file.name).chmod(path.stat().st_mode)
    Path(file.name).replace(path)


def all_notebooks() -> list[Path]:
    """Return the project's notebooks."""
    found = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.ipynb")))
    return [path for path in found if ".ipynb_checkpoints" not in path.parts]


def main(arguments: list[str]) -> int:
    """Clean or check; return 1 when something was or is to be changed, as pre-commit expects."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("notebooks", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    changed = 0
    for path in options.notebooks or all_notebooks():
        try:
            text = path.read_text(encoding="utf-8")
            clean = as_text(cleaned(json.loads(text)))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            print(f"{path} is not a notebook that can be read: {error!r}", file=sys.stderr)
            changed = 1
            continue
        if clean == text:
            continue
        changed = 1
        if options.check:
            print(f"{path} is not clean; run: python .ci/clean_notebooks.py {path}")
        else:
            replace(path, clean)
            print(f"cleaned {path}")
    return changed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
