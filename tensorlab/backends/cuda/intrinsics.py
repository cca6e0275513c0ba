"""What kernels ask of a GPU beyond `numba.cuda`: 128-bit accesses, asynchronous copies, tensor cores.

Each function here is what the simulator runs. `tensorlab.backends.cuda.lowering` has for each the one
instruction that a GPU runs in its place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends.cuda.simulator import WARP, brought_by_lanes, cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Bytes that one instruction moves at most, and a multiple of which their address must be.
WIDEST = 16


def word(value):
    """A whole number in 32 bits, which is one register of a GPU, where Python's take two."""
    return int(value)


def atomic_add(cells, cell, value):
    """Add to a cell as no other thread can in between; in which order threads add is left to chance."""
    cuda.atomic.add(cells, cell, value)


def atomic_max(cells, cell, value):
    """Overwrite a cell with a greater number, as `atomic_add` adds."""
    cuda.atomic.max(cells, cell, value)


def quotient(a, b):
    """``a // b`` of numbers that are not negative and fit into 32 bits: a fifth of the work that 64 take."""
    assert 0 <= a < 1 << 32 > b > 0
    return a // b


def remainder(a, b):
    """``a % b`` of such numbers."""
    assert 0 <= a < 1 << 32 > b > 0
    return a % b


def load4(cells, first):
    """Four neighbouring cells, in one access."""
    return _loaded(cells, first, 4)


def load8(cells, first):
    """Eight neighbouring cells, in one access."""
    return _loaded(cells, first, 8)


def store4(cells, first, values):
    """Overwrite four neighbouring cells, in one access."""
    _put(cells, first, values)


def store8(cells, first, values):
    """Overwrite eight neighbouring cells, in one access."""
    _put(cells, first, values)


def async_copy(to, to_first, cells, first, count):
    """Copy 16 bytes from global into shared memory: `count` cells, and zeros for the others.

    The copy is done when `async_wait` returns, and other threads see it after a barrier.
    """
    width = WIDEST // cells.dtype.itemsize
    _check_alignment(to, to_first, width)
    if count:
        _check_alignment(cells, first, width)
    for i in range(width):
        to[to_first + i] = cells[first + i] if i < count else cells.dtype.type(0)


def async_commit():
    """Make a group of the thread's copies since the last call."""


def async_wait(groups):
    """Wait until all but so many of the thread's latest groups are done."""


def load_matrices(tile, cell):
    """Four 8 × 8 matrices of sixteen-bit numbers: lane 8 j + r says where row r of matrix j begins.

    Returns:
        four times two numbers of each matrix: those of row ``lane // 4``, columns ``lane % 4 * 2`` and the
        next, the first in the low half.
    """
    return _matrices(tile, cell, is_turned=False)


def load_matrices_turned(tile, cell):
    """The same of the matrices' transposes."""
    return _matrices(tile, cell, is_turned=True)


def multiply_bfloat16(a, b, c):
    """``a @ b + c`` by a warp: 16 × 16 and 16 × 8 bfloat16, 16 × 8 float32."""
    return _multiplied(_bfloat16, a, b, c)


def multiply_float16(a, b, c):
    """``a @ b + c`` by a warp: 16 × 16 and 16 × 8 float16, 16 × 8 float32."""
    return _multiplied(_float16, a, b, c)


def multiply_tf32(a, b, c):
    """``a @ b + c`` by a warp: 16 × 8 and 8 × 8 numbers of `tf32`, 16 × 8 float32."""
    return _multiplied(_float32, a, b, c)


def tf32(x):
    """A float32 rounded to 10 bits of fraction, as the 32 bits that tensor cores take."""
    bits = np.float32(x).view(np.uint32)
    return (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)  # halves go away from zero


def swizzle(cell, along_k):
    """Where a sixteen-bit cell of a panel for warpgroups lies: 16 bytes are swapped by their line's number.

    Args:
        cell: its number, if they were not.
        along_k: whether lines are 64 bytes of neighbours along k, or 128 bytes across.
    """
    return cell ^ (cell >> 3 & (24 if along_k else 56))


def share_with_tensor_cores():
    """Let tensor cores see what the thread has written into shared memory."""


def warpgroup_bfloat16(totals, a, a_first, a_along_k, b, b_first, b_along_k):
    """``totals += a @ b`` by a warpgroup: 64 × 32 and 32 × 128 bfloat16 of swizzled panels.

    Each thread keeps 64 totals: those of row ``lane // 4`` of its warp's sixteen, and of the eighth behind
    it, in columns ``lane % 4 * 2`` and the next of every eight.
    """
    _multiplied_by_warpgroup(_bfloat16, totals, a, a_first, a_along_k, b, b_first, b_along_k)


