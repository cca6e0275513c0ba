"""Counter-based random words in plain integers: what the kernels of `Philox` are tested against.

Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

__all__ = ["philox_block", "stream_words"]

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57  # the paper's choice, as are the steps of the key
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
WORD = 2**32
LANES = 4  # words in one block


def philox_block(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """The four words of one counter under one key, each from 0 to 2^32 - 1, as are those of both arguments.

    Example:
        >>> [hex(word) for word in philox_block((0, 0, 0, 0), (0, 0))]
        ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    a, b, c, d = counter
    k, m = key
    for _ in range(ROUNDS):
        p, q = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b = q // WORD ^ b ^ k, q % WORD
        c, d = p // WORD ^ d ^ m, p % WORD
        k, m = (k + KEY_STEPS[0]) % WORD, (m + KEY_STEPS[1]) % WORD
    return a, b, c, d


def stream_words(seed: int, start: int, count: int) -> list[int]:
    """Words start … start + count - 1 of stream 0 of a seed: ``Philox(seed).words(count, start)`` as a list.

    Block b of the stream holds words 4b … 4b + 3. It is `philox_block` of the counter b under the key `seed`,
    both with their lower 32 bits first.

    Args:
        seed: from 0 to 2^64 - 1.
        start: 0 or more.
        count: 0 or more.

    Example:
        >>> [hex(word) for word in stream_words(0, 2, 3)]
        ['0xbc57ac4c', '0x9b00dbd8', '0xf8e4cca4']
    """
    key = seed % WORD, seed // WORD
    first, skip = divmod(start, LANES)
    words: list[int] = []
    for block in range(first, first + (skip + count + LANES - 1) // LANES):
        words += philox_block((block % WORD, block // WORD, 0, 0), key)
    return words[skip : skip + count]
