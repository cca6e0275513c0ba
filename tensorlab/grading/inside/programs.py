"""Small programs as questions: some lines that use an answer under its name, the last of which gives a value.

Not every answer is a function of plain values. A class is asked by making objects of it, an engine by giving
it a graph, a function of functions by giving it one. The program says how, in code that a student can paste
into a cell.
"""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable
from types import CodeType
from typing import Any


def run(program: str, name: str, answer: Callable[..., Any]) -> Any:
    r"""What the last line of `program` gives, in which `answer` has its name and the library is ``tl``.

    Example:
        >>> run("numbers = [3, 1, 2]\nordered(numbers)[0]", "ordered", sorted)
        1
    """
    steps, last = _compiled(program)
    names = {"__name__": "<program>", "tl": importlib.import_module("tensorlab"), name: answer}
    exec(steps, names)  # the grader's own lines, around the student's code
    return eval(last, names)


@functools.lru_cache(maxsize=1024)  # every known solution is asked the same
def _compiled(program: str) -> tuple[CodeType, CodeType]:
    *steps, last = ast.parse(program).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the last line of a program gives its value, and this is none: {ast.unparse(last)}")
    return (
        compile(ast.Module(steps, []), "<program>", "exec", dont_inherit=True),
        compile(ast.Expression(last.value), "<program>", "eval", dont_inherit=True),
    )
