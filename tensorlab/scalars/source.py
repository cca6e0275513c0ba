"""From a formula to the text of everything that it needs, for one compute type.

A formula is found in up to three versions, told apart by the end of their names. For float32, `exp` means
``exp_float32`` if its module has one; for an integer type, `remainder` means ``remainder_integer``. The plain
name is the general version, and the definition of what the function is. Formulas call one another by the
plain name and get the version of their own type.
"""

from __future__ import annotations

import ast
import dis
import inspect
import math
from collections.abc import Callable

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

_CATEGORIES = {dtypes.BOOL: "bool", dtypes.INTEGER: "integer", dtypes.FLOATING: "floating"}


def version(function: Callable, compute: dtype) -> Callable:
    """The version of a scalar function for a compute type: by the type's name, by its category, or general.

    Example:
        >>> from tensorlab.scalars.exponential import exp
        >>> version(exp, dtypes.float32).__name__
        'exp_float32'
    """
    for suffix in (compute.name, _CATEGORIES[compute.category]):
        found = function.__globals__.get(f"{function.__name__}_{suffix}")
        if found is not None:
            return found
    return function


def compute_type(function: Callable, compute: dtype) -> dtype:
    """The type in which to compute what is wanted in `compute`: that type, or float64 instead of float32.

    Some functions have a fast version in float64 only: in float32 their intermediate results would lose too
    many digits. A formula that reaches one of them is computed in float64 and rounded once.
    """
    if compute is not dtypes.float32:
        return compute
    for needed in _needed(function, compute):
        module = needed.__globals__
        if f"{needed.__name__}_float64" in module and f"{needed.__name__}_float32" not in module:
            return dtypes.float64
    return compute


def formula_text(function: Callable, compute: dtype, decorator: str, keep_general: bool = False) -> str:
    """The text of a formula and of the functions and constants that it uses, ready to stand in a kernel.

    Args:
        function: the general version.
        compute: the type that the kernel computes in.
        decorator: the line above each function.
        keep_general: define the name ``general`` as well, the general version of `function`.

    Returns:
        lines of Python in which `function`'s own name is bound to the version for `compute`.

    Raises:
        ValueError: two functions use one name for different constants, or a version calls one of
            another type.
    """
    constants: dict[str, object] = {}
    parts = []
    general = [f"{decorator}\n{_code(function)}", f"general = {function.__name__}\n"]
    for needed in _needed(function, compute):
        chosen = version(needed, compute)
        for name in _names(chosen):
            value = chosen.__globals__.get(name)
            if isinstance(value, (int, float)) and constants.setdefault(name, value) != value:
                raise ValueError(f"two scalar functions use the name {name} for different constants")
        parts.append(f"{decorator}\n{_code(chosen)}")
        if chosen is not needed:
            parts.append(f"{needed.__name__} = {chosen.__name__}\n")
    lines = [f"{name} = {_literal(value)}\n" for name, value in constants.items()]
    return "".join(lines) + "\n\n" + "\n\n".join([*(general if keep_general else []), *parts])


def _code(function: Callable) -> str:
    """The text of a function without its docstring: what is said of a formula changes no kernel."""
    text = inspect.getsource(function)
    if not function.__doc__:
        return text
    said = ast.parse(text).body[0].body[0]  # type: ignore[attr-defined]
    lines = text.splitlines(keepends=True)
    return "".join(lines[: said.lineno - 1] + lines[said.end_lineno :])


def _needed(function: Callable, compute: dtype) -> list[Callable]:
    """The functions whose version for `compute` is reached from `function`, callees first."""
    found: dict[Callable, None] = {}

    def visit(current: Callable) -> None:
        if current in found:
            return
        chosen = version(current, compute)
        for name in _names(chosen):
            value = chosen.__globals__.get(name)
            if inspect.isfunction(value) and name != "number":
                _check_call(chosen, value, compute)
                visit(value)
        found[current] = None

    visit(function)
    return list(found)


def _check_call(caller: Callable, callee: Callable, compute: dtype) -> None:
    """Refuse a version for one type that calls by a plain name what has a version for another.

    In a float32 kernel ``pow_float32`` may call ``log2_float64``. If that in turn called ``log_limits``, and
    there were a ``log_limits_float32``, it would get the float32 version.
    """
    other = "float64" if compute is dtypes.float32 else "float32"
    if caller.__name__.endswith(f"_{other}") and version(callee, compute) is not callee:
        raise ValueError(f"{caller.__name__} must call a version of {callee.__name__} by its full name")


def _names(function: Callable) -> tuple[str, ...]:
    """The global names that a function's code reads."""
    loads = (i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL")
    return tuple(dict.fromkeys(loads))


def _literal(value: object) -> str:
    return "math.inf" if value == math.inf else repr(value)
