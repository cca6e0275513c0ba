"""The matrix product: ``out = activate(alpha * (a @ b) + beta * source) + residual``, and batches of it.

The files of this folder are the levels of the algorithm, outermost first:

``__init__``   which form, which orientation, how many threads
``problem``    sizes and strides, and the same product written otherwise
``tasks``      one strip of one product of the batch after another
``tiles``      the loops over blocks; ``rows`` and ``dots`` where the result is too narrow for tiles
``pack``       copies of blocks; ``finish``  what happens to the sums at the end
``tile``       one tile of the result over the steps of k
``registers``  a tile in vector registers, step by step
``blocks``     the sizes, and ``cell`` and ``text`` what differs between dtypes

Operands are addressed by strides, so a transposed, sliced or broadcast one costs no copy of the whole.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.gemm.blocks import Blocks, blocks
from tensorlab.backends.cpu.gemm.problem import Problem, problem
from tensorlab.backends.cpu.gemm.text import compute_name, kernel_source
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.protocol import Launch
from tensorlab.dtypes import dtype
from tensorlab.scalars import Scalar

__all__ = ["gemm", "small_gemm", "workspace"]

# With so few columns a row of the result has nothing to vectorise, and a sum over k has.
FEW = 2

# The tile's multiply-adds that take as long as one addition of `threads.team_for`.
MULTIPLY_ADDS = 16

# Below so many multiply-adds one thread is enough, and the call matters.
SMALL = MULTIPLY_ADDS * threads.WORTHWHILE

# Rows of a result that is collected in the workspace, at most.
COLLECTED = 1024

# Rows that lie a multiple of so many bytes apart share few places of a cache, and soon drive one another out.
CROWDED = 2048
CROWDED_CELLS = 128 << 10  # bytes of B that still stay together


def gemm(
    element_type: dtype,
    batch: Sequence[int],
    sizes: tuple[int, int, int],
    out: Sequence[int],
    a: Sequence[int],
    b: Sequence[int],
    source: Sequence[int] | None = None,
    activation: Scalar | None = None,
    residual: Sequence[int] | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Backend.gemm`."""
    m, n, _ = sizes
    if math.prod(batch) * m * n == 0:
        return _nothing
    given = problem(batch, sizes, out, a, b, source or out, residual or out)
    swapped = _is_better_transposed(given)
    work = given.transposed() if swapped else given
    plan = _plan(element_type, work)
    ends = source is not None or activation is not None or residual is not None
    if not ends and plan.is_plain:
        return _launch_plain(element_type, work, plan, swapped)
    return _launch(element_type, work, plan, swapped, activation, residual is not None)


def small_gemm(element_type: dtype, sizes: tuple[int, int, int]) -> tuple[Callable, np.ndarray] | None:
    """See `tensorlab.backends.protocol.Backend.small_gemm`."""
    m, n, k = sizes
    if m * n == 0:
        return None
    work = problem((), sizes, (n, 1), (k, 1), (n, 1), (n, 1), (n, 1))
    plan = _plan(element_type, work)
    if not plan.is_plain or _is_better_transposed(work):
        return None
    return _kernel(element_type, f"plain_{plan.form}", None, "plain_kernel"), work.walk()


class Plan(NamedTuple):
    """How a product is computed.

    Attributes:
        form: see `forms` in `text.py`.
        sizes: of the blocks.
        packs_a, packs_b: whether blocks of the operand are copied.
        collects: whether the sums have to stand in the workspace before they go into the result.
        is_plain: whether the product alone is so small and lies so well that the short kernel takes it.
    """

    form: str
    sizes: Blocks
    packs_a: bool
    packs_b: bool
    collects: bool
    is_plain: bool


def _plan(element_type: dtype, work: Problem) -> Plan:
    name = compute_name(element_type)
    size = np.dtype(name).itemsize
    sizes = blocks(size)
    copies = element_type.cell.name != name
    packs_a = copies or work.a.column != 1
    packs_b = copies or work.b.column != 1 or not _stays_in_place(work, sizes, size)
    collects = copies or work.out.column != 1
    form = "dots" if work.n <= FEW else "rows" if work.m <= FEW else "tiles"
    small = not work.batch and work.multiply_adds < SMALL
    as_it_lies = not (packs_a or packs_b or collects) and work.k <= sizes.steps
    is_plain = small and (form == "dots" or (as_it_lies and form == "tiles"))
    return Plan(form, sizes, packs_a, packs_b, collects, is_plain)


def _stays_in_place(work: Problem, sizes: Blocks, size: int) -> bool:
    """Whether B, whose rows are runs, is read where it lies: copying it would cost more than it saves."""
    if work.m <= 4 * sizes.rows:
        return True
    cells = min(work.k, sizes.steps) * min(work.n, sizes.columns)
    if work.b.row * size % CROWDED == 0:
        return work.k * work.n * size <= CROWDED_CELLS
    return cells <= sizes.resident and work.k <= sizes.steps


def _is_better_transposed(work: Problem) -> bool:
    """Whether the kernels would rather compute the transposed product."""
    m, n = work.m, work.n
    if n <= FEW < m:
        return work.a.column != 1 and work.a.row == 1  # aᵀ has runs along the result
    if m <= FEW < n:
        return work.b.column != 1 and work.b.row == 1  # bᵀ has runs along k
    return n > FEW and work.out.column != 1 and work.out.row == 1


