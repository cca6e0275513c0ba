"""Runs a chapter's code on PyTorch, cell by cell, with `import torch as tl` in place of tensorlab."""

from __future__ import annotations

import json
import re
from types import ModuleType

from tensorlab import figures, widgets

from .conftest import ROOT

#: Cells with one of these are about the book's figures and widgets, or about the library's own parts.
OURS = re.compile(
    r"from tensorlab|tl\.figures\.|(?<![\w.])(?:"
    + "|".join(name for name in (*figures.__all__, *widgets.__all__) if name not in ("Line", "Question"))
    + r")\("
)


def code_cells(chapter: str, ours: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Id and source of the cells that run on either library.

    Args:
        chapter: the name of its file, without suffix.
        ours: the chapter's own marks of cells to leave out, such as the names of its figures.
    """
    path = ROOT / "book" / "chapters" / f"{chapter}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [(cell["id"], "".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
    return [
        (name, source)
        for name, source in code
        if not OURS.search(source) and not any(word in source for word in ours)
    ]


def run_on(torch: ModuleType, chapter: str, ours: tuple[str, ...] = ()) -> int:
    """Run those cells with `torch` as ``tl``, assertions included. Returns how many there were."""
    names: dict[str, object] = {}
    cells = code_cells(chapter, ours)
    for name, source in cells:
        source = source.replace("import tensorlab as tl", "import torch as tl")
        exec(compile(source, name, "exec"), names)
    assert names["tl"] is torch
    return len(cells)
