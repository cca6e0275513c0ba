"""The GPU's memory: blocks of bytes that are kept when no tensor uses them, for the next tensors.

To ask the driver for memory takes long, and to give it back waits for every kernel that still runs; a program
that trains asks for the same sizes again and again. So a block that its last tensor has left is kept, and
serves the next tensor that fills most of it. `Pool.empty_cache` gives the kept blocks back.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

if TYPE_CHECKING:
    from tensorlab.backends.cuda.driver import Driver

# What tensors use is counted in whole multiples of this, as in PyTorch.
GRAIN = 512

# Blocks of more than the first number of bytes are whole multiples of the second, in which the driver hands
# memory out.
SMALL, PAGE = 1 << 20, 2 << 20


class OutOfMemoryError(RuntimeError):
    """The GPU has no memory left for what was asked."""


class DeviceMemory:
    """Cells of one type side by side in the GPU's memory, which the host does not see.

    Attributes:
        cells: the memory as the driver hands it to kernels.
        owner: what gives the block back when nothing refers to it any more.
    """

    __slots__ = ("__weakref__", "cells", "owner")

    def __init__(self, cells: Any, owner: object) -> None:
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
        return DeviceMemory(self.cells.view(cell), self.owner)

    def __getitem__(self, cells: slice) -> DeviceMemory:
        """A run of the cells."""
        return DeviceMemory(self.cells[cells], self.owner)

    def __repr__(self) -> str:
        return f"DeviceMemory of {self.size} cells of {self.dtype}"


class Kept:
    """Blocks that no tensor uses, by size.

    Args:
        leave: called with each block that is left when nothing refers to this any more.
    """

    def __init__(self, leave: Callable[[Any], None] | None = None) -> None:
        self.blocks: dict[int, list[Any]] = {}
        self._sizes: list[int] = []
        self._leave = leave

    def __del__(self) -> None:
        if self._leave is not None:
            for blocks in self.blocks.values():
                for block in blocks:
                    self._leave(block)

    def put(self, block: Any) -> None:
        """Keep a block."""
        blocks = self.blocks.get(block.size)
        if blocks is None:
            blocks = self.blocks[block.size] = []
            insort(self._sizes, block.size)
        blocks.append(block)

    def take(self, size: int) -> Any:
        """A block that so many bytes fill, or fill for the most part if they are many; None without one."""
        blocks = self.blocks.get(size)
        if blocks:
            return blocks.pop()
        if size > SMALL:
            for place in range(bisect_left(self._sizes, size), len(self._sizes)):
                whole = self._sizes[place]
                if whole > size + max(size // 8, PAGE):
                    break
                if self.blocks[whole]:
                    return self.blocks[whole].pop()
        return None


class _Use:
    """A block in use, which goes into a list when nothing refers to this any more.

    That may happen in any thread, amid any call: to append to a deque is all that is safe then.
    """

    __slots__ = ("_leave", "_use")

    def __init__(self, use: tuple[Any, int, Kept], leave: Callable[[Any], None]) -> None:
        self._use, self._leave = use, leave

    def __del__(self) -> None:
        self._leave(self._use)


class Pool:
    """The memory of one GPU, for any number of threads.

    Args:
        driver: what has the memory.

    Attributes:
        peak, peak_reserved: the greatest that `allocated` and `reserved` ever were, since `reset_peak`.
        from_driver: how many blocks the driver was asked for.
        to_driver: how many blocks were given back to it.
        retries: how often kept blocks were given back because the driver had no memory left.
        refusals: how often there was no memory then either.

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
        self.peak = self.peak_reserved = self.from_driver = self.to_driver = 0
        self.retries = self.refusals = 0
        self._allocated = self._reserved = 0
        # Where blocks are kept, and what was left and is not there yet.
        self._kept = self._current = Kept()
        self._left: deque[tuple[Any, int, Kept]] = deque()
        # A finalizer may ask for memory while its own thread is in here.
        self._lock = threading.RLock()

    @property
    def allocated(self) -> int:
        """The bytes that tensors use."""
        with self._lock:
            self._keep()
            return self._allocated

    @property
    def reserved(self) -> int:
        """The bytes of all blocks, in use or kept."""
        return self._reserved

    def allocate(self, count: int, cell: np.dtype) -> DeviceMemory:
        """Memory for so many cells.

        Raises:
            OutOfMemoryError: there is not as much left, although everything kept was given back.
        """
        size = (count * cell.itemsize + GRAIN - 1) // GRAIN * GRAIN or GRAIN
        with self._lock:
            if self._left:
                self._keep()
            kept = self._current
            block = kept.take(size)
            if block is None:
                block = self._from_driver(size)
            self._allocated += size
            if self._allocated > self.peak:
                self.peak = self._allocated
        cells = self.driver.take(block, count, cell)
        return DeviceMemory(cells, _Use((block, size, kept), self._left.append))

    def _from_driver(self, size: int) -> Any:
        whole = size if size <= SMALL else -(-size // PAGE) * PAGE
        block = self.driver.new_block(whole)
        if block is None and self._current is self._kept:
            self.retries += 1
            self.empty_cache()
            block = self.driver.new_block(whole)
        if block is None:
            self.refusals += 1
            raise OutOfMemoryError(
                f"CUDA out of memory. Tried to allocate {readable(size)}. GPU 0 has a total capacity of "
                f"{readable(self.total)} of which {readable(self.driver.free())} is free. Tensors use "
                f"{readable(self._allocated)}, and {readable(self._reserved - self._allocated)} is reserved "
                f"but unallocated. Smaller batches need less; a tensor gives its memory back when nothing "
                f"refers to it"
            )
        self.from_driver += 1
        self._reserved += whole
        self.peak_reserved = max(self.peak_reserved, self._reserved)
        return block

    def _keep(self) -> None:
        """Keep the blocks that were left."""
        while self._left:
            try:
                block, size, kept = self._left.popleft()
            except IndexError:  # a finalizer amid this has kept the last one
                break
            self._allocated -= size
            kept.put(block)

    def private(self) -> Kept:
        """Blocks for graphs alone, until no graph and no tensor needs them any more."""
        kept, left = self._kept, self._left
        return Kept(lambda block: left.append((block, 0, kept)))

    @contextmanager
    def within(self, kept: Kept) -> Iterator[None]:
        """Within a ``with``, take memory from these blocks and keep it among them."""
        outer, self._current = self._current, kept
        try:
            yield
        finally:
            self._current = outer

    def empty_cache(self) -> None:
        """Give back the blocks that no tensor uses."""
        with self._lock:
            self._keep()
            for blocks in self._kept.blocks.values():
                while blocks:
                    block = blocks.pop()
                    self.driver.free_block(block)
                    self._reserved -= block.nbytes
                    self.to_driver += 1

    def reset_peak(self) -> None:
        """Count the peaks from now on."""
        self.peak, self.peak_reserved = self.allocated, self.reserved


class Pinned:
    """Memory of the host that the system does not move, so that a GPU can copy from it by itself.

    Arrays over it keep it. It serves again when nothing refers to it any more and its last copy is done.

    Attributes:
        mark: the point behind the copy that may still be under way.
    """

    __slots__ = ("__weakref__", "_bytes", "_left", "mark")

    def __init__(self, block: np.ndarray, left: deque[tuple[np.ndarray, Any]]) -> None:
        self._bytes, self._left = block, left
        self.mark: Any = None
        _used[block.ctypes.data] = self

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self._bytes.nbytes

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._bytes.__array_interface__

    def __del__(self) -> None:
        self._left.append((self._bytes, self.mark))


# The addresses of the first bytes of all pinned blocks, in order; and what uses those that are in use.
_begins: list[int] = []
_used: WeakValueDictionary[int, Pinned] = WeakValueDictionary()


def pinned_at(address: int) -> Pinned | None:
    """The pinned memory that holds an address; None if it is other memory.

    The driver asks the address alone, too: NumPy's arrays over pinned memory, and tensors over these, are
    copied as the tensor is that was pinned.
    """
    place = bisect_right(_begins, address)
    if not place:
        return None
    begin = _begins[place - 1]
    pinned = _used.get(begin)
    return pinned if pinned is not None and address < begin + pinned.nbytes else None


class HostPool:
    """Pinned memory of the host, in blocks whose sizes are powers of two; it is kept as long as the process.

    Args:
        driver: what pins memory.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._left: deque[tuple[np.ndarray, Any]] = deque()

    def allocate(self, size: int) -> Pinned:
        """So many bytes, or some more."""
        whole = 1 << max(size - 1, GRAIN - 1).bit_length()
        for _ in range(len(self._left)):
            try:
                block, mark = self._left.popleft()
            except IndexError:  # another thread has it
                break
            if block.nbytes == whole and (mark is None or self._driver.is_done(mark)):
                return Pinned(block, self._left)
            self._left.append((block, mark))
        block = self._driver.new_pinned(whole)
        insort(_begins, block.ctypes.data)
        return Pinned(block, self._left)


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
