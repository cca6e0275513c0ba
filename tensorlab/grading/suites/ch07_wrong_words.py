"""Chapter 7, words of a stream: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import random

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def block_of(seed, block):
    """The four words of a block."""
    return tl.random.philox_block((block % 2**32, block // 2**32, 0, 0), (seed % 2**32, seed // 2**32))


@solutions.wrong(
    "07.stream_words",
    belief="A generator has a state: seed it, draw until start, and then draw the words.",
    lesson="These words come from another generator, and to get far away it would have to draw everything "
    "before. Compute block start // 4 from its number.",
)
def draws_from_a_state(seed, start, count):
    state = random.Random(seed)
    state.getrandbits(32 * (start % 1000) + 1)
    return [state.getrandbits(32) for _ in range(count)]


@solutions.wrong(
    "07.stream_words",
    belief="Every call begins a new stream, so it begins with its first block.",
    lesson="Then all pieces are the same piece. Word start lies in block start // 4.",
)
def begins_with_block_0(seed, start, count):
    words = []
    for block in range((count + 3) // 4):
        words += block_of(seed, block)
    return words[:count]


@solutions.wrong(
    "07.stream_words",
    belief="start is the number of the block.",
    lesson="start counts words, and a block holds four of them: word start lies in block start // 4.",
)
def starts_with_block_start(seed, start, count):
    words = []
    for block in range(start, start + (count + 3) // 4):
        words += block_of(seed, block)
    return words[:count]


@solutions.wrong(
    "07.stream_words",
    belief="A piece begins where a block begins.",
    lesson="start may lie inside a block. Of its first block start % 4 words belong to the piece before.",
)
def begins_where_a_block_begins(seed, start, count):
    words = []
    for block in range(start // 4, start // 4 + (count + 3) // 4):
        words += block_of(seed, block)
    return words[:count]


@solutions.wrong(
    "07.stream_words",
    belief="count words need (count + 3) // 4 blocks.",
    lesson="Five words that begin with the last word of a block lie in two blocks, or in three with a few "
    "more. Count the blocks up to the last word, (start + count + 3) // 4.",
)
def makes_too_few_blocks(seed, start, count):
    words = []
    for block in range(start // 4, start // 4 + (count + 3) // 4):
        words += block_of(seed, block)
    return words[start % 4 :][:count]


@solutions.wrong(
    "07.stream_words",
    belief="count // 4 blocks hold count words.",
    lesson="5 // 4 is 1, and a fifth word needs a second block. Round up, then cut off what is too much.",
)
def rounds_the_blocks_down(seed, start, count):
    words = []
    for block in range(start // 4, (start + count) // 4):
        words += block_of(seed, block)
    return words[start % 4 :][:count]


@solutions.wrong(
    "07.stream_words",
    belief="int(start / 4) is the number of the block.",
    lesson="/ makes a float, which has 53 digits, and far away the number of a block has more. // stays with "
    "ints.",
)
def divides_as_floats(seed, start, count):
    return [block_of(seed, int(word / 4))[word % 4] for word in range(start, start + count)]


@solutions.wrong(
    "07.stream_words",
    belief="Whole blocks come back; whoever asked for fewer words leaves the rest.",
    lesson="The answer has count words. The rest belongs to the next piece.",
)
def returns_whole_blocks(seed, start, count):
    words = []
    for block in range(start // 4, (start + count + 3) // 4):
        words += block_of(seed, block)
    return words[start % 4 :]


@solutions.wrong(
    "07.stream_words",
    belief="Each word has a counter of its own: word i is the first word of block i.",
    lesson="That throws three of four words away, and is another stream. Word i is lane i % 4 of block i "
    "// 4.",
)
def takes_one_word_of_each_block(seed, start, count):
    return [block_of(seed, position)[0] for position in range(start, start + count)]


@solutions.wrong(
    "07.stream_words",
    belief="The seed is one number of the key, and fits.",
    lesson="A word of the key has 32 bits. The upper bits of a seed go into the second word.",
)
def drops_the_upper_half_of_the_seed(seed, start, count):
    positions = range(start, start + count)
    return [block_of(seed % 2**32, position // 4)[position % 4] for position in positions]


@solutions.wrong(
    "07.stream_words",
    belief="Numbers are written with the upper half first.",
    lesson="Here the lower 32 bits come first, in the key and in the counter.",
)
def writes_the_upper_half_of_the_seed_first(seed, start, count):
    key, words = (seed // 2**32, seed % 2**32), []
    if key[0] == 0:
        key = key[::-1]
    for position in range(start, start + count):
        block, lane = divmod(position, 4)
        words.append(tl.random.philox_block((block % 2**32, block // 2**32, 0, 0), key)[lane])
    return words


@solutions.wrong(
    "07.stream_words",
    belief="The counter counts blocks in its first word; after 2 to the 32 it begins again.",
    lesson="Then the stream repeats. The upper bits of the block's number go into the second word of the "
    "counter.",
)
def begins_again_after_one_word(seed, start, count):
    positions = range(start, start + count)
    return [block_of(seed, position // 4 % 2**32)[position % 4] for position in positions]


@solutions.wrong(
    "07.stream_words",
    belief="The words of a block come out in any order, so the last one may come first.",
    lesson="The order is part of the stream: word 4b + i is word i of block b.",
)
def turns_the_words_around(seed, start, count):
    positions = range(start, start + count)
    return [block_of(seed, position // 4)[3 - position % 4] for position in positions]
