"""What every chapter keeps: short cells, terms named once, predictions that their cells wait for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.notebooks import cells_of, source_of

from .conftest import ROOT

CHAPTERS = sorted((ROOT / "book" / "chapters").glob("*.ipynb"))
MOST_LINES = 12
WORDS = range(2500, 4501)
WIDEST_LINE = 76  # what the page shows without a scroll bar

pytestmark = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def tags(cell: dict) -> list[str]:
    return cell["metadata"].get("tags", [])


def prose(path: Path) -> str:
    return "\n\n".join(source_of(cell) for cell in cells_of(path) if cell["cell_type"] == "markdown")


def shown_code(path: Path) -> list[dict]:
    hidden = {"remove-input", "remove-cell"}
    return [cell for cell in cells_of(path) if cell["cell_type"] == "code" and not hidden & set(tags(cell))]


def test_cells_are_short_and_narrow(path: Path) -> None:
    for cell in shown_code(path):
        lines = [line for line in source_of(cell).splitlines() if line.strip()]
        assert len(lines) <= MOST_LINES or "hide-cell" in tags(cell), cell["id"]
        assert max(map(len, lines)) <= WIDEST_LINE, cell["id"]


def test_length(path: Path) -> None:
    words = re.findall(r"[A-Za-z][A-Za-z'’-]*", re.sub(r"`[^`]*`", "code", prose(path)))
    assert len(words) in WORDS


def test_each_term_is_named_once_and_at_most_three_in_a_section(path: Path) -> None:
    named = []
    for section in re.split(r"^#{2,} ", prose(path), flags=re.MULTILINE):
        terms = re.findall(r"\*\*\{term\}`([^`<]+?)(?: <[^>]+>)?`\*\*", section)
        assert len(terms) <= 3, section.splitlines()[0]
        named += terms
    assert len(named) == len(set(named))
    assert len(named) >= 1


def test_what_waits_for_a_prediction_has_one_before_it(path: Path) -> None:
    asked: set[str] = set()
    waited: set[str] = set()
    for cell in cells_of(path):
        asked |= set(
            re.findall(r'^(?:Predict|Recall|Parsons)\(\n?\s*"([^"]+)"', source_of(cell), re.MULTILINE)
        )
        waits = {tag.removeprefix("after-") for tag in tags(cell) if tag.startswith("after-")}
        assert waits <= asked, cell["id"]
        waited |= waits
    predictions = set(re.findall(r'Predict\(\n?\s*"([^"]+)"', "\n".join(map(source_of, cells_of(path)))))
    assert predictions <= waited
    assert predictions


@pytest.mark.parametrize("word", ["simply", "just", "of course", "powerful", "magic", "!"])
def test_the_voice(path: Path, word: str) -> None:
    text = re.sub(r"```.*?```|`[^`]*`|!=", " ", prose(path), flags=re.DOTALL)
    assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE), word


def test_a_question_is_written_without_asterisks(path: Path) -> None:
    """Only backticks mean something in the text of a question."""
    for cell in cells_of(path):
        source = source_of(cell)
        if re.search(r"^(?:Predict|Recall|Parsons)\(", source, re.MULTILINE):
            words = re.sub(r"`[^`]*`", " ", source)
            assert not re.search(r"(?<![\w*(])\*['\"]?[A-Za-z][^*,()\n]*\*(?!\w)", words), cell["id"]
