"""Kernels of updates: one pass over several arrays, as over a parameter, its gradient and its memories."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.cpu import halves, jit, threads
from tensorlab.backends.cpu.kernel_text import OPTIONS, Cells, numpy_name
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.scalars.source import formula_text
from tensorlab.scalars.updates import Update

# Elements to a task, which are computed together. What is written lies in a first-level cache until then.
BLOCK = 256
COST = 8  # roughly how many additions an update is worth, for each element


def update(
    rule: Update, element_type: dtype, shape: tuple[int, int], steps: Sequence[int] | None = None
) -> Launch:
    """See `tensorlab.backends.protocol.Core.update`."""
    rows, columns = shape
    if rows * columns == 0:
        return no_launch
    count = len(rule.arguments[0])
    kernel, tasks, work = _kernel(rule, element_type), rows * ceil_div(columns, BLOCK), COST * rows * columns
    apart = np.array(steps or [columns] * count, np.int64)
    is_light = tasks == 1 or work < threads.WORTHWHILE

    def launch(*operands: Any) -> None:
        buffers = itertools.chain.from_iterable(operands[:count])
        if is_light or (team := min(threads.team_for(work), tasks)) == 1:
            kernel(0, tasks, columns, apart, *buffers, *operands[count:])
        else:
            share(kernel, team, tasks, columns, apart, *buffers, *operands[count:])

    return launch


@functools.cache
def _kernel(rule: Update, element_type: dtype) -> Callable:
    text = kernel_source(rule, element_type)
    return jit.quiet(jit.load(f"update_{rule.name}_{element_type.name}", text).kernel)


def kernel_source(rule: Update, element_type: dtype) -> str:
    """The text of one kernel: ``kernel(first, last, columns, steps, x, x_first, grad, …, lr, …)``.

    Results wait beside the arrays until a block is done: an array that is written may be one that others are
    read from, as far as a compiler knows, and then it would compute one element after the other.

    Example:
        >>> from tensorlab.core import dtypes
        >>> from tensorlab.scalars.updates import SGD
        >>> text = kernel_source(SGD, dtypes.float32)
        >>> print(text[text.index("def kernel"):])
        def kernel(first, last, columns, steps, x, x_first, grad, grad_first, lr, weight_decay, sign):
            lr = number(lr)
            weight_decay = number(weight_decay)
            sign = number(sign)
            x_new = on_stack(x, BLOCK)
            blocks = (columns + BLOCK - 1) // BLOCK
            for task in range(first, last):
                row, left = task // blocks, task % blocks * BLOCK
                count = np.uint64(min(BLOCK, columns - left))
                x_cell = np.uint64(x_first + row * steps[0] + left)
                grad_cell = np.uint64(grad_first + row * steps[1] + left)
                for position in range(count):
                    moved = sgd(
                        np.float32(x[x_cell + position]),
                        np.float32(grad[grad_cell + position]),
                        lr, weight_decay, sign,
                    )
                    x_new[position] = np.float32(moved[0])
                for position in range(count):
                    x[x_cell + position] = x_new[position]
        <BLANKLINE>
    """
    names, numbers = rule.arguments
    written = [name for name, is_written in zip(names, rule.written, strict=True) if is_written]
    cells = Cells(element_type, element_type)
    kind = numpy_name(element_type)
    buffers = [f"{name}, {name}_first" for name in names]
    lines = [
        f"def kernel({', '.join(['first, last, columns, steps', *buffers, *numbers])}):",
        *(f"    {name} = number({name})" for name in numbers),
        *(f"    {name}_new = on_stack({name}, BLOCK)" for name in written),
        "    blocks = (columns + BLOCK - 1) // BLOCK",
        "    for task in range(first, last):",
        "        row, left = task // blocks, task % blocks * BLOCK",
        "        count = np.uint64(min(BLOCK, columns - left))",
        *(
            f"        {name}_cell = np.uint64({name}_first + row * steps[{k}] + left)"
            for k, name in enumerate(names)
        ),
        "        for position in range(count):",
        f"            moved = {rule.formula.__name__}(",
        *(f"                {cells.load(f'{name}[{name}_cell + position]', kind)}," for name in names),
        *([f"                {', '.join(numbers)},"] if numbers else []),
        "            )",
        *(
            f"            {name}_new[position] = {cells.store(f'moved[{k}]', floating=True)}"
            for k, name in enumerate(written)
        ),
    ]
    for name in written:
        lines += [
            "        for position in range(count):",
            f"            {name}[{name}_cell + position] = {name}_new[position]",
        ]
    decorator = f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})"
    conversions = [f"{decorator}\n{inspect.getsource(each)}" for each in halves.needed([element_type])]
    compute = dtypes.by_name(kind)
    return (
        f'"""Generated by tensorlab: {rule.name} of {element_type.name}."""\n'
        "import math\n\nimport numpy as np\nfrom numba import njit\n\n"
        "from tensorlab.backends.cpu.intrinsics import on_stack\n"
        "from tensorlab.backends.cpu.jit import Part\n\n"
        f"BLOCK = {BLOCK}\nnumber = np.{kind}\n\n"
        + "\n\n".join([*conversions, formula_text(rule.formula, compute, decorator)])
        + f"\n\n@njit({jit.KERNEL}, {OPTIONS})\n"
        + "\n".join(lines)
        + "\n"
    )
