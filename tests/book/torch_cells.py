"""Runs a chapter's own code on PyTorch: what the book says is there under the same names is run there."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

from tensorlab import figures

from .conftest import ROOT

#: What belongs to the book and not to the library: figures, labs and quizzes.
OURS = (
    "from tensorlab",
    "Predict(",
    "Recall(",
    "Parsons(",
    "Lab(",
    *(f"{name}(" for name in figures.__all__),
)


def code_cells(chapter: str) -> list[tuple[str, str]]:
    """Cell id and source of every code cell that is about tensors."""
    path = ROOT / "book" / "chapters" / f"{chapter}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [(cell["id"], "".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
    return [(name, source) for name, source in code if not any(word in source for word in OURS)]


def run_on(torch: ModuleType, chapter: str) -> tuple[dict[str, Any], int]:
    """Run the chapter's cells with PyTorch in tensorlab's place. Returns its names and how many cells ran."""
    names: dict[str, Any] = {}
    cells = code_cells(chapter)
    for name, source in cells:
        source = source.replace("import tensorlab as tl", "import torch as tl")
        exec(compile(source, name, "exec"), names)
    assert names["tl"] is torch
    return names, len(cells)
