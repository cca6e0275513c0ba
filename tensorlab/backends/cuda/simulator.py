"""A GPU's threads, blocks and warps on the CPU, one thread after another: kernels run without a GPU.

A kernel is an ordinary Python function that reads the name `cuda` of this module, which offers what
`numba.cuda` offers under the same names. `launch` calls it once for each thread of a grid. Each thread is a
greenlet: it runs until it waits at a barrier, and then another goes on, in an order that `seed` shuffles.

What a GPU leaves undefined is an error here, with the kernel, the block and the thread:

- an index outside of an array, also a negative one;
- a *race*: two threads touch a cell, one of them writes, and no barrier stands between. It is found in every
  order of the threads, and the error names both threads and both lines of the kernel;
- shared memory that is read before anybody has written it;
- a barrier that some threads of the block do not reach, or reach at another place of the kernel.

Registers and local arrays begin as NaN. What is not simulated: time, caches, and memory that other threads
see late without a barrier, which is a race in any case.

Two modules stand on this one: `counts` notes what each warp does, `schedules` tries orders of the threads.
"""

from __future__ import annotations

import inspect
import linecache
import math
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from types import CodeType, FrameType, SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np

__all__ = [
    "ENTRY",
    "WARP",
    "Cells",
    "Grid",
    "KernelError",
    "Observer",
    "Place",
    "Race",
    "Schedule",
    "Shape",
    "Shuffled",
    "Thread",
    "Touch",
    "as_memory",
    "brought_by_lanes",
    "cuda",
    "current_thread",
    "launch",
    "line_of",
    "position",
    "sizes_of",
    "text_of",
]

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


def line_of(place: Place) -> int:
    """The line of the file in which a place of a kernel stands."""
    code, instruction = place
    lines = (line for start, end, line in code.co_lines() if start <= instruction < end)
    return next(lines, None) or code.co_firstlineno


def text_of(place: Place) -> str:
    """The line of source in which a place of a kernel stands; empty if there is no source."""
    return linecache.getline(place[0].co_filename, line_of(place)).strip()


class Touch(NamedTuple):
    """A thread touches a cell.

    Who it is say the positions `block` in the grid and `thread` in the block, and the `number` of the thread
    in its block, counted along x first. When it was say the `barriers` of the block and the `warp_barriers`
    that it had passed. It is ``"reads"``, ``"writes"`` or ``"updates"``, an atomic operation, what it was
    `doing`, at this `place` of the kernel.
    """

    block: Shape
    thread: Shape
    number: int
    barriers: int
    warp_barriers: int
    doing: str
    place: Place

    def is_ordered(self, later: Touch) -> bool:
        """Whether this touch was over before the later one, in every order of the threads."""
        if self.block != later.block:
            return False
        if self.number == later.number or self.barriers != later.barriers:
            return True
        same_warp = self.number // WARP == later.number // WARP
        return same_warp and self.warp_barriers != later.warp_barriers

    def told(self, beside: Touch) -> str:
        """Who does what in which line; the block is named where the other touch is of another one."""
        block = "" if self.block == beside.block else f" of block {tuple(self.block)}"
        text = text_of(self.place)
        shown = f", `{text}`" if text else ""
        return f"thread {tuple(self.thread)}{block} {self.doing} it in line {line_of(self.place)}{shown}"


@dataclass(frozen=True)
class Race:
    """Two threads touch a cell, one of them writes, and no barrier stands between.

    Attributes:
        cell: the array and the index, as in ``"tile[3, 4]"``.
        space: the memory, ``"shared"`` or ``"global"``.
        first, second: the touches, in the order in which they happened here.
    """

    cell: str
    space: str
    first: Touch
    second: Touch

    def __str__(self) -> str:
        first, second = self.first.told(self.second), self.second.told(self.first)
        where = f"{self.cell} in {self.space} memory"
        return f"a race for {where}: {first}; {second}; no barrier stands between them"


