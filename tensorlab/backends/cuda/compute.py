"""The core of the device ``"cuda"``: which kernel runs, on how many threads, with which arguments."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cuda import (
    attention,
    drawing,
    indexing,
    kernels,
    losses,
    matmul,
    pointwise,
    products,
    routes,
    rows,
    tensor_cores,
    text,
    warpgroups,
    windows,
)
from tensorlab.backends.cuda.driver import Driver, Simulated
from tensorlab.backends.cuda.memory import HostPool, Pool, pinned_at
from tensorlab.backends.cuda.simulator import WARP
from tensorlab.backends.fused import Backend
from tensorlab.backends.layers import AttentionLayout, NormalGroups
from tensorlab.backends.operands import Buffer, Launch, Memory, OperandLayout, no_launch
from tensorlab.backends.protocol import IndexLayout, RandomLaunch
from tensorlab.backends.windows import Correlation, Pooling
from tensorlab.core import dtypes
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.core.layout import default_strides
from tensorlab.folds import Fold
from tensorlab.scalars import Scalar
from tensorlab.scalars.updates import Update

__all__ = ["Cuda"]

# The bytes of shared memory that every card has for a block.
SHARED = 48 << 10

# How many blocks a grid has at most along y and z.
MOST = 65535

# Of a reduction: as many elements as a thread should join, at least, before blocks share a result.
ELEMENTS = 8

_ACTIONS = {
    "positions": kernels.POSITIONS,
    "select": kernels.SELECT,
    "scatter": kernels.SCATTER,
}


class Cuda(Backend):
    """The memory and the core of the device ``"cuda"``.

    Args:
        driver: what runs the kernels: the simulator, or a GPU.

    Attributes:
        memory: its memory.
        host: memory of the host that it copies from by itself.
        launches: how many kernels have run.
        is_capturing: whether launches are recorded for a graph.
    """

    tells_late = True

    def __init__(self, driver: Driver | None = None) -> None:
        self.device = device("cuda", 0)
        self.driver = driver or Simulated()
        self.memory, self.host = Pool(self.driver), HostPool(self.driver)
        self.launches = 0
        self.is_capturing = False
        # What kernels say of indices, what it means, and whether one has run that may have said something.
        self._faults: Memory | None = None
        self._codes: dict[str, int] = {}
        self._may_tell = False

    def _run(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        self.launches += 1
        self.driver.launch(kernel, grid, block, *arguments)

    def each(self, kernel: Callable, count: int, *arguments: Any) -> None:
        """Run a kernel whose threads share `count` elements among them."""
        self._run(kernel, *self._shared_among(count), *arguments)

    def _shared_among(self, count: int) -> tuple[int, int]:
        """How many blocks of how many threads share `count` elements."""
        threads = min(count, self.driver.threads)
        return min(ceil_div(count, threads), self.driver.blocks), threads

    # --- memory ---------------------------------------------------------------------------------------------

    def allocate(self, count: int, cell: np.dtype) -> Memory:
        """See `tensorlab.backends.protocol.Core.allocate`."""
        return self.memory.allocate(count, cell)

    def fill(self, cells: Buffer, count: int, value: np.generic, step: int = 0) -> None:
        """See `tensorlab.backends.protocol.Core.fill`."""
        if count and step:
            self.each(kernels.count_up, count, *_raw(cells), count, value, step)
        elif count:
            self.each(kernels.fill, count, *_raw(cells), count, value)

    def upload(self, cells: memoryview, non_blocking: bool = False) -> Memory:
        """See `tensorlab.backends.protocol.Core.upload`."""
        self._need_no_graph("a copy from the host")
        array = np.asarray(cells)
        memory = self.memory.allocate(array.size, array.dtype)
        self.driver.upload(memory.cells, array.reshape(-1))
        pinned = pinned_at(array.__array_interface__["data"][0])
        if pinned is not None:  # the GPU may still read it: it serves again only then
            pinned.mark = self.driver.mark()
            if not non_blocking:
                self.driver.wait(pinned.mark)
        return memory

    def download(self, cells: Memory) -> memoryview:
        """See `tensorlab.backends.protocol.Core.download`."""
        self._need_no_graph("a copy to the host")
        found = self.driver.download(cells.cells)
        self._tell()
        return found

    def copy(self, to: Memory, cells: Memory) -> None:
        """See `tensorlab.backends.protocol.Core.copy`."""
        if cells.nbytes:
            self.each(
                kernels.copy_bytes,
                cells.nbytes,
                to.view(np.uint8).cells,
                cells.view(np.uint8).cells,
                cells.nbytes,
            )

    def synchronize(self) -> None:
        """See `tensorlab.backends.protocol.Core.synchronize`."""
        self._need_no_graph("to wait for the GPU")
        self.driver.synchronize()
        self._tell()

    def _need_no_graph(self, what: str) -> None:
        """Refuse what cannot be part of a graph.

        Raises:
            RuntimeError: launches are recorded for one.
        """
        if self.is_capturing:
            raise RuntimeError(
                f"CUDA error: operation not permitted when stream is capturing: {what} cannot be part of a "
                f"graph. Move this before or behind `with tensorlab.cuda.graph(...)`"
            )

    def listen(self, meanings: Sequence[str]) -> tuple[Any, tuple[int, ...]]:
        """Where a kernel says that an index led out, and the numbers that stand for what it may mean."""
        if self._faults is None:
            self._faults = self.upload(np.zeros(1, np.int64).data)
        self._may_tell = True
        codes = [self._codes.setdefault(meaning, len(self._codes) + 1) for meaning in meanings]
        return self._faults.cells, tuple(codes)

    def _tell(self) -> None:
        """Raise what kernels have said since the last time.

        Raises:
            IndexError: an index led out of a tensor.
        """
        if not self._may_tell or self._faults is None:
            return
        self._may_tell = False
        code, index = divmod(int(self.driver.download(self._faults.cells)[0]), indexing.SPAN)
        if code:
            self.driver.upload(self._faults.cells, np.zeros(1, np.int64))
            raise IndexError([*self._codes][code - 1].format(index - indexing.HALF))

    # --- arithmetic -----------------------------------------------------------------------------------------

    def pointwise(
        self,
        row: Scalar,
        compute: dtype,
        shape: Sequence[int],
        out: OperandLayout,
        inputs: Sequence[OperandLayout],
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.pointwise`."""
        if 0 in shape:
            return no_launch
        if row.name == "copy" and _is_transposed(shape, out, inputs[0]):
            return self._transpose(shape, out, inputs[0])
        operands = [out, *inputs]
        walks = pointwise.walks(row, compute, shape, operands)
        checks = walks[0][0].checks(operands)
        wide, narrow = (
            [(each.kernel, *each.grid(self.driver), each.begin, each.ends(operands)) for each in way]
            for way in walks
        )

        def launch(*buffers: Any) -> None:
            chosen = wide
            for place, size, alignment in checks:
                memory, first = buffers[place]
                if (memory.cells.pointer + first * size) % alignment:
                    chosen = narrow
                    break
            for kernel, grid, block, begin, ends in chosen:
                arguments = [*begin]
                for buffer, end in zip(buffers, ends, strict=True):
                    if end is None:
                        arguments.append(buffer)
                    else:
                        memory, first = buffer
                        arguments += memory.cells, first + end[0], *end[1]
                self._run(kernel, grid, block, *arguments)

        return launch

    def _transpose(self, shape: Sequence[int], out: OperandLayout, source: OperandLayout) -> Launch:
        """Prepare to copy matrices whose columns are runs of cells to where their rows are."""
        constants = kernels.LARGE if self.driver.threads == 256 else {}
        kernel = products.specialised(kernels.transpose, cell_type=source.dtype.cell.type, **constants)
        tile, step = constants.get("TILE", kernels.TILE), constants.get("STEP", kernels.STEP)
        *batch, m, n = shape
        grid = ceil_div(n, tile), ceil_div(m, tile), math.prod(batch)
        (*out_batch, out_row, _), (*batch_steps, _, column) = out.strides, source.strides

        def launch(target: Buffer, item: Buffer) -> None:
            ends = *_raw(target), tuple(out_batch), out_row, *_raw(item), tuple(batch_steps), column
            self._run(kernel, grid, tile * step, m, n, tuple(batch), *ends)

        return launch

    def update(
        self, rule: Update, element_type: dtype, shape: tuple[int, int], steps: Sequence[int] | None = None
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.update`."""
        rows, columns = shape
        if rows * columns == 0:
            return no_launch
        kernel = text.kernel_of(rule.name, text.update_text(rule, element_type))
        cells = len(rule.arguments[0])
        apart = steps or [columns] * cells

        def launch(*operands: Any) -> None:
            arguments: list[Any] = []
            for buffer, step in zip(operands, apart, strict=False):
                arguments += [*_raw(buffer), step]
            self.each(kernel, rows * columns, rows * columns, columns, *arguments, *operands[cells:])

        return launch

    def reduce(
        self,
        fold: Fold,
        value: dtype,
        shape: Sequence[int],
        dims: Sequence[int],
        out: OperandLayout,
        source: OperandLayout,
        k: float = 0.0,
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.reduce`."""
        folded = _Folded.of(shape, dims, out, source, self.driver)
        results, n, sizes, span = folded.results, folded.n, folded.sizes, folded.span
        if results == 0:
            return no_launch
        blocks, threads = folded.blocks, folded.threads
        workers = threads // WARP if folded.in_columns else threads
        # Each thread has some elements to join before it joins with others.
        parts = min(max(self.driver.blocks // 2 // blocks, 1), ceil_div(n, ELEMENTS * workers) or 1)
        if fold.center is not None:  # what the others found is not there yet
            parts = 1
        given = fold, value, out.dtype, source.dtype
        stages = ("whole",) if parts == 1 else ("parts", "last")
        ways = (folded.in_columns, len(span) == 1), (False, False)
        first, *others = [
            text.kernel_of(fold.name, text.reduce_text(*given, stage, *way))
            for stage, way in zip(stages, ways, strict=False)
        ]

        def launch(target: Buffer, item: Buffer) -> None:
            result = *_raw(target), folded.out_steps
            elements = *_raw(item), folded.x_steps, folded.x_span
            if parts == 1:
                self._run(first, blocks, threads, 1, n, k, sizes, span, *result, *elements)
                return
            totals = self.allocate(results * parts, text.total_type(fold, value).cell)
            between, none = (totals.cells, 0), tuple(0 for _ in sizes)
            self._run(first, blocks * parts, threads, parts, n, k, sizes, span, *between, none, *elements)
            given = parts, n, k, sizes, span, *result, *between, none, folded.x_span
            self._run(others[0], results, self._threads_of(parts), *given)

        return launch

    def arg_reduce(
        self,
        greatest: bool,
        shape: Sequence[int],
        dims: Sequence[int],
        places: OperandLayout,
        source: OperandLayout,
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.arg_reduce`."""
        folded = _Folded.of(shape, dims, places, source, self.driver, keep_order=True)
        if folded.results == 0:
            return no_launch
        kernel = text.kernel_of(
            "arg_reduce",
            text.arg_reduce_text(
                greatest, source.dtype, places.dtype, folded.in_columns, len(folded.span) == 1
            ),
        )
        begin = folded.n, folded.sizes, folded.span

        def launch(found: Buffer, item: Buffer) -> None:
            ends = *_raw(found), folded.out_steps, *_raw(item), folded.x_steps, folded.x_span
            self._run(kernel, folded.blocks, folded.threads, *begin, *ends)

        return launch

    def scan(
        self,
        name: str,
        value: dtype,
        shape: Sequence[int],
        dim: int,
        out: OperandLayout,
        source: OperandLayout,
        places: OperandLayout | None = None,
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.scan`."""
        if 0 in shape:
            return no_launch
        if name in ("cumsum", "cumprod"):
            value = dtypes.float64 if value.is_floating_point else dtypes.int64
        kept = [each for each in range(len(shape)) if each != dim]
        sizes, size = _chosen(shape, kept), shape[dim]
        lines = math.prod(sizes)
        operands = [out, source] if places is None else [out, places, source]
        strides = [(_chosen(each.strides, kept), each.strides[dim]) for each in operands]
        # A thread has a line where many lines lie side by side, else a block.
        is_shared = size > WARP and (lines < WARP * self.driver.blocks or source.strides[dim] == 1)
        given = name, value, out.dtype, source.dtype, places is not None
        kernel = text.kernel_of(name, (text.shared_scan_text if is_shared else text.scan_text)(*given))
        threads = min(WARP * ceil_div(size, text.ITEMS * WARP), self.driver.threads)

        def launch(*buffers: Buffer) -> None:
            arguments: list[Any] = []
            for buffer, layout in zip(buffers, strides, strict=True):
                arguments += [*_raw(buffer), *layout]
            if is_shared:
                self._run(kernel, lines, threads, size, sizes, *arguments)
            else:
                self.each(kernel, lines, lines, size, sizes, *arguments)

        return launch

    def gemm(
        self,
        element_type: dtype,
        batch: Sequence[int],
        sizes: tuple[int, int, int],
        out: Sequence[int],
        a: Sequence[int],
        b: Sequence[int],
        source: Sequence[int] | None = None,
        activation: Scalar | None = None,
        residual: Sequence[int] | None = None,
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.gemm`."""
        m, n, k = sizes
        if 0 in (*batch, m, n):
            return no_launch
        if math.prod(batch) > MOST:
            return self._in_pieces(element_type, batch, sizes, (out, a, b, source, residual), activation)
        functions = text.functions_of(
            "gemm", text.product_text(element_type, source is not None, activation, residual is not None)
        )
        names = {name: functions[name] for name in ("widen", "finish", "number")}
        count = 8 if element_type.itemsize == 2 else 4
        along_k = a[-1] == 1 or a[-2] != 1, b[-2] == 1 and b[-1] != 1
        fits = (
            products.fits(a, -1 if along_k[0] else -2, k if along_k[0] else m, count),
            products.fits(b, -2 if along_k[1] else -1, k if along_k[1] else n, count),
            element_type is not dtypes.bool and products.fits(out, -1, n),
        )
        steps = [
            (tuple(each[:-2]), each[-2], each[-1])
            for each in (out, a, b, out if source is None else source, out if residual is None else residual)
        ]
        counts, repeats = tuple(batch), math.prod(batch)

        @functools.cache
        def chosen(wide: tuple[bool, bool, bool], taken: str) -> tuple[Callable, tuple[int, int, int], int]:
            """The kernel, the grid, and how many threads a block has."""
            made = functions["finish"], functions["widen"]
            if taken and self.driver.capability == (9, 0) and element_type.itemsize == 2:
                kernel = warpgroups.of_type(taken, along_k, *made)
                tile, threads = warpgroups.TILE, warpgroups.THREADS
            elif taken:
                pieces = tensor_cores.LARGE
                kernel = tensor_cores.of_type(taken, along_k, True, pieces, *made)
                tile, threads = pieces.tile, pieces.threads
            else:
                size = products.choose(self.driver, m, n, repeats, all(wide[:2]), names["number"])
                kernel = products.of_operands(along_k, wide, size, **names)
                tile, threads = size.TILE, size.threads
            return kernel, (ceil_div(n, tile), ceil_div(m, tile), repeats), threads

        def launch(
            target: Buffer,
            x: Buffer,
            y: Buffer,
            added: Buffer | None = None,
            alpha: Any = 1,
            beta: Any = 0,
            last: Buffer | None = None,
        ) -> None:
            wide = (
                fits[0] and products.is_aligned(x),
                fits[1] and products.is_aligned(y),
                fits[2] and products.is_aligned(target),
            )
            taken = self._on_tensor_cores(element_type) if wide[0] and wide[1] else ""
            arguments: list[Any] = []
            for buffer, apart in zip((target, x, y, added or target, last or target), steps, strict=True):
                arguments += [*_raw(buffer), *apart]
            depth = 0 if alpha == 0 else k
            self._run(*chosen(wide, taken), m, n, depth, alpha, beta, counts, *arguments)

        return launch

    def _in_pieces(
        self,
        element_type: dtype,
        batch: Sequence[int],
        sizes: tuple[int, int, int],
        strides: Sequence[Sequence[int] | None],
        activation: Scalar | None,
    ) -> Launch:
        """Prepare a product of more matrices than a grid has blocks, as several products."""
        size, *others = batch
        most = max(MOST // math.prod(others), 1)
        out, a, b, source, residual = strides
        assert out is not None
        assert a is not None
        assert b is not None
        pieces = []
        for first in range(0, size, most):
            counts = min(most, size - first), *others
            launch = self.gemm(element_type, counts, sizes, out, a, b, source, activation, residual)
            pieces.append((first, launch))
        apart = out[0], a[0], b[0], source[0] if source else 0, residual[0] if residual else 0

        def launch_all(
            target: Buffer,
            x: Buffer,
            y: Buffer,
            added: Buffer | None = None,
            alpha: Any = 1,
            beta: Any = 0,
            last: Buffer | None = None,
        ) -> None:
            for first, launch in pieces:
                to, left, right, third, fifth = (
                    buffer and (buffer[0], buffer[1] + first * step)
                    for buffer, step in zip((target, x, y, added, last), apart, strict=True)
                )
                launch(to, left, right, third, alpha, beta, fifth)

        return launch_all

    def _on_tensor_cores(self, element_type: dtype) -> str:
        """The type as which tensor cores multiply numbers of a type; empty where they do not."""
        if self.driver.capability < (8, 0):
            return ""
        if element_type in (dtypes.float16, dtypes.bfloat16):
            return element_type.name
        return "tf32" if element_type is dtypes.float32 and matmul.allow_tf32 else ""

    # --- where index tensors and masks say ------------------------------------------------------------------

    def indexed(
        self,
        action: str,
        shape: tuple[int, ...],
        target: tuple[int, ...],
        other: tuple[int, ...],
        indices: tuple[IndexLayout, ...],
    ) -> Callable[..., bool]:
        """See `tensorlab.backends.protocol.Core.indexed`."""
        return routes.indexed(self, action, shape, target, other, indices)

    def compact(
        self, action: str, shape: Sequence[int], mask: Sequence[int], other: Sequence[int] = ()
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.compact`."""
        total, threads = math.prod(shape), self.driver.threads
        operands = [mask, *([other] if other else [])]
        sizes, strides = (shape, operands) if action == "positions" else routes.merged(shape, *operands)
        walked, of_mask, of_others = (
            tuple(sizes or (1,)),
            tuple(strides[0] or (0,)),
            tuple(strides[-1] or (0,)),
        )
        length = ceil_div(ceil_div(total, self.driver.blocks), threads) * threads
        blocks, constants = ceil_div(total, length), {"ACTION": _ACTIONS[action], **routes.counting(total)}
        count_up, move = (
            products.specialised(kernel, **constants, number=np.int64)
            for kernel in (kernels.count_by_mask, kernels.choose_by_mask)
        )

        def launch(line: Buffer, at: Buffer, cells: Buffer | None, count: int) -> None:
            counts = self.allocate(blocks, np.dtype(np.int64))
            given = *_raw(at), of_mask
            self._run(count_up, blocks, threads, total, length, walked, counts.cells, *given)
            moved = *_raw(line), *given, *_raw(cells or at), of_others
            self._run(move, blocks, threads, total, length, count, walked, counts.cells, *moved)

        return launch

    # --- elements in order ----------------------------------------------------------------------------------

    def sort(
        self,
        element_type: dtype,
        rows: int,
        size: int,
        wanted: tuple[int, int],
        descending: bool,
        stable: bool = True,
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.sort`."""
        if rows == 0:
            return no_launch
        run = min(1 << (size - 1).bit_length(), 8 * self.driver.threads)
        functions = text.functions_of("sort", text.sort_text(element_type, descending, run))
        runs, threads = ceil_div(size, run), max(min(run // 2, self.driver.threads), 1)
        widths = [run << step for step in range((runs - 1).bit_length())]

        def launch(places: Buffer, source: Buffer) -> None:
            held = [(self.allocate(rows * size, np.dtype(np.int64)), 0) for _ in widths]
            targets = [*((each, (0, size)) for each in held), (places, wanted)]
            (to, ends), *others = targets
            kernel, merge = functions["sort"], functions["merge"]
            self._run(kernel, rows * runs, threads, size, runs, *ends, *_raw(to), *_raw(source))
            for width, order, (to, ends) in zip(widths, held, others, strict=True):
                operands = *_raw(to), order[0].cells, *_raw(source)
                self.each(merge, rows * size, rows * size, size, width, *ends, *operands)

        return launch

    # --- layers ---------------------------------------------------------------------------------------------

    def softmax(
        self, logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout
    ) -> Launch:
        """See `tensorlab.backends.layers.LayerOperations.softmax`."""
        if 0 in shape:
            return no_launch
        dim %= len(shape)
        kernel = rows.of_cells(rows.log_softmax if logarithm else rows.softmax, source.dtype, result)
        kept = [each for each in range(len(shape)) if each != dim]
        sizes, n, out_strides = _chosen(shape, kept), shape[dim], default_strides(shape)
        steps = [(_chosen(each, kept), each[dim]) for each in (out_strides, source.strides)]
        short = rows.kept_by(n, self.driver.threads)
        if short and not all(products.fits((*of_rows, step), -1, n) for of_rows, step in steps):
            short = None
        threads, constants = short or (0, {})
        of_kept = rows.of_cells(
            rows.softmax_kept, source.dtype, result, **constants, BEYOND=-math.inf, IS_LOGARITHM=logarithm
        )

        def launch(out: Buffer, item: Buffer) -> None:
            if short and products.is_aligned(out) and products.is_aligned(item):
                ends = *_raw(out), steps[0][0], *_raw(item), steps[1][0]
                self._run(of_kept, math.prod(sizes), threads, n, sizes, *ends)
                return
            operands = *_raw(out), *steps[0], *_raw(item), *steps[1]
            self._run(kernel, math.prod(sizes), self._threads_of(n), n, sizes, *operands)

        return launch

    def normalise(
        self,
        element_type: dtype,
        groups: NormalGroups,
        eps: float,
        training: bool = True,
        centers: bool = True,
    ) -> Launch:
        """See `tensorlab.backends.layers.LayerOperations.normalise`."""
        if groups.form != "rows":
            return super().normalise(element_type, groups, eps, training, centers)
        if groups.number * groups.length == 0:
            return no_launch
        kernel = rows.of_cells(rows.normalise, element_type, element_type, CENTERS=centers)
        n = groups.length
        short = rows.kept_by(n, self.driver.threads)
        threads, constants = short or (self._threads_of(n), {})
        of_kept = rows.of_cells(rows.normalise_kept, element_type, element_type, **constants, CENTERS=centers)

        def launch(
            out: Buffer,
            scales: Buffer,
            means: Buffer,
            variances: None,
            x: Buffer,
            weights: Buffer,
            biases: Buffer,
        ) -> None:
            cells = [part for each in (out, scales, means, x, weights, biases) for part in _raw(each)]
            is_kept = short and all(map(products.is_aligned, (out, x, weights, biases)))
            chosen, count = (of_kept, threads) if is_kept else (kernel, self._threads_of(n))
            self._run(chosen, groups.number, count, n, eps, *cells)

        return launch

    def attention(self, element_type: dtype, layout: AttentionLayout, scale: float) -> Launch:
        """See `tensorlab.backends.layers.LayerOperations.attention`."""
        count, number = math.prod(layout.batch), compute_type(element_type)
        sizes = attention.constants(layout.length, layout.width, number.itemsize, SHARED, self.driver.threads)
        if sizes is None or layout.length * layout.width == 0 or count > MOST:
            return super().attention(element_type, layout, scale)
        constants = {"MASK": layout.mask, "CAUSAL": layout.causal, **sizes}
        kernels_of = [
            rows.of_cells(attention.attention, element_type, element_type, **constants, WIDE=is_wide)
            for is_wide in (False, True)
        ]
        queries, threads = sizes["QUERIES"], sizes["THREADS"]
        for kernel in kernels_of:
            vars(kernel)["bounds"] = threads, 2
        fits = products.fits(layout.strides[1], -1, layout.length) and products.fits(
            layout.strides[2], -1, layout.width
        )
        if count * layout.queries == 0:
            return no_launch

        def launch(q: Buffer, k: Buffer, v: Buffer, mask: Buffer | None, out: Buffer, sums: Memory) -> None:
            arguments: list[Any] = []
            for buffer, strides in zip((q, k, v, mask or q, out), layout.strides, strict=False):
                arguments += [*_raw(buffer), tuple(strides[:-2]), strides[-2], strides[-1]]
            grid = ceil_div(layout.queries, queries), 1, count
            kernel = kernels_of[fits and products.is_aligned(k) and products.is_aligned(v)]
            ends = layout.queries, layout.keys, scale, tuple(layout.batch)
            self._run(kernel, grid, threads, *ends, *arguments, sums.cells)

        return launch

    def likelihood(
        self,
        element_type: dtype,
        sizes: tuple[int, int, int],
        strides: tuple[int, int, int],
        ignored: int,
        reduction: str,
    ) -> Callable[..., int]:
        """See `tensorlab.backends.layers.LayerOperations.likelihood`."""
        named = {"EACH": reduction == "none", "MEAN": reduction == "mean"}
        first, last = (
            rows.of_cells(kernel, element_type, element_type, **named)
            for kernel in (losses.likelihood, losses.likelihood_total)
        )
        count, number = sizes[0] * sizes[2], compute_type(element_type).cell
        blocks, threads = self._shared_among(max(count // ELEMENTS, 1))
        threads = self._threads_of(threads)
        meaning = f"Target {{}} is out of bounds: there are {sizes[1]} classes, 0 to {sizes[1] - 1}"

        def launch(out: Buffer, sums: Buffer, x: Buffer, target: Buffer, weight: Buffer) -> int:
            faults, (code,) = self.listen([meaning])
            parts = self.allocate(2 * blocks, number)
            ends = *_raw(out), *_raw(sums)
            given = *_raw(x), *_raw(target), *_raw(weight), faults
            numbers = count, *sizes[1:], *strides, ignored, code
            self._run(first, blocks, threads, *numbers, parts.cells, *ends, *given)
            if blocks > 1:
                self._run(last, 1, self._threads_of(blocks), blocks, parts.cells, *ends)
            return -1

        return launch

    def likelihood_gradient(
        self, element_type: dtype, sizes: tuple[int, int, int], ignored: int, each: bool, mean: bool
    ) -> Launch:
        """See `tensorlab.backends.layers.LayerOperations.likelihood_gradient`."""
        if 0 in sizes:
            return no_launch
        kernel = rows.of_cells(losses.likelihood_gradient, element_type, element_type, EACH=each, MEAN=mean)
        count, width = sizes[0], sizes[1] * sizes[2]

        def launch(*buffers: Buffer) -> None:
            cells = [part for each in buffers for part in _raw(each)]
            grid = min(count, 4 * self.driver.blocks)
            self._run(kernel, grid, min(width, self.driver.threads), *sizes, ignored, *cells)

        return launch

    def correlate(
        self, element_type: dtype, problem: Correlation, bias: Sequence[int] | None
    ) -> Callable[..., None]:
        """See `tensorlab.backends.windows.WindowOperations.correlate`."""
        return windows.correlate(self, element_type, problem, bias)

    def correlate_weights(self, element_type: dtype, problem: Correlation) -> Callable[..., None]:
        """See `tensorlab.backends.windows.WindowOperations.correlate_weights`."""
        return windows.correlate_weights(self, element_type, problem)

    def pool(
        self, element_type: dtype, problem: Pooling, greatest: bool, places: bool = True
    ) -> Callable[..., None]:
        """See `tensorlab.backends.windows.WindowOperations.pool`."""
        return windows.pool(self, element_type, problem, greatest, places)

    def pool_gradient(self, element_type: dtype, problem: Pooling, greatest: bool) -> Callable[..., None]:
        """See `tensorlab.backends.windows.WindowOperations.pool_gradient`."""
        return windows.pool_gradient(self, element_type, problem, greatest)

    def _threads_of(self, n: int) -> int:
        """The threads of a block that joins n numbers: a power of two, so that each has one to join with."""
        return 1 << (min(max(n, 1), self.driver.threads).bit_length() - 1)

    # --- random numbers -------------------------------------------------------------------------------------

    def random(
        self,
        distribution: str,
        shape: Sequence[int],
        out: OperandLayout,
        read: OperandLayout | None = None,
    ) -> RandomLaunch:
        """See `tensorlab.backends.protocol.Core.random`: numbers by their positions in a stream."""
        draw = drawing.prepare(self, distribution, shape, out, read)

        def launch(*given: Any) -> int | None:
            self._need_no_graph("random numbers, which would be the same in every replay,")
            return draw(*given)

        return launch


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
    """

    sizes: tuple[int, ...]
    span: tuple[int, ...]
    out_steps: tuple[int, ...]
    x_steps: tuple[int, ...]
    x_span: tuple[int, ...]
    in_columns: bool
    blocks: int
    threads: int

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
            _chosen(shape, kept), [_chosen(each.strides, kept) for each in (source, out)]
        )
        span, (x_span,) = coalesce(_chosen(shape, dims), [_chosen(source.strides, dims)], keep_order)
        results, n = math.prod(sizes), math.prod(span)
        in_columns = sizes[-1] >= 8 and abs(x_steps[-1]) < abs(x_span[-1]) and driver.threads >= WARP
        threads, blocks = 1 << (min(max(n, 1), driver.threads).bit_length() - 1), results
        if in_columns:
            threads, blocks = driver.threads, results // sizes[-1] * ceil_div(sizes[-1], WARP)
        return cls(sizes, span, out_steps, x_steps, x_span, in_columns, blocks, threads)


def _raw(buffer: Buffer) -> tuple[np.ndarray, int]:
    """A buffer as a kernel is given it."""
    memory, first = buffer
    return memory.cells, first


def _is_transposed(shape: Sequence[int], out: OperandLayout, source: OperandLayout) -> bool:
    """Whether rows are to be written of what has columns, and both are long enough to gain from it."""
    if len(shape) < 2 or min(shape[-2:]) < 8 or source.is_number or out.dtype is not source.dtype:
        return False
    if max(math.prod(shape[:-2]), ceil_div(shape[-2], kernels.TILE)) > MOST:
        return False
    return out.strides[-1] == 1 and source.strides[-2] == 1 and abs(source.strides[-1]) > 1


def _chosen(numbers: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    return tuple(numbers[dim] for dim in dims)
