"""What the tests of the book share: its table of contents, and the build's own modules on the path."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "book" / "_extensions"))


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
    """Change the system's theme, which the book follows until the reader chooses one."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")
