"""What is decided about a product: its form, what is copied, and how it is divided among threads."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tensorlab.backends.cpu import threads
from tensorlab.backends.cpu.gemm.blocks import Blocks, blocks
from tensorlab.backends.cpu.gemm.dots import LONG
from tensorlab.backends.cpu.gemm.problem import Problem
from tensorlab.backends.cpu.levels import compute_name
from tensorlab.backends.cpu.pointers import LINE
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div, round_up

# With so few columns a row of the result has nothing to vectorise, and a sum over k has.
FEW = 2

# What takes as long as two additions of `threads.team_for`: so many multiply-adds of each lane of a tile's
# vectors, or so many cells that come from memory or go there. A team costs some 15 microseconds before its
# threads are at work, so it pays from about 165³ of float32.
MULTIPLY_ADDS = 3
CELLS = 8

# Sums of so few products are made side by side, however A and B lie: one alone would be over too soon. Of no
# more than `CALL` of them the call matters.
BRIEF = 24
CALL = 512

# From so many the blocks of the caches matter, and the call does not. Below, a transposed A is read in place.
PLAIN = 256**3

# A row of A whose numbers lie so many cells apart is still read in place. Half of what comes with them is not
# wanted, and a strip with that takes two thirds of the first-level cache.
NEAR = 2

# Rows of a result that is collected in the workspace, at most.
COLLECTED = 1024

# Rows that lie a multiple of so many bytes apart share few places of a cache, and soon drive one another out.
CROWDED = 2048
CROWDED_CELLS = 128 << 10  # bytes of B that still stay together


class Plan(NamedTuple):
    """How a product is computed.

    Attributes:
        form: see `forms` in `text.py`.
        sizes: of the blocks.
        packs_a, packs_b: whether blocks of the operand are copied.
        collects: whether the sums have to stand in the workspace before they go into the result.
        is_plain: whether the product alone lies so well that a short kernel takes it on one thread, or a
            whole product of a batch.
        is_small: whether one thread is enough for it.
    """

    form: str
    sizes: Blocks
    packs_a: bool
    packs_b: bool
    collects: bool
    is_plain: bool
    is_small: bool


def plan_for(element_type: dtype, work: Problem) -> Plan:
    """The plan for one product, or for each of a batch."""
    name = compute_name(element_type)
    size = np.dtype(name).itemsize
    sizes = blocks(size)
    copies = element_type.cell.name != name
    each = work.m * work.n * work.k
    is_short = not copies and each < PLAIN and work.k <= sizes.steps
    packs_a = copies or (work.a.column > NEAR and not (is_short and work.a.row == 1))
    packs_b = copies or work.b.column != 1 or not _stays_in_place(work, sizes, size)
    collects = copies or work.out.column != 1
    form = "dots" if work.n <= FEW else "rows" if work.m <= FEW else "tiles"
    if form == "dots":
        packs_a, packs_b = (copies or step != 1 for step in (work.a.column, work.b.row))
    is_small = not work.batch and additions(work, sizes) < threads.WORTHWHILE
    is_plain = form == "tiles" and is_short and not (packs_a or packs_b or collects)
    return Plan(form, sizes, packs_a, packs_b, collects, is_plain, is_small)


def additions(work: Problem, sizes: Blocks) -> int:
    """The work of a product as `threads.team_for` counts it.

    Example:
        >>> from tensorlab.backends.cpu.gemm.problem import problem
        >>> strides = (100, 1)
        >>> square = problem((), (100, 100, 100), *[strides] * 5)
        >>> additions(square, Blocks(16, 8, 48, 384, 80, 480, 100_000))
        49166
    """
    cells = work.products * (work.m * work.n + work.m * work.k + work.k * work.n)
    return 2 * (work.multiply_adds // (MULTIPLY_ADDS * sizes.lanes) + cells // CELLS)


def _stays_in_place(work: Problem, sizes: Blocks, size: int) -> bool:
    """Whether B, whose rows are runs, is read where it lies: copying it would cost more than it saves."""
    if work.m <= 4 * sizes.rows:
        return True
    cells = min(work.k, sizes.steps) * min(work.n, sizes.columns)
    if work.b.row * size % CROWDED == 0:
        return work.k * work.n * size <= CROWDED_CELLS
    return cells <= sizes.resident and work.k <= sizes.steps


def is_better_transposed(work: Problem) -> bool:
    """Whether the kernels would rather compute the transposed product."""
    m, n = work.m, work.n
    is_brief = work.k <= BRIEF and max(m, n) > CALL
    if n <= FEW < m:
        return is_brief or (work.a.column != 1 and work.a.row == 1)  # aᵀ has runs along the result
    if m <= FEW < n:
        return not is_brief and work.b.column != 1 and work.b.row == 1  # bᵀ has runs along k
    return n > FEW and work.out.column != 1 and work.out.row == 1


class Schedule(NamedTuple):
    """How a product is divided.

    Attributes:
        team: the threads that take part.
        tasks: the strips of all products of the batch.
        strip_m, strip_n: the rows and columns of a strip.
        cells: the numbers of workspace for each thread.
    """

    team: int
    tasks: int
    strip_m: int
    strip_n: int
    cells: int


def schedule_for(work: Problem, plan: Plan, wanted: int, collects: bool) -> Schedule:
    """The schedule for so many threads at most."""
    strip_m, strip_n = _strips(work.products, work.m, work.n, wanted, plan.sizes)
    if collects or plan.form == "dots":
        strip_m = min(strip_m, COLLECTED)
    tasks = work.products * ceil_div(work.m, strip_m) * ceil_div(work.n, strip_n)
    cells = _workspace_cells(plan, min(work.m, strip_m), work.n, collects)
    return Schedule(min(wanted, tasks), tasks, strip_m, strip_n, cells)


def _strips(count: int, m: int, n: int, team: int, sizes: Blocks) -> tuple[int, int]:
    """The rows and columns of a task, so that a team has enough tasks.

    Each task copies its own blocks, so its sides are to be about equal. The longest one is what is waited
    for, so columns are counted in vectors: a tile of two takes hardly longer for each than one of three.

    Example:
        >>> sizes = Blocks(16, 8, 48, 384, 80, 480, 100_000)
        >>> _strips(1, 1024, 1024, 4, sizes), _strips(100, 64, 64, 4, sizes), _strips(1, 8, 4096, 4, sizes)
        ((512, 512), (64, 64), (8, 1024))
    """
    wanted = ceil_div(team, count)
    most_m, most_n = ceil_div(m, sizes.rows), ceil_div(n, sizes.lanes)
    best = (m, n)
    least = math.inf
    for strips_m in range(1, min(wanted, most_m) + 1):
        strips_n = min(ceil_div(wanted, strips_m), most_n)
        rows = round_up(ceil_div(m, strips_m), sizes.rows)
        columns = round_up(ceil_div(n, strips_n), sizes.lanes)
        # What the slowest thread does: the product's share, and the copies and loads that it takes.
        rounds = ceil_div(strips_m * strips_n, wanted)
        cost = rounds * (rows * columns + sizes.rows * (rows + columns))
        if cost < least:
            best, least = (rows, columns), cost
    return best


def _workspace_cells(plan: Plan, rows: int, n: int, collects: bool) -> int:
    """The numbers of workspace that one thread needs for a strip: so many are whole lines of every type."""
    sizes = plan.sizes
    if plan.form == "dots":
        return round_up(rows * n + LONG * (1 + n), LINE)
    if plan.form == "rows":
        return round_up(sizes.columns, LINE)
    packed = sizes.cells if plan.packs_a or plan.packs_b else 0
    collected = rows * min(sizes.columns, round_up(n, sizes.width)) if collects else 0
    return round_up(packed + collected, LINE)
