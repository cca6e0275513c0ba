"""The text of kernels that are made of a formula: one scalar function, one fold, one update, one product.

The formulas are those of all backends (`tensorlab.scalars`, `tensorlab.folds`). Around them stands what a
thread of a GPU does: it finds out from its own number which elements are its own, and where their cells lie.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import linecache
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab import folds
from tensorlab.backends.cpu import halves
from tensorlab.backends.cuda.intrinsics import load4, load8, store4, store8
from tensorlab.backends.cuda.simulator import WARP, cuda
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.folds import Fold, arguments_of
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type, formula_text
from tensorlab.scalars.updates import Update

__all__ = [
    "arg_reduce_text",
    "cells_text",
    "divider",
    "functions_of",
    "kernel_of",
    "pointwise_text",
    "product_text",
    "reduce_text",
    "scan_text",
    "shared_scan_text",
    "sort_text",
    "total_type",
    "update_text",
]

NAMES = "abcdefgh"


class _Math:
    """`math` as a GPU has it: a pole gives an infinity, and what has no value gives NaN."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(np, {"pow": "power"}.get(name, name), None)
        return functools.partial(_forgiving, getattr(math, name)) if function is None else function


def _forgiving(function: Callable[..., Any], *values: Any) -> Any:
    try:
        return function(*values)
    except (OverflowError, ValueError):
        return math.inf


def maximum(a, b):  # type: ignore[no-untyped-def]
    return a if a > b or a != a else b


def minimum(a, b):  # type: ignore[no-untyped-def]
    return a if a < b or a != a else b


def whole32(value: Any) -> Any:
    """A float without its fraction; what no integer holds becomes what the processor makes of it."""
    return np.asarray(value).astype(np.int32)[()]


def whole64(value: Any) -> Any:
    """The same with 64 bits."""
    return np.asarray(value).astype(np.int64)[()]


@functools.cache
def functions_of(name: str, text: str) -> dict[str, Any]:
    """What a text defines, under a name; its lines are there for debuggers and tracebacks."""
    file = f"<kernel {name} {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, Any] = {
        "np": np,
        "math": _Math(),
        "cuda": cuda,
        "whole32": whole32,
        "whole64": whole64,
        "load4": load4,
        "load8": load8,
        "store4": store4,
        "store8": store8,
    }
    exec(compile(text, file, "exec"), names)
    return names


@functools.cache
def kernel_of(name: str, text: str) -> Callable[..., None]:
    """The function ``kernel`` of a text, under a name."""
    made: Callable[..., None] = functions_of(name, text)["kernel"]
    made.__name__ = name
    return made


def numpy_name(element_type: dtype) -> str:
    """The name of the NumPy type in which kernels see an element."""
    if element_type in halves.TYPES:
        return "float32"
    return "bool_" if element_type is dtypes.bool else element_type.name


def _load(cell: str, element_type: dtype, kind: str) -> str:
    """The number that a cell holds, as `kind`, the name of a NumPy type."""
    if element_type in halves.TYPES:
        cell = f"{halves.widen_name(element_type)}({cell})"
    return f"np.{kind}({cell})"


def _store(value: str, result: dtype, floating: bool) -> str:
    """The cell that holds a number; `floating` says whether it is a float."""
    if result in halves.TYPES:
        return f"{halves.narrow_name(result)}(np.float32({value}))"
    if result.category == dtypes.INTEGER and floating:
        # PyTorch, too, asks the processor for 32 bits where these are enough.
        value = f"whole{32 if result.is_signed and result.itemsize <= 4 else 64}({value})"
    return f"np.{numpy_name(result)}({value})"


def _conversions(*element_types: dtype) -> list[str]:
    return [inspect.getsource(function) for function in halves.needed(element_types)]


def _positions(number: str, shape: str, indent: int, *operands: tuple[str, str]) -> list[str]:
    """Lines that turn the number of an element into its cell of each operand.

    Args:
        number: what counts the elements.
        shape: the name of a tuple: how the elements are arranged.
        indent: by how much the lines are moved to the right.
        operands: for each, where its first element lies, and its name; ``{name}_cell`` is set.
    """
    lines = [f"rest = {number}", *(f"{name}_cell = {first}" for name, first in operands)]
    lines += [
        f"for dim in range(len({shape}) - 1, -1, -1):",
        f"    position = rest % {shape}[dim]",
        f"    rest //= {shape}[dim]",
        *(f"    {name}_cell += position * {name}_{shape}[dim]" for name, _ in operands),
    ]
    return [" " * indent + line for line in lines]


