"""What the library's tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

# A first example may compile a kernel; how long that takes says nothing about the law under test.
settings.register_profile("library", deadline=None)
settings.load_profile("library")


@pytest.fixture(scope="session")
def torch():
    """PyTorch, the reference for every behaviour, where it is installed."""
    return pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
