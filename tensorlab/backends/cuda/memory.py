"""The GPU's memory: blocks of bytes that are kept when no tensor uses them, for the next tensor of that size.

To ask the driver for memory takes long and waits for every kernel that still runs; a program that trains asks
for the same sizes again and again. So a block that its last tensor has left goes into a list of its size, and
is taken from there. `Pool.empty_cache` gives the lists back.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tensorlab.backends.cuda.driver import Driver

__all__ = ["DeviceMemory", "OutOfMemoryError", "Pool", "readable"]

# Blocks are whole multiples of this, so that a list of one size serves more than one size of tensor.
GRAIN = 512


class OutOfMemoryError(RuntimeError):
    """The GPU has no memory left for what was asked."""


class DeviceMemory:
    """Cells of one type side by side in the GPU's memory, which the host does not see.

    Attributes:
        cells: the memory as the driver hands it to kernels.
    """

    __slots__ = ("__weakref__", "cells", "owner")

    def __init__(self, cells: Any, owner: DeviceMemory | None = None) -> None:
        self.cells, self.owner = cells, owner

    @property
    def dtype(self) -> np.dtype:
        """The type of the cells."""
        return self.cells.dtype

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.cells.nbytes

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.cells.size

    def __len__(self) -> int:
        return self.cells.size

    @property
    def pointer(self) -> int:
        """The address of the first byte."""
        return self.cells.pointer

    def view(self, cell: Any) -> DeviceMemory:
        """The same bytes as cells of another type."""
        return DeviceMemory(self.cells.view(cell), self.owner or self)

    def __getitem__(self, cells: slice) -> DeviceMemory:
        """A run of the cells."""
        return DeviceMemory(self.cells[cells], self.owner or self)

    def __repr__(self) -> str:
        return f"DeviceMemory of {self.size} cells of {self.dtype}"


class Pool:
    """The memory of one GPU.

    Args:
        driver: what has the memory.

    Attributes:
        allocated: the bytes of blocks that tensors use.
        reserved: the bytes of all blocks, in use or kept.
        peak, peak_reserved: the greatest that these ever were, since `reset_peak`.
        from_driver: how often a block was not found in the lists.

    Example:
        >>> from tensorlab.backends.cuda.driver import Simulated
        >>> pool = Pool(Simulated(total=4096))
        >>> memory = pool.allocate(100, np.dtype(np.float32))
        >>> pool.allocated, pool.reserved
        (512, 512)
        >>> del memory
        >>> pool.allocated, pool.reserved
        (0, 512)
    """

    def __init__(self, driver: Driver) -> None:
        self.driver, self.total = driver, driver.total
        self.allocated = self.reserved = self.peak = self.peak_reserved = self.from_driver = 0
        self._free: defaultdict[int, list[Any]] = defaultdict(list)

    def allocate(self, count: int, cell: np.dtype) -> DeviceMemory:
        """Memory for so many cells.

        Raises:
            OutOfMemoryError: there is not as much left, although everything kept was given back.
        """
        cell = np.dtype(cell)
        size = -(-max(count * cell.itemsize, 1) // GRAIN) * GRAIN
        kept = self._free[size]
        block = kept.pop() if kept else self._new_block(size)
        self.driver.take(block)
        self.allocated += size
        self.peak = max(self.peak, self.allocated)
        memory = DeviceMemory(block[: count * cell.itemsize].view(cell))
        weakref.finalize(memory, self._take_back, block).atexit = False
        return memory

    def _new_block(self, size: int) -> Any:
        if self.reserved + size > self.total:
            self.empty_cache()
        if self.reserved + size > self.total:
            raise OutOfMemoryError(
                f"CUDA out of memory: {readable(size)} were asked for, and {readable(self.total)} are all "
                f"that the device has, of which tensors use {readable(self.allocated)}. Smaller batches need "
                f"less; a tensor gives its memory back when nothing refers to it"
            )
        self.from_driver += 1
        self.reserved += size
        self.peak_reserved = max(self.peak_reserved, self.reserved)
        return self.driver.new_block(size)

    def _take_back(self, block: Any) -> None:
        self.allocated -= block.nbytes
        self._free[block.nbytes].append(block)

    def empty_cache(self) -> None:
        """Give back the blocks that no tensor uses."""
        self.reserved -= sum(size * len(blocks) for size, blocks in self._free.items())
        self._free.clear()

    def reset_peak(self) -> None:
        """Count the peaks from now on."""
        self.peak, self.peak_reserved = self.allocated, self.reserved


def readable(size: int) -> str:
    """A number of bytes with a unit.

    Example:
        >>> readable(512), readable(3 << 19)
        ('512 bytes', '1.50 MiB')
    """
    for unit, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << bits:
            return f"{size / (1 << bits):.2f} {unit}"
    return f"{size} bytes"
