"""The matrix product: ``out = activate(alpha * (a @ b) + beta * source) + residual``, and batches of it.

The files of this folder are the levels of the algorithm, outermost first:

``__init__``   what is launched
``plan``       which form, which orientation, what is copied, how it is divided among threads
``split``      a long sum in pieces, where the result is too small to be shared
``problem``    sizes and strides, and the same product written otherwise
``tasks``      one strip of one product of the batch after another
``tiles``      the five loops over blocks; ``rows`` and ``dots`` where the result is too narrow for tiles
``pack``       copies of blocks; ``finish``  what happens to the sums at the end
``tile``       one tile of the result over the steps of k: the micro-kernel
``registers``  a tile in vector registers, step by step
``blocks``     the sizes, and ``cell`` and ``text`` what differs between dtypes

Operands are addressed by strides, so a transposed, sliced or broadcast one costs no copy of the whole.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.gemm.plan import (
    Plan,
    Schedule,
    additions,
    is_better_transposed,
    plan_for,
    schedule_for,
)
from tensorlab.backends.cpu.gemm.problem import Problem, problem
from tensorlab.backends.cpu.gemm.split import add_pieces, pieces_of
from tensorlab.backends.cpu.gemm.text import kernel_source
from tensorlab.backends.cpu.levels import compute_name
from tensorlab.backends.cpu.pointers import LINE
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, no_launch
from tensorlab.core.dtypes import dtype, float32, float64
from tensorlab.scalars import Scalar

__all__ = ["gemm", "workspace"]


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
    """See `tensorlab.backends.protocol.Core.gemm`."""
    m, n, k = sizes
    if math.prod(batch) * m * n == 0:
        return no_launch
    ends = source is not None or activation is not None or residual is not None
    given = problem(batch, sizes, out, a, b, source or out, residual or out)
    swapped = is_better_transposed(given)
    work = given.transposed() if swapped else given
    plan = plan_for(element_type, work)
    if not (batch or ends or plan.is_small) and element_type in (float32, float64):
        pieces = pieces_of(m, n, k)
        if pieces > 1:
            return _launch_split(element_type, sizes, pieces, out, a, b)
    if ends or not plan.is_plain:
        return _launch(element_type, work, plan, swapped, ends, activation, residual is not None)
    plain = _launch_plain(element_type, work, plan, swapped)
    if plan.is_small:
        return plain
    # How many threads may take part is known when it is launched. What is not needed is not made.
    shared = functools.cache(lambda: _launch(element_type, work, plan, swapped, False))
    cost = additions(work, plan.sizes)
    return lambda *buffers: (plain if threads.team_for(cost) <= work.products else shared())(*buffers)


def _launch_plain(element_type: dtype, work: Problem, plan: Plan, swapped: bool) -> Launch:
    """The launch of small products, each of which one thread computes, with as few arguments as possible."""
    kernel = _kernel(element_type, "plain")
    walk, count = work.walk(), work.products
    cost = 0 if plan.is_small else additions(work, plan.sizes)

    def launch(out: tuple, a: tuple, b: tuple) -> None:
        if swapped:
            a, b = b, a
        share(kernel, threads.team_for(cost), count, walk, *out, *a, *b)

    return launch


def _launch(
    element_type: dtype,
    work: Problem,
    plan: Plan,
    swapped: bool,
    ends: bool,
    activation: Scalar | None = None,
    adds_residual: bool = False,
) -> Launch:
    """The launch of any product; `ends` says whether more than the operands may be given."""
    walk = work.walk()
    kernel = _kernel(element_type, plan.form, activation)
    number = np.dtype(compute_name(element_type))
    one, zero = (1.0, 0.0) if element_type.is_floating_point else (1, 0)
    cost = additions(work, plan.sizes)
    schedules: dict[tuple[int, bool], Schedule] = {}

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
        collects = plan.collects or activation is not None or adds_residual or alpha != 1 or beta != 0
        wanted = 1 if plan.is_small else threads.team_for(cost)
        schedule = schedules.get((wanted, collects))
        if schedule is None:
            schedule = schedules[wanted, collects] = schedule_for(work, plan, wanted, collects)
        team, tasks, strip_m, strip_n, cells = schedule
        options = (strip_m, strip_n, plan.packs_a, plan.packs_b, collects, alpha, beta, adds_residual, walk)
        given = (out, a, b, source or out, residual or out)
        buffers = [memory[offset:] if offset else memory for memory, offset in given]
        space = workspace(number, team * cells).reshape(team, cells)
        share(kernel, team, tasks, *options, *buffers, space, workspaces=True)

    return launch


def _launch_split(
    element_type: dtype,
    sizes: tuple[int, int, int],
    pieces: int,
    out: Sequence[int],
    a: Sequence[int],
    b: Sequence[int],
) -> Launch:
    """The launch of a product whose sums are cut into pieces."""
    m, n, k = sizes
    length, rest = divmod(k, pieces)
    each = gemm(
        element_type, (pieces,), (m, n, length), (m * n, n, 1), (length * a[1], *a), (length * b[0], *b)
    )
    last = gemm(element_type, (), (m, n, rest), (n, 1), a, b)
    count, done = pieces + (rest > 0), pieces * length

    def launch(to: tuple, left: tuple, right: tuple) -> None:
        results = np.empty(count * m * n, element_type.cell)
        each((results, 0), left, right)
        if rest:
            (left_cells, first), (right_cells, second) = left, right
            last(
                (results, pieces * m * n),
                (left_cells, first + done * a[1]),
                (right_cells, second + done * b[0]),
            )
        cells, offset = to
        add_pieces(results, count, cells[offset:] if offset else cells, m, n, *out)

    return launch


class _Workspaces(threading.local):
    """The memory that one thread's products compute in, and what it was cut into."""

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)
        self.views: dict[tuple[np.dtype, int], np.ndarray] = {}


_own = _Workspaces()
MOST_VIEWS = 256


def workspace(number: np.dtype, cells: int) -> np.ndarray:
    """So many numbers, from the beginning of a cache's line; kept for the thread's next product."""
    found = _own.views.get((number, cells))
    if found is None:
        wanted = cells * number.itemsize
        if len(_own.views) >= MOST_VIEWS:
            _own.views.clear()
        if _own.memory.size < wanted:
            memory = np.empty(wanted + LINE, np.uint8)
            first = -memory.ctypes.data % LINE
            _own.memory = memory[first : first + wanted]
            _own.views.clear()
        found = _own.views[number, cells] = _own.memory[:wanted].view(number)
    return found


_kernels: dict[tuple, Callable] = {}


def _kernel(element_type: dtype, form: str, activation: Scalar | None = None) -> Callable:
    key = (element_type, form, activation and activation.name)
    found = _kernels.get(key)
    if found is None:
        what = f"{activation.name}_" if activation else ""
        source = kernel_source(element_type, form, activation)
        module = jit.load(f"gemm_{what}{form}_{element_type.name}", source)
        found = _kernels[key] = jit.quiet(module.kernel)
    return found
