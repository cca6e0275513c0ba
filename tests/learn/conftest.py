"""Every test of this area has a student's folder of its own."""

from __future__ import annotations

import pytest

from tensorlab.learn import adopt, progress
from tensorlab.learn.adopt import measured, refused


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """The folder in which progress is kept."""
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr(progress, "_unsaved", {})
    return tmp_path / "home"


@pytest.fixture
def library_as_it_was():
    """After the test all parts are the library's own again, and nothing is known of answers."""
    yield
    adopt(None)
    refused.clear()
    measured.clear()
