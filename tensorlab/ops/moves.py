"""Operations that move elements and put zeros between them: short tensors by a table of places.

Where each element of the result comes from follows from the shape and from the other arguments. So a call
that came before with a short row-major tensor leaves a table, found by moving numbers instead of elements,
and the next one takes the elements as it says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, ParamSpec, cast

import numpy as np

from tensorlab.autograd.views import requires_grad
from tensorlab.dtypes import int64
from tensorlab.layout import Size, default_strides
from tensorlab.modes import current
from tensorlab.ops.dispatch import SMALL
from tensorlab.ops.plans import remember
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["moves_elements"]

P = ParamSpec("P")

# So many tables are kept of one operation, each of up to this many elements: more than programs meet.
MOST = 128
MOST_ELEMENTS = 8192


class Table(NamedTuple):
    """Where the elements come from.

    Attributes:
        sources: the places in the operand of the elements that are no zeros of the operation's own.
        targets: their places in the result; None if they are all there is.
        shape, stride, cells: the result's.
    """

    sources: np.ndarray
    targets: np.ndarray | None
    shape: Size
    stride: tuple[int, ...]
    cells: int


def moves_elements(function: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """A function of a tensor that moves its elements, with a short way for short ones.

    What is no mere move, as where another number than 0 is put between the elements, is found out and goes
    the function's own way; so does what has to be recorded.
    """
    call: Callable[..., Any] = function
    tables: dict[tuple, Table | Literal[False]] = {}
    met: dict[tuple, bool] = {}

    @functools.wraps(function)
    def either(input: Any, *arguments: Any, **keywords: Any) -> Any:
        if type(input) is Tensor:
            cells = input._dense if input._dense is not None else dense_cells(input)
            if cells is not False and 0 < cells.size <= SMALL and not (current.grad and requires_grad(input)):
                key = _key(input._shape, arguments, keywords)
                table = None if key is None else tables.get(key)
                if table:
                    sources, targets, shape, stride, count = table
                    if targets is None:
                        return make_dense(cells.take(sources), input._dtype, shape, stride)
                    memory = np.zeros(count, cells.dtype)
                    memory[targets] = cells.take(sources)
                    return make_dense(memory, input._dtype, shape, stride)
                if table is None and key is not None:
                    result = call(input, *arguments, **keywords)
                    if key not in met:  # a table costs some calls: those that came twice get one
                        remember(met, key, True)
                    else:
                        if len(tables) >= MOST:
                            tables.clear()
                        tables[key] = _table(function, input, arguments, keywords) or False
                    return result
        return call(input, *arguments, **keywords)

    return cast(Callable[P, Tensor], either)


def _key(shape: Size, arguments: tuple, keywords: dict[str, Any]) -> tuple | None:
    """What a table depends on; None where an argument is of another kind than ints and texts."""
    key: list[object] = [shape]
    if not _described(key, arguments):
        return None
    if keywords:
        key += keywords
        if not _described(key, keywords.values()):
            return None
    return tuple(key)


def _described(key: list[object], arguments: Iterable[Any]) -> bool:
    for argument in arguments:
        kind = type(argument)
        if kind is tuple or kind is list:
            for item in argument:
                if type(item) is not int:  # True is no 1
                    return False
            key.append(tuple(argument))
        elif kind is int or kind is str or argument is None:
            key.append(argument)
        else:
            return False
    return True


def _table(function: Callable, input: Tensor, arguments: tuple, keywords: dict[str, Any]) -> Table | None:
    shape, count = input._shape, input.numel()
    stride = default_strides(shape)
    found = []
    for first in (1, 1 + count):
        numbers = make_dense(np.arange(first, first + count), int64, shape, stride)
        moved = function(numbers, *arguments, **keywords)
        cells = dense_cells(moved)
        if cells is False or not 0 < cells.size <= MOST_ELEMENTS:
            return None
        found.append(cells)
    once, again = found
    comes = once > 0
    if not np.array_equal(again, np.where(comes, once + count, 0)):
        return None  # something else than zeros stands between the elements
    targets = None if comes.all() else comes.nonzero()[0]
    return Table(once[comes] - 1, targets, moved._shape, moved._stride, once.size)
