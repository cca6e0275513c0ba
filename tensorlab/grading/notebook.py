"""Reads a submitted notebook without trusting it: nothing but the sources of its cells is used.

What a notebook says of points, tags, kernels, outputs and widgets is ignored. Whatever is wrong with the file
becomes one sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tensorlab.grading.files import NotAFile, open_regular

MAX_FILE = 20 << 20  # bytes
MAX_CELLS = 2000
MAX_SOURCE = 500_000  # characters of one cell
MAX_DEPTH = 100
MAX_CONTAINERS = 500_000  # lists and objects: 20 MB of "[],[]," would become a gigabyte of them

# Strings are skipped as a whole, so that brackets inside them do not count; one that is not closed ends with
# the file. Possessive, and always a match: nothing is looked through twice.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)

# Where the cells of a Python file begin: as editors and nbconvert mark them, or else at definitions.
_MARKS = re.compile(r"^# (?:%%|In\[)", re.MULTILINE)
_DEFINITION = re.compile(r"(?:async )?(?:def|class) ")


class UnreadableNotebook(ValueError):
    """The file is no notebook that can be graded; the text says why and what would help."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        number: its place in the notebook, from 1.
        id: as the file says; "" when it says none. A student may have copied or changed it.
        kind: ``"code"``, ``"markdown"``, ``"raw"``, or whatever else the file says.
    """

    number: int
    id: str
    kind: str
    source: str


@dataclass(frozen=True)
class Notebook:
    """The cells of a submission and the fingerprint of the file that they were read from."""

    cells: tuple[Cell, ...]
    sha256: str

    @property
    def code(self) -> list[Cell]:
        """The code cells."""
        return [cell for cell in self.cells if cell.kind == "code"]


def read_notebook(path: Path) -> Notebook:
    """Read one file.

    Raises:
        UnreadableNotebook: see `read_bytes` and `parse_notebook`.
    """
    return parse_notebook(read_bytes(path))


def parse_notebook(raw: bytes) -> Notebook:
    """Read the bytes of a file, of nbformat 4 or 3, in UTF-8 or what Windows writes.

    Raises:
        UnreadableNotebook: not JSON, nested too deep, or no notebook.
    """
    return Notebook(tuple(_cells(_parse(raw))), hashlib.sha256(raw).hexdigest())


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that was handed in.

    Raises:
        UnreadableNotebook: not a regular file, too large, or one that cannot be opened.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            raw = file.read(MAX_FILE + 1)
    except NotAFile as error:
        raise UnreadableNotebook(f"{error}; hand in the notebook itself") from None
    except OSError as error:
        raise UnreadableNotebook(f"the file cannot be opened: {error.strerror}") from None
    if len(raw) > MAX_FILE:
        raise UnreadableNotebook(
            f"the file has {size:,} bytes and the limit is {MAX_FILE:,}; clear the outputs and save it again"
        )
    return raw


def _parse(raw: bytes) -> Any:
    if not raw.strip():
        raise UnreadableNotebook("the file is empty")
    text = text_of(raw)
    _check_depth(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        place = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise UnreadableNotebook(
            f"the file is not JSON{place}, so it is cut off or was changed outside Jupyter; "
            "save it again from JupyterLab"
        ) from None


def text_of(raw: bytes) -> str:
    """The text of a file: UTF-16 where it says so, else UTF-8, else Latin-1, whose every byte is a letter."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def from_python(raw: bytes) -> bytes:
    r"""The notebook of a Python file: a cell begins at ``# %%`` and ``# In[``, or at each definition.

    Example:
        >>> notebook = parse_notebook(from_python(b"import math\ndef f(): pass\ndef g(): pass"))
        >>> [cell.source for cell in notebook.cells]
        ['import math', 'def f(): pass', 'def g(): pass']
    """
    text = text_of(raw).replace("\r\n", "\n")
    begins = [match.start() for match in _MARKS.finditer(text)] or _definitions(text)
    sources = [text[i:j].strip("\n") for i, j in pairwise([0, *begins, len(text)])]
    cells = [{"cell_type": "code", "source": source} for source in sources if source]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _definitions(text: str) -> list[int]:
    """Where definitions begin that are not indented, or the decorators right above them."""
    begins, place, decorated = [], 0, None
    for line in text.split("\n"):
        if line.startswith("@"):
            decorated = place if decorated is None else decorated
        else:
            if _DEFINITION.match(line):
                begins.append(place if decorated is None else decorated)
            decorated = None
        place += len(line) + 1
    return begins


def _check_depth(text: str) -> None:
    """Refuse what would exhaust the parser's stack or the memory, before the parser runs."""
    depth = containers = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        bracket = match[0]
        if bracket in ("[", "{"):
            depth += 1
            containers += 1
            if depth > MAX_DEPTH:
                raise UnreadableNotebook(f"the JSON is nested deeper than {MAX_DEPTH}, which no notebook is")
            if containers > MAX_CONTAINERS:
                raise UnreadableNotebook("the JSON has more parts than any notebook; clear the outputs")
        elif bracket in ("]", "}"):
            depth -= 1


def _cells(content: Any) -> list[Cell]:
    cells = content.get("cells") if isinstance(content, dict) else None
    if isinstance(content, dict) and cells is None and isinstance(content.get("worksheets"), list):
        sheets = [sheet.get("cells") for sheet in content["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(cells, list):
        raise UnreadableNotebook("the file is JSON and not a notebook: it has no list of cells")
    if len(cells) > MAX_CELLS:
        raise UnreadableNotebook(f"the notebook has {len(cells)} cells and the limit is {MAX_CELLS}")
    damage = list(map(_damage, cells))
    if cells and all(damage):
        raise UnreadableNotebook(f"cell 1 {damage[0]}")
    return [
        _instead(number, cell, why) if why else _cell(number, cell)
        for number, (cell, why) in enumerate(zip(cells, damage, strict=True), 1)
    ]


def _source(cell: dict[str, Any]) -> Any:
    source = cell.get("source", cell.get("input", ""))  # of nbformat 3
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    return source


def _damage(cell: Any) -> str:
    """What is wrong with one cell; "" if nothing is."""
    if not isinstance(cell, dict):
        return "is not a notebook cell"
    source = _source(cell)
    if not isinstance(source, str):
        return "has a source that is not text"
    if len(source) > MAX_SOURCE:
        return f"has {len(source):,} characters and the limit is {MAX_SOURCE:,}"
    return ""


def _instead(number: int, cell: Any, why: str) -> Cell:
    """A cell in place of a damaged one, which costs what was in that and no more: it says so when it runs."""
    known = cell if isinstance(cell, dict) else {}
    return _cell(number, {**known, "source": f"raise ValueError({f'this cell {why}'!r})"})


def _cell(number: int, cell: dict[str, Any]) -> Cell:
    cell_id, kind = cell.get("id"), cell.get("cell_type")
    return Cell(
        number,
        cell_id if isinstance(cell_id, str) else "",
        kind if isinstance(kind, str) else "",
        _source(cell).encode("utf-8", "replace").decode("utf-8"),  # JSON can hold half a character
    )
