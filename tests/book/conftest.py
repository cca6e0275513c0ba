"""What the tests of the book share: its table of contents, and how a book is built from a few pages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent.parent


def listed_files() -> list[str]:
    """Return every file that _toc.yml names, without suffix, the landing page first."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files, waiting = [contents["root"]], [c for part in contents["parts"] for c in part["chapters"]]
    while waiting:
        entry = waiting.pop(0)
        files.append(entry["file"])
        waiting = entry.get("sections", []) + waiting
    return files


#: The `open_page` fixture, which fails a test on any console error or warning, failed or foreign request.
Open = Callable[..., "Page"]

CHAPTER = "book/chapters/01_a_tensor_is_a_line.html"
ADDRESSES = [*(f"{name}.html" for name in listed_files()), "search.html?q=stride", "genindex.html"]


def set_theme(page: Page, theme: str) -> None:
    """Change the system's theme, which the book follows until a reader chooses; wait for its colours."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")
    page.wait_for_function("document.getAnimations().every((a) => a.playState === 'finished')")


def notebook(source: str) -> str:
    """Return a notebook of a title and one code cell."""
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# A notebook"}
    code = {"cell_type": "code", "id": "code", "metadata": {}, "source": source}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cells = [title, code | {"execution_count": None, "outputs": []}]
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )


def build_small_book(folder: Path, pages: dict[str, str], url: str = "") -> subprocess.CompletedProcess[str]:
    """Build a book of a few pages, the first of which is its root, with the project's own configuration.

    Args:
        pages: the text of each page by its file name.
        url: what `repository.url` is set to.
    """
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["repository"]["url"] = url
    config["sphinx"]["local_extensions"] = {"tensorlab_book": str(ROOT / "book" / "_extensions")}
    settings = config["sphinx"]["config"]
    settings["html_static_path"] = [str(ROOT / "book" / "_assets")]
    settings["html_favicon"] = str(ROOT / settings["html_favicon"])
    settings["bibtex_bibfiles"] = []
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    root, *others = [name.partition(".")[0] for name in pages]
    contents = {"format": "jb-book", "root": root, "chapters": [{"file": name} for name in others]}
    (folder / "_toc.yml").write_text(yaml.safe_dump(contents), encoding="utf-8")
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "tensorlab").mkdir()
    start = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", start, "build", str(folder), "-W", "-n", "--keep-going"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
