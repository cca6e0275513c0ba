"""A formula of numbers as one of arrays.

The tables of scalar functions and of folds are written for kernels that see one element at a time. Here the
text of a formula is read once more, so that each of its names may be a whole array: ``a if c else b``
computes both and chooses element by element, and so do ``and``, ``or`` and ``not``. A formula with a loop is
called for each element.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.scalars import number
from tensorlab.scalars.row import choose

_CATEGORIES = {dtypes.BOOL: "bool", dtypes.INTEGER: "integer", dtypes.FLOATING: "floating"}
_STEPS = (ast.For, ast.While, ast.If)


class _Math:
    """`math` for arrays; what NumPy lacks is called for each element."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name, None)
        return _each(name) if found is None else found


@functools.cache
def _each(name: str) -> Callable[..., np.ndarray]:
    function = getattr(math, name)

    def one(value: float) -> float:
        try:
            return function(value)
        except (OverflowError, ValueError):  # a pole, or too large for a float
            return math.inf

    return np.vectorize(one, otypes=[np.float64])


_NAMES: dict[str, Any] = {
    "np": np,
    "numpy": np,
    "math": _Math(),
    "choose": np.where,
    "max": lambda a, b: np.where(b > a, b, a),
    "min": lambda a, b: np.where(b < a, b, a),
    "int": lambda value: np.asarray(value).astype(np.int64),
    "float": lambda value: np.asarray(value).astype(np.float64),
}


class _Elementwise(ast.NodeTransformer):
    """What decides about one number, as what decides about each of many."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return _call("where", node.test, node.body, node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        return _joined("logical_and" if isinstance(node.op, ast.And) else "logical_or", node.values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _call("logical_not", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        pairs = zip(operands, node.ops, operands[1:], strict=False)
        return _joined("logical_and", [ast.Compare(left, [op], [right]) for left, op, right in pairs])


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name("numpy", ast.Load()), name, ast.Load()), list(arguments), [])


def _joined(name: str, values: list[ast.expr]) -> ast.expr:
    return functools.reduce(lambda a, b: _call(name, a, b), values)


@functools.cache
def of_arrays(function: Callable, compute: dtype) -> Callable[..., Any]:
    """A formula of numbers as a function of arrays of the compute type, and all that it calls.

    Example:
        >>> from tensorlab.scalars import TABLE
        >>> of_arrays(TABLE["relu"].formula, dtypes.float32)(np.array([-1, 2], np.float32)).tolist()
        [0.0, 2.0]
    """
    chosen = function.__globals__.get(f"{function.__name__}_{_CATEGORIES[compute.category]}", function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(chosen)))
    if any(isinstance(node, _STEPS) for node in ast.walk(tree)):
        return np.vectorize(chosen, otypes=[compute.cell])
    names = {**chosen.__globals__, **_NAMES, "number": functools.partial(_converted, compute.cell)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in inspect.signature(chosen).parameters:
            called = chosen.__globals__.get(node.id)
            if inspect.isfunction(called) and called not in (number, choose):
                names[node.id] = of_arrays(called, compute)
    exec(compile(ast.fix_missing_locations(_Elementwise().visit(tree)), chosen.__name__, "exec"), names)
    made: Callable[..., Any] = names[chosen.__name__]
    return made


def _converted(cell: np.dtype, value: Any) -> Any:
    made = np.asarray(value).astype(cell)  # numbers that do not fit wrap around
    return made if made.ndim else made[()]
