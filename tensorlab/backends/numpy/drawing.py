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

from tensorlab.backends.numpy.cells import HALVES, converted, elements, store
from tensorlab.backends.numpy.compute import quiet
from tensorlab.backends.operands import OperandLayout
from tensorlab.backends.protocol import RandomLaunch, RandomState
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import is_contiguous

__all__ = ["random"]

LOW, SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


class _Stream:
    """The words of a stream, from where its state stands."""

    def __init__(self, state: RandomState) -> None:
        self.state, self.engine = state, np.random.MT19937()
        words = state.words
        key: Any = {"key": words[:624].copy(), "pos": int(words[624]) or 624}
        self.engine.state = {"bit_generator": "MT19937", "state": key}

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
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
        return (self.pairs(count) & np.uint64((1 << 53) - 1)) * 2.0**-53

    def singles(self, count: int) -> np.ndarray:
        """Uniform float32 of [0, 1) with 24 bits."""
        return ((self.words(count) & np.uint64(0xFFFFFF)) * 2.0**-24).astype(np.float32)


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
        steps = dict(zip(("out", "read"), (out, read), strict=True))
        order = _walk(shape, out.strides)
        sizes = [shape[dim] for dim in order]
        if read is not None:
            of = elements(given[0], shape, read.strides).transpose(order).reshape(-1)
            given = (converted(of, read.dtype), steps["read"])
        with _Stream(state) as stream:
            drawn = _DRAWN[distribution](stream, count, out, is_contiguous(shape, out.strides), *given)
        if drawn is None:
            return 1
        turned = out._replace(strides=tuple(out.strides[dim] for dim in order))
        store(target, turned, sizes, np.asarray(drawn).reshape(sizes))
        return 0

    return quiet(launch)


def _walk(shape: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The dimensions as PyTorch's loops go through them: the smallest stride innermost."""
    dims = sorted(range(len(shape) - 1, -1, -1), key=lambda dim: (strides[dim], shape[dim]))
    return dims[::-1]


def _uniform(stream: _Stream, count: int, out: OperandLayout, _: bool, low: float, high: float) -> np.ndarray:
    double = out.dtype is dtypes.float64
    real = np.float64 if double else np.float32
    u = (stream.doubles if double else stream.singles)(count)
    # One product and sum, rounded once; what is rounded up to the excluded end becomes `low`.
    made = (u.astype(np.float64) * np.float64(real(high) - real(low)) + np.float64(real(low))).astype(real)
    stored = np.empty(count, out.dtype.cell)
    store((stored, 0), OperandLayout(out.dtype, (1,)), (count,), made)
    end = np.empty(1, out.dtype.cell)
    store((end, 0), OperandLayout(out.dtype, (1,)), (1,), np.array([real(high)]))
    outside = (stored == end) & (low != high) if out.dtype in HALVES else made >= real(high)
    return np.where(outside, real(low), made)


def _normal(
    stream: _Stream, count: int, out: OperandLayout, dense: bool, mean: float, std: float
) -> np.ndarray:
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
    first, second = u.astype(np.float64).reshape(-1, 2, 8).transpose(1, 0, 2)
    radius, angle = np.sqrt(-2 * np.log(1 - first)), 2 * np.pi * second
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)


def _pairs(stream: _Stream, count: int, mean: float, std: float) -> np.ndarray:
    """Normal numbers two by two; the second of a last, odd pair waits for the next call."""
    spare = stream.state.spare
    waiting = [spare[0]] if spare[1] else []
    pairs = (count - len(waiting) + 1) // 2
    u = stream.doubles(2 * pairs).reshape(-1, 2).T if pairs else np.empty((2, 0))
    radius, angle = np.sqrt(-2 * np.log1p(-u[1])), 2 * np.pi * u[0]
    made = np.append(waiting, np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1))
    left = made.size > count
    spare[:] = made[-1] if left else 0, left
    return made[:count] * std + mean


def _integers(
    stream: _Stream, count: int, out: OperandLayout, _: bool, base: int, span: int, wide: bool
) -> np.ndarray:
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
    return [_poisson_number(stream, rate) for rate in rates.tolist()]


def _poisson_number(stream: _Stream, rate: float) -> int:
    """Products of uniform numbers for a rate below 10; else Hörmann's transformed rejection (PTRS, 1993)."""
    if rate == 0:
        return 0
    if rate < 10:
        count, product = -1, 1.0
        while count < 0 or product > math.exp(-rate):
            product *= stream.doubles(1)[0]
            count += 1
        return count
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    while True:
        u, v = stream.doubles(2).tolist()
        distance = 0.5 - abs(u - 0.5)
        k = math.floor((2 * a / distance + b) * (u - 0.5) + rate + 0.43)
        if distance >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (distance < 0.013 and v > distance):
            continue
        accepted = (
            math.log(v) + math.log(1.1239 + 1.1328 / (b - 3.4)) - math.log(a / (distance * distance) + b)
        )
        if accepted <= -rate + k * math.log(rate) - math.lgamma(k + 1.0):
            return k


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
    with _Stream(state) as stream:
        found = [np.searchsorted(row, stream.doubles(draws)) for row in sums]
    elements(to, (rows, draws), (draws, 1))[...] = found
    return 0


def _of_doubles(formula: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def drawn(stream: _Stream, count: int, _: OperandLayout, __: bool, *numbers: float) -> np.ndarray:
        return formula(stream.doubles(count), *map(float, numbers))

    return drawn


def _tangent(u: np.ndarray, median: float, sigma: float) -> np.ndarray:
    # The ends of [0, 1), where it is infinite, are cut off.
    u = np.clip(u, 2.220446049250313e-16, 0.9999999999999998)
    return sigma * np.tan(np.pi * (u - 0.5)) + median


_DRAWN: dict[str, Callable[..., Any]] = {
    "bernoulli": _of_doubles(lambda u, p: u < p),
    "bernoulli_each": _bernoulli_each,
    "cauchy": _of_doubles(_tangent),
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
    radius, angle = np.sqrt(-2 * np.log(1 - u)), 2 * np.pi * v
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)[odd : odd + count]


def _philox_uniform(seed: int, stream: int, start: int, count: int, element_type: dtype) -> np.ndarray:
    if element_type is dtypes.float64:
        words = _philox_words(seed, stream, 2 * start, 2 * count)
        return ((words[::2] << SHIFT | words[1::2]) & np.uint64((1 << 53) - 1)) * 2.0**-53
    return (_philox_words(seed, stream, start, count) & np.uint64(0xFFFFFF)) * 2.0**-24


def _philox_words(seed: int, stream: int, start: int, count: int) -> np.ndarray:
    """Words start, start + 1, … of a stream: four for each counter, by ten rounds."""
    first, skip = start // 4, start % 4
    counter = np.uint64(first) + np.arange((skip + count + 3) // 4, dtype=np.uint64)
    c0, c1 = counter & LOW, counter >> SHIFT
    c2, c3 = (np.full_like(counter, part) for part in (stream & 0xFFFFFFFF, stream >> 32))
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        one, two = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1 = (two >> SHIFT) ^ c1 ^ np.uint64(k0), two & LOW
        c2, c3 = (one >> SHIFT) ^ c3 ^ np.uint64(k1), one & LOW
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], 1).reshape(-1)[skip : skip + count]
