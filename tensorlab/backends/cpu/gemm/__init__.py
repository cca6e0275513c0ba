"""The matrix product: ``out = beta * source + alpha * (a @ b)``, for matrices and batches of them.

The files of this folder are the levels of the algorithm, outermost first:

``__init__``  which form, which orientation, how many threads
``tasks``     one strip of one product of the batch after another
``direct``, ``packed``, ``dots``  three forms of one product, by how its operands lie in memory
``tile``      four rows of the result by four steps of k
``blocks``    the sizes, and ``cell`` and ``text`` what differs between dtypes

Operands are addressed by strides, so a transposed, sliced or broadcast one costs no copy of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.gemm.text import compute_name, kernel_source
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.protocol import Launch
from tensorlab.dtypes import dtype

__all__ = ["gemm"]

# With so few columns a row of the result has nothing to vectorise, and a sum over k has.
FEW = 2

# The tile's multiply-adds that take as long as one addition of `threads.team_for`.
MULTIPLY_ADDS = 16

# A task has a multiple of so many rows and columns: whole tiles, and whole vectors of every processor.
STRIP_ROWS, STRIP_COLUMNS = 4, 64


class Operand(NamedTuple):
    """Strides of a matrix, or of a batch of matrices, in cells."""

    batch: tuple[int, ...]
    row: int
    column: int

    def transposed(self) -> Operand:
        return Operand(self.batch, self.column, self.row)


def gemm(
    element_type: dtype,
    batch: Sequence[int],
    sizes: tuple[int, int, int],
    out: Sequence[int],
    a: Sequence[int],
    b: Sequence[int],
    source: Sequence[int] | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Backend.gemm`."""
    m, n, k = sizes
    count = math.prod(batch)
    if count * m * n == 0:
        return _nothing
    to, left, right, start = (
        Operand(tuple(strides[:-2]), strides[-2], strides[-1])
        for strides in (out, a, b, source if source is not None else out)
    )
    swapped = _is_better_transposed(m, n, to, left, right)
    if swapped:
        # (A @ B)ᵀ is Bᵀ @ Aᵀ
        m, n = n, m
        left, right = right.transposed(), left.transposed()
        to, start = to.transposed(), start.transposed()
    dims, batch_strides = coalesce(batch, [operand.batch for operand in (to, left, right, start)])
    if not batch:
        dims, batch_strides = (), [()] * 4
    folds = (
        bool(dims)
        and batch_strides[2][-1] == 0
        and all(
            steps[-1] == operand.row * m or (m == 1)
            for steps, operand in zip(batch_strides, (to, left, right, start), strict=True)
            if operand is not right
        )
    )
    if folds:
        # One B for neighbouring matrices of A: they are one taller matrix.
        if m == 1:
            to, left, start = (
                operand._replace(row=steps[-1])
                for operand, steps in zip(
                    (to, left, start), (batch_strides[i] for i in (0, 1, 3)), strict=True
                )
            )
        m *= dims[-1]
        dims, batch_strides = dims[:-1], [steps[:-1] for steps in batch_strides]
    form = _form(element_type, n, to, right)
    walk = np.array(
        [
            [*dims, m, n, k],
            [*batch_strides[0], to.row, to.column, 0],
            [*batch_strides[1], left.row, 0, left.column],
            [*batch_strides[2], 0, right.column, right.row],
            [*batch_strides[3], start.row, start.column, 0],
        ],
        np.int64,
    )
    small = source is None and _work(walk) < threads.WORTHWHILE
    return (_launch_product if small else _launch)(element_type, form, walk, swapped)


def _is_better_transposed(m: int, n: int, out: Operand, a: Operand, b: Operand) -> bool:
    """Whether the kernels would rather compute the transposed product."""
    if n <= FEW < m:
        return a.column != 1 and a.row == 1  # Aᵀ has runs along the result
    if m <= FEW < n:
        return b.column != 1 and b.row == 1  # Bᵀ has runs along k
    return n > FEW and out.column != 1 and out.row == 1


def _form(element_type: dtype, n: int, out: Operand, b: Operand) -> str:
    if n <= FEW:
        return "dots"
    in_place = compute_name(element_type) == element_type.cell.name
    return "direct" if in_place and out.column == b.column == 1 else "packed"


def _launch_product(element_type: dtype, form: str, walk: np.ndarray, swapped: bool) -> Launch:
    """The launch of a small product: on one thread, with as few arguments as possible."""
    kernel = _kernel(element_type, form, "plain_kernel")

    def launch(out: tuple, a: tuple, b: tuple) -> None:
        to, offset = out
        if offset:
            to = to[offset:]
        left, offset = a
        if offset:
            left = left[offset:]
        right, offset = b
        if offset:
            right = right[offset:]
        if swapped:
            kernel(walk, to, right, left)
        else:
            kernel(walk, to, left, right)

    return launch


def _launch(element_type: dtype, form: str, walk: np.ndarray, swapped: bool) -> Launch:
    """The launch of any product."""
    *dims, m, n, k = (int(size) for size in walk[0])
    count = math.prod(dims)
    kernel = _kernel(element_type, form, "kernel")
    one, zero = (1.0, 0.0) if element_type.is_floating_point else (1, 0)

    def launch(
        out: tuple, a: tuple, b: tuple, source: tuple | None = None, alpha: Any = one, beta: Any = zero
    ) -> None:
        if swapped:
            a, b = b, a
        buffers = [cells[offset:] for cells, offset in (out, a, b, source or out)]
        team = threads.team_for(_work(walk))
        if team == 1:
            kernel(0, count, m, n, walk, alpha, beta, *buffers)
        else:
            strip_m, strip_n = _strips(count, m, n, team)
            tasks = count * -(-m // strip_m) * -(-n // strip_n)
            team = min(team, tasks)
            parallel = _kernel(element_type, form, "parallel_kernel")
            with threads.team(team):
                parallel(team, tasks, strip_m, strip_n, walk, alpha, beta, *buffers)

    return launch


def _work(walk: np.ndarray) -> int:
    """How much there is to do, in the additions that `threads.team_for` counts in."""
    return math.prod(int(size) for size in walk[0]) // MULTIPLY_ADDS


def _strips(count: int, m: int, n: int, team: int) -> tuple[int, int]:
    """The rows and columns of a task, so that a team has enough tasks: rows are divided first.

    Example:
        >>> _strips(1, 1024, 1024, 4), _strips(100, 64, 64, 4), _strips(1, 8, 4096, 4)
        ((256, 1024), (64, 64), (4, 2048))
    """
    wanted = -(-team // count)
    strips_m = min(wanted, -(-m // STRIP_ROWS))
    strips_n = min(-(-wanted // strips_m), -(-n // STRIP_COLUMNS))
    return _ceil_to(-(-m // strips_m), STRIP_ROWS), _ceil_to(-(-n // strips_n), STRIP_COLUMNS)


def _ceil_to(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


def _nothing(*_: Any) -> None:
    """The launch for a result without elements."""


_kernels: dict[tuple, Callable] = {}


def _kernel(element_type: dtype, form: str, name: str) -> Callable:
    key = (element_type, form, name)
    found = _kernels.get(key)
    if found is None:
        module = jit.load(f"gemm_{form}_{element_type.name}", kernel_source(element_type, form))
        found = _kernels[key] = jit.quiet(getattr(module, name))
    return found
