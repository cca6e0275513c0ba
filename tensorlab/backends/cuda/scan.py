"""Running totals and extremes along a dimension: a thread has a line, or a block shares one."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab import folds
from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda.kernel_text import (
    conversions,
    kernel_of,
    load,
    module_text,
    moved_as,
    numpy_name,
    positions,
    start_of,
    store,
)
from tensorlab.backends.cuda.operands import chosen, raw
from tensorlab.backends.cuda.simulator import WARP
from tensorlab.backends.operands import Buffer, Launch, OperandLayout, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda


@functools.cache
def scan_text(name: str, value: dtype, result: dtype, source: dtype, has_places: bool) -> str:
    """The kernel of a running total: ``kernel(count, size, shape, out, …, x, …)``. A thread has a line."""
    kind = numpy_name(value)
    better = ">=" if name == "cummax" else "<="
    names = ["out", *(["places"] if has_places else []), "x"]
    operands = [f"{each}, {each}_first, {each}_shape, {each}_step" for each in names]
    lines = [
        f"def kernel({', '.join(['count, size, shape', *operands])}):",
        "    for i in range(cuda.grid(1), count, cuda.gridsize(1)):",
        *positions("i", "shape", 8, *((each, f"{each}_first") for each in names)),
        f"        total = np.{kind}({1 if name == 'cumprod' else 0})",
        *(["        place = 0"] if has_places else []),
        "        for step in range(size):",
        f"            seen = {load('x[x_cell]', source, kind)}",
    ]
    if name in ("cumsum", "cumprod"):
        lines.append(f"            total = np.{kind}(total {'+' if name == 'cumsum' else '*'} seen)")
    else:
        lines.append(f"            if step == 0 or seen != seen or (total == total and seen {better} total):")
        lines.append("                total = seen")
        lines += ["                place = step"] if has_places else []
    lines.append(f"            out[out_cell] = {store('total', result, value.is_floating_point)}")
    lines += ["            places[places_cell] = np.int64(place)"] if has_places else []
    lines += [f"            {each}_cell += {each}_step" for each in names]
    return module_text(kind, conversions(source, result), lines)


# How many neighbours of a line a thread looks after at a time, in `shared_scan_text`; and how often, before
# blocks share a line.
ITEMS, PASSES = 4, 8


@functools.cache
def shared_scan_text(
    name: str, value: dtype, result: dtype, source: dtype, has_places: bool, stage: str = "whole"
) -> str:
    """The kernel of a running total whose line a block shares: ``kernel(size, shape, out, …, x, …)``.

    The block goes along the line, four elements for each thread at a time. A thread joins its four; the lanes
    of a warp join what lanes before them have, at distances of 1, 2, 4, 8 and 16; and to that comes what the
    warps before have, and what was carried along.

    Few long lines keep too few blocks busy. They take three launches: the block of each of so many `parts` of
    a line finds its total, a scan of these totals says what comes before a part, and then the parts are
    scanned. First and last are ``kernel(parts, length, size, …, x, …, totals_of_parts)``. Where places are
    written they are given ``places_of_parts`` as well, and the last one ``best_parts``, places in the former.

    Args:
        name, value, result, source: see `tensorlab.backends.protocol.Core.scan`.
        has_places: whether places are written.
        stage: ``"whole"``, or ``"totals"`` or ``"parts"``.
    """
    kind = numpy_name(value)
    names = ["out", *(["places"] if has_places else []), "x"]
    moved = moved_as(kind)
    if name in ("cumsum", "cumprod"):
        start = str(int(name == "cumprod"))
    else:
        start = start_of(folds.TABLE["amax" if name == "cummax" else "amin"], kind)
    better = ">=" if name == "cummax" else "<="

    def join(total: str, place: str, later: str, later_place: str) -> list[str]:
        """Lines that join what stands in the line before with what stands behind it."""
        if name in ("cumsum", "cumprod"):
            return [f"{total} = np.{kind}({total} {'+' if name == 'cumsum' else '*'} {later})"]
        moves = [f"    {place} = {later_place}"] if has_places else []
        return [
            f"if {later} != {later} or ({total} == {total} and {later} {better} {total}):",
            f"    {total} = {later}",
            *moves,
        ]

    nothing = f"np.{kind}({start}), np.int64(0)"
    parameters = [f"{each}, {each}_first, {each}_shape, {each}_step" for each in names]
    parameters = ["size, shape", *parameters]
    line, first = "cuda.blockIdx.x", ""
    of_part: list[str] = []
    before_part: list[str] = []
    after_part: list[str] = []
    if stage != "whole":
        line, first = "block // parts", "part * length + "
        of_part = [
            "block, part = cuda.blockIdx.x, cuda.blockIdx.x % parts",
            "size = min(size, (part + 1) * length)",
        ]
        parameters = ["parts, length", *parameters, "totals_of_parts", *["places_of_parts"] * has_places]
    if stage == "totals":
        after_part = ["if me == 0:", "    totals_of_parts[block] = carried"]
        after_part += ["    places_of_parts[block] = carried_place"] * has_places
    if stage == "parts":
        before_part = ["if part > 0:", f"    carried = np.{kind}(totals_of_parts[block - 1])"]
        if has_places:
            parameters.append("best_parts")
            before_part.append("    carried_place = places_of_parts[block - part + best_parts[block - 1]]")
    seen = load("x[x_cell + place * x_step]", source, kind)
    stored = store("before", result, value.is_floating_point)
    body = [
        f"totals = cuda.shared.array({WARP}, np.{kind})",
        f"numbers = cuda.shared.array({WARP}, np.int64)",
        "me, threads = cuda.threadIdx.x, cuda.blockDim.x",
        f"lane, warp = me % {WARP}, me // {WARP}",
        *of_part,
        *positions(line, "shape", 0, *((each, f"{each}_first") for each in names)),
        f"carried, carried_place = {nothing}",
        *before_part,
        f"for begin in range({first}{ITEMS} * me, size + {ITEMS} * me, {ITEMS} * threads):",
    ]
    loop = [f"total, total_place = {nothing}"]
    for item in range(ITEMS):
        loop += [
            f"place = begin + {item}",
            f"seen_{item} = np.{kind}({start})",
            "if place < size:",
            f"    seen_{item} = {seen}",
            *join("total", "total_place", f"seen_{item}", "place"),
        ]

    def exchange(distance: str) -> list[str]:
        """Lines that set `nearer` to what the lane has that is so much further down the numbers."""
        value = f"np.{kind}(cuda.shfl_up_sync(0xFFFFFFFF, np.{moved}(total), {distance}))"
        place = f"cuda.shfl_up_sync(0xFFFFFFFF, total_place, {distance})" if has_places else "total_place"
        return [f"nearer = {value}", f"nearer_place = {place}"]

    loop += [
        "distance = 1",
        f"while distance < {WARP}:",
        *(f"    {line}" for line in exchange("distance")),
        "    if lane >= distance:",
        *(f"        {line}" for line in join("nearer", "nearer_place", "total", "total_place")),
        "        total, total_place = nearer, nearer_place",
        "    distance *= 2",
        f"if lane == {WARP - 1}:",
        "    totals[warp], numbers[warp] = total, total_place",
        *exchange("1"),
        "cuda.syncthreads()",
        "before, before_place = carried, carried_place",
        f"for other in range(threads // {WARP}):",
        "    if other < warp:",
        *(f"        {line}" for line in join("before", "before_place", "totals[other]", "numbers[other]")),
        *(f"    {line}" for line in join("carried", "carried_place", "totals[other]", "numbers[other]")),
        "if lane > 0:",
        *(f"    {line}" for line in join("before", "before_place", "nearer", "nearer_place")),
    ]
    for item in range(ITEMS if stage != "totals" else 0):
        loop += [
            f"place = begin + {item}",
            "if place < size:",
            *(f"    {line}" for line in join("before", "before_place", f"seen_{item}", "place")),
            f"    out[out_cell + place * out_step] = {stored}",
            *(["    places[places_cell + place * places_step] = before_place"] if has_places else []),
        ]
    loop.append("cuda.syncthreads()")
    lines = [f"def kernel({', '.join(parameters)}):"]
    lines += [f"    {line}" for line in (*body, *(f"    {line}" for line in loop), *after_part)]
    return module_text(kind, conversions(source, result), lines)


def prepare_scan(
    backend: Cuda,
    name: str,
    value: dtype,
    shape: Sequence[int],
    dim: int,
    out: OperandLayout,
    source: OperandLayout,
    places: OperandLayout | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.scan`."""
    if 0 in shape:
        return no_launch
    if name in ("cumsum", "cumprod"):
        value = dtypes.float64 if value.is_floating_point else dtypes.int64
    kept = [each for each in range(len(shape)) if each != dim]
    sizes, size = chosen(shape, kept), shape[dim]
    lines = math.prod(sizes)
    operands = [out, source] if places is None else [out, places, source]
    strides = [(chosen(each.strides, kept), each.strides[dim]) for each in operands]
    # A thread has a line where many lines lie side by side, else a block.
    is_shared = size > WARP and (lines < WARP * backend.driver.blocks or source.strides[dim] == 1)
    given = name, value, out.dtype, source.dtype, places is not None
    threads = min(WARP * ceil_div(size, ITEMS * WARP), backend.driver.threads)
    parts = min(backend.driver.blocks // 2 // lines, ceil_div(size, PASSES * ITEMS * threads))
    if is_shared and parts > 1:
        return _in_parts(backend, name, value, sizes, size, strides, (out.dtype, source.dtype), parts)
    kernel = kernel_of(name, (shared_scan_text if is_shared else scan_text)(*given))

    def launch(*buffers: Buffer) -> None:
        arguments: list[Any] = []
        for buffer, layout in zip(buffers, strides, strict=True):
            arguments += [*raw(buffer), *layout]
        if is_shared:
            backend.run(kernel, lines, threads, size, sizes, *arguments)
        else:
            backend.each(kernel, lines, lines, size, sizes, *arguments)

    return launch


def _in_parts(
    backend: Cuda,
    name: str,
    value: dtype,
    sizes: tuple[int, ...],
    size: int,
    strides: Sequence[tuple[tuple[int, ...], int]],
    types: tuple[dtype, dtype],
    parts: int,
) -> Launch:
    """Prepare a scan of long lines, each of which several blocks share."""
    lines, threads, has_places = math.prod(sizes), backend.driver.threads, len(strides) == 3
    whole = ITEMS * threads  # so many at a time: the last part alone may end earlier
    length = ceil_div(size, parts * whole) * whole
    parts, total = ceil_div(size, length), compute_type(value)
    find_totals, scan_parts = (
        kernel_of(name, shared_scan_text(name, value, *types, has_places, stage))
        for stage in ("totals", "parts")
    )
    scan_totals = kernel_of(name, shared_scan_text(name, total, total, total, has_places))

    def launch(*buffers: Buffer) -> None:
        arguments: list[Any] = [parts, length, size, sizes]
        for buffer, layout in zip(buffers, strides, strict=True):
            arguments += [*raw(buffer), *layout]
        totals = backend.allocate(lines * parts, total.cell)
        found, best = [totals.cells], []
        if has_places:
            places, numbers = (backend.allocate(lines * parts, np.dtype(np.int64)) for _ in range(2))
            found, best = [totals.cells, places.cells], [numbers.cells]
        operands = [each for cells in (totals.cells, *best, totals.cells) for each in (cells, 0, (parts,), 1)]
        backend.run(find_totals, lines * parts, threads, *arguments, *found)
        backend.run(scan_totals, lines, threads, parts, (lines,), *operands)
        backend.run(scan_parts, lines * parts, threads, *arguments, *found, *best)

    return launch
