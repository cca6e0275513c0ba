"""Docstrings made from rows of the scalar table: summary, arguments, result, errors, example."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import TypeVar

from tensorlab.scalars import ANY, FLOAT, TABLE, TRUTH, Scalar

_Function = TypeVar("_Function", bound=Callable)

# The arguments of a row, by how many operands it takes.
_OPERANDS = {
    1: {"input": "a tensor of any shape."},
    2: {
        "input": "a tensor, or a number if `other` is a tensor.",
        "other": "a tensor whose shape can be broadcast with `input`'s, or a number.",
    },
}
_TENSORS = {"input": "a tensor.", "other": "a tensor whose shape can be broadcast with `input`'s."}
_OUT = {"out": "a tensor of the result's shape to write into."}
_NAMESPACES = ("tl", "tl.special", "F")


def documentation(
    row: Scalar, arguments: dict[str, str] | None = None, out: bool = True, summary: str | None = None
) -> str:
    """The docstring of the function that a row stands for.

    Args:
        row: the row.
        arguments: what each argument is; those of a function of one or two operands if left out.
        out: the function takes `out` as well.
        summary: the first line, if it is not the row's.
    """
    if arguments is None:
        arguments = _TENSORS if row.arity == 2 and not row.numbers else _OPERANDS[row.arity]
    arguments = {**arguments, **(_OUT if out else {})}
    lines = [
        summary or row.summary,
        "",
        "Args:",
        *(f"    {name}: {text}" for name, text in arguments.items()),
    ]
    shape = "`input`'s shape" if row.arity == 1 else "the broadcast shape"
    kind = {TRUTH: "dtype bool", FLOAT: "a floating dtype"}.get(row.result, "the promoted dtype")
    lines += ["", "Returns:", f"    a new tensor of {shape} and {kind}" + ("; or `out`." if out else ".")]
    errors = []
    if row.takes != ANY:
        errors.append(f"    NotImplementedError: the dtype is not among those it takes ({row.takes}).")
    reasons = ["the shapes cannot be broadcast"] * (row.arity > 1) + ["an operand is bool"] * bool(
        row.refuses_bool
    )
    if reasons:
        errors.append(f"    RuntimeError: {' or '.join(reasons)}.")
    if errors:
        lines += ["", "Raises:", *errors]
    if row.example:
        lines += ["", "Example:", *(f"    {line}" for line in row.example.split("\n"))]
    return "\n".join([lines[0], *(f"    {line}" if line else "" for line in lines[1:])])


def in_place_documentation(text: str, name: str, place: str = "") -> str:
    """The docstring of the function that overwrites its first operand.

    Args:
        text: that of the function that makes a new tensor.
        name: what the other is called, with its underscore.
        place: where it is a function, such as ``F``; it is a method without it.
    """
    summary, example = (inspect.cleandoc(text.split(mark)[at]) for mark, at in (("\n\n", 0), ("Example:", 1)))
    lines = [
        f"{summary} In place: `input` is overwritten, and every tensor over its storage sees it.",
        "",
        "Raises:",
        "    RuntimeError: the result does not fit into `input`'s dtype or shape, or elements share cells.",
        "",
        "Example:",
        *(f"    {line}" for line in _in_place_example(example, name, place)),
    ]
    return "\n".join([lines[0], *(f"    {line}" if line else "" for line in lines[1:])])


def _in_place_example(example: str, name: str, place: str) -> list[str]:
    """The first call of an example, where the result takes the place of the tensor and so has its dtype."""
    steps = re.split(r"\n?>>> ", example)
    call, *result = next(step for step in steps if step and not step.startswith("import ")).split("\n")
    made = ast.parse(call, mode="eval").body
    assert isinstance(made, ast.Call), f"the example of {name} begins with no call: {call}"
    home = made.func.value if isinstance(made.func, ast.Attribute) else made
    operands = [*made.args, *made.keywords]
    first = operands.pop(0) if ast.unparse(home) in _NAMESPACES else home
    input, others = ast.unparse(first), [ast.unparse(operand) for operand in operands]
    written = f"{place}.{name}({', '.join(['x', *others])})" if place else f"x.{name}({', '.join(others)})"
    shown = "\n".join(result)
    if "." in shown and re.fullmatch(r"tl\.tensor\([^.]*\)", input):
        input = re.sub(r"(\d+)", r"\1.0", input)  # whole numbers cannot hold the result
    if "True" not in input and "False" not in input:  # a tensor of numbers says 1 and 0 for true and false
        truths = re.findall("True|False", shown)
        shown = f"tensor([{', '.join(str(int(truth == 'True')) for truth in truths)}])" if truths else shown
    return [f">>> x = {input}", f">>> {written}", *shown.split("\n")]


def documented(
    row_name: str, arguments: dict[str, str] | None = None, *, out: bool = True
) -> Callable[[_Function], _Function]:
    """Complete the docstring of a function that is written by hand: what follows the summary.

    Args:
        row_name: the row whose errors and example it has.
        arguments: what each argument is, in order; without `input`, they follow the row's operands.
        out: the function takes `out`.
    """

    def decorate(function: _Function) -> _Function:
        row = TABLE[row_name]
        named = arguments or {}
        if "input" not in named:
            named = {**_OPERANDS[row.arity], **named}
        assert function.__doc__ is not None
        function.__doc__ = documentation(row, named, out, function.__doc__)
        return function

    return decorate
