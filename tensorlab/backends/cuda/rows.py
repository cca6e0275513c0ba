"""What kernels share whose blocks work through a row each: their threads tell each other what they found."""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cuda.intrinsics import load4, store4
from tensorlab.backends.cuda.simulator import cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# In which numbers is computed; `tensorlab.backends.cuda.constants` gives others.
number = np.float32
# One total for each warp of a block.
WARPS = 32


def widen(cell):
    """The number that a cell holds."""
    return number(cell)


def narrow(value):
    """The cell of a number."""
    return value


def joined(value, warps, is_sum):
    """The sum, or the greatest, of the values of a block's threads, for each of them.

    Lanes join in pairs, and pairs of pairs; then everybody joins the warps' totals, in their order.
    """
    me, threads = cuda.threadIdx.x, cuda.blockDim.x
    half = min(threads, 32) // 2
    while half > 0:
        other = cuda.shfl_xor_sync(0xFFFFFFFF, value, half)
        value = number(value + other) if is_sum else max(value, other)
        half //= 2
    if me % 32 == 0:
        warps[me // 32] = value
    cuda.syncthreads()
    total = warps[0]
    for warp in range(1, (threads + 31) // 32):
        total = number(total + warps[warp]) if is_sum else max(total, warps[warp])
    return total


def first_cell(first, strides, shape):
    """The first cell of a block's row."""
    rest = cuda.blockIdx.x
    for dim in range(len(shape) - 1, -1, -1):
        first += rest % shape[dim] * strides[dim]
        rest //= shape[dim]
    return first


# --- rows that threads keep -----------------------------------------------------------------------------

# The numbers of a row that a thread keeps: so many times four neighbours. What it has beyond the row's end.
PIECES, KEPT, BEYOND = 1, 4, 0.0


def keep_row(kept, n, x, cell):
    """Read a thread's numbers of a row, four neighbours at a time."""
    for piece in range(PIECES):
        i, to = (piece * cuda.blockDim.x + cuda.threadIdx.x) * 4, 4 * piece
        for each in range(4):
            kept[np.uint32(to + each)] = number(BEYOND)
        if i < n:
            v = load4(x, cell + i)
            kept[np.uint32(to)], kept[np.uint32(to + 1)] = widen(v[0]), widen(v[1])
            kept[np.uint32(to + 2)], kept[np.uint32(to + 3)] = widen(v[2]), widen(v[3])


def write_row(kept, n, out, cell):
    """Write them, four neighbours at a time."""
    for piece in range(PIECES):
        i, at = (piece * cuda.blockDim.x + cuda.threadIdx.x) * 4, 4 * piece
        if i < n:
            store4(out, cell + i, (
                narrow(kept[np.uint32(at)]), narrow(kept[np.uint32(at + 1)]),
                narrow(kept[np.uint32(at + 2)]), narrow(kept[np.uint32(at + 3)]),
            ))  # fmt: skip


def kept_by(n: int, threads: int) -> tuple[int, dict[str, int]] | None:
    """How many threads keep a row of n numbers, and the constants; None if it is too long for them."""
    taken = min(threads, 1 << max((n - 1) // 4, 0).bit_length())
    pieces = -(-n // (4 * taken))
    if pieces > 8 or n % 4:
        return None
    return taken, {"PIECES": pieces, "KEPT": 4 * pieces}