class Cells:
    """Memory that several threads see. It checks every index, and who touched a cell before."""

    def __init__(self, array: np.ndarray, space: str, name: str, is_written: bool) -> None:
        self.array, self.space, self.name, self.is_written = array, space, name, is_written
        self.shape, self.dtype, self.size = array.shape, array.dtype, array.size
        self.owner = array
        while isinstance(self.owner.base, np.ndarray):
            self.owner = self.owner.base
        # The byte of its first cell, counted from the beginning of the array that it is a view of.
        self.first = array.ctypes.data - self.owner.ctypes.data
        # Who touched a cell, by its index; by its address where another argument is a view of the same array.
        self._is_alone = True
        self._writer: dict[Any, Touch] = {}
        self._readers: dict[Any, dict[tuple[Shape, int], Touch]] = {}

    def join(self, other: Cells) -> None:
        """Share with other cells of the same array who touched what."""
        self._writer, self._readers = other._writer, other._readers
        self._is_alone = other._is_alone = False

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        touch = current_thread().touch(self, index, "reads", _place())
        key = index if self._is_alone else self.address(index)
        if not self.is_written and key not in self._writer:
            grid = current_thread().block.grid
            if grid.races is None:
                raise KernelError(self.unwritten(index))
            grid.unwritten[id(self), index] = self.unwritten(index)
        self._meet_writer(key, index, touch)
        self._readers.setdefault(key, {})[touch.block, touch.number] = touch
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check(index)
        self.write(index, value, current_thread().touch(self, index, "writes", _place()))

    def update(self, index: Any, combine: Callable[[Any], Any], place: Place) -> Any:
        """Read a cell and overwrite it before another thread can; returns the value before."""
        self._check(index)
        touch = current_thread().touch(self, index, "updates", place)
        before = self.array[index]
        self.write(index, combine(before), touch)
        return before

    def write(self, index: Any, value: Any, touch: Touch) -> None:
        """Overwrite a cell."""
        key = index if self._is_alone else self.address(index)
        self._meet_writer(key, index, touch)
        for reader in self._readers.pop(key, {}).values():
            if not reader.is_ordered(touch):
                self._found_race(index, reader, touch)
        self._writer[key] = touch
        self.array[index] = value

    def address(self, index: Any) -> int:
        """The byte at which a cell begins, counted from the beginning of the array that this is a view of."""
        places = index if isinstance(index, tuple) else (index,)
        return self.first + sum(
            int(place) * stride for place, stride in zip(places, self.array.strides, strict=True)
        )

    def cell(self, index: Any) -> str:
        """A cell as the kernel writes it."""
        places = index if isinstance(index, tuple) else (index,)
        return f"{self.name}[{', '.join(map(str, places))}]"

    def unwritten(self, index: Any) -> str:
        """The sentence for a cell that is read too early."""
        return f"{self.cell(index)} in {self.space} memory is read before any thread has written it"

    def _check(self, index: Any) -> None:
        places = index if isinstance(index, tuple) else (index,)
        if len(places) != len(self.shape) or not all(
            0 <= place < size for place, size in zip(places, self.shape, strict=True)
        ):
            sizes = " × ".join(map(str, self.shape))
            raise KernelError(
                f"index {index} is outside of {self.name}, {sizes} cells of {self.space} memory"
            )

    def _meet_writer(self, key: Any, index: Any, touch: Touch) -> None:
        writer = self._writer.get(key)
        if writer is None or writer.is_ordered(touch):
            return
        if writer.doing != "updates" or touch.doing != "updates":
            self._found_race(index, writer, touch)

    def _found_race(self, index: Any, first: Touch, second: Touch) -> None:
        race = Race(self.cell(index), self.space, first, second)
        grid = current_thread().block.grid
        if grid.races is None:
            raise KernelError(str(race))
        grid.races.append(race)
        grid.unwritten.pop((id(self), index), None)


class Observer(Protocol):
    """Hears of each access to memory."""

    def note(self, thread: Thread, cells: Cells, index: Any, touch: Touch) -> None:
        """A thread touches a cell."""

    def finish(self, block: Block) -> None:
        """A block has ended."""


class Schedule:
    """The order in which blocks and threads run: here that of their numbers.

    Attributes:
        switches: whether other threads run before each touch of memory, or only at barriers.
    """

    switches = False

    def arrange_blocks(self, blocks: list[Shape]) -> None:
        """Put the blocks of a grid into order."""

    def arrange_threads(self, threads: list[Thread]) -> None:
        """Put the threads of a block that have not ended into order, before each goes on."""


