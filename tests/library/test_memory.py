"""Results never depend on where in a line of the cache the cells of their operands lie."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import config

import tensorlab as tl
from tensorlab.nn import functional as F

LINE = 64


def placed(values: np.ndarray, cells: int) -> tl.Tensor:
    """The values in memory whose first cell is so many cells behind the beginning of a line."""
    memory = np.empty(values.size + cells + LINE // values.itemsize, values.dtype)
    first = -memory.ctypes.data % LINE // values.itemsize + cells
    memory = memory[first : first + values.size]
    memory[:] = values.reshape(-1)
    return tl.from_numpy(memory).view(values.shape)


# The first stays in a second-level cache; the last is more than the caches keep.
@pytest.mark.parametrize(("rows", "length"), [(40, 100), (300, 1000), (2100, 1001)])
def test_results_do_not_depend_on_where_cells_lie(rows: int, length: int) -> None:
    if config.DISABLE_JIT and rows * length > 10_000:  # type: ignore[attr-defined]
        pytest.skip("the interpreter takes minutes for so many cells")
    random = np.random.default_rng(0)
    x, above, weight, bias = (
        random.standard_normal(shape).astype(np.float32)
        for shape in ((rows, length), (rows, length), (length,), (length,))
    )
    found = []
    for shift in (0, 1, 4, 15):
        given = [placed(value, shift).requires_grad_() for value in (x, weight, bias)]
        for result, operands in (
            (F.layer_norm(given[0], (length,), *given[1:]), given),
            (tl.softmax(given[0], 1), given[:1]),
            (tl.log_softmax(given[0], 1), given[:1]),
        ):
            gradients = tl.autograd.grad(result, operands, placed(above, shift // 2))
            found.append([result.detach().numpy(), *(gradient.numpy() for gradient in gradients)])
    for position, later in enumerate(found[3:]):
        for one, other in zip(found[position % 3], later, strict=True):
            np.testing.assert_array_equal(one, other)
