"""Many orders of a kernel's threads, to see whether they race and whether the result changes.

On a GPU the order in which warps and blocks run is not said. A kernel is right if each order gives the same
result. `explore` runs it in a bounded number of orders, the telling ones first, and notes two things: races,
which the simulator finds in any order, and results, of which a kernel with a race may have many, and a right
one has one. Where results differ and nothing races, atomic operations came in another order: additions of
floats round differently then.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorlab.backends.cuda.simulator import (
    WARP,
    Block,
    Cells,
    Grid,
    KernelError,
    Race,
    Schedule,
    Shape,
    Shuffled,
    Thread,
    Touch,
    as_memory,
    line_of,
    sizes_of,
)

__all__ = ["Exploration", "Outcome", "WarpOrder", "explore", "schedules_of"]

# A thread that touches memory more often than this may wait for one that does not run.
MOST_TOUCHES = 100_000


class WarpOrder(Schedule):
    """The warps of a block in a given order; blocks in the order of their numbers, or the other way round.

    Args:
        order: the numbers of the warps, the first one first.
        switches: whether a warp runs up to its next touch of memory, or up to its next barrier.
        is_backward: whether the last block comes first, and in a warp the last lane.
    """

    def __init__(self, order: tuple[int, ...], switches: bool, is_backward: bool) -> None:
        self.order, self.switches, self.is_backward = order, switches, is_backward
        self._rank = {warp: rank for rank, warp in enumerate(order)}

    def arrange_blocks(self, blocks: list[Shape]) -> None:
        """See `Schedule.arrange_blocks`."""
        if self.is_backward:
            blocks.reverse()

    def arrange_threads(self, threads: list[Thread]) -> None:
        """See `Schedule.arrange_threads`."""
        sign = -1 if self.is_backward else 1
        threads.sort(key=lambda each: (self._rank[each.warp], sign * each.lane))

    def __str__(self) -> str:
        until = "its next touch of memory" if self.switches else "its next barrier"
        back = ", the last block and lane first" if self.is_backward else ""
        return f"warps in the order {' '.join(map(str, self.order))}{back}, each up to {until}"


class Chance(Shuffled):
    """Blocks and threads as chance has it.

    Args:
        seed: chooses the order.
        switches: see `Schedule`.
    """

    def __init__(self, seed: int, switches: bool) -> None:
        super().__init__(seed, switches)
        self.seed = seed

    def __str__(self) -> str:
        until = "its next touch of memory" if self.switches else "its next barrier"
        return f"threads as seed {self.seed} shuffles them, each up to {until}"


def schedules_of(warps: int, count: int, seed: int) -> Iterator[Schedule]:
    """So many schedules for blocks of so many warps.

    The first half are orders of the warps: from the first to the last, the other way round, each of them
    first, and then all the others, as far as there are any. Each order goes up to barriers and up to each
    touch of memory, forward and backward. What is left is up to chance.

    Example:
        >>> for schedule in schedules_of(warps=2, count=4, seed=0):
        ...     print(schedule)
        warps in the order 0 1, each up to its next barrier
        warps in the order 0 1, the last block and lane first, each up to its next barrier
        threads as seed 0 shuffles them, each up to its next barrier
        threads as seed 1 shuffles them, each up to its next touch of memory
    """
    straight = tuple(range(warps))
    turned = (straight[first:] + straight[:first] for first in range(1, warps))
    others = itertools.islice(itertools.permutations(straight), count)
    orders = dict.fromkeys([straight, straight[::-1], *turned, *others])
    ways = itertools.product(orders, (False, True), (False, True))
    told = [WarpOrder(*way) for way in itertools.islice(ways, -(-count // 2))]
    yield from told
    for number in range(count - len(told)):
        yield Chance(seed + number, number % 2 == 1)


class _Patience:
    """Ends a thread that waits for ever: an observer of the simulator."""

    def __init__(self) -> None:
        self._touches: Counter[Any] = Counter()

    def note(self, thread: Thread, cells: Cells, index: Any, touch: Touch) -> None:
        """See `Observer.note`."""
        self._touches[thread] += 1
        if self._touches[thread] > MOST_TOUCHES:
            raise KernelError(
                f"it touched memory {MOST_TOUCHES:,} times: does it wait for a thread that runs after it?"
            )

    def finish(self, block: Block) -> None:
        """See `Observer.finish`."""
        self._touches.clear()


@dataclass(frozen=True)
class Outcome:
    """A result of a kernel, and the schedules that gave it.

    Attributes:
        schedules: how they order the threads.
        arrays: array's name -> its cells when the kernel had ended.
    """

    schedules: list[str]
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class Exploration:
    """What came of a kernel in many orders of its threads; see `explore`.

    Attributes:
        kernel: its name.
        schedules: how many orders were tried.
        races: one race for each pair of lines that race.
        outcomes: the different results, the most frequent first.
    """

    kernel: str
    schedules: int
    races: list[Race]
    outcomes: list[Outcome]

    @property
    def is_deterministic(self) -> bool:
        """Whether every order gave the same result, bit for bit."""
        return len(self.outcomes) == 1

    @property
    def is_right(self) -> bool:
        """Whether nothing races and every order gave the same result."""
        return self.is_deterministic and not self.races

    def __repr__(self) -> str:
        races, many = len(self.races), len(self.outcomes)
        rows = [
            f"{self.kernel}, {self.schedules} schedules: "
            f"{f'{races} race' + 's' * (races > 1) if races else 'no race'}, "
            f"{f'{many} different results' if many > 1 else 'one result'}"
        ]
        for race in self.races:
            pairs = (race.first, race.second), (race.second, race.first)
            rows.append(f"race for {race.cell} in {race.space} memory, no barrier between:")
            rows += [f"  {touch.told(other)}" for touch, other in pairs]
        if many > 1:
            rows.append(self._difference())
            if not races:
                rows.append("no race: the order of atomic operations changes the result")
        return "\n".join(rows)

    def _difference(self) -> str:
        """The first cell whose value the outcomes don't agree on, with its values."""
        first, second = (outcome.arrays for outcome in self.outcomes[:2])
        name = next(name for name in first if first[name].tobytes() != second[name].tobytes())
        same = (first[name] == second[name]) | ((first[name] != first[name]) & (second[name] != second[name]))
        index = np.unravel_index(int(np.argmin(same)), same.shape)
        values: Counter[str] = Counter()
        for outcome in self.outcomes:
            values[str(outcome.arrays[name][index])] += len(outcome.schedules)
        cell = f"{name}[{', '.join(map(str, index))}]"
        (most, count), *others = values.most_common(4)
        return f"{cell} is {most} in {count} schedules" + "".join(f", {value} in {n}" for value, n in others)


