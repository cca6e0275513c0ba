"""The sizes of blocks, in numbers of the compute type.

They fit a first-level cache of 32 KB or more and a second-level cache of 512 KB or more, which every
processor of the last ten years has.
"""

from __future__ import annotations

__all__ = ["COLUMNS", "ROWS", "STEPS"]

COLUMNS = 512  # of B and of the result: four rows of each are 16 KB of float32, in the first-level cache
STEPS = 128  # of k: a block of B is 256 KB of float32, in the second-level cache
ROWS = 128  # of the result, where a block of it collects apart: B's block is copied once for that many rows
