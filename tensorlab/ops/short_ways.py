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
from tensorlab.layout import Size, numel
from tensorlab.memory import LARGE, beside
from tensorlab.modes import current
from tensorlab.names.binding import FINDERS, following
from tensorlab.ops.arguments import numpy_names
from tensorlab.ops.plans import remember
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["Short", "of_cells", "short_way"]

# An argument that was not given: None is one that may be.
ABSENT: Any = object()

# A short way that is none, taken apart.
NONE = (None,) * 5

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


def _steps(short: Short, input: Tensor) -> tuple:
    """What makes the result, and what it is called with first."""
    run, cell, result, shape, stride, size = short
    is_large = max(size, numel(input._shape)) >= LARGE

    def compute(size: int, shape: Size, stride: tuple[int, ...], cells: np.ndarray) -> Tensor:
        memory = beside(cells, size, cell) if is_large else np.empty(size, cell)
        run(memory, cells)
        return make_dense(memory, result, shape, stride)

    return compute, size, shape, stride


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
        general = following(
            numpy_names(function), "reduces_or_unifies" if function.__name__ in ("max", "min") else "reduces"
        )
        prepared: dict[tuple, tuple | Literal[False]] = {}  # plain tuples are taken apart sooner than named
        # The call before this one, for which another is often the same: its shape, its dtype and the other
        # arguments, and the short way. They are compared by identity, which takes no hash.
        latest: tuple = (None, None, None, None, *NONE)

        def find(input: Tensor, dim: object, flag: object) -> tuple | Literal[False]:
            # 1 and True are one key, and mean different things
            if (dim is not ABSENT and type(dim) is not int) or (
                flag is not ABSENT and type(flag) is not bool
            ):
                return False
            given = [input, *(argument for argument in (dim, flag) if argument is not ABSENT)]
            key = (input._dtype, input._shape, *given[1:])
            known = prepared.get(key)
            if known is not None:
                return known
            found = prepare(*given)
            return remember(prepared, key, found and (*_steps(found, input), recorder and recorder(*given)))

        @functools.wraps(function)
        def either(
            input: Any = ABSENT, dim: Any = ABSENT, flag: Any = ABSENT, /, *others: Any, **keywords: Any
        ) -> Any:
            nonlocal latest
            at, keeps = dim, flag
            if keywords:
                at, keeps = _by_place(dim, flag, keywords)
            if input.__class__ is Tensor and not others:
                cells = dense_cells(input)
                if cells is not False:
                    shape, kind, old_at, old_keeps, compute, size, sizes, stride, record = latest
                    if (
                        input._shape is not shape
                        or input._dtype is not kind
                        or at is not old_at
                        or keeps is not old_keeps
                    ):
                        short = find(input, at, keeps)
                        latest = (input._shape, input._dtype, at, keeps, *(short or NONE))
                        compute, size, sizes, stride, record = latest[4:]
                    if compute is not None:
                        base = input._base
                        tracked = input._edge is not None or (base is not None and base._edge is not None)
                        if not tracked or record is not None or not current.grad:
                            made = compute(size, sizes, stride, cells)
                            return made if not tracked or record is None else record(made, input)
            given = [argument for argument in (input, dim, flag) if argument is not ABSENT]
            return general(*given, *others, **keywords)

        FINDERS.add(either)
        return cast(Callable[P, R], either)

    return decorate


def _by_place(dim: object, flag: object, keywords: dict[str, Any]) -> tuple[object, object]:
    """`dim` and `keepdim` of a call that names one of them, or both, and nothing else."""
    left = len(keywords)
    if dim is ABSENT and "dim" in keywords:
        dim = keywords["dim"]
        left -= 1
    if dim is not ABSENT and flag is ABSENT and "keepdim" in keywords:
        flag = keywords["keepdim"]
        left -= 1
    return (None, None) if left else (dim, flag)
