"""The text of the kernels that fold along the elements of one result.

The blocks of a result are folded one after another, each by vectors, and joined to its total. While a block
is folded, the memory of another one, some blocks ahead, is on its way.
"""

from __future__ import annotations

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.fold_pass import Pass
from tensorlab.backends.cpu.fold_text import AHEAD_BYTES, NEAR_BYTES, FoldText
from tensorlab.backends.cpu.fold_vectors import STREAMS
from tensorlab.backends.cpu.kernel_text import BLOCK_OPTIONS, LAYOUTS, OPTIONS, indented, positions
from tensorlab.backends.cpu.pointers import LINE
from tensorlab.folds import itself

__all__ = ["RowsText", "RunsText"]


class RowsText(FoldText):
    """The parts of one kernel's text, for results of one run of elements each."""

    def functions(self) -> str:
        """The functions that fold one block, for each look at the elements."""
        return "\n\n".join(self._block(one, name) for one, name in self.looks if not one.vectors)

    def imports(self) -> list[str]:
        """What is taken of `tensorlab.backends.cpu.fold_vectors`."""
        joins = [one.fold.join.name for one, _ in self.looks if one.vectors]
        forms = ("run", "streams", "each") if self.by_groups else ("run", "streams")
        return [f"{join}_{form}" for join in joins for form in forms]

    @property
    def by_groups(self) -> bool:
        """Whether several results are folded at a time, where the elements lie far away."""
        return self.main.vectors and self.center is None and not self.given

    def kernel(self) -> str:
        """The kernel for any layout. One task is one part of one result; the parts are joined later."""
        lines = [
            f"def kernel({self.parameters}):",
            *LAYOUTS.splitlines(),
            "    inner = span.shape[1] - 1",
            "    length, step = span[0, inner], span[1, inner]",
            f"    blocks, whole = (length + {self.block - 1}) // {self.block}, length // {self.block}",
            "    pieces = blocks * (n // greater(length, 1))  # of each result",
            "    results = out.size // parts",
            *self._far(),
            "    beside = walk.shape[1] - 1",
            "    width, out_step, start_step = walk[0, beside], walk[1, beside], walk[2, beside]",
            "    task = first",
            "    while task < last:",
            "        rest, part = (task // parts, task % parts) if parts > 1 else (task, 0)",
            "        # Neighbouring results follow one another without a look at where they are.",
            "        count = lesser(last - task, width - task % width) if parts == 1 else 1",
            "        task += count",
            *positions("walk", ("out_cell", "part * results", 1), ("start", "0", 2)).splitlines(),
            "        begin, end = 0, pieces",
            "        if parts > 1:",
            "            begin, end = part * pieces // parts, (part + 1) * pieces // parts",
            *indented(8, self._fold_groups()),
            "        for _ in range(count):",
            *indented(12, self._find_center()),
            *indented(12, self._fold_result(self.main, "main", "total")),
            f"            out[out_cell] = {self._stored()}",
            "            out_cell += out_step",
            "            start += start_step",
        ]
        return self._compiled(lines, jit.KERNEL)

    def flat_kernel(self) -> str:
        """The kernel that folds a run of cells into some results, of as many cells each.

        It is for short runs, and keeps the interpreter's lock: to give it back costs more than it brings.
        """
        lines = [
            "def flat_kernel(out, x):",
            "    n, k, c, step, far = x.size // out.size, 0.0, 0.0, 1, False",
            f"    blocks, whole = (n + {self.block - 1}) // {self.block}, n // {self.block}",
            "    length = n",
            "    for r in range(out.size):",
            "        cell = r * n",
            *indented(8, self._start(self.main, "total")),
            *indented(8, self._fold_run(self.main, "main", "total", "0", "blocks")),
            *indented(8, self._end(self.main, "total")),
            f"        out[r] = {self._stored()}",
        ]
        return self._compiled(lines, "cache=True, no_cfunc_wrapper=True")

    def _compiled(self, lines: list[str], options: str) -> str:
        """A kernel's text."""
        return f"@njit({options}, {OPTIONS})\n" + "\n".join(lines) + "\n"

    def _stored(self) -> str:
        return self.cells.store(self.main.finish("total"), self.main.floating)

    def _far(self) -> list[str]:
        return [] if self.step else [f"    far = x.size > {NEAR_BYTES // self.cells.source.itemsize}"]

    def _block(self, one: Pass, name: str) -> str:
        cell = "x[i * step]" if self.step else "x[i]"
        return (
            f"@njit({BLOCK_OPTIONS}, forceinline=True, {jit.HELPER})\n"
            f"def block_{name}(x, n, step, c, k):\n"
            f"    part = np.{one.lane}({one.start})\n"
            "    for i in range(n):\n"
            f"        part = {one.together('part', one.each(cell), one.lane)}\n"
            "    return part\n"
        )

    def _fold_groups(self) -> list[str]:
        """The lines that fold neighbouring results together, several at a time.

        Where there are fewer left, one is folded as if it were each of a group: whichever thread does it, and
        with whatever others, a result is the same number.
        """
        if not self.by_groups:
            return []
        one, totals = self.main, [f"total_{k}" for k in range(STREAMS)]
        found = [f"found_{k}" for k in range(STREAMS)]
        each = f"{one.fold.join.name}_each(at(x, start + i), lesser({self.block}, length - i), apart, "
        stored = [
            f"out[out_cell + {k} * out_step] = {self.cells.store(one.finish(total), one.floating)}"
            for k, total in enumerate(totals)
        ]
        return [
            f"while far and parts == 1 and out.size >= {STREAMS} and count > 0:",
            f"    together, apart = ({STREAMS}, start_step) if count >= {STREAMS} else (1, 0)",
            *(line for total in totals for line in indented(4, self._start(one, total))),
            "    for b in range(pieces):",
            f"        i = b * {self.block}",
            f"        {', '.join(found)} = {each}np.{one.lane}({one.start}))",
            *(
                line
                for total, part in zip(totals, found, strict=True)
                for line in indented(8, self._joined(one, total, part))
            ),
            *(line for total in totals for line in indented(4, self._end(one, total))),
            f"    {stored[0]}",
            "    if together > 1:",
            *indented(8, stored[1:]),
            "    out_cell += together * out_step",
            "    start += together * start_step",
            "    count -= together",
        ]

    def _find_center(self) -> list[str]:
        """The lines that find the center of a result."""
        if self.given:
            return ["c = centers[out_cell - part * results]"]
        if not self.center:
            return ["c = 0.0"]
        found = f"c = np.{self.main.value}({self.center.finish('center')})"
        return [*self._fold_result(self.center, "center", "center"), found]

    def _fold_result(self, one: Pass, name: str, total: str) -> list[str]:
        """The lines that fold the blocks `begin` … `end` - 1 of the result whose cells begin at `start`."""
        return [
            *self._start(one, total),
            "cell = start",
            *self._fold_run(one, name, total, "begin", "end"),
            *self._end(one, total),
        ]

    def _fold_run(self, one: Pass, name: str, total: str, begin: str, end: str) -> list[str]:
        """The lines that fold some blocks of the run of `length` cells that begins at `cell`.

        The length of a whole block is written into the text: the compiler makes one long piece of it.
        """
        if one.vectors:
            # Whole blocks are read in as many places as there are streams, a piece of each at a time.
            piece = self.block // STREAMS
            start = f"np.{one.lane}({one.start})"
            streams = f"{one.fold.join.name}_streams(at(x, cell + i), {piece}, full * {piece}, {start})"
            run = f"{one.fold.join.name}_run(at(x, cell + i), limit - i, far, {start})"
            return [
                f"i, limit = {begin} * {self.block}, lesser({end} * {self.block}, length)",
                f"full = (limit - i) // {self.block}",
                "for _ in range(full):",
                *indented(4, self._joined(one, total, streams)),
                f"    i += {piece}",
                f"i += full * {self.block - piece}",
                "if i < limit:",
                *indented(4, self._joined(one, total, run)),
            ]
        return [
            f"for b in range({begin}, lesser({end}, whole)):",
            f"    i = b * {self.block}",
            *self._ask(),
            *indented(4, self._fold_block(one, name, total, str(self.block))),
            f"if {end} > whole:",
            f"    i = whole * {self.block}",
            *(self._ask() if one.fold.each is itself else []),
            *indented(4, self._fold_block(one, name, total, "length - i")),
        ]

    def _ask(self) -> list[str]:
        """The lines that ask for memory some blocks ahead.

        What is left of a run behind its whole blocks asks only where nothing is computed of an element: there
        all time is spent waiting for memory.
        """
        if self.step:
            return []
        size = self.cells.source.itemsize
        ahead = AHEAD_BYTES // size
        return [
            "    if far:",
            f"        for ahead in range({ahead}, {ahead + self.block}, {LINE // size}):",
            "            prefetch(x, cell + i + ahead)",
        ]

    def _fold_block(self, one: Pass, name: str, total: str, length: str) -> list[str]:
        center = "0.0" if one is self.center else "c"
        return self._joined(one, total, f"block_{name}(at(x, cell + i * step), {length}, step, {center}, k)")

    def _joined(self, one: Pass, total: str, found: str) -> list[str]:
        part = f"{total}_part"
        return [f"{part} = np.{one.total}({found})", *one.joined(total, part, f"{total}_lost")]

    def _start(self, one: Pass, total: str) -> list[str]:
        lost = [f"{total}_lost = np.float64(0)"] if one.compensated else []
        return [f"{total} = np.{one.total}({one.start})", *lost]

    def _end(self, one: Pass, total: str) -> list[str]:
        if not one.compensated:
            return []
        return [f"if {total}_lost == {total}_lost:", f"    {total} += {total}_lost"]


class RunsText(RowsText):
    """The same for results of several runs each.

    It has a text of its own because of the registers that finding a run takes: they would be missing where
    rows are short and follow one another.
    """

    by_groups = False

    def _fold_result(self, one: Pass, name: str, total: str) -> list[str]:
        settled = f"{total} == 0" if one.start == "1" else f"{total} != 0"
        return [
            *self._start(one, total),
            "at_block = begin",
            "while at_block < end:",
            "    run, from_block = at_block // blocks, at_block % blocks",
            "    to_block = lesser(blocks, from_block + end - at_block)",
            *positions("span", ("cell", "start", 1), number="run", indent=4).splitlines(),
            "    at_block += to_block - from_block",
            *indented(4, self._fold_run(one, name, total, "from_block", "to_block")),
            *([f"    if {settled}:", "        break"] if one.fold.truth else []),
            *self._end(one, total),
        ]
