"""Philox 4x32-10: random words as a function of a counter and a key.

J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from typing import Any

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57  # the paper's choice, as are the steps of the key
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
WORD = 2**32
LANES = 4  # words in one block


def philox_block(counter: tuple[Any, Any, Any, Any], key: tuple[int, int]) -> tuple[Any, Any, Any, Any]:
    """The four words of one counter under one key, each from 0 to 2^32 - 1, as are those of both arguments.

    Of arrays of counters, in uint64, it makes arrays of words.

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
