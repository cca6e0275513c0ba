"""Random numbers by their positions: a thread makes four words of its counter, and numbers of them.

Which words they are, and which numbers are made of them, is said by `tensorlab.random.Philox`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends import HOST
from tensorlab.backends.array import Array
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.index import cell_of, counting, merged
from tensorlab.backends.cuda.intrinsics import store4
from tensorlab.backends.cuda.rows import narrow, widen
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer, OperandLayout
from tensorlab.backends.protocol import RandomLaunch, RandomState
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import default_strides

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["DRAWS", "each_by_chance", "normals", "numbers", "prepare_random"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# In which numbers is computed; how many words a number takes; whether four are written in one access.
real = np.float32
WORDS, IS_WIDE = 1, False
# Whether a normal number is the logarithm of the number that is wanted.
IS_LOGARITHM = False


def block_of(number, k0, k1, c2, c3):
    """The four words of a block of a stream: Philox 4x32-10."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    c0, c1 = np.uint32(np.uint64(number) & low), np.uint32(np.uint64(number) >> shift)
    for _ in range(10):
        first = np.uint64(0xD2511F53) * np.uint64(c0)
        second = np.uint64(0xCD9E8D57) * np.uint64(c2)
        c0 = np.uint32(np.uint32(second >> shift) ^ np.uint32(c1) ^ np.uint32(k0))
        c1 = np.uint32(second & low)
        c2 = np.uint32(np.uint32(first >> shift) ^ np.uint32(c3) ^ np.uint32(k1))
        c3 = np.uint32(first & low)
        k0 = np.uint32((np.uint64(k0) + np.uint64(0x9E3779B9)) & low)
        k1 = np.uint32((np.uint64(k1) + np.uint64(0xBB67AE85)) & low)
    return c0, c1, c2, c3


def uniform_of(first, second):
    """The uniform number of one word, or of two: with 24 bits, or with 53."""
    if WORDS == 1:
        return real(real(np.int32(first & np.uint32(0xFFFFFF))) * real(2.0**-24))
    high = np.int64(first & np.uint32(0x1FFFFF))
    return real(real((high << 32) | np.int64(second)) * real(2.0**-53))


def uniform(first, second, low, span, limit):
    """A number of [low, low + span). What would be rounded up to the excluded end becomes `low`."""
    value = real(uniform_of(first, second) * real(span) + real(low))
    return real(low) if real(widen(narrow(value))) >= real(limit) else value


def bernoulli(first, second, threshold, _, __):
    """1 where the lower 24 bits of a word are below a threshold, else 0."""
    return real(1 if np.int64(first & np.uint32(0xFFFFFF)) < threshold else 0)


def exponential(first, second, rate, _, __):
    """Waiting times of a mean of 1 / rate."""
    return real(-real(math.log1p(-uniform_of(first, second))) / real(rate))


def geometric(first, second, logarithm, _, __):
    """The number of trials up to the first success, by the logarithm of the probability of a failure."""
    trials = real(math.ceil(real(math.log1p(-uniform_of(first, second))) / real(logarithm)))
    return trials if trials > 1 else real(1)


def cauchy(first, second, median, sigma, _):
    """The tangent of a uniform angle."""
    angle = real(real(math.pi) * real(uniform_of(first, second) - real(0.5)))
    return real(real(sigma) * real(math.tan(angle)) + real(median))


def integers(first, second, base, span, _):
    """The numbers base + word % span."""
    return np.int64(np.int64(first % np.uint32(span)) + base)


def wide_integers(first, second, base, span, _):
    """The same of the 64 bits of two words, the upper half first; a span of 0 is one of 2^64."""
    word = (np.uint64(first) << np.uint64(32)) | np.uint64(second)
    if span != 0:
        word = np.uint64(word % np.uint64(span))
    return np.int64(np.int64(word) + base)


def words(first, second, _, __, ___):
    """A word itself."""
    return np.int64(first)


DRAWS = {
    "uniform": uniform,
    "bernoulli": bernoulli,
    "exponential": exponential,
    "geometric": geometric,
    "cauchy": cauchy,
    "integers": integers,
    "words": words,
}
draw = uniform


def pair_of(u, v):
    """Box and Muller's pair of normal numbers of two uniform ones, in float32.

    The angle is v turns. Less a whole number of quarters it lies in [-pi/4, pi/4], where sine and cosine are
    Moshier's polynomials.
    """
    radius = real(math.sqrt(real(real(-2) * real(math.log(real(real(1) - u))))))
    quarters = real(v * real(4))
    quarter = np.int32(quarters + real(0.5))
    x = real(real(quarters - real(quarter)) * real(math.pi / 2))
    square = real(x * x)
    c = real(real(2.443315711809948e-5) * square + real(-1.388731625493765e-3))
    c = real(c * square + real(4.166664568298827e-2))
    c = real(real(real(c * square) * square - real(0.5) * square) + real(1))
    s = real(real(-1.9515295891e-4) * square + real(8.3321608736e-3))
    s = real(s * square + real(-1.6666654611e-1))
    s = real(real(s * square) * x + x)
    sine, cosine = s, c
    if quarter & 1:
        sine, cosine = c, real(-s)
    if quarter & 2:
        sine, cosine = real(-sine), real(-cosine)
    return real(radius * cosine), real(radius * sine)


def pair_of_doubles(u, v):
    """The same in float64."""
    radius, angle = math.sqrt(-2.0 * math.log(1.0 - u)), 2.0 * math.pi * v
    return radius * math.cos(angle), radius * math.sin(angle)


