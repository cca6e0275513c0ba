"""The matrix product: ``out = beta * source + alpha * (a @ b)``, for matrices and batches of them.

The files of this folder are the levels of the algorithm, outermost first:

``__init__``  which form, which orientation, how many threads
``problem``   sizes and strides, and the same product written otherwise
``tasks``     one strip of one product of the batch after another
``direct``, ``packed``, ``dots``  three forms of one product, by how its operands lie in memory
``tile``      four rows of the result by four steps of k
``blocks``    the sizes, and ``cell`` and ``text`` what differs between dtypes

Operands are addressed by strides, so a transposed, sliced or broadcast one costs no copy of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.gemm.problem import Problem, problem
from tensorlab.backends.cpu.gemm.text import compute_name, kernel_source
from tensorlab.backends.protocol import Launch
from tensorlab.dtypes import dtype

__all__ = ["gemm"]

# With so few columns a row of the result has nothing to vectorise, and a sum over k has.
FEW = 2

# The tile's multiply-adds that take as long as one addition of `threads.team_for`.
MULTIPLY_ADDS = 16

# Below so many multiply-adds one thread is enough, and the call matters.
SMALL = MULTIPLY_ADDS * threads.WORTHWHILE

# A task has a multiple of so many rows and columns: whole tiles, and whole vectors of every processor.
STRIP_ROWS, STRIP_COLUMNS = 4, 64


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
    m, n, _ = sizes
    if math.prod(batch) * m * n == 0:
        return _nothing
    given = problem(batch, sizes, out, a, b, out if source is None else source)
    swapped = _is_better_transposed(given)
    work = given.transposed() if swapped else given
    small = source is None and not work.batch and work.multiply_adds < SMALL
    return (_launch_product if small else _launch)(element_type, work, swapped)


def _is_better_transposed(work: Problem) -> bool:
    """Whether the kernels would rather compute the transposed product."""
    m, n = work.m, work.n
    if n <= FEW < m:
        return work.a.column != 1 and work.a.row == 1  # aᵀ has runs along the result
    if m <= FEW < n:
        return work.b.column != 1 and work.b.row == 1  # bᵀ has runs along k
    return n > FEW and work.out.column != 1 and work.out.row == 1


def _form(element_type: dtype, work: Problem) -> str:
    """The form that suits the layouts: see the heads of the files of that name."""
    if work.n <= FEW:
        return "dots"
    in_place = compute_name(element_type) == element_type.cell.name
    return "direct" if in_place and work.out.column == work.b.column == 1 else "packed"


def _launch_product(element_type: dtype, work: Problem, swapped: bool) -> Launch:
    """The launch of one small product: on one thread, with as few arguments as possible."""
    kernel = _kernel(element_type, _form(element_type, work), "plain_kernel")
    walk = work.walk()

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


def _launch(element_type: dtype, work: Problem, swapped: bool) -> Launch:
    """The launch of any product."""
    form, walk = _form(element_type, work), work.walk()
    kernel = _kernel(element_type, form, "kernel")
    count, m, n = work.products, work.m, work.n
    one, zero = (1.0, 0.0) if element_type.is_floating_point else (1, 0)

    def launch(
        out: tuple, a: tuple, b: tuple, source: tuple | None = None, alpha: Any = one, beta: Any = zero
    ) -> None:
        if swapped:
            a, b = b, a
        buffers = [cells[offset:] for cells, offset in (out, a, b, source or out)]
        team = threads.team_for(work.multiply_adds // MULTIPLY_ADDS)
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
