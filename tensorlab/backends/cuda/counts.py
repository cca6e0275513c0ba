"""What a GPU would have to do for a kernel: memory transactions, bank conflicts, lanes that wait.

`simulate` runs a kernel in the simulator and returns a `Report`. The rules are those of NVIDIA's cards since
2017 (CUDA C++ Programming Guide, "Compute Capability 7.x" and later; the names are those of Nsight Compute):

- A warp, 32 threads, asks for memory once for all its lanes: one *request*.
- Global memory moves in *sectors* of 32 bytes; 4 sectors side by side are a cache line of 128. A request
  costs the sectors that its lanes touch, each once. A GPU keeps arrays at multiples of 256 bytes, so that an
  array begins with a sector; a view begins where it does in its array.
- Shared memory has 32 *banks*, each 4 bytes wide; word `w` lies in bank `w` % 32. A bank serves one word at a
  time, to every lane that wants it. The turns that a request takes are its *wavefronts*; those beyond what
  its bytes need are *bank conflicts*. Elements of 8 bytes go in two halves of the warp, of 16 in four
  quarters.
- An atomic operation changes a word for one lane at a time.

Caches are not simulated: a sector counts each time that a warp asks for it.
"""

from __future__ import annotations

import dis
import linecache
import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import dedent
from typing import Any

from tensorlab.backends.cuda.occupancy import Occupancy, occupancy
from tensorlab.backends.cuda.simulator import WARP, Block, Grid, Schedule, Shape, as_memory
from tensorlab.backends.cuda.traces import Meeting, Recorder, Touched, joins_of, together
from tensorlab.figures.warps import kernel_profile

SECTOR, LINE_BYTES = 32, 128
BANKS, WORD = 32, 4


