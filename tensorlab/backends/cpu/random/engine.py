"""The Mersenne Twister MT19937: the generator behind PyTorch's CPU numbers.

Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudorandom
number generator", ACM TOMACS 8 (1998). The state is 624 words of 32 bits. When all have been given out,
`twist` makes the next 624 of them, and each is *tempered* on its way out.

The functions here are the source text of kernels (see `tensorlab.backends.cpu.random.assemble`), and plain
Python as well. `words` is an array of 625 uint32: the state, and the position of the next word. Position 0
and position 624 both say that the state must be twisted first.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "BLOCK",
    "double_of",
    "draw",
    "next_double",
    "next_single",
    "next_word",
    "seed",
    "single_of",
    "temper",
    "twist",
]

# Numbers made at a time: their words and values stay in the first-level cache. A multiple of 16.
BLOCK = 1024


def seed(words, value):
    """Begin the stream of one 32-bit seed."""
    words[0] = np.uint32(value)
    for i in range(1, 624):
        before = words[i - 1] ^ (words[i - 1] >> np.uint32(30))
        words[i] = np.uint32(np.uint64(1812433253) * np.uint64(before) + np.uint64(i))
    words[624] = np.uint32(0)


def twist(words):
    """Replace the 624 words of the state by the next 624.

    Word i becomes word i + 397 mixed with the highest bit of word i and the rest of word i + 1, all modulo
    624. Three loops stand for the one with the modulo, so that the compiler sees how far apart a loop reads
    and writes, and uses vectors.
    """
    for i in range(227):
        mixed = (words[i] & np.uint32(0x80000000)) | (words[i + 1] & np.uint32(0x7FFFFFFF))
        odd = np.uint32(0x9908B0DF) if mixed & np.uint32(1) else np.uint32(0)
        words[i] = words[i + 397] ^ (mixed >> np.uint32(1)) ^ odd
    for i in range(227, 623):
        mixed = (words[i] & np.uint32(0x80000000)) | (words[i + 1] & np.uint32(0x7FFFFFFF))
        odd = np.uint32(0x9908B0DF) if mixed & np.uint32(1) else np.uint32(0)
        words[i] = words[i - 227] ^ (mixed >> np.uint32(1)) ^ odd
    mixed = (words[623] & np.uint32(0x80000000)) | (words[0] & np.uint32(0x7FFFFFFF))
    odd = np.uint32(0x9908B0DF) if mixed & np.uint32(1) else np.uint32(0)
    words[623] = words[396] ^ (mixed >> np.uint32(1)) ^ odd


def temper(word):
    """A word of the state as it is given out."""
    word ^= word >> np.uint32(11)
    word ^= (word << np.uint32(7)) & np.uint32(0x9D2C5680)
    word ^= (word << np.uint32(15)) & np.uint32(0xEFC60000)
    word ^= word >> np.uint32(18)
    return np.uint32(word)


def draw(words, raw):
    """Fill `raw` with the next words of the stream."""
    position = np.int64(words[624])
    done = np.int64(0)
    while done < raw.size:
        if position == 0 or position == 624:
            twist(words)
            position = np.int64(0)
        count = min(np.int64(624) - position, raw.size - done)
        source = words[position : position + count]
        target = raw[done : done + count]
        for i in range(count):
            target[i] = temper(source[i])
        position += count
        done += count
    words[624] = np.uint32(position)


def next_word(words):
    """The next 32 bits."""
    position = np.int64(words[624])
    if position == 0 or position == 624:
        twist(words)
        position = np.int64(0)
    words[624] = np.uint32(position + 1)
    return temper(words[position])


def single_of(raw, i):
    """Uniform number i of [0, 1) with 24 bits: the lower bits of word i."""
    return np.float32(np.float32(np.int32(raw[i] & np.uint32(0xFFFFFF))) * np.float32(2.0**-24))


def double_of(raw, i):
    """Uniform number i of [0, 1) with 53 bits: those of words 2i and 2i + 1, the upper half first."""
    high, low = np.int64(raw[2 * i]), np.int64(raw[2 * i + 1])
    return np.float64(((high & np.int64(0x1FFFFF)) << np.int64(32)) | low) * 2.0**-53


def next_single(words):
    """The next number of [0, 1) with 24 bits."""
    return np.float32(np.float32(np.int32(next_word(words) & np.uint32(0xFFFFFF))) * np.float32(2.0**-24))


def next_double(words):
    """The next number of [0, 1) with 53 bits."""
    high = np.int64(next_word(words))
    low = np.int64(next_word(words))
    return np.float64(((high & np.int64(0x1FFFFF)) << np.int64(32)) | low) * 2.0**-53
