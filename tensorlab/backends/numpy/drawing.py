"""Random numbers, from the same words in the same order as PyTorch's.

NumPy has the Mersenne Twister too. Its state is set to where the stream stands, and put back afterwards.
Functions of float32 are computed in float64 and rounded: normal numbers differ from PyTorch's in last bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.numpy.compute import HALVES, converted, elements, quiet, store
from tensorlab.backends.operands import OperandLayout
from tensorlab.backends.poisson import poisson_number
from tensorlab.backends.protocol import RandomLaunch, RandomState
from tensorlab.core import dtypes
from tensorlab.core.cells import from_float32
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import is_contiguous
from tensorlab.core.philox import philox_block

LOW, SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


class _Stream:
    """The words of a stream, from where its state stands."""

    def __init__(self, state: RandomState) -> None:
        self.state, self.engine = state, np.random.MT19937()
        words = state.words
        key: Any = {"key": words[:624].copy(), "pos": int(words[624]) or 624}
        self.engine.state = {"bit_generator": "MT19937", "state": key}

    def put_back(self) -> None:
        """Move the state on to where the stream stands now."""
        found: Any = self.engine.state["state"]
        self.state.words[:624], self.state.words[624] = found["key"], found["pos"]

    def words(self, count: int) -> np.ndarray:
        """The next words, of 32 bits each, as uint64."""
        return np.atleast_1d(self.engine.random_raw(count)).astype(np.uint64)

    def pairs(self, count: int) -> np.ndarray:
        """The next numbers of 64 bits, the upper half first."""
        words = self.words(2 * count)
        return words[::2] << SHIFT | words[1::2]

    def doubles(self, count: int) -> np.ndarray:
        """Uniform numbers of [0, 1) with 53 bits."""
        return _fractions(self.pairs(count), 53)

    def singles(self, count: int) -> np.ndarray:
        """Uniform float32 of [0, 1) with 24 bits."""
        return _fractions(self.words(count), 24).astype(np.float32)


def _fractions(words: np.ndarray, digits: int) -> np.ndarray:
    """Numbers of [0, 1) of the lower bits of words."""
    return (words & np.uint64((1 << digits) - 1)) * 2.0**-digits


def _normals(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Box and Muller's pairs of normal numbers: first those of the cosine, then those of the sine."""
    radius, angle = np.sqrt(-2 * np.log1p(-u)), 2 * np.pi * v
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


def random(
    distribution: str, shape: Sequence[int], out: OperandLayout, read: OperandLayout | None = None
) -> RandomLaunch:
    """See `tensorlab.backends.protocol.Core.random`."""
    count = math.prod(shape)
    if distribution == "categories":
        assert read is not None
        return functools.partial(_categories, tuple(shape), read)
    if distribution.startswith("philox"):
        return lambda _, target, *place: store(target, out, shape, _philox(distribution, out, count, *place))

    def launch(state: RandomState, target: Any, *given: Any) -> int:
        if count == 0:
            return 0
        # The dimensions as PyTorch's loops go through them: the smallest stride innermost.
        order = sorted(range(len(shape)), key=lambda dim: (out.strides[dim], shape[dim]), reverse=True)
        sizes = [shape[dim] for dim in order]
        if read is not None:
            of = elements(given[0], shape, read.strides).transpose(order).reshape(-1)
            given = converted(of, read.dtype), read
        stream = _Stream(state)
        drawn = _DRAWN[distribution](stream, count, out, is_contiguous(shape, out.strides), *given)
        stream.put_back()
        if drawn is None:
            return 1
        turned = out._replace(strides=tuple(out.strides[dim] for dim in order))
        store(target, turned, sizes, np.asarray(drawn).reshape(sizes))
        return 0

    return quiet(launch)


def _uniform(stream: _Stream, count: int, out: OperandLayout, _: bool, low: float, high: float) -> np.ndarray:
    double = out.dtype is dtypes.float64
    real = np.float64 if double else np.float32
    u = (stream.doubles if double else stream.singles)(count)
    # One product and sum, rounded once; what is rounded up to the excluded end becomes `low`.
    made = (u.astype(np.float64) * np.float64(real(high) - real(low)) + np.float64(real(low))).astype(real)
    both = np.append(made, real(high))
    if out.dtype in HALVES:
        both = converted(from_float32(both, out.dtype), out.dtype)
    return np.where(both[:-1] >= both[-1], real(low), made)


def _normal(stream: _Stream, count: int, out: OperandLayout, dense: bool, mean: float, std: float) -> Any:
    if count < 16 or not dense:
        return _pairs(stream, count, mean, std)
    real = np.float64 if out.dtype is dtypes.float64 else np.float32
    uniform = stream.doubles if real is np.float64 else stream.singles
    rest = count % 16
    drawn = uniform(count if out.dtype.itemsize > 2 else count - rest)
    made = np.empty(count)
    made[: count - rest] = _by_16(drawn[: count - rest])
    if rest:  # made together with the numbers before it, from 16 words of its own
        made[-16:] = _by_16(uniform(16))
    return made * float(real(std)) + float(real(mean))


def _by_16(u: np.ndarray) -> np.ndarray:
    """Normal numbers sixteen at a time: numbers i and i + 8 make a pair."""
    return _normals(*u.astype(np.float64).reshape(-1, 2, 8).transpose(1, 0, 2)).reshape(-1)


