"""Updates: several numbers of each position moved together, such as one step of an optimizer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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
from tensorlab.backends.operands import Launch, no_launch
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
    """The kernel of an update: ``kernel(count, x, x_first, grad, …, lr, …)``.

    Args:
        rule, element_type: see `tensorlab.backends.protocol.Core.update`.
        width: how many neighbours a thread moves at a time: 1, 4 or 8.
        is_line: whether the rows lie one behind the other. Else the kernel takes ``rows, columns`` in place
            of the count, and a step to the next row behind each operand.
        in_cells: of each number whether it stands in a cell, and is two arguments.

    Example:
        >>> from tensorlab.scalars.updates import SGD
        >>> text = update_text(SGD, dtypes.float32, 4, in_cells=(True, False, False))
        >>> print(text[text.index("def kernel"):text.index("moved_0")])
        def kernel(count, x, x_first, grad, grad_first, lr, lr_first, weight_decay, sign):
            lr = number(lr[lr_first])
            weight_decay = number(weight_decay)
            sign = number(sign)
            for place in range(cuda.grid(1), count // 4, cuda.gridsize(1)):
                x_cell = x_first + 4 * place
                grad_cell = grad_first + 4 * place
                x_seen = load4(x, x_cell)
                grad_seen = load4(grad, grad_cell)
        <BLANKLINE>
    """
    names, numbers = rule.arguments
    kind = numpy_name(element_type)
    cells = {name for name, is_cell in zip(numbers, in_cells, strict=False) if is_cell}
    written = [name for name, is_written in zip(names, rule.written, strict=True) if is_written]

    def walk(first: str, end: str, position: str, many: int) -> list[str]:
        """Lines that move all elements from one place on, so many at a time."""
        items = [f"[{item}]" for item in range(many)] if many > 1 else [""]
        lines = [f"for place in range({first}, {end}, cuda.gridsize(1)):"]
        lines += [f"    {name}_cell = {name}_first + {position.format(name)}" for name in names]
        for name in names:
            seen = f"load{many}({name}, {name}_cell)" if many > 1 else f"{name}[{name}_cell]"
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
                    f"    store{many}({name}, {name}_cell, (",
                    *(f"        {each}," for each in new),
                    "    ))",
                ]
            else:
                lines.append(f"    {name}[{name}_cell] = {new[0]}")
        return ["    " + line for line in lines]

    parameters = ["count" if is_line else "rows, columns"]
    parameters += operand_parameters(names, *([] if is_line else ["step"]))
    parameters += [f"{name}, {name}_first" if name in cells else name for name in numbers]
    lines = [f"def kernel({', '.join(parameters)}):"]
    lines += [
        f"    {name} = number({f'{name}[{name}_first]' if name in cells else name})" for name in numbers
    ]
    if not is_line:
        lines.append("    for row in range(cuda.blockIdx.y, rows, cuda.gridDim.y):")
        lines += ["    " + line for line in walk("cuda.grid(1)", "columns", "row * {0}_step + place", 1)]
    elif width == 1:
        lines += walk("cuda.grid(1)", "count", "place", 1)
    else:
        lines += walk("cuda.grid(1)", f"count // {width}", f"{width} * place", width)
        lines += walk(f"count // {width} * {width} + cuda.grid(1)", "count", "place", 1)
    formula = formula_text(rule.formula, dtypes.by_name(kind), "")
    return module_text(kind, [*conversions(element_type), formula], lines)


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

    @functools.cache
    def kernel_for(width: int, in_cells: tuple[bool, ...]) -> Callable[..., None]:
        return kernel_of(rule.name, update_text(rule, element_type, width, True, in_cells))

    def launch(*operands: Any) -> None:
        buffers, numbers = operands[:cells], operands[cells:]
        width = widest if count >= widest and all(map(is_aligned, buffers)) else 1
        in_cells = tuple([type(each) is tuple for each in numbers])
        arguments: list[Any] = [count]
        for buffer in buffers:
            arguments += raw(buffer)
        for each, is_cell in zip(numbers, in_cells, strict=True):
            arguments += raw(each) if is_cell else [each]
        backend.each(kernel_for(width, in_cells), ceil_div(count, width), *arguments)

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
