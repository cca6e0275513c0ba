"""What the library remembers between calls, and how to make it forget.

Rules for layouts keep their last answers, and operations keep a plan for each kind of operands. An answer
that came from one part must not stay when another part takes its place, so all of it is dropped. Kernels are
kept: none of them was made by a part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["caches", "forget"]

#: Packages whose memory holds nothing that a part has said: compiled code, and what is no operation.
KEPT = ("tensorlab.backends", "tensorlab.grading", "tensorlab.learn", "tensorlab.widgets", "tensorlab.cli")

#: What dictionaries that hold plans are called, in modules, in classes, and in the functions around which
#: they were made.
PLANS = frozenset({"_known", "_plans", "plans", "prepared"})

_found: tuple[int, list[Callable[[], None]]] = (0, [])


def forget() -> None:
    """Drop every answer and every plan."""
    global _found
    loaded = len(sys.modules)
    if _found[0] != loaded:  # a module came since
        _found = loaded, list(caches())
    for clear in _found[1]:
        clear()


def caches() -> Iterator[Callable[[], None]]:
    """What clears each cache of the modules that are loaded."""
    seen: set[int] = set()
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and name.startswith("tensorlab.") and not name.startswith(KEPT):
            for key, value in list(vars(module).items()):
                yield from _in(key, value, seen)


def _in(key: str, value: Any, seen: set[int]) -> Iterator[Callable[[], None]]:
    """The caches in one name of a module, of a class, or of the variables around a function."""
    if id(value) in seen:
        return
    if isinstance(value, dict) and key in PLANS:
        seen.add(id(value))
        yield value.clear
    elif isinstance(value, type) and value.__module__.startswith("tensorlab."):
        seen.add(id(value))
        for inner, held in list(vars(value).items()):
            yield from _in(inner, held, seen)
    elif callable(value) and hasattr(value, "cache_clear"):
        seen.add(id(value))
        yield value.cache_clear
    elif isinstance(value, FunctionType):
        seen.add(id(value))
        around = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        for inner, cell in around:
            try:
                held = cell.cell_contents
            except ValueError:  # a variable that has no value yet
                continue
            yield from _in(inner, held, seen)
