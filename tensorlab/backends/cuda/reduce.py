"""Many elements become one: a fold of them, or the place of the greatest."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cuda.driver import Driver
from tensorlab.backends.cuda.kernel_text import (
    conversions,
    kernel_of,
    load,
    module_text,
    moved_as,
    numpy_name,
    operand_parameters,
    positions,
    start_of,
    store,
)
from tensorlab.backends.cuda.operands import chosen, raw
from tensorlab.backends.cuda.simulator import WARP
from tensorlab.backends.operands import Buffer, Launch, OperandLayout, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.core.layout import default_strides
from tensorlab.folds import Fold, arguments_of
from tensorlab.scalars import TABLE
from tensorlab.scalars.source import formula_text

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["arg_reduce_text", "prepare_arg_reduce", "prepare_reduce", "reduce_text"]

# Of a reduction: as many elements as a thread should join, at least, before blocks share a result.
ELEMENTS = 8


def maximum(a, b):  # type: ignore[no-untyped-def]
    return a if a > b or a != a else b


def minimum(a, b):  # type: ignore[no-untyped-def]
    return a if a < b or a != a else b


@functools.cache
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
    result, a block each, and then the totals of the parts. A fold's `center` has two stages of its own before
    these, which are given what it found: ``centers``.

    Args:
        fold, value, result, source: see `tensorlab.backends.protocol.Core.reduce`.
        stage: ``"whole"``, or ``"parts"``, which writes totals, or ``"last"``, which reads those of `parts`.
        in_columns: whether the lanes of a warp look after 32 results that lie side by side in the last
            dimension of ``shape``, and the warps of a block share their elements among them.
        is_line: whether the ``span`` of a result has one dimension.
    """
    total = _total_type(fold, value)
    has_centers = fold.center is not None and stage != "whole"
    operands = [*operand_parameters(["out"], "shape"), *operand_parameters(["x"], "shape", "span")]
    lines = [
        f"def kernel({', '.join(['parts, n, k, shape, span', *operands, *['centers'] * has_centers])}):",
        "    me, threads = cuda.threadIdx.x, cuda.blockDim.x",
        "    block, part = cuda.blockIdx.x, 0"
        if stage == "last"
        else "    block, part = cuda.blockIdx.x // parts, cuda.blockIdx.x % parts",
        *(_COLUMN if in_columns else ["    is_first = me == 0"]),
        "    n_elements, k = n, number(k)",
        "    n = number(n)",
        *positions("block", "shape", 4, ("out", "out_first"), ("x", "x_first")),
        "    x_start = x_cell",
    ]
    if has_centers:
        lines.append("    c = centers[block]")
    elif fold.center is not None:
        lines += _pass(fold.center, value, total, source, "c", "whole", in_columns, is_line)
    lines += _pass(fold, value, total, source, "found", stage, in_columns, is_line)
    if stage == "parts":
        lines += ["    if is_first:", "        out[block * parts + part] = found"]
    else:
        stored = store("found", result, total.startswith("f"))
        lines += ["    if is_first:", f"        out[out_cell] = {stored}"]
    functions = [maximum, minimum, *_formulas(fold), *(_formulas(fold.center) if fold.center else [])]
    texts = [inspect.getsource(function) for function in dict.fromkeys(functions)]
    called = [formula_text(TABLE[name].formula, dtypes.by_name(total), "") for name in fold.scalars]
    return module_text(total, [*conversions(source, result), *called, *texts], lines)


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
    loaded = load("x[x_cell]", source, "bool_" if fold.truth else numpy_name(value))
    names = {"x": "seen", "k": "k", "c": "c", "n": "n", "total": name}
    each = ", ".join(names[argument] for argument in arguments_of(fold.each))
    finish = ", ".join(names[argument] for argument in arguments_of(fold.finish))
    element = f"np.{total}({fold.each.__name__}({each}))"
    worker, workers = (f"me // {WARP}", f"(threads // {WARP})") if in_columns else ("me", "threads")
    begin, end, step = f"part * {workers} + {worker}", "n_elements", f"parts * {workers}"
    read = ["x_cell = x_start + i * x_span[0]"] if is_line else positions("i", "span", 0, ("x", "x_start"))
    seen = loaded if fold.truth else f"np.{total}({loaded})"
    if stage == "last":
        begin, end, step = worker, "parts", workers
        read, seen, element = ["x_cell = x_first + block * parts + i"], "x[x_cell]", f"np.{total}(seen)"
    join = f"joined = np.{total}({together.format(a='joined', b=element)})"
    lines = [f"joined = np.{total}({start_of(fold, total)})", f"i, step = {begin}, {step}"]
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
    moved = moved_as(total)
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