def explore(
    kernel: Callable,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    *arguments: Any,
    schedules: int = 24,
    seed: int = 0,
) -> Exploration:
    """Run a kernel in many orders of its threads, and say whether they race and whether results differ.

    Half of the orders are chosen, see `schedules_of`, and the others are up to chance; the same ones for the
    same seed. A missing barrier is found in every one of them. What they add is what comes of it.

    Args:
        kernel: a function that reads `tensorlab.cuda`, as kernels for `numba.cuda` read theirs.
        grid: how many blocks there are, in up to three directions.
        block: how many threads a block has, at most 1024.
        arguments: what the kernel is called with, as `simulate` takes it; arrays have their old contents
            afterwards.
        schedules: how many orders are tried.
        seed: chooses those that are up to chance.

    Raises:
        KernelError: the kernel did what is undefined on a GPU and is no race, or raised an error.
        ValueError: a GPU has no blocks of that size, or no order is to be tried.
        TypeError: a tensor lies on a real GPU, or NumPy has no such dtype.
        ModuleNotFoundError: the package greenlet is not installed.

    Example:
        >>> import numpy as np
        >>> from tensorlab import cuda
        >>> def careless(total):
        ...     total[0] += 1
        >>> cuda.explore(careless, 1, 64, np.zeros(1)).is_right
        False
        >>> def careful(total):
        ...     cuda.atomic.add(total, 0, 1)
        >>> cuda.explore(careful, 1, 64, np.zeros(1))
        careful, 24 schedules: no race, one result
    """
    if schedules < 1:
        raise ValueError(f"explore: at least one schedule is tried, got schedules={schedules}")
    _, threads = sizes_of(grid, block)
    found: dict[Any, Race] = {}
    outcomes: dict[Any, Outcome] = {}
    given = as_memory(arguments)
    for schedule in schedules_of(-(-math.prod(threads) // WARP), schedules, seed):
        launched = Grid(kernel, grid, block, given, schedule, _Patience(), forgives=True)
        memory = launched.memory
        before = [cells.array.copy() for cells in memory]
        try:
            launched.run()
            after = {cells.name: cells.array.copy() for cells in memory}
        except KernelError as error:
            error.add_note(f"The schedule: {schedule}.")
            raise
        finally:
            for cells, held in zip(memory, before, strict=True):
                cells.array[...] = held
        for race in launched.races or ():
            lines = ((each.doing, line_of(each.place)) for each in (race.first, race.second))
            found.setdefault(frozenset(lines), race)
        key = tuple(array.tobytes() for array in after.values())
        outcomes.setdefault(key, Outcome([], after)).schedules.append(str(schedule))
    name = getattr(kernel, "__name__", "a kernel")
    ordered = sorted(outcomes.values(), key=lambda each: -len(each.schedules))
    return Exploration(name, schedules, list(found.values()), ordered)
