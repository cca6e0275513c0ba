"""Containers of things: dicts, lists and tuples in each other, whose leaves are what is no container.

Parameters of a model are often a dict. What takes derivatives by them, or a batch of them, walks through the
dict and gives its results in one of the same form.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any


def _parts(tree: Any) -> list[Any] | None:
    """What a container holds, in its order; None of something that is no container."""
    if isinstance(tree, dict):
        return list(tree.values())
    return list(tree) if isinstance(tree, (list, tuple)) else None


def _like(tree: Any, parts: Iterable[Any]) -> Any:
    """A container like `tree` of other parts. A namedtuple is made by `_make`."""
    if isinstance(tree, dict):
        like = copy.copy(tree)  # a defaultdict keeps what makes its defaults
        like.update(zip(tree, parts, strict=True))
        return like
    return tree._make(parts) if hasattr(tree, "_make") else type(tree)(parts)


def leaves_of(tree: Any) -> list[Any]:
    """The leaves, in their order.

    Example:
        >>> leaves_of({"w": 1, "layers": [2, (3, None)]})
        [1, 2, 3, None]
    """
    parts = _parts(tree)
    if parts is None:
        return [tree]
    return [leaf for part in parts for leaf in leaves_of(part)]


def rebuilt(tree: Any, leaves: Iterable[Any]) -> Any:
    """A tree of the same form, with other leaves.

    Example:
        >>> rebuilt({"w": 1, "layers": [2, (3, None)]}, "abcd")
        {'w': 'a', 'layers': ['b', ('c', 'd')]}
    """
    rest = iter(leaves)

    def build(subtree: Any) -> Any:
        parts = _parts(subtree)
        return next(rest) if parts is None else _like(subtree, [build(part) for part in parts])

    return build(tree)


def spread(prefix: Any, tree: Any, refused: Callable[[], Exception]) -> list[Any]:
    """One value for each leaf of `tree`: `prefix` has its form, or stands for a whole part of it.

    Args:
        refused: makes the error to raise where the forms differ.

    Example:
        >>> spread((0, None), ({"w": 1, "b": 2}, 3), ValueError)
        [0, 0, None]
    """
    parts, parts_of_prefix = _parts(tree), _parts(prefix)
    if parts_of_prefix is None:
        return [prefix] * len(leaves_of(tree))
    same_keys = not isinstance(prefix, dict) or (isinstance(tree, dict) and prefix.keys() == tree.keys())
    if parts is None or len(parts) != len(parts_of_prefix) or not same_keys:
        raise refused()
    if isinstance(prefix, dict):
        parts_of_prefix = [prefix[key] for key in tree]
    pairs = zip(parts_of_prefix, parts, strict=True)
    return [value for own, part in pairs for value in spread(own, part, refused)]
