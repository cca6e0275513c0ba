"""Counter-based random words in plain integers: what the kernels of `Philox` are tested against.

Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from tensorlab.core.philox import LANES, WORD, philox_block

__all__ = ["philox_block", "stream_words"]


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