def _taken(names: Sequence[str], *layouts: str) -> list[str]:
    """The parameters that stand for operands: the cells, the first one's number, and the strides."""
    return [", ".join([name, *(f"{name}_{each}" for each in ("first", *layouts))]) for name in names]


def pointwise_text(
    row: Scalar, wanted: dtype, element_types: Sequence[dtype], ways: Sequence[str], width: int, is_line: bool
) -> str:
    """The kernel of a scalar function: ``kernel(count, shape, …, out, out_first, out_shape, a, …)``.

    It computes `count` times `width` elements that are neighbours in the result. A thread reads two such runs
    before it writes one: so much must be under way for memory to be busy. A run of four or eight is read and
    written in one access.

    Args:
        row, wanted: see `tensorlab.backends.protocol.Core.pointwise`.
        element_types: the operands' dtypes, the result's first.
        ways: for each operand ``"run"``, if it has neighbours too; ``"same"``, if it has one cell for a run;
            or ``"number"``, if it is one number, and one argument.
        width: 1, 4 or 8.
        is_line: whether the runs lie one behind the other. Else there is a ``shape`` of runs with, for each
            of its dimensions, what `divider` says, and a step for each dimension behind each operand. A line
            gets the number of elements, which need not be whole runs.

    Example:
        >>> from tensorlab.scalars import TABLE
        >>> text = pointwise_text(TABLE["neg"], dtypes.float32, [dtypes.float32] * 2, ["run"] * 2, 1, False)
        >>> print(text[text.index("def kernel"):])
        def kernel(count, shape, factors, shifts, out, out_first, out_shape, a, a_first, a_shape):
            threads = cuda.gridsize(1)
            for run in range(cuda.grid(1), count, 2 * threads):
                later = run + threads if run + threads < count else run
                out_cell = out_first
                a_cell = a_first
                rest = run
                for dim in range(len(shape) - 1, 0, -1):
                    above = (rest * factors[dim]) >> shifts[dim]
                    position = rest - above * shape[dim]
                    rest = above
                    out_cell += position * out_shape[dim]
                    a_cell += position * a_shape[dim]
                out_cell += rest * out_shape[0]
                a_cell += rest * a_shape[0]
                out_cell_later = out_first
                a_cell_later = a_first
                rest = later
                for dim in range(len(shape) - 1, 0, -1):
                    above = (rest * factors[dim]) >> shifts[dim]
                    position = rest - above * shape[dim]
                    rest = above
                    out_cell_later += position * out_shape[dim]
                    a_cell_later += position * a_shape[dim]
                out_cell_later += rest * out_shape[0]
                a_cell_later += rest * a_shape[0]
                a_seen = a[a_cell]
                a_seen_later = a[a_cell_later]
                out[out_cell] = np.float32(neg(np.float32(a_seen)))
                out[out_cell_later] = np.float32(neg(np.float32(a_seen_later)))
        <BLANKLINE>
    """
    compute = compute_type(row.formula, wanted)
    kind, first = numpy_name(compute), numpy_name(wanted)
    operands = list(zip(["out", *NAMES], element_types, ways, strict=False))
    walked = [name for name, _, way in operands if way == "run" or (way == "same" and not is_line)]
    runs = "count" if width == 1 or not is_line else f"count // {width}"

    def places(run: str, end: str) -> list[str]:
        """Lines that set the cells at which a run begins."""
        if is_line:
            return [f"{name}_cell{end} = {name}_first + {run}" for name in walked]
        return [
            *(f"{name}_cell{end} = {name}_first" for name in walked),
            f"rest = {run}",
            "for dim in range(len(shape) - 1, 0, -1):",
            "    above = (rest * factors[dim]) >> shifts[dim]",
            "    position = rest - above * shape[dim]",
            "    rest = above",
            *(f"    {name}_cell{end} += position * {name}_shape[dim]" for name in walked),
            *(f"{name}_cell{end} += rest * {name}_shape[0]" for name in walked),
        ]

    def read(end: str, many: int) -> list[str]:
        """Lines that read a run of so many."""
        return [
            f"{name}_seen{end} = "
            + (f"load{many}({name}, {cell})" if many > 1 and way == "run" else f"{name}[{cell}]")
            for name, _, way in operands[1:]
            if name in walked
            for cell in [f"{name}_cell{end}"]
        ]

    def result(end: str, item: str) -> str:
        """An element of the result, of a run that was read."""
        values = []
        for name, element_type, way in operands[1:]:
            if way == "number":
                loaded = f"np.{first}({name})"
            else:
                seen = f"{name}_seen" + (end if name in walked else "") + (item if way == "run" else "")
                loaded = _load(seen, element_type, first)
            values.append(loaded if kind == first else f"np.{kind}({loaded})")
        value = f"{row.formula.__name__}({', '.join(values)})"
        return _store(value, element_types[0], compute.is_floating_point)

    def write(end: str, many: int) -> list[str]:
        """Lines that compute and write a run of so many."""
        if many == 1:
            return [f"out[out_cell{end}] = {result(end, '')}"]
        cell = "np.uint8({})" if element_types[0] is dtypes.bool else "{}"
        items = (f"    {cell.format(result(end, f'[{item}]'))}," for item in range(many))
        return [f"store{many}(out, out_cell{end}, (", *items, "))"]

    def indented(*lines: str) -> list[str]:
        return [" " * 8 + line for line in lines]

    parameters = ["count"] if is_line else ["count, shape, factors, shifts"]
    for name, _, way in operands:
        parameters += [name] if way == "number" else _taken([name], *([] if is_line else ["shape"]))
    kept = [name for name, _, way in operands if way == "same" and is_line]
    begin = "{}" if width == 1 or not is_line else f"{width} * {{}}"
    lines = [
        f"def kernel({', '.join(parameters)}):",
        "    threads = cuda.gridsize(1)",
        *(f"    {name}_seen = {name}[{name}_first]" for name in kept),
        f"    for run in range(cuda.grid(1), {runs}, 2 * threads):",
        f"        later = run + threads if run + threads < {runs} else run",
        *indented(*places(begin.format("run"), ""), *places(begin.format("later"), "_later")),
        *indented(*read("", width), *read("_later", width), *write("", width), *write("_later", width)),
    ]
    if is_line and width > 1:
        lines.append(f"    for run in range({runs} * {width} + cuda.grid(1), count, threads):")
        lines += indented(*places("run", ""), *read("", 1), *write("", 1))
    return _module(kind, [*_conversions(*element_types), formula_text(row.formula, compute, "")], lines)


