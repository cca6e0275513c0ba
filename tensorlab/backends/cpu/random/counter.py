"""Philox 4x32-10: random words from a counter and a key, without any state.

Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Four 32-bit words of
counter go through ten rounds of multiplication and exclusive or with a key of two words. Each block of four
words stands by itself, so that threads share the work without a word to one another.

Source text for kernels, like the engine; `tensorlab.random.Philox` says which number is made of which words.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.random.engine import BLOCK
from tensorlab.backends.cpu.random.fills import REAL, WORDS, pair_of, uniform_of


def philox_block(c0, c1, c2, c3, k0, k1):
    """The four words of one counter under one key."""
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        first = np.uint64(0xD2511F53) * np.uint64(c0)
        second = np.uint64(0xCD9E8D57) * np.uint64(c2)
        c0 = np.uint32(np.uint32(second >> np.uint64(32)) ^ np.uint32(c1) ^ np.uint32(k0))
        c1 = np.uint32(second & low)
        c2 = np.uint32(np.uint32(first >> np.uint64(32)) ^ np.uint32(c3) ^ np.uint32(k1))
        c3 = np.uint32(first & low)
        k0 = np.uint32((np.uint64(k0) + np.uint64(0x9E3779B9)) & low)
        k1 = np.uint32((np.uint64(k1) + np.uint64(0xBB67AE85)) & low)
    return c0, c1, c2, c3


def philox_words(seed, stream, first, raw):
    """Fill `raw`, a whole number of blocks, with the words of a stream from block `first` on."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    k0, k1 = np.uint32(seed & low), np.uint32(seed >> shift)
    c2, c3 = np.uint32(stream & low), np.uint32(stream >> shift)
    for block in range(raw.size // 4):
        counter = np.uint64(first) + np.uint64(block)
        c0, c1 = np.uint32(counter & low), np.uint32(counter >> shift)
        raw[4 * block], raw[4 * block + 1], raw[4 * block + 2], raw[4 * block + 3] = philox_block(
            c0, c1, c2, c3, k0, k1
        )


def words(seed, stream, start, run):
    """Words start, start + 1, … themselves."""
    first, skip = start // 4, start % 4
    raw = np.empty((skip + run.size + 3) // 4 * 4, np.uint32)
    philox_words(seed, stream, first, raw)
    for i in range(run.size):
        run[i] = raw[skip + i]


def uniform(seed, stream, start, run):
    """Uniform numbers start, start + 1, …: each of WORDS words."""
    first, skip = start * WORDS // 4, start * WORDS % 4
    raw = np.empty((skip + WORDS * run.size + 3) // 4 * 4, np.uint32)
    philox_words(seed, stream, first, raw)
    mine = raw[skip:]
    for i in range(run.size):
        run[i] = uniform_of(mine, i)


def normal(seed, stream, start, run):
    """Normal numbers start, start + 1, …: numbers 2i and 2i + 1 of the two uniform numbers 2i and 2i + 1."""
    odd = start % 2
    values = np.empty((odd + run.size + 1) // 2 * 2, REAL)
    uniform(seed, stream, start - odd, values)
    for i in range(values.size // 2):
        values[2 * i], values[2 * i + 1] = pair_of(values[2 * i], values[2 * i + 1])
    for i in range(run.size):
        run[i] = values[odd + i]


make = uniform


def fill(first, last, seed, stream, start, out):
    """Blocks `first` … `last` - 1 of numbers start, start + 1, … of a stream.

    `make` is `words`, `uniform` or `normal`: another one for each kernel.
    """
    for block in range(first, last):
        begin = block * BLOCK
        make(seed, stream, start + begin, out[begin : min(begin + BLOCK, out.size)])
