"""The Mersenne Twister MT19937: the generator behind PyTorch's CPU numbers.

Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudorandom
number generator", ACM TOMACS 8 (1998). The state is 624 words of 32 bits. When all have been given out,
`twist` makes the next 624 of them, and each is *tempered* on its way out.

The functions here are the source text of kernels (see `tensorlab.backends.cpu.random.assemble`), and plain
Python as well. `words` points to 625 uint32: the state, and the position of the next word. Position 0 and
position 624 both say that the state must be twisted first. `raw` points to words that were given out.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.intrinsics import lesser

# Numbers made at a time: their words stay in the first-level cache. A multiple of 16.
BLOCK = 1024

# The generator's own: which bits of two neighbours are mixed, and with what; how a word is tempered.
HIGHEST, OTHERS, LAST = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(1)
MIXED, NOTHING = np.uint32(0x9908B0DF), np.uint32(0)
FIRST_SHIFT, SECOND_SHIFT, THIRD_SHIFT, FOURTH_SHIFT = map(np.uint32, (11, 7, 15, 18))
SECOND_MASK, THIRD_MASK = np.uint32(0x9D2C5680), np.uint32(0xEFC60000)

# A uniform float32 has the lower 24 bits of a word.
LOWER_24, STEP_24 = np.uint32(0xFFFFFF), np.float32(2.0**-24)

# What kernels take from here by name.
CONSTANTS = (
    "BLOCK, HIGHEST, OTHERS, LAST, MIXED, NOTHING, LOWER_24, STEP_24, "
    "FIRST_SHIFT, SECOND_SHIFT, THIRD_SHIFT, FOURTH_SHIFT, SECOND_MASK, THIRD_MASK"
)


def twist(words):
    """Replace the 624 words of the state by the next 624; their position is lost.

    Word i becomes word i + 397 mixed with the highest bit of word i and the rest of word i + 1, all modulo
    624. In each of three parts, what is read so far away is not written, so that vectors can be used. Behind
    the last word stands the first for a while.
    """
    for part in range(3):
        words[624] = words[0]
        far = -227 if part else 397
        for i in range(227 * part, lesser(227 * part + 227, 624)):
            mixed = (words[i] & HIGHEST) | (words[i + 1] & OTHERS)
            words[i] = words[i + far] ^ (mixed >> LAST) ^ (MIXED if mixed & LAST else NOTHING)


def temper(word):
    """A word of the state as it is given out."""
    word ^= word >> FIRST_SHIFT
    word ^= (word << SECOND_SHIFT) & SECOND_MASK
    word ^= (word << THIRD_SHIFT) & THIRD_MASK
    return np.uint32(word ^ (word >> FOURTH_SHIFT))


def draw(words, raw, count):
    """Give out the next `count` words of the stream to `raw`."""
    position, done = np.int64(words[624]), 0
    while done < count:
        if position == 0 or position == 624:
            twist(words)
            position = np.int64(0)
        some = lesser(624 - position, count - done)
        for i in range(some):
            word = words[position + i]
            raw[done + i] = temper(word)
        position += some
        done += some
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
    return np.float32(np.int32(raw[i] & LOWER_24)) * STEP_24


def double_of(raw, i):
    """Uniform number i of [0, 1) with 53 bits: those of words 2i and 2i + 1, the upper half first."""
    high, low = np.int64(raw[2 * i]), np.int64(raw[2 * i + 1])
    return (((high & 0x1FFFFF) << 32) | low) * 2.0**-53


def next_double(words):
    """The next number of [0, 1) with 53 bits."""
    high = np.int64(next_word(words))
    low = np.int64(next_word(words))
    return (((high & 0x1FFFFF) << 32) | low) * 2.0**-53


def remainder_of_one(raw, i, span):
    """Word i modulo `span`."""
    return np.int64(raw[i] % np.uint32(span))


def remainder_of_two(raw, i, span):
    """The number of 64 bits that words 2i and 2i + 1 make, the upper half first, modulo `span`; 0 is 2^64."""
    word = (np.uint64(raw[2 * i]) << np.uint64(32)) | np.uint64(raw[2 * i + 1])
    return np.int64(word % span if span else word)
