"""The text of the kernels that fold.

A kernel computes results one after another. Elements are folded in blocks: within a block in any order, so
that the compiler may use vector instructions, and in the type of the elements; the blocks' results are joined
one by one in a wider type (or, for float64, with the rounding errors kept beside the total). That is as fast
as a plain loop and loses fewer digits.

Two forms differ in what the innermost loop walks along. ``rows`` walks along the elements of one result,
``columns`` along neighbouring results, some rows of elements at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tensorlab import dtypes
from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.fold_pass import Pass
from tensorlab.backends.cpu.kernel_text import (
    BLOCK_OPTIONS,
    LAYOUTS,
    OPTIONS,
    TOGETHER,
    Cells,
    block_length,
    header,
    jitted,
    positions,
)
from tensorlab.backends.cpu.pointers import LINE
from tensorlab.dtypes import dtype
from tensorlab.folds import Fold, itself
from tensorlab.scalars import TABLE
from tensorlab.scalars.source import formula_text

__all__ = ["fold_source", "join_source"]


def fold_source(fold: Fold, cells: Cells, value: dtype, form: str, step: bool, given: bool = False) -> str:
    """The text of one kernel: a module with ``kernel``.

    Args:
        fold: a row of `tensorlab.folds.TABLE`.
        cells: the dtypes of the elements and of the results.
        value: the type in which elements are counted.
        form: ``"rows"`` or ``"columns"``.
        step: whether the cells along the innermost loop lie apart.
        given: whether the results of the fold's center are passed, instead of computed.
    """
    text = _FoldText(fold, cells, value, step, given)
    functions = [*cells.helpers(), fold.each, fold.finish]
    if fold.center and not given:
        functions += [fold.center.each, fold.center.finish]
    title = f"{fold.name} of {cells.source.name} to {cells.result.name}, {form}"
    body = text.rows() if form == "rows" else text.columns()
    return (
        header(title, block_length(cells.source, step))
        + _scalars(fold, text.main, value)
        + jitted(functions)
        + "\n\n"
        + body
        + ("" if step or fold.center else "\n\n" + text.flat(form))
    )


def join_source(fold: Fold, value: dtype, result: dtype) -> str:
    """The text of the kernel that joins the parts of each result: a module with ``kernel``.

    Args:
        fold: whose parts were computed.
        value: the type that the parts are kept in; see `tensorlab.backends.cpu.fold_pass.total_type`.
        result: the dtype of the results.
    """
    join = replace(fold, each=itself, center=None)
    cells = Cells(value, result)
    main = Pass(join, cells, value)
    lines = [
        f"@njit({jit.KERNEL}, {OPTIONS})",
        "def kernel(walk, parts, k, n, out, x):",
        "    # walk: the results' shape, out's strides",
        "    results = x.size // parts",
        "    for result in range(results):",
        *positions("walk", ("out_cell", "0", 1), number="result").splitlines(),
        f"        total = np.{main.total}({main.start})",
        *(["        lost = np.float64(0)"] if main.compensated else []),
        "        for cell in range(result, x.size, results):",
        f"            part = np.{main.total}({main.each('x[cell]')})",
        *(f"            {line}" for line in main.joined("total", "part", "lost")),
        *(["        if lost == lost:", "            total += lost"] if main.compensated else []),
        f"        out[out_cell] = {cells.store(main.finish('total'), main.floating)}",
    ]
    return (
        header(f"{fold.name} of parts in {value.name} to {result.name}")
        + _scalars(fold, main, value)
        + jitted([*cells.helpers(), itself, fold.finish])
        + "\n\n"
        + "\n".join(lines)
        + "\n"
    )


def _scalars(fold: Fold, one: Pass, value: dtype) -> str:
    """The text of the scalar functions that a fold calls."""
    compute = dtypes.by_name(one.value) if fold.scalars else value
    decorator = f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})"
    return "".join(formula_text(TABLE[name].formula, compute, decorator) + "\n\n" for name in fold.scalars)


_BLOCKS_OF = f"""@njit({jit.HELPER})
def blocks_of(span):
    inner = span.shape[1] - 1
    blocks = (span[0, inner] + BLOCK - 1) // BLOCK
    for dim in range(inner):
        blocks *= span[0, dim]
    return blocks
