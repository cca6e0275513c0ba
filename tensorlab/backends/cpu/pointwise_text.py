"""What the text of all pointwise kernels is made of: the loops, and how cells of them are reached.

Every kernel has the same shape: load the operands, widen them to the compute type, apply the formula, narrow
the result, store it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab import dtypes
from tensorlab.backends.cpu import halves
from tensorlab.backends.cpu.kernel_text import numpy_name, truncated
from tensorlab.backends.operands import ONE, RUN
from tensorlab.dtypes import dtype
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type, written_out

__all__ = ["NAMES", "NEAR", "SELF", "STEP", "TRANSPOSED", "VARIABLES", "PointwiseText"]

STEP, TRANSPOSED, SELF = "step", "transposed", "self"

_NARROW = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32)

# What costs as many additions as this is computed by vectors even where cells lie apart: so many of them are
# copied together at a time.
COSTLY = 2
NEAR = 512

NAMES = "abcde"
VARIABLES = "xyzuv"


class PointwiseText:
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
        if not self.in_chunks:
            return self._cells("kernel")
        return (
            f"def kernel({', '.join(self.parameters)}):\n"
            "    for chunk in range((out.size + CHUNK - 1) // CHUNK):\n"
            "        first, last = chunk * CHUNK, min(out.size, (chunk + 1) * CHUNK)\n"
            f"        compute_chunk({self._stretch()})\n"
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
