"""Neural networks: the functions that layers are made of."""

from __future__ import annotations

from typing import Any

from tensorlab.nn import functional

__all__ = ["functional"]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"tensorlab.nn has no {name!r}: layers are not classes here so far; "
        "what they compute is in tensorlab.nn.functional"
    )
