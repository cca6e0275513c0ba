"""Elements in order: runs are sorted in shared memory, and then merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.cuda.kernel_text import conversions, functions_of, load, module_text, numpy_name
from tensorlab.backends.cuda.operands import raw
from tensorlab.backends.operands import Buffer, Launch, no_launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda


def sort_text(element_type: dtype, descending: bool, run: int) -> str:
    """Two kernels that put the numbers of a row's elements in order, and ``before``, which compares two.

    ``sort(size, runs, begin, end, places, places_first, x, x_first)`` sorts runs of so many neighbours, a
    power of two, in shared memory: a bitonic sort, whose every step compares pairs at one distance.
    ``merge(count, size, width, begin, end, places, places_first, order, x, x_first)`` merges two runs of
    ``width`` that are in order: an element's place is its place in its own run, and how many of the other
    run come before it, which a search by halves says.

    Both write those places of each row that lie from ``begin`` to ``end``.
    """
    kind = numpy_name(element_type)
    less = "(a > b or (a != a and b == b))" if descending else "(a < b or (b != b and a == a))"
    same = "(a == b or (a != a and b != b))"
    lines = [
        "def before(a, a_place, b, b_place, size):",
        "    if a_place >= size or b_place >= size:",  # behind the end of the row
        "        return a_place < b_place",
        f"    return {less} or ({same} and a_place < b_place)",
        "",
        "",
        "def sort(size, runs, begin, end, places, places_first, x, x_first):",
        f"    keys = cuda.shared.array({run}, np.{kind})",
        f"    numbers = cuda.shared.array({run}, np.int64)",
        "    me, threads = cuda.threadIdx.x, cuda.blockDim.x",
        "    row = cuda.blockIdx.x // runs",
        f"    first = cuda.blockIdx.x % runs * {run}",
        f"    for i in range(me, {run}, threads):",
        "        numbers[i] = first + i",
        f"        keys[i] = np.{kind}(0)",
        "        if first + i < size:",
        f"            keys[i] = {load('x[x_first + row * size + first + i]', element_type, kind)}",
        "    cuda.syncthreads()",
        "    length = 2",
        f"    while length <= {run}:",
        "        distance = length // 2",
        "        while distance > 0:",
        f"            for pair in range(me, {run // 2}, threads):",
        "                low = 2 * pair - (pair & (distance - 1))",
        "                high = low + distance",
        "                a, b, i, j = keys[low], keys[high], numbers[low], numbers[high]",
        "                if before(b, j, a, i, size) == (low & length == 0):",
        "                    keys[low], keys[high], numbers[low], numbers[high] = b, a, j, i",
        "            cuda.syncthreads()",
        "            distance //= 2",
        "        length *= 2",
        f"    for i in range(me, {run}, threads):",
        "        rank = first + i",
        "        if begin <= rank and rank < end:",
        "            places[places_first + row * (end - begin) + rank - begin] = numbers[i]",
        "",
        "",
        "def merge(count, size, width, begin, end, places, places_first, order, x, x_first):",
        "    for i in range(cuda.grid(1), count, cuda.gridsize(1)):",
        "        row = i // size",
        "        me, start, place = i - row * size, row * size, order[i]",
        f"        own = {load('x[x_first + start + place]', element_type, kind)}",
        "        pair = me // (2 * width) * 2 * width",
        "        first = min(pair + width if me < pair + width else pair, size)",
        "        low, high = first, min(first + width, size)",
        "        while low < high:",
        "            middle = (low + high) // 2",
        "            other_place = order[start + middle]",
        f"            other = {load('x[x_first + start + other_place]', element_type, kind)}",
        "            if before(other, other_place, own, place, size):",
        "                low = middle + 1",
        "            else:",
        "                high = middle",
        "        rank = low - first + (me if me < pair + width else me - width)",
        "        if begin <= rank and rank < end:",
        "            places[places_first + row * (end - begin) + rank - begin] = place",
    ]
    return module_text(kind, conversions(element_type), lines)


def prepare_sort(
    backend: Cuda,
    element_type: dtype,
    rows: int,
    size: int,
    wanted: tuple[int, int],
    descending: bool,
    stable: bool = True,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.sort`."""
    if rows == 0:
        return no_launch
    run = min(1 << (size - 1).bit_length(), 8 * backend.driver.threads)
    functions = functions_of("sort", sort_text(element_type, descending, run))
    runs, threads = ceil_div(size, run), max(min(run // 2, backend.driver.threads), 1)
    widths = [run << step for step in range((runs - 1).bit_length())]

    def launch(places: Buffer, source: Buffer) -> None:
        held = [(backend.allocate(rows * size, np.dtype(np.int64)), 0) for _ in widths]
        targets = [*((each, (0, size)) for each in held), (places, wanted)]
        (to, ends), *others = targets
        kernel, merge = functions["sort"], functions["merge"]
        backend.run(kernel, rows * runs, threads, size, runs, *ends, *raw(to), *raw(source))
        for width, order, (to, ends) in zip(widths, held, others, strict=True):
            operands = *raw(to), order[0].cells, *raw(source)
            backend.each(merge, rows * size, rows * size, size, width, *ends, *operands)

    return launch
