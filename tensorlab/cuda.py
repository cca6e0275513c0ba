"""What programs ask of GPUs, under PyTorch's names; and a GPU without one, to write kernels for.

Without a GPU ``device = "cuda" if tensorlab.cuda.is_available() else "cpu"`` goes on with the CPU. What can
be answered is answered: 0 GPUs, 0 bytes. What needs one is refused, with what is missing. All work of a GPU
goes into one stream, in the order in which it is given, whichever `Stream` is current. A `CUDAGraph` records
work and does it again with one call.

With ``TENSORLAB_CUDA=simulated`` one GPU is there, in the simulator (see `tensorlab.backends.cuda`): slow,
and as strict as a GPU is not. Its work is done when a call returns.

A kernel of your own is a Python function that is written as for `numba.cuda`, with ``from tensorlab import
cuda`` in place of ``from numba import cuda``. `simulate` runs it and counts what a GPU would have to do, and
`explore` runs it in many orders of its threads. Both need the package greenlet, and no GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlab.backends.cuda import gpu, is_there, simulator
from tensorlab.backends.cuda.counts import Access, KernelLine, Report, Request, simulate
from tensorlab.backends.cuda.driver import AcceleratorError
from tensorlab.backends.cuda.graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing
from tensorlab.backends.cuda.memory import OutOfMemoryError
from tensorlab.backends.cuda.occupancy import Occupancy, occupancy
from tensorlab.backends.cuda.schedules import Exploration, Outcome, explore
from tensorlab.backends.cuda.simulator import KernelError, Race, Shape, Touch
from tensorlab.core.devices import device

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = [
    "AcceleratorError",
    "Access",
    "CUDAGraph",
    "DeviceProperties",
    "Event",
    "Exploration",
    "KernelError",
    "KernelLine",
    "Occupancy",
    "OutOfMemoryError",
    "Outcome",
    "Race",
    "Report",
    "Request",
    "Shape",
    "Stream",
    "Touch",
    "all_sync",
    "any_sync",
    "atomic",
    "ballot_sync",
    "current_device",
    "current_stream",
    "default_stream",
    "device_count",
    "empty_cache",
    "explore",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "graph",
    "graph_pool_handle",
    "grid",
    "gridsize",
    "init",
    "is_available",
    "is_current_stream_capturing",
    "is_initialized",
    "local",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "occupancy",
    "reset_peak_memory_stats",
    "set_device",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "simulate",
    "stream",
    "synchronize",
    "syncthreads",
    "syncthreads_count",
    "syncwarp",
    "warpsize",
]

Place = device | str | int | None


class DeviceProperties(NamedTuple):
    """A GPU: its name, its compute capability `major.minor` (what its kernels may use), its bytes."""

    name: str
    major: int
    minor: int
    total_memory: int


def is_available() -> bool:
    """Whether tensors can be made on a GPU.

    Example:
        >>> import tensorlab as tl
        >>> "cuda" if tl.cuda.is_available() else "cpu"
        'cpu'
    """
    return is_there()


def is_initialized() -> bool:
    """Whether a GPU has been made ready."""
    return is_there()


def init() -> None:
    """Make the GPU ready, which the first tensor on it does as well.

    Raises:
        RuntimeError: there is no GPU.
    """
    gpu("cuda.init()")


def device_count() -> int:
    """How many GPUs tensors can be made on."""
    return int(is_there())


def current_device() -> int:
    """The number of the GPU that ``"cuda"`` means.

    Raises:
        RuntimeError: there is no GPU.
    """
    return gpu("cuda.current_device()").device.index or 0


def set_device(device: Place) -> None:
    """Say which GPU ``"cuda"`` means from now on.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("set_device", device)


def get_device_properties(device: Place = None) -> DeviceProperties:
    """What there is to know of a GPU.

    Raises:
        RuntimeError: there is no such GPU.
    """
    driver = _need("get_device_properties", device).driver
    return DeviceProperties(driver.name, *driver.capability, driver.total)