"""


class _FoldText:
    """The parts of one kernel's text."""

    def __init__(self, fold: Fold, cells: Cells, value: dtype, step: bool, given: bool) -> None:
        self.main = Pass(fold, cells, value, step)
        self.center = Pass(fold.center, cells, value, step) if fold.center and not given else None
        self.cells, self.step, self.given = cells, step, given
        # All kernels take centers: those of one signature share the kernel that divides them among threads.
        self.parameters = "walk, span, parts, k, n, out, x, centers"

    def rows(self) -> str:
        passes = [(self.center, "center"), (self.main, "main")]
        folds = "\n\n".join(self._fold_row(one, name) for one, name in passes if one)
        center = "        c = 0.0\n"
        if self.given:
            center = "        c = centers[out_cell - part * results]\n"
        elif self.center:
            call = "fold_center(x, start, span, 0, blocks, 0.0, k)"
            center = f"        c = np.{self.main.value}({self.center.finish(call)})\n"
        store = self.cells.store(self.main.finish("total"), self.main.floating)
        return (
            f"{folds}\n\n{_BLOCKS_OF}\n\n@njit({jit.KERNEL}, {OPTIONS})\n"
            f"def kernel(first, last, {self.parameters}):\n{LAYOUTS}"
            "    # One task is one part of one result; the parts are joined later.\n"
            "    blocks = blocks_of(span)\n"
            "    results = out.size // parts\n"
            "    for task in range(first, last):\n"
            "        rest, part = (task // parts, task % parts) if parts > 1 else (task, 0)\n"
            + positions("walk", ("out_cell", "part * results", 1), ("start", "0", 2))
            + center
            + "        begin, end = 0, blocks\n"
            "        if parts > 1:\n"
            "            begin, end = part * blocks // parts, (part + 1) * blocks // parts\n"
            "        total = fold_main(x, start, span, begin, end, c, k)\n"
            f"        out[out_cell] = {store}\n"
        )  # fmt: skip

    def flat(self, form: str) -> str:
        """The kernel that folds one run of cells into another: what it walks follows from their lengths.

        It is for short runs, and keeps the interpreter's lock: to give it back costs more than it brings.
        """
        head = (
            f"@njit(cache=True, no_cfunc_wrapper=True, {OPTIONS})\n"
            "def flat_kernel(out, x):\n"
            "    n, k, c = x.size // out.size, 0.0, 0.0\n"
            "    span = np.empty((2, 1), np.int64)\n"
        )
        if form == "columns":
            return head + (
                "    walk = np.empty((3, 1), np.int64)\n"
                "    walk[0, 0], walk[1, 0], walk[2, 0] = out.size, 1, 1\n"
                "    span[0, 0], span[1, 0] = n, out.size\n"
                "    centers = np.empty(0)\n"
                "    kernel(0, (out.size + WIDTH - 1) // WIDTH, walk, span, 1, k, n, out, x, centers)\n"
            )
        store = self.cells.store(self.main.finish("total"), self.main.floating)
        return head + (
            "    span[0, 0], span[1, 0] = n, 1\n"
            "    blocks = blocks_of(span)\n"
            "    for r in range(out.size):\n"
            "        total = fold_main(x, r * n, span, 0, blocks, c, k)\n"
            f"        out[r] = {store}\n"
        )

    def _fold_row(self, one: Pass, name: str) -> str:
        """The functions that fold one block, and the blocks of one task."""
        step = " * step" if self.step else ""
        lines = [
            f"@njit({BLOCK_OPTIONS}, forceinline=True, {jit.HELPER})",
            f"def block_{name}(x, cell, n, step, c, k):",
            f"    part = np.{one.lane}({one.start})",
            "    for i in range(n):",
            f"        part = {one.together('part', one.each(f'x[cell + i{step}]'), one.lane)}",
            "    return part",
            "",
            "",
            f'@njit({OPTIONS}, inline="always")',
            f"def fold_{name}(x, start, span, first, last, c, k):",
            "    inner = span.shape[1] - 1",
            "    n, step = span[0, inner], span[1, inner]",
            "    blocks = (n + BLOCK - 1) // BLOCK",
            f"    total = np.{one.total}({one.start})",
            *(["    lost = np.float64(0)"] if one.compensated else []),
            "    block = first",
            "    while block < last:",
            "        run, begin = (block, 0) if blocks == 1 else (block // blocks, block % blocks)",
            *positions("span", ("cell", "start", 1), number="run").splitlines(),
            "        end = min(blocks, begin + last - block)",
            "        for b in range(begin, end):",
            "            i = b * BLOCK",
            "            length = min(BLOCK, n - i)",
        ]
        if not self.step:
            line = LINE // self.cells.source.itemsize  # cells that come into a cache together
            lines += [
                "            if x.size > NEAR and 2 * length > BLOCK:",
                f"                for ahead in range(BLOCK // 2, 3 * BLOCK // 2, {line}):",
                "                    prefetch(x, cell + i + ahead)",
            ]
        lines += [
            f"            part = np.{one.total}(block_{name}("
            "x, np.uint64(cell + i * step), np.uint64(length), np.uint64(step), c, k))",
        ]
        lines += [f"            {line}" for line in one.joined("total", "part", "lost")]
        lines.append("        block += end - begin")
        if one.compensated:
            lines.append("    return total + lost if lost == lost else total")
        else:
            if one.fold.truth:
                settled = "total == 0" if one.start == "1" else "total != 0"
                lines += [f"        if {settled}:", "            break"]
            lines.append("    return total")
        return "\n".join(lines) + "\n"

    def columns(self) -> str:
        passes = [(one, name) for one, name in ((self.center, "center"), (self.main, "main")) if one]
        folds = "\n\n".join(
            f"{self._rows_of_strip(one, name)}\n\n\n{self._fold_columns(one, name)}" for one, name in passes
        )
        store = self.cells.store(self.main.finish("total[j]", "c[j]"), self.main.floating)
        return (
            f"{folds}\n\n@njit({jit.KERNEL}, {OPTIONS})\n"
            f"def kernel(first, last, {self.parameters}):\n{LAYOUTS}"
            "    # One task is one part of one strip of results.\n"
            "    last_dim = walk.shape[1] - 1\n"
            "    width, out_step, step = walk[0, last_dim], walk[1, last_dim], walk[2, last_dim]\n"
            "    strips = (width + WIDTH - 1) // WIDTH\n"
            "    inner = span.shape[1] - 1\n"
            "    results, rows = out.size // parts, n\n"
            "    # Where the rows of a narrow strip touch, several of them count as one wide row.\n"
            "    group = min(WIDTH // width, span[0, inner] // TOGETHER)\n"
            "    group = group if group > 1 and span[1, inner] == width and step == 1 else 1\n"
            + self._buffers([one for one, _ in passes])
            + "    for task in range(first, last):\n"
            "        rest, part = (task // parts, task % parts) if parts > 1 else (task, 0)\n"
            "        rest, strip = (rest // strips, rest % strips) if strips > 1 else (rest, 0)\n"
            "        w = min(WIDTH, width - strip * WIDTH)\n"
            + positions(
                "walk",
                ("out_cell", "part * results + strip * WIDTH * out_step", 1),
                ("start", "strip * WIDTH * step", 2),
                outer="last_dim",
            )
            + self._centers()
            + "        begin, end = 0, rows\n"
            "        if parts > 1:\n"
            "            begin, end = part * rows // parts, (part + 1) * rows // parts\n"
            "        fold_main(x, start, step, w, group, span, begin, end, k, total, lost, part_total, c)\n"
            "        for j in range(w):\n"
            f"            out[out_cell + j * out_step] = {store}\n"
        )  # fmt: skip

    def _buffers(self, passes: Sequence[Pass]) -> str:
        """What a strip is folded in. Of what a fold has no use for, the totals take the place."""
        kinds = {
            "total": self.main.total,
            "lost": "float64" if any(one.compensated for one in passes) else "",
            "part_total": self.main.lane if not all(one.direct for one in passes) else "",
            "c": self.main.value if self.center or self.given else "",
        }
        return "".join(
            f"    {name} = {f'np.empty(WIDTH, np.{kind})' if kind else 'total'}\n"
            for name, kind in kinds.items()
        )

    def _centers(self) -> str:
        """The lines that find the centers of a strip, once for each of the rows that count as one."""
        if self.given:
            find = (
                "        for j in range(w):\n"
                "            c[j] = centers[out_cell + j * out_step - part * results]\n"
            )
        elif self.center:
            find = (
                "        fold_center(x, start, step, w, group, span, 0, rows, k, c, lost, part_total, c)\n"
                "        for j in range(w):\n"
                f"            c[j] = {self.center.finish('c[j]')}\n"
            )
        else:
            return ""
        return find + "        for j in range(w, w * group):\n            c[j] = c[j - w]\n"

    def ask(self) -> list[str]:
        """The lines that ask for the next rows of a strip. Of whole rows the processor knows what is next."""
        line = LINE // self.cells.source.itemsize
        return [
            "        if x.size > FAR and w < row_step:",
            f"            for r in range({TOGETHER}, min({2 * TOGETHER}, count - i)):",
            f"                for ahead in range(0, w, {line}):",
            "                    prefetch(x, cell + (i + r) * row_step + ahead)",
        ]

    def _rows_of_strip(self, one: Pass, name: str) -> str:
        """The function that folds some rows of a strip into one row."""
        starts = [f"r{r} = np.uint64(cell + (i + {r}) * row_step)" for r in range(TOGETHER)]
        cells = [f"x[r{r} + j{' * step' if self.step else ''}]" for r in range(TOGETHER)]
        seen = [one.each(cell, "c[j]") for cell in cells]
        together = seen
        while len(together) > 1:
            pairs = zip(together[::2], together[1::2], strict=True)
            together = [one.together(a, b, one.lane) for a, b in pairs]
        columns = "range(np.uint64(w))"
        return "\n".join([
            f"@njit({BLOCK_OPTIONS}, {jit.HELPER})",
            f"def rows_{name}(x, cell, step, row_step, count, w, k, total, c):",
            *(["    step = np.uint64(step)"] if self.step else []),
            "    i = 0",
            f"    while i + {TOGETHER} <= count:",
            *([] if self.step else self.ask()),
            *(f"        {start}" for start in starts),
            f"        for j in {columns}:",
            f"            total[j] = {one.together('total[j]', together[0], one.lane)}",
            f"        i += {TOGETHER}",
            "    while i < count:",
            f"        {starts[0]}",
            f"        for j in {columns}:",
            f"            total[j] = {one.together('total[j]', seen[0], one.lane)}",
            "        i += 1",
        ])  # fmt: skip

    def _fold_columns(self, one: Pass, name: str) -> str:
        """The function that folds the rows of one task."""
        target = "total" if one.direct else "part_total"
        lines = [
            f'@njit({OPTIONS}, inline="always")',
            f"def fold_{name}(x, start, step, w, group, span, first, last, k, total, lost, part_total, c):",
            "    inner = span.shape[1] - 1",
            "    run, row_step = span[0, inner], span[1, inner]",
            "    wide = w * group",
            "    for j in range(wide):",
            f"        total[j] = {one.start}",
            *(["        lost[j] = 0"] if one.compensated else []),
            "    row = first",
            "    while row < last:",
            "        rest, i = row // run, row % run",
            *positions("span", ("cell", "start + i * row_step", 1)).splitlines(),
            "        count = min(ROWS * group, run - i, last - row)",
        ]
        if not one.direct:
            lines += ["        for j in range(wide):", f"            part_total[j] = {one.start}"]
        lines += [
            "        left, each = count, group  # whole groups, and then what is left, row by row",
            "        while left > 0:",
            "            many = left // each",
            f"            rows_{name}(x, cell, step, each * row_step, many, each * w, k, {target}, c)",
            "            cell += many * each * row_step",
            "            left, each = left - many * each, 1",
        ]
        if not one.direct:
            part = "part_total[j]" if one.compensated else f"np.{one.total}(part_total[j])"
            lines.append("        for j in range(wide):")
            lines += [f"            {line}" for line in one.joined("total[j]", part, "lost[j]")]
        lines.append("        row += count")
        if one.compensated:
            lines += [
                "    for j in range(wide):",
                "        if lost[j] == lost[j]:",
                "            total[j] += lost[j]",
            ]
        lines += [
            "    while group > 1:  # the rows that stood beside one another, by halves",
            "        rest = group // 2 * w",
            "        begin = group * w - rest",
            "        for j in range(rest):",
            f"            total[j] = {one.together('total[j]', 'total[begin + j]', one.total)}",
            "        group -= group // 2",
        ]
        return "\n".join(lines) + "\n"