def warpgroup_float16(totals, a, a_first, a_along_k, b, b_first, b_along_k):
    """The same of float16."""
    _multiplied_by_warpgroup(_float16, totals, a, a_first, a_along_k, b, b_first, b_along_k)


def _loaded(cells: Any, first: int, count: int) -> tuple[Any, ...]:
    _check_alignment(cells, first, count)
    return tuple(cells[first + i] for i in range(count))


def _put(cells: Any, first: int, values: tuple[Any, ...]) -> None:
    _check_alignment(cells, first, len(values))
    for i, value in enumerate(values):
        cells[first + i] = value


def _check_alignment(cells: Any, first: int, count: int) -> None:
    size = cells.dtype.itemsize
    if (cells.array.ctypes.data + first * size) % min(count * size, WIDEST):
        raise ValueError(f"cell {first} is not at a multiple of {count} cells, which are moved in one access")


def _matrices(tile: Any, cell: int, is_turned: bool) -> tuple[np.uint32, ...]:
    rows, lane = brought_by_lanes(cell), cuda.laneid
    row, column = lane // 4, lane % 4 * 2
    found = []
    for matrix in range(4):
        if is_turned:
            low, high = (tile[rows[8 * matrix + column + i] + row] for i in range(2))
        else:
            low, high = (tile[rows[8 * matrix + row] + column + i] for i in range(2))
        found.append(np.uint32(int(low) | int(high) << 16))
    return tuple(found)


def _bfloat16(words: np.ndarray) -> np.ndarray:
    return np.stack([words << 16, words & 0xFFFF0000], -1).view(np.float32)


def _float16(words: np.ndarray) -> np.ndarray:
    return words[..., None].view(np.float16).astype(np.float32)


def _float32(words: np.ndarray) -> np.ndarray:
    return words[..., None].view(np.float32)


class _Products:
    """The latest product of a warp, which its first lane computes for all of them."""

    brought: Any = None
    product: np.ndarray

    def of(self, brought: dict[int, Any], numbers: Any) -> np.ndarray:
        """The 16 × 8 elements of ``a @ b + c``, of what each lane brought."""
        if self.brought is not brought:
            a, b, c = (np.array([brought[lane][i] for lane in range(WARP)]) for i in range(3))
            # for lane 4 g + q: rows g and g + 8 of a, column g of b; each word holds neighbours along k
            left = numbers(a).reshape(8, 4, 2, 2, -1).transpose(3, 0, 2, 1, 4).reshape(16, -1)
            right = numbers(b).reshape(8, 4, 2, -1).transpose(2, 1, 3, 0).reshape(-1, 8)
            total = c.reshape(8, 4, 2, 2).transpose(2, 0, 1, 3).reshape(16, 8)
            self.brought, self.product = brought, left.astype(np.float64) @ right + total
        return self.product


_latest = _Products()


def _multiplied(numbers: Any, a: Any, b: Any, c: Any) -> tuple[np.float32, ...]:
    """The thread's own four elements of a product to which every lane brings some elements."""
    product = _latest.of(brought_by_lanes((a, b, c)), numbers)
    row, column = cuda.laneid // 4, cuda.laneid % 4 * 2
    own = product[row::8, column : column + 2].astype(np.float32)
    return tuple(own.ravel())


def _multiplied_by_warpgroup(
    numbers: Any, totals: Any, a: Any, a_first: int, a_along_k: bool, b: Any, b_first: int, b_along_k: bool
) -> None:
    lane, top = cuda.laneid, cuda.threadIdx.x // WARP % 4 * 16
    left = [_of_panel(a, a_first, a_along_k, top + i // 32, i % 32) for i in range(lane, 16 * 32, WARP)]
    right = [_of_panel(b, b_first, b_along_k, i // 32, i % 32) for i in range(lane, 128 * 32, WARP)]
    brought = brought_by_lanes((left, right))
    rows, columns = (
        _numbers_of(numbers, np.array([brought[each][operand] for each in range(WARP)]).T.reshape(-1, 32))
        for operand in (0, 1)
    )
    own = rows[[lane // 4, lane // 4 + 8]].astype(np.float64) @ columns.T
    for eight in range(16):
        for t in range(4):
            totals[4 * eight + t] += own[t // 2, 8 * eight + lane % 4 * 2 + t % 2]


def _of_panel(panel: Any, first: int, along_k: bool, outer: int, i: int) -> Any:
    line = outer * 32 + i if along_k else outer // 64 * 2048 + i * 64 + outer % 64
    return panel[swizzle(first + line, along_k)]


def _numbers_of(numbers: Any, cells: np.ndarray) -> np.ndarray:
    found: np.ndarray = numbers(cells.astype(np.uint32))
    return found[..., 0]
