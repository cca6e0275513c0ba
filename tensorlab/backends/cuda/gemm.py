"""The product of matrices: which kernel runs, on how many threads, and what it does with its cells."""

from __future__ import annotations

import functools
import json
import math
import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends.cuda import columns, matmul, tensor_cores, warpgroups
from tensorlab.backends.cuda.columns import Columns
from tensorlab.backends.cuda.driver import Driver
from tensorlab.backends.cuda.figures import CAPABILITIES, recorded
from tensorlab.backends.cuda.kernel_text import (
    conversions,
    functions_of,
    load,
    module_text,
    numpy_name,
    store,
)
from tensorlab.backends.cuda.operands import MOST, fits, is_aligned, parts
from tensorlab.backends.cuda.products import LARGEST, MIDDLE, SMALLEST, Sizes, of_operands
from tensorlab.backends.cuda.simulator import WARP
from tensorlab.backends.operands import Buffer, Launch, no_launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type, formula_text

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["choose", "prepare_gemm", "product_text"]


def product_text(element_type: dtype, is_added: bool, activation: Scalar | None, has_residual: bool) -> str:
    """What `tensorlab.backends.cuda.products.product` does with its cells: ``widen(cell)`` and ``finish(…)``.

    Products of truths are those of whole numbers.
    """
    compute = dtypes.int32 if element_type is dtypes.bool else dtypes.by_name(numpy_name(element_type))
    inner = compute_type(activation.formula, compute) if activation else compute
    kind, texts = numpy_name(compute), conversions(element_type)
    lines = [
        "def widen(cell):",
        f"    return {load('cell', element_type, kind)}",
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
    lines.append(f"    return {store(value, element_type, compute.is_floating_point)}")
    return module_text(numpy_name(inner), texts, lines)


# What was measured on cards, a file each.
CARDS = Path(__file__).with_name("cards")


def choose(driver: Driver, m: int, n: int, count: int, wide: bool, kind: Any) -> Sizes:
    """How much a block computes of so many m × n products: what is done first.

    Each processor of the card has its share of blocks. How long it takes for one was measured on cards that
    `measured` knows; of others the machine code says how many instructions a warp issues for a step (see
    `tensorlab.backends.cuda.figures`).
    """
    if driver.capability == (0, 0):
        return SMALLEST
    if not wide or np.dtype(kind).itemsize > 4:
        return MIDDLE
    of_card = "sm_{}{}".format(*max(known for known in CAPABILITIES if known <= driver.capability))
    processors = max(driver.blocks // 8, 1)
    speeds = measured(driver.name)

    def time(size: Sizes) -> float:
        blocks = -(-count * -(-m // size.TILE) * -(-n // size.TILE) // processors)
        name = f"product {size.TILE}x{size.KEPT}"
        if name in speeds:
            return blocks * size.TILE**2 / speeds[name]
        issued = recorded()[name.replace("product", "product nn")][of_card]["loop_all"]
        return blocks * issued / size.STEP * size.threads / WARP

    return min(LARGEST, MIDDLE, key=time)


@functools.cache
def measured(card: str) -> dict[str, float]:
    """How fast kernels multiply on a card, as ``tensorlab bench --gpu`` found; nothing of an unknown card."""
    file = CARDS / f"{card.lower().replace(' ', '_')}.json"
    if not file.exists():
        return {}
    rows = json.loads(file.read_text()).get("products", [])
    return {row["name"]: row["tflop_per_s"] for row in rows if "error" not in row}


def prepare_gemm(
    backend: Cuda,
    element_type: dtype,
    batch: Sequence[int],
    sizes: tuple[int, int, int],
    out: Sequence[int],
    a: Sequence[int],
    b: Sequence[int] | Columns,
    source: Sequence[int] | None = None,
    activation: Scalar | None = None,
    residual: Sequence[int] | None = None,
    result: dtype | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.gemm`.

    Here `b` may be the columns of a convolution, and sums of sixteen-bit floats may be wanted as they are: as
    a `result` of float32, if nothing is added to it.
    """
    m, n, k = sizes
    if 0 in (*batch, m, n):
        return no_launch
    is_added, has_residual = source is not None, residual is not None
    functions = functions_of("gemm", product_text(element_type, is_added, activation, has_residual))
    names = {name: functions[name] for name in ("widen", "finish", "number")}
    if result is not None:
        names["finish"] = functions_of("gemm", product_text(result, False, None, False))["finish"]
    count, is_found = 8 if element_type.itemsize == 2 else 4, isinstance(b, Columns)
    b_along_k = b.along_k if isinstance(b, Columns) else b[-2] == 1 and b[-1] != 1
    along_k = a[-1] == 1 or a[-2] != 1, b_along_k
    can_be_wide = (
        fits(a, -1 if along_k[0] else -2, k if along_k[0] else m, count),
        isinstance(b, Columns) or fits(b, -2 if b_along_k else -1, k if b_along_k else n, count),
        element_type is not dtypes.bool and fits(out, -1, n),
    )
    others = [out if each is None else each for each in (source, residual)]
    batches = [each.batch if isinstance(each, Columns) else tuple(each[:-2]) for each in (out, a, b, *others)]
    pieces = list(parts(tuple(batch), batches, MOST))

    @functools.cache
    def chosen(
        wide: tuple[bool, ...], taken: str, matrices: int
    ) -> tuple[Callable, tuple[int, int, int], int, Sequence[Any]]:
        """The kernel, the grid, how many threads a block has, and the kernel's steps of `b`."""
        made = names["finish"], names["widen"]
        if taken and backend.driver.capability == (9, 0) and element_type.itemsize == 2 and not is_found:
            kernel = warpgroups.of_type(taken, along_k, *made)
            tile, threads, step = warpgroups.TILE, warpgroups.THREADS, warpgroups.STEP
        elif taken:
            functions = columns.on_tensor_cores(element_type) if is_found else {}
            kernel = tensor_cores.of_type(taken, along_k, True, tensor_cores.LARGE, *made, **functions)
            tile, threads = tensor_cores.LARGE.tile, tensor_cores.LARGE.threads
            step = 64 // element_type.itemsize
        else:
            size = choose(backend.driver, m, n, matrices, all(wide[:2]), names["number"])
            functions = columns.FUNCTIONS if is_found else {}
            kernel = of_operands(along_k, wide, size, **names, **functions)
            tile, threads, step = size.TILE, size.threads, size.STEP
        grid = ceil_div(n, tile), ceil_div(m, tile), matrices
        return kernel, grid, threads, b.arguments(step) if isinstance(b, Columns) else b[-2:]

    def launch(
        target: Buffer,
        x: Buffer,
        y: Buffer,
        added: Buffer | None = None,
        alpha: Any = 1,
        beta: Any = 0,
        last: Buffer | None = None,
    ) -> None:
        aligned = is_aligned(x), is_found or is_aligned(y), is_aligned(target)
        wide = tuple(map(operator.and_, can_be_wide, aligned))
        taken = _on_tensor_cores(backend.driver, element_type) if wide[0] and wide[1] else ""
        buffers = target, x, y, added or target, last or target
        depth = 0 if alpha == 0 else k
        for matrices, firsts in pieces:
            kernel, grid, threads, b_steps = chosen(wide, taken, math.prod(matrices))
            ends = out[-2:], a[-2:], b_steps, *(each[-2:] for each in others)
            arguments: list[Any] = []
            for (memory, first), further, steps, end in zip(buffers, firsts, batches, ends, strict=True):
                arguments += [memory.cells, first + further, steps, *end]
            backend.run(kernel, grid, threads, m, n, depth, alpha, beta, matrices, *arguments)

    return launch


def _on_tensor_cores(driver: Driver, element_type: dtype) -> str:
    """The type as which tensor cores multiply numbers of a type; empty where they do not."""
    if driver.capability < (8, 0):
        return ""
    if element_type in (dtypes.float16, dtypes.bfloat16):
        return element_type.name
    return "tf32" if element_type is dtypes.float32 and matmul.allow_tf32 else ""
