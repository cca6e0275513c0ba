"""Arguments of layers that are one number for all dimensions, or one for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["filled", "shown"]


def filled(value: Any, dims: int) -> tuple[Any, ...]:
    """A tuple of `dims` numbers: the given ones, or the given one repeated.

    Example:
        >>> filled(3, 2), filled([1, 2], 2)
        ((3, 3), (1, 2))
    """
    return tuple(value) if isinstance(value, Iterable) else (value,) * dims


def shown(module: Any, *names: str) -> str:
    """Attributes of a module as its text shows them.

    Example:
        >>> import tensorlab as tl
        >>> shown(tl.nn.Linear(2, 3), "in_features", "out_features")
        'in_features=2, out_features=3'
    """
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)
