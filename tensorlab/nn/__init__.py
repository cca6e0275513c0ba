"""Neural networks: layers as modules, what they compute as functions, and how their weights begin."""

from __future__ import annotations

from typing import Any

from tensorlab.core.spelling import LateText, nearest
from tensorlab.nn import functional, init, modules, parameter, utils
from tensorlab.nn.modules import *  # noqa: F403
from tensorlab.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "init",
    "modules",
    "parameter",
    "utils",
    *modules.__all__,
]


def __getattr__(name: str) -> Any:
    raise AttributeError(LateText(_absent, name), name=name, obj=None)


def _absent(name: str) -> str:
    """What the error about a name says that this module does not have."""
    if name in functional.__all__:
        return f"tensorlab.nn has no {name!r}; there is tensorlab.nn.functional.{name}"
    if meant := nearest(name, __all__):
        return f"tensorlab.nn has no {name!r}; did you mean {meant!r}? What it has is in tensorlab.nn.__all__"
    return f"tensorlab.nn has no {name!r}; what it has is in tensorlab.nn.__all__"
