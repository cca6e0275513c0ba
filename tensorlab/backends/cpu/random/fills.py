"""Fills: each takes words from the engine, makes numbers of them, and stores them along a walk.

Like the engine these are source text for kernels; what stands in `tensorlab.backends.cpu.random.choices` is
replaced for each kernel. `words` is the engine's state. `spare` is a pair of float64: the second number of
the last pair of normal numbers, and 1 while it waits to be given out.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.backends.cpu.fma import fma
from tensorlab.backends.cpu.random.choices import (
    REAL,
    REST_DRAWN,
    WORDS,
    after,
    formula,
    load,
    next_uniform,
    pair_of,
    store,
    uniform_of,
)
from tensorlab.backends.cpu.random.engine import BLOCK, double_of, draw, next_double, single_of

__all__ = [
    "bernoulli_each",
    "categories",
    "doubles",
    "integers",
    "normals",
    "normals_by_16",
    "permutation",
    "poisson",
    "singles",
]


def elements(walk):
    """How many cells a walk visits."""
    count = np.int64(1)
    for dim in range(walk.shape[1]):
        count *= walk[0, dim]
    return count


def scatter(values, count, out, walk, index):
    """Store ``values[:count]`` in the next cells of a walk.

    Args:
        values: numbers; `store` makes cells of them.
        count: how many.
        out: the cells, from the first element on.
        walk: sizes, and below them the steps in cells, outermost dimension first.
        index: where the walk stands; it is moved on.
    """
    inner = walk.shape[1] - 1
    size, step = walk[0, inner], walk[1, inner]
    done = np.int64(0)
    while done < count:
        start = np.int64(0)
        for dim in range(inner + 1):
            start += index[dim] * walk[1, dim]
        run = min(count - done, size - index[inner])
        source = values[done : done + run]
        if step == 1:
            target = out[start : start + run]
            for i in range(run):
                target[i] = store(source[i])
        else:
            for i in range(run):
                out[start + i * step] = store(source[i])
        done += run
        index[inner] += run
        dim = inner
        while dim > 0 and index[dim] == walk[0, dim]:
            index[dim] = 0
            dim -= 1
            index[dim] += 1


def singles(words, out, walk, a, b, c):
    """A formula of uniform float32: 24 bits of one word each."""
    total = elements(walk)
    most = min(np.int64(BLOCK), total)
    raw, values = np.empty(most, np.uint32), np.empty(most, np.float32)
    index = np.zeros(walk.shape[1], np.int64)
    for start in range(0, total, BLOCK):
        count = min(np.int64(BLOCK), total - start)
        draw(words, raw[:count])
        for i in range(count):
            values[i] = formula(single_of(raw, i), a, b, c)
        scatter(values, count, out, walk, index)


def doubles(words, out, walk, a, b, c):
    """A formula of uniform float64: 53 bits of two words each."""
    total = elements(walk)
    most = min(np.int64(BLOCK), total)
    raw, values = np.empty(2 * most, np.uint32), np.empty(most, np.float64)
    index = np.zeros(walk.shape[1], np.int64)
    for start in range(0, total, BLOCK):
        count = min(np.int64(BLOCK), total - start)
        draw(words, raw[: 2 * count])
        for i in range(count):
            values[i] = formula(double_of(raw, i), a, b, c)
        scatter(values, count, out, walk, index)


def integers(words, out, walk, base, span, wide):
    """The numbers base + word % span, where a word has 32 bits, or 64 if `wide`; span 0 means 2^64."""
    total = elements(walk)
    most = min(np.int64(BLOCK), total)
    raw, values = np.empty(2 * most, np.uint32), np.empty(most, np.int64)
    index = np.zeros(walk.shape[1], np.int64)
    for start in range(0, total, BLOCK):
        count = min(np.int64(BLOCK), total - start)
        if wide:
            draw(words, raw[: 2 * count])
            for i in range(count):
                word = (np.uint64(raw[2 * i]) << np.uint64(32)) | np.uint64(raw[2 * i + 1])
                values[i] = np.int64(word % span if span else word) + base
        else:
            draw(words, raw[:count])
            for i in range(count):
                values[i] = np.int64(raw[i] % np.uint32(span)) + base
        scatter(values, count, out, walk, index)


def normals(words, spare, out, walk, mean, std):
    """Normal numbers two by two; the second of a last, odd pair waits in `spare` for the next call.

    `after` is applied to each: nothing, or the exponential function of a log-normal number.
    """
    total = elements(walk)
    most = min(np.int64(BLOCK), total) + 1
    raw, values = np.empty(2 * most, np.uint32), np.empty(most, np.float64)
    index = np.zeros(walk.shape[1], np.int64)
    for start in range(0, total, BLOCK):
        count = min(np.int64(BLOCK), total - start)
        ready = np.int64(0)
        if spare[1]:
            values[0] = spare[0]
            ready = np.int64(1)
        missing = (count - ready + 1) // 2
        draw(words, raw[: 4 * missing])
        made = values[ready : ready + 2 * missing]
        for i in range(missing):
            radius = math.sqrt(-2.0 * math.log1p(-double_of(raw, 2 * i + 1)))
            angle = 2.0 * math.pi * double_of(raw, 2 * i)
            made[2 * i] = radius * math.cos(angle)
            made[2 * i + 1] = radius * math.sin(angle)
        spare[1] = 0.0
        if ready + 2 * missing > count:
            spare[0], spare[1] = values[count], 1.0
        for i in range(count):
            values[i] = after(fma(values[i], std, mean))
        scatter(values, count, out, walk, index)


def normals_by_16(words, out, mean, std):
    """Normal numbers for a run of at least 16 cells, sixteen at a time.

    A rest of fewer than 16 is made together with the numbers before it, from 16 words of its own: the last
    16 cells are written twice. Where REST_DRAWN says so, the rest has taken its words before, in vain.
    """
    total = np.int64(out.size)
    drawn = total if REST_DRAWN else total - total % 16
    raw = np.empty(WORDS * BLOCK, np.uint32)
    values = np.empty(BLOCK, REAL)
    for start in range(0, drawn, BLOCK):
        count = min(np.int64(BLOCK), drawn - start)
        draw(words, raw[: WORDS * count])
        for i in range(count):
            values[i] = uniform_of(raw, i)
        for first in range(0, count - 15, 16):
            sixteen(values[first : first + 16], mean, std)
        whole = count - count % 16
        target = out[start : start + whole]
        for i in range(whole):
            target[i] = store(values[i])
    if total % 16:
        draw(words, raw[: WORDS * 16])
        for i in range(16):
            values[i] = uniform_of(raw, i)
        sixteen(values[:16], mean, std)
        target = out[total - 16 :]
        for i in range(16):
            target[i] = store(values[i])


def sixteen(values, mean, std):
    """Turn 16 uniform numbers into 16 normal ones, in place: numbers i and i + 8 make a pair."""
    for i in range(8):
        first, second = pair_of(values[i], values[i + 8])
        values[i], values[i + 8] = fma(first, std, mean), fma(second, std, mean)


def bernoulli_each(words, out, walk, p):
    """1 where a uniform number is below the probability of its own element, else 0.

    Probabilities of float64 are compared with 53 bits, all others with 24. Below its sizes `walk` has the
    steps of `out`, and below these the steps of `p`.

    Returns:
        0; or 1 when a probability is none, and then nothing was drawn.
    """
    index = np.zeros(walk.shape[1], np.int64)
    for _ in range(elements(walk)):
        probability = load(p[cell_of(index, walk, 2)])
        if not 0 <= probability <= 1:
            return 1
        advance(index, walk)
    index[:] = 0
    for _ in range(elements(walk)):
        probability = load(p[cell_of(index, walk, 2)])
        out[cell_of(index, walk, 1)] = store(1.0 if next_uniform(words) < probability else 0.0)
        advance(index, walk)
    return 0


def poisson(words, out, walk, rates):
    """How many events happen in the time in which a rate expects so many.

    `walk` and result as in `bernoulli_each`.
    """
    index = np.zeros(walk.shape[1], np.int64)
    for _ in range(elements(walk)):
        if not load(rates[cell_of(index, walk, 2)]) >= 0:
            return 1
        advance(index, walk)
    index[:] = 0
    for _ in range(elements(walk)):
        rate = np.float64(load(rates[cell_of(index, walk, 2)]))
        out[cell_of(index, walk, 1)] = store(np.float64(poisson_number(words, rate)))
        advance(index, walk)
    return 0


def cell_of(index, walk, operand):
    """The cell of an operand that an index means."""
    cell = np.int64(0)
    for dim in range(walk.shape[1]):
        cell += index[dim] * walk[operand, dim]
    return cell


def advance(index, walk):
    """Move an index to the walk's next element."""
    dim = walk.shape[1] - 1
    index[dim] += 1
    while dim > 0 and index[dim] == walk[0, dim]:
        index[dim] = 0
        dim -= 1
        index[dim] += 1


