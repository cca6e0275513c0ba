"""Results made in one step: a tensor over new memory, and what a kernel writes into it.

A backend with a compiler makes them of machine code, by the recipe that stands here; see
`tensorlab.backends.cpu.results`. Without one, and while somebody looks at every storage that is made
(`tensorlab.modes.watched`), Python makes them in the same way, step by step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab import modes
from tensorlab.backends import HOST, Backend, backend
from tensorlab.backends.recipes import Ingredient, Layout, Recipe
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.storage import UNTRACKED, UntypedStorage
from tensorlab.tensor import Tensor, make_dense, make_view

__all__ = [
    "computing",
    "dense",
    "exchanged",
    "mapping",
    "meeting",
    "never",
    "new_dense",
    "overwriting",
    "view",
]


_RECIPE = Recipe(
    storage=UntypedStorage,
    storage_fields=(
        ("_memory", Ingredient.MEMORY),
        ("_others", None),
        ("_version", 0),
        ("backend", HOST),
        ("readonly", False),
    ),
    tensor=Tensor,
    tensor_fields=(
        ("_storage", Ingredient.STORAGE),
        ("_dtype", Ingredient.DTYPE),
        ("_shape", Ingredient.SHAPE),
        ("_stride", Ingredient.STRIDE),
        ("_offset", 0),
        ("_dense", Ingredient.MEMORY),
        ("_base", None),
        ("_edge", None),
        ("_grad", None),
    ),
    view_fields=(
        ("_storage", Ingredient.SAME),
        ("_dtype", Ingredient.SAME),
        ("_shape", Ingredient.SHAPE),
        ("_stride", Ingredient.STRIDE),
        ("_offset", Ingredient.OFFSET),
        ("_dense", None),
        ("_base", Ingredient.ROOT),
        ("_edge", None),
        ("_grad", None),
    ),
    view_in_steps=make_view,
    history=("_edge", "_base"),
    operand=("_storage", "_offset", "_memory"),
    written=("_version", "readonly", "_writer"),
    untracked=UNTRACKED,
    watched=ctypes.addressof(modes.watched),
    in_steps=make_dense,
)


def _new_in_steps(
    count: int, cell: np.dtype, element_type: dtype, shape: Size, stride: tuple[int, ...]
) -> Tensor:
    return make_dense(np.empty(count, cell), element_type, shape, stride)


def never(*tensors: Tensor) -> None:
    """None: what is to be done is done step by step."""


# new_dense(count, cell, dtype, shape, stride) is a row-major tensor over new memory, which holds whatever it
# held before; dense(memory, dtype, shape, stride) is `make_dense`, and view(base, shape, stride, offset) is
# `make_view`. exchanged(matrix) is a view of it with its dimensions exchanged; of what is no matrix, or is
# recorded, it is None. Machine code takes their places when there is a compiler; until then, Python need not
# import one. So they are called by the name of this module.
new_dense: Callable[[int, np.dtype, dtype, Size, tuple[int, ...]], Tensor] = _new_in_steps
view: Callable[[Tensor, Size, tuple[int, ...], int], Tensor] = make_view
dense: Callable[[np.ndarray, dtype, Size, tuple[int, ...]], Tensor] = make_dense
exchanged: Callable[[Tensor], Tensor | None] = never


def computing(
    run: Callable[..., None], result: dtype, operands: tuple[dtype, ...] | None = None
) -> Callable[..., Any]:
    """A short kernel as a function of (count, shape, stride, *operands) that makes its own result.

    Args:
        run: the kernel, called with the cells of a row-major result and with the operands: cells and numbers.
        result: the dtype of the result.
        operands: where the operands are tensors instead, their dtypes. Of each the cells are those from its
            first element to the end of its memory, and if that was made for cells of another dtype, the
            function returns None.

    Returns:
        The function. It looks at no argument: whoever calls it answers for the types and for the sizes.
    """
    cell = result.cell
    cells = None if operands is None else tuple([operand.cell for operand in operands])
    compute = _maker().computing(_RECIPE, run, cell, result, cells)
    if compute is not None:
        return compute

    def step_by_step(count: int, shape: Size, stride: tuple[int, ...], *given: Any) -> Tensor:
        memory = np.empty(count, cell)
        run(memory, *[item._cells() if isinstance(item, Tensor) else item for item in given])
        return make_dense(memory, result, shape, stride)

    return step_by_step


def mapping(
    run: Callable[..., None], source: dtype, result: dtype, limit: int
) -> Callable[..., Tensor | None]:
    """A short kernel of one operand, or of two, as a function of tensors, for most of those that it meets.

    Args:
        run: the kernel, called with the cells of the result and of the tensors.
        source, result: the dtypes of the tensors and of the result.
        limit: the most elements that it is for.

    Returns:
        The function. It gives None for a tensor of another dtype, for one that is not known to be row-major,
        or is longer, or is recorded, and for two of different shapes. Without a compiler it gives None for
        all.
    """
    return _maker().mapping(_RECIPE, run, source, result, limit) or never


def meeting(
    run: Callable[..., None],
    tensors: Sequence[Tensor],
    result: dtype,
    count: int,
    shape: Size,
    stride: tuple[int, ...],
) -> Callable[..., Tensor | None] | None:
    """A short kernel as a function of tensors that have the layouts of these, for most of them.

    Args:
        run: the kernel, called with the cells of the row-major result and with those of the tensors, from
            their first elements to the ends of their memory.
        tensors: one of each layout.
        result, count, shape, stride: what the function makes.

    Returns:
        The function. It gives None for tensors of other dtypes, shapes or strides, and for one that is
        recorded. Without a compiler there is none.
    """
    layouts = [(tensor._dtype, tensor._shape, tensor._stride) for tensor in tensors]
    return _maker().meeting(_RECIPE, run, layouts, result, count, shape, stride)


def overwriting(
    run: Callable[..., None],
    operands: Sequence[Layout | dtype | type],
    writer: object,
    limit: int,
) -> Callable[..., Tensor | None] | None:
    """A short kernel as a function of (recording, target, *operands) that overwrites `target`.

    Args:
        run: the kernel, called with the cells of the target and with the operands, cells and numbers.
        operands: what the target and each operand has to be. Of a number it is the class. Of tensors it is
            the dtype, and they have one shape and are known to be row-major; or it is the dtype, the shape
            and the strides of each.
        writer: what is noted on the storage (see `tensorlab.autograd.writers`).
        limit: the most elements of row-major tensors; or how many the target has, whose layout is known.

    Returns:
        The function. It gives the target once that is written; or None, before anything is changed, where an
        operand is something else or lies in the target's memory, where that is read-only or not tracked, and
        where one is recorded and `recording` is not False. Without a compiler there is none.
    """
    return _maker().overwriting(_RECIPE, run, operands, writer, limit)


def _maker() -> Backend:
    """What makes results, after it has put its functions in place."""
    global dense, exchanged, new_dense, view
    maker = backend("cpu")
    if new_dense is _new_in_steps:
        dense, view = maker.dense(_RECIPE) or dense, maker.view(_RECIPE) or view
        exchanged = maker.exchanging(_RECIPE) or exchanged
        new_dense = maker.new_dense(_RECIPE) or new_dense
    return maker