class Shuffled(Schedule):
    """Blocks and threads in an order that chance has chosen.

    Args:
        seed: chooses the order.
        switches: see `Schedule`.
    """

    def __init__(self, seed: int, switches: bool = False) -> None:
        self.switches = switches
        self._random = random.Random(seed)

    def arrange_blocks(self, blocks: list[Shape]) -> None:
        """See `Schedule.arrange_blocks`."""
        self._random.shuffle(blocks)

    def arrange_threads(self, threads: list[Thread]) -> None:
        """See `Schedule.arrange_threads`."""
        self._random.shuffle(threads)


class Thread:
    """One thread of a block: where it is, and what it waits for."""

    def __init__(self, block: Block, position: Shape, number: int) -> None:
        self.block, self.position, self.number = block, position, number
        self.lane, self.warp = number % WARP, number // WARP
        self.barriers = self.warp_barriers = 0
        self.waits: tuple[str, Place, int] | None = None
        self.value: Any = None
        self.greenlet: Any = None

    def touch(self, cells: Cells, index: Any, doing: str, place: Place) -> Touch:
        """Note that the thread touches a cell; where the schedule wants it, others run before that."""
        grid = self.block.grid
        if grid.schedule.switches:
            self.block.scheduler.switch()
        touch = Touch(
            self.block.position, self.position, self.number, self.barriers, self.warp_barriers, doing, place
        )
        if grid.observer is not None:
            grid.observer.note(self, cells, index, touch)
        return touch

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


def _enter(kernel: Callable, arguments: Sequence[Any]) -> None:
    """What a thread does: this is the frame from which a kernel is called."""
    kernel(*arguments)


ENTRY = _enter.__code__


class Block:
    """The threads that share memory and barriers."""

    def __init__(self, grid: Grid, position: Shape) -> None:
        greenlet, getcurrent = _greenlets()
        self.grid, self.position = grid, position
        self.shared: dict[Place, Cells] = {}
        self.scheduler = getcurrent()
        self.threads = [Thread(self, at, number) for number, at in enumerate(_positions(grid.block))]
        for thread in self.threads:
            thread.greenlet = greenlet(_enter)
            thread.greenlet.gr_context = copy_context()  # where NumPy keeps which warnings are wanted

    def run(self) -> None:
        """Run every thread to its end."""
        waiting: list[Thread] = list(self.threads)
        while waiting:
            self.grid.schedule.arrange_threads(waiting)
            for thread in waiting:
                if thread.waits is None:
                    self._go_on(thread)
            waiting = [thread for thread in waiting if not thread.greenlet.dead]
            if any(thread.waits is None for thread in waiting):
                continue  # it has not come to its barrier: others went first
            if waiting and not (self._release_warps(waiting) | self._release_block(waiting)):
                thread = min(waiting, key=lambda each: each.number)
                raise thread.block.error(
                    thread, "it waits for lanes of its warp that never come to this place of the kernel"
                )
        for thread, why in zip(self.threads, self.grid.unwritten.values(), strict=False):
            raise self.error(thread, why)
        if self.grid.observer is not None:
            self.grid.observer.finish(self)

    def _go_on(self, thread: Thread) -> None:
        _running.append(thread)
        try:
            if thread.greenlet:
                thread.greenlet.switch()
            else:
                thread.greenlet.switch(self.grid.kernel, self.grid.arguments)
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
    """One launch.

    Args:
        kernel: a function that reads `cuda`.
        size: how many blocks there are.
        block: how many threads a block has.
        arguments: what the kernel is called with.
        schedule: the order of blocks and threads.
        observer: hears of each access to memory.
        forgives: whether races are noted in `races` instead of being errors.

    Raises:
        ValueError: a GPU has no blocks of that size.
    """

    def __init__(
        self,
        kernel: Callable,
        size: int | tuple[int, ...],
        block: int | tuple[int, ...],
        arguments: Sequence[Any],
        schedule: Schedule,
        observer: Observer | None = None,
        forgives: bool = False,
    ) -> None:
        self.kernel, self.schedule, self.observer = kernel, schedule, observer
        self.size, self.block = sizes_of(size, block)
        self.races: list[Race] | None = [] if forgives else None
        self.unwritten: dict[Any, str] = {}
        memory: dict[int, Cells] = {}  # an array that is given twice is the same memory
        names = _names_of(kernel, len(arguments))
        self.arguments = [_on_device(each, name, memory) for each, name in zip(arguments, names, strict=True)]
        self.memory = list(memory.values())
        owners: dict[int, Cells] = {}
        for cells in self.memory:
            first = owners.setdefault(id(cells.owner), cells)
            if first is not cells:
                cells.join(first)

    def run(self) -> None:
        """Run every block to its end."""
        blocks = list(_positions(self.size))
        self.schedule.arrange_blocks(blocks)
        with np.errstate(all="ignore"):
            for position in blocks:
                Block(self, position).run()


