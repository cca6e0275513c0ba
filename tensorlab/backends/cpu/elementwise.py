"""Elementwise kernels: one scalar function applied to every element.

For each (scalar function, dtypes, pattern) that a program meets, one small kernel is generated from the
function's own source in `tensorlab.scalars`; print `kernel_source(...)` to read one. A kernel walks the rows
of all operands together: it widens their elements to the compute type, applies the formula, and narrows the
result. The pattern says how each operand is walked along a row:

``run``         neighbouring cells, so that whole vectors are loaded and stored
``one``         the same cell again and again: a broadcast operand
``number``      no cell at all, but a Python number
``step``        cells some stride apart: they are copied to where they lie together, and then they are a run
``transposed``  neighbouring cells in the dimension before: several rows are copied together, along the cells
``self``        the output itself, for an operation in place
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.cpu import halves, jit, threads
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.kernel_text import OPTIONS, numpy_name, truncated
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import ONE, RUN, Launch, OperandLayout, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type, formula_text

NUMBER, STEP, TRANSPOSED, SELF = "number", "step", "transposed", "self"

# The names of inputs in a kernel's text: of their cells, and of what they hold.
NAMES = "abcde"
VARIABLES = "xyzuv"

# Elements of a row to a task. They, and what is copied of them, stay in a first-level cache.
PIECE = 4096
# Rows that are copied together of a transposed operand: 16 cells of float32 are one line of a cache, so that
# whole lines are read. Of each row so many cells: 16 KB of float32.
STRIP = 16
COLUMNS = 256

_NARROW = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32)


def pointwise(
    row: Scalar, compute: dtype, shape: Sequence[int], out: OperandLayout, inputs: Sequence[OperandLayout]
) -> Launch:
    """See `tensorlab.backends.protocol.Core.pointwise`."""
    if 0 in shape:
        return no_launch
    operands = (out, *inputs)
    sizes, strides = coalesce(shape, [operand.strides for operand in operands])
    pattern = walk_pattern(operands, strides)
    # A kernel gets every number as what it computes in: that of x * 2 is that of x * 2.0.
    number_type = dtypes.float64 if compute.is_floating_point else dtypes.int64
    element_types = tuple(
        number_type if kind == NUMBER else operand.dtype
        for operand, kind in zip(operands, pattern, strict=True)
    )
    kernel = _kernel(row, compute, element_types, pattern)
    walk, tasks = np.array([sizes, *strides], np.int64), tasks_of(sizes, pattern)
    work = row.cost * math.prod(shape)
    number = float if compute.is_floating_point else _wrapped
    is_light = tasks == 1 or work < threads.WORTHWHILE
    if is_light:  # the usual ones, without a loop over the operands
        match ["cells" if kind not in (NUMBER, SELF) else kind for kind in pattern[1:]]:
            case ["cells"]:
                return lambda out, a: kernel(0, tasks, walk, out[0], out[1], a[0], a[1])
            case ["cells", "cells"]:
                return lambda out, a, b: kernel(0, tasks, walk, out[0], out[1], a[0], a[1], b[0], b[1])
            case ["cells", "number"]:
                return lambda out, a, b: kernel(0, tasks, walk, out[0], out[1], a[0], a[1], number(b))
            case ["self", "cells"]:
                return lambda out, _, b: kernel(0, tasks, walk, out[0], out[1], b[0], b[1])

    def launch(*buffers: Any) -> None:
        arguments: list[Any] = []
        for kind, buffer in zip(pattern, buffers, strict=True):
            if kind == NUMBER:
                arguments.append(number(buffer))
            elif kind != SELF:
                arguments += buffer
        if is_light or (team := min(threads.team_for(work), tasks)) == 1:
            kernel(0, tasks, walk, *arguments)
        else:
            share(kernel, team, tasks, walk, *arguments)

    return launch


def _wrapped(value: int) -> int:
    """What a kernel that computes in integers takes; 2^63 wraps around to -2^63."""
    return (int(value) + (1 << 63)) % (1 << 64) - (1 << 63)


def walk_pattern(operands: Sequence[OperandLayout], strides: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """How each operand is walked along a row."""
    kinds = []
    for position, (operand, steps) in enumerate(zip(operands, strides, strict=True)):
        if operand.is_out and position:
            kinds.append(SELF)
        elif operand.is_number:
            kinds.append(NUMBER)
        elif steps[-1] == 1:
            kinds.append(RUN)
        elif steps[-1] == 0 and position:
            kinds.append(ONE)
        elif len(steps) > 1 and steps[-2] == 1 and position:
            kinds.append(TRANSPOSED)
        else:
            kinds.append(STEP)
    return tuple(kinds)


def tasks_of(sizes: Sequence[int], pattern: Sequence[str]) -> int:
    """How many tasks a kernel has: pieces of rows, or strips of rows where an operand is transposed.

    Example:
        >>> tasks_of((7, 5000), ["run", "one"]), tasks_of((3, 40, 9), ["run", "transposed"])
        (14, 9)
    """
    if TRANSPOSED in pattern:
        return math.prod(sizes[:-2]) * ceil_div(sizes[-2], STRIP)
    return math.prod(sizes[:-1]) * ceil_div(sizes[-1], PIECE)


@functools.cache
def _kernel(row: Scalar, compute: dtype, element_types: tuple[dtype, ...], pattern: tuple) -> Callable:
    types = "_".join(element_type.name for element_type in element_types)
    text = kernel_source(row, compute, element_types, pattern)
    return jit.quiet(jit.load(f"{row.name}_{types}", text).kernel)


def kernel_source(row: Scalar, compute: dtype, element_types: Sequence[dtype], pattern: Sequence[str]) -> str:
    """The text of one kernel: a module with ``kernel(first, last, walk, out, out_first, a, a_first, …)``.

    It does the tasks `first` … `last` - 1. ``walk`` has the shape of the walk, and each operand's strides.

    Args:
        row: the scalar function.
        compute: the type that the formula works in.
        element_types: the dtypes of the output and of each input.
        pattern: how the output and each input are walked along a row.

    Example:
        >>> from tensorlab.scalars import TABLE
        >>> text = kernel_source(TABLE["add"], dtypes.float32, [dtypes.float32] * 3, ["run", "run", "one"])
        >>> print(text[text.index("def kernel"):])
        def kernel(first, last, walk, out, out_first, a, a_first, b, b_first):
            inner = walk.shape[1] - 1
            width = walk[0, inner]
            pieces = (width + PIECE - 1) // PIECE
            for task in range(first, last):
                place, left = task // pieces, task % pieces * PIECE
                count = np.uint64(min(PIECE, width - left))
                out_start = out_first + left * walk[1, inner]
                a_start = a_first + left * walk[2, inner]
                b_start = b_first + left * walk[3, inner]
                for dim in range(inner - 1, -1, -1):
                    position = place % walk[0, dim]
                    place //= walk[0, dim]
                    out_start += position * walk[1, dim]
                    a_start += position * walk[2, dim]
                    b_start += position * walk[3, dim]
                out_cell = np.uint64(out_start)
                a_cell = np.uint64(a_start)
                y = np.float32(b[b_start])
                for i in range(count):
                    out[out_cell + i] = np.float32(add(np.float32(a[a_cell + i]), y))
        <BLANKLINE>
    """
    text = _Text(row, compute, element_types, pattern)
    decorator = f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})"
    conversions = [f"{decorator}\n{inspect.getsource(each)}" for each in halves.needed(element_types)]
    formulas = [formula_text(row.formula, text.compute, decorator, keep_general=row.outside is not None)]
    if row.outside is not None:
        formulas.append(formula_text(row.outside, text.compute, decorator))
    kernel = text.strips() if TRANSPOSED in pattern else text.rows()
    described = ", ".join(element_type.name for element_type in element_types[1:])
    return (
        f'"""Generated by tensorlab: {row.name} of {described} to {element_types[0].name}."""\n'
        "import math\n\nimport numpy as np\nfrom numba import njit\n\n"
        "from tensorlab.backends.cpu.jit import Part\n\n"
        f"PIECE, STRIP, COLUMNS = {PIECE}, {STRIP}, {COLUMNS}\nnumber = np.{numpy_name(text.compute)}\n\n"
        + "\n\n".join([*conversions, *formulas, f"@njit({jit.KERNEL}, {OPTIONS})\n{kernel}"])
    )


class _Text:
    """The parts of one kernel's text."""

    def __init__(
        self, row: Scalar, compute: dtype, element_types: Sequence[dtype], pattern: Sequence[str]
    ) -> None:
        self.row, self.wanted, self.compute = row, compute, compute_type(row.formula, compute)
        self.result = element_types[0]
        count = row.arity + row.parameters
        self.inputs = list(zip(NAMES[:count], VARIABLES, element_types[1:], pattern[1:], strict=False))
        # An operand that is the output itself is not passed a second time: so the compiler knows that each
        # cell is read before it is written, and can use vector instructions.
        kinds = [("out", pattern[0]), *((name, kind) for name, _, _, kind in self.inputs)]
        self.walked = [
            (name, kind, k) for k, (name, kind) in enumerate(kinds, 1) if kind not in (SELF, NUMBER)
        ]
        self.parameters = ["first, last, walk"]
        for name, kind in kinds:
            if kind != SELF:
                self.parameters.append(name if kind == NUMBER else f"{name}, {name}_first")

    def _each(
        self,
        indent: int,
        *templates: str,
        kinds: Sequence[str] = (RUN, ONE, STEP, TRANSPOSED),
        names: Sequence[str] = ("out", *NAMES),
    ) -> str:
        """Lines for each of these operands that is walked in one of these ways."""
        return "".join(
            f"{' ' * indent}{template.format(name=name, k=k)}\n"
            for name, kind, k in self.walked
            if kind in kinds and name in names
            for template in templates
        )

    def rows(self) -> str:
        """The kernel that takes a piece of a row at a time."""
        return (
            f"def kernel({', '.join(self.parameters)}):\n"
            "    inner = walk.shape[1] - 1\n"
            "    width = walk[0, inner]\n"
            "    pieces = (width + PIECE - 1) // PIECE\n"
            + self._each(4, "{name}_near = np.empty(min(PIECE, width), {name}.dtype)", kinds=[STEP])
            + "    for task in range(first, last):\n"
            "        place, left = task // pieces, task % pieces * PIECE\n"
            "        count = np.uint64(min(PIECE, width - left))\n"
            + self._each(8, "{name}_start = {name}_first + left * walk[{k}, inner]")
            + self._positions("inner - 1")
            + self._row(8)
        )

    def strips(self) -> str:
        """The kernel that takes several rows at a time, because a transposed operand's cells cross them."""
        return (
            f"def kernel({', '.join(self.parameters)}):\n"
            "    inner = walk.shape[1] - 1\n"
            "    height, width = walk[0, inner - 1], walk[0, inner]\n"
            "    strips = (height + STRIP - 1) // STRIP\n"
            + self._each(4, "{name}_near = np.empty(STRIP * COLUMNS, {name}.dtype)", kinds=[STEP, TRANSPOSED])
            + "    for task in range(first, last):\n"
            "        place, top = task // strips, task % strips * STRIP\n"
            "        rows = min(STRIP, height - top)\n"
            + self._each(8, "{name}_corner = {name}_first + top * walk[{k}, inner - 1]")
            + self._positions("inner - 2").replace("_start", "_corner")
            + "        for left in range(0, width, COLUMNS):\n"
            "            count = np.uint64(min(COLUMNS, width - left))\n"
            + self._each(
                12,
                "for i in range(count):",
                "    {name}_cell = np.uint64({name}_corner + (left + np.int64(i)) * walk[{k}, inner])",
                "    if rows == STRIP:  # a loop whose length is known takes a third less time",
                "        for r in range(np.uint64(STRIP)):",
                "            {name}_near[r * np.uint64(COLUMNS) + i] = {name}[{name}_cell + r]",
                "    else:",
                "        for r in range(np.uint64(rows)):",
                "            {name}_near[r * np.uint64(COLUMNS) + i] = {name}[{name}_cell + r]",
                kinds=[TRANSPOSED],
            )
            + "            for r in range(rows):\n"
            + self._each(
                16,
                "{name}_start = {name}_corner + r * walk[{k}, inner - 1] + left * walk[{k}, inner]",
                kinds=[RUN, ONE, STEP],
            )
            + self._each(16, "{name}_row = np.uint64(r * COLUMNS)", kinds=[TRANSPOSED])
            + self._row(16)
        )

    def _positions(self, innermost: str) -> str:
        """The lines that go to where a row begins, by its number among all rows."""
        return (
            f"        for dim in range({innermost}, -1, -1):\n"
            "            position = place % walk[0, dim]\n"
            "            place //= walk[0, dim]\n"
            + self._each(12, "{name}_start += position * walk[{k}, dim]")
        )

    def _row(self, indent: int) -> str:
        """The lines that compute a row. Where a fast formula does not hold everywhere, a look comes first."""
        space, cells = " " * indent, {name: f"{name}[{name}_cell + i]" for name, *_ in self.walked}
        cells |= {name: f"{name}_near[i]" for name, kind, _ in self.walked if kind == STEP}
        cells |= {name: f"{name}_near[{name}_row + i]" for name, kind, _ in self.walked if kind == TRANSPOSED}
        apart = ["{name}_step = np.uint64(walk[{k}, inner])"]
        gathered = ["for i in range(count):", "    {name}_near[i] = {name}[{name}_cell + i * {name}_step]"]
        scattered = ["for i in range(count):", "    {name}[{name}_cell + i * {name}_step] = {name}_near[i]"]
        is_read = any(kind == SELF for *_, kind in self.inputs)
        values = []
        lines = self._each(indent, "{name}_cell = np.uint64({name}_start)", kinds=[RUN, STEP])
        lines += self._each(indent, *apart, kinds=[STEP])
        lines += self._each(indent, *gathered, kinds=[STEP], names=["out", *NAMES] if is_read else NAMES)
        for name, variable, element_type, kind in self.inputs:
            if kind in (ONE, NUMBER):
                cell = name if kind == NUMBER else f"{name}[{name}_start]"
                lines += f"{space}{variable} = {self._load(cell, element_type)}\n"
                values.append(variable)
            else:
                values.append(self._load(cells["out" if kind == SELF else name], element_type))
        arguments = ", ".join(values)
        loop = f"{space}{{}}for i in range(count):\n{space}{{}}    {{}}\n"
        fast = f"{cells['out']} = {self._store(f'{self.row.formula.__name__}({arguments})')}"
        if self.row.outside is None:
            lines += loop.format("", "", fast)
        else:
            general = f"{cells['out']} = {self._store(f'general({arguments})')}"
            look = f"strayed |= {self.row.outside.__name__}({arguments})"
            lines += f"{space}strayed = False\n" + loop.format("", "", look)
            lines += f"{space}if strayed:\n" + loop.format(*["    "] * 2, general)
            lines += f"{space}else:\n" + loop.format(*["    "] * 2, fast)
        return lines + self._each(indent, *scattered, kinds=[STEP], names=["out"])

    def _load(self, cell: str, element_type: dtype) -> str:
        """The number that a cell holds, in the compute type."""
        if element_type in halves.TYPES:
            cell = f"{halves.widen_name(element_type)}({cell})"
        elif self.wanted is not self.compute:
            cell = f"np.{numpy_name(self.wanted)}({cell})"  # what is wanted in float32 begins as float32
        elif element_type is dtypes.int64 and self.compute in _NARROW:
            cell = f"np.int64({cell})"  # NumPy wraps its own int64, and refuses Python's numbers
        return f"np.{numpy_name(self.compute)}({cell})"

    def _store(self, value: str) -> str:
        """The cell that holds a number of the compute type."""
        if self.result in halves.TYPES:
            return f"{halves.narrow_name(self.result)}(np.float32({value}))"
        if self.result.category == dtypes.INTEGER and self.compute.is_floating_point:
            value = truncated(value, self.result)
        return f"np.{numpy_name(self.result)}({value})"
