"""The text of kernels that are made of a formula: what these texts have in common.

The formulas are those of all backends (`tensorlab.scalars`, `tensorlab.folds`). Around them stands what a
thread of a GPU does: it finds out from its own number which elements are its own, and where their cells lie.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import linecache
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.cpu import halves
from tensorlab.backends.cuda.intrinsics import load4, load8, store4, store8
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.folds import Fold

__all__ = [
    "cells_text",
    "conversions",
    "functions_of",
    "kernel_of",
    "load",
    "module_text",
    "moved_as",
    "numpy_name",
    "operand_parameters",
    "positions",
    "start_of",
    "store",
]


class _Math:
    """`math` as a GPU has it: a pole gives an infinity, and what has no value gives NaN."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(np, {"pow": "power"}.get(name, name), None)
        return functools.partial(_forgiving, getattr(math, name)) if function is None else function


def _forgiving(function: Callable[..., Any], *values: Any) -> Any:
    try:
        return function(*values)
    except (OverflowError, ValueError):
        return math.inf


def whole32(value: Any) -> Any:
    """A float without its fraction; what no integer holds becomes what the processor makes of it."""
    return np.asarray(value).astype(np.int32)[()]


def whole64(value: Any) -> Any:
    """The same with 64 bits."""
    return np.asarray(value).astype(np.int64)[()]


@functools.cache
def functions_of(name: str, text: str) -> dict[str, Any]:
    """What a text defines, under a name; its lines are there for debuggers and tracebacks."""
    file = f"<kernel {name} {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, Any] = {
        "np": np,
        "math": _Math(),
        "cuda": cuda,
        "whole32": whole32,
        "whole64": whole64,
        "load4": load4,
        "load8": load8,
        "store4": store4,
        "store8": store8,
    }
    exec(compile(text, file, "exec"), names)
    return names


@functools.cache
def kernel_of(name: str, text: str) -> Callable[..., None]:
    """The function ``kernel`` of a text, under a name."""
    made: Callable[..., None] = functions_of(name, text)["kernel"]
    made.__name__ = name
    return made


def numpy_name(element_type: dtype) -> str:
    """The name of the NumPy type in which kernels see an element."""
    if element_type in halves.TYPES:
        return "float32"
    return "bool_" if element_type is dtypes.bool else element_type.name


def load(cell: str, element_type: dtype, kind: str) -> str:
    """The number that a cell holds, as `kind`, the name of a NumPy type."""
    if element_type in halves.TYPES:
        cell = f"{halves.widen_name(element_type)}({cell})"
    return f"np.{kind}({cell})"


def store(value: str, result: dtype, floating: bool) -> str:
    """The cell that holds a number; `floating` says whether it is a float."""
    if result in halves.TYPES:
        return f"{halves.narrow_name(result)}(np.float32({value}))"
    if result.category == dtypes.INTEGER and floating:
        # PyTorch, too, asks the processor for 32 bits where these are enough.
        value = f"whole{32 if result.is_signed and result.itemsize <= 4 else 64}({value})"
    return f"np.{numpy_name(result)}({value})"


def conversions(*element_types: dtype) -> list[str]:
    """The texts of the functions that convert cells of these types."""
    return [inspect.getsource(function) for function in halves.needed(element_types)]


def positions(number: str, shape: str, indent: int, *operands: tuple[str, str]) -> list[str]:
    """Lines that turn the number of an element into its cell of each operand.

    Args:
        number: what counts the elements.
        shape: the name of a tuple: how the elements are arranged.
        indent: by how much the lines are moved to the right.
        operands: for each, where its first element lies, and its name; ``{name}_cell`` is set.
    """
    lines = [f"rest = {number}", *(f"{name}_cell = {first}" for name, first in operands)]
    lines += [
        f"for dim in range(len({shape}) - 1, -1, -1):",
        f"    position = rest % {shape}[dim]",
        f"    rest //= {shape}[dim]",
        *(f"    {name}_cell += position * {name}_{shape}[dim]" for name, _ in operands),
    ]
    return [" " * indent + line for line in lines]


def operand_parameters(names: Sequence[str], *layouts: str) -> list[str]:
    """The parameters that stand for operands: the cells, the first one's number, and the strides."""
    return [", ".join([name, *(f"{name}_{each}" for each in ("first", *layouts))]) for name in names]


def moved_as(kind: str) -> str:
    """The type as which lanes exchange numbers of a type: they exchange 32 or 64 bits."""
    return kind if kind in ("float32", "float64", "int32") else "int64"


def start_of(fold: Fold, total: str) -> str:
    """What no elements give, in numbers of a type."""
    start = fold.join.start
    if start not in ("lowest", "highest"):
        return str(start)
    if total.startswith("float"):
        return "-np.inf" if start == "lowest" else "np.inf"
    if total == "bool_":
        return str(start == "highest")
    return str(np.iinfo(total).min if start == "lowest" else np.iinfo(total).max)


def cells_text(source: dtype, compute: dtype, result: dtype) -> str:
    """What kernels of rows do with their cells: ``widen(cell)`` and ``narrow(number)``."""
    kind = numpy_name(compute)
    lines = [
        "def widen(cell):",
        f"    return {load('cell', source, kind)}",
        "",
        "",
        "def narrow(value):",
        f"    return {store('value', result, True)}",
    ]
    return module_text(kind, conversions(source, result), lines)


def module_text(kind: str, functions: Sequence[str], kernel: Sequence[str]) -> str:
    """The whole text: functions, then the lines of a kernel, which compute in numbers of a kind."""
    return "\n\n".join([f"number = np.{kind}", *functions, "\n".join(kernel) + "\n"])
