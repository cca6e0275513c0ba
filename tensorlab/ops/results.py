"""Results made in one step: a tensor over new memory, and what a kernel writes into it.

A backend with a compiler makes them of machine code, by the recipe that stands here; see
`tensorlab.backends.cpu.results`. Without one, and while somebody looks at every storage that is made
(`tensorlab.modes.watched`), Python makes them in the same way, step by step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from tensorlab import modes
from tensorlab.backends import backend
from tensorlab.backends.recipes import Ingredient, Recipe
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_dense

__all__ = ["computing", "dense", "new_dense"]


_RECIPE = Recipe(
    storage=UntypedStorage,
    storage_fields=(("_memory", Ingredient.MEMORY), ("_others", None), ("_version", 0), ("readonly", False)),
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
    watched=ctypes.addressof(modes.watched),
    in_steps=make_dense,
)


def _new_in_steps(
    count: int, cell: np.dtype, element_type: dtype, shape: Size, stride: tuple[int, ...]
) -> Tensor:
    return make_dense(np.empty(count, cell), element_type, shape, stride)


# new_dense(count, cell, dtype, shape, stride) is a row-major tensor over new memory, which holds whatever it
# held before, and dense(memory, dtype, shape, stride) is `make_dense`. Machine code takes their places when
# there is a compiler; until then, Python need not import one. So they are called by the name of this module.
new_dense: Callable[[int, np.dtype, dtype, Size, tuple[int, ...]], Tensor] = _new_in_steps
dense: Callable[[np.ndarray, dtype, Size, tuple[int, ...]], Tensor] = make_dense


def computing(run: Callable[..., None], result: dtype, limit: int | None = None) -> Callable[..., Any]:
    """A short kernel as a function of (count, shape, stride, *operands) that makes its own result.

    Args:
        run: the kernel, called with the cells of a row-major result and with the operands: cells and numbers.
        result: the dtype of the result.
        limit: where the result has as many cells as the first operand, up to so many: then no count is
            passed, and where they are more, the function returns None.

    Returns:
        The function. It looks at no argument: whoever calls it answers for the types and for the sizes.
    """
    global dense, new_dense
    maker, cell = backend("cpu"), result.cell
    if new_dense is _new_in_steps:
        dense, new_dense = maker.dense(_RECIPE) or dense, maker.new_dense(_RECIPE) or new_dense
    compute = maker.computing(_RECIPE, run, cell, result, limit)
    if compute is not None:
        return compute

    def step_by_step(count: int, shape: Size, stride: tuple[int, ...], *operands: Any) -> Tensor:
        memory = np.empty(count, cell)
        run(memory, *operands)
        return make_dense(memory, result, shape, stride)

    def counting(shape: Size, stride: tuple[int, ...], *operands: Any) -> Tensor | None:
        count = operands[0].size
        return step_by_step(count, shape, stride, *operands) if count <= cast(int, limit) else None

    return step_by_step if limit is None else counting
