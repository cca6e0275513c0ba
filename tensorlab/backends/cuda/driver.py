"""What runs the kernels of ``device="cuda"`` and has its memory: the simulator, or a GPU.

Everything else of the backend is the same for both. Both kinds of cells have a `dtype`, a `size`, `nbytes`
and a `pointer`; a slice and a `view` of them are cells of the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tensorlab.backends.cuda import compiler, simulator

__all__ = ["Driver", "Gpu", "GpuCells", "HostCells", "Simulated"]

# What simulated memory holds that nothing was written to: as a float of any size, NaN.
POISON = 0xFF


class Driver(Protocol):
    """What the backend needs of a GPU.

    Attributes:
        name: what the GPU is called.
        capability: its compute capability.
        total: the bytes of its memory.
        threads, blocks: how many threads a block has, and how many blocks a launch, at most, where threads
            share the elements among them.
    """

    name: str
    capability: tuple[int, int]
    total: int
    threads: int
    blocks: int

    def new_block(self, size: int) -> Any:
        """So many bytes of new memory, as cells of uint8."""

    def take(self, block: Any) -> None:
        """Learn that a block will serve a tensor."""

    def upload(self, cells: Any, array: np.ndarray) -> None:
        """Overwrite cells with those of a row-major array on the host."""

    def download(self, cells: Any) -> memoryview:
        """The cells in memory of the host, once all launches before are done."""

    def launch(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        """Run a kernel on a grid of blocks."""

    def synchronize(self) -> None:
        """Wait until every launch so far is done."""


class HostCells(np.ndarray):
    """Memory of the simulated device."""

    @property
    def pointer(self) -> int:
        """The address of the first byte."""
        return self.ctypes.data


class Simulated:
    """The simulator as a driver.

    Args:
        total: how many bytes the device has.

    Attributes:
        seed: chooses the order in which threads run.
    """

    name = "tensorlab's simulator"
    capability = (0, 0)
    # Few, for each thread is slow.
    threads, blocks = simulator.WARP, 2

    def __init__(self, total: int = 1 << 30) -> None:
        self.total, self.seed = total, 0

    def new_block(self, size: int) -> HostCells:
        """See `Driver.new_block`."""
        return np.empty(size, np.uint8).view(HostCells)

    def take(self, block: HostCells) -> None:
        """See `Driver.take`: whoever reads what nobody wrote finds NaN."""
        block.fill(POISON)

    def upload(self, cells: HostCells, array: np.ndarray) -> None:
        """See `Driver.upload`."""
        cells[:] = array

    def download(self, cells: HostCells) -> memoryview:
        """See `Driver.download`."""
        return np.array(cells).data

    def launch(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        """See `Driver.launch`."""
        simulator.launch(kernel, grid, block, *arguments, seed=self.seed)

    def synchronize(self) -> None:
        """See `Driver.synchronize`: the simulator is done when a launch returns."""


class GpuCells:
    """Memory of a GPU: cells of one type side by side, known by their address.

    Args:
        pointer: the address of the first byte.
        size: how many cells there are.
        dtype: their type.
        owner: what keeps the memory.
    """

    __slots__ = ("dtype", "owner", "pointer", "size")

    def __init__(self, pointer: int, size: int, dtype: Any, owner: Any) -> None:
        self.pointer, self.size, self.dtype, self.owner = pointer, size, np.dtype(dtype), owner

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.size * self.dtype.itemsize

    def view(self, cell: Any) -> GpuCells:
        """The same bytes as cells of another type."""
        return GpuCells(self.pointer, self.nbytes // np.dtype(cell).itemsize, cell, self.owner)

    def __getitem__(self, cells: slice) -> GpuCells:
        first, end, _ = cells.indices(self.size)
        address = self.pointer + first * self.dtype.itemsize
        return GpuCells(address, max(end - first, 0), self.dtype, self.owner)


class Gpu:
    """An NVIDIA GPU as a driver, through the packages cuda-core and numba-cuda.

    A kernel is compiled once for each signature, and its configuration is made once for each size, so that a
    launch looks two things up and hands addresses and numbers to the driver. Everything goes into one stream:
    launches, copies and frees happen in the order in which they were asked for.

    Args:
        core: the package ``cuda.core``.
        number: which GPU.
    """

    threads = 256

    def __init__(self, core: Any, number: int = 0) -> None:
        self._core = core
        self._gpu = core.Device(number)
        self._gpu.set_current()
        self._stream = self._gpu.create_stream()
        self.name = self._gpu.name
        self.capability = tuple(self._gpu.compute_capability)
        self.blocks = 8 * self._gpu.properties.multiprocessor_count
        self.total = int(self._call("cuMemGetInfo")[1])
        self._kernels: dict[Any, Any] = {}
        self._configurations: dict[Any, Any] = {}

    def new_block(self, size: int) -> GpuCells:
        """See `Driver.new_block`."""
        buffer = self._gpu.allocate(size, stream=self._stream)
        return GpuCells(int(buffer.handle), size, np.uint8, buffer)

    def take(self, block: GpuCells) -> None:
        """See `Driver.take`."""

    def upload(self, cells: GpuCells, array: np.ndarray) -> None:
        """See `Driver.upload`."""
        array = np.ascontiguousarray(array)
        if cells.nbytes:
            operands = cells.pointer, array.ctypes.data, cells.nbytes
            self._call("cuMemcpyHtoDAsync", *operands, self._stream.handle)
        self._stream.sync()

    def download(self, cells: GpuCells) -> memoryview:
        """See `Driver.download`."""
        array = np.empty(cells.size, cells.dtype)
        if cells.nbytes:
            operands = array.ctypes.data, cells.pointer, cells.nbytes
            self._call("cuMemcpyDtoHAsync", *operands, self._stream.handle)
        self._stream.sync()
        return array.data

    def launch(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        """See `Driver.launch`."""
        key = kernel, compiler.signature(arguments)
        ready = self._kernels.get(key)
        if ready is None:
            made = compiler.cubin(compiler.ptx(*key, self.capability), self.capability)
            ready = self._core.ObjectCode.from_cubin(made.code).get_kernel(made.entry)
            self._kernels[key] = ready
        size = grid, block
        configuration = self._configurations.get(size)
        if configuration is None:
            configuration = self._core.LaunchConfig(grid=grid, block=block)
            self._configurations[size] = configuration
        self._core.launch(self._stream, configuration, ready, *compiler.flattened(arguments))

    def synchronize(self) -> None:
        """See `Driver.synchronize`."""
        self._stream.sync()

    @staticmethod
    def _call(name: str, *arguments: Any) -> list[Any]:
        """What a function of the driver returns.

        Raises:
            RuntimeError: it failed.
        """
        from cuda.bindings import driver

        error, *found = getattr(driver, name)(*arguments)
        if error != driver.CUresult.CUDA_SUCCESS:
            raise RuntimeError(f"{name} failed: {error.name}")
        return found
