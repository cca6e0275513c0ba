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

import os
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlab.backends.cuda import gpu, is_there, simulator
from tensorlab.backends.cuda.counts import Access, KernelLine, Report, Request, simulate
from tensorlab.backends.cuda.driver import AcceleratorError
from tensorlab.backends.cuda.graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing
from tensorlab.backends.cuda.memory import OutOfMemoryError, readable
from tensorlab.backends.cuda.occupancy import Occupancy, occupancy
from tensorlab.backends.cuda.schedules import Exploration, Outcome, explore
from tensorlab.backends.cuda.simulator import KernelError, Race, Shape, Touch
from tensorlab.core import devices
from tensorlab.random import default_generator
from tensorlab.tensor import Tensor

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
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "explore",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "graph",
    "graph_pool_handle",
    "grid",
    "gridsize",
    "init",
    "initial_seed",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
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
    "memory_summary",
    "occupancy",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
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

Place = devices.device | str | int | None


class DeviceProperties(NamedTuple):
    """A GPU: its name, its compute capability `major.minor` (what its kernels may use), its bytes.

    `multi_processor_count` says on how many processors its blocks run.
    """

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


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
    return DeviceProperties(driver.name, *driver.capability, driver.total, driver.processors)


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


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU computes in bfloat16; False without one.

    Args:
        including_emulation: True also where each number is widened to float32, as every GPU can; False only
            where tensor cores multiply in bfloat16: from compute capability 8.0 on.

    Example:
        >>> import tensorlab as tl
        >>> tl.bfloat16 if tl.cuda.is_bf16_supported() else tl.float16
        tensorlab.float16
    """
    return is_available() and (including_emulation or get_device_capability() >= (8, 0))


class device:  # noqa: N801 - PyTorch's name
    """Within a ``with``, ``"cuda"`` means this GPU. There is one, so it does already.

    Args:
        device: the GPU; None, or a negative number, for no change.

    Raises:
        RuntimeError: there is no such GPU.
    """

    def __init__(self, device: Place) -> None:
        self.idx = -1
        if device is not None and not (isinstance(device, int) and device < 0):
            self.idx = _need("device", device).device.index or 0

    def __enter__(self) -> None:
        """Nothing changes."""

    def __exit__(self, *error: object) -> None:
        """Nothing has changed."""


class device_of(device):  # noqa: N801 - PyTorch's name
    """Within a ``with``, ``"cuda"`` means the GPU that a tensor lies on; a tensor of the CPU changes nothing.

    Args:
        obj: the tensor.
    """

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.device if obj.device.type == "cuda" else None)


def synchronize(device: Place = None) -> None:
    """Wait until a GPU has done all that it was told to.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("synchronize", device).synchronize()


def _need(function: str, place: Place) -> Cuda:
    found = gpu(f"cuda.{function}()")
    if isinstance(place, int):
        place = devices.device("cuda", place)
    if place is not None and devices.device(place) not in (devices.device("cuda"), found.device):
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

    Within a ``with`` it is the current one, as with `stream`.

    Attributes:
        device: the GPU.
        priority: as it was asked for; with one line nothing comes first.
        cuda_stream: the number by which the driver and other libraries know it.

    Raises:
        RuntimeError: there is no GPU.
    """

    def __init__(self, device: Place = None, priority: int = 0) -> None:
        self._backend = _need("Stream", device)
        self.device, self.priority = self._backend.device, priority
        self.cuda_stream = self._backend.driver.stream
        self._before: list[Stream | None] = []

    def __enter__(self) -> Stream:
        self._before.append(_current.stream)
        set_stream(self)
        return self

    def __exit__(self, *error: object) -> None:
        _current.stream = self._before.pop()

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


class _Current(threading.local):
    """The stream that a thread gives its work to; None for the default one."""

    stream: Stream | None = None


_current = _Current()


def default_stream(device: Place = None) -> Stream:
    """The stream that is used where none is named.

    Raises:
        RuntimeError: there is no such GPU.
    """
    backend = _need("default_stream", device)
    if backend not in _default:
        _default[backend] = Stream()
    return _default[backend]


# The default stream of each backend: always the same object, so that two answers are equal.
_default: dict[Cuda, Stream] = {}


def current_stream(device: Place = None) -> Stream:
    """The stream that ``with tensorlab.cuda.stream(...)`` or `set_stream` said last, else the default one.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("current_stream", device)
    return _current.stream or default_stream()


