"""The registry of operators: what users can call, said once, where each operator is written.

A function becomes an operator by the decorator `op`, in the module in which it is written; a row of the
scalar table says the same of itself (see `tensorlab.scalars`). Every list of operators is made from here:
what `tensorlab`, `tensorlab.linalg`, `tensorlab.special` and `tensorlab.nn.functional` export, the methods
and properties of `Tensor`, the rules for names of dimensions, and the stubs for editors and type checkers.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

__all__ = ["Op", "functions", "members", "op", "with_imports"]

F = TypeVar("F", bound=Callable | property)


@dataclass(frozen=True, slots=True)
class Op:
    """One operator, under one name.

    Attributes:
        name: what users call it.
        function: the function as it is written; a property, if it has a setter.
        variants: the words ``function``, ``method`` and ``property``: what a namespace exports, and what
            tensors have. With ``in_place`` there is a form that overwrites the first tensor, see
            `tensorlab.ops.in_place`; ``in_place_function`` exports it, too.
        namespace: where the function is found: ``""`` for `tensorlab` itself, ``linalg``, ``special`` or
            ``nn.functional``.
        names: what it does with names of dimensions, a rule of `tensorlab.names.rules`. Without one it
            refuses tensors that have names.
    """

    name: str
    function: Callable | property
    variants: frozenset[str]
    namespace: str
    names: str


_functions: dict[str, dict[str, Op]] = {}
_members: dict[str, Op] = {}


def op(
    variants: str = "function",
    *,
    name: str = "",
    namespace: str = "",
    aliases: str = "",
    names: str = "",
) -> Callable[[F], F]:
    """Register the function that follows as an operator. Its docstring gets the imports of its example.

    Args:
        variants, namespace, names: see `Op`.
        name: what users call it, if that is not the function's own name.
        aliases: its other names. One with dots, such as ``special.softmax``, is a function of that namespace.
    """

    def register(function: F) -> F:
        own = name or cast(types.FunctionType, function).__name__
        if isinstance(function, (types.FunctionType, property)) and function.__doc__:
            function.__doc__ = with_imports(function.__doc__)
        _add(own, function, variants, namespace, names)
        for alias in aliases.split():
            module, _, last = alias.rpartition(".")
            twin = function if last == own else another_name(last, function)
            _add(last, twin, "function" if module else variants, module or namespace, names)
        return function

    return register


# What examples call the namespaces that they use.
_IMPORTS = {
    "tl.": "import tensorlab as tl",
    "F.": "import tensorlab.nn.functional as F",
    "np.": "import numpy as np",
}


def with_imports(text: str) -> str:
    """A docstring whose example begins with the imports that it needs.

    Example:
        >>> with_imports(">>> tl.ones(2).sum()").splitlines()
        ['>>> import tensorlab as tl', '>>> tl.ones(2).sum()']
    """
    before, prompt, example = text.partition(">>> ")
    indent = before[before.rfind("\n") + 1 :]
    needed = [line for name, line in _IMPORTS.items() if name in example and line not in example]
    return before + "".join(f">>> {line}\n{indent}" for line in needed) + prompt + example


def _add(name: str, function: Callable | property, variants: str, namespace: str, names: str) -> None:
    found = Op(name, function, frozenset(variants.split()), namespace, names)
    if "function" in found.variants:
        _functions.setdefault(namespace, {})[name] = found
    if found.variants & {"method", "property"}:
        _members[name] = found


def functions(namespace: str) -> dict[str, Op]:
    """The operators that a namespace exports, by name."""
    return _functions[namespace]


def members() -> dict[str, Op]:
    """The methods and properties of `Tensor`, by name."""
    return _members


def another_name(name: str, function: F) -> F:
    """The same function under a second name."""
    original = cast(types.FunctionType, function)
    twin = types.FunctionType(
        original.__code__, original.__globals__, name, original.__defaults__, original.__closure__
    )
    twin.__dict__.update(original.__dict__)
    twin.__kwdefaults__ = original.__kwdefaults__
    twin.__annotations__ = original.__annotations__
    twin.__module__ = original.__module__
    twin.__doc__ = f"The same as `{original.__name__}`. {original.__doc__}"
    return cast(F, twin)
