"""A rehearsal leaves kernels behind and nothing else, whatever a page does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tensorlab.backends.cache import contents
from tensorlab.cli.support import rehearsal

Page = Callable[..., Path]


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of kernels, in this process and in those of the rehearsal."""
    folder = tmp_path / "cache" / "kernels"
    folder.mkdir(parents=True)
    monkeypatch.setenv("TENSORLAB_CACHE_DIR", str(folder.parent))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(rehearsal, "cache_directory", lambda: folder)
    return folder


@pytest.fixture
def page(tmp_path: Path) -> Page:
    """Write a page: ``page("01", "print(1)", "print(2)", rehearsal={…})``; the last is of the first cell."""

    def page(number: str, *sources: str, rehearsal: object = None) -> Path:
        folder = tmp_path / "book" / "chapters"
        folder.mkdir(parents=True, exist_ok=True)
        cells = [{"cell_type": "code", "metadata": {}, "source": [source]} for source in sources]
        if rehearsal is not None:
            cells[0]["metadata"] = {"tensorlab": {"rehearsal": rehearsal}}
        text = {"cell_type": "markdown", "metadata": {}, "source": ["# Not code"]}
        path = folder / f"{number}_page.ipynb"
        path.write_text(json.dumps({"cells": [text, *cells]}), encoding="utf-8")
        return path

    return page


def test_kernels_stay_and_it_is_held_once(tmp_path: Path, kernels: Path, page: Page) -> None:
    note = "open('note', 'a').write('x')"
    page("01", note, "import tensorlab as tl; tl.arange(4) + tl.arange(4)")
    page("02", "1 / 0", "%time x = 1", note.replace("note", "two"))
    said: list[str] = []
    rehearsal.rehearse(tmp_path, said.append)
    assert contents(kernels).kernels > 0
    assert said == [f"compiling what the pages need: {n} of 2 pages" for n in (1, 2)]
    folder = tmp_path / "book" / "chapters"
    assert (folder / "two").read_text() == "x", "the cells after one that raises run too"
    rehearsal.rehearse(tmp_path, said.append)
    assert (folder / "note").read_text() == "x"
    assert len(said) == 2


def test_a_page_that_measures_is_told_to_be_quick(tmp_path: Path, kernels: Path, page: Page) -> None:
    page(
        "01",
        "seconds, turns = 60, 9",
        "open('note', 'w').write(f'{seconds} {turns}')",
        rehearsal={"seconds": 0.5},
    )
    rehearsal.rehearse(tmp_path, lambda text: None)
    assert (tmp_path / "book" / "chapters" / "note").read_text() == "0.5 9"


def test_a_page_that_does_not_end_is_ended(
    tmp_path: Path, kernels: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rehearsal, "LONGEST", 0.5)
    page("01", "import time", "while True: time.sleep(1)")
    rehearsal.rehearse(tmp_path, lambda text: None)
    assert not (kernels / rehearsal.MARK).exists(), "it was not held to its end"


def test_no_process_is_left_when_it_is_interrupted(
    tmp_path: Path, kernels: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    start = rehearsal._start
    monkeypatch.setattr(rehearsal, "_start", lambda page: started.append(start(page)) or started[-1])

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rehearsal.time, "sleep", interrupt)
    page("01", "while True: pass")
    with pytest.raises(KeyboardInterrupt):
        rehearsal.rehearse(tmp_path, lambda text: None)
    assert [process.poll() is not None for process in started] == [True]


def test_a_project_without_such_pages_has_none(tmp_path: Path, kernels: Path) -> None:
    rehearsal.rehearse(tmp_path, lambda text: pytest.fail("nothing is compiled"))
    assert list(kernels.iterdir()) == []


def test_kernels_that_would_not_be_kept_are_not_compiled(
    tmp_path: Path, kernels: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page("01", "open('note', 'w')")
    monkeypatch.setattr(
        rehearsal, "cache_directory", lambda: tmp_path
    )  # as where the wanted one is read-only
    rehearsal.rehearse(tmp_path, lambda text: pytest.fail("nothing is compiled"))
    assert not (tmp_path / "book" / "chapters" / "note").exists()