def _launch_plain(element_type: dtype, work: Problem, plan: Plan, swapped: bool) -> Launch:
    """The launch of one small product: on one thread, with as few arguments as possible."""
    kernel = _kernel(element_type, f"plain_{plan.form}", None, "plain_kernel")
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


def _launch(
    element_type: dtype,
    work: Problem,
    plan: Plan,
    swapped: bool,
    activation: Scalar | None,
    adds_residual: bool,
) -> Launch:
    """The launch of any product."""
    walk = work.walk()
    kernel = _kernel(element_type, plan.form, activation, "kernel")
    count, m, n = work.products, work.m, work.n
    number = np.dtype(compute_name(element_type))
    one, zero = (1.0, 0.0) if element_type.is_floating_point else (1, 0)

    def launch(
        out: tuple,
        a: tuple,
        b: tuple,
        source: tuple | None = None,
        alpha: Any = one,
        beta: Any = zero,
        residual: tuple | None = None,
    ) -> None:
        if swapped:
            a, b = b, a
        ends = activation is not None or adds_residual or alpha != 1 or beta != 0
        collects = plan.collects or ends
        buffers = [cells[offset:] for cells, offset in (out, a, b, source or out, residual or out)]
        team = threads.team_for(work.multiply_adds // MULTIPLY_ADDS)
        strip_m, strip_n = _strips(count, m, n, team, plan.sizes)
        if collects:
            strip_m = min(strip_m, COLLECTED)
        tasks = count * -(-m // strip_m) * -(-n // strip_n)
        share_cells = _workspace_cells(plan, min(m, strip_m) if collects else 0, n)
        options = (strip_m, strip_n, plan.packs_a, plan.packs_b, collects, alpha, beta, adds_residual, walk)
        team = min(team, tasks)
        space = workspace(number, team * share_cells)
        if team == 1:
            kernel(0, tasks, *options, *buffers, space)
        else:
            space = space.reshape(team, share_cells)
            share(kernel, team, tasks, *options, *buffers, space, workspaces=True)

    return launch


def _strips(count: int, m: int, n: int, team: int, sizes: Blocks) -> tuple[int, int]:
    """The rows and columns of a task, so that a team has enough tasks.

    Each task copies its own blocks, so its sides are to be about equal.

    Example:
        >>> sizes = Blocks(16, 8, 48, 384, 80, 480, 100_000)
        >>> _strips(1, 1024, 1024, 4, sizes), _strips(100, 64, 64, 4, sizes), _strips(1, 8, 4096, 4, sizes)
        ((512, 528), (64, 96), (8, 1056))
    """
    wanted = -(-team // count)
    most_m, most_n = -(-m // sizes.rows), -(-n // sizes.width)
    best = (1, 1)
    least = math.inf
    for strips_m in range(1, min(wanted, most_m) + 1):
        strips_n = min(-(-wanted // strips_m), most_n)
        rows, columns = m / strips_m, n / strips_n
        # What the slowest thread does: the product's share, and the copies and loads that it takes.
        rounds = -(-strips_m * strips_n // wanted)
        cost = rounds * (rows * columns + sizes.rows * (rows + columns))
        if cost < least:
            best, least = (strips_m, strips_n), cost
    strips_m, strips_n = best
    return _ceil_to(-(-m // strips_m), sizes.rows), _ceil_to(-(-n // strips_n), sizes.width)


def _ceil_to(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


def _workspace_cells(plan: Plan, collected_rows: int, n: int) -> int:
    """The numbers of workspace that one thread needs."""
    sizes = plan.sizes
    if plan.form == "dots":
        return LINE
    if plan.form == "rows":
        return _ceil_to(sizes.columns, LINE)
    packed = sizes.cells if plan.packs_a or plan.packs_b else 0
    return _ceil_to(packed + collected_rows * min(sizes.columns, _ceil_to(n, sizes.width)), LINE)


LINE = 64  # bytes of a cache's line; so many numbers are whole lines of every type
_own = threading.local()


def workspace(number: np.dtype, cells: int) -> np.ndarray:
    """So many numbers, from the beginning of a cache's line; kept for the thread's next product."""
    wanted = cells * number.itemsize
    held: np.ndarray | None = getattr(_own, "bytes", None)
    if held is None or held.size < wanted:
        memory = np.empty(wanted + LINE, np.uint8)
        first = -memory.ctypes.data % LINE
        held = _own.bytes = memory[first : first + wanted]
    return held[:wanted].view(number)


def _nothing(*_: Any) -> None:
    """The launch for a result without elements."""


_kernels: dict[tuple, Callable] = {}


def _kernel(element_type: dtype, form: str, activation: Scalar | None, name: str) -> Callable:
    key = (element_type, form, activation and activation.name, name)
    found = _kernels.get(key)
    if found is None:
        what = f"{activation.name}_" if activation else ""
        module = jit.load(
            f"gemm_{what}{form}_{element_type.name}", kernel_source(element_type, form, activation)
        )
        found = _kernels[key] = jit.quiet(getattr(module, name))
    return found
