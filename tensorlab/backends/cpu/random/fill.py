"""The CPU's `RandomOperations.random`: which fill makes a distribution, and the walk that it takes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tensorlab.backends.cpu import threads
from tensorlab.backends.cpu.random import engine
from tensorlab.backends.cpu.random.assemble import counter_kernel, kernel
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import OperandLayout
from tensorlab.backends.protocol import RandomLaunch, RandomState
from tensorlab.core import dtypes, layout
from tensorlab.core.cells import from_float32, to_float32
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

# Work per number, in additions of one float32 (see `threads.team_for`).
PHILOX_COST = {"words": 4, "uniform": 4, "normal": 8}

# Numbers drawn at a time where they are copied to their places: their cells stay in the second-level cache.
PART = 1 << 14

# The cells of the engine's state.
WORDS = np.dtype(np.uint32)

Cells = tuple[np.ndarray, int]


@functools.lru_cache(4096)
def prepare(
    distribution: str, shape: Sequence[int], out: OperandLayout, read: OperandLayout | None = None
) -> RandomLaunch:
    """See `tensorlab.backends.protocol.Core.random`."""
    return _PREPARED[distribution](shape, out, read) if math.prod(shape) else _nothing


def fill_order(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> np.ndarray:
    """The walk in which PyTorch's serial loops visit a tensor: smallest stride of the output innermost.

    Args:
        shape: the sizes, each at least 1.
        strides: the strides of each operand, the output's first.

    Returns:
        an array of the sizes, and below them a row of steps for each operand, outermost dimension first.
        Neighbouring dimensions that are adjacent in every operand are one.

    Example:
        >>> fill_order((3, 4), [(1, 3)]).tolist(), fill_order((3, 4), [(8, 1)]).tolist()
        ([[12], [1]], [[3, 4], [8, 1]])
    """
    dims = [dim for dim in range(len(shape) - 1, -1, -1) if shape[dim] != 1]
    dims.sort(key=lambda dim: (strides[0][dim], shape[dim]))  # of equal strides the shorter is inner
    sizes: list[int] = []
    steps: list[list[int]] = []
    for dim in dims:
        step = [operand[dim] for operand in strides]
        if sizes and all(s == inner * sizes[-1] for s, inner in zip(step, steps[-1], strict=True)):
            sizes[-1] *= shape[dim]
        else:
            sizes.append(shape[dim])
            steps.append(step)
    if not sizes:
        return np.array([[1], *[[1]] * len(strides)], np.int64)
    rows = [sizes, *zip(*steps, strict=True)]
    return np.array([list(row)[::-1] for row in rows], np.int64)


def _uniform(shape: Sequence[int], out: OperandLayout, _: OperandLayout | None) -> RandomLaunch:
    unit = _interval(out.dtype, 0.0, 1.0)
    fill = kernel("numbers", out.dtype, "uniform")

    def draw(state: RandomState, cells: np.ndarray, low: float, high: float) -> None:
        first, span, last = unit if low == 0.0 and high == 1.0 else _interval(out.dtype, low, high)
        fill(state.words, cells, first, span, last)

    return _placed(draw, shape, out)


@functools.lru_cache(256)
def _interval(element_type: dtype, low: float, high: float) -> tuple[np.floating, np.floating, np.floating]:
    """What the formula of uniform numbers takes: low, span, and the least number that is stored as `high`.

    The half-open range leaves `high` out.
    """
    real = np.float64 if element_type is dtypes.float64 else np.float32
    return (
        real(low),
        real(high) - real(low),
        real(high) if element_type.itemsize > 2 else _border(element_type, high),
    )


def _border(element_type: dtype, high: float) -> np.floating:
    """The least float32 that is rounded to `high`, or to its neighbour, in a dtype of sixteen bits."""
    cells = from_float32(np.array([high], np.float32), element_type)
    rounded = to_float32(cells, element_type)[0]
    # Halfway to the next smaller cell is the border; a tie goes to the even one of the two.
    toward = cells - np.uint16(1) if rounded > 0 else cells + np.uint16(1)
    smaller = to_float32(toward, element_type)[0]
    if not rounded:
        smaller = -to_float32(np.array([1], np.uint16), element_type)[0]
    border = np.float32((np.float64(rounded) + np.float64(smaller)) / 2)
    ties_up = from_float32(np.array([border]), element_type)[0] == cells[0]
    return border if ties_up else np.nextafter(border, np.float32(np.inf))


def _of_doubles(formula: str) -> Callable[..., RandomLaunch]:
    """A distribution that is a formula of uniform float64, whatever dtype is stored."""

    def prepare_one(shape: Sequence[int], out: OperandLayout, _: OperandLayout | None) -> RandomLaunch:
        fill = kernel("numbers", out.dtype, formula)

        def draw(state: RandomState, cells: np.ndarray, a: float, b: float = 0.0) -> None:
            fill(state.words, cells, float(a), float(b), 0.0)

        return _placed(draw, shape, out)

    return prepare_one


def _normal(shape: Sequence[int], out: OperandLayout, _: OperandLayout | None) -> RandomLaunch:
    if math.prod(shape) < 16 or not layout.is_contiguous(shape, out.strides):
        return _normal_pairs("")(shape, out, None)
    real = np.float64 if out.dtype is dtypes.float64 else np.float32
    fill = kernel("normals_by_16", out.dtype)

    def draw(state: RandomState, cells: np.ndarray, mean: float, std: float) -> None:
        fill(state.words, cells, real(mean), real(std))

    return _placed(draw, shape, out)


def _normal_pairs(formula: str) -> Callable[..., RandomLaunch]:
    """Normal numbers that are made two at a time, in float64."""

    def prepare_one(shape: Sequence[int], out: OperandLayout, _: OperandLayout | None) -> RandomLaunch:
        fill = kernel("normals", out.dtype, formula)

        def draw(state: RandomState, cells: np.ndarray, mean: float, std: float) -> None:
            fill(state.words, state.spare, cells, float(mean), float(std))

        return _placed(draw, shape, out)

    return prepare_one


def _integers(shape: Sequence[int], out: OperandLayout, _: OperandLayout | None) -> RandomLaunch:
    def draw(state: RandomState, cells: np.ndarray, base: int, span: int, wide: bool) -> None:
        fill = kernel("integers", out.dtype, "wide" if wide else "")
        fill(state.words, cells, np.int64(base), np.uint64(span))

    return _placed(draw, shape, out)


def _elementwise(fill_name: str) -> Callable[..., RandomLaunch]:
    """A distribution whose parameter is a tensor."""

    def prepare_one(shape: Sequence[int], out: OperandLayout, read: OperandLayout | None) -> RandomLaunch:
        assert read is not None
        fill = kernel(fill_name, out.dtype, read=read.dtype)
        walk = fill_order(shape, [out.strides, read.strides])
        count = math.prod(shape)
        sizes, steps, read_steps = walk.tolist()

        def launch(state: RandomState, target: Cells, source: Cells) -> int:
            if steps == read_steps == [1]:
                return int(fill(state.words, _run(target, count), _run(source, count)))
            made = np.empty(count, out.dtype.cell)
            parameters = np.ascontiguousarray(_seen(source, sizes, read_steps)).reshape(-1)
            refused = int(fill(state.words, made, parameters))
            if not refused:
                _seen(target, sizes, steps)[...] = made.reshape(sizes)
            return refused

        return launch

    return prepare_one


def _philox(kind: str) -> Callable[..., RandomLaunch]:
    """Numbers of a counter-based stream, which know their place: threads share them."""

    def prepare_one(shape: Sequence[int], out: OperandLayout, _: OperandLayout | None) -> RandomLaunch:
        fill, count = counter_kernel(kind, out.dtype), math.prod(shape)
        tasks = ceil_div(count, engine.BLOCK)

        def launch(_: object, target: Cells, seed: int, stream: int, start: int) -> None:
            team = max(1, min(threads.team_for(count * PHILOX_COST[kind]), tasks))
            place = np.uint64(seed), np.uint64(stream), np.int64(start)
            share(fill, team, tasks, *place, _run(target, count))

        return launch

    return prepare_one


def _permutation(shape: Sequence[int], out: OperandLayout, _: OperandLayout | None) -> RandomLaunch:
    (count,), (step,) = shape, out.strides
    step = step if count > 1 else 1
    # Up to a twentieth of 2^32 the remainder of 32 bits is close enough to uniform.
    fill = kernel("permutation", out.dtype, "wide" if count >= 214748364 else "")

    def launch(state: RandomState, target: Cells) -> None:
        fill(state.words, _run(target, (count - 1) * step + 1), step)

    return launch


def _categories(shape: Sequence[int], out: OperandLayout, read: OperandLayout | None) -> RandomLaunch:
    """`shape` is rows, categories, draws a row; `out` is dense."""
    assert read is not None
    rows, columns, draws = shape
    real = np.float64 if read.dtype is dtypes.float64 else np.float32
    fill = kernel("categories", out.dtype, read=read.dtype)

    def launch(state: RandomState, target: Cells, source: Cells) -> int:
        weights, offset = source
        room = np.empty(columns, real)
        out_cells = _run(target, rows * draws)
        return int(fill(state.words, out_cells, weights[offset:], columns, *read.strides, draws, room))

    return launch


def _placed(draw: Callable[..., None], shape: Sequence[int], out: OperandLayout) -> RandomLaunch:
    """The launch for a layout, of what fills a run of cells: called with the state, the run, and numbers.

    Where the layout has gaps, a part at a time is drawn and copied.
    """
    walk, count, cell = fill_order(shape, [out.strides]), math.prod(shape), _cell(out.dtype)
    if walk.tolist() != [[count], [1]]:
        return _in_parts(draw, walk, cell)
    if out.dtype is dtypes.bool:
        return lambda state, target, *numbers: draw(state, _run(target, count).view(cell), *numbers)

    def launch(state: RandomState, target: Cells, *numbers: float) -> None:
        cells, offset = target
        draw(state, cells if cells.size == count else cells[offset : offset + count], *numbers)

    return launch


def _in_parts(draw: Callable[..., None], walk: np.ndarray, cell: np.dtype) -> RandomLaunch:
    sizes, steps = walk.tolist()
    count = math.prod(sizes)

    def launch(state: RandomState, target: Cells, *numbers: float) -> None:
        cells = _seen(target, sizes, steps)
        for part in (cells,) if count <= PART else _parts(cells):
            run = np.empty(part.size, cell)
            draw(state, run, *numbers)
            part[...] = run if part.ndim == 1 else run.reshape(part.shape)

    return launch


def _cell(element_type: dtype) -> np.dtype:
    """The dtype of the cells as `draw` of `_placed` gets them: kernels have no pointers to bools."""
    return np.dtype(np.uint8) if element_type is dtypes.bool else element_type.cell


def _run(target: Cells, count: int) -> np.ndarray:
    """So many cells in a row."""
    cells, offset = target
    return cells if cells.size == count else cells[offset : offset + count]


def _seen(target: Cells, sizes: Sequence[int], steps: Sequence[int]) -> np.ndarray:
    """Cells that lie in steps, as an array of these sizes."""
    cells, offset = target
    size = cells.itemsize
    return np.ndarray(sizes, cells.dtype, cells, offset * size, [step * size for step in steps])


def _parts(cells: np.ndarray) -> Iterator[np.ndarray]:
    """Parts of at most PART cells, in order."""
    each = cells.size // len(cells)
    if each > PART:
        for row in cells:
            yield from _parts(row)
    else:
        for start in range(0, len(cells), PART // each):
            yield cells[start : start + PART // each]


def _nothing(*_: object) -> int:
    """The launch for a tensor without elements, which takes nothing from the stream."""
    return 0


_PREPARED: dict[str, Callable[..., RandomLaunch]] = {
    "bernoulli": _of_doubles("bernoulli"),
    "bernoulli_each": _elementwise("bernoulli_each"),
    "categories": _categories,
    "cauchy": _of_doubles("cauchy"),
    "exponential": _of_doubles("exponential"),
    "geometric": _of_doubles("geometric"),
    "integers": _integers,
    "log_normal": _normal_pairs("exp"),
    "normal": _normal,
    "permutation": _permutation,
    "philox_normal": _philox("normal"),
    "philox_uniform": _philox("uniform"),
    "philox_words": _philox("words"),
    "poisson": _elementwise("poisson"),
    "uniform": _uniform,
}
