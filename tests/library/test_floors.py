"""The library's floors: a module imports what stands before it in the table of `book/contributing.md`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tensorlab"


def table() -> list[str]:
    """The modules in the order of the table."""
    text = (ROOT / "book" / "contributing.md").read_text(encoding="utf-8")
    section = text.split("## The library's floors")[1].split("\n## ")[0]
    rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("|")]
    return [name for row in rows for name in re.findall("`([a-z_]+)`", row)]


def modules() -> list[str]:
    files = {path.stem for path in PACKAGE.glob("*.py")}
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    return sorted(files | folders)


def sources(module: str) -> list[Path]:
    folder = PACKAGE / module
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{module}.py"]


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What runs when a module is imported; what is there for type checkers alone is left out."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, part, []))


def imported(source: str) -> set[str]:
    """The modules at the top of the package that a text imports."""
    found = set()
    for node in statements(ast.parse(source).body):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == "tensorlab":
                first = rest.partition(".")[0]
                found.add(first if first in modules() else "__init__")
    return found


def test_the_table_has_every_module_once():
    assert sorted(table()) == modules()


@pytest.mark.parametrize("module", modules())
def test_nothing_is_imported_from_a_later_place(module):
    order = table()
    before = set(order[: order.index(module) + 1])
    later = {source: imported(source.read_text(encoding="utf-8")) - before for source in sources(module)}
    assert {str(source): names for source, names in later.items() if names} == {}


def test_imports_are_found():
    text = (
        "import tensorlab as tl\nfrom tensorlab import ops, zeros\nfrom tensorlab.backends.cpu import jit\n"
        "if TYPE_CHECKING:\n    from tensorlab.nn import functional\n"
        "try:\n    import tensorlab.cuda\nexcept ImportError:\n    pass\n"
        "def later():\n    import tensorlab.cli\n"
    )
    assert imported(text) == {"__init__", "ops", "backends", "cuda"}