@functools.cache
def arg_reduce_text(
    greatest: bool,
    source: dtype,
    places: dtype,
    stage: str = "whole",
    in_columns: bool = False,
    is_line: bool = False,
) -> str:
    """The kernel that looks for extremes: ``kernel(n, shape, span, places, …, x, …)``.

    Its threads share the elements, and join what they found, as those of `reduce_text` do. Of equal elements
    the first counts, whoever found it. Of two stages, ``kernel(parts, n, …, known, known_places)``, one notes
    the extremes of the parts and where these stand, and one looks for the best of them.

    Args:
        greatest, source, places: see `tensorlab.backends.protocol.Core.arg_reduce`.
        stage, in_columns, is_line: see `reduce_text`.
    """
    kind, better = numpy_name(source), ">" if greatest else "<"
    moved = moved_as(kind)
    worker, workers = (f"me // {WARP}", f"threads // {WARP}") if in_columns else ("me", "threads")
    begin, step = worker, workers
    if stage == "parts":
        begin, step = f"part * ({workers}) + {worker}", f"parts * ({workers})"
    read = ["x_cell = x_start + i * x_span[0]"] if is_line else positions("i", "span", 0, ("x", "x_start"))
    seen = load("x[x_cell]", source, kind)
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
        *(["block, part = block // parts, block % parts"] if stage == "parts" else []),
        *([line[4:] for line in _COLUMN] if in_columns else ["is_first = me == 0"]),
        *positions("block", "shape", 0, ("places", "places_first"), ("x", "x_first")),
        "x_start = x_cell",
        f"found, best, i, step = {seen}, np.int64(0), np.int64({begin}), {step}",
        *([f"while i + {AHEAD - 1} * step < n:"] if is_line else []),
    ]
    if is_line:
        for ahead in range(AHEAD):
            body += [f"    x_cell = x_start + (i + {ahead} * step) * x_span[0]", f"    seen_{ahead} = {seen}"]
        for ahead in range(AHEAD):
            body += [f"    {line}" for line in (f"seen = seen_{ahead}", *look)]
    if stage == "last":
        body += [
            "found, best = known[block * parts], known_places[block * parts]",
            "while i < parts:",
            "    other, place = known[block * parts + i], known_places[block * parts + i]",
            *(f"    {line}" for line in (*join, "i += step")),
        ]
    else:
        body += ["while i < n:", *(f"    {line}" for line in (*read, f"seen = {seen}", *look))]
    body += [
        *([] if in_columns else among_lanes),
        f"if {is_teller}:",
        f"    values[{teller}], numbers[{teller}] = found, best",
        "cuda.syncthreads()",
        f"found, best = values[{own}], numbers[{own}]",
        f"for warp in range(1, (threads + {WARP - 1}) // {WARP}):",
        f"    other, place = values[{other}], numbers[{other}]",
        *(f"    {line}" for line in join),
        "if is_first:",
        "    known[block * parts + part], known_places[block * parts + part] = found, best"
        if stage == "parts"
        else f"    places[places_cell] = np.{places.name}(best)",
    ]
    parameters = ["n, shape, span", *operand_parameters(["places"], "shape")]
    parameters += operand_parameters(["x"], "shape", "span")
    if stage != "whole":
        parameters = ["parts", *parameters, "known, known_places"]
    lines = [f"def kernel({', '.join(parameters)}):", *(f"    {line}" for line in body)]
    return module_text(kind, conversions(source), lines)


