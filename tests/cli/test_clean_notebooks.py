"""Notebooks are committed without outputs, with ids, in Jupyter's own layout."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("clean_notebooks", ROOT / ".ci" / "clean_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


clean_notebooks = load()


def code(source: str, *outputs: dict[str, Any], **more: Any) -> dict[str, Any]:
    cell = {
        "cell_type": "code",
        "source": source,
        "outputs": list(outputs),
        "execution_count": 7,
        "metadata": {},
    }
    return {**cell, **more}


def notebook(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 2}


STREAM = {"output_type": "stream", "name": "stdout", "text": "5\n"}
RESULT = {
    "output_type": "execute_result",
    "execution_count": 7,
    "metadata": {"x": 1},
    "data": {"text/plain": "5", "image/png": "AAAA"},
}


def test_the_projects_notebooks_are_clean(capsys):
    assert clean_notebooks.main(["--check"]) == 0, capsys.readouterr().out


def test_outputs_and_counts_go():
    cell = clean_notebooks.cleaned(notebook(code("x", STREAM, RESULT)))["cells"][0]
    assert cell["outputs"] == []
    assert cell["execution_count"] is None


def test_a_checked_cell_keeps_its_text():
    cell = clean_notebooks.cleaned(notebook(code("# NBVAL_CHECK_OUTPUT\nx", STREAM, RESULT)))["cells"][0]
    assert [output["output_type"] for output in cell["outputs"]] == ["stream", "execute_result"]
    assert cell["outputs"][0]["text"] == ["5\n"]
    assert cell["outputs"][1]["data"] == {"text/plain": ["5"]}
    assert cell["outputs"][1]["execution_count"] is None


def test_metadata_that_nothing_reads_goes():
    graded = {"grade": True, "grade_id": "a"}
    cell = code(
        "x", id="one", metadata={"nbgrader": graded, "tags": ["t"], "scrolled": True, "ExecuteTime": {}}
    )
    clean = clean_notebooks.cleaned(notebook(cell, widgets={}, vscode=1, tensorlab={"chapter": 1}))
    assert clean["cells"][0]["metadata"] == {"nbgrader": graded, "tags": ["t"]}
    assert set(clean["metadata"]) == {"kernelspec", "language_info", "tensorlab"}


def test_ids_stay_and_missing_or_repeated_ones_are_made_the_same_way_every_time():
    cells = [code("a", id="keep"), code("b", id="keep"), code("c"), code("c")]
    first = [cell["id"] for cell in clean_notebooks.cleaned(notebook(*cells))["cells"]]
    assert first[0] == "keep"
    assert len(set(first)) == 4
    assert first == [cell["id"] for cell in clean_notebooks.cleaned(notebook(*cells))["cells"]]


def test_the_layout_is_jupyters():
    cells = [
        code("# NBVAL_CHECK_OUTPUT\nπ\ny", RESULT, id="b"),
        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "×"},
    ]
    clean = clean_notebooks.cleaned(notebook(*cells))
    text = clean_notebooks.as_text(clean)
    again = nbformat.reads(text, as_version=4)
    nbformat.validate(again)
    assert nbformat.writes(again) + "\n" == text
    assert clean_notebooks.as_text(clean_notebooks.cleaned(json.loads(text))) == text


def test_cleans_in_place_and_says_so(tmp_path, capsys):
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook(code("x", STREAM))))
    assert clean_notebooks.main(["--check", str(path)]) == 1
    assert "5\\n" in path.read_text()
    assert clean_notebooks.main([str(path)]) == 1
    assert clean_notebooks.main([str(path)]) == 0
    assert "cleaned" in capsys.readouterr().out
    assert [file.name for file in tmp_path.iterdir()] == ["a.ipynb"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": [{}]}'])
def test_what_is_no_notebook_is_named_and_left_alone(tmp_path, capsys, text):
    path = tmp_path / "a.ipynb"
    path.write_text(text)
    assert clean_notebooks.main([str(path)]) == 1
    assert f"{path} is not a notebook" in capsys.readouterr().err
    assert path.read_text() == text