@dataclass(frozen=True)
class Request:
    """What a warp asked of memory at once, for all lanes that were active.

    Attributes:
        array: the array's name in the kernel.
        space: ``"global"`` or ``"shared"``.
        doing: ``"reads"``, ``"writes"`` or ``"updates"``, an atomic operation.
        line: the line of the kernel's file.
        block: the position of the block in the grid.
        warp: the number of the warp in the block.
        itemsize: bytes of an element.
        addresses: lane -> the byte at which its element begins, counted from the array's beginning.
    """

    array: str
    space: str
    doing: str
    line: int
    block: Shape
    warp: int
    itemsize: int
    addresses: dict[int, int]

    def _units(self, size: int) -> list[int]:
        """The numbers of the pieces of memory, each of `size` bytes, that the lanes touch."""
        found: set[int] = set()
        for address in set(self.addresses.values()):
            found.update(range(address // size, (address + self.itemsize - 1) // size + 1))
        return sorted(found)

    @cached_property
    def sectors(self) -> list[int]:
        """The numbers of the sectors of 32 bytes that the lanes touch; of none in shared memory."""
        return self._units(SECTOR) if self.space == "global" else []

    @cached_property
    def cache_lines(self) -> list[int]:
        """The numbers of the lines of 128 bytes that the lanes touch; of none in shared memory."""
        return self._units(LINE_BYTES) if self.space == "global" else []

    @property
    def bytes_used(self) -> int:
        """How many different bytes the lanes touch."""
        return len(set(self.addresses.values())) * self.itemsize

    @cached_property
    def banks(self) -> dict[int, int]:
        """Bank -> how many turns it takes; empty in global memory."""
        if self.space == "global":
            return {}
        turns: Counter[int] = Counter()
        for group in self._groups():
            words = [
                word
                for address in (group if self.doing == "updates" else set(group))
                for word in range(address // WORD, (address + self.itemsize - 1) // WORD + 1)
            ]
            turns.update(word % BANKS for word in (words if self.doing == "updates" else set(words)))
        return dict(sorted(turns.items()))

    @property
    def wavefronts(self) -> int:
        """How many turns shared memory takes; 0 in global memory."""
        return max(self.banks.values(), default=0)

    @property
    def conflicts(self) -> int:
        """The wavefronts beyond what so many bytes need."""
        return self.wavefronts - len(self._groups()) if self.space == "shared" else 0

    def _groups(self) -> list[list[int]]:
        """The addresses of the lanes that shared memory serves together: 128 bytes of elements."""
        at_once = WARP // max(1, self.itemsize // WORD)
        groups: dict[int, list[int]] = defaultdict(list)
        for lane, address in self.addresses.items():
            groups[lane // at_once].append(address)
        return list(groups.values())


@dataclass
class Access:
    """All requests that one read or write in a kernel's text made.

    Attributes:
        array, space, doing: see `Request`.
        requests: how many requests there were.
        lanes: how many lanes they were for, in all.
        sectors, cache_lines, bytes_used: sums over the requests to global memory.
        wavefronts, conflicts: sums over the requests to shared memory.
    """

    array: str
    space: str
    doing: str
    requests: int = 0
    lanes: int = 0
    sectors: int = 0
    cache_lines: int = 0
    bytes_used: int = 0
    wavefronts: int = 0
    conflicts: int = 0

    def add(self, request: Request) -> None:
        """Count a request."""
        self.requests += 1
        self.lanes += len(request.addresses)
        self.sectors += len(request.sectors)
        self.cache_lines += len(request.cache_lines)
        self.bytes_used += request.bytes_used
        self.wavefronts += request.wavefronts
        self.conflicts += request.conflicts

    def __str__(self) -> str:
        """In a few words, for each request on average."""
        if self.space == "shared":
            return f"{self.doing} {self.array}: {_each(self.wavefronts, self.requests, 'wavefront')}"
        used = self.bytes_used / (SECTOR * self.sectors)
        return f"{self.doing} {self.array}: {_each(self.sectors, self.requests, 'sector')}, {used:.0%} used"


@dataclass
class KernelLine:
    """What happened in a line of a kernel.

    Attributes:
        number: of the line in its file.
        text: the line, indented as in the kernel; empty if there is no source.
        runs: how often a warp ran it.
        lanes: how many lanes ran it, in all.
        parted: after how many runs the lanes of the warp went to different lines.
        accesses: what it read and wrote, in order.
    """

    number: int
    text: str
    runs: int = 0
    lanes: int = 0
    parted: int = 0
    accesses: list[Access] = field(default_factory=list)

    @property
    def active(self) -> float:
        """How many of the 32 lanes were active, on average."""
        return self.lanes / self.runs


@dataclass(frozen=True)
class Report:
    """What a GPU would have to do for a kernel; see `simulate`.

    It prints as a table of the kernel's lines. A notebook shows it as a picture.

    Attributes:
        kernel: its name.
        grid, block: how many blocks there are, and how many threads a block has.
        lines: the lines that ran, in the order of the text.
        requests: every request, in the order of blocks, of their warps, and of time.
        shared_bytes: the shared memory of a block.
        first_warp: what the first warp ran, in order: a line's text, and the lanes that ran it.
    """

    kernel: str
    grid: Shape
    block: Shape
    lines: list[KernelLine]
    requests: list[Request]
    shared_bytes: int
    first_warp: list[tuple[str, list[int]]]

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """The warps of the whole grid."""
        return math.prod(self.grid) * -(-self.threads // WARP)

    @property
    def sectors(self) -> int:
        """How many sectors of 32 bytes global memory moves."""
        return sum(access.sectors for access in self._accesses())

    @property
    def cache_lines(self) -> int:
        """How many lines of 128 bytes the requests to global memory touch."""
        return sum(access.cache_lines for access in self._accesses())

    @property
    def bytes_moved(self) -> int:
        """How many bytes global memory moves: 32 for each sector."""
        return SECTOR * self.sectors

    @property
    def bytes_used(self) -> int:
        """How many of the bytes that global memory moves a lane asked for."""
        return sum(access.bytes_used for access in self._accesses() if access.space == "global")

    @property
    def wavefronts(self) -> int:
        """How many turns shared memory takes."""
        return sum(access.wavefronts for access in self._accesses())

    @property
    def conflicts(self) -> int:
        """How many of the wavefronts are bank conflicts."""
        return sum(access.conflicts for access in self._accesses())

    @property
    def active_lanes(self) -> float:
        """How many of a warp's 32 lanes are active in a line, on average over all that it runs."""
        return sum(line.lanes for line in self.lines) / sum(line.runs for line in self.lines)

    @property
    def parted(self) -> int:
        """How often lanes of a warp went to different lines: divergence."""
        return sum(line.parted for line in self.lines)

    def line(self, text: str) -> KernelLine:
        """The first line that ran whose text has these words in it.

        Raises:
            ValueError: there is none.
        """
        for line in self.lines:
            if text in line.text:
                return line
        raise ValueError(f"no line of {self.kernel} that ran contains {text!r}; see report.lines")

    def request(self, array: str, doing: str = "reads", number: int = 0) -> Request:
        """A request to an array, to look at or to draw.

        Args:
            array: the array's name in the kernel.
            doing: ``"reads"``, ``"writes"`` or ``"updates"``.
            number: which of them, counted from 0.

        Raises:
            ValueError: there are not so many.
        """
        found = [each for each in self.requests if (each.array, each.doing) == (array, doing)]
        if not -len(found) <= number < len(found):
            names = ", ".join(sorted({f"{each.doing} {each.array}" for each in self.requests}))
            raise ValueError(
                f"{self.kernel} has {len(found)} requests that say {doing!r} {array!r}, got number={number}; "
                f"it {names or 'touches no memory'}"
            )
        return found[number]

    def occupancy(self, registers: int, capability: tuple[int, int] = (8, 0)) -> Occupancy:
        """How full such blocks make a multiprocessor: `occupancy` with this block and its shared memory."""
        return occupancy(self.threads, registers, self.shared_bytes, capability)

    def _accesses(self) -> list[Access]:
        return [access for line in self.lines for access in line.accesses]

    @property
    def summary(self) -> list[str]:
        """The sums, a sentence each."""
        blocks, asked = math.prod(self.grid), Counter(each.space for each in self.requests)
        told = [
            f"{blocks:,} {'block' if blocks == 1 else 'blocks'} of {self.threads:,} threads, "
            f"{self.warps:,} {'warp' if self.warps == 1 else 'warps'}"
        ]
        if asked["global"]:
            used = self.bytes_used / self.bytes_moved
            told.append(
                f"global memory: {asked['global']:,} requests, {self.sectors:,} sectors of {SECTOR} bytes "
                f"({_mean(self.sectors, asked['global'])} a request), {used:.0%} of the bytes used"
            )
        if asked["shared"]:
            told.append(
                f"shared memory: {asked['shared']:,} requests, {self.wavefronts:,} wavefronts, "
                f"{self.conflicts:,} of them bank conflicts; {self.shared_bytes:,} bytes a block"
            )
        split = f"warps part {self.parted:,} times" if self.parted else "no warp parts"
        told.append(f"lanes: {self.active_lanes:.1f} of {WARP} active on average, {split}")
        return told

    def __repr__(self) -> str:
        rows = [f"{self.kernel}: {self.summary[0]}", *self.summary[1:], "", "line   runs  lanes"]
        for line in self.lines:
            rows.append(f"{line.number:4} {line.runs:6,} {line.active:6.1f}  {line.text}".rstrip())
            rows += [f"{'':22}{access}" for access in line.accesses]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        return kernel_profile(self, f"{'; '.join(self.summary)}.")._repr_html_()


def _mean(total: int, count: int) -> str:
    """An average; a whole number has no point."""
    return f"{total / count:.1f}".removesuffix(".0")


def _each(total: int, count: int, unit: str) -> str:
    """An average with its unit."""
    mean = _mean(total, count)
    return f"{mean} {unit}{'s' * (mean != '1')}"


class _Counter(Recorder):
    """Adds up what the warps of each block do: an observer of the simulator."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []
        self.shared_bytes = 0
        self._first: list[tuple[KernelLine, list[int]]] = []
        self._lines: dict[Any, KernelLine] = {}
        self._accesses: dict[Any, Access] = {}
        # The beginnings of its instructions, by the id of a code: to look a code up takes longer.
        self._starts: dict[int, list[int]] = {}

    def finish(self, block: Block) -> None:
        """See `Observer.finish`."""
        joins = joins_of(list(self.traces.values()))
        threads = len(block.threads)
        for first in range(0, threads, WARP):
            lanes = range(min(WARP, threads - first))
            for meeting in together({lane: self.traces[first + lane] for lane in lanes}, joins):
                self._count(meeting, block.position, first // WARP)
        self.shared_bytes = max(self.shared_bytes, sum(each.array.nbytes for each in block.shared.values()))

    def _count(self, meeting: Meeting, block: Shape, warp: int) -> None:
        node = self.nodes[meeting.node]
        key = node.code, node.line
        if key not in self._lines:
            source = linecache.getline(node.code.co_filename, node.line)
            self._lines[key] = KernelLine(node.line, source.rstrip())
        line = self._lines[key]
        if not node.is_return:
            line.runs += 1
            line.lanes += len(meeting.touched)
            if (block, warp) == (Shape(0, 0, 0), 0):
                self._first.append((line, list(meeting.touched)))
        line.parted += meeting.parts
        # What lanes touch by the same instruction, for the same time in this run, they touch together.
        requests: dict[Any, dict[int, Touched]] = {}
        for lane, touched in meeting.touched.items():
            times: Counter[int] = Counter()
            for each in touched:
                instruction = self._instruction(each)
                times[instruction] += 1
                where = instruction, times[instruction], each.cells.space, each.cells.name
                requests.setdefault(where, {})[lane] = each
        for where in sorted(requests):
            some = next(iter(requests[where].values()))
            addresses = {lane: each.address for lane, each in requests[where].items()}
            made = Request(
                some.cells.name, some.cells.space, some.touch.doing, node.line, block, warp,
                some.cells.dtype.itemsize, addresses,
            )  # fmt: skip
            self.requests.append(made)
            own = key, where[0], made.array
            if own not in self._accesses:
                self._accesses[own] = Access(made.array, made.space, made.doing)
                line.accesses.append(self._accesses[own])
            self._accesses[own].add(made)

    def _instruction(self, touched: Touched) -> int:
        """Where the instruction begins that touched a cell.

        Python 3.12 says of a read that has become fast that it stands in the instruction's cache, which lies
        behind it.
        """
        code, place = touched.touch.place
        starts = self._starts.get(id(code))
        if starts is None:
            starts = self._starts[id(code)] = [each.offset for each in dis.get_instructions(code)]
        return starts[bisect_right(starts, place) - 1]

    def report(self, kernel: str, grid: Grid) -> Report:
        """What was counted, its lines in the order of the text."""
        keys = sorted(self._lines, key=lambda key: (key[0].co_filename, key[1]))
        lines = [self._lines[key] for key in keys]
        for line, text in zip(lines, dedent("\n".join(line.text for line in lines)).split("\n"), strict=True):
            line.text = text
        first = [(line.text.strip(), lanes) for line, lanes in self._first]
        return Report(kernel, grid.size, grid.block, lines, self.requests, self.shared_bytes, first)


def simulate(
    kernel: Callable, grid: int | tuple[int, ...], block: int | tuple[int, ...], *arguments: Any
) -> Report:
    """Run a kernel in the simulator, and count what a GPU would have to do for it.

    Args:
        kernel: a function that reads `tensorlab.cuda`, as kernels for `numba.cuda` read theirs.
        grid: how many blocks there are, in up to three directions.
        block: how many threads a block has, at most 1024.
        arguments: what the kernel is called with. NumPy arrays and tensors, on the CPU or a simulated GPU,
            are the GPU's memory, and the kernel writes into them.

    Raises:
        KernelError: the kernel did what is undefined on a GPU, a race among it, or raised an error.
        ValueError: a GPU has no blocks of that size.
        TypeError: a tensor lies on a real GPU, or NumPy has no such dtype.
        ModuleNotFoundError: the package greenlet is not installed.

    Example:
        >>> import numpy as np
        >>> from tensorlab import cuda
        >>> def every_other(x, out):
        ...     i = cuda.grid(1)
        ...     out[i] = x[2 * i]
        >>> x, out = np.ones(64, np.float32), np.ones(32, np.float32)
        >>> report = cuda.simulate(every_other, 1, 32, x, out)
        >>> report
        every_other: 1 block of 32 threads, 1 warp
        global memory: 2 requests, 12 sectors of 32 bytes (6 a request), 67% of the bytes used
        lanes: 32.0 of 32 active on average, no warp parts
        <BLANKLINE>
        line   runs  lanes
           2      1   32.0  i = cuda.grid(1)
           3      1   32.0  out[i] = x[2 * i]
                              reads x: 8 sectors, 50% used
                              writes out: 4 sectors, 100% used
        >>> report.sectors, report.request("x").sectors
        (12, [0, 1, 2, 3, 4, 5, 6, 7])
    """
    counter = _Counter()
    launched = Grid(kernel, grid, block, as_memory(arguments), Schedule(), counter)
    with counter.recording():
        launched.run()
    return counter.report(getattr(kernel, "__name__", "a kernel"), launched)
