"""A GPU's threads, blocks and warps on the CPU, one thread after another: kernels run without a GPU.

A kernel is an ordinary Python function that reads the name `cuda` of this module, which offers what
`numba.cuda` offers under the same names. `launch` calls it once for each thread of a grid. Each thread is a
greenlet: it runs until it waits at a barrier, and then another goes on, in an order that `seed` shuffles.

What a GPU leaves undefined is an error here, with the kernel, the block and the thread:

- an index outside of an array, also a negative one;
- a *race*: two threads touch a cell, one of them writes, and no barrier stands between;
- shared memory that is read before anybody has written it;
- a barrier that some threads of the block do not reach, or reach at another place of the kernel.

Registers and local arrays begin as NaN. What is not simulated: time, caches, and memory that other threads
see late without a barrier, which is a race in any case.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

__all__ = ["WARP", "KernelError", "Shape", "cuda", "launch"]

WARP = 32
ALL_LANES = 0xFFFFFFFF

# A place in a kernel's text: its code, and the instruction.
Place = tuple[CodeType, int]


class KernelError(RuntimeError):
    """A kernel did what is undefined on a GPU."""


class Shape(NamedTuple):
    """Three numbers: a position in a block or in a grid, or the size of one."""

    x: int
    y: int = 1
    z: int = 1


class Stamp(NamedTuple):
    """When a thread touched a cell: which thread it was, and how many barriers it had passed."""

    block: Shape
    thread: int
    barriers: int
    warp_barriers: int

    def is_ordered(self, later: Stamp) -> bool:
        """Whether this touch was over before the later one, in every order of the threads."""
        if self.block != later.block:
            return False
        if self.thread == later.thread or self.barriers != later.barriers:
            return True
        same_warp = self.thread // WARP == later.thread // WARP
        return same_warp and self.warp_barriers != later.warp_barriers


class Cells:
    """Memory that several threads see. It checks every index, and who touched a cell before."""

    def __init__(self, array: np.ndarray, space: str, is_written: bool) -> None:
        self.array, self.space, self.is_written = array, space, is_written
        self.shape, self.dtype, self.size = array.shape, array.dtype, array.size
        self._writer: dict[Any, tuple[Stamp, bool]] = {}
        self._readers: dict[Any, dict[tuple[Shape, int], Stamp]] = {}

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        thread = _now()
        if not self.is_written and index not in self._writer:
            raise KernelError(f"cell {index} of {self.space} memory is read before any thread has written it")
        stamp = thread.stamp()
        self._meet_writer(index, stamp, "reads", is_atomic=False)
        self._readers.setdefault(index, {})[stamp.block, stamp.thread] = stamp
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.write(index, value)

    def write(self, index: Any, value: Any, is_atomic: bool = False) -> None:
        """Overwrite a cell, alone or as a part of an atomic operation."""
        self._check(index)
        stamp = _now().stamp()
        self._meet_writer(index, stamp, "writes", is_atomic)
        for reader in self._readers.pop(index, {}).values():
            if not reader.is_ordered(stamp):
                raise self._race(index, stamp, "writes", reader, "reads")
        self._writer[index] = stamp, is_atomic
        self.array[index] = value

    def _check(self, index: Any) -> None:
        places = index if isinstance(index, tuple) else (index,)
        if len(places) != len(self.shape) or not all(
            0 <= place < size for place, size in zip(places, self.shape, strict=True)
        ):
            sizes = " × ".join(map(str, self.shape))
            raise KernelError(f"index {index} is outside of {sizes} cells of {self.space} memory")

    def _meet_writer(self, index: Any, stamp: Stamp, doing: str, is_atomic: bool) -> None:
        if index in self._writer:
            writer, was_atomic = self._writer[index]
            if not (is_atomic and was_atomic) and not writer.is_ordered(stamp):
                raise self._race(index, stamp, doing, writer, "writes")

    def _race(self, index: Any, one: Stamp, doing: str, other: Stamp, done: str) -> KernelError:
        where = "" if one.block == other.block else f" of block {tuple(other.block)}"
        return KernelError(
            f"a race for cell {index} of {self.space} memory: this thread {doing} it, thread {other.thread}"
            f"{where} {done} it, and no barrier stands between"
        )


class Thread:
    """One thread of a block: where it is, and what it waits for."""

    def __init__(self, block: Block, position: Shape, number: int) -> None:
        self.block, self.position, self.number = block, position, number
        self.lane, self.warp = number % WARP, number // WARP
        self.barriers = self.warp_barriers = 0
        self.waits: tuple[str, Place, int] | None = None
        self.value: Any = None
        self.greenlet: Any = None

    def stamp(self) -> Stamp:
        return Stamp(self.block.position, self.number, self.barriers, self.warp_barriers)

    def wait(self, kind: str, place: Place, lanes: int = ALL_LANES, value: Any = None) -> Any:
        """Let others run until all that must have come to this place; what they brought, by number."""
        self.waits, self.value = (kind, place, lanes), value
        self.block.scheduler.switch()
        return self.value


def _greenlets() -> tuple[Any, Any]:
    """What starts a thread, and what says which one runs.

    Raises:
        ModuleNotFoundError: the package is not installed.
    """
    try:
        from greenlet import getcurrent, greenlet
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "the simulator of a GPU needs the package greenlet, which is not installed: "
            "pip install 'greenlet>=3.5,<4'"
        ) from None
    return greenlet, getcurrent


class Block:
    """The threads that share memory and barriers."""

    def __init__(self, grid: Grid, position: Shape) -> None:
        greenlet, getcurrent = _greenlets()
        self.grid, self.position = grid, position
        self.shared: dict[Place, Cells] = {}
        self.scheduler = getcurrent()
        self.threads = [Thread(self, at, number) for number, at in enumerate(_positions(grid.block))]
        for thread in self.threads:
            thread.greenlet = greenlet(lambda: grid.kernel(*grid.arguments))
            thread.greenlet.gr_context = copy_context()  # where NumPy keeps which warnings are wanted

    def run(self) -> None:
        """Run every thread to its end."""
        waiting: list[Thread] = list(self.threads)
        while waiting:
            self.grid.random.shuffle(waiting)
            for thread in waiting:
                if thread.waits is None:
                    self._go_on(thread)
            waiting = [thread for thread in waiting if not thread.greenlet.dead]
            if waiting and not (self._release_warps(waiting) | self._release_block(waiting)):
                thread = min(waiting, key=lambda each: each.number)
                raise thread.block.error(
                    thread, "it waits for lanes of its warp that never come to this place of the kernel"
                )

    def _go_on(self, thread: Thread) -> None:
        _running.append(thread)
        try:
            thread.greenlet.switch()
        except Exception as error:
            raise self.error(thread, f"{error}") from error
        finally:
            _running.pop()

    def _release_block(self, waiting: Sequence[Thread]) -> bool:
        """Open the barrier of the block, once everybody stands there."""
        there = [thread for thread in waiting if thread.waits is not None and thread.waits[0] == "block"]
        if len(there) < len(waiting):
            return False
        places = {thread.waits and thread.waits[1] for thread in there}
        if len(places) > 1 or len(there) < len(self.threads):
            gone = len(self.threads) - len(there)
            why = f"{gone} threads of the block ended without it" if gone else "others wait at another one"
            raise self.error(there[0], f"it waits at a barrier that is divergent: {why}")
        brought = {thread.number: thread.value for thread in there}
        for thread in there:
            thread.waits, thread.value, thread.barriers = None, brought, thread.barriers + 1
        return True

    def _release_warps(self, waiting: Sequence[Thread]) -> bool:
        """Let the lanes go on that have met all that they named."""
        is_released = False
        for first in waiting:
            if first.waits is None or first.waits[0] == "block":
                continue
            lanes = first.waits[2]
            named = [t for t in self.threads if t.warp == first.warp and lanes >> t.lane & 1]
            if all(t.waits == first.waits and not t.greenlet.dead for t in named):
                brought = {t.lane: t.value for t in named}
                for t in named:
                    t.waits, t.value, t.warp_barriers = None, brought, t.warp_barriers + 1
                is_released = True
        return is_released

    def error(self, thread: Thread, why: str) -> KernelError:
        name = getattr(self.grid.kernel, "__name__", "a kernel")
        at = f"block {tuple(self.position)}, thread {tuple(thread.position)}"
        return KernelError(f"{name}, {at}: {why}")


class Grid:
    """One launch: a kernel, its arguments, and how many blocks of how many threads."""

    def __init__(self, kernel: Callable, size: Shape, block: Shape, arguments: list, seed: int) -> None:
        self.kernel, self.size, self.block, self.arguments = kernel, size, block, arguments
        self.random = random.Random(seed)

    def run(self) -> None:
        blocks = list(_positions(self.size))
        self.random.shuffle(blocks)
        for position in blocks:
            Block(self, position).run()


def launch(
    kernel: Callable,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    *arguments: Any,
    seed: int = 0,
) -> None:
    """Run a kernel on every thread of a grid, and return when all are done.

    Args:
        kernel: a function that reads `cuda`.
        grid: how many blocks there are, in up to three directions.
        block: how many threads a block has, at most 1024.
        arguments: what the kernel is called with. NumPy arrays are the GPU's memory.
        seed: chooses the order in which blocks, and threads between two barriers, run.

    Raises:
        KernelError: the kernel did what is undefined on a GPU, or raised an error.
        ValueError: a GPU has no blocks of that size.

    Example:
        >>> def double(x):
        ...     i = cuda.grid(1)
        ...     if i < x.size:
        ...         x[i] *= 2
        >>> x = np.arange(5.0)
        >>> launch(double, 2, 4, x)
        >>> x.tolist()
        [0.0, 2.0, 4.0, 6.0, 8.0]
    """
    blocks, threads = (Shape(*size) if isinstance(size, tuple) else Shape(size) for size in (grid, block))
    if math.prod(threads) > 1024 or min(*blocks, *threads) < 1:
        raise ValueError(
            f"a grid of {tuple(blocks)} blocks of {tuple(threads)} threads: a block has 1 to 1024 "
            f"threads, and a grid at least one block"
        )
    memory: dict[int, Cells] = {}  # an array that is given twice is the same memory
    with np.errstate(all="ignore"):
        Grid(kernel, blocks, threads, [_on_device(each, memory) for each in arguments], seed).run()


def _on_device(argument: Any, memory: dict[int, Cells]) -> Any:
    """An argument as a kernel sees it: arrays, also those in a tuple, become memory of the GPU."""
    if isinstance(argument, tuple):
        return tuple(_on_device(each, memory) for each in argument)
    if not isinstance(argument, np.ndarray):
        return argument
    if id(argument) not in memory:
        memory[id(argument)] = Cells(argument, "global", is_written=True)
    return memory[id(argument)]


def _positions(size: Shape) -> Iterator[Shape]:
    for z in range(size.z):
        for y in range(size.y):
            for x in range(size.x):
                yield Shape(x, y, z)


# --- what a kernel sees -------------------------------------------------------------------------------------

# The thread that runs now is the last.
_running: list[Thread] = []


def _now() -> Thread:
    if not _running:
        raise RuntimeError("this is code of a kernel: call it with launch(kernel, grid, block, ...)")
    return _running[-1]


def _place(depth: int = 2) -> Place:
    frame: FrameType = sys._getframe(depth)
    return frame.f_code, frame.f_lasti


class _Shared:
    """``cuda.shared``: memory of a block."""

    @staticmethod
    def array(shape: int | tuple[int, ...], dtype: Any) -> Cells:
        """The block's array that this line of the kernel stands for: the same one for all its threads."""
        shared = _now().block.shared
        place = _place()
        if place not in shared:
            shared[place] = Cells(np.empty(shape, dtype), "shared", is_written=False)
        return shared[place]


