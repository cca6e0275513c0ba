"""What runs the kernels of ``device="cuda"`` and has its memory: the simulator, or a GPU.

Everything else of the backend is the same for both. Both kinds of cells have a `dtype`, a `size`, `nbytes`
and a `pointer`; a slice and a `view` of them are cells of the same memory.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from tensorlab.backends.cuda import compiler, simulator
from tensorlab.backends.cuda.dlpack import LEGACY

# What simulated memory holds that nothing was written to: as a float of any size, NaN.
POISON = 0xFF


class Driver(Protocol):
    """What the backend needs of a GPU.

    Attributes:
        name: what the GPU is called.
        capability: its compute capability.
        total: the bytes of its memory.
        stream: its stream, by the number that other libraries know it by.
        processors: on how many processors its blocks run.
        threads, blocks: how many threads a block has, and how many blocks a launch, at most, where threads
            share the elements among them.
    """

    name: str
    capability: tuple[int, int]
    total: int
    stream: int
    processors: int
    threads: int
    blocks: int

    def new_block(self, size: int) -> Any:
        """So many bytes of new memory, as cells of uint8; None if the device has not as many left."""

    def free_block(self, block: Any) -> None:
        """Give a block back to the device."""

    def free(self) -> int:
        """How many bytes the device has left."""

    def new_pinned(self, size: int) -> np.ndarray:
        """So many bytes of the host that a GPU can copy from by itself."""

    def take(self, block: Any, count: int, cell: np.dtype) -> Any:
        """So many cells of a type, from the first byte of a block on, for a tensor."""

    def upload(self, cells: Any, array: np.ndarray) -> None:
        """Overwrite cells with those of a row-major array on the host.

        Pinned memory may still be being read when this returns; other memory has been read.
        """

    def download(self, cells: Any) -> memoryview:
        """The cells in memory of the host, once all launches before are done."""

    def launch(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        """Run a kernel on a grid of blocks."""

    def synchronize(self) -> None:
        """Wait until every launch so far is done."""

    def mark(self) -> Any:
        """A point behind all that was asked so far."""

    def is_done(self, mark: Any) -> bool:
        """Whether all before a point is done."""

    def wait(self, mark: Any) -> None:
        """Wait until all before a point is done."""

    def elapsed(self, first: Any, last: Any) -> float:
        """The milliseconds from one point to another, both of which are done."""

    def order(self, first: int, then: int) -> None:
        """Let a stream wait for all that another was told so far."""

    def adopt(self, pointer: int, size: int) -> Any:
        """So many bytes of a GPU that another library has, as cells of uint8."""

    def begin_capture(self) -> None:
        """Record launches from now on instead of doing them."""

    def end_capture(self) -> Any:
        """What was recorded, to `replay` it; from now on launches are done again."""

    def replay(self, graph: Any) -> None:
        """Do all recorded launches."""

    def drop(self, graph: Any) -> None:
        """Forget recorded launches."""


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
    stream = LEGACY
    processors = 1
    # Few, for each thread is slow.
    threads, blocks = simulator.WARP, 2

    def __init__(self, total: int = 1 << 30) -> None:
        self.total, self.seed = total, 0
        self._used = 0
        self._recorded: list[Any] | None = None

    def new_block(self, size: int) -> HostCells | None:
        """See `Driver.new_block`."""
        if size > self.free():
            return None
        self._used += size
        return np.empty(size, np.uint8).view(HostCells)

    def free_block(self, block: HostCells) -> None:
        """See `Driver.free_block`."""
        self._used -= block.nbytes

    def free(self) -> int:
        """See `Driver.free`."""
        return self.total - self._used

    def new_pinned(self, size: int) -> np.ndarray:
        """See `Driver.new_pinned`."""
        return np.empty(size, np.uint8)

    def take(self, block: HostCells, count: int, cell: np.dtype) -> np.ndarray:
        """See `Driver.take`: whoever reads what nobody wrote finds NaN."""
        block.fill(POISON)
        return block[: count * cell.itemsize].view(cell)

    def upload(self, cells: HostCells, array: np.ndarray) -> None:
        """See `Driver.upload`."""
        cells[:] = array

    def download(self, cells: HostCells) -> memoryview:
        """See `Driver.download`."""
        return np.array(cells).data

    def launch(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        """See `Driver.launch`."""
        if self._recorded is not None:
            self._recorded.append((kernel, grid, block, *arguments))
            return
        simulator.launch(kernel, grid, block, *arguments, seed=self.seed)

    def synchronize(self) -> None:
        """See `Driver.synchronize`: the simulator is done when a launch returns."""

    def mark(self) -> float:
        """See `Driver.mark`: the time in seconds."""
        return time.perf_counter()

    def is_done(self, mark: float) -> bool:
        """See `Driver.is_done`."""
        return True

    def wait(self, mark: float) -> None:
        """See `Driver.wait`."""

    def elapsed(self, first: float, last: float) -> float:
        """See `Driver.elapsed`."""
        return 1000 * (last - first)

    def order(self, first: int, then: int) -> None:
        """See `Driver.order`."""

    def adopt(self, pointer: int, size: int) -> HostCells:
        """See `Driver.adopt`."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(pointer)).view(HostCells)

    def begin_capture(self) -> None:
        """See `Driver.begin_capture`."""
        self._recorded = []

    def end_capture(self) -> list[Any]:
        """See `Driver.end_capture`."""
        graph, self._recorded = self._recorded or [], None
        return graph

    def replay(self, graph: list[Any]) -> None:
        """See `Driver.replay`."""
        for launch in graph:
            simulator.launch(*launch, seed=self.seed)

    def drop(self, graph: list[Any]) -> None:
        """See `Driver.drop`."""


