"""Functions from text: what is written out for one kind of node is compiled here.

Their text is told to Python's `linecache`, so that a traceback shows the lines, and a debugger steps through
them. Their files' names begin with this package's folder: what looks for the program's own lines passes them.
"""

from __future__ import annotations

import itertools
import linecache
from pathlib import Path
from types import FunctionType
from typing import Any

__all__ = ["compiled"]

_numbers = itertools.count()


def compiled(source: str, title: str, names: dict[str, Any]) -> FunctionType:
    """The function that a text defines.

    Args:
        source: the text of one function.
        title: what it is for, which a traceback shows.
        names: what the names in the text mean beside Python's own.

    Example:
        >>> compiled("def double(x): return two * x", "an example", {"two": 2})(21)
        42
    """
    path = str(Path(__file__).with_name(f"<{title} {next(_numbers)}>"))
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    functions = dict(names)
    exec(compile(source, path, "exec"), functions)
    [function] = [functions[name] for name in functions if name not in names and name != "__builtins__"]
    return function