def get_device_name(device: Place = None) -> str:
    """What a GPU is called.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("get_device_name", device)
    return get_device_properties(device).name


def get_device_capability(device: Place = None) -> tuple[int, int]:
    """The compute capability of a GPU; (0, 0) in the simulator.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("get_device_capability", device)
    return get_device_properties(device)[1:3]


def synchronize(device: Place = None) -> None:
    """Wait until a GPU has done all that it was told to.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("synchronize", device).synchronize()


def _need(function: str, place: Place) -> Cuda:
    found = gpu(f"cuda.{function}()")
    if isinstance(place, int):
        place = device("cuda", place)
    if place is not None and device(place) not in (device("cuda"), found.device):
        raise RuntimeError(
            f"cuda.{function}(): there is no CUDA device {str(place)!r}; there is {str(found.device)!r}"
        )
    return found


# --- streams and events -------------------------------------------------------------------------------------


class Event:
    """A point in the work of a GPU, to wait for or to measure the time from.

    Args:
        enable_timing: whether `elapsed_time` will be asked for.
        blocking, interprocess: how a GPU would wait, and whether another process would see it.

    Raises:
        RuntimeError: there is no GPU.
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self._backend = gpu("cuda.Event()")
        self._is_timed = enable_timing
        self._mark: Any = None

    def record(self, stream: Stream | None = None) -> None:
        """Put the point behind all that the GPU was told so far. A graph records no points."""
        if not self._backend.is_capturing:
            self._mark = self._backend.driver.mark()

    def wait(self, stream: Stream | None = None) -> None:
        """Let the stream wait for this point, as the one stream does anyway."""

    def query(self) -> bool:
        """Whether the work before this point is done."""
        return self._mark is None or self._backend.driver.is_done(self._mark)

    def synchronize(self) -> None:
        """Wait until the work before this point is done."""
        if self._mark is not None:
            self._backend.driver.wait(self._mark)

    def elapsed_time(self, end_event: Event) -> float:
        """The milliseconds from this point to another; the simulator's are no GPU's.

        Raises:
            ValueError: one of them was not made with ``enable_timing=True``, or was not recorded.
            RuntimeError: the work before one of them is not done.
        """
        if not (self._is_timed and end_event._is_timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._mark is None or end_event._mark is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end_event.query()):
            raise RuntimeError(
                "Both events must be completed before calculating elapsed time: call synchronize() of the "
                "later one first"
            )
        return self._backend.driver.elapsed(self._mark, end_event._mark)


class Stream:
    """A line of work for a GPU, done in order. All are one line here: what is told first is done first.

    Raises:
        RuntimeError: there is no GPU.
    """

    def __init__(self, device: Place = None, priority: int = 0) -> None:
        self._backend = _need("Stream", device)
        self.device, self.priority = self._backend.device, priority

    def record_event(self, event: Event | None = None) -> Event:
        """A point behind all that this stream was told so far."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Do what comes next only after that point."""

    def wait_stream(self, stream: Stream) -> None:
        """Do what comes next only after what the other stream was told so far."""

    def query(self) -> bool:
        """Whether all that it was told is done."""
        return self.record_event().query()

    def synchronize(self) -> None:
        """Wait until all that it was told is done."""
        self._backend.synchronize()


# The streams that are current, the innermost last.
_streams: list[Stream] = []


