"""The text of the kernels that fold along neighbouring results, some rows of elements at a time.

The totals of a strip of results lie in a buffer, and rows of elements are folded into it.
"""

from __future__ import annotations

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.fold_pass import Pass
from tensorlab.backends.cpu.fold_text import (
    GROUP,
    NEAR_BYTES,
    ROWS,
    STRIP,
    STRIPS,
    TOGETHER,
    VECTOR_ROWS,
    FoldText,
)
from tensorlab.backends.cpu.kernel_text import BLOCK_OPTIONS, LAYOUTS, OPTIONS, indented, positions

__all__ = ["ColumnsText"]


class ColumnsText(FoldText):
    """The parts of one kernel's text."""

    def functions(self) -> str:
        """The functions that fold rows of a strip, for each look at the elements."""
        return "\n\n".join(self._rows(one, name) for one, name in self.looks if not one.vectors)

    def imports(self) -> list[str]:
        """What is taken of `tensorlab.backends.cpu.fold_vectors`."""
        return [f"{one.fold.join.name}_rows" for one, _ in self.looks if one.vectors]

    def kernel(self) -> str:
        """The kernel for any layout. One task is one part of one strip of results."""
        store = self.cells.store(self.main.finish("total[j]", "c[j]"), self.main.floating)
        lines = [
            f"@njit({jit.KERNEL}, {OPTIONS})",
            f"def kernel({self.parameters}):",
            *LAYOUTS.splitlines(),
            "    last_dim = walk.shape[1] - 1",
            "    width, out_step, step = walk[0, last_dim], walk[1, last_dim], walk[2, last_dim]",
            *self._strips,
            "    inner = span.shape[1] - 1",
            "    length, row_step = span[0, inner], span[1, inner]",
            "    results = out.size // parts",
            "    tasks = results // width * strips  # of each part",
            f"    pieces = (n + {TOGETHER - 1}) // {TOGETHER}  # of each result",
            "    # Where the rows of a narrow strip touch, several of them count as one wide row.",
            f"    beside = lesser({GROUP} // width, length // {TOGETHER})",
            "    beside = beside if beside > 1 and row_step == width and step == 1 else 1",
            f"    far = x.size > {NEAR_BYTES // self.cells.source.itemsize}",
            *self._buffers(),
            "    task = first",
            "    while task < last:",
            "        rest, part = (task % tasks, task // tasks) if parts > 1 else (task, 0)",
            "        rest, one = (rest // strips, rest % strips) if strips > 1 else (rest, 0)",
            "        # Strips that stand beside one another are folded as one.",
            f"        many = lesser(last - task, lesser(strips - one, {STRIPS}))",
            "        task += many",
            "        w = lesser(many * strip, width - one * strip)",
            *positions(
                "walk",
                ("out_cell", "part * results + one * strip * out_step", 1),
                ("start", "one * strip * step", 2),
                outer="last_dim",
            ).splitlines(),
            "        begin, end = 0, n",
            "        if parts > 1:",
            f"            begin = part * pieces // parts * {TOGETHER}",
            f"            end = lesser(n, (part + 1) * pieces // parts * {TOGETHER})",
            *indented(8, self._find_centers()),
            *indented(8, self._fold(self.main, "main", "total")),
            "        for j in range(w):",
            f"            out[out_cell + j * out_step] = {store}",
        ]
        return "\n".join(lines) + "\n"

    def flat_kernel(self) -> str:
        """The kernel that folds a run of rows, of as many cells as there are results.

        It is for short runs, and keeps the interpreter's lock: to give it back costs more than it brings.
        """
        lines = [
            f"@njit(cache=True, no_cfunc_wrapper=True, {OPTIONS})",
            "def flat_kernel(out, x):",
            "    n, width = x.size // out.size, out.size",
            "    span = np.empty((2, 1), np.int64)",
            "    walk = np.empty((3, 1), np.int64)",
            "    walk[0, 0], walk[1, 0], walk[2, 0] = width, 1, 1",
            "    span[0, 0], span[1, 0] = n, width",
            *self._strips,
            "    kernel(0, strips, walk, span, 1, 0.0, n, out, x, np.empty(0))",
        ]
        return "\n".join(lines) + "\n"

    @property
    def _strips(self) -> list[str]:
        """The lines that cut neighbouring results into strips, as `strip_width` does."""
        return [
            f"    strip = {STRIP} if 2 * width > {GROUP} else width",
            "    strips = (width + strip - 1) // strip",
        ]

    def _buffers(self) -> list[str]:
        """What a strip is folded in. Of what a fold has no use for, the totals take the place."""
        passes = [one for one, _ in self.looks]
        kinds = {
            "total": self.main.total,
            "lost": "float64" if any(one.compensated for one in passes) else "",
            "part_total": self.main.lane if not all(one.direct for one in passes) else "",
            "c": self.main.value if self.center or self.given else "",
        }
        room = [f"    room = lesser({STRIP * STRIPS}, width * beside)"]
        return room + [
            f"    {name} = {f'np.empty(room, np.{kind})' if kind else 'total'}"
            for name, kind in kinds.items()
        ]

    def _find_centers(self) -> list[str]:
        """The lines that find the centers of a strip, once for each of the rows that count as one."""
        if self.given:
            find = ["for j in range(w):", "    c[j] = centers[out_cell + j * out_step - part * results]"]
        elif self.center:
            find = [
                *self._fold(self.center, "center", "c"),
                "for j in range(w):",
                f"    c[j] = {self.center.finish('c[j]')}",
            ]
        else:
            return []
        return [*find, "for j in range(w, w * beside):", "    c[j] = c[j - w]"]

    def _rows(self, one: Pass, name: str) -> str:
        """The function that folds some rows of a strip into one row."""
        starts = [f"r{r} = advance(x, (i + {r}) * row_step)" for r in range(TOGETHER)]
        step = " * step" if self.step else ""
        seen = [one.each(f"r{r}[j{step}]", "c[j]") for r in range(TOGETHER)]
        together = seen
        while len(together) > 1:
            pairs = zip(together[::2], together[1::2], strict=True)
            together = [one.together(a, b, one.lane) for a, b in pairs]
        # Where lanes are narrower than totals, rows are added by pairs first, which loses fewer digits; the
        # compiler would make one long chain of it. What computes more of an element is faster as a chain.
        ordered = one.lane != one.total and not one.fold.scalars
        lines = [
            f"@njit({OPTIONS if ordered else BLOCK_OPTIONS}, {jit.HELPER})",
            f"def rows_{name}(x, step, row_step, count, w, k, total, c):",
            "    i = 0",
            f"    while i + {TOGETHER} <= count:",
            *indented(8, starts),
            "        for j in range(w):",
            f"            total[j] = {one.together('total[j]', together[0], one.lane)}",
            f"        i += {TOGETHER}",
            "    while i < count:",
            f"        {starts[0]}",
            "        for j in range(w):",
            f"            total[j] = {one.together('total[j]', seen[0], one.lane)}",
            "        i += 1",
        ]
        return "\n".join(lines) + "\n"

    def _fold(self, one: Pass, name: str, total: str) -> list[str]:
        """The lines that fold the rows `begin` … `end` - 1 of one task."""
        target = total if one.direct else "part_total"
        wide = "for j in range(w * beside):"
        rows = (
            f"rows_{name}(at(x, cell), step, each * row_step, many, each * w, k, at({target}, 0), at(c, 0))"
        )
        if one.vectors:
            join = one.fold.join.name
            rows = f"{join}_rows(at(x, cell), each * row_step, many, each * w, at({target}, 0), far)"
        lines = [
            wide,
            f"    {total}[j] = {one.start}",
            *(["    lost[j] = 0"] if one.compensated else []),
            "row = begin",
            "while row < end:",
            "    run, i = (0, row) if inner == 0 else (row // length, row % length)",
            *positions("span", ("cell", "start + i * row_step", 1), number="run", indent=4).splitlines(),
            "    left = lesser(length - i, end - row)",
            f"    count = lesser({VECTOR_ROWS if one.vectors else ROWS} * beside, left)",
            "    row += count",
        ]
        if not one.direct:
            lines += [f"    {wide}", f"        part_total[j] = {one.start}"]
        lines += [
            "    left, each = count, beside  # whole groups, and then what is left, row by row",
            "    while left > 0:",
            "        many = left // each",
            f"        {rows}",
            "        cell += many * each * row_step",
            "        left, each = left - many * each, 1",
        ]
        if not one.direct:
            piece = "part_total[j]" if one.compensated else f"np.{one.total}(part_total[j])"
            lines.append(f"    {wide}")
            lines += indented(8, one.joined(f"{total}[j]", piece, "lost[j]"))
        if one.compensated:
            lines += [wide, "    if lost[j] == lost[j]:", f"        {total}[j] += lost[j]"]
        return [
            *lines,
            "group = beside",
            "while group > 1:  # the rows that stood beside one another, by halves",
            "    half = group // 2 * w",
            "    behind = group * w - half",
            "    for j in range(half):",
            f"        {total}[j] = {one.together(f'{total}[j]', f'{total}[behind + j]', one.total)}",
            "    group -= group // 2",
        ]
