"""An index as text, ``"1:, [0, 2]"``, as Python would read it."""

from __future__ import annotations

import ast
import operator
from typing import Any

from tensorlab.tensor import Tensor

__all__ = ["parse_index"]

_COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
}


def parse_index(text: str, x: Tensor) -> Any:
    """The index that stands between the brackets of ``x[…]``.

    Nothing is evaluated: numbers, slices, None, ``...``, lists of numbers or of True and False, and one
    comparison of `x` (or of ``x % number``) with a number are read; everything else is refused.

    Args:
        text: the index, without the brackets around it: ``"[0, 2]"`` is a list.
        x: the tensor that a comparison speaks of.

    Raises:
        ValueError: it is no such index.

    Example:
        >>> import tensorlab as tl
        >>> parse_index("1:, [0, 2]", tl.zeros(3, 4))
        (slice(1, None, None), [0, 2])
    """
    try:
        node = ast.parse(f"x[{text.strip()}]", mode="eval").body
    except SyntaxError:
        node = None
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        raise _refusal(text)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = tuple(_item(item, x, text) for item in items)
    if sum(item is Ellipsis for item in found) > 1:
        raise ValueError("an index has one ... at most")
    return found


def _item(node: ast.expr, x: Tensor, text: str) -> Any:
    if isinstance(node, ast.Constant) and (node.value is None or node.value is Ellipsis):
        return node.value
    if isinstance(node, ast.Slice):
        return slice(*(_bound(part, text) for part in (node.lower, node.upper, node.step)))
    if isinstance(node, ast.List):
        if all(isinstance(item, ast.Constant) and isinstance(item.value, bool) for item in node.elts):
            return [item.value for item in node.elts if isinstance(item, ast.Constant)]
        return [_number(item, text) for item in node.elts]
    if isinstance(node, ast.Compare):
        return _comparison(node, x, text)
    return _number(node, text)


def _bound(node: ast.expr | None, text: str) -> int | None:
    return None if node is None else _number(node, text)


def _number(node: ast.expr, text: str) -> int:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    if not isinstance(node, ast.Constant) or type(node.value) is not int or node.value >= 10**15:
        raise _refusal(text)
    return sign * node.value


def _comparison(node: ast.Compare, x: Tensor, text: str) -> Tensor:
    left, compare = node.left, _COMPARISONS.get(type(node.ops[0]))
    if compare is None or len(node.ops) > 1:
        raise _refusal(text)
    value = x
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
        modulus = _number(left.right, text)
        if modulus < 1:
            raise _refusal(text)
        left, value = left.left, x % modulus
    if not isinstance(left, ast.Name) or left.id != "x":
        raise _refusal(text)
    mask: Tensor = compare(value, _number(node.comparators[0], text))
    return mask


def _refusal(text: str) -> ValueError:
    return ValueError(
        f"{text!r} is nothing that this lab reads: use numbers, slices such as 1:3, None, ..., lists such as "
        f"[0, 2] or [True, False], or x > 5"
    )
