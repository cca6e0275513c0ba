"""The source of a known solution as a student would have written it: under the exercise's own name."""

from __future__ import annotations

import ast
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
    start = next(number for number, line in enumerate(lines) if line.startswith("def "))
    answer = re.sub(rf"\b{function.__name__}\b", exercise.name, "\n".join(lines[start:]))
    module = inspect.getsource(sys.modules[inspect.unwrap(function).__module__])
    return "\n".join([*_needed(module, answer), answer]).strip()


def _needed(module: str, answer: str) -> list[str]:
    """Imports and undecorated helpers of the module that the answer needs, with gaps between."""
    nodes = ast.parse(module).body
    helpers = {
        node.name: node for node in nodes if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }
    text, used = answer, dict[str, str]()
    while more := [name for name in helpers if name not in used and _occurs(name, text)]:
        used |= {name: ast.get_source_segment(module, helpers[name]) or "" for name in more}
        text = "\n".join([answer, *used.values()])
    imports = [
        ast.get_source_segment(module, node) or ""
        for node in nodes
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module == "tensorlab")
        if any(_occurs(alias.asname or alias.name, text) for alias in node.names)
    ]
    in_order = [used[name] + "\n" for name in helpers if name in used]
    return [*imports, *([""] if imports else []), *in_order]


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None