def default_stream(device: Place = None) -> Stream:
    """The stream that is used where none is named.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("default_stream", device)
    return Stream()


def current_stream(device: Place = None) -> Stream:
    """The stream of the innermost ``with tensorlab.cuda.stream(...)``, or the default one.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("current_stream", device)
    return _streams[-1] if _streams else default_stream()


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Within a ``with``, give the work to a stream; None changes nothing."""
    if stream is None:
        yield
        return
    _streams.append(stream)
    try:
        yield
    finally:
        _streams.pop()


# --- memory -------------------------------------------------------------------------------------------------


def empty_cache() -> None:
    """Give back the memory that no tensor uses."""
    if is_there():
        gpu("cuda.empty_cache()").memory.empty_cache()


def memory_allocated(device: Place = None) -> int:
    """The bytes that tensors use, in blocks of the allocator; 0 without a GPU."""
    return _need("memory_allocated", device).memory.allocated if is_there() else 0


def max_memory_allocated(device: Place = None) -> int:
    """The most bytes that tensors ever used, since `reset_peak_memory_stats`; 0 without a GPU."""
    return _need("max_memory_allocated", device).memory.peak if is_there() else 0


def memory_reserved(device: Place = None) -> int:
    """The bytes that tensors use or that are kept for the next ones; 0 without a GPU."""
    return _need("memory_reserved", device).memory.reserved if is_there() else 0


def max_memory_reserved(device: Place = None) -> int:
    """The most bytes that were ever used or kept, since `reset_peak_memory_stats`; 0 without a GPU."""
    return _need("max_memory_reserved", device).memory.peak_reserved if is_there() else 0


def reset_peak_memory_stats(device: Place = None) -> None:
    """Count the peaks from now on.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("reset_peak_memory_stats", device).memory.reset_peak()


def memory_stats(device: Place = None) -> dict[str, int]:
    """What the allocator counts, under some of PyTorch's names; nothing without a GPU."""
    if not is_there():
        return {}
    memory = _need("memory_stats", device).memory
    return {
        "active_bytes.all.current": memory.allocated,
        "active_bytes.all.peak": memory.peak,
        "allocated_bytes.all.current": memory.allocated,
        "allocated_bytes.all.peak": memory.peak,
        "num_alloc_retries": memory.retries,
        "num_device_alloc": memory.from_driver,
        "num_device_free": memory.to_driver,
        "num_ooms": memory.refusals,
        "reserved_bytes.all.current": memory.reserved,
        "reserved_bytes.all.peak": memory.peak_reserved,
    }


def mem_get_info(device: Place = None) -> tuple[int, int]:
    """The bytes that the GPU has free, and all that it has.

    Raises:
        RuntimeError: there is no such GPU.
    """
    memory = _need("mem_get_info", device).memory
    return memory.driver.free(), memory.total


# --- random numbers -----------------------------------------------------------------------------------------


def manual_seed(seed: int) -> None:
    """Seed the generator of the current GPU: it has none of its own, so nothing changes.

    What the GPU draws are numbers of `tensorlab.random.Philox`: of the seed of `tensorlab.manual_seed`.

    Raises:
        TypeError, ValueError: the seed is no number.
    """
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all GPUs: see `manual_seed`.

    Raises:
        TypeError, ValueError: the seed is no number.
    """
    int(seed)


# --- what kernels read --------------------------------------------------------------------------------------

# The names of `numba.cuda`; `threadIdx`, `blockIdx`, `blockDim`, `gridDim` and `laneid` are read through
# `__getattr__`, because each thread sees its own.
shared, local, atomic = simulator.cuda.shared, simulator.cuda.local, simulator.cuda.atomic
warpsize = simulator.WARP
grid, gridsize = simulator.cuda.grid, simulator.cuda.gridsize
syncthreads, syncthreads_count = simulator.cuda.syncthreads, simulator.cuda.syncthreads_count
syncwarp = simulator.cuda.syncwarp
shfl_sync, shfl_xor_sync = simulator.cuda.shfl_sync, simulator.cuda.shfl_xor_sync
shfl_down_sync, shfl_up_sync = simulator.cuda.shfl_down_sync, simulator.cuda.shfl_up_sync
any_sync, all_sync, ballot_sync = simulator.cuda.any_sync, simulator.cuda.all_sync, simulator.cuda.ballot_sync
__getattr__ = simulator.position
