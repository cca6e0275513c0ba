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
    module = inspect.getsource(sys.modules[function.__module__])
    return "\n".join([*_needed(module, answer), answer]).strip()


def _needed(module: str, answer: str) -> list[str]:
    """Imports and undecorated helpers of the module whose names occur in the answer, with gaps between."""
    imports, helpers = [], []
    for node in ast.parse(module).body:
        source = ast.get_source_segment(module, node) or ""
        if isinstance(node, ast.Import) and any(
            _occurs(alias.asname or alias.name, answer) for alias in node.names
        ):
            imports.append(source)
        elif isinstance(node, ast.FunctionDef) and not node.decorator_list and _occurs(node.name, answer):
            helpers.append(source + "\n")
    return [*imports, *([""] if imports else []), *helpers]


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None
