"""The short way of a function of one tensor: what a call costs that has been made before.

Which kernel folds or scales a dense tensor, and what comes of it, follows from the tensor's dtype and shape
and from the dimension. So a function that is decorated with `short_way` finds that out once. What is left to
the next call is to look it up, to allocate, and to run the kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np

from tensorlab.backends import Launch
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.memory import LARGE, beside
from tensorlab.modes import current
from tensorlab.names.binding import FINDERS, RULES, following
from tensorlab.ops.arguments import numpy_names
from tensorlab.ops.plans import remember
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["Short", "of_cells", "short_way"]

P = ParamSpec("P")
R = TypeVar("R")


class Short(NamedTuple):
    """A kernel for one run of cells, called as ``run(out, cells)``, and the result that it makes."""

    run: Callable[[np.ndarray, np.ndarray], None]
    cell: np.dtype
    result: dtype
    shape: Size
    stride: tuple[int, ...]
    size: int


def of_cells(launch: Launch) -> Callable[[np.ndarray, np.ndarray], None]:
    """A launch of one operand as the kernel of a `Short`."""

    def run(out: np.ndarray, cells: np.ndarray) -> None:
        launch((out, 0), (cells, 0))

    return run


def short_way(
    prepare: Callable[..., Short | Literal[False]],
    recorder: Callable[..., Callable[[Tensor, Tensor], Tensor]] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """`numpy_names` for a function of a tensor, with a short way for dense tensors.

    It is there for the calls ``f(x)``, ``f(x, dim)`` and ``f(x, dim, keepdim)``, with or without the names of
    these arguments. All others take the general way.

    Args:
        prepare: is called like the function, with an int and a bool, and gives the short way of such calls,
            or False if they have none. What it raises the caller sees.
        recorder: is called in the same way, and gives what records such calls: called with the result and the
            tensor, it remembers how the one was made of the other. Without it the short way is for calls of
            which nothing is recorded.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        general = following(numpy_names(function), RULES[function.__name__])
        prepared: dict[tuple, tuple | Literal[False]] = {}  # plain tuples are taken apart sooner than named

        @functools.wraps(function)
        def either(*arguments: Any, **keywords: Any) -> Any:
            given = _by_place(arguments, keywords) if keywords else arguments
            count = len(given)
            if count and type(input := given[0]) is Tensor:
                key: Any = None
                if count == 1:
                    key = input._dtype, input._shape
                elif type(given[1]) is int:  # 1 and True are one key, and mean different things
                    if count == 2:
                        key = input._dtype, input._shape, given[1]
                    elif count == 3 and (given[2] is False or given[2] is True):
                        key = input._dtype, input._shape, given[1], given[2]
                base = input._base
                tracked = input._edge is not None or (base is not None and base._edge is not None)
                if key and (not tracked or recorder is not None or not current.grad):
                    cells = input._dense if input._dense is not None else dense_cells(input)
                    if cells is not False:
                        short = prepared.get(key)
                        if short is None:
                            found = prepare(*given)
                            short = remember(prepared, key, found and (*found, recorder and recorder(*given)))
                        if short:
                            run, cell, result, shape, stride, size, record = short
                            memory = np.empty(size, cell) if size < LARGE else beside(cells, size, cell)
                            run(memory, cells)
                            made = make_dense(memory, result, shape, stride)
                            return made if not tracked or record is None else record(made, input)
            return general(*arguments, **keywords)

        FINDERS.add(either)
        return cast(Callable[P, R], either)

    return decorate


def _by_place(arguments: tuple, keywords: dict[str, Any]) -> tuple:
    """The arguments of a call in their places, where it names `dim` or `keepdim`; none if it names others."""
    left = len(keywords)
    if len(arguments) == 1 and "dim" in keywords:
        arguments = (arguments[0], keywords["dim"])
        left -= 1
    if len(arguments) == 2 and "keepdim" in keywords:
        arguments = (*arguments, keywords["keepdim"])
        left -= 1
    return () if left else arguments