def after(value, mean, std):
    """A number of this mean and deviation, or with such a logarithm."""
    value = real(value * real(std) + real(mean))
    return real(math.exp(value)) if IS_LOGARITHM else value


def numbers(count, skip, shape, k0, k1, c2, c3, first, out, out_first, out_strides, a, b, c):
    """Overwrite elements with numbers drawn one by one; before the first one so many are left out."""
    a_block = 4 // WORDS
    for block in range(cuda.grid(1), (skip + count + a_block - 1) // a_block, cuda.gridsize(1)):
        w0, w1, w2, w3 = block_of(first + block, k0, k1, c2, c3)
        i = block * a_block - skip
        if WORDS == 1:
            v0, v1 = narrow(draw(w0, w0, a, b, c)), narrow(draw(w1, w1, a, b, c))
            v2, v3 = narrow(draw(w2, w2, a, b, c)), narrow(draw(w3, w3, a, b, c))
            write(out, out_first, shape, out_strides, count, i, v0, v1, v2, v3)
        else:
            v0, v1 = narrow(draw(w0, w1, a, b, c)), narrow(draw(w2, w3, a, b, c))
            write_two(out, out_first, shape, out_strides, count, i, v0, v1)


def normals(count, skip, shape, k0, k1, c2, c3, first, out, out_first, out_strides, mean, std, _):
    """Overwrite elements with normal numbers, which are made in pairs."""
    a_block = 4 // WORDS
    for block in range(cuda.grid(1), (skip + count + a_block - 1) // a_block, cuda.gridsize(1)):
        w0, w1, w2, w3 = block_of(first + block, k0, k1, c2, c3)
        i = block * a_block - skip
        if WORDS == 1:
            v0, v1 = pair_of(uniform_of(w0, w0), uniform_of(w1, w1))
            v2, v3 = pair_of(uniform_of(w2, w2), uniform_of(w3, w3))
            write(
                out, out_first, shape, out_strides, count, i, narrow(after(v0, mean, std)),
                narrow(after(v1, mean, std)), narrow(after(v2, mean, std)), narrow(after(v3, mean, std)),
            )  # fmt: skip
        else:
            v0, v1 = pair_of(uniform_of(w0, w1), uniform_of(w2, w3))
            first_of, second_of = narrow(after(v0, mean, std)), narrow(after(v1, mean, std))
            write_two(out, out_first, shape, out_strides, count, i, first_of, second_of)


def write(out, out_first, shape, out_strides, count, i, v0, v1, v2, v3):
    """Write elements i to i + 3, as far as there are any."""
    if IS_WIDE and i + 4 <= count:
        store4(out, out_first + i, (v0, v1, v2, v3))
    else:
        write_two(out, out_first, shape, out_strides, count, i, v0, v1)
        write_two(out, out_first, shape, out_strides, count, i + 2, v2, v3)


def write_two(out, out_first, shape, out_strides, count, i, v0, v1):
    """Write elements i and i + 1, as far as there are any."""
    if i >= 0 and i < count:
        out[cell_of(i, shape, out_first, out_strides)] = v0
    if i + 1 >= 0 and i + 1 < count:
        out[cell_of(i + 1, shape, out_first, out_strides)] = v1


def each_by_chance(
    count, shape, k0, k1, c2, c3, first, out, out_first, out_strides, p, p_first, p_strides
):  # fmt: skip
    """1 where 24 bits are below the probability of the element, else 0."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        w = block_of(first + i // 4, k0, k1, c2, c3)
        word, of_block = w[0], i % 4
        if of_block == 1:
            word = w[1]
        elif of_block == 2:
            word = w[2]
        elif of_block == 3:
            word = w[3]
        chance = real(p[cell_of(i, shape, p_first, p_strides)])
        value = real(1) if uniform_of(word, word) < chance else real(0)
        out[cell_of(i, shape, out_first, out_strides)] = narrow(value)


# --- which kernel runs --------------------------------------------------------------------------------------

HALF = 1 << 32
NORMAL = ("normal", "log_normal")


def prepare_random(
    backend: Cuda,
    distribution: str,
    shape: Sequence[int],
    out: OperandLayout,
    read: OperandLayout | None = None,
) -> RandomLaunch:
    """See `tensorlab.backends.protocol.Core.random`: numbers by their positions in a stream."""
    draw = _drawn(backend, distribution, shape, out, read)

    def launch(*given: Any) -> int | None:
        backend.need_no_graph("random numbers, which would be the same in every replay,")
        return draw(*given)

    return launch


def _drawn(
    backend: Cuda, distribution: str, shape: Sequence[int], out: OperandLayout, read: OperandLayout | None
) -> RandomLaunch:
    if distribution == "bernoulli_each" and read is not None:
        return _by_chance(backend, shape, out, read)
    is_stated = not distribution.startswith("philox_")
    name = distribution.removeprefix("philox_")
    if name not in NORMAL and name not in DRAWS:
        return _on_host(backend, distribution, shape, out, read)
    count, place = math.prod(shape), _in_memory(shape, out)

    def launch(state: RandomState | None, to: Buffer, *asked: Any) -> None:
        if is_stated:
            stream, wanted = 0, asked
        else:
            (seed, stream, start), wanted = asked, ((0.0, 1.0) if name != "words" else ())
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
    kernel = of_cells(each_by_chance, out.dtype, out.dtype, **counting(count))

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
            constants["pair_of"] = pair_of_doubles
        return of_cells(normals, result, result, **constants)
    draw = wide_integers if name == "integers" and is_wide else DRAWS[name]
    return of_cells(numbers, result, result, draw=draw, **constants)


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