def _pairs(stream: _Stream, count: int, mean: float, std: float) -> np.ndarray:
    """Normal numbers two by two; the second of a last, odd pair waits for the next call."""
    spare = stream.state.spare
    waiting = [spare[0]] if spare[1] else []
    pairs = (count - len(waiting) + 1) // 2
    u = stream.doubles(2 * pairs).reshape(-1, 2).T if pairs else np.empty((2, 0))
    made = np.append(waiting, _normals(u[1], u[0]))
    left = made.size > count
    spare[:] = made[-1] if left else 0, left
    return made[:count] * std + mean


def _integers(stream: _Stream, count: int, _: Any, __: bool, base: int, span: int, wide: bool) -> np.ndarray:
    words = stream.pairs(count) if wide else stream.words(count)
    return (words % np.uint64(span) if span else words).astype(np.int64) + base


def _permutation(stream: _Stream, count: int, *_: Any) -> np.ndarray:
    made = np.arange(count)
    left = np.arange(count, 1, -1).astype(np.uint64)
    words = stream.pairs if count >= 214748364 else stream.words
    others = (words(count - 1) % left).astype(np.int64) if count > 1 else left
    for place, other in enumerate(others.tolist()):
        made[[place, place + other]] = made[[place + other, place]]
    return made


def _bernoulli_each(
    stream: _Stream, count: int, out: OperandLayout, _: bool, p: np.ndarray, read: OperandLayout
) -> np.ndarray | None:
    if not ((p >= 0) & (p <= 1)).all():
        return None
    double = dtypes.float64 in (out.dtype, read.dtype)
    return (stream.doubles if double else stream.singles)(count) < p


def _poisson(stream: _Stream, count: int, out: OperandLayout, _: bool, rates: np.ndarray, *__: Any) -> Any:
    if not (rates >= 0).all():
        return None
    number: Any = poisson_number
    return [number(stream, rate) for rate in rates.tolist()]


def _categories(shape: tuple[int, ...], read: OperandLayout, state: RandomState, to: Any, source: Any) -> int:
    """For each row of weights, the categories of so many draws with replacement."""
    rows, columns, draws = shape
    if 0 in shape:
        return 0
    weights = converted(elements(source, (rows, columns), read.strides), read.dtype)
    for reason, refused in enumerate((~(weights >= 0), weights == np.inf, ~(weights.sum(1) > 0)), 1):
        if refused.any():
            return reason
    sums = np.cumsum(weights, axis=1)
    sums /= sums[:, -1:]
    sums[:, -1] = 1
    stream = _Stream(state)
    elements(to, (rows, draws), (draws, 1))[...] = [
        np.searchsorted(row, stream.doubles(draws)) for row in sums
    ]
    stream.put_back()
    return 0


def _of_doubles(formula: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda stream, count, _, __, *numbers: formula(stream.doubles(count), *map(float, numbers))


_DRAWN: dict[str, Callable[..., Any]] = {
    "bernoulli": _of_doubles(lambda u, p: u < p),
    "bernoulli_each": _bernoulli_each,
    # The ends of [0, 1), where the tangent is infinite, are cut off.
    "cauchy": _of_doubles(lambda u, m, s: s * np.tan(np.pi * (np.clip(u, 2.0**-52, 1 - 2.0**-52) - 0.5)) + m),
    "exponential": _of_doubles(lambda u, rate: -1 / rate * np.log1p(-u)),
    "geometric": _of_doubles(lambda u, p: np.ceil(np.log(u) / np.log1p(-p))),
    "integers": _integers,
    "log_normal": lambda stream, count, out, dense, *given: np.exp(_pairs(stream, count, *given)),
    "normal": _normal,
    "permutation": _permutation,
    "poisson": _poisson,
    "uniform": _uniform,
}


def _philox(kind: str, out: OperandLayout, count: int, seed: int, stream: int, start: int) -> np.ndarray:
    """Numbers start, start + 1, … of a stream."""
    if kind == "philox_words":
        return _philox_words(seed, stream, start, count)
    if kind == "philox_uniform":
        return _philox_uniform(seed, stream, start, count, out.dtype)
    odd = start % 2
    u, v = _philox_uniform(seed, stream, start - odd, (odd + count + 1) // 2 * 2, out.dtype).reshape(-1, 2).T
    return _normals(u, v).reshape(-1)[odd : odd + count]


def _philox_uniform(seed: int, stream: int, start: int, count: int, element_type: dtype) -> np.ndarray:
    if element_type is dtypes.float64:
        words = _philox_words(seed, stream, 2 * start, 2 * count)
        return _fractions(words[::2] << SHIFT | words[1::2], 53)
    return _fractions(_philox_words(seed, stream, start, count), 24)


def _philox_words(seed: int, stream: int, start: int, count: int) -> np.ndarray:
    """Words start, start + 1, … of a stream: four for each counter, by ten rounds."""
    first, skip = divmod(start, 4)
    block = np.uint64(first) + np.arange((skip + count + 3) // 4, dtype=np.uint64)
    of_stream = (np.full_like(block, part) for part in (stream & 0xFFFFFFFF, stream >> 32))
    counter: Any = (block & LOW, block >> SHIFT, *of_stream)
    return np.stack(philox_block(counter, (seed & 0xFFFFFFFF, seed >> 32)), 1).reshape(-1)[
        skip : skip + count
    ]
