"""The columns of a convolution: an operand of a product that lies nowhere, and is found in the image.

A column is what a window meets at one place, and a row what one tap meets of one channel. The product of the
weights with all columns is the convolution. The matrix would be as many times the image as the window has
taps; so the product's kernels, which bring panels of it into shared memory, gather each panel from the image
(*implicit GEMM*; Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning", 2014, section 3.2).

Functions of this module stand for those by which `tensorlab.backends.cuda.products` and
`tensorlab.backends.cuda.tensor_cores` bring `b`. A thread brings neighbouring rows of one place, and its
neighbours in the warp the same rows of the next places, which mostly are neighbours in the image. Where a
place lies is found out once, by division; where a row lies, a table says.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlab.backends.cuda.intrinsics import load4, quotient, remainder, store4, word
from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Memory
from tensorlab.backends.windows import Correlation
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# See `tensorlab.backends.cuda.products`. Along k are a place's rows, or of the weights' gradient the places.
B_ALONG_K = True
TILE, STEP = 16, 4
VECTOR, PASSES, THREADS = 8, 0, 0
number = np.float32


def widen(cell):
    """The number that a cell holds."""
    return number(cell)


def place(me):
    """Which four numbers of a panel a thread brings: the first one's place, outer and along k."""
    if B_ALONG_K:
        return me % TILE, me // TILE * 4
    return me // STEP * 4, me % STEP


def corner(place, windows):
    """Where in the image the window at a place begins, if its first tap has no offset."""
    _, lines, columns, steps, _, _, _, _ = windows
    across, rest = remainder(place, columns), quotient(place, columns)
    down, deep = remainder(rest, lines), quotient(rest, lines)
    return word(deep * steps[0]), word(down * steps[1]), word(across * steps[2])


def cell_of(first, corner, windows):
    """The cell of such a place of the image that begins with a cell; it may be outside."""
    _, _, _, _, _, strides, _, _ = windows
    return first + corner[0] * strides[0] + corner[1] * strides[1] + corner[2] * strides[2]


def begin(first, strides, batch, rows, windows, outer, i):
    """Where a thread begins: the image's first cell, or the corner's if it stays; the corner; the row."""
    place, row = (outer, i) if B_ALONG_K else (i, outer)
    first, at = start(first, strides, batch), corner(start(0, windows[0], batch) + place, windows)
    if B_ALONG_K:
        first = cell_of(first, at, windows)
    return first, at, word(row)


def move(at, rows, windows):
    """Where a thread is one step of the block later: at other rows, or at another place.

    Places are counted as a clock counts: what columns have too much is one more line. How far all columns
    reach, and all lines, is given: to multiply it out takes registers that are needed.
    """
    first, (z, y, x), row = at
    if B_ALONG_K:
        return first, (z, y, x), word(row + STEP)
    _, _, _, steps, _, _, far, (height, width) = windows
    z, y, x = word(z + far[0]), word(y + far[1]), word(x + far[2])
    if x >= word(width):
        x, y = word(x - width), word(y + steps[1])
    if y >= word(height):
        y, z = word(y - height), word(z + steps[0])
    return first, (z, y, x), row


def met(at, rows, windows, j):
    """Whether the tap of the thread's row `j` meets a number of the image, and the number's cell."""
    first, corner, row = at
    _, _, _, _, extents, _, _, _ = windows
    offset, z, y, x = load4(rows, 4 * (row + j))
    z, y, x = word(z + corner[0]), word(y + corner[1]), word(x + corner[2])
    is_inside = min(z, y, x) >= 0 and z < word(extents[0]) and y < word(extents[1]) and x < word(extents[2])
    return is_inside, (first if B_ALONG_K else cell_of(first, corner, windows)) + offset


def found(image, at, rows, windows, j):
    """The number of the thread's row `j`: 0 outside of the image."""
    is_inside, cell = met(at, rows, windows, j)
    return widen(image[cell]) if is_inside else number(0)


def four(image, at, rows, windows, j):
    """The numbers of its row `j`, and of the next three."""
    return (
        found(image, at, rows, windows, j),
        found(image, at, rows, windows, j + 1),
        found(image, at, rows, windows, j + 2),
        found(image, at, rows, windows, j + 3),
    )


def fetch(image, at, rows, windows, outer_left, k_left):
    """Four numbers; zeros behind the end of the matrix."""
    return four(image, at, rows, windows, 0) if k_left > 0 else (number(0), number(0), number(0), number(0))


# --- for tensor cores ---------------------------------------------------------------------------------------


