"""The book's sources: every page is listed, notebooks are committed clean, words are in the glossary."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .conftest import ROOT, listed_files

NOTEBOOKS = sorted(
    path
    for folder in ("book", "exercises", "solutions")
    for path in (ROOT / folder).rglob("*.ipynb")
    if ".ipynb_checkpoints" not in path.parts
)
FOLDERS = [ROOT / "book", ROOT / "book" / "chapters", ROOT / "book" / "reference"]
PAGES = [path for folder in FOLDERS for path in sorted(folder.iterdir())]
SOURCES = [path for path in PAGES if path.suffix in (".md", ".rst", ".ipynb")]


LEFT_BY_EDITORS = {"execution", "collapsed", "ExecuteTime", "scrolled"}


def source_of(page: str) -> Path | None:
    found = [ROOT / f"{page}{suffix}" for suffix in (".md", ".rst", ".ipynb")]
    return next((path for path in found if path.is_file()), None)


def prose(path: Path) -> str:
    """Return a page's text; of a notebook, what stands in its markdown cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@pytest.mark.parametrize("page", listed_files())
def test_every_listed_page_exists(page: str) -> None:
    assert source_of(page), f"_toc.yml lists {page}, but there is no such .md, .rst or .ipynb file"


def test_every_page_is_listed() -> None:
    written = {path.relative_to(ROOT).with_suffix("").as_posix() for path in SOURCES}
    assert written <= set(listed_files())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
class TestNotebook:
    """A notebook as it is committed."""

    def test_has_no_outputs(self, path: Path) -> None:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert cell["execution_count"] is None, cell["id"]
                kept = "NBVAL_CHECK_OUTPUT" in "".join(cell["source"])
                assert kept or cell["outputs"] == [], cell["id"]

    def test_has_telling_cell_ids(self, path: Path) -> None:
        """A person chose them, so they stay when the notebook is written anew; random ones are hex digits."""
        ids = [cell["id"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        assert len(set(ids)) == len(ids)
        assert not [name for name in ids if re.fullmatch(r"[0-9a-f]{8}([0-9a-f-]{28})?", name)]

    def test_has_minimal_metadata(self, path: Path) -> None:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        assert set(notebook["metadata"]) <= {"kernelspec", "language_info", "tensorlab", "celltoolbar"}
        assert notebook["metadata"]["kernelspec"]["name"] == "python3"
        for cell in notebook["cells"]:
            assert not LEFT_BY_EDITORS & set(cell["metadata"]), cell["id"]


GLOSSARY = re.findall(r"^(\w[\w -]*)$", prose(ROOT / "book" / "glossary.md").split("{glossary}")[1], re.M)


def test_the_glossary_is_found() -> None:
    assert {"tensor", "stride", "position"} <= set(GLOSSARY)


@pytest.mark.parametrize("word", GLOSSARY)
def test_every_word_of_the_glossary_is_used(word: str) -> None:
    """By a page that refers to it, or by another entry that builds on it."""
    reference = re.compile(rf"{{term}}`(?:{word}|[^`]*<{word}>)`", re.IGNORECASE)
    assert any(reference.search(prose(path)) for path in SOURCES)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_page_names_a_place_outside(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/", text)
