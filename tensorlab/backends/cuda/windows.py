"""Windows over images on the device ``"cuda"``: which kernel runs, and with which arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda import pooling, rows
from tensorlab.backends.fused import Backend
from tensorlab.backends.operands import Buffer, Memory
from tensorlab.backends.windows import Pooling, Reach
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["is_counted", "pool", "pool_gradient"]


def is_counted(*counts: int) -> bool:
    """Whether so many elements can be counted in 32 bits, as kernels of windows count them."""
    return max(counts) < 1 << 32


def pool(
    backend: Cuda, element_type: dtype, problem: Pooling, greatest: bool, places: bool
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.pool`."""
    number = compute_type(element_type)
    constants = {"PLACES": places, "LOWEST": _lowest(number)}
    if not greatest:
        constants = {"WHOLE": not number.is_floating_point}
    kernel = rows.of_cells(
        pooling.pool_greatest if greatest else pooling.pool_mean, element_type, element_type, **constants
    )
    lines, columns = (len(reach.begins) for reach in problem.reaches)
    count = problem.images * problem.channels * lines * columns
    if not is_counted(count):
        return Backend.pool(backend, element_type, problem, greatest, places)
    tables = _tables(backend, problem)
    last = problem.width if greatest else problem.divisor
    numbers = count, problem.channels, lines, columns, last, *(each.dilation for each in problem.reaches)

    def launch(out: Buffer, image: Buffer, found: Buffer | None = None) -> None:
        ends = *_raw(out), *problem.out, *_raw(image), *problem.image
        more = _raw(found or image) if greatest else ()
        backend.each(kernel, count, *numbers, *(table.cells for table in tables), *ends, *more)

    return launch


def pool_gradient(
    backend: Cuda, element_type: dtype, problem: Pooling, greatest: bool
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.pool_gradient`."""
    kernel = rows.of_cells(pooling.pool_gradient, element_type, element_type, GREATEST=greatest)
    lines, columns = (len(reach.begins) for reach in problem.reaches)
    height, width = max(problem.reaches[0].ends), problem.width
    count = problem.images * problem.channels * height * width
    if not is_counted(count):
        return Backend.pool_gradient(backend, element_type, problem, greatest)
    tables = _tables(backend, problem)
    met = [
        _uploaded(backend, *_met(reach, extent))
        for reach, extent in zip(problem.reaches, (height, width), strict=True)
    ]
    numbers = problem.channels, height, width, lines, columns, problem.divisor
    dilations = [reach.dilation for reach in problem.reaches]

    def launch(out: Buffer, image: Buffer, found: Buffer | None = None) -> None:
        ends = *_raw(out), *problem.out, *_raw(image), *problem.image, *_raw(found or out)
        if count:
            looked_up = [table.cells for table in (*tables, *met)]
            backend.each(kernel, count, count, *numbers, *dilations, *looked_up, *ends)

    return launch


def _tables(backend: Cuda, problem: Pooling) -> list[Memory]:
    """Where windows begin and end, and by what their sums are divided, for kernels to look up."""
    return [_uploaded(backend, reach.begins, reach.ends, reach.divisors) for reach in problem.reaches]


def _uploaded(backend: Cuda, *numbers: Any) -> Memory:
    return backend.upload(np.concatenate([np.asarray(each, np.int64) for each in numbers]).data)


def _lowest(number: dtype) -> float:
    return -math.inf if number.is_floating_point else dtypes.integer_range(number)[0]


def _raw(buffer: Buffer) -> tuple[Any, int]:
    memory, first = buffer
    return memory.cells, first


def _met(reach: Reach, extent: int) -> tuple[np.ndarray, np.ndarray]:
    """For each place the first window that may reach it, and the last one, and one more."""
    begins = reach.begins if reach.move == 0 else reach.first + reach.move * np.arange(len(reach.begins))
    places = np.arange(extent)
    return np.searchsorted(reach.ends, places, "right"), np.searchsorted(begins, places, "right")