def found_cell(image, at, rows, windows, j):
    """`found`, as a cell."""
    is_inside, cell = met(at, rows, windows, j)
    return image[cell] if is_inside else number(0)


def begin_panel(first, strides, batch, rows, windows, left):
    """Where a thread begins: it brings `VECTOR` rows, and in each pass later ones of the same place."""
    me = word(cuda.threadIdx.x)
    if B_ALONG_K:
        return begin(first, strides, batch, rows, windows, left + me % TILE, me // TILE * VECTOR)
    return begin(first, strides, batch, rows, windows, left + me // STEP * VECTOR, me % STEP)


def bring(panels, half, image, at, rows, windows, left, n, begin, k):
    """Bring a panel, zeros behind the ends of the matrix."""
    me, j = word(cuda.threadIdx.x), word(0)
    for _ in range(PASSES):
        if B_ALONG_K:
            outer, i, cell = me % TILE, me // TILE * VECTOR, me % TILE * (STEP + VECTOR) + me // TILE * VECTOR
        else:
            outer, i, cell = me // STEP * VECTOR, me % STEP, me % STEP * (TILE + VECTOR) + me // STEP * VECTOR
        is_there = left + outer < n and begin + i < k
        for each in range(0, VECTOR, 4):
            values = number(0), number(0), number(0), number(0)
            if is_there:
                values = four(image, at, rows, windows, j + each)
            store4(panels, half + cell + each, values)
        me += THREADS
        j += THREADS // (TILE if B_ALONG_K else STEP) * VECTOR


# --- what is known before -----------------------------------------------------------------------------------

# What stands for functions of `tensorlab.backends.cuda.products`.
FUNCTIONS = {"place_b": place, "begin_b": begin, "move_b": move, "fetch_b": fetch}


def on_tensor_cores(element_type: dtype) -> dict[str, Any]:
    """The same for `tensorlab.backends.cuda.tensor_cores`, which takes cells as they are."""
    names = {"begin_b": begin_panel, "move_b": move, "bring_b": bring}
    return {**names, "found": found_cell, "number": element_type.cell.type}


# Rows are brought several at a time. Those behind the last one lie outside of every image.
TOGETHER, OUTSIDE = 8, -(1 << 31)

# How far apart the cells of an image may be that are counted in 32 bits.
NEAR = 1 << 31


class Columns(NamedTuple):
    """The columns of a convolution, as `b` of a product.

    Attributes:
        batch: the strides of the product's batch in the image.
        begins: which place is the first, by the same dimensions.
        along_k: whether the product sums up over rows; if not, over places.
        rows: for each row the cell that its tap meets, against a place's corner, and how much deeper, lower
            and further right it lies.
        windows: the lines and columns of places; how far a window moves, how far the image reaches, and its
            strides, along depth, height and width.
    """

    batch: tuple[int, ...]
    begins: tuple[int, ...]
    along_k: bool
    rows: Memory
    windows: tuple[Any, ...]

    def arguments(self, step: int) -> tuple[Any, ...]:
        """What a kernel that goes so far along k at a time is given: ``rows`` and ``windows``."""
        lines, columns, (down, right, across), *_ = self.windows
        rest, beside = divmod(step, columns)
        deep, below = divmod(rest, lines)
        far = deep * down, below * right, beside * across
        return self.rows.cells, (self.begins, *self.windows, far, (lines * right, columns * across))


def columns_of(
    backend: Cuda,
    problem: Correlation,
    channels: np.ndarray,
    taps: np.ndarray,
    batch: tuple[int, ...],
    begins: tuple[int, ...],
    along_k: bool,
) -> Columns:
    """The columns of a convolution, each row of which has a channel and a tap; for the rest see `Columns`."""
    offsets = np.array([*itertools.product(*(window.offsets for window in problem.windows))], np.int64)
    strides, extents = problem.image[3:], tuple(window.extent for window in problem.windows)
    rows = np.zeros((ceil_div(channels.size, TOGETHER) * TOGETHER, 4), np.int64)
    rows[:, 1] = OUTSIDE
    rows[: channels.size, 1:] = offsets[taps]
    rows[: channels.size, 0] = channels * problem.image[2] + offsets[taps] @ strides
    # how far cells may be from the image's first one
    reach = np.abs(rows[:, 0]).max() + sum(map(operator.mul, extents, strides))
    whole = np.int32 if reach < NEAR else np.int64
    return Columns(
        batch,
        begins,
        along_k,
        backend.upload(rows.astype(whole).reshape(-1).data),
        (
            *(window.size for window in problem.windows[1:]),
            tuple(window.step for window in problem.windows),
            extents,
            tuple(map(whole, strides)),
        ),
    )
