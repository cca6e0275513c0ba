"""The tasks of one kernel, shared among threads.

Kernels let go of the interpreter's lock, so ordinary threads of Python run them at the same time. The tasks
of a launch are cut into chunks, some for each thread. Each thread takes the next chunk until none is left:
who is done early does more. The thread that asked takes part, if it is not the main one: signals are heard
there, between any two steps of Python.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

# Chunks to a thread.
CHUNKS = 4


def share(kernel: Callable, team: int, tasks: int, *arguments: Any, workspaces: bool = False) -> None:
    """Call ``kernel(first, last, *arguments)`` for all tasks, in chunks that `team` threads take turns at.

    Args:
        kernel: compiled with ``nogil=True``; it returns nothing, and its tasks write apart from one another.
        team: how many threads, 1 or more. One is a plain call.
        tasks: how many tasks.
        arguments: the kernel's, after the two that say which tasks it does.
        workspaces: the last argument has a row for each thread, which gets it with each of its chunks.
    """
    if team == 1:
        kernel(0, tasks, *(_own(arguments, 0) if workspaces else arguments))
        return
    launch = _Launch(kernel, team, tasks, arguments, workspaces)
    if threading.current_thread() is threading.main_thread():
        _wait_for(launch, team)
    else:
        _wake(team - 1, launch)
        launch.take_part()
        launch.all_done.acquire()
    if launch.error is not None:
        raise launch.error


def _wait_for(launch: _Launch, team: int) -> None:
    """Let others do the work: the main thread may be interrupted at any step, by Ctrl-C or another signal.

    An exception that a signal's handler raises is passed on when no thread is at work any more in memory
    that the caller thinks is its own again.
    """
    try:
        _wake(team, launch)
        launch.all_done.acquire()
    except BaseException:  # KeyboardInterrupt, or whatever a handler of the program's own raises
        _wake(1, launch)  # perhaps nobody was woken yet; who finds no chunk left has nothing to do
        while not launch.is_done:
            launch.all_done.acquire(timeout=0.01)
        raise


def _own(arguments: tuple, thread: int) -> tuple:
    """The arguments of one thread: of the workspaces its own."""
    return (*arguments[:-1], arguments[-1][thread])


class _Launch:
    """One kernel at work on its tasks.

    Attributes:
        is_done, all_done: whether all chunks are done, and a lock that the end of the last one opens.
        error: what a kernel raised, which only an interpreted one does.
    """

    def __init__(self, kernel: Callable, team: int, tasks: int, arguments: tuple, workspaces: bool) -> None:
        self.kernel, self.tasks, self.arguments, self.workspaces = kernel, tasks, arguments, workspaces
        self.chunks = min(tasks, CHUNKS * team)
        # A step of these counters is one step of the interpreter: no two threads get the same number.
        self.threads, self.begun, self.ended = itertools.count(), itertools.count(), itertools.count(1)
        self.is_done, self.all_done = False, threading.Lock()
        self.all_done.acquire()
        self.error: BaseException | None = None

    def take_part(self) -> None:
        """Do chunks until none is left."""
        arguments, chunks = self.arguments, self.chunks
        if self.workspaces:
            arguments = _own(arguments, next(self.threads))
        while (chunk := next(self.begun)) < chunks:
            try:
                self.kernel(chunk * self.tasks // chunks, (chunk + 1) * self.tasks // chunks, *arguments)
            except BaseException as error:  # raised by who asked
                self.error = error
            if next(self.ended) == chunks:
                self.is_done = True
                self.all_done.release()


# Threads wait here for a launch to take part in. They are started when they are first wanted.
_launches: SimpleQueue[_Launch] = SimpleQueue()
_started = 0
_lock = threading.Lock()


def _wake(helpers: int, launch: _Launch) -> None:
    """Have so many more threads take part."""
    global _started
    if _started < helpers:
        with _lock:
            while _started < helpers:
                _started += 1
                threading.Thread(target=_help, args=(_launches,), name="tensorlab", daemon=True).start()
    for _ in range(helpers):
        _launches.put(launch)


def _help(launches: SimpleQueue[_Launch]) -> None:
    """What a thread does all its life."""
    while True:
        launches.get().take_part()


def _after_fork_in_child() -> None:
    """The child of a fork has none of the threads, and starts its own."""
    global _launches, _started, _lock
    _launches, _started, _lock = SimpleQueue(), 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