def divider(size: int) -> tuple[int, int]:
    """A factor and a shift that divide by a size what is below 2³¹: ``n // size == (n * factor) >> shift``.

    The factor is 2 to the power of the shift, divided by the size, and rounded up: by so little too great
    that the quotient stays below the next whole number. A GPU divides in some twenty instructions, and
    multiplies in one.

    Example:
        >>> factor, shift = divider(7)
        >>> all((n * factor) >> shift == n // 7 for n in (0, 6, 7, 2**31 - 2, 2**31 - 1))
        True
    """
    shift = 31 + (size - 1).bit_length()
    return -((-1 << shift) // size), shift


def update_text(rule: Update, element_type: dtype) -> str:
    """The kernel of an update: ``kernel(count, columns, x, x_first, x_step, grad, …, lr, …)``."""
    names, numbers = rule.arguments
    kind = numpy_name(element_type)
    values = [_load(f"{name}[{name}_cell]", element_type, kind) for name in names]
    written = [name for name, is_written in zip(names, rule.written, strict=True) if is_written]
    lines = [
        f"def kernel({', '.join(['count, columns', *_taken(names, 'step'), *numbers])}):",
        "    for element in range(cuda.grid(1), count, cuda.gridsize(1)):",
        "        row, column = element // columns, element % columns",
        *(f"        {name}_cell = {name}_first + row * {name}_step + column" for name in names),
        f"        moved = {rule.formula.__name__}(",
        *(f"            {value}," for value in [*values, *(f"number({name})" for name in numbers)]),
        "        )",
        *(
            f"        {name}[{name}_cell] = {_store(f'moved[{k}]', element_type, True)}"
            for k, name in enumerate(written)
        ),
    ]
    formula = formula_text(rule.formula, dtypes.by_name(kind), "")
    return _module(kind, [*_conversions(element_type), formula], lines)


def reduce_text(
    fold: Fold,
    value: dtype,
    result: dtype,
    source: dtype,
    stage: str = "whole",
    in_columns: bool = False,
    is_line: bool = False,
) -> str:
    """The kernel of a fold: ``kernel(parts, n, k, shape, span, out, out_first, out_shape, x, …)``.

    A block computes one result. Each of its threads joins every so-many-th element; then the lanes of a warp
    join what they found in pairs, pairs of pairs, and so on, without memory; then the warps' totals are
    joined. The order depends on sizes alone, so that the result is the same every time.

    Few results of many elements keep too few blocks busy. They take two stages: so many `parts` for each
    result, a block each, and then the totals of the parts.

    Args:
        fold, value, result, source: see `tensorlab.backends.protocol.Core.reduce`.
        stage: ``"whole"``, or ``"parts"``, which writes totals, or ``"last"``, which reads those of `parts`.
        in_columns: whether the lanes of a warp look after 32 results that lie side by side in the last
            dimension of ``shape``, and the warps of a block share their elements among them.
        is_line: whether the ``span`` of a result has one dimension.
    """
    total = _total_type(fold, value)
    operands = [*_taken(["out"], "shape"), *_taken(["x"], "shape", "span")]
    lines = [
        f"def kernel({', '.join(['parts, n, k, shape, span', *operands])}):",
        "    me, threads = cuda.threadIdx.x, cuda.blockDim.x",
        "    block, part = cuda.blockIdx.x, 0"
        if stage == "last"
        else "    block, part = cuda.blockIdx.x // parts, cuda.blockIdx.x % parts",
        *(_COLUMN if in_columns else ["    is_first = me == 0"]),
        "    n_elements, k = n, number(k)",
        "    n = number(n)",
        *_positions("block", "shape", 4, ("out", "out_first"), ("x", "x_first")),
        "    x_start = x_cell",
    ]
    if fold.center is not None:
        lines += _pass(fold.center, value, total, source, "c", "whole", in_columns, is_line)
    lines += _pass(fold, value, total, source, "found", stage, in_columns, is_line)
    if stage == "parts":
        lines += ["    if is_first:", "        out[block * parts + part] = found"]
    else:
        stored = _store("found", result, total.startswith("f"))
        lines += ["    if is_first:", f"        out[out_cell] = {stored}"]
    functions = [maximum, minimum, *_formulas(fold), *(_formulas(fold.center) if fold.center else [])]
    texts = [inspect.getsource(function) for function in dict.fromkeys(functions)]
    called = [formula_text(_scalar(name), dtypes.by_name(total), "") for name in fold.scalars]
    return _module(total, [*_conversions(source, result), *called, *texts], lines)


def total_type(fold: Fold, value: dtype) -> dtype:
    """The type in which partial results are joined."""
    name = _total_type(fold, value)
    return dtypes.bool if name == "bool_" else dtypes.by_name(name)


def _total_type(fold: Fold, value: dtype) -> str:
    """The name of the type in which partial results are joined."""
    if fold.truth:
        return "int64"
    if value.is_floating_point:
        return "float64" if fold.wide else numpy_name(value)
    return numpy_name(value) if fold.join.name in ("greatest", "least") else "int64"


def _formulas(fold: Fold) -> list[Callable]:
    return [fold.each, fold.finish]


def _scalar(name: str) -> Callable:
    from tensorlab.scalars import TABLE

    return TABLE[name].formula


# How many elements a thread reads before it joins the first of them.
AHEAD = 8

# Lines that give a lane its column. The last lanes may have none: they look at the last one, and say nothing.
_COLUMN = [
    "    columns = shape[len(shape) - 1]",
    f"    groups = (columns + {WARP - 1}) // {WARP}",
    f"    column = block % groups * {WARP} + me % {WARP}",
    f"    is_first = me < {WARP} and column < columns",
    "    block = block // groups * columns + min(column, columns - 1)",
]


def _pass(
    fold: Fold,
    value: dtype,
    total: str,
    source: dtype,
    name: str,
    stage: str,
    in_columns: bool,
    is_line: bool,
) -> list[str]:
    """The lines that set `name` to a fold of the elements that begin at ``x_start``."""
    together = fold.join.floats if total.startswith("float") and fold.join.floats else fold.join.together
    loaded = _load("x[x_cell]", source, "bool_" if fold.truth else numpy_name(value))
    names = {"x": "seen", "k": "k", "c": "c", "n": "n", "total": name}
    each = ", ".join(names[argument] for argument in arguments_of(fold.each))
    finish = ", ".join(names[argument] for argument in arguments_of(fold.finish))
    element = f"np.{total}({fold.each.__name__}({each}))"
    worker, workers = (f"me // {WARP}", f"(threads // {WARP})") if in_columns else ("me", "threads")
    begin, end, step = f"part * {workers} + {worker}", "n_elements", f"parts * {workers}"
    read = ["x_cell = x_start + i * x_span[0]"] if is_line else _positions("i", "span", 0, ("x", "x_start"))
    seen = loaded if fold.truth else f"np.{total}({loaded})"
    if stage == "last":
        begin, end, step = worker, "parts", workers
        read, seen, element = ["x_cell = x_first + block * parts + i"], "x[x_cell]", f"np.{total}(seen)"
    join = f"joined = np.{total}({together.format(a='joined', b=element)})"
    lines = [f"joined = np.{total}({_start(fold, total)})", f"i, step = {begin}, {step}"]
    if is_line or stage == "last":
        lines.append(f"while i + {AHEAD - 1} * step < {end}:")
        for ahead in range(AHEAD):
            lines += [f"    {line}" for line in (*read, f"seen_{ahead} = {seen}", "i += step")]
        for ahead in range(AHEAD):
            lines += [f"    seen = seen_{ahead}", f"    {join}"]
    lines += [f"while i < {end}:", *(f"    {line}" for line in (*read, f"seen = {seen}", join, "i += step"))]
    lines += (_joined_columns if in_columns else _joined_lanes)(name, total, together)
    if stage != "parts":
        lines.append(f"{name} = {fold.finish.__name__}({finish})")
    return [f"    {line}" for line in lines]


def _joined_lanes(name: str, total: str, together: str) -> list[str]:
    """Lines that join what the threads of a block found."""
    # Lanes exchange 32 or 64 bits.
    moved = total if total in ("float32", "float64", "int32") else "int64"
    return [
        f"{name}_warps = cuda.shared.array({WARP}, np.{total})",
        f"half = min(threads, {WARP}) // 2",
        "while half > 0:",
        f"    other = np.{total}(cuda.shfl_xor_sync(0xFFFFFFFF, np.{moved}(joined), half))",
        f"    joined = np.{total}({together.format(a='joined', b='other')})",
        "    half //= 2",
        f"if me % {WARP} == 0:",
        f"    {name}_warps[me // {WARP}] = joined",
        "cuda.syncthreads()",
        f"{name} = {name}_warps[0]",
        f"for warp in range(1, (threads + {WARP - 1}) // {WARP}):",
        f"    {name} = np.{total}({together.format(a=name, b=f'{name}_warps[warp]')})",
    ]


def _joined_columns(name: str, total: str, together: str) -> list[str]:
    """Lines that join what the warps of a block found, each lane for its column."""
    return [
        f"{name}_warps = cuda.shared.array({8 * WARP}, np.{total})",
        f"{name}_warps[me] = joined",
        "cuda.syncthreads()",
        f"{name} = {name}_warps[me % {WARP}]",
        f"for warp in range(1, threads // {WARP}):",
        f"    {name} = np.{total}({together.format(a=name, b=f'{name}_warps[warp * {WARP} + me % {WARP}]')})",
    ]


def _start(fold: Fold, total: str) -> str:
    start = fold.join.start
    if start not in ("lowest", "highest"):
        return str(start)
    if total.startswith("float"):
        return "-np.inf" if start == "lowest" else "np.inf"
    if total == "bool_":
        return str(start == "highest")
    return str(np.iinfo(total).min if start == "lowest" else np.iinfo(total).max)


def product_text(element_type: dtype, is_added: bool, activation: Scalar | None, has_residual: bool) -> str:
    """What `tensorlab.backends.cuda.products.product` does with its cells: ``widen(cell)`` and ``finish(…)``.

    Products of truths are those of whole numbers.
    """
    compute = dtypes.int32 if element_type is dtypes.bool else dtypes.by_name(numpy_name(element_type))
    inner = compute_type(activation.formula, compute) if activation else compute
    kind, texts = numpy_name(compute), _conversions(element_type)
    lines = [
        "def widen(cell):",
        f"    return {_load('cell', element_type, kind)}",
        "",
        "",
        "def finish(total, alpha, beta, source, source_cell, residual, residual_cell):",
    ]
    if is_added:
        lines += [
            f"    total = np.{kind}(total * np.{kind}(alpha))",
            "    if beta != 0:",
            f"        total = np.{kind}(total + widen(source[source_cell]) * np.{kind}(beta))",
        ]
    value = "total"
    if activation is not None:
        texts.append(formula_text(activation.formula, inner, ""))
        value = f"np.{kind}({activation.formula.__name__}(np.{numpy_name(inner)}(total)))"
    if has_residual:
        value = f"{value} + widen(residual[residual_cell])"
    lines.append(f"    return {_store(value, element_type, compute.is_floating_point)}")
    return _module(numpy_name(inner), texts, lines)


def cells_text(source: dtype, compute: dtype, result: dtype) -> str:
    """What kernels of rows do with their cells: ``widen(cell)`` and ``narrow(number)``."""
    kind = numpy_name(compute)
    lines = [
        "def widen(cell):",
        f"    return {_load('cell', source, kind)}",
        "",
        "",
        "def narrow(value):",
        f"    return {_store('value', result, True)}",
    ]
    return _module(kind, _conversions(source, result), lines)


def scan_text(name: str, value: dtype, result: dtype, source: dtype, has_places: bool) -> str:
    """The kernel of a running total: ``kernel(count, size, shape, out, …, x, …)``. A thread has a line."""
    kind = numpy_name(value)
    better = ">=" if name == "cummax" else "<="
    names = ["out", *(["places"] if has_places else []), "x"]
    operands = [f"{each}, {each}_first, {each}_shape, {each}_step" for each in names]
    lines = [
        f"def kernel({', '.join(['count, size, shape', *operands])}):",
        "    for i in range(cuda.grid(1), count, cuda.gridsize(1)):",
        *_positions("i", "shape", 8, *((each, f"{each}_first") for each in names)),
        f"        total = np.{kind}({1 if name == 'cumprod' else 0})",
        *(["        place = 0"] if has_places else []),
        "        for step in range(size):",
        f"            seen = {_load('x[x_cell]', source, kind)}",
    ]
    if name in ("cumsum", "cumprod"):
        lines.append(f"            total = np.{kind}(total {'+' if name == 'cumsum' else '*'} seen)")
    else:
        lines.append(f"            if step == 0 or seen != seen or (total == total and seen {better} total):")
        lines.append("                total = seen")
        lines += ["                place = step"] if has_places else []
    lines.append(f"            out[out_cell] = {_store('total', result, value.is_floating_point)}")
    lines += ["            places[places_cell] = np.int64(place)"] if has_places else []
    lines += [f"            {each}_cell += {each}_step" for each in names]
    return _module(kind, _conversions(source, result), lines)


# How many neighbours of a line a thread looks after, in `shared_scan_text`.
ITEMS = 4


def shared_scan_text(name: str, value: dtype, result: dtype, source: dtype, has_places: bool) -> str:
    """The kernel of a running total whose line a block shares: ``kernel(size, shape, out, …, x, …)``.

    The block goes along the line, four elements for each thread at a time. A thread joins its four; the lanes
    of a warp join what lanes before them have, at distances of 1, 2, 4, 8 and 16; and to that comes what the
    warps before have, and what was carried along.
    """
    kind = numpy_name(value)
    names = ["out", *(["places"] if has_places else []), "x"]
    moved = kind if kind in ("float32", "float64", "int32") else "int64"
    if name in ("cumsum", "cumprod"):
        start = str(int(name == "cumprod"))
    else:
        start = _start(folds.TABLE["amax" if name == "cummax" else "amin"], kind)
    better = ">=" if name == "cummax" else "<="

    def join(total: str, place: str, later: str, later_place: str) -> list[str]:
        """Lines that join what stands in the line before with what stands behind it."""
        if name in ("cumsum", "cumprod"):
            return [f"{total} = np.{kind}({total} {'+' if name == 'cumsum' else '*'} {later})"]
        moves = [f"    {place} = {later_place}"] if has_places else []
        return [
            f"if {later} != {later} or ({total} == {total} and {later} {better} {total}):",
            f"    {total} = {later}",
            *moves,
        ]

    nothing = f"np.{kind}({start}), np.int64(0)"
    seen = _load("x[x_cell + place * x_step]", source, kind)
    stored = _store("before", result, value.is_floating_point)
    body = [
        f"totals = cuda.shared.array({WARP}, np.{kind})",
        f"numbers = cuda.shared.array({WARP}, np.int64)",
        "me, threads = cuda.threadIdx.x, cuda.blockDim.x",
        f"lane, warp = me % {WARP}, me // {WARP}",
        *_positions("cuda.blockIdx.x", "shape", 0, *((each, f"{each}_first") for each in names)),
        f"carried, carried_place = {nothing}",
        f"for begin in range({ITEMS} * me, size + {ITEMS} * me, {ITEMS} * threads):",
    ]
    loop = [f"total, total_place = {nothing}"]
    for item in range(ITEMS):
        loop += [
            f"place = begin + {item}",
            f"seen_{item} = np.{kind}({start})",
            "if place < size:",
            f"    seen_{item} = {seen}",
            *join("total", "total_place", f"seen_{item}", "place"),
        ]

    def exchange(distance: str) -> list[str]:
        """Lines that set `nearer` to what the lane has that is so much further down the numbers."""
        value = f"np.{kind}(cuda.shfl_up_sync(0xFFFFFFFF, np.{moved}(total), {distance}))"
        place = f"cuda.shfl_up_sync(0xFFFFFFFF, total_place, {distance})" if has_places else "total_place"
        return [f"nearer = {value}", f"nearer_place = {place}"]

    loop += [
        "distance = 1",
        f"while distance < {WARP}:",
        *(f"    {line}" for line in exchange("distance")),
        "    if lane >= distance:",
        *(f"        {line}" for line in join("nearer", "nearer_place", "total", "total_place")),
        "        total, total_place = nearer, nearer_place",
        "    distance *= 2",
        f"if lane == {WARP - 1}:",
        "    totals[warp], numbers[warp] = total, total_place",
        *exchange("1"),
        "cuda.syncthreads()",
        "before, before_place = carried, carried_place",
        f"for other in range(threads // {WARP}):",
        "    if other < warp:",
        *(f"        {line}" for line in join("before", "before_place", "totals[other]", "numbers[other]")),
        *(f"    {line}" for line in join("carried", "carried_place", "totals[other]", "numbers[other]")),
        "if lane > 0:",
        *(f"    {line}" for line in join("before", "before_place", "nearer", "nearer_place")),
    ]
    for item in range(ITEMS):
        loop += [
            f"place = begin + {item}",
            "if place < size:",
            *(f"    {line}" for line in join("before", "before_place", f"seen_{item}", "place")),
            f"    out[out_cell + place * out_step] = {stored}",
            *(["    places[places_cell + place * places_step] = before_place"] if has_places else []),
        ]
    loop.append("cuda.syncthreads()")
    operands = [f"{each}, {each}_first, {each}_shape, {each}_step" for each in names]
    lines = [f"def kernel({', '.join(['size, shape', *operands])}):"]
    lines += [f"    {line}" for line in (*body, *(f"    {line}" for line in loop))]
    return _module(kind, _conversions(source, result), lines)


def arg_reduce_text(greatest: bool, source: dtype, places: dtype, in_columns: bool, is_line: bool) -> str:
    """The kernel that looks for extremes: ``kernel(n, shape, span, places, …, x, …)``.

    Its threads share the elements, and join what they found, as those of `reduce_text` do. Of equal elements
    the first counts, whoever found it.

    Args:
        greatest, source, places: see `tensorlab.backends.protocol.Core.arg_reduce`.
        in_columns, is_line: see `reduce_text`.
    """
    kind, better = numpy_name(source), ">" if greatest else "<"
    moved = kind if kind in ("float32", "float64", "int32") else "int64"
    worker, workers = (f"me // {WARP}", f"threads // {WARP}") if in_columns else ("me", "threads")
    read = ["x_cell = x_start + i * x_span[0]"] if is_line else _positions("i", "span", 0, ("x", "x_start"))
    seen = _load("x[x_cell]", source, kind)
    look = [
        f"if found == found and (seen {better} found or seen != seen):",
        "    found, best = seen, np.int64(i)",
        "i += step",
    ]
    join = [
        f"is_better = other {better} found or (other != other and found == found)",
        "is_same = other == found or (other != other and found != found)",
        "if is_better or (is_same and place < best):",
        "    found, best = other, place",
    ]
    among_lanes = [
        f"half = min(threads, {WARP}) // 2",
        "while half > 0:",
        f"    other = np.{kind}(cuda.shfl_xor_sync(0xFFFFFFFF, np.{moved}(found), half))",
        "    place = cuda.shfl_xor_sync(0xFFFFFFFF, best, half)",
        *(f"    {line}" for line in join),
        "    half //= 2",
    ]
    own, other = (f"me % {WARP}", f"warp * {WARP} + me % {WARP}") if in_columns else ("0", "warp")
    cells, is_teller, teller = WARP, f"me % {WARP} == 0", f"me // {WARP}"
    if in_columns:
        cells, is_teller, teller = 8 * WARP, "me >= 0", "me"
    body = [
        f"values = cuda.shared.array({cells}, np.{kind})",
        f"numbers = cuda.shared.array({cells}, np.int64)",
        "me, threads = cuda.threadIdx.x, cuda.blockDim.x",
        "block = cuda.blockIdx.x",
        *([line[4:] for line in _COLUMN] if in_columns else ["is_first = me == 0"]),
        *_positions("block", "shape", 0, ("places", "places_first"), ("x", "x_first")),
        "x_start = x_cell",
        f"found, best, i, step = {seen}, np.int64(0), np.int64({worker}), {workers}",
        *([f"while i + {AHEAD - 1} * step < n:"] if is_line else []),
    ]
    if is_line:
        for ahead in range(AHEAD):
            body += [f"    x_cell = x_start + (i + {ahead} * step) * x_span[0]", f"    seen_{ahead} = {seen}"]
        for ahead in range(AHEAD):
            body += [f"    {line}" for line in (f"seen = seen_{ahead}", *look)]
    body += [
        "while i < n:",
        *(f"    {line}" for line in (*read, f"seen = {seen}", *look)),
        *([] if in_columns else among_lanes),
        f"if {is_teller}:",
        f"    values[{teller}], numbers[{teller}] = found, best",
        "cuda.syncthreads()",
        f"found, best = values[{own}], numbers[{own}]",
        f"for warp in range(1, (threads + {WARP - 1}) // {WARP}):",
        f"    other, place = values[{other}], numbers[{other}]",
        *(f"    {line}" for line in join),
        "if is_first:",
        f"    places[places_cell] = np.{places.name}(best)",
    ]
    operands = [*_taken(["places"], "shape"), *_taken(["x"], "shape", "span")]
    lines = [f"def kernel({', '.join(['n, shape, span', *operands])}):", *(f"    {line}" for line in body)]
    return _module(kind, _conversions(source), lines)


def sort_text(element_type: dtype, descending: bool, run: int) -> str:
    """Two kernels that put the numbers of a row's elements in order, and ``before``, which compares two.

    ``sort(size, runs, begin, end, places, places_first, x, x_first)`` sorts runs of so many neighbours, a
    power of two, in shared memory: a bitonic sort, whose every step compares pairs at one distance.
    ``merge(count, size, width, begin, end, places, places_first, order, x, x_first)`` merges two runs of
    ``width`` that are in order: an element's place is its place in its own run, and how many of the other
    run come before it, which a search by halves says.

    Both write those places of each row that lie from ``begin`` to ``end``.
    """
    kind = numpy_name(element_type)
    less = "(a > b or (a != a and b == b))" if descending else "(a < b or (b != b and a == a))"
    same = "(a == b or (a != a and b != b))"
    lines = [
        "def before(a, a_place, b, b_place, size):",
        "    if a_place >= size or b_place >= size:",  # behind the end of the row
        "        return a_place < b_place",
        f"    return {less} or ({same} and a_place < b_place)",
        "",
        "",
        "def sort(size, runs, begin, end, places, places_first, x, x_first):",
        f"    keys = cuda.shared.array({run}, np.{kind})",
        f"    numbers = cuda.shared.array({run}, np.int64)",
        "    me, threads = cuda.threadIdx.x, cuda.blockDim.x",
        "    row = cuda.blockIdx.x // runs",
        f"    first = cuda.blockIdx.x % runs * {run}",
        f"    for i in range(me, {run}, threads):",
        "        numbers[i] = first + i",
        f"        keys[i] = np.{kind}(0)",
        "        if first + i < size:",
        f"            keys[i] = {_load('x[x_first + row * size + first + i]', element_type, kind)}",
        "    cuda.syncthreads()",
        "    length = 2",
        f"    while length <= {run}:",
        "        distance = length // 2",
        "        while distance > 0:",
        f"            for pair in range(me, {run // 2}, threads):",
        "                low = 2 * pair - (pair & (distance - 1))",
        "                high = low + distance",
        "                a, b, i, j = keys[low], keys[high], numbers[low], numbers[high]",
        "                if before(b, j, a, i, size) == (low & length == 0):",
        "                    keys[low], keys[high], numbers[low], numbers[high] = b, a, j, i",
        "            cuda.syncthreads()",
        "            distance //= 2",
        "        length *= 2",
        f"    for i in range(me, {run}, threads):",
        "        rank = first + i",
        "        if begin <= rank and rank < end:",
        "            places[places_first + row * (end - begin) + rank - begin] = numbers[i]",
        "",
        "",
        "def merge(count, size, width, begin, end, places, places_first, order, x, x_first):",
        "    for i in range(cuda.grid(1), count, cuda.gridsize(1)):",
        "        row = i // size",
        "        me, start, place = i - row * size, row * size, order[i]",
        f"        own = {_load('x[x_first + start + place]', element_type, kind)}",
        "        pair = me // (2 * width) * 2 * width",
        "        first = min(pair + width if me < pair + width else pair, size)",
        "        low, high = first, min(first + width, size)",
        "        while low < high:",
        "            middle = (low + high) // 2",
        "            other_place = order[start + middle]",
        f"            other = {_load('x[x_first + start + other_place]', element_type, kind)}",
        "            if before(other, other_place, own, place, size):",
        "                low = middle + 1",
        "            else:",
        "                high = middle",
        "        rank = low - first + (me if me < pair + width else me - width)",
        "        if begin <= rank and rank < end:",
        "            places[places_first + row * (end - begin) + rank - begin] = place",
    ]
    return _module(kind, _conversions(element_type), lines)


def _module(kind: str, functions: Sequence[str], kernel: Sequence[str]) -> str:
    return "\n\n".join([f"number = np.{kind}", *functions, "\n".join(kernel) + "\n"])