def sizes_of(size: int | tuple[int, ...], block: int | tuple[int, ...]) -> tuple[Shape, Shape]:
    """The blocks of a grid and the threads of a block, in three directions.

    Raises:
        ValueError: a GPU has no blocks of that size.
    """
    blocks, threads = (Shape(*each) if isinstance(each, tuple) else Shape(each) for each in (size, block))
    if math.prod(threads) > 1024 or min(*blocks, *threads) < 1:
        raise ValueError(
            f"a grid of {tuple(blocks)} blocks of {tuple(threads)} threads: a block has 1 to 1024 "
            f"threads, and a grid at least one block"
        )
    return blocks, threads


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
    Grid(kernel, grid, block, arguments, Shuffled(seed)).run()


def _names_of(kernel: Callable, count: int) -> list[str]:
    """What a kernel calls its arguments, so many of them."""
    named: list[str] = []
    for each in inspect.signature(kernel).parameters.values():
        if each.kind is each.VAR_POSITIONAL:
            named += [f"{each.name}[{number}]" for number in range(count - len(named))]
        else:
            named.append(each.name)
    return [*named[:count], *(f"argument {number}" for number in range(len(named), count))]


def as_memory(argument: Any) -> Any:
    """An argument whose tensors, also those in a tuple, are NumPy arrays over the same memory.

    Raises:
        TypeError: a tensor lies on a real GPU, or NumPy has no such dtype.
    """
    if isinstance(argument, tuple):
        return tuple(map(as_memory, argument))
    if not hasattr(argument, "untyped_storage"):
        return argument
    tensor = argument.detach()
    if tensor.device.type == "cpu":
        return tensor.numpy()
    if tensor.untyped_storage().backend.driver.capability > (0, 0):
        raise TypeError("the simulator runs on the host, and the tensor lies on a GPU: give it tensor.cpu()")
    described = {**tensor.__cuda_array_interface__, "stream": None}
    return np.asarray(SimpleNamespace(__array_interface__=described))


def _on_device(argument: Any, name: str, memory: dict[int, Cells]) -> Any:
    """An argument as a kernel sees it: arrays, also those in a tuple, become memory of the GPU."""
    if isinstance(argument, tuple):
        return tuple(_on_device(each, f"{name}[{i}]", memory) for i, each in enumerate(argument))
    if not isinstance(argument, np.ndarray):
        return argument
    if id(argument) not in memory:
        memory[id(argument)] = Cells(argument, "global", name, is_written=True)
    return memory[id(argument)]


def _positions(size: Shape) -> Iterator[Shape]:
    for z in range(size.z):
        for y in range(size.y):
            for x in range(size.x):
                yield Shape(x, y, z)


# --- what a kernel sees -------------------------------------------------------------------------------------

# The thread that runs now is the last.
_running: list[Thread] = []


def current_thread() -> Thread:
    """The thread that runs now.

    Raises:
        RuntimeError: no kernel runs.
    """
    if not _running:
        raise RuntimeError("this is code of a kernel: call it with launch(kernel, grid, block, ...)")
    return _running[-1]


def _place(depth: int = 2) -> Place:
    frame: FrameType = sys._getframe(depth)
    return frame.f_code, frame.f_lasti