class GpuCells:
    """Memory of a GPU: cells of one type side by side, known by their address.

    Args:
        pointer: the address of the first byte.
        size: how many cells there are.
        dtype: their type.
    """

    __slots__ = ("dtype", "pointer", "size")

    def __init__(self, pointer: int, size: int, dtype: np.dtype) -> None:
        self.pointer, self.size, self.dtype = pointer, size, dtype

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.size * self.dtype.itemsize

    def view(self, cell: Any) -> GpuCells:
        """The same bytes as cells of another type."""
        cell = np.dtype(cell)
        return GpuCells(self.pointer, self.nbytes // cell.itemsize, cell)

    def __getitem__(self, cells: slice) -> GpuCells:
        first, end, _ = cells.indices(self.size)
        return GpuCells(self.pointer + first * self.dtype.itemsize, max(end - first, 0), self.dtype)


def _spread(arguments: tuple[Any, ...], values: list[Any]) -> tuple[Any, ...]:
    """Put what a launch hands over behind `values`, each item of a tuple; and say of what types they are."""
    kinds: list[Any] = []
    for each in arguments:
        kind = type(each)
        if kind is GpuCells:
            kinds.append(each.dtype.char)
            values.append(each.pointer)
        elif kind is tuple:
            kinds.append(_spread(each or (1,), values))
        else:
            kinds.append(kind)
            values.append(each)
    return tuple(kinds)


class AcceleratorError(RuntimeError):
    """The driver of the GPU refused a call, or says that a kernel before it failed.

    Attributes:
        error_code: the driver's number of the error.
    """

    def __init__(self, message: str, error_code: int) -> None:
        super().__init__(message)
        self.error_code = error_code


class _Ready:
    """A kernel that is loaded, and how its arguments are handed over: eight bytes each, and their addresses.

    A launch takes a buffer for its arguments and puts it back, so that threads, and finalizers that run
    amid a launch, have one each.

    Args:
        function: the kernel as the driver knows it.
        kinds: the signature of its arguments.
    """

    def __init__(self, function: Any, kinds: Any) -> None:
        self.function = function
        codes = [_packed(kind) for kind in _leaves(kinds)]
        self.count = len(codes)
        self.pack_into = struct.Struct("=" + "".join(codes)).pack_into
        self._buffers: list[tuple[Any, Any, int]] = []

    def buffer(self) -> tuple[Any, Any, int]:
        """Bytes for the arguments, the addresses of each argument in them, and the address of those."""
        try:
            return self._buffers.pop()
        except IndexError:
            cells = (ctypes.c_uint64 * self.count)()
            first = ctypes.addressof(cells)
            places = (ctypes.c_void_p * self.count)(*range(first, first + 8 * self.count, 8))
            return cells, places, ctypes.addressof(places)

    def put_back(self, buffer: tuple[Any, Any, int]) -> None:
        """Keep a buffer for the next launch."""
        self._buffers.append(buffer)


def _leaves(kinds: Any) -> Iterator[Any]:
    for kind in kinds:
        if isinstance(kind, compiler.Address) or not isinstance(kind, tuple):
            yield kind
        else:
            yield from _leaves(kind)


def _packed(kind: Any) -> str:
    """The code of `struct` for an argument, and as many bytes as it lacks of eight."""
    if isinstance(kind, compiler.Address):
        return "Q"
    code = "?" if kind.kind == "b" else CODES[kind.kind][kind.itemsize.bit_length() - 1]
    return f"{code}{8 - kind.itemsize}x"


class _Mark:
    """An event of the driver, which serves again when nothing refers to this any more."""

    __slots__ = ("_free", "event")

    def __init__(self, event: Any, free: list[Any]) -> None:
        self.event, self._free = event, free

    def __del__(self) -> None:
        self._free.append(self.event)


# The codes of `struct` for numbers of one, two, four and eight bytes.
CODES = {"i": "bhiq", "u": "BHIQ", "f": " efd"}


class _Thread(threading.local):
    """Whether a thread works in the context of the GPU."""

    is_ready = False


# After these errors no call in this process succeeds.
LOST = {
    "CUDA_ERROR_ASSERT",
    "CUDA_ERROR_HARDWARE_STACK_ERROR",
    "CUDA_ERROR_ILLEGAL_ADDRESS",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    "CUDA_ERROR_INVALID_ADDRESS_SPACE",
    "CUDA_ERROR_INVALID_PC",
    "CUDA_ERROR_LAUNCH_FAILED",
    "CUDA_ERROR_LAUNCH_TIMEOUT",
    "CUDA_ERROR_MISALIGNED_ADDRESS",
}

# How many launches are remembered, to tell which may have failed.
RECENT = 8


class Gpu:
    """An NVIDIA GPU as a driver, through the packages cuda-bindings and numba-cuda.

    A kernel is compiled once for each signature. A launch finds it by the types of its arguments, writes them
    where the driver reads them, and calls the driver. Everything goes into one stream: launches and copies
    happen in the order in which they were asked for.

    Args:
        api: the module ``cuda.bindings.driver``.
        number: which GPU.
    """

    threads = 256

    def __init__(self, api: Any, number: int = 0) -> None:
        self._api, self._process = api, os.getpid()
        self._launch = api.cuLaunchKernel
        self._recent: deque[Any] = deque(maxlen=RECENT)
        self._lost = ""
        self._events: list[Any] = []
        self._thread = _Thread()
        self._check(api.cuInit(0))
        gpu = self._check(api.cuDeviceGet(number))
        self._context = self._check(api.cuDevicePrimaryCtxRetain(gpu))
        self._enter()
        # Its order with the legacy stream, in which other libraries work unless told otherwise, is kept.
        self._main = self._check(api.cuStreamCreate(api.CUstream_flags.CU_STREAM_DEFAULT))
        self._stream, self.stream = self._main, int(self._main)
        self._recording: Any = None
        self.name = self._check(api.cuDeviceGetName(128, gpu)).split(b"\0")[0].decode()
        attribute = api.CUdevice_attribute
        major, minor, self.processors = (
            self._check(api.cuDeviceGetAttribute(getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}"), gpu))
            for name in ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR", "MULTIPROCESSOR_COUNT")
        )
        self.capability = major, minor
        self.blocks = 8 * self.processors
        self.total = self._check(api.cuMemGetInfo())[1]
        self._kernels: dict[Any, _Ready] = {}
        self._known: dict[Any, _Ready] = {}

    def new_block(self, size: int) -> GpuCells | None:
        """See `Driver.new_block`."""
        self._enter()
        error, pointer = self._api.cuMemAlloc(size)
        if error == self._api.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            return None
        self._check((error,))
        return GpuCells(int(pointer), size, np.dtype(np.uint8))

    def free_block(self, block: GpuCells) -> None:
        """See `Driver.free_block`: the driver waits for what still runs."""
        self._enter()
        self._check(self._api.cuMemFree(block.pointer))

    def free(self) -> int:
        """See `Driver.free`."""
        self._enter()
        return self._check(self._api.cuMemGetInfo())[0]

    def new_pinned(self, size: int) -> np.ndarray:
        """See `Driver.new_pinned`."""
        self._enter()
        address = int(self._check(self._api.cuMemAllocHost(size)))
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))

    def take(self, block: GpuCells, count: int, cell: np.dtype) -> GpuCells:
        """See `Driver.take`."""
        return GpuCells(block.pointer, count, cell)

    def upload(self, cells: GpuCells, array: np.ndarray) -> None:
        """See `Driver.upload`: the driver copies pageable memory to memory of its own before it returns."""
        if cells.nbytes:
            self._enter()
            array = np.ascontiguousarray(array)
            operands = cells.pointer, array.ctypes.data, cells.nbytes, self._stream
            self._check(self._api.cuMemcpyHtoDAsync(*operands))

    def download(self, cells: GpuCells) -> memoryview:
        """See `Driver.download`."""
        self._enter()
        array = np.empty(cells.size, cells.dtype)
        if cells.nbytes:
            operands = array.ctypes.data, cells.pointer, cells.nbytes, self._stream
            self._check(self._api.cuMemcpyDtoHAsync(*operands))
        self.synchronize()
        return array.data

    def launch(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        """See `Driver.launch`."""
        values: list[Any] = []
        key = kernel, _spread(arguments, values)
        ready = self._known.get(key)
        if ready is None:
            ready = self._known[key] = self._ready(kernel, compiler.signature(arguments))
        if not self._thread.is_ready:
            self._enter()
        self._recent.append((kernel, grid, block, arguments))
        buffer = ready.buffer()
        ready.pack_into(buffer[0], 0, *values)
        (error,) = self._launch(ready.function, *_three(grid), *_three(block), 0, self._stream, buffer[2], 0)
        ready.put_back(buffer)
        if error:
            self._check((error,))

    def _ready(self, kernel: Callable, kinds: Any) -> _Ready:
        """A kernel, compiled for such arguments and loaded."""
        key = kernel, kinds
        if key not in self._kernels:
            self._enter()
            made = compiler.machine_code(kernel, kinds, self.capability)
            library = self._check(self._api.cuLibraryLoadData(made.code, [], [], 0, [], [], 0))
            found = self._check(self._api.cuLibraryGetKernel(library, made.entry.encode()))
            self._kernels[key] = _Ready(self._check(self._api.cuKernelGetFunction(found)), kinds)
        return self._kernels[key]

    def synchronize(self) -> None:
        """See `Driver.synchronize`."""
        self._enter()
        self._check(self._api.cuStreamSynchronize(self._stream))
        self._recent.clear()

    def mark(self) -> _Mark:
        """See `Driver.mark`."""
        self._enter()
        return self._mark(self._stream)

    def _mark(self, stream: Any) -> _Mark:
        event = self._events.pop() if self._events else self._check(self._api.cuEventCreate(0))
        self._check(self._api.cuEventRecord(event, stream))
        return _Mark(event, self._events)

    def is_done(self, mark: _Mark) -> bool:
        """See `Driver.is_done`."""
        self._enter()
        (error,) = self._api.cuEventQuery(mark.event)
        if error == self._api.CUresult.CUDA_ERROR_NOT_READY:
            return False
        self._check((error,))
        return True

    def wait(self, mark: _Mark) -> None:
        """See `Driver.wait`."""
        self._enter()
        self._check(self._api.cuEventSynchronize(mark.event))

    def elapsed(self, first: _Mark, last: _Mark) -> float:
        """See `Driver.elapsed`."""
        self._enter()
        return self._check(self._api.cuEventElapsedTime(first.event, last.event))

    def order(self, first: int, then: int) -> None:
        """See `Driver.order`."""
        self._enter()
        self._check(self._api.cuStreamWaitEvent(then, self._mark(first).event, 0))

    def adopt(self, pointer: int, size: int) -> GpuCells:
        """See `Driver.adopt`."""
        return GpuCells(pointer, size, np.dtype(np.uint8))

    def begin_capture(self) -> None:
        """See `Driver.begin_capture`.

        A stream of its own keeps no order with the legacy stream, which recording would refuse, and the
        relaxed mode lets memory be taken meanwhile.
        """
        self._enter()
        if self._recording is None:
            flag = self._api.CUstream_flags.CU_STREAM_NON_BLOCKING
            self._recording = self._check(self._api.cuStreamCreate(flag))
        mode = self._api.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        self._check(self._api.cuStreamBeginCapture(self._recording, mode))
        self._stream = self._recording

    def end_capture(self) -> Any:
        """See `Driver.end_capture`."""
        self._enter()
        self._stream = self._main
        graph = self._check(self._api.cuStreamEndCapture(self._recording))
        try:
            return self._check(self._api.cuGraphInstantiate(graph, 0))
        finally:
            self._check(self._api.cuGraphDestroy(graph))

    def replay(self, graph: Any) -> None:
        """See `Driver.replay`."""
        self._enter()
        self._check(self._api.cuGraphLaunch(graph, self._stream))

    def drop(self, graph: Any) -> None:
        """See `Driver.drop`."""
        self._enter()
        self._check(self._api.cuGraphExecDestroy(graph))

    def _enter(self) -> None:
        """Let this thread work in the context of the GPU."""
        if not self._thread.is_ready:
            self._check(self._api.cuCtxSetCurrent(self._context))
            self._thread.is_ready = True

    def _check(self, found: tuple[Any, ...]) -> Any:
        """What a function of the driver returned behind its error.

        Raises:
            AcceleratorError: it failed, or a kernel before it.
        """
        error, *results = found
        if error == self._api.CUresult.CUDA_SUCCESS:
            return results[0] if len(results) == 1 else results
        if os.getpid() != self._process:
            raise AcceleratorError(
                "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must "
                "use the 'spawn' start method: DataLoader(..., multiprocessing_context='spawn'), or leave "
                "tensors on the CPU in workers",
                int(error),
            )
        if error.name in LOST and not self._lost:
            launched = ["  " + _described(*each) for each in self._recent]
            which = "\n".join(["One of these kernels failed, the last of them launched last:", *launched])
            self._lost = f"{error.name}. {which if launched else 'No kernel was under way.'}\n"
        if self._lost:
            raise AcceleratorError(
                f"CUDA error: {self._lost}The GPU's context is lost with all tensors on it, and every call "
                f"fails from now on: start Python anew. TENSORLAB_CUDA=simulated finds where a kernel reads "
                f"or writes outside of its tensors",
                int(error),
            )
        raise AcceleratorError(f"CUDA error: {error.name}", int(error))


@functools.lru_cache(1 << 12)
def _three(size: Any) -> tuple[int, int, int]:
    """The size of a grid or a block along x, y and z."""
    x, y, z = (*(size if isinstance(size, tuple) else (size,)), 1, 1)[:3]
    return int(x), int(y), int(z)


def _described(kernel: Callable, grid: Any, block: Any, arguments: Any) -> str:
    operands = ", ".join(
        f"{each.size} cells of {each.dtype} at {each.pointer:#x}"
        if isinstance(each, GpuCells)
        else repr(each)
        for each in arguments
    )
    return f"{kernel.__name__}[{grid}, {block}]({operands})"
