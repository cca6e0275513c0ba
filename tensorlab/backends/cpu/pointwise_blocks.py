"""The text of pointwise kernels that read a transposed operand in blocks."""

from __future__ import annotations

import hashlib
import inspect

from tensorlab.backends.cpu import simd
from tensorlab.backends.cpu.pointers import LINE
from tensorlab.backends.cpu.pointwise_text import STEP, TRANSPOSED, PointwiseText
from tensorlab.backends.operands import ONE, RUN
from tensorlab.dtypes import dtype

__all__ = ["BLOCKS", "STRIP", "BlocksText"]

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

# What the text begins with. Its name changes with the shuffles that it imports.
BLOCKS = (
    "from tensorlab.backends.cpu.intrinsics import on_stack, prefetch\n"
    "from tensorlab.backends.cpu.simd import TILE, transpose_block  # "
    + hashlib.sha256(inspect.getsource(simd).encode()).hexdigest()[:16]
    + f"\n\nBLOCK, STRIP, NARROW, AHEAD = {BLOCK}, {STRIP}, {NARROW}, {AHEAD}\n"
)


class BlocksText(PointwiseText):
    """The parts of one kernel's text: what has memory at hand, and the walk from block to block."""

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
