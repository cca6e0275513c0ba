"""What `tensorlab bench gemm` compares: matrix products, beside NumPy, PyTorch and the processor's peak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import tensorlab as tl
from tensorlab.backends.cpu import machine, threads
from tensorlab.bench.measure import OURS, Case, Comparison
from tensorlab.bench.openblas import Child, Timed
from tensorlab.bench.peaks import copy_bandwidth, multiply_adds
from tensorlab.bench.products import PRODUCTS, Product, operands
from tensorlab.ops.linear import activated_linear

__all__ = ["TITLES", "cases", "roofline"]

# The candidates, and what the columns of the table are called. The time of the peak over ours is the share
# of the peak that is reached. Where an operand is transposed or sliced, `plain` is our own product of such
# numbers in rows: what the layout costs.
TITLES = {
    "peak": "of the peak",
    "plain": "plain operands ÷ ours",
    "numpy": "NumPy ÷ ours",
    "numpy_best": "NumPy, best kernels, ÷ ours",
    "torch": "PyTorch ÷ ours",
}

# OpenBLAS's name of its kernels for the longest vectors that there are.
_BEST_CORES = {64: "SkylakeX", 32: "Haswell"}


def cases(torch: Any, wanted: str = "") -> Iterator[Case]:
    """The products whose name has `wanted` in it, with the functions to compare."""
    with ExitStack() as stack:
        team = threads.get_num_threads()
        children = {"numpy": stack.enter_context(Child(team))}
        core = _BEST_CORES.get(machine.vectors().size)
        if core is not None:
            children["numpy_best"] = stack.enter_context(Child(team, core))
        for product in PRODUCTS:
            if wanted in product.name:
                yield product.name, _candidates(product, torch, children, team)


def _candidates(
    product: Product, torch: Any, children: Mapping[str, Child], team: int
) -> dict[str, Callable[[], object]]:
    a, b = operands(product)
    x, y = tl.from_numpy(a), tl.from_numpy(b)
    found: dict[str, Callable[[], object]] = {OURS: lambda: x @ y}
    if product.operations > 1e5:
        found["peak"] = multiply_adds(product.dtype, product.operations / team)
    if (product.a, product.b) != ("rows", "rows"):
        left, right = map(tl.from_numpy, operands(product._replace(a="rows", b="rows")))
        found["plain"] = lambda: left @ right
    if not product.end:
        found |= {name: Timed(child, product) for name, child in children.items()}
    if torch is not None:
        u, v = torch.from_numpy(a), torch.from_numpy(b)
        found["torch"] = lambda: u @ v
    if product.end:
        weight, bias = y.t(), tl.ones(product.n)
        found[OURS] = lambda: activated_linear(x, weight, bias, product.end)
        if torch is not None:
            their_bias, function = torch.ones(product.n), getattr(torch.nn.functional, product.end)
            found["torch"] = lambda: function(u @ v + their_bias)
    return found


def roofline(found: list[Comparison], team: int) -> dict[str, Any]:
    """Where each product stands below the two limits of the machine.

    Returns:
        the peaks (operations a second for each dtype, bytes a second), and for each product its operations
        for each byte that has to be moved, and the operations a second that were reached.
    """
    products = {product.name: product for product in PRODUCTS}
    peaks: dict[str, list[float]] = {}
    points = []
    for comparison in found:
        product = products.get(comparison.name)
        if product is None:
            continue
        if "peak" in comparison.seconds:
            reached = product.operations / comparison.seconds["peak"]
            peaks.setdefault(product.dtype, []).append(reached)
        points.append(
            {
                "name": comparison.name,
                "intensity": product.operations / product.bytes,
                "operations_per_second": product.operations / comparison.seconds[OURS],
            }
        )
    return {
        "threads": team,
        "peak_operations_per_second": {dtype: max(several) for dtype, several in peaks.items()},
        "copy_bytes_per_second_one_thread": copy_bandwidth(),
        "points": points,
    }
