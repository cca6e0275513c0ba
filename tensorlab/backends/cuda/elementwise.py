"""How one scalar function runs over all elements: in which order, how many at a time, on how many threads.

Such a kernel waits for memory. Where neighbours in the result are neighbours in each operand, or one cell of
it, a thread moves 16 bytes at a time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cuda.copy import is_transposed, prepare_transposed
from tensorlab.backends.cuda.driver import Driver
from tensorlab.backends.cuda.intrinsics import WIDEST
from tensorlab.backends.cuda.kernel_text import (
    conversions,
    kernel_of,
    load,
    module_text,
    numpy_name,
    operand_parameters,
    store,
)
from tensorlab.backends.cuda.operands import parts
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type, formula_text

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# The names of a formula's operands.
NAMES = "abcdefgh"

# One kernel counts fewer runs than this (see `tensorlab.backends.cuda.divider`).
MOST_RUNS = 1 << 31

# How many times as many blocks as the GPU holds at once share the elements, at most: so many that it hardly
# matters when the last ones begin late.
WAVES = 16


class Walk(NamedTuple):
    """A kernel of a scalar function, and what it is launched with.

    Attributes:
        kernel: the kernel.
        runs: how many runs of neighbours it computes.
        begin: its first arguments.
        firsts: for each operand that is no number, where it begins, counted from where the whole one does.
        strides: for each of them, the steps between its runs; none where the runs lie in a line.
        alignments: the bytes of which the address of an operand must be a multiple; 0 if it needs not.
    """

    kernel: Callable[..., None]
    runs: int
    begin: tuple[Any, ...]
    firsts: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    alignments: tuple[int, ...]

    def grid(self, driver: Driver) -> tuple[int, int]:
        """How many blocks of how many threads."""
        threads = min(self.runs, driver.threads)
        blocks = ceil_div(self.runs, threads)
        if blocks > 2 * driver.blocks:  # enough for each thread to compute two runs
            blocks = min(ceil_div(blocks, 2), WAVES * driver.blocks)
        return blocks, threads

    def ends(self, operands: Sequence[OperandLayout]) -> list[tuple[int, tuple[Any, ...]] | None]:
        """Of each operand its `firsts` and its `strides`, if it has any; None of a number."""
        ends = zip(self.firsts, self.strides, strict=True)
        return [None if each.is_number else _end(*next(ends)) for each in operands]

    def checks(self, operands: Sequence[OperandLayout]) -> list[tuple[int, int, int]]:
        """Which operands must be aligned: their places, the bytes of their cells, and their `alignments`."""
        places = [place for place, each in enumerate(operands) if not each.is_number]
        return [
            (place, operands[place].dtype.itemsize, alignment)
            for place, alignment in zip(places, self.alignments, strict=True)
            if alignment
        ]


def _end(first: int, strides: tuple[int, ...]) -> tuple[int, tuple[Any, ...]]:
    return first, (strides,) if strides else ()


def walks(
    row: Scalar, compute: dtype, shape: Sequence[int], operands: Sequence[OperandLayout]
) -> tuple[list[Walk], list[Walk]]:
    """The launches that compute all elements: those for aligned operands, and those for any.

    There is more than one where there are too many elements for one.

    Args:
        row, compute, shape: see `tensorlab.backends.protocol.Core.pointwise`.
        operands: the result's layout, and those of the operands.
    """
    cells = [each for each in operands if not each.is_number]
    sizes, strides = coalesce(shape, [each.strides for each in cells])
    types = tuple((each.dtype, each.is_number) for each in operands)
    width = 8 if max(each.dtype.itemsize for each in cells) <= 2 else 4
    inner = [each[-1] for each in strides]
    has_neighbours = inner[0] == 1 and all(step in (0, 1) for step in inner)
    alignments = tuple(
        min(width * each.dtype.itemsize, WIDEST) if step else 0
        for each, step in zip(cells, inner, strict=True)
    )
    is_line = has_neighbours and len(sizes) == 1
    narrow = list(_walks(row, compute, types, 1, is_line, sizes, strides, (0,) * len(cells)))
    if not has_neighbours or (not is_line and (sizes[-1] % width or not _keep(alignments, cells, strides))):
        return narrow, narrow
    return list(_walks(row, compute, types, width, is_line, sizes, strides, alignments)), narrow


def _keep(
    alignments: Sequence[int], cells: Sequence[OperandLayout], strides: Sequence[tuple[int, ...]]
) -> bool:
    """Whether all runs are aligned if the first ones are."""
    return not any(
        step * each.dtype.itemsize % alignment
        for alignment, each, steps in zip(alignments, cells, strides, strict=True)
        if alignment
        for step in steps[:-1]
    )


def _walks(
    row: Scalar,
    compute: dtype,
    types: tuple[tuple[dtype, bool], ...],
    width: int,
    is_line: bool,
    sizes: tuple[int, ...],
    strides: Sequence[tuple[int, ...]],
    alignments: tuple[int, ...],
) -> Iterator[Walk]:
    is_run = iter([bool(each[-1]) or (not is_line and width == 1) for each in strides])
    ways = tuple("number" if is_number else "run" if next(is_run) else "same" for _, is_number in types)
    kernel = _kernel(row, compute, tuple(each for each, _ in types), ways, width, is_line)
    if is_line:
        runs = ceil_div(sizes[0], width)
        yield Walk(kernel, runs, (sizes[0],), (0,) * len(strides), ((),) * len(strides), alignments)
        return
    sizes = (*sizes[:-1], sizes[-1] // width)
    strides = [(*each[:-1], each[-1] * width) for each in strides]
    for part, firsts in parts(sizes, strides, MOST_RUNS - 1):
        factors, shifts = zip(*map(divider, part), strict=True)
        begin = math.prod(part), part, factors, shifts
        yield Walk(kernel, begin[0], begin, firsts, tuple(strides), alignments)


@functools.cache
def _kernel(
    row: Scalar,
    wanted: dtype,
    element_types: tuple[dtype, ...],
    ways: tuple[str, ...],
    width: int,
    is_line: bool,
) -> Callable[..., None]:
    """The kernel of `pointwise_text`, made once: composed operations ask for it in every call."""
    return kernel_of(row.name, pointwise_text(row, wanted, element_types, ways, width, is_line))


def pointwise_text(
    row: Scalar, wanted: dtype, element_types: Sequence[dtype], ways: Sequence[str], width: int, is_line: bool
) -> str:
    """The kernel of a scalar function: ``kernel(count, shape, …, out, out_first, out_shape, a, …)``.

    It computes `count` times `width` elements that are neighbours in the result. A thread reads two such runs
    before it writes one: so much must be under way for memory to be busy. A run of four or eight is read and
    written in one access.

    Args:
        row, wanted: see `tensorlab.backends.protocol.Core.pointwise`.
        element_types: the operands' dtypes, the result's first.
        ways: for each operand ``"run"``, if it has neighbours too; ``"same"``, if it has one cell for a run;
            or ``"number"``, if it is one number, and one argument.
        width: 1, 4 or 8.
        is_line: whether the runs lie one behind the other. Else there is a ``shape`` of runs with, for each
            of its dimensions, what `divider` says, and a step for each dimension behind each operand. A line
            gets the number of elements, which need not be whole runs.

    Example:
        >>> from tensorlab.scalars import TABLE
        >>> text = pointwise_text(TABLE["neg"], dtypes.float32, [dtypes.float32] * 2, ["run"] * 2, 1, False)
        >>> print(text[text.index("def kernel"):])
        def kernel(count, shape, factors, shifts, out, out_first, out_shape, a, a_first, a_shape):
            threads = cuda.gridsize(1)
            for run in range(cuda.grid(1), count, 2 * threads):
                later = run + threads if run + threads < count else run
                out_cell = out_first
                a_cell = a_first
                rest = run
                for dim in range(len(shape) - 1, 0, -1):
                    above = (rest * factors[dim]) >> shifts[dim]
                    position = rest - above * shape[dim]
                    rest = above
                    out_cell += position * out_shape[dim]
                    a_cell += position * a_shape[dim]
                out_cell += rest * out_shape[0]
                a_cell += rest * a_shape[0]
                out_cell_later = out_first
                a_cell_later = a_first
                rest = later
                for dim in range(len(shape) - 1, 0, -1):
                    above = (rest * factors[dim]) >> shifts[dim]
                    position = rest - above * shape[dim]
                    rest = above
                    out_cell_later += position * out_shape[dim]
                    a_cell_later += position * a_shape[dim]
                out_cell_later += rest * out_shape[0]
                a_cell_later += rest * a_shape[0]
                a_seen = a[a_cell]
                a_seen_later = a[a_cell_later]
                out[out_cell] = np.float32(neg(np.float32(a_seen)))
                out[out_cell_later] = np.float32(neg(np.float32(a_seen_later)))
        <BLANKLINE>
    """
    compute = compute_type(row.formula, wanted)
    kind, first = numpy_name(compute), numpy_name(wanted)
    operands = list(zip(["out", *NAMES], element_types, ways, strict=False))
    walked = [name for name, _, way in operands if way == "run" or (way == "same" and not is_line)]
    runs = "count" if width == 1 or not is_line else f"count // {width}"

    def places(run: str, end: str) -> list[str]:
        """Lines that set the cells at which a run begins."""
        if is_line:
            return [f"{name}_cell{end} = {name}_first + {run}" for name in walked]
        return [
            *(f"{name}_cell{end} = {name}_first" for name in walked),
            f"rest = {run}",
            "for dim in range(len(shape) - 1, 0, -1):",
            "    above = (rest * factors[dim]) >> shifts[dim]",
            "    position = rest - above * shape[dim]",
            "    rest = above",
            *(f"    {name}_cell{end} += position * {name}_shape[dim]" for name in walked),
            *(f"{name}_cell{end} += rest * {name}_shape[0]" for name in walked),
        ]

    def read(end: str, many: int) -> list[str]:
        """Lines that read a run of so many."""
        return [
            f"{name}_seen{end} = "
            + (f"load{many}({name}, {cell})" if many > 1 and way == "run" else f"{name}[{cell}]")
            for name, _, way in operands[1:]
            if name in walked
            for cell in [f"{name}_cell{end}"]
        ]

    def result(end: str, item: str) -> str:
        """An element of the result, of a run that was read."""
        values = []
        for name, element_type, way in operands[1:]:
            if way == "number":
                loaded = f"np.{first}(np.{numpy_name(element_type)}({name}))"
            else:
                seen = f"{name}_seen" + (end if name in walked else "") + (item if way == "run" else "")
                loaded = load(seen, element_type, first)
            values.append(loaded if kind == first else f"np.{kind}({loaded})")
        given = ", ".join(values)
        value = f"{row.formula.__name__}({given})"
        if row.outside is not None:
            value = f"general({given}) if {row.outside.__name__}({given}) else {value}"
        return store(value, element_types[0], compute.is_floating_point)

    def write(end: str, many: int) -> list[str]:
        """Lines that compute and write a run of so many."""
        if many == 1:
            return [f"out[out_cell{end}] = {result(end, '')}"]
        cell = "np.uint8({})" if element_types[0] is dtypes.bool else "{}"
        items = (f"    {cell.format(result(end, f'[{item}]'))}," for item in range(many))
        return [f"store{many}(out, out_cell{end}, (", *items, "))"]

    def indented(*lines: str) -> list[str]:
        return [" " * 8 + line for line in lines]

    parameters = ["count"] if is_line else ["count, shape, factors, shifts"]
    for name, _, way in operands:
        parameters += (
            [name] if way == "number" else operand_parameters([name], *([] if is_line else ["shape"]))
        )
    kept = [name for name, _, way in operands if way == "same" and is_line]
    begin = "{}" if width == 1 or not is_line else f"{width} * {{}}"
    lines = [
        f"def kernel({', '.join(parameters)}):",
        "    threads = cuda.gridsize(1)",
        *(f"    {name}_seen = {name}[{name}_first]" for name in kept),
        f"    for run in range(cuda.grid(1), {runs}, 2 * threads):",
        f"        later = run + threads if run + threads < {runs} else run",
        *indented(*places(begin.format("run"), ""), *places(begin.format("later"), "_later")),
        *indented(*read("", width), *read("_later", width), *write("", width), *write("_later", width)),
    ]
    if is_line and width > 1:
        lines.append(f"    for run in range({runs} * {width} + cuda.grid(1), count, threads):")
        lines += indented(*places("run", ""), *read("", 1), *write("", 1))
    formulas = [formula_text(row.formula, compute, "", keep_general=row.outside is not None)]
    if row.outside is not None:
        formulas.append(formula_text(row.outside, compute, ""))
    return module_text(kind, [*conversions(*element_types), *formulas], lines)


def divider(size: int) -> tuple[int, int]:
    """A factor and a shift that divide by a size what is below 2³¹: ``n // size == (n * factor) >> shift``.

    The factor is 2 to the power of the shift, divided by the size, and rounded up: by so little too great
    that the quotient stays below the next whole number. A GPU divides in some twenty instructions, and
    multiplies in one.

    Example:
        >>> factor, shift = divider(7)
        >>> all((n * factor) >> shift == n // 7 for n in (0, 6, 7, 2**31 - 2, 2**31 - 1))
        True
    """
    shift = 31 + (size - 1).bit_length()
    return -((-1 << shift) // size), shift


def prepare_pointwise(
    backend: Cuda,
    row: Scalar,
    compute: dtype,
    shape: Sequence[int],
    out: OperandLayout,
    inputs: Sequence[OperandLayout],
) -> Launch:
    """See `tensorlab.backends.protocol.Core.pointwise`."""
    if 0 in shape:
        return no_launch
    if row.name == "copy" and is_transposed(shape, out, inputs[0]):
        return prepare_transposed(backend, shape, out, inputs[0])
    operands = [out, *inputs]
    ways = walks(row, compute, shape, operands)
    checks = ways[0][0].checks(operands)
    wide, narrow = (
        [(each.kernel, *each.grid(backend.driver), each.begin, each.ends(operands)) for each in way]
        for way in ways
    )

    def launch(*buffers: Any) -> None:
        chosen = wide
        for place, size, alignment in checks:
            memory, first = buffers[place]
            if (memory.cells.pointer + first * size) % alignment:
                chosen = narrow
                break
        for kernel, grid, block, begin, ends in chosen:
            arguments = [*begin]
            for buffer, end in zip(buffers, ends, strict=True):
                if end is None:
                    arguments.append(buffer)
                else:
                    memory, first = buffer
                    arguments += memory.cells, first + end[0], *end[1]
            backend.run(kernel, grid, block, *arguments)

    return launch
