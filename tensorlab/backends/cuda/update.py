"""Updates: several numbers of each position moved together, such as one step of an optimizer.

A step moves many tensors, most of them small, and to launch a kernel for each would take longer than the
kernels. So within `Waiting.together` updates wait, and one launch is given the addresses of many tensors: a
block finds the tensor of which it moves a span. This is what PyTorch calls *foreach* and *fused*.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends.cuda.kernel_text import (
    conversions,
    kernel_of,
    load,
    module_text,
    numpy_name,
    operand_parameters,
    store,
)
from tensorlab.backends.cuda.operands import MOST, is_aligned, raw
from tensorlab.backends.operands import Buffer, Launch, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.scalars.source import formula_text
from tensorlab.scalars.updates import Update

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda


def update_text(
    rule: Update, element_type: dtype, width: int = 1, is_line: bool = True, in_cells: Sequence[bool] = ()
) -> str:
    """The kernel of an update: ``kernel(span, begins, counts, x, grad, …, lr, …)``.

    Operands are tuples of cells, one for each tensor. The blocks of a tensor, the first of which `begins`
    says, have a span of its elements each.

    Args:
        rule, element_type: see `tensorlab.backends.protocol.Core.update`.
        width: how many neighbours a thread moves at a time: 1, 4 or 8.
        is_line: whether the rows lie one behind the other. Else the kernel is of one tensor, and takes
            ``rows, columns, x, x_first, x_step, …``: a step to the next row behind each operand.
        in_cells: of each number whether it stands in cells, one for each tensor.

    Example:
        >>> from tensorlab.scalars.updates import SGD
        >>> text = update_text(SGD, dtypes.float32, 4, in_cells=(True, False, False))
        >>> print(text[text.index("def kernel"):text.index("moved_0")])
        def kernel(span, begins, counts, x, grad, lr, weight_decay, sign):
            which = -1
            for first in begins:
                which += 1 if cuda.blockIdx.x >= first else 0
            begin = (cuda.blockIdx.x - begins[which]) * span
            end = min(begin + span, counts[which])
            x_own = x[which]
            grad_own = grad[which]
            lr = number(lr[which][0])
            weight_decay = number(weight_decay)
            sign = number(sign)
            for place in range(begin // 4 + cuda.threadIdx.x, end // 4, cuda.blockDim.x):
                x_cell = 4 * place
                grad_cell = 4 * place
                x_seen = load4(x_own, x_cell)
                grad_seen = load4(grad_own, grad_cell)
        <BLANKLINE>
    """
    names, numbers = rule.arguments
    kind = numpy_name(element_type)
    cells = {name for name, is_cell in zip(numbers, in_cells, strict=False) if is_cell}
    written = [name for name, is_written in zip(names, rule.written, strict=True) if is_written]

    own = {name: f"{name}_own" if is_line else name for name in names}

    def walk(first: str, end: str, step: str, position: str, many: int) -> list[str]:
        """Lines that move all elements from one place on, so many at a time."""
        items = [f"[{item}]" for item in range(many)] if many > 1 else [""]
        lines = [f"for place in range({first}, {end}, {step}):"]
        lines += [f"    {name}_cell = {position.format(name)}" for name in names]
        for name in names:
            seen = f"load{many}({own[name]}, {name}_cell)" if many > 1 else f"{own[name]}[{name}_cell]"
            lines.append(f"    {name}_seen = {seen}")
        for k, item in enumerate(items):
            given = [load(f"{name}_seen{item}", element_type, kind) for name in names]
            lines += [f"    moved_{k} = {rule.formula.__name__}("]
            lines += [f"        {value}," for value in [*given, *numbers]]
            lines += ["    )"]
        for place, name in enumerate(written):
            new = [store(f"moved_{k}[{place}]", element_type, True) for k in range(len(items))]
            if many > 1:
                lines += [
                    f"    store{many}({own[name]}, {name}_cell, (",
                    *(f"        {each}," for each in new),
                    "    ))",
                ]
            else:
                lines.append(f"    {own[name]}[{name}_cell] = {new[0]}")
        return ["    " + line for line in lines]

    if is_line:
        parameters = ["span, begins, counts", *names, *numbers]
        lines = ["which = -1", "for first in begins:", "    which += 1 if cuda.blockIdx.x >= first else 0"]
        lines += [
            "begin = (cuda.blockIdx.x - begins[which]) * span",
            "end = min(begin + span, counts[which])",
        ]
        lines += [f"{own[name]} = {name}[which]" for name in names]
    else:
        parameters, lines = ["rows, columns", *operand_parameters(names, "step"), *numbers], []
    lines += [f"{name} = number({f'{name}[which][0]' if name in cells else name})" for name in numbers]
    lines = [f"def kernel({', '.join(parameters)}):", *("    " + line for line in lines)]
    if is_line:
        me, threads = "cuda.threadIdx.x", "cuda.blockDim.x"
        wide = f"{width} * " if width > 1 else ""
        lines += walk(f"begin // {width} + {me}", f"end // {width}", threads, f"{wide}place", width)
        if width > 1:
            lines += walk(f"end // {width} * {width} + {me}", "end", threads, "place", 1)
    else:
        lines.append("    for row in range(cuda.blockIdx.y, rows, cuda.gridDim.y):")
        position = "{0}_first + row * {0}_step + place"
        inner = walk("cuda.grid(1)", "columns", "cuda.gridsize(1)", position, 1)
        lines += ["    " + line for line in inner]
    formula = formula_text(rule.formula, dtypes.by_name(kind), "")
    return module_text(kind, [*conversions(element_type), formula], lines)


# How many tensors one launch moves at most: their addresses are arguments, which have 4 KB in all. And how
# many runs of neighbours a thread moves, at most.
TOGETHER, RUNS = 32, 4


class Waiting(threading.local):
    """The updates of a thread that wait for others, which one launch does with them.

    Updates that know nothing of each other are of one round. One that reads what another writes, or writes
    what another reads or writes, is of a later round.

    Attributes:
        updates: what waits, for each round and kind; None if no update is to wait. A kind is a kernel, how
            many neighbours a thread moves at a time, and the arguments that are the same for all tensors,
            None for the others. Of a tensor there are the number of its elements, its arguments, and what
            keeps their memory.
    """

    updates: dict[Any, list[tuple[int, list[Any], Any]]] | None = None

    @contextmanager
    def together(self, backend: Cuda) -> Iterator[None]:
        """Within a ``with``, let updates wait: until the outermost ends, or the device does something."""
        if self.updates is not None:
            yield
            return
        self._begin()
        try:
            yield
        finally:
            self.run(backend)
            self.updates = None

    def _begin(self) -> None:
        self.updates = {}
        # By the address of a cell, the round behind all that read it, and behind all that write it.
        self._behind_reads: dict[int, int] = {}
        self._behind_writes: dict[int, int] = {}

    def add(self, kind: Any, tensor: tuple[int, list[Any], Any], written: list[int], read: list[int]) -> None:
        """Let an update wait.

        Args:
            kind, tensor: see `updates`.
            written, read: the addresses of what it writes, and of what it only reads.
        """
        assert self.updates is not None
        behind_reads, behind_writes, order = self._behind_reads, self._behind_writes, 0
        for each in read:
            order = max(order, behind_writes.get(each, 0))
        for each in written:
            order = max(order, behind_writes.get(each, 0), behind_reads.get(each, 0))
        for each in read:
            behind_reads[each] = max(order + 1, behind_reads.get(each, 0))
        for each in written:
            behind_writes[each] = order + 1
        self.updates.setdefault((order, kind), []).append(tensor)

    def run(self, backend: Cuda) -> None:
        """Do what waits, round by round."""
        waiting = self.updates or {}
        self._begin()
        for (_, kind), tensors in sorted(waiting.items(), key=lambda each: each[0][0]):
            for first in range(0, len(tensors), TOGETHER):
                _run_together(backend, kind, tensors[first : first + TOGETHER])


def _run_together(backend: Cuda, kind: Any, tensors: list[tuple[int, list[Any], Any]]) -> None:
    """Do one update of several tensors in one launch; `kind` and `tensors` as `Waiting.updates` has them."""
    kernel, width, known = kind
    counts = [count for count, *_ in tensors]
    threads = min(ceil_div(max(counts), width), backend.driver.threads)
    span = threads * width * RUNS
    *begins, blocks = itertools.accumulate((ceil_div(count, span) for count in counts), initial=0)
    unused = (TOGETHER if len(tensors) > 1 else 1) - len(tensors)
    columns = zip(*(cells for _, cells, _ in tensors), strict=True)
    arguments = [
        (*column, *column[:1] * unused) if number is None else number
        for number, column in zip(known, columns, strict=True)
    ]
    begins_of = tuple(map(np.int32, (*begins, *[blocks] * unused)))
    backend.run(kernel, blocks, threads, span, begins_of, (*counts, *[0] * unused), *arguments)


def _from(buffer: Buffer) -> Any:
    """Cells, those of a buffer first."""
    memory, first = buffer
    return memory.cells[first:] if first else memory.cells


def prepare_update(
    backend: Cuda,
    rule: Update,
    element_type: dtype,
    shape: tuple[int, int],
    steps: Sequence[int] | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.update`."""
    rows, columns = shape
    count, cells = rows * columns, len(rule.arguments[0])
    if count == 0:
        return no_launch
    if steps is not None:
        return _prepare_rows(backend, rule, element_type, shape, steps)
    widest = 8 if element_type.itemsize <= 2 else 4
    only_read = [*(not is_written for is_written in rule.written), *[True] * rule.numbers]

    nothing_known = (None,) * cells

    @functools.cache
    def kernel_for(width: int, in_cells: tuple[bool, ...]) -> Callable[..., None]:
        return kernel_of(rule.name, update_text(rule, element_type, width, True, in_cells))

    def launch(*operands: Any) -> None:
        buffers, numbers = operands[:cells], operands[cells:]
        width = widest if count >= widest and all(map(is_aligned, buffers)) else 1
        in_cells = tuple([type(each) is tuple for each in numbers])
        known = (
            *nothing_known,
            *[None if is_cell else each for each, is_cell in zip(numbers, in_cells, strict=True)],
        )
        given = [
            _from(each) if number is None else each for each, number in zip(operands, known, strict=True)
        ]
        kind, tensor = (kernel_for(width, in_cells), width, known), (count, given, operands)
        if backend.waiting.updates is None:
            _run_together(backend, kind, [tensor])
            return
        addresses: tuple[list[int], list[int]] = [], []
        for each, number, is_read in zip(given, known, only_read, strict=True):
            if number is None:
                addresses[is_read].append(each.pointer)
        backend.waiting.add(kind, tensor, *addresses)

    return launch


def _prepare_rows(
    backend: Cuda, rule: Update, element_type: dtype, shape: tuple[int, int], steps: Sequence[int]
) -> Launch:
    """Rows apart from one another, as the steps of recurrent layers have them."""
    rows, columns = shape
    kernel = kernel_of(rule.name, update_text(rule, element_type, is_line=False))
    blocks, threads = backend.shared_among(columns)

    def launch(*operands: Any) -> None:
        arguments: list[Any] = [rows, columns]
        for buffer, step in zip(operands, steps, strict=False):
            arguments += [*raw(buffer), step]
        backend.run(kernel, (blocks, min(rows, MOST)), threads, *arguments, *operands[len(steps) :])

    return launch
