"""What the examples of formulas call the library: the table of scalar functions stands below it."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _namespaces(request: pytest.FixtureRequest) -> None:
    """`tl` and `F` in docstrings of `tensorlab.scalars`, which import nothing."""
    if isinstance(request.node, pytest.DoctestItem) and "scalars" in str(request.node.path):
        names: dict[str, Any] = request.getfixturevalue("doctest_namespace")
        names["tl"] = importlib.import_module("tensorlab")
        names["F"] = importlib.import_module("tensorlab.nn.functional")
