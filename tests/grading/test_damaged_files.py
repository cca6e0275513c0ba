"""Damaged and odd files: a row for every question, one sentence that helps, and the run goes on."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from tensorlab.grading.grader import Grader, ProcessBox
from tensorlab.grading.notebook import MAX_CELLS, MAX_FILE, UnreadableNotebook, parse_notebook, read_notebook
from tensorlab.grading.suites import exercises


def whole_notebook() -> bytes:
    cell = {"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": []}
    return json.dumps({"cells": [cell], "nbformat": 4}).encode()


DAMAGED = {
    "empty": (b"", "empty"),
    "spaces": (b" \n\n ", "empty"),
    "cut off": (whole_notebook()[:-9], "not JSON"),
    "no JSON": (b"print('hello')", "not JSON"),
    "zip": (b"PK\x03\x04\xff\xfe\x80", "not JSON"),
    "nested": (b"[" * 200_000 + b"]" * 200_000, "nested deeper"),
    "nested in cells": (b'{"cells":' + b'{"a":' * 5000 + b"1" + b"}" * 5001, "nested deeper"),
    "many parts": (b"[" + b"[]," * 600_000 + b"[]]", "more parts"),
    "list": (b"[1, 2]", "no list of cells"),
    "number": (b"7", "no list of cells"),
    "null": (b"null", "no list of cells"),
    "cells is text": (b'{"cells": "many"}', "no list of cells"),
    "old notebook": (b'{"worksheets": 7, "nbformat": 3}', "no list of cells"),
    "cell is a number": (b'{"cells": [7]}', "cell 1"),
    "source is a number": (b'{"cells": [{"cell_type": "code", "source": 7}]}', "cell 1"),
    "source is mixed": (b'{"cells": [{"cell_type": "code", "source": ["a", 7]}]}', "cell 1"),
    "too many cells": (json.dumps({"cells": [{}] * (MAX_CELLS + 1)}).encode(), "the limit is"),
    "huge cell": (json.dumps({"cells": [{"source": "x" * 600_000}]}).encode(), "characters"),
    "huge number": (b'{"cells": ' + b"9" * 100_000 + b"}", "not JSON"),
    "open string": (b'{"cells": "' + b"\\\\a" * 50_000, "not JSON"),
    "quotes without end": (b'{"cells": ' + b'\\"' * 500_000, "not JSON"),
    "escaped quotes without end": (b'"' + b'\\"' * 500_000, "not JSON"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_becomes_one_sentence(name, tmp_path):
    content, says = DAMAGED[name]
    path = tmp_path / "ada.ipynb"
    path.write_bytes(content)
    with pytest.raises(UnreadableNotebook, match=says) as caught:
        read_notebook(path)
    assert "\n" not in str(caught.value)


OLD = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = ", "'\u00e9'"]}]}], "nbformat": 3}
SPOKEN = {"cells": [{"cell_type": "code", "source": "x = '\u00e9'"}], "nbformat": 4}


@pytest.mark.parametrize("content", [OLD, SPOKEN], ids=["nbformat 3", "nbformat 4"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_old_formats_and_encodings_are_read(content, encoding):
    notebook = parse_notebook(json.dumps(content, ensure_ascii=False).encode(encoding))
    assert [cell.source for cell in notebook.code] == ["x = '\u00e9'"]


def test_a_damaged_file_gets_a_row_for_every_question():
    raw = b"\x00" * 100
    rows = list(Grader(exercises("01")).rows(raw, "ada"))
    assert [row.question for row in rows] == [exercise.id for exercise in exercises("01")]
    sha256 = hashlib.sha256(raw).hexdigest()
    assert {(row.points, row.status, row.sha256) for row in rows} == {(0, "unreadable", sha256)}


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "ada.ipynb"
    with path.open("wb") as file:
        file.truncate(MAX_FILE + 1)  # sparse: it takes no room
    with pytest.raises(UnreadableNotebook, match="bytes and the limit"):
        read_notebook(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableNotebook, match="cannot be opened"):
        read_notebook(tmp_path / "nobody.ipynb")


def test_a_folder_with_the_name_of_a_notebook(tmp_path):
    (tmp_path / "ada.ipynb").mkdir()
    with pytest.raises(UnreadableNotebook, match=r"cannot be opened|not a regular file"):
        read_notebook(tmp_path / "ada.ipynb")


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "real.ipynb").write_bytes(whole_notebook())
    try:
        (tmp_path / "ada.ipynb").symlink_to(tmp_path / "real.ipynb")
    except OSError:
        pytest.skip("this system does not let this user make links")
    with pytest.raises(UnreadableNotebook, match="link"):
        read_notebook(tmp_path / "ada.ipynb")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_does_not_stop_the_run(tmp_path):
    os.mkfifo(tmp_path / "ada.ipynb")
    with pytest.raises(UnreadableNotebook, match="not a regular file"):
        read_notebook(tmp_path / "ada.ipynb")


def test_what_a_notebook_says_beside_its_cells_is_ignored(tmp_path):
    path = tmp_path / "ada.ipynb"
    cells = [
        {"cell_type": "code", "source": ["a = 1\n", "b = 2"], "id": 7, "metadata": "none", "outputs": 5},
        {"cell_type": "code", "source": "half a character: \ud800"},
        {"cell_type": ["code"]},
        {},
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": [], "nbformat": "ten"}), encoding="utf-8-sig")
    notebook = read_notebook(path)
    assert [cell.source for cell in notebook.code] == ["a = 1\nb = 2", "half a character: ?"]
    assert [cell.id for cell in notebook.cells] == ["", "", "", ""]
    assert len(notebook.sha256) == 64


def test_a_mistake_of_the_grader_gives_no_score_and_stops_nothing(caplog):
    def broken_box():
        raise ZeroDivisionError

    rows = list(Grader(exercises("01"), open_box=broken_box).rows(whole_notebook(), "ada"))
    assert {(row.points, row.status) for row in rows} == {(None, "machine")}
    assert "ZeroDivisionError" in caplog.text


def test_a_box_that_does_not_start_is_the_machines_trouble(tmp_path, monkeypatch):
    attempts = []
    monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))

    def box():
        attempts.append(1)
        return ProcessBox([])

    rows = list(Grader(exercises("01"), open_box=box).rows(whole_notebook(), "ada"))
    assert {(row.points, row.status) for row in rows} == {(None, "machine")}
    assert len(attempts) == 3 * len(rows), "a failed start is tried again before it is given up"
