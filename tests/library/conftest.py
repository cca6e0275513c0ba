"""What the library's tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def torch():
    """PyTorch, the reference for every behaviour, where it is installed."""
    return pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
