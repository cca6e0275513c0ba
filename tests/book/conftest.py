"""What the tests of the book share: its table of contents, and the build's own modules on the path."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

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