class _Local:
    """``cuda.local``: memory of a thread, registers if the compiler can."""

    @staticmethod
    def array(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array of the thread alone."""
        cell = np.dtype(dtype)
        return np.full(shape, np.nan if cell.kind == "f" else np.iinfo(cell).max, cell)


class _Atomic:
    """``cuda.atomic``: to read a cell and to overwrite it before another thread can. The value before."""

    @staticmethod
    def _combine(cells: Cells, index: Any, combine: Callable[[Any], Any]) -> Any:
        cells._check(index)
        before = cells.array[index]
        cells.write(index, combine(before), is_atomic=True)
        return before

    def add(self, cells: Cells, index: Any, value: Any) -> Any:
        return self._combine(cells, index, lambda before: before + value)

    def max(self, cells: Cells, index: Any, value: Any) -> Any:
        return self._combine(cells, index, lambda before: max(before, value))

    def min(self, cells: Cells, index: Any, value: Any) -> Any:
        return self._combine(cells, index, lambda before: min(before, value))


class Cuda:
    """The names of `numba.cuda` that kernels use."""

    shared, local, atomic = _Shared(), _Local(), _Atomic()
    warpsize = WARP

    @property
    def threadIdx(self) -> Shape:  # noqa: N802  # CUDA's name
        return _now().position

    @property
    def blockIdx(self) -> Shape:  # noqa: N802
        return _now().block.position

    @property
    def blockDim(self) -> Shape:  # noqa: N802
        return _now().block.grid.block

    @property
    def gridDim(self) -> Shape:  # noqa: N802
        return _now().block.grid.size

    @property
    def laneid(self) -> int:
        return _now().lane

    def grid(self, dimensions: int) -> Any:
        """The position of the thread in the whole grid."""
        found = [b * d + t for b, d, t in zip(self.blockIdx, self.blockDim, self.threadIdx, strict=True)]
        return found[0] if dimensions == 1 else tuple(found[:dimensions])

    def gridsize(self, dimensions: int) -> Any:
        """How many threads the whole grid has."""
        found = [blocks * threads for blocks, threads in zip(self.gridDim, self.blockDim, strict=True)]
        return found[0] if dimensions == 1 else tuple(found[:dimensions])

    def syncthreads(self) -> None:
        """Wait for all threads of the block."""
        _now().wait("block", _place())

    def syncthreads_count(self, is_true: Any) -> int:
        """Wait for all threads of the block, and count those whose condition is true."""
        return sum(_now().wait("block", _place(), value=bool(is_true)).values())

    def syncwarp(self, lanes: int = ALL_LANES) -> None:
        """Wait for lanes of the warp."""
        _now().wait("warp", _place(), lanes & _there())

    def shfl_sync(self, lanes: int, value: Any, source: int) -> Any:
        """The value of lane `source`."""
        return _exchanged(lanes, value, source, _place())

    def shfl_down_sync(self, lanes: int, value: Any, distance: int) -> Any:
        """The value of the lane that is so much further up the numbers."""
        return _exchanged(lanes, value, self.laneid + distance, _place())

    def shfl_up_sync(self, lanes: int, value: Any, distance: int) -> Any:
        """The value of the lane that is so much further down the numbers."""
        return _exchanged(lanes, value, self.laneid - distance, _place())

    def shfl_xor_sync(self, lanes: int, value: Any, bits: int) -> Any:
        """The value of the lane whose number differs in these bits."""
        return _exchanged(lanes, value, self.laneid ^ bits, _place())

    def ballot_sync(self, lanes: int, is_true: Any) -> int:
        """One bit for each lane whose condition is true."""
        found = _now().wait("warp", _place(), lanes & _there(), bool(is_true))
        return sum(1 << lane for lane, value in found.items() if value)

    def any_sync(self, lanes: int, is_true: Any) -> bool:
        """Whether the condition is true for a lane."""
        return any(_now().wait("warp", _place(), lanes & _there(), bool(is_true)).values())

    def all_sync(self, lanes: int, is_true: Any) -> bool:
        """Whether the condition is true for all lanes."""
        return all(_now().wait("warp", _place(), lanes & _there(), bool(is_true)).values())


def _there() -> int:
    """The lanes of the warp that exist: the last warp of a block may be short."""
    thread = _now()
    return (1 << min(WARP, len(thread.block.threads) - thread.warp * WARP)) - 1


def _exchanged(lanes: int, value: Any, source: int, place: Place) -> Any:
    """What lane `source` brought; the thread's own value where no such lane takes part."""
    found = _now().wait("warp", place, lanes & _there(), value)
    return found.get(source, value)


cuda = Cuda()
