"""The table of claims and wrong beliefs, line by line: each where it says, and none forgotten."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.notebooks import cells_of, source_of

from .conftest import ROOT

TABLE: dict[str, dict[int, dict[str, Any]]] = yaml.safe_load(
    (ROOT / "book" / "coverage.yml").read_text("utf-8")
)
CHAPTERS = {int(path.name[:2]): path for path in (ROOT / "book" / "chapters").glob("*.ipynb")}
ROWS = [
    pytest.param(row, id=f"{kind}-{number}") for kind, rows in TABLE.items() for number, row in rows.items()
]


@cache
def sections(path: Path) -> dict[str, list[dict]]:
    """The code cells under each heading of a chapter, with those under the headings inside it."""
    found: dict[str, list[dict]] = {}
    open_ones: list[tuple[int, str]] = []
    for cell in cells_of(path):
        if cell["cell_type"] == "code":
            for _, title in open_ones:
                found[title].append(cell)
            continue
        for marks, title in re.findall(r"^(#+) (.+)$", source_of(cell), re.MULTILINE):
            open_ones = [(level, name) for level, name in open_ones if level < len(marks)]
            open_ones.append((len(marks), title))
            found.setdefault(title, [])
    return found


def test_no_claim_and_no_belief_is_forgotten() -> None:
    assert set(TABLE) == {"claims", "misconceptions"}
    assert list(TABLE["claims"]) == list(range(1, 66))
    assert list(TABLE["misconceptions"]) == list(range(1, 76))
    says = [row["says"] for rows in TABLE.values() for row in rows.values()]
    assert len(says) == len(set(says))


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_where_it_says(row: dict[str, Any]) -> None:
    path = CHAPTERS.get(row["chapter"])
    if path is None:
        assert set(row) == {"says", "chapter"}, "the chapter is not written yet"
        return
    assert set(row) - {"question"} == {"says", "chapter", "section", "assertion"}
    here = sections(path).get(row["section"])
    assert here is not None, f"{path.name} has no section {row['section']!r}"
    asserted = {cell["id"] for cell in here if re.search(r"^\s*assert ", source_of(cell), re.MULTILINE)}
    assert row["assertion"] in asserted, f"not among {sorted(asserted)}"
    if "question" in row:
        asked = "\n".join(source_of(cell) for cell in cells_of(path) if cell["cell_type"] == "code")
        assert f'"{row["question"]}"' in asked
