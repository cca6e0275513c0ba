"""The lines that threads run, and what becomes of them when 32 threads go together as a warp.

The simulator runs one thread after another, so each thread leaves a *trace*: the lines of the kernel in the
order in which it ran them. `Recorder` collects them. `together` lays the traces of a warp side by side: lanes
that are at the same line run it at once; where they part, one side waits for the other, and they go on
together at the line where all their ways meet again, the *immediate post-dominator* of the branch. So does a
GPU with a stack of masks (Fung, Sham, Yuan, Aamodt, "Dynamic warp formation and scheduling for efficient GPU
control flow", 2007), and so do compilers place the points at which warps converge.

A line counts as one instruction. A choice within a line, ``a if c else b``, shows in who touches memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

from tensorlab.backends.cuda import simulator
from tensorlab.backends.cuda.simulator import Cells, Thread, Touch, current_thread

# Where every trace ends.
END = -1


class Node(NamedTuple):
    """A line of a kernel, or of a function that it calls.

    Attributes:
        code, line: the text.
        caller: the number of the node that called; a function is another one for each caller.
        is_return: whether a function has come back to this line, which is no new run of it.
    """

    code: CodeType
    line: int
    caller: int = END
    is_return: bool = False


class Touched(NamedTuple):
    """What a thread touched in a line: a cell, by the byte at which it begins."""

    touch: Touch
    cells: Cells
    address: int


# For each line that a thread ran the number of its node and what it touched there.
Trace = list[tuple[int, list[Touched]]]


class Meeting(NamedTuple):
    """Lanes of a warp run a line together.

    Attributes:
        node: the number of the line's node.
        touched: lane -> what it touched.
        parts: whether they go to different lines from here.
    """

    node: int
    touched: dict[int, list[Touched]]
    parts: bool


class Recorder:
    """Notes the traces of a block's threads: an observer of the simulator.

    Attributes:
        nodes: the lines that were met, by number.
        traces: the traces of the block that runs, by the number of the thread.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.traces: dict[int, Trace] = {}
        self._numbers: dict[Node, int] = {}
        # For each thread the nodes from which its functions were called, and the one where it is.
        self._callers: dict[int, list[int]] = {}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Within a ``with``, note the lines of kernels."""
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(before)

    def note(self, thread: Thread, cells: Cells, index: Any, touch: Touch) -> None:
        """See `Observer.note`."""
        self.traces[thread.number][-1][1].append(Touched(touch, cells, cells.address(index)))

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        """A function is called: follow it if it is of the kernel."""
        above = frame.f_back
        if above is None or frame.f_code.co_filename == simulator.__file__:
            return None
        number = current_thread().number if above.f_code is simulator.ENTRY or above.f_trace else None
        if number is None:
            return None
        if above.f_code is simulator.ENTRY:
            self.traces[number], self._callers[number] = [], [END]
        else:
            self._callers[number].append(self.traces[number][-1][0])
        return self._step

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        """A function that is followed comes to a line, or back to who called it."""
        number = current_thread().number
        callers = self._callers[number]
        if event == "line":
            self._enter(number, Node(frame.f_code, frame.f_lineno, callers[-1]))
        elif event == "return":
            caller = callers.pop()
            if caller != END:
                self._enter(number, self.nodes[caller]._replace(is_return=True))
        return self._step

    def _enter(self, thread: int, node: Node) -> None:
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
        self.traces[thread].append((number, []))


def joins_of(traces: Sequence[Trace]) -> dict[int, int]:
    """For each line after which traces part, the first line that all of them come to again.

    That is its immediate post-dominator in the graph of the steps that were taken.

    Example:
        >>> left, right = [0, 1, 3], [0, 2, 3]
        >>> joins_of([[(node, []) for node in trace] for trace in (left, right)])[0]
        3
    """
    following: dict[int, set[int]] = {}
    for trace in traces:
        nodes = [node for node, _ in trace]
        for here, there in zip(nodes, [*nodes[1:], END], strict=True):
            following.setdefault(here, set()).add(there)
    # What every way from a node to the end goes through, found by going round until nothing changes.
    everything = {*following, END}
    passed = dict.fromkeys(following, everything) | {END: {END}}
    is_changed = True
    while is_changed:
        is_changed = False
        for node in reversed(following):
            through = {node}.union(set.intersection(*(passed[each] for each in following[node])))
            if through != passed[node]:
                passed[node], is_changed = through, True
    # The nearest of them is the one from which all the others are still ahead.
    return {
        node: max(passed[node] - {node}, key=lambda each: len(passed[each]))
        for node, after in following.items()
        if len(after) > 1
    }


def together(traces: Mapping[int, Trace], joins: Mapping[int, int]) -> Iterator[Meeting]:
    """The lines that a warp runs, in order, with the lanes that run each.

    Args:
        traces: lane -> its trace.
        joins: what `joins_of` says of the whole block.

    Example:
        >>> traces = {lane: [(node, []) for node in (0, 1 + lane % 2, 3)] for lane in range(4)}
        >>> for meeting in together(traces, joins_of(list(traces.values()))):
        ...     print(meeting.node, list(meeting.touched))
        0 [0, 1, 2, 3]
        1 [0, 2]
        2 [1, 3]
        3 [0, 1, 2, 3]
    """
    step = dict.fromkeys(traces, 0)

    def node_of(lane: int) -> int:
        trace, at = traces[lane], step[lane]
        return trace[at][0] if at < len(trace) else END

    def run(lanes: list[int], join: int) -> Iterator[Meeting]:
        while (node := node_of(lanes[0])) not in (join, END):
            touched = {lane: traces[lane][step[lane]][1] for lane in lanes}
            sides: dict[int, list[int]] = {}
            for lane in lanes:
                step[lane] += 1
                sides.setdefault(node_of(lane), []).append(lane)
            yield Meeting(node, touched, len(sides) > 1)
            if len(sides) > 1:
                for side in sorted(sides):
                    yield from run(sides[side], joins[node])

    yield from run(list(traces), END)
