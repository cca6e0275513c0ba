"""The text of pointwise kernels.

Every kernel has the same shape: load the operands, widen them to the compute type, apply the formula, narrow
the result, store it. What differs is how the cells are reached; see `tensorlab.backends.cpu.pointwise`.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence

from tensorlab import dtypes
from tensorlab.backends.cpu import direct, halves, intrinsics, jit, pointers, segments, simd
from tensorlab.backends.cpu.kernel_text import numpy_name, truncated
from tensorlab.backends.cpu.pointers import LINE
from tensorlab.backends.operands import ONE, RUN
from tensorlab.dtypes import dtype
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type, formula_text, written_out

__all__ = ["BLOCK", "ONE", "RUN", "SELF", "STEP", "STRIP", "TRANSPOSED", "kernel_source"]

STEP, TRANSPOSED, SELF = "step", "transposed", "self"

_NARROW = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32)

# Columns and rows of the block in which a transposed operand is read. 16 cells of float32 are one cache line,
# so that of each of the operand's own rows whole lines are read; a row of 256 is long enough for a loop of
# whole vectors; and such a block of float64 is 32 KB, which a first-level cache holds beside the other
# operands.
BLOCK = 256
STRIP = simd.WIDE

# Bytes of blocks that take no memory of their own, but lie on the stack: less than what Windows would have a
# kernel announce, and enough for 32 columns of float32.
LITTLE = 3328

# Bytes of a transposed operand from which the caches do not have it. Then memory is asked for ahead of time,
# of all operands, because they are read in more places at once than the processor follows: `AHEAD` columns
# ahead, in blocks of a few columns, so that what is asked for is still there when its turn comes.
FAR_BYTES = 1 << 23
NARROW = 16
AHEAD = 64

# Elements that are computed by the formula when one strays: where many do, a loop that begins anew for each
# vector would take longer than what it computes, and where few do, little is lost.
STRETCH = 128

# Numba's cache does not see a change in an imported function, so the text carries what would change it.
POINTERS = (
    "from tensorlab.backends.cpu.direct import direct\n"
    "from tensorlab.backends.cpu.intrinsics import lesser\n"
    "from tensorlab.backends.cpu.pointers import at  # "
    + hashlib.sha256((inspect.getsource(pointers) + inspect.getsource(intrinsics)).encode()).hexdigest()[:16]
    + "\n"
)
BLOCKS = (
    "from tensorlab.backends.cpu.intrinsics import on_stack, prefetch\n"
    "from tensorlab.backends.cpu.simd import TILE, transpose_block  # "
    + hashlib.sha256(inspect.getsource(simd).encode()).hexdigest()[:16]
    + f"\n\nBLOCK, STRIP, NARROW, AHEAD = {BLOCK}, {STRIP}, {NARROW}, {AHEAD}\n"
)

# The same for functions that are computed vector by vector.
GROUPS = (
    "from tensorlab.backends.cpu.pointers import advance\n"
    "from tensorlab.backends.cpu.segments import GROUP, gelu_group, gelu_rest  # "
    + hashlib.sha256(inspect.getsource(segments).encode()).hexdigest()[:16]
    + f"\n\nSTRETCH = {STRETCH}\n"
)

# Elements that are looked through at a time for one that a fast formula does not hold for: 16 or 32 KB, so
# that they are still in the first-level cache when they are computed.
CHUNK = 4096

# What costs as many additions as this is computed by vectors even where cells lie apart: so many of them are
# copied together at a time.
COSTLY = 2
NEAR = 512

NAMES = "abcde"
VARIABLES = "xyzuv"


def kernel_source(
    row: Scalar, compute: dtype, element_types: Sequence[dtype], pattern: Sequence[str], form: str = "flat"
) -> str:
    """The text of one kernel: a module with ``kernel`` and, of the flat form, ``parallel_kernel``.

    The tasks of the other forms are shared by `tensorlab.backends.cpu.sharing`.

    Args:
        row: the scalar function.
        compute: the type that the formula works in.
        element_types: the dtypes of the output and of each input.
        pattern: how the output and each input are walked along the innermost dimension.
        form: ``"flat"``, ``"rows"`` or ``"blocks"``.

    Example:
        >>> from tensorlab.scalars import TABLE
        >>> text = kernel_source(TABLE["add"], dtypes.float32, [dtypes.float32] * 3, ["run", "run", "one"])
        >>> print(text[text.index("def kernel"):text.index("@njit(cache=True", text.index("def kernel"))])
        def kernel(out, a, b):
            y = np.float32(b)
            for i in range(out.size):
                out[i] = np.float32(np.float32(a[i]) + y)
        <BLANKLINE>
        <BLANKLINE>
        <BLANKLINE>
    """
    body = _Kernel(row, compute, element_types, pattern, form)
    decorator = f"@njit({body.options}, forceinline=True, {jit.HELPER})"
    described = ", ".join(t.name for t in element_types[1:])
    serial = {"flat": body.flat, "rows": body.rows, "blocks": body.blocks}[form]()
    parts = [f"{decorator}\n{inspect.getsource(function)}" for function in halves.needed(element_types)]
    if body.calls:
        parts.append(formula_text(row.formula, body.compute, decorator, keep_general=row.outside is not None))
    if row.outside is not None:
        parts.append(formula_text(row.outside, body.compute, decorator))
    if body.in_groups:
        parts.append(f"{decorator}\n{body.groups()}")
    elif body.in_chunks and form == "flat":
        parts.append(f"{decorator}\n{body.chunk()}")
    functions = "\n\n".join(parts)
    # A flat kernel takes a number as it is, of any type: Numba has to look.
    kind = jit.KERNEL if form == "flat" and ONE in pattern else jit.ENTERED
    options = f"{kind}, {body.options}"
    kernel = f"@njit({options})\n{serial}"
    if form == "blocks":
        kernel = f"@direct\n{body.block_walk()}\n\n{kernel}"
    elif body.is_direct:
        kernel = direct.text(serial, options)
    return (
        f'"""Generated by tensorlab: {row.name} of {described} to {element_types[0].name}, {form}."""\n'
        "import math\n\nimport numpy as np\nfrom numba import njit\n\n"
        f"{POINTERS}"
        f"{BLOCKS if form == 'blocks' else ''}{GROUPS if body.in_groups else ''}"
        f"CHUNK, NEAR = {CHUNK}, {NEAR}\nnumber = np.{numpy_name(body.compute)}\n\n"
        f"{functions}\n\n"
        f"{kernel}" + (f"\n\n@njit({jit.INNER}, {body.options})\n{body.shared()}" if form == "flat" else "")
    )


class _Kernel:
    """The parts of one kernel's text."""

    # 'contract' lets a product and a sum become one fused instruction; results keep their infinities and NaN.
    options = 'error_model="numpy", fastmath={"contract"}'

    def __init__(
        self,
        row: Scalar,
        compute: dtype,
        element_types: Sequence[dtype],
        pattern: Sequence[str],
        form: str,
    ) -> None:
        self.row, self.wanted, self.compute = row, compute, compute_type(row.formula, compute)
        self.types, self.pattern = tuple(element_types), tuple(pattern)
        self.inputs = list(
            zip(
                NAMES[: row.arity + row.parameters], VARIABLES, self.types[1:], self.pattern[1:], strict=False
            )
        )
        # An operand that is the output itself is not passed a second time: the compiler then knows that a
        # cell is read before it is written, and can still use vector instructions.
        self.parameters = ["out", *(name for name, _, _, kind in self.inputs if kind != SELF)]
        # Rows and blocks are walked by what is written down directly, unless that takes memory.
        self.is_direct = form != "flat" and not self.gathers

    @property
    def in_chunks(self) -> bool:
        """Whether elements are looked through before they are computed."""
        return self.row.outside is not None

    @property
    def in_groups(self) -> bool:
        """Whether whole vectors are computed in a way of their own."""
        return segments.has_groups(self.row.name, self.types, self.pattern)

    @property
    def calls(self) -> bool:
        """Whether the formula is a function that is called, and not an expression that stands in the loop.

        Numba's operators on truths take none from a pointer, which are bytes; a call makes bits of them. What
        is written down directly has integers that do not wrap around: those of elements are left to calls.
        """
        names = [name for name, *_ in self.inputs]
        plain = written_out(self.row.formula, self.compute, names) is not None
        counts = self.is_direct and not self.compute.is_floating_point
        return self.in_chunks or not plain or self.compute is dtypes.bool or counts

    @property
    def gathers(self) -> bool:
        """Whether cells of a row that lie apart are first copied to where they lie together."""
        return STEP in self.pattern and TRANSPOSED not in self.pattern and self.row.cost >= COSTLY

    def flat(self) -> str:
        """All cells one after another."""
        if self.in_groups:
            runs = ", ".join(f"at({name}, first)" for name in self.parameters)
            compute = f"compute_run({runs}, last - first)"
        elif self.in_chunks:
            compute = f"compute_chunk({self._stretch()})"
        else:
            return self._cells("kernel")
        return (
            f"def kernel({', '.join(self.parameters)}):\n"
            "    for chunk in range((out.size + CHUNK - 1) // CHUNK):\n"
            "        first, last = chunk * CHUNK, min(out.size, (chunk + 1) * CHUNK)\n"
            f"        {compute}\n"
        )

    def shared(self) -> str:
        """The flat kernel for threads: the cells of chunks `begin` … `end` - 1."""
        return (
            f"def shared_kernel(begin, end, {', '.join(self.parameters)}):\n"
            "    first, last = begin * CHUNK, min(out.size, end * CHUNK)\n"
            f"    kernel({self._stretch()})\n"
        )

    def chunk(self) -> str:
        """A stretch of a flat kernel that is looked through first."""
        return self._cells("compute_chunk")

    def _stretch(self) -> str:
        """The arguments for the cells `first` … `last` - 1."""
        inputs = [f"{n}[first:last]" if k == RUN else n for n, _, _, k in self.inputs if k != SELF]
        return ", ".join(["out[first:last]", *inputs])

    def _cells(self, name: str) -> str:
        lines = [f"def {name}({', '.join(self.parameters)}):", *self._single_operands()]
        return "\n".join(lines) + "\n" + self._loop(4, "out.size", "{name}[i]", "out[i]")

    def groups(self) -> str:
        """A run between pointers: vector by vector, or a stretch by the formula where an element strays."""
        name, source = self.row.name, self.parameters[-1]
        places = f"advance({source}, done), advance(out, done)"
        return (
            f"def compute_run({', '.join(self.parameters)}, count):\n"
            "    whole = count - count % GROUP\n"
            "    done = 0\n"
            "    while done < count:\n"
            f"        while done < whole and {name}_group({places}):\n"
            "            done += GROUP\n"
            "        part = min(STRETCH, count - done)\n"
            f"        if part >= GROUP or part > 0 and not {name}_rest({places}, part):\n"
            + self._loop(12, "part", "{name}[done + i]", "out[done + i]")
            + "        done += part\n"
        )

    def _single_operands(self) -> list[str]:
        """Lines that load the operands of one cell, before a loop over the others."""
        return [f"    {v} = {self._load(name, t)}" for name, v, t, kind in self.inputs if kind == ONE]

    def _loop(self, indent: int, length: str, cells: str | dict[str, str], out_cell: str) -> str:
        """The innermost loop. Where a formula does not hold everywhere, a look comes first."""
        space = " " * indent
        head = f"for i in range({length}):\n"
        operands = self._values(cells, out_cell)
        values = ", ".join(operands)
        result = None if self.calls else written_out(self.row.formula, self.compute, operands)
        fast = f"{out_cell} = {self._store(result or f'{self.row.formula.__name__}({values})')}\n"
        if not self.in_chunks:
            return f"{space}{head}{space}    {fast}"
        assert self.row.outside is not None
        return (
            f"{space}strayed = False\n"
            f"{space}{head}"
            f"{space}    strayed |= {self.row.outside.__name__}({values})\n"
            f"{space}if strayed:\n"
            f"{space}    {head}"
            f"{space}        {out_cell} = {self._store(f'general({values})')}\n"
            f"{space}else:\n"
            f"{space}    {head}"
            f"{space}        {fast}"
        )

    def rows(self) -> str:
        """Row after row of plane after plane: the innermost dimension is a loop, and so is the one before."""
        return (
            f"def kernel(first, last, walk, {', '.join(self.parameters)}):\n"
            "    # walk[0] is the shape, of two dimensions or more; then, for each operand, its strides\n"
            "    inner = walk.shape[1] - 1\n"
            "    height, n = walk[0, inner - 1], walk[0, inner]\n"
            + self._each("    {name}_down = walk[{k}, inner - 1]\n")
            + self._each("    {name}_step = np.uint64(walk[{k}, inner])\n", STEP)
            + (self._each("    {name}_near = np.empty(NEAR, {name}.dtype)\n", STEP) if self.gathers else "")
            + "    task = first\n"
            "    while task < last:\n"
            "        rest = task // height\n"
            "        begin = task - rest * height\n"
            "        rows = lesser(height - begin, last - task)\n"
            "        task += rows\n"
            + self._each("        {name}_row = begin * {name}_down\n")
            + "        for dim in range(inner - 2, -1, -1):\n"
            "            position = rest % walk[0, dim]\n"
            "            rest //= walk[0, dim]\n"
            + self._each("            {name}_row += position * walk[{k}, dim]\n")
            + "        for _ in range(rows):\n"
            + (self._row_in_parts() if self.gathers else self._begin_row(12) + self._row_loop(12, "n"))
            + self._each("            {name}_row += {name}_down\n")
        )  # fmt: skip

    def _row_in_parts(self) -> str:
        """One row, of which cells that lie apart are copied together: so that vectors are computed with."""
        cell = "{name}[np.uint64({name}_row) + np.uint64(c0 + i) * {name}_step]"
        each = "                for i in range(columns):\n                    "
        gathered = self._each(f"{each}{{name}}_near[i] = {cell}\n", STEP)
        scattered = f"{each}{cell.format(name='out')} = out_near[i]\n" if self.pattern[0] == STEP else ""
        return (
            "            for c0 in range(0, n, NEAR):\n"
            "                columns = lesser(NEAR, n - c0)\n"
            + gathered
            + self._begin_row(16, "columns", "c0 + ")
            + self._row_loop(16, "columns")
            + scattered
        )

    def blocks(self) -> str:
        """Blocks of rows and columns: a transposed operand is first copied, run by run, to a small buffer."""
        transposed = self._transposed()
        little = LITTLE // len(transposed)
        # A block begins where a line of the cache does, so that no vector of a long row lies in two of them.
        buffers = "".join(
            f"    {name}_room = on_stack({name}, {little // t.itemsize})\n"
            f"    if room + {LINE // t.itemsize} > {name}_room.size:\n"
            f"        {name}_room = np.empty(room + {LINE // t.itemsize}, np.{t.cell.name})\n"
            f"    {name}_block = TILE * line\n"
            f"    {name}_block += -({name}_room.ctypes.data + {name}_block * {t.itemsize})"
            f" % {LINE} // {t.itemsize}\n"
            for name, t in transposed
        )
        uncached = " or ".join(f"{name}.size > {FAR_BYTES // t.itemsize}" for name, t in transposed)
        joined = (
            self._each("walk[{k}, inner - 1] == width and ", RUN)
            + self._each("walk[{k}, inner - 1] == 0 and ", ONE)
            + self._each("walk[{k}, inner - 1] == width * walk[{k}, inner] and ", STEP)
        )
        return (
            f"def kernel(first, last, walk, {', '.join(self.parameters)}):\n"
            "    inner = walk.shape[1] - 1\n"
            "    width = walk[0, inner]\n"
            f"    uncached = {uncached}\n"
            "    step = NARROW if uncached else BLOCK\n"
            "    # Short rows that lie one behind the other, in all operands, are computed as one.\n"
            f"    joined = {joined}width <= step and not uncached\n"
            "    line = width if joined else step\n"
            "    room = (TILE + STRIP) * line + STRIP\n"
            f"{buffers}"
            f"    walk_blocks({self._block_parameters()})\n"
        )

    def block_walk(self) -> str:
        """The function that goes from block to block."""
        copies = "".join(
            f"            corner = {name}_start + r0 + c0 * {name}_column\n"
            "            if uncached:\n"
            "                for k in range(AHEAD, AHEAD + columns):\n"
            + "".join(
                f"                    prefetch({name}, corner + k * {name}_column + {cell})\n"
                for cell in (*range(0, STRIP, LINE // t.itemsize), STRIP - 1)
            )
            + f"            transpose_block({name}, corner, {name}_column, rows, r0, columns, "
            f"{name}_room, {name}_block, line)\n"
            for name, t in self._transposed()
        )
        return (
            f"def walk_blocks({self._block_parameters()}):\n"
            "    # walk[0] is the shape; then, for each operand, its strides.\n"
            "    # A task is one block of rows of one plane, all its columns.\n"
            "    inner = walk.shape[1] - 1\n"
            "    height, width = walk[0, inner - 1], walk[0, inner]\n"
            "    strips = (height + STRIP - 1) // STRIP\n"
            + self._each("    {name}_column = walk[{k}, inner]\n", TRANSPOSED)
            + self._each("    {name}_step = np.uint64(walk[{k}, inner])\n", STEP)
            + self._each("    {name}_down = walk[{k}, inner - 1]\n", RUN, ONE, STEP)
            + "    for task in range(first, last):\n"
            "        r0 = task % strips * STRIP\n"
            "        rows = lesser(STRIP, height - r0)\n"
            + self._each("        {name}_start = 0\n")
            + "        rest = task // strips\n"
            "        for dim in range(inner - 2, -1, -1):\n"
            "            position = rest % walk[0, dim]\n"
            "            rest //= walk[0, dim]\n"
            + self._each("            {name}_start += position * walk[{k}, dim]\n")
            + "        for c0 in range(0, width, step):\n"
            "            columns = lesser(step, width - c0)\n"
            + copies
            + self._each(
                "            {name}_row = {name}_start + r0 * {name}_down\n"
                "            {name}_row += c0 * walk[{k}, inner]\n", RUN, ONE, STEP)
            + "            lines = rows\n"
            "            if joined:\n"
            "                columns, lines = rows * width, 1\n"
            "            for r in range(lines):\n"
            + ("                if uncached:\n" if RUN in self.pattern else "")
            + "".join(
                self._each(f"                    prefetch({{name}}, {{name}}_row + AHEAD + {cell})\n", RUN)
                for cell in range(0, NARROW, LINE // min(t.itemsize for t in self.types))
            )
            + self._begin_row(16, "columns")
            + self._row_loop(16, "columns")
            + self._each("                {name}_row += {name}_down\n", RUN, ONE, STEP)
        )  # fmt: skip

    def _transposed(self) -> list[tuple[str, dtype]]:
        """The names and dtypes of the transposed operands."""
        return [(name, t) for name, _, t, kind in self.inputs if kind == TRANSPOSED]

    def _block_parameters(self) -> str:
        """What `block_walk` is given."""
        places = (f"{name}_room, {name}_block" for name, _ in self._transposed())
        return ", ".join(["first, last, walk, uncached, step, joined, line", *self.parameters, *places])

    def _each(self, template: str, *kinds: str) -> str:
        """`template` for each operand that is passed (of these kinds, if any are named)."""
        operands = [("out", self.pattern[0]), *((name, kind) for name, _, _, kind in self.inputs)]
        return "".join(
            template.format(name=name, k=k)
            for k, (name, kind) in enumerate(operands, start=1)
            if kind != SELF and (not kinds or kind in kinds)
        )

    def _begin_row(self, indent: int, length: str = "n", skipped: str = "") -> str:
        lines = []
        for name, kind in [("out", self.pattern[0]), *((name, kind) for name, _, _, kind in self.inputs)]:
            if kind == RUN:
                lines.append(f"{name}_run = {self._run(name, length, skipped)}")
            elif kind == STEP and not self.gathers:
                lines.append(f"{name}_cell = np.uint64({name}_row)")
        for name, variable, element_type, kind in self.inputs:
            if kind == ONE:
                lines.append(f"{variable} = {self._load(f'{name}[{name}_row]', element_type)}")
            elif kind == TRANSPOSED:
                lines.append(f"{name}_run = at({name}_room, {name}_block + r * line)")
        return "".join(" " * indent + line + "\n" for line in lines)

    def _run(self, name: str, length: str, skipped: str) -> str:
        """A row's cells; a pointer takes less time to make than a part of an array, and knows no bools."""
        if dtypes.bool in self.types and not self.is_direct:
            return f"{name}[{skipped}{name}_row : {skipped}{name}_row + {length}]"
        return f"at({name}, {skipped}{name}_row)"

    def _cell(self, name: str, i: str) -> str:
        kind = self.pattern[0] if name == "out" else {n: k for n, _, _, k in self.inputs}[name]
        if kind != STEP:
            return f"{name}_run[{i}]"
        return f"{name}_near[{i}]" if self.gathers else f"{name}[{name}_cell + np.uint64({i}) * {name}_step]"

    def _row_loop(self, indent: int, length: str) -> str:
        if self.in_groups:
            runs = ", ".join(f"at({name}, {name}_row)" for name in self.parameters)
            return f"{' ' * indent}compute_run({runs}, {length})\n"
        cells = {name: self._cell(name, "i") for name, _, _, kind in self.inputs if kind not in (SELF, ONE)}
        return self._loop(indent, length, cells, self._cell("out", "i"))

    def _values(self, cells: str | dict[str, str], out_cell: str) -> list[str]:
        """The loaded operands, as expressions."""
        values = []
        for name, variable, element_type, kind in self.inputs:
            if kind == ONE:
                values.append(variable)
            else:
                cell = cells.format(name=name) if isinstance(cells, str) else cells.get(name, "")
                values.append(self._load(out_cell if kind == SELF else cell, element_type))
        return values

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
        element_type = self.types[0]
        if element_type in halves.TYPES:
            return f"{halves.narrow_name(element_type)}(np.float32({value}))"
        if element_type.category == dtypes.INTEGER and self.compute.is_floating_point:
            value = truncated(value, element_type)
        return f"np.{numpy_name(element_type)}({value})"
