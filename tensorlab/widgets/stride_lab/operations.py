"""The operations of the Stride Lab: how each is written, checked, and applied to a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tensorlab.core import layout
from tensorlab.tensor import Tensor

__all__ = ["MOST_ELEMENTS", "OPERATIONS", "Operation", "apply", "checked_operation", "python_text"]

MOST_ELEMENTS = 4096  # as in engine.js: what the lab draws

# An operation's name and its arguments, each a number or a list of numbers.
Call = list[Any]


@dataclass(frozen=True)
class Operation:
    """One operation: the kinds of its arguments ("int" or "ints"), and what it does to a tensor."""

    arguments: tuple[str, ...]
    apply: Callable[..., Tensor]


def _slice(x: Tensor, dim: int, start: int, stop: int, step: int) -> Tensor:
    where = layout.wrap_dim(dim, x.ndim)
    return x[(*[slice(None)] * where, slice(start, stop, step))]


OPERATIONS = {
    "transpose": Operation(("int", "int"), Tensor.transpose),
    "permute": Operation(("ints",), Tensor.permute),
    "slice": Operation(("int", "int", "int", "int"), _slice),
    "select": Operation(("int", "int"), Tensor.select),
    "expand": Operation(("ints",), Tensor.expand),
    "unsqueeze": Operation(("int",), Tensor.unsqueeze),
    "squeeze": Operation(("int",), Tensor.squeeze),
    "diagonal": Operation(("int", "int", "int"), Tensor.diagonal),
    "unfold": Operation(("int", "int", "int"), Tensor.unfold),
    "flip": Operation(("ints",), Tensor.flip),
    "view": Operation(("ints",), Tensor.view),
    "reshape": Operation(("ints",), Tensor.reshape),
    "contiguous": Operation((), Tensor.contiguous),
    "as_strided": Operation(("ints", "ints", "int"), Tensor.as_strided),
}


def checked_operation(call: object) -> Call:
    """An operation as a plain list: its name, then numbers and lists of numbers.

    Where an operation ends with a list of numbers, these may also follow one by one, as in PyTorch.

    Raises:
        TypeError: it is no such list, or an argument is missing or of another kind.
        ValueError: there is no operation of that name.

    Example:
        >>> checked_operation(("permute", 2, 0, 1)), checked_operation(["transpose", 0, -1])
        (['permute', [2, 0, 1]], ['transpose', 0, -1])
    """
    if not isinstance(call, Sequence) or isinstance(call, str) or not call:
        raise TypeError(f"an operation is a sequence such as ('transpose', 0, 1), got {call!r}")
    name, *arguments = call
    if name not in OPERATIONS:
        raise ValueError(f"there is no operation {name!r}; there are {', '.join(OPERATIONS)}")
    kinds = OPERATIONS[name].arguments
    if kinds == ("ints",) and not (len(arguments) == 1 and isinstance(arguments[0], Sequence)):
        arguments = [arguments]
    if len(arguments) != len(kinds):
        raise TypeError(f"{name} takes {len(kinds)} arguments, got {len(arguments)}: {list(arguments)}")
    plain: Call = [name]
    for kind, argument in zip(kinds, arguments, strict=True):
        if kind == "int":
            plain.append(layout.as_int(argument, f"the argument of {name}"))
        elif isinstance(argument, Sequence) and not isinstance(argument, str):
            plain.append([layout.as_int(number, f"every number of {name}") for number in argument])
        else:
            raise TypeError(f"{name} takes a list of integers here, got {argument!r}")
    return plain


def apply(x: Tensor, call: Call) -> Tensor:
    """What an operation makes of a tensor: a view, a copy, or the tensor itself.

    Raises:
        ValueError: the lab cannot draw that many elements.
        RuntimeError, IndexError, ValueError: the library refuses.

    Example:
        >>> import tensorlab as tl
        >>> apply(tl.arange(12).view(3, 4), ["slice", 1, 0, 4, 2]).stride()
        (4, 2)
    """
    name, *arguments = call
    result = OPERATIONS[name].apply(x, *arguments)
    if result.numel() > MOST_ELEMENTS:
        raise ValueError(f"the lab draws up to {MOST_ELEMENTS} elements; this would have {result.numel()}")
    return result


def python_text(call: Call, shape: Sequence[int]) -> str:
    """An operation as it is written behind a tensor of this shape.

    Example:
        >>> python_text(["slice", 1, 0, 4, 2], (3, 4)), python_text(["permute", [1, 0]], (3, 4))
        ('[:, ::2]', '.permute(1, 0)')
    """
    name, *arguments = call
    if name in ("slice", "select"):
        dim, first, *rest = arguments
        where = layout.wrap_dim(dim, len(shape))
        return "[" + ":, " * where + (_slice_text(shape[where], first, *rest) if rest else str(first)) + "]"
    if OPERATIONS[name].arguments == ("ints",):
        arguments = arguments[0] or ["()"]
    return f".{name}({', '.join(str(tuple(a)) if isinstance(a, list) else str(a) for a in arguments)})"


def _slice_text(size: int, start: int, stop: int, step: int) -> str:
    bounds = f"{start or ''}:{'' if stop >= size else stop}"
    return bounds if step == 1 else f"{bounds}:{step}"
