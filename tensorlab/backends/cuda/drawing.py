"""Random numbers on the device ``"cuda"``: which kernel makes them, and from which place of the stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends import HOST
from tensorlab.backends.array import Array
from tensorlab.backends.cuda import random, rows
from tensorlab.backends.cuda.routes import counting, merged
from tensorlab.backends.operands import Buffer, OperandLayout
from tensorlab.backends.protocol import RandomLaunch, RandomState
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import default_strides

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["prepare"]

HALF = 1 << 32
NORMAL = ("normal", "log_normal")


def prepare(
    backend: Cuda,
    distribution: str,
    shape: Sequence[int],
    out: OperandLayout,
    read: OperandLayout | None = None,
) -> RandomLaunch:
    """See `tensorlab.backends.protocol.Core.random`."""
    if distribution == "bernoulli_each" and read is not None:
        return _by_chance(backend, shape, out, read)
    is_stated = not distribution.startswith("philox_")
    name = distribution.removeprefix("philox_")
    if name not in NORMAL and name not in random.DRAWS:
        return _on_host(backend, distribution, shape, out, read)
    count, place = math.prod(shape), _in_memory(shape, out)

    def launch(state: RandomState | None, to: Buffer, *numbers: Any) -> None:
        if is_stated:
            stream, wanted = 0, numbers
        else:
            (seed, stream, start), wanted = numbers, ((0.0, 1.0) if name != "words" else ())
        given, is_wide = _numbers(name, out.dtype, wanted)
        words = 2 if is_wide else 1
        if state is not None:
            seed, start = _taken(state, words * count)
        if not count:
            return
        first, skip = divmod(start * (1 if is_stated else words), 4)
        memory, cell = to
        kernel = _kernel(
            name, out.dtype, is_wide,
            IS_WIDE=skip == 0 and place[1] == (1,) and (memory.pointer + cell * out.dtype.itemsize) % 16 == 0,
            **counting(count),
        )  # fmt: skip
        blocks = -(-(words * count + skip) // 4)
        backend.each(
            kernel, blocks, count, skip // words, place[0], *_key(seed, stream), first, memory.cells, cell,
            place[1], *given,
        )  # fmt: skip

    return launch


def _by_chance(backend: Cuda, shape: Sequence[int], out: OperandLayout, read: OperandLayout) -> RandomLaunch:
    """Prepare draws of ones and zeros with a probability for each element."""
    count = math.prod(shape)
    kernel = rows.of_cells(random.each_by_chance, out.dtype, out.dtype, **counting(count))

    def launch(state: RandomState, to: Buffer, chances: Buffer) -> int:
        if not count:
            return 0
        given = Array(backend, chances, read.dtype, shape, read.strides).to(dtypes.float32)
        line = given.view((count,))
        if not all(0 <= line.fold(name, 0).item() <= 1 for name in ("amin", "amax")):
            return 1
        seed, start = _taken(state, count)
        dense = merged(shape, out.strides, given.strides)
        ends = to[0].cells, to[1], tuple(dense[1][0]), given.cells.cells, 0, tuple(dense[1][1])
        backend.each(kernel, count, count, tuple(dense[0]), *_key(seed, 0), start // 4, *ends)
        return 0

    return launch


def _on_host(
    backend: Cuda, distribution: str, shape: Sequence[int], out: OperandLayout, read: OperandLayout | None
) -> RandomLaunch:
    """Prepare to let the host draw what waits for the numbers before it."""
    sizes = shape if distribution != "categories" else (shape[0], shape[2])
    dense = OperandLayout(out.dtype, default_strides(sizes))
    draw = HOST.random(distribution, shape, dense, read)

    def launch(state: RandomState, to: Buffer, *given: Any) -> int | None:
        memory = HOST.allocate(math.prod(sizes), out.dtype.cell)
        if read is not None:
            (cells, first), *others = given
            given = ((np.array(backend.download(cells)), first), *others)
        refused = draw(state, (memory, 0), *given)
        made = Array(backend, (backend.upload(memory.data), 0), out.dtype, sizes)
        Array(backend, to, out.dtype, sizes, out.strides).put("copy", made)
        return refused

    return launch


def _kernel(name: str, result: dtype, is_wide: bool, **constants: Any) -> Callable:
    """The kernel of a distribution, for cells of a type."""
    real = np.float64 if result is dtypes.float64 else np.float32
    constants |= {"real": real, "WORDS": 2 if is_wide else 1}
    if name in NORMAL:
        constants["IS_LOGARITHM"] = name == "log_normal"
        if result is dtypes.float64:
            constants["pair_of"] = random.pair_of_doubles
        return rows.of_cells(random.normals, result, result, **constants)
    draw = random.wide_integers if name == "integers" and is_wide else random.DRAWS[name]
    return rows.of_cells(random.numbers, result, result, draw=draw, **constants)


def _numbers(name: str, result: dtype, numbers: Sequence[Any]) -> tuple[tuple[Any, Any, Any], bool]:
    """The numbers that a kernel is given, and whether each number is made of two words."""
    is_double = result is dtypes.float64 and name != "words"
    if name == "integers":
        base, span, wide = numbers
        return (base, np.uint64(span), 0), bool(wide)
    if name == "uniform":
        low, high = numbers
        return (float(low), float(high - low), float(high)), is_double
    if name == "bernoulli":
        (p,) = numbers
        return (math.ceil(p * (1 << 24)), 0, 0), False
    if name == "geometric":
        (p,) = numbers
        return (math.log1p(-p), 0.0, 0.0), is_double
    padded = [*map(float, numbers), 0.0, 0.0, 0.0]
    return (padded[0], padded[1], padded[2]), is_double


def _taken(state: RandomState, words: int) -> tuple[int, int]:
    """The seed, and the place of the next word that nobody has taken; whole blocks are taken."""
    seed, start = map(int, state.counted)
    state.counted[1] = start + -(-words // 4) * 4
    return seed, start


def _key(seed: int, stream: int) -> tuple[np.uint32, ...]:
    """The words of key and stream, lower halves first."""
    return tuple(np.uint32(part) for each in (seed, stream) for part in (each % HALF, each // HALF))


def _in_memory(shape: Sequence[int], out: OperandLayout) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and strides in the order in which elements lie in memory."""
    order = sorted(range(len(shape)), key=lambda dim: -out.strides[dim])
    sizes, (strides,) = merged([shape[dim] for dim in order], [out.strides[dim] for dim in order])
    return tuple(sizes), tuple(strides)