def set_stream(stream: Stream | None) -> None:
    """Give the work of this thread to a stream from now on; None changes nothing."""
    if stream is not None:
        _current.stream = stream


def stream(stream: Stream | None) -> AbstractContextManager[Any]:
    """Within a ``with``, give the work to a stream, as ``with stream:`` does; None changes nothing."""
    return nullcontext() if stream is None else stream


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


def memory_summary(device: Place = None, abbreviated: bool = False) -> str:
    """What the allocator counts, as a table to print.

    Args:
        device: the GPU.
        abbreviated: leave out how often it turned to the driver.

    Raises:
        RuntimeError: there is no such GPU.
    """
    found = _need("memory_summary", device)
    memory = found.memory
    rows = [
        ("Allocated memory", readable(memory.allocated), readable(memory.peak)),
        ("GPU reserved memory", readable(memory.reserved), readable(memory.peak_reserved)),
        ("GPU free memory", readable(memory.driver.free()), readable(memory.total)),
    ]
    if not abbreviated:
        rows += [
            ("Blocks asked of the driver", str(memory.from_driver), ""),
            ("Blocks given back to it", str(memory.to_driver), ""),
            ("Requests after all kept blocks were given back", str(memory.retries), ""),
            ("Requests that were refused", str(memory.refusals), ""),
        ]
    head = (f"Memory of {found.device}, {found.driver.name}", "Now", "Peak, or all")
    return "\n".join(f"{name:<47} {now:>12} {peak:>14}".rstrip() for name, now, peak in [head, *rows])


def ipc_collect() -> None:
    """Give back memory that other processes no longer use: they never do, so there is none."""


def mem_get_info(device: Place = None) -> tuple[int, int]:
    """The bytes that the GPU has free, and all that it has.

    Raises:
        RuntimeError: there is no such GPU.
    """
    memory = _need("mem_get_info", device).memory
    return memory.driver.free(), memory.total


# --- random numbers -----------------------------------------------------------------------------------------


def manual_seed(seed: int) -> None:
    """Begin the stream of a seed for the GPU alone; nothing without one.

    `tensorlab.manual_seed` begins it as well. What the GPU draws are numbers of `tensorlab.random.Philox`.

    Raises:
        TypeError, ValueError: the seed is no number, or has more than 64 bits.
    """
    seed = int(seed)
    if is_there():
        default_generator.manual_seed_of_gpus(seed)


manual_seed_all = manual_seed


def seed() -> None:
    """Begin a stream for the GPU that cannot be foreseen; nothing without one."""
    manual_seed(int.from_bytes(os.urandom(8), "little"))


seed_all = seed


def initial_seed() -> int:
    """The seed that the GPU's stream began with.

    Raises:
        RuntimeError: there is no GPU.
    """
    gpu("cuda.initial_seed()")
    return default_generator.initial_seed_of_gpus()


def get_rng_state(device: Place = "cuda") -> Tensor:
    """Where the GPU's stream stands, as 16 bytes in a tensor of the CPU.

    Raises:
        RuntimeError: there is no such GPU.
    """
    _need("get_rng_state", device)
    return default_generator.get_state_of_gpus()


def get_rng_state_all() -> list[Tensor]:
    """`get_rng_state` of each GPU."""
    return [get_rng_state(number) for number in range(device_count())]


def set_rng_state(new_state: Tensor, device: Place = "cuda") -> None:
    """Go to where the GPU's stream stood when `get_rng_state` was called.

    Raises:
        TypeError: `new_state` is no tensor of dtype uint8.
        RuntimeError: it is not the state of a GPU, or there is no such GPU.
    """
    _need("set_rng_state", device)
    default_generator.set_state_of_gpus(new_state)


def set_rng_state_all(new_states: Sequence[Tensor]) -> None:
    """`set_rng_state` of each GPU.

    Raises:
        RuntimeError: there is no GPU for a state.
    """
    for number, state in enumerate(new_states):
        set_rng_state(state, number)


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