def poisson_number(words, rate):
    """One Poisson number.

    Below a rate of 10: uniform numbers are multiplied until the product falls below exp(-rate). From 10 on:
    Hörmann's transformed rejection, "The transformed rejection method for generating Poisson random
    variables", Insurance: Mathematics and Economics 12 (1993), algorithm PTRS.
    """
    if rate == 0.0:
        return np.int64(0)
    if rate < 10.0:
        floor = math.exp(-rate)
        count, product = np.int64(0), 1.0
        while True:
            product *= next_double(words)
            if product <= floor:
                return count
            count += 1
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    log_rate, log_inverse_alpha = math.log(rate), math.log(1.1239 + 1.1328 / (b - 3.4))
    while True:
        u = next_double(words) - 0.5
        v = next_double(words)
        distance = 0.5 - abs(u)
        k = math.floor((2.0 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= squeeze:
            return np.int64(k)
        if k < 0 or (distance < 0.013 and v > distance):
            continue
        accepted = math.log(v) + log_inverse_alpha - math.log(a / (distance * distance) + b)
        if accepted <= -rate + k * log_rate - math.lgamma(k + 1.0):
            return np.int64(k)


def permutation(words, out, step):
    """The numbers 0, 1, … in an order drawn by Fisher and Yates: each place swaps with a later one.

    Args:
        words: the engine's state.
        out: cells; element i lies in cell i * step.
        step: the stride.
    """
    count = (np.int64(out.size) + step - 1) // step
    for i in range(count):
        out[i * step] = store(i)
    # Up to a twentieth of 2^32 the remainder of 32 bits is close enough to uniform.
    wide = count >= 214748364
    raw = np.empty(2 * min(np.int64(BLOCK), count), np.uint32)
    for start in range(0, count - 1, BLOCK):
        some = min(np.int64(BLOCK), count - 1 - start)
        draw(words, raw[: 2 * some if wide else some])
        for i in range(some):
            place = np.uint64(start + i)
            left = np.uint64(count) - place
            if wide:
                word = (np.uint64(raw[2 * i]) << np.uint64(32)) | np.uint64(raw[2 * i + 1])
                other = (place + word % left) * np.uint64(step)
            else:
                other = (place + np.uint64(raw[i] % np.uint32(left))) * np.uint64(step)
            place *= np.uint64(step)
            kept = out[place]
            out[place] = out[other]
            out[other] = kept


def categories(words, out, p, walk, cumulative):
    """For each row of weights, the categories of as many draws with replacement as `out` has columns.

    Args:
        words: the engine's state.
        out: int64 cells, one row of draws after the other.
        p: the cells of the weights.
        walk: rows and columns of the weights; below them their steps; below these, draws a row and 0.
        cumulative: room for one row of sums.

    Returns:
        0; or why a row is refused, before anything is drawn: 1 negative or NaN, 2 infinite, 3 all zero.
    """
    rows, columns, draws = walk[0, 0], walk[0, 1], walk[2, 0]
    for row in range(rows):
        total = REAL(0)
        for column in range(columns):
            weight = load(p[row * walk[1, 0] + column * walk[1, 1]])
            if not weight >= 0:
                return 1
            if not math.isfinite(weight):
                return 2
            total += weight
        if not total > 0:
            return 3
    for row in range(rows):
        total = REAL(0)
        for column in range(columns):
            total += load(p[row * walk[1, 0] + column * walk[1, 1]])
            cumulative[column] = total
        for column in range(columns):
            cumulative[column] /= total
        cumulative[columns - 1] = 1
        for position in range(draws):
            u = next_double(words)
            first, last = np.int64(0), columns
            while first < last:
                middle = first + (last - first) // 2
                if cumulative[middle] < u:
                    first = middle + 1
                else:
                    last = middle
            out[row * draws + position] = first
    return 0
