"""Where memory begins: results lie in lines as their operands do, and never depend on where cells lie."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import config

import tensorlab as tl
from tensorlab.memory import LARGE, aligned, beside
from tensorlab.nn import functional as F

LINE = 64


def address(cells: np.ndarray) -> int:
    return cells.ctypes.data % LINE


def placed(values: np.ndarray, cells: int) -> tl.Tensor:
    """The values in memory whose first cell is so many cells behind the beginning of a line."""
    memory = aligned(values.size + cells, values.dtype)[cells:]
    memory[:] = values.reshape(-1)
    return tl.from_numpy(memory).view(values.shape)


@pytest.mark.parametrize("cell", [np.float16, np.float32, np.float64, np.bool_])
def test_memory_begins_where_a_line_begins_or_where_other_cells_do(cell: type) -> None:
    dtype = np.dtype(cell)
    for count in (1, 100, LARGE):
        memory = aligned(count, dtype)
        assert (memory.size, memory.dtype, address(memory)) == (count, dtype, 0)
    for shift in range(5):
        like = aligned(LARGE + shift, dtype)[shift:]
        memory = beside(like, LARGE, dtype)
        assert (memory.size, memory.dtype, address(memory)) == (LARGE, dtype, address(like))
    assert beside(like, LARGE - 1, dtype).size == LARGE - 1


def test_results_of_many_cells_lie_in_lines_as_their_operands_do() -> None:
    for shift in (0, 3):
        x = placed(np.zeros((128, 200), np.float32), shift).requires_grad_()
        for result in (F.layer_norm(x, (200,)), tl.softmax(x, 1)):
            result.sum().backward()
            assert x.grad is not None
            assert result.data_ptr() % LINE == x.grad.data_ptr() % LINE == 4 * shift
            x.grad = None


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
