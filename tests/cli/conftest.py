"""A small project with a book of its own, for tests that build and serve."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFIG = """\
title: Small
only_build_toc_files: true
exclude_patterns: [_build]
execute:
  execute_notebooks: "off"
html:
  use_issues_button: false
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two pages; the current folder is inside it."""
    for folder in ("book", "tensorlab", "exercises", ".ci"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "tensorlab" / "a.py").write_text("A = 1\n")
    (tmp_path / "_config.yml").write_text(CONFIG)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\nchapters:\n  - file: book/one\n")
    (tmp_path / "book" / "index.md").write_text("# Start\n\nHere.\n")
    (tmp_path / "book" / "one.md").write_text("# One\n\nfirst words\n")
    monkeypatch.chdir(tmp_path / "book")
    return tmp_path
