"""Fills: each takes words from the engine, makes numbers of them, and stores them one after the other.

Like the engine these are source text for kernels. What depends on dtypes and distributions stands first, as
it is for uniform numbers of float32: `tensorlab.backends.cpu.random.assemble` gives these names another
meaning in each kernel. `words` is the engine's state, `out` the cells to fill. `spare` is a pair of float64:
the second number of the last pair of normal numbers, and 1 while it waits to be given out.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.backends.cpu.intrinsics import fma, lesser, on_stack
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.random.engine import (
    BLOCK,
    double_of,
    draw,
    remainder_of_one,
    single_of,
)
from tensorlab.backends.cpu.random.formulas import box_muller_float32, uniform
from tensorlab.backends.poisson import poisson_number

__all__ = [
    "REAL",
    "WORDS",
    "bernoulli_each",
    "categories",
    "integers",
    "normals",
    "normals_by_16",
    "numbers",
    "pair_of",
    "permutation",
    "poisson",
    "uniform_of",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

REAL = np.float32  # the type to compute in
REST_DRAWN = True  # whether normal numbers draw words for a rest that is made anew
WORDS = 1  # how many words a uniform number takes, or an integer
ROOM = WORDS * BLOCK  # how many words are drawn at a time

formula = uniform  # from a uniform number to the distribution
pair_of = box_muller_float32  # from two uniform numbers to two normal ones
remainder_of = remainder_of_one  # from words to an integer below a bound
uniform_of = single_of  # from words to a uniform number


def after(value):
    """What becomes of a normal number."""
    return value


def load(cell):
    """The number that a cell of the input holds."""
    return cell


def store(value):
    """The cell of the output that holds a number."""
    return np.float32(value)


def numbers(words, out, a, b, c):
    """A formula of uniform numbers."""
    done, engine, raw = 0, at(words, 0), at(on_stack(words, ROOM), 0)
    while done < out.size:
        count = lesser(BLOCK, out.size - done)
        draw(engine, raw, WORDS * count)
        cells = at(out, done)
        for i in range(count):
            number = uniform_of(raw, i)
            value = formula(number, a, b, c)
            cells[i] = store(value)
        done += count


def integers(words, out, base, span):
    """The numbers base + word % span."""
    done, engine, raw = 0, at(words, 0), at(on_stack(words, ROOM), 0)
    while done < out.size:
        count = lesser(BLOCK, out.size - done)
        draw(engine, raw, WORDS * count)
        cells = at(out, done)
        for i in range(count):
            number = remainder_of(raw, i, span)
            value = number + base
            cells[i] = store(value)
        done += count


def normals(words, spare, out, mean, std):
    """Normal numbers two by two; the second of a last, odd pair waits in `spare` for the next call.

    `after` is applied to each: nothing, or the exponential function of a log-normal number.
    """
    engine, raw, cells = at(words, 0), at(on_stack(words, ROOM), 0), at(out, 0)
    second, waits = spare[0], spare[1] != 0
    pair, pairs = 0, 0
    for i in range(out.size):
        number = second
        if not waits:
            if pair == pairs:
                pair, pairs = 0, lesser(BLOCK >> 1, (out.size - i + 1) >> 1)
                draw(engine, raw, 4 * pairs)
            first = double_of(raw, 2 * pair)
            other = double_of(raw, 2 * pair + 1)
            radius, angle = math.sqrt(-2.0 * math.log1p(-other)), 2.0 * math.pi * first
            number, second = radius * math.cos(angle), radius * math.sin(angle)
            pair += 1
        waits = not waits
        number = fma(number, std, mean)
        value = after(number)
        cells[i] = store(value)
    spare[0], spare[1] = second, waits


def normals_by_16(words, out, mean, std):
    """Normal numbers for a run of at least 16 cells, sixteen at a time: numbers i and i + 8 make a pair.

    A rest of fewer than 16 is made together with the numbers before it, from 16 words of its own: the last
    16 cells are written twice. Where REST_DRAWN says so, the rest has taken its words before, in vain.
    """
    engine, raw = at(words, 0), at(on_stack(words, ROOM), 0)
    rest = out.size & 15
    drawn = out.size if REST_DRAWN else out.size - rest
    done = 0
    while done < drawn or rest:
        count = lesser(BLOCK, drawn - done)
        if count == 0:
            done, count, rest = out.size - 16, 16, 0
        draw(engine, raw, WORDS * count)
        for group in range(count >> 4):
            source, cells = advance(raw, WORDS * 16 * group), at(out, done + 16 * group)
            for i in range(8):
                u = uniform_of(source, i)
                v = uniform_of(source, i + 8)
                first, second = pair_of(u, v)
                first, second = fma(first, std, mean), fma(second, std, mean)
                cells[i] = store(first)
                cells[i + 8] = store(second)
        done += count


def bernoulli_each(words, out, p):
    """1 where a uniform number is below the probability of its own element, else 0.

    Probabilities of float64 are compared with 53 bits, all others with 24.

    Returns:
        0; or 1 when a probability is none, and then nothing was drawn.
    """
    done, engine, raw = 0, at(words, 0), at(on_stack(words, ROOM), 0)
    for i in range(out.size):
        probability = load(p[i])
        if not 0 <= probability <= 1:
            return 1
    while done < out.size:
        count = lesser(BLOCK, out.size - done)
        draw(engine, raw, WORDS * count)
        for i in range(count):
            number = uniform_of(raw, i)
            probability = load(p[done + i])
            value = 1.0 if number < probability else 0.0
            out[done + i] = store(value)
        done += count
    return 0


def poisson(words, out, rates):
    """How many events happen in the time in which a rate expects so many.

    The result is as in `bernoulli_each`.
    """
    engine = at(words, 0)
    for i in range(out.size):
        rate = load(rates[i])
        if not rate >= 0:
            return 1
    for i in range(out.size):
        rate = load(rates[i])
        value = np.float64(poisson_number(engine, np.float64(rate)))
        out[i] = store(value)
    return 0


def permutation(words, out, step):
    """The numbers 0, 1, … in an order drawn by Fisher and Yates: each place swaps with a later one.

    Args:
        words: the engine's state.
        out: cells; element i lies in cell i * step.
        step: the stride.
    """
    engine, raw = at(words, 0), at(on_stack(words, ROOM), 0)
    count = (out.size + step - 1) // step
    cells = at(out, 0)
    for i in range(count):
        cells[i * step] = store(i)
    done = 0
    while done < count - 1:
        some = lesser(BLOCK, count - 1 - done)
        draw(engine, raw, WORDS * some)
        for i in range(some):
            place = done + i
            left = np.uint64(count - place)
            other = remainder_of(raw, i, left)
            place, other = place * step, (place + other) * step
            kept = cells[place]
            cells[place] = cells[other]
            cells[other] = kept
        done += some


def categories(words, out, p, columns, row_step, step, draws, cumulative):
    """For each row of weights, the categories of so many draws with replacement.

    Args:
        words: the engine's state.
        out: int64 cells, one row of draws after the other.
        p: the cells of the weights.
        columns: how many weights a row has.
        row_step, step: from row to row, and from weight to weight.
        draws: how many to a row.
        cumulative: room for one row of sums.

    Returns:
        0; or why a row is refused, before anything is drawn: 1 negative or NaN, 2 infinite, 3 all zero.
    """
    engine, raw, sums = at(words, 0), at(on_stack(words, ROOM), 0), at(cumulative, 0)
    rows = out.size // draws
    for row in range(rows):
        weights, total = at(p, row * row_step), REAL(0)
        for column in range(columns):
            weight = load(weights[column * step])
            if not weight >= 0:
                return 1
            if weight == math.inf:
                return 2
            total += weight
        if not total > 0:
            return 3
    for row in range(rows):
        weights, total = at(p, row * row_step), REAL(0)
        for column in range(columns):
            weight = load(weights[column * step])
            total += weight
            sums[column] = total
        for column in range(columns):
            sums[column] /= total
        sums[columns - 1] = 1
        for position in range(draws):
            if position % BLOCK == 0:
                draw(engine, raw, 2 * lesser(BLOCK, draws - position))
            u = double_of(raw, position % BLOCK)
            first, last = 0, columns
            while first < last:
                middle = (first + last) >> 1
                if sums[middle] < u:
                    first = middle + 1
                else:
                    last = middle
            out[row * draws + position] = first
    return 0