class _Folded(NamedTuple):
    """How many elements become one, with as few dimensions as possible.

    Attributes:
        sizes, span: the dimensions of the results, and of the elements of each.
        out_steps, x_steps, x_span: the steps of the results; those of the elements from one result to the
            next; and those from one element of a result to the next.
        in_columns: whether neighbouring lanes look after neighbouring results, for their elements are
            neighbours, and not those of one result.
        blocks, threads: how many blocks of how many threads there are, if a block, or a lane of it in each of
            its warps, sees all elements of a result.
        parts: how many blocks share these elements instead, where there are too few results.
    """

    sizes: tuple[int, ...]
    span: tuple[int, ...]
    out_steps: tuple[int, ...]
    x_steps: tuple[int, ...]
    x_span: tuple[int, ...]
    in_columns: bool
    blocks: int
    threads: int
    parts: int

    @property
    def results(self) -> int:
        """How many results there are."""
        return math.prod(self.sizes)

    @property
    def n(self) -> int:
        """How many elements each of them has."""
        return math.prod(self.span)

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        dims: Sequence[int],
        out: OperandLayout,
        source: OperandLayout,
        driver: Driver,
        keep_order: bool = False,
    ) -> _Folded:
        """See `tensorlab.backends.protocol.Core.reduce`; or `keep_order` of a result's elements."""
        kept = [dim for dim in range(len(shape)) if dim not in dims]
        sizes, (x_steps, out_steps) = coalesce(
            chosen(shape, kept), [chosen(each.strides, kept) for each in (source, out)]
        )
        span, (x_span,) = coalesce(chosen(shape, dims), [chosen(source.strides, dims)], keep_order)
        results, n = math.prod(sizes), math.prod(span)
        in_columns = sizes[-1] >= 8 and abs(x_steps[-1]) < abs(x_span[-1]) and driver.threads >= WARP
        threads, blocks = 1 << (min(max(n, 1), driver.threads).bit_length() - 1), results
        workers = threads
        if in_columns:
            threads, blocks = driver.threads, results // sizes[-1] * ceil_div(sizes[-1], WARP)
            workers = threads // WARP
        # Each thread has some elements to join before it joins with others.
        parts = min(driver.blocks // 2 // max(blocks, 1), ceil_div(n, ELEMENTS * workers))
        return cls(sizes, span, out_steps, x_steps, x_span, in_columns, blocks, threads, max(parts, 1))


def prepare_reduce(
    backend: Cuda,
    fold: Fold,
    value: dtype,
    shape: Sequence[int],
    dims: Sequence[int],
    out: OperandLayout,
    source: OperandLayout,
    k: float = 0.0,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.reduce`."""
    folded = _Folded.of(shape, dims, out, source, backend.driver)
    if folded.results == 0:
        return no_launch
    way = folded.in_columns, len(folded.span) == 1
    if folded.parts > 1:
        return _in_two_stages(backend, fold, value, folded, out.dtype, source.dtype, k)
    kernel = kernel_of(fold.name, reduce_text(fold, value, out.dtype, source.dtype, "whole", *way))
    begin = 1, folded.n, k, folded.sizes, folded.span

    def launch(target: Buffer, item: Buffer) -> None:
        ends = *raw(target), folded.out_steps, *raw(item), folded.x_steps, folded.x_span
        backend.run(kernel, folded.blocks, folded.threads, *begin, *ends)

    return launch


def _in_two_stages(
    backend: Cuda, fold: Fold, value: dtype, folded: _Folded, result: dtype, source: dtype, k: float
) -> Launch:
    """Prepare a fold of which several blocks share each result."""
    parts, total = folded.parts, total_type(fold, value)
    texts = (
        reduce_text(fold, value, result, source, "parts", folded.in_columns, len(folded.span) == 1),
        reduce_text(fold, value, result, source, "last"),
    )
    first, last = (kernel_of(fold.name, text) for text in texts)
    begin, none = (parts, folded.n, k, folded.sizes, folded.span), (0,) * len(folded.sizes)
    side_by_side = folded._replace(out_steps=default_strides(folded.sizes))
    find_centers = None
    if fold.center is not None:
        find_centers = _in_two_stages(backend, fold.center, value, side_by_side, total, source, k)

    def launch(target: Buffer, item: Buffer) -> None:
        totals = backend.allocate(folded.results * parts, total.cell)
        between = totals.cells, 0, none
        centers: tuple[Any, ...] = ()
        if find_centers is not None:
            held = backend.allocate(folded.results, total.cell)
            find_centers((held, 0), item)
            centers = (held.cells,)
        elements = *raw(item), folded.x_steps, folded.x_span, *centers
        backend.run(first, folded.blocks * parts, folded.threads, *begin, *between, *elements)
        ends = *raw(target), folded.out_steps, *between, folded.x_span, *centers
        backend.run(last, folded.results, backend.threads_of(parts), *begin, *ends)

    return launch


def prepare_arg_reduce(
    backend: Cuda,
    greatest: bool,
    shape: Sequence[int],
    dims: Sequence[int],
    places: OperandLayout,
    source: OperandLayout,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.arg_reduce`."""
    folded = _Folded.of(shape, dims, places, source, backend.driver, keep_order=True)
    if folded.results == 0:
        return no_launch
    parts, way = folded.parts, (folded.in_columns, len(folded.span) == 1)
    given = greatest, source.dtype, places.dtype
    stages = [("whole", *way)] if parts == 1 else [("parts", *way), ("last",)]
    first, *others = (kernel_of("arg_reduce", arg_reduce_text(*given, *stage)) for stage in stages)
    begin = folded.n, folded.sizes, folded.span

    def launch(found: Buffer, item: Buffer) -> None:
        ends = *raw(found), folded.out_steps, *raw(item), folded.x_steps, folded.x_span
        if parts == 1:
            backend.run(first, folded.blocks, folded.threads, *begin, *ends)
            return
        known = backend.allocate(folded.results * parts, compute_type(source.dtype).cell)
        known_places = backend.allocate(folded.results * parts, np.dtype(np.int64))
        told = known.cells, known_places.cells
        backend.run(first, folded.blocks * parts, folded.threads, parts, *begin, *ends, *told)
        backend.run(others[0], folded.results, backend.threads_of(parts), parts, *begin, *ends, *told)

    return launch
