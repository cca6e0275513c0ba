"""A function of a notebook written down as a file of its own, with all that it needs from the notebook."""

from __future__ import annotations

import ast
import builtins
import inspect
import symtable
import sys
import textwrap
from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

import tensorlab

__all__ = ["NotWritable", "as_file"]


class NotWritable(ValueError):
    """Why a function cannot be written down, in one clause."""


def as_file(name: str, function: Any) -> str:
    """The text of a Python file that defines `function` under `name`.

    Its own text, and before it what it refers to: imports, functions and classes of the notebook, numbers and
    text. It has to be a ``def`` at the top of a cell or a file.

    Raises:
        NotWritable: it refers to something else, such as a tensor, or its text is not known.

    Example:
        >>> import math
        >>> def numel(shape):
        ...     return math.prod(shape)
        >>> as_file("numel", numel).splitlines()
        ['import math', '', '', 'def numel(shape):', '    return math.prod(shape)']
    """
    writer = _Writer()
    writer.define(function)
    own = function.__name__
    alias = [] if own == name else [f"{name} = {own}\n"]
    head = ["\n".join(sorted(writer.imports)) + "\n"] if writer.imports else []
    return "\n\n".join([*head, *writer.texts, *alias])


class _Writer:
    """Collects what a file holds: what is needed stands before what needs it."""

    def __init__(self) -> None:
        self.imports: set[str] = set()
        self.texts: list[str] = []
        self._seen: set[int] = set()
        self._named: set[str] = set()  # literals and second names that are there

    def define(self, thing: Any, around: Mapping[str, Any] | None = None) -> None:
        """Add a function or a class, and all that it refers to; `around` has the names beside a class."""
        if id(thing) in self._seen:
            return
        self._seen.add(id(thing))
        text, function = _text_of(thing), inspect.unwrap(thing)
        names = _globals_of(function) or around or {}
        for name in sorted(_global_names(text)):
            if (
                name in names
                and name != thing.__name__
                and names[name] is not vars(builtins).get(name, _Writer)
            ):
                self._refer(name, names[name], names)
        self.texts.append(text)

    def _refer(self, name: str, value: Any, names: Mapping[str, Any]) -> None:
        """Add what gives `name` its `value`."""
        home = getattr(value, "__module__", None)
        if isinstance(value, ModuleType):
            whole = value.__name__
            self.imports.add(f"import {whole}" if whole == name else f"import {whole} as {name}")
        elif getattr(tensorlab, name, None) is value:
            self.imports.add(f"from tensorlab import {name}")
        elif _is_found_in(home, value) and home != names.get("__name__"):
            own = value.__qualname__
            self.imports.add(f"from {home} import {own}" + ("" if own == name else f" as {name}"))
        elif isinstance(value, type) or isinstance(inspect.unwrap(value), FunctionType):
            self.define(value, names)
            if value.__name__ != name:
                self._name(name, value.__name__)
        elif _is_literal(value):
            self._name(name, repr(value))
        else:
            raise NotWritable(f"it uses {name}, which is of type {type(value).__name__}")

    def _name(self, name: str, what: str) -> None:
        if name not in self._named:
            self._named.add(name)
            self.texts.append(f"{name} = {what}\n")


def _globals_of(thing: Any) -> Mapping[str, Any]:
    """The names of the notebook in which a function was written, or the methods of a class."""
    written = [thing, *vars(thing).values()] if isinstance(thing, type) else [thing]
    functions = (each for each in written if isinstance(each, FunctionType))
    return next((function.__globals__ for function in functions), {})


def _text_of(thing: Any) -> str:
    """The text of a function or a class that stands at the top of a cell or a file."""
    name = getattr(thing, "__name__", type(thing).__name__)
    try:
        text = _text_of_class(thing) if isinstance(thing, type) else inspect.getsource(thing)
    except (OSError, TypeError):
        raise NotWritable(f"the text of {name} is not known here") from None
    if getattr(inspect.unwrap(thing), "__closure__", None):
        raise NotWritable(f"{name} was made inside another function, whose variables it uses")
    text = textwrap.dedent(text)
    try:
        body = ast.parse(text).body
    except SyntaxError:
        body = []
    if len(body) != 1 or getattr(body[0], "name", None) != name:
        raise NotWritable(f"{name} is not defined by a def of that name")
    return text


def _text_of_class(thing: type) -> str:
    """The text of a class, found by way of a method: of a notebook's classes `inspect` doesn't know the cell.

    Raises:
        OSError: it has no method whose text is known.
    """
    methods = [each for each in vars(thing).values() if isinstance(each, FunctionType)]
    lines, place = inspect.findsource(methods[0]) if methods else ([], 0)
    source = "".join(lines)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name == thing.__name__:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= place + 1 <= (node.end_lineno or 0):
                return "".join(lines[first - 1 : node.end_lineno])
    raise OSError("no such class is there")


def _global_names(text: str) -> set[str]:
    """The names that a definition looks up outside of itself."""

    def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
        yield table
        for child in table.get_children():
            yield from tables(child)

    top = symtable.symtable(text, "<definition>", "exec")
    return {
        symbol.get_name()
        for table in tables(top)
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (table is top or symbol.is_global())
    }


def _is_found_in(module: Any, value: Any) -> bool:
    """Whether an import from `module` gives this very value."""
    name = getattr(value, "__qualname__", "")
    return (
        module != "__main__" and module in sys.modules and getattr(sys.modules[module], name, None) is value
    )


def _is_literal(value: Any) -> bool:
    """Whether its repr is an expression that gives it back."""
    try:
        back = ast.literal_eval(repr(value))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return type(back) is type(value) and bool(back == value)