class _Shared:
    """``cuda.shared``: memory of a block."""

    @staticmethod
    def array(shape: int | tuple[int, ...], dtype: Any, alignment: int = 0) -> Cells:
        """The block's array that this line of the kernel stands for: the same one for all its threads."""
        shared = current_thread().block.shared
        place = _place()
        if place not in shared:
            named = re.match(r"(\w+)\s*[:=]", text_of(place))
            name = named[1] if named else "an array"
            shared[place] = Cells(_poisoned(shape, dtype), "shared", name, is_written=False)
        return shared[place]


class _Local:
    """``cuda.local``: memory of a thread, registers if the compiler can."""

    @staticmethod
    def array(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array of the thread alone."""
        return _poisoned(shape, dtype)


def _poisoned(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """New memory that shows where it is read before it is written: NaN, or the greatest integer."""
    cell = np.dtype(dtype)
    return np.full(
        shape, True if cell.kind == "b" else np.iinfo(cell).max if cell.kind in "iu" else np.nan, cell
    )


class _Atomic:
    """``cuda.atomic``: to read a cell and to overwrite it before another thread can. The value before."""

    def add(self, cells: Cells, index: Any, value: Any) -> Any:
        return cells.update(index, lambda before: before + value, _place())

    def max(self, cells: Cells, index: Any, value: Any) -> Any:
        return cells.update(index, lambda before: max(before, value), _place())

    def min(self, cells: Cells, index: Any, value: Any) -> Any:
        return cells.update(index, lambda before: min(before, value), _place())


class Cuda:
    """The names of `numba.cuda` that kernels use."""

    shared, local, atomic = _Shared(), _Local(), _Atomic()
    warpsize = WARP

    @property
    def threadIdx(self) -> Shape:  # noqa: N802  # CUDA's name
        return current_thread().position

    @property
    def blockIdx(self) -> Shape:  # noqa: N802
        return current_thread().block.position

    @property
    def blockDim(self) -> Shape:  # noqa: N802
        return current_thread().block.grid.block

    @property
    def gridDim(self) -> Shape:  # noqa: N802
        return current_thread().block.grid.size

    @property
    def laneid(self) -> int:
        return current_thread().lane

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
        current_thread().wait("block", _place())

    def syncthreads_count(self, is_true: Any) -> int:
        """Wait for all threads of the block, and count those whose condition is true."""
        return sum(current_thread().wait("block", _place(), value=bool(is_true)).values())

    def syncwarp(self, lanes: int = ALL_LANES) -> None:
        """Wait for lanes of the warp."""
        current_thread().wait("warp", _place(), lanes & _there())

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
        found = current_thread().wait("warp", _place(), lanes & _there(), bool(is_true))
        return sum(1 << lane for lane, value in found.items() if value)

    def any_sync(self, lanes: int, is_true: Any) -> bool:
        """Whether the condition is true for a lane."""
        return any(current_thread().wait("warp", _place(), lanes & _there(), bool(is_true)).values())

    def all_sync(self, lanes: int, is_true: Any) -> bool:
        """Whether the condition is true for all lanes."""
        return all(current_thread().wait("warp", _place(), lanes & _there(), bool(is_true)).values())


def _there() -> int:
    """The lanes of the warp that exist: the last warp of a block may be short."""
    thread = current_thread()
    return (1 << min(WARP, len(thread.block.threads) - thread.warp * WARP)) - 1


def _exchanged(lanes: int, value: Any, source: int, place: Place) -> Any:
    """What lane `source` brought; the thread's own value where no such lane takes part."""
    found = current_thread().wait("warp", place, lanes & _there(), value)
    return found.get(source, value)


def brought_by_lanes(value: Any) -> dict[int, Any]:
    """What each lane of the warp brings to this place, by lane."""
    brought: dict[int, Any] = current_thread().wait("warp", _place(), _there(), value)
    return brought


cuda = Cuda()


def position(name: str) -> Any:
    """What a thread reads of where it is: `threadIdx` and the like, as attributes of a module.

    Raises:
        AttributeError: it is not such a name.
    """
    if name not in ("threadIdx", "blockIdx", "blockDim", "gridDim", "laneid"):
        raise AttributeError(f"module 'tensorlab.cuda' has no attribute {name!r}")
    return getattr(cuda, name)
