"""What a new exercise begins with: a file for its questions, and four cells of its notebook.

The part is a function that the library has, so its signature, its task and its answer are there already. What
nobody can derive is left out, and `tensorlab.grading.lint` says what it is.
"""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from tensorlab.grading.lint import ROLES
from tensorlab.grading.release import BEGIN, END

_SUITE = '''"""Exercise `{id}`: its questions, and the known solutions that they must tell apart."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Exercise, Solutions

solutions = Solutions()


{upper} = Exercise(
    id="{id}",
    title="{title}",
    stars=1,
    signature="{signature}",
    task={task!r},
    part="{part}",
    topics=(),
    wrong=solutions.wrong_of("{id}"),
    right=solutions.right_of("{id}"),
)
'''


class NoDraft(ValueError):
    """The part is nothing that an exercise can be drafted from; the text says why."""


def suite_draft(exercise_id: str, part: str) -> str:
    """The source of the file that will hold an exercise's topics and known solutions.

    Args:
        exercise_id: chapter and name, ``"02.strides_for"``.
        part: ``"module:name"`` of the library's function.

    Raises:
        NoDraft: there is no such function.

    Example:
        >>> source = suite_draft("02.ranges_meet", "tensorlab.core.layout:ranges_meet")
        >>> [line.strip() for line in source.splitlines() if "signature" in line]
        ['signature="ranges_meet(first, second)",']
    """
    function = _function(part)
    return _SUITE.format(
        id=exercise_id,
        upper=function.__name__.upper(),
        title=_title(function),
        signature=_signature(function),
        task=_task(function),
        part=part,
    )


def cells_draft(exercise_id: str, part: str) -> list[dict[str, Any]]:
    """The four cells of an exercise, whose answer is the library's own, between the marks of a solution.

    Raises:
        NoDraft: there is no such function.

    Example:
        >>> cells = cells_draft("02.ranges_meet", "tensorlab.core.layout:ranges_meet")
        >>> [cell["metadata"]["tensorlab"]["role"] for cell in cells]
        ['prose', 'answer', 'check', 'hint']
    """
    function = _function(part)
    sources = {
        "prose": f"## {_title(function)}\n\n`{exercise_id}` · ★ · 0 points\n\n{_task(function)} "
        f"Write `{_signature(function)}`.\n\n| call | answer |\n|---|---|\n",
        "answer": _answer(function),
        "check": f'check("{exercise_id}")',
        "hint": "# Stuck? Take the # away from the next line and run this cell. "
        f'Each run opens one more hint.\n# hint("{exercise_id}")',
    }
    return [_cell(exercise_id, role, sources[role]) for role in ROLES]


def with_cells(notebook: dict[str, Any], cells: list[dict[str, Any]]) -> dict[str, Any]:
    """A notebook with the cells of one more exercise, before those in which the chapter is adopted."""
    grown = copy.deepcopy(notebook)
    ids = [cell.get("id") for cell in grown["cells"]]
    place = ids.index("adopt-text") if "adopt-text" in ids else len(ids)
    grown["cells"][place:place] = cells
    return grown


def _function(part: str) -> Callable[..., Any]:
    module, _, name = part.partition(":")
    try:
        function = getattr(importlib.import_module(module), name, None)
    except (ImportError, ValueError) as error:
        raise NoDraft(f"{module!r} cannot be imported: {error}") from error
    if not inspect.isfunction(function):
        raise NoDraft(f"{part!r} is no function; the part is MODULE:FUNCTION, as tensorlab.core.layout:numel")
    return function


def _title(function: Callable[..., Any]) -> str:
    return function.__name__.replace("_", " ").capitalize()


def _task(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "Return what the library returns.").splitlines()[0]


def _signature(function: Callable[..., Any]) -> str:
    plain = inspect.signature(function)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in plain.parameters.values()]
    return f"{function.__name__}{inspect.Signature(bare)}"


def _answer(function: Callable[..., Any]) -> str:
    """The function without its types, its body between the marks."""
    source = textwrap.dedent(inspect.getsource(function))
    (defined,) = ast.parse(source).body
    assert isinstance(defined, ast.FunctionDef)
    body = defined.body[1 if ast.get_docstring(defined) else 0 :]
    lines = source.splitlines()[body[0].lineno - 1 :]
    kept = textwrap.indent(textwrap.dedent("\n".join(lines)), "    ")
    return f'def {_signature(function)}:\n    """{_task(function)}"""\n    {BEGIN}\n{kept}\n    {END}'


def _cell(exercise_id: str, role: str, source: str) -> dict[str, Any]:
    name = f"{exercise_id.replace('.', '-')}-{'text' if role == 'prose' else role}"
    metadata: dict[str, Any] = {"tensorlab": {"exercise": exercise_id, "role": role}}
    if role != "hint":
        metadata["nbgrader"] = {
            "grade": role == "check",
            "grade_id": name,
            "locked": role != "answer",
            "schema_version": 3,
            "solution": role == "answer",
            "task": False,
        }
    if role == "check":
        for about in metadata.values():
            about["points"] = 0
    cell: dict[str, Any] = {"cell_type": "markdown" if role == "prose" else "code", "id": name}
    if role != "prose":
        cell |= {"execution_count": None, "outputs": []}
    return {**cell, "metadata": metadata, "source": source.splitlines(keepends=True)}
