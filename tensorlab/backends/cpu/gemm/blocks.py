"""The sizes of blocks: how much of A, B and the result stays in which memory.

====================  ==============================  ========  ===============================
what                  size                            in BLIS   where it stays
====================  ==============================  ========  ===============================
a tile of the result  ``rows`` × ``width`` numbers    MR × NR   vector registers
a strip of A          ``rows`` × ``steps``            MR × KC   first-level cache
a block of B          ``steps`` × ``columns``         KC × NC   second-level cache
a block of A          ``height`` × ``steps``          MC × KC   second-level cache, beside it
====================  ==============================  ========  ===============================

The names MR, NR, MC, KC and NC are those of Van Zee and van de Geijn, *BLIS: A Framework for Rapidly
Instantiating BLAS Functionality* (2015). `tensorlab.backends.cpu.gemm.tiles` says in which order the loops go
over these blocks, and why B has the second-level cache here and not the third.
"""

from __future__ import annotations

from typing import NamedTuple

from tensorlab.backends.cpu import machine
from tensorlab.core.integers import round_down

# Vectors to a row of a tile. Each step of k loads so many vectors of B, and one number of A for each row.
VECTORS = 3

# The longest block of k. A longer one saves little: the tile goes to memory once for that many steps. Half as
# many are hardly slower, a third of them are.
MOST_STEPS = 384


class Blocks(NamedTuple):
    """The sizes, in numbers of the compute type."""

    lanes: int  # numbers to a vector
    rows: int  # of a tile
    width: int  # columns of a tile
    steps: int  # of k
    height: int  # rows of a block of A
    columns: int  # of a block of B
    resident: int  # of a B that is read in place: so many numbers stay in the second-level cache

    @property
    def cells(self) -> int:
        """The numbers of the two blocks together."""
        return self.height * (self.steps + self.lanes) + self.steps * self.columns


def blocks(size: int, vectors: machine.Vectors | None = None, caches: machine.Caches | None = None) -> Blocks:
    """The sizes for numbers of `size` bytes, on this machine or on the one that is given.

    With 32 registers a tile of 8 rows has 24 of them, three hold B, and some are left for A. With 16
    registers a tile of 4 rows has 12.

    A strip of A has a third of the first-level cache: the rows of B that pass by, and the tile's cells of the
    result, have the rest. The block of B has three quarters of the second-level cache and the block of A an
    eighth, which leaves an eighth for the result. The shares are not critical, as long as each block fits:
    half or one and a half times as many columns hardly change the time of a product.

    Example:
        >>> found = blocks(4, machine.Vectors(64, 32), machine.Caches(48 << 10, 1 << 20))
        >>> found.rows, found.width, found.steps, found.height, found.columns
        (8, 48, 384, 80, 480)
        >>> found = blocks(8, machine.Vectors(32, 16), machine.Caches(32 << 10, 256 << 10))
        >>> found.rows, found.width, found.steps, found.height, found.columns
        (4, 12, 336, 12, 72)
    """
    vectors, caches = vectors or machine.vectors(), caches or machine.caches()
    lanes = vectors.size // size
    rows, width = (8 if vectors.registers >= 32 else 4), VECTORS * lanes
    steps = min(MOST_STEPS, _block(caches.first // 3 // (rows * size), 16))
    return Blocks(
        lanes,
        rows,
        width,
        steps,
        height=_block(caches.second // 8 // (steps * size), rows),
        columns=_block(caches.second * 3 // 4 // (steps * size), width),
        resident=caches.second * 9 // 16 // size,
    )


def _block(size: int, multiple: int) -> int:
    """The size of a block: rounded down to a multiple, but not to none."""
    return max(round_down(size, multiple), multiple)
