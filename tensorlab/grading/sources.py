"""The source of a known solution as a student would have written it: under the exercise's own name."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Callable
from typing import Any

from tensorlab.grading.suite import Exercise


def answer_source(exercise: Exercise, function: Callable[..., Any]) -> str:
    """One cell that defines `function` under the exercise's name, with the imports and helpers that it needs.

    Example:
        >>> from tensorlab.grading.suites import exercise
        >>> numel = exercise("01.numel")
        >>> print(answer_source(numel, numel.right[1].function))
        import math
        <BLANKLINE>
        def numel(shape):
            return math.prod(shape)
    """
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(("def ", "class ")))
    answer = re.sub(rf"\b{function.__name__}\b", exercise.name, "\n".join(lines[start:]))
    module = inspect.getsource(sys.modules[inspect.unwrap(function).__module__])
    return "\n".join([*_needed(module, answer), answer]).strip()


def _needed(module: str, answer: str) -> list[str]:
    """Imports and undecorated helpers of the module that the answer needs, with gaps between."""
    helpers, imports = _pieces(module)
    text, used = answer, dict[str, str]()
    while more := [name for name in helpers if name not in used and _occurs(name, text)]:
        used |= {name: helpers[name] for name in more}
        text = "\n".join([answer, *used.values()])
    lines = [line for line, names in imports if any(_occurs(name, text) for name in names)]
    in_order = [used[name] + "\n" for name in helpers if name in used]
    return [*lines, *([""] if lines else []), *in_order]


@functools.cache  # a module has dozens of solutions
def _pieces(module: str) -> tuple[dict[str, str], list[tuple[str, list[str]]]]:
    """The undecorated functions of a module by name, and its imports, each with the names that it binds."""
    helpers, imports = dict[str, str](), []
    for node in ast.parse(module).body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            helpers[node.name] = ast.get_source_segment(module, node) or ""
        elif isinstance(node, ast.Import) or (
            isinstance(node, ast.ImportFrom) and _is_librarys(node.module or "")
        ):
            names = [alias.asname or alias.name for alias in node.names]
            imports.append((ast.get_source_segment(module, node) or "", names))
    return helpers, imports


def _is_librarys(module: str) -> bool:
    """Whether a student's notebook may import from a module: one of the library, and no grader."""
    return module.partition(".")[0] == "tensorlab" and not module.startswith("tensorlab.grading")


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None
