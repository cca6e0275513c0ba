"""The bibliography can be read, and has what the pages cite."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.notebooks import cells_of, source_of

from .conftest import ROOT

database = pytest.importorskip("pybtex.database", reason="the book's packages are not installed")
PAGES = [*sorted((ROOT / "book").glob("*/*.ipynb")), *sorted((ROOT / "book").glob("*.ipynb"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_cites_is_there(page: Path) -> None:
    known = database.parse_file(ROOT / "book" / "bibliography.bib").entries
    text = "\n".join(source_of(cell) for cell in cells_of(page) if cell["cell_type"] == "markdown")
    cited = {key.strip() for keys in re.findall(r"\{cite\}`([^`]+)`", text) for key in keys.split(",")}
    assert cited - set(known) == set()
