"""Notebooks as tests read them: cells, and their text."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["cells_of", "source_of"]


def cells_of(path: Path) -> list[dict]:
    """The cells of a notebook."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source_of(cell: dict) -> str:
    """The text of a cell."""
    return "".join(cell["source"])
