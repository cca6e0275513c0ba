"""What every test area shares."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import pytest

pytest_plugins = ["tests.site_fixtures"]


def pytest_configure(config: pytest.Config) -> None:
    """Keep a student's progress file out of it: notebooks that are tested call ``check`` and ``hint``."""
    home = tempfile.TemporaryDirectory(prefix="tensorlab-home-")
    os.environ["TENSORLAB_HOME"] = home.name
    config.add_cleanup(home.cleanup)


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch, the reference for every behaviour, where it is installed."""
    return pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
