"""The levels of a kernel put into one function: a call is replaced by the body of what it calls.

The levels of an algorithm are functions of their own, to be read. As functions of their own they are costly
to compile: Numba makes machine code of each, and once more of all that it calls, level by level. Its own way
to put a body into the place of a call copies the whole of it at every level. Text costs next to nothing.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping

__all__ = ["fixed", "flatten", "texts"]


def texts(levels: Iterable[Callable]) -> dict[str, str]:
    """The texts of some functions by their names, as `flatten` takes them."""
    return {level.__name__: inspect.getsource(level) for level in levels}


def flatten(text: str, levels: Mapping[str, str], functions: Iterable[str] = ()) -> str:
    r"""The text of a function in which no level is called any more, unless inside of an expression.

    A call is replaced where it is a statement, or all that is assigned. The names of a level are kept where
    the function does not have them yet, and get a number otherwise.

    Args:
        text: one function, undecorated.
        levels: the texts of the functions whose calls are replaced, by the names that they are called by.
            They return at their end or not at all, and are called with positional arguments.
        functions: the names of functions that are called as they are. To Numba every constant that they are
            called with is a type, for which it would make them anew: it gets to see numbers instead.

    Raises:
        ValueError: a level returns early or is called in another way, or what it means by a global name is
            another thing where it would stand.

    Example:
        >>> rows = "def rows(count, to):\n    for i in range(count):\n        cells(to, i + 1)\n"
        >>> cells = "def cells(to, count):\n    for i in range(count):\n        to[i] = 0\n"
        >>> print(flatten(rows, {"cells": cells}))
        def rows(count, to):
            for i in range(count):
                count_1 = i + 1
                for i_1 in range(count_1):
                    to[i_1] = 0
    """
    function = _function(text)
    _Flattener(function, levels).visit_body(function)
    _Numbers(functions).visit(function)
    return ast.unparse(function)


def fixed(text: str, values: Mapping[str, str]) -> str:
    r"""The text of a function without some of its parameters, which have fixed values.

    Args:
        text: one function, undecorated. It assigns to none of these parameters.
        values: an expression for each parameter: a constant, or the name of another parameter.

    Example:
        >>> print(fixed("def scaled(x, by, adds):\n    return x * by if adds else x", {"adds": "True"}))
        def scaled(x, by):
            return x * by if True else x
    """
    function = _function(text)
    function.args.args = [each for each in function.args.args if each.arg not in values]
    renamed = {name: ast.parse(value, mode="eval").body for name, value in values.items()}
    return ast.unparse(_Rename(renamed).visit(function))


def _function(text: str) -> ast.FunctionDef:
    """The one function of a text, without its docstring."""
    (function,) = ast.parse(text).body
    if not isinstance(function, ast.FunctionDef):
        raise ValueError(f"a level is one function, got {type(function).__name__}: {text[:40]!r}")
    if ast.get_docstring(function) is not None:
        function.body = function.body[1:] or [ast.Pass()]
    return function


class _Flattener:
    """Replaces the calls in one function."""

    def __init__(self, function: ast.FunctionDef, levels: Mapping[str, str]) -> None:
        self.function, self.levels = function, levels
        names = _Names(function)
        self.local, self.taken = names.local, names.local | names.meant

    def visit_body(self, node: ast.AST) -> None:
        """Replace the calls in every list of statements below a node."""
        for field in ("body", "orelse"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                setattr(node, field, [new for old in statements for new in self.replaced(old)])

    def replaced(self, statement: ast.stmt) -> list[ast.stmt]:
        """What stands in the place of one statement."""
        call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        text = self.levels.get(_called(call))
        if text is None or not isinstance(call, ast.Call):
            self.visit_body(statement)
            return [statement]
        level = _function(text)
        body = self.body_of(level, call)
        value = None
        if isinstance(body[-1], ast.Return):
            value = body[-1].value
            body.pop()
        if any(isinstance(node, ast.Return) for part in body for node in ast.walk(part)):
            raise ValueError(f"{level.name} returns early, and cannot stand in the place of its call")
        if isinstance(statement, ast.Assign):
            if value is None:
                raise ValueError(f"{level.name} returns nothing, and {self.function.name} assigns it")
            body.append(ast.Assign(statement.targets, value, lineno=0))
        return [new for old in body for new in self.replaced(old)]

    def body_of(self, level: ast.FunctionDef, call: ast.Call) -> list[ast.stmt]:
        """The statements of a level, with the arguments of one call, in names that are free here."""
        parameters = [parameter.arg for parameter in level.args.args]
        if call.keywords or len(call.args) != len(parameters):
            raise ValueError(
                f"{self.function.name} must call {level.name} with {len(parameters)} positional arguments, "
                f"got {ast.unparse(call)}"
            )
        names = _Names(level)
        hidden = (names.meant - names.local) & self.local
        if hidden:
            raise ValueError(
                f"{', '.join(sorted(hidden))} of {level.name} is a name of the module, but a local one in "
                f"{self.function.name}: rename it in one of them"
            )
        renamed: dict[str, ast.expr] = {}
        bound = []
        for parameter, argument in zip(parameters, call.args, strict=True):
            if isinstance(argument, (ast.Name, ast.Constant)) and parameter not in names.assigned:
                renamed[parameter] = argument
            else:
                renamed[parameter] = self.free(parameter)
                bound.append(ast.Assign([_store(renamed[parameter])], argument, lineno=0))
        for name in sorted(names.assigned - set(parameters)):
            renamed[name] = self.free(name)
        named = _Rename(renamed)
        return [*bound, *(named.visit(statement) for statement in level.body)]

    def free(self, name: str) -> ast.Name:
        """A name that is not in use here, this one if it can be."""
        number, found = 0, name
        while found in self.taken or found in self.levels:
            number += 1
            found = f"{name}_{number}"
        self.taken.add(found)
        self.local.add(found)
        return ast.Name(found, ast.Load())


class _Rename(ast.NodeTransformer):
    """Puts other names, or constants, into the places of names."""

    def __init__(self, renamed: Mapping[str, ast.expr]) -> None:
        self.renamed = renamed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        new = self.renamed.get(node.id)
        if new is None:
            return node
        return ast.Name(new.id, node.ctx) if isinstance(new, ast.Name) else new


class _Numbers(ast.NodeTransformer):
    """Makes numbers and truth values of the constants that some functions are called with."""

    def __init__(self, functions: Iterable[str]) -> None:
        self.functions = set(functions)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if _called(node) in self.functions:
            node.args = [_number(argument) for argument in node.args]
        return node


def _number(argument: ast.expr) -> ast.expr:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, int):
        kind = "bool_" if isinstance(argument.value, bool) else "int64"
        return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), kind, ast.Load()), [argument], [])
    return argument


def _called(value: ast.expr | None) -> str:
    """The name of the function that an expression calls, if it is a call by name."""
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""


def _store(name: ast.expr) -> ast.Name:
    assert isinstance(name, ast.Name)
    return ast.Name(name.id, ast.Store())


class _Names:
    """The names in a function.

    Attributes:
        assigned: those that it assigns to.
        local: these, and its parameters.
        meant: those that it reads.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.assigned: set[str] = set()
        self.meant: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Name):
                (self.assigned if isinstance(node.ctx, ast.Store) else self.meant).add(node.id)
        self.local = self.assigned | {parameter.arg for parameter in function.args.args}
