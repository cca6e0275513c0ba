"""Updates: several numbers of each position moved together, such as one step of an optimizer."""

from __future__ import annotations

from collections.abc import Sequence
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
from tensorlab.backends.cuda.operands import raw
from tensorlab.backends.operands import Launch, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.scalars.source import formula_text
from tensorlab.scalars.updates import Update

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda


def update_text(rule: Update, element_type: dtype) -> str:
    """The kernel of an update: ``kernel(count, columns, x, x_first, x_step, grad, …, lr, …)``."""
    names, numbers = rule.arguments
    kind = numpy_name(element_type)
    values = [load(f"{name}[{name}_cell]", element_type, kind) for name in names]
    written = [name for name, is_written in zip(names, rule.written, strict=True) if is_written]
    lines = [
        f"def kernel({', '.join(['count, columns', *operand_parameters(names, 'step'), *numbers])}):",
        "    for element in range(cuda.grid(1), count, cuda.gridsize(1)):",
        "        row, column = element // columns, element % columns",
        *(f"        {name}_cell = {name}_first + row * {name}_step + column" for name in names),
        f"        moved = {rule.formula.__name__}(",
        *(f"            {value}," for value in [*values, *(f"number({name})" for name in numbers)]),
        "        )",
        *(
            f"        {name}[{name}_cell] = {store(f'moved[{k}]', element_type, True)}"
            for k, name in enumerate(written)
        ),
    ]
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
    if rows * columns == 0:
        return no_launch
    kernel = kernel_of(rule.name, update_text(rule, element_type))
    cells = len(rule.arguments[0])
    apart = steps or [columns] * cells

    def launch(*operands: Any) -> None:
        arguments: list[Any] = []
        for buffer, step in zip(operands, apart, strict=False):
            arguments += [*raw(buffer), step]
        backend.each(kernel, rows * columns, rows * columns, columns, *arguments, *operands[cells:])

    return launch
