"""The threads of a team at work: each on a core of its own, and none without work while there is some.

An operating system often wakes several threads on one core and leaves another core idle for some
milliseconds: longer than most operations last. Virtual machines do it most of the time, because there a core
that sleeps does not look idle. So a thread that finds its core taken by another one of its team goes to one
that is not, and a thread whose team is not complete yet lets those run that may wait for its core. Linux can
be asked for that; elsewhere a thread stays where it is.

This is work stealing: the chunks of a launch stand in as many queues as there are threads. A thread begins
with the queue that belongs to its core, which so meets the same memory again in the next operation and may
still have it in its cache. Then it helps with the others.

Queues and cores are counted on a board: an array of integers that is made for one launch.
"""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from tensorlab.backends.cpu.direct import direct
from tensorlab.backends.cpu.intrinsics import lesser
from tensorlab.backends.cpu.jit import kernel
from tensorlab.backends.cpu.linking import call_at
from tensorlab.backends.cpu.pointers import LINE

__all__ = ["board", "first_core", "known_cores", "take", "work"]

# Chunks to a thread: who is done early takes one of another thread's.
CHUNKS = 4

# Where things are counted on a board, each on a line of the cache of its own: the threads that have begun,
# then for each queue the chunks that were taken. Behind the last queue there is for each core the number of
# threads that came to it, and for each thread room for two sets of cores.
_BEGUN, _APART = 0, LINE // 8

# With one chunk to a thread, this is the only time to give way: for so many times, some 30 microseconds.
_YIELDS = 100

_MOVES: bool = platform.system() == "Linux" and hasattr(ctypes.CDLL(None), "sched_getcpu")
_KNOWN_CORES = os.sysconf("SC_NPROCESSORS_CONF") if _MOVES else 0

# Words of a set of cores, which has a bit for each: the system's own sets have room for 1,024.
_WORDS = 1024 // 64
_CORES_OF_A_SET = min(_KNOWN_CORES, 64 * _WORDS)


def board(team: int) -> np.ndarray:
    """A board for one launch with so many threads, on which nothing has happened.

    Example:
        >>> board(4).any()
        np.False_
    """
    return np.zeros(first_core(team) + _KNOWN_CORES + 2 * _WORDS * team, np.int64)


def first_core(team: int) -> int:
    """Where on a board the cores begin.

    Example:
        >>> first_core(4)
        40
    """
    return _APART * (team + 1)


def known_cores() -> int:
    """How many cores a board counts threads of; 0 where threads stay where they are.

    Example:
        >>> known_cores() >= 0
        True
    """
    return _KNOWN_CORES


def _adding_one(typing, board, place):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = ir.Constant(ir.IntType(64), 1)
        return builder.atomic_rmw("add", _cell(builder, *arguments), one, "monotonic")

    return types.int64(types.intp, types.intp), generate


def _looking(typing, board, place):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_cell(builder, *arguments))

    return types.int64(types.intp, types.intp), generate


def _putting(typing, board, place, value):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _cell(builder, *arguments[:2]))
        return context.get_dummy_value()

    return types.none(types.intp, types.intp, types.int64), generate


def _cell(builder: Any, board: Any, place: Any) -> Any:
    """The pointer to a place of a board."""
    return builder.gep(builder.inttoptr(board, ir.IntType(64).as_pointer()), [place])


# (board, place): adds one, whoever else does so at the same time, and returns what was there.
_add_one: Any = intrinsic(_adding_one)
# (board, place): what is there now.
_look: Any = intrinsic(_looking)
# (board, place, value): writes to a place of this thread's own.
_put: Any = intrinsic(_putting)


if _MOVES:
    # What the C library has: the first two of nothing, the others of (thread, bytes, set).
    _SETS = types.int32(types.int32, types.uintp, types.uintp)
    _current_core: Any = types.ExternalFunction("sched_getcpu", types.int32())
    _let_others_run: Any = types.ExternalFunction("sched_yield", types.int32())
    _allowed_cores: Any = types.ExternalFunction("sched_getaffinity", _SETS)
    _allow_cores: Any = types.ExternalFunction("sched_setaffinity", _SETS)

    def _settle(board, team, number):
        """Have a core alone, if there is one; the number of the queue to begin with."""
        cores = _APART * (team + 1)
        core, queue = np.int64(_current_core()), number
        if core < _KNOWN_CORES:
            if _add_one(board, cores + core) > 0:
                sets = board + 8 * (cores + _KNOWN_CORES + 2 * _WORDS * number)
                _allowed_cores(0, 8 * _WORDS, sets)  # none if the system's sets are longer
                for other in range(_CORES_OF_A_SET):
                    word, bit = other >> 6, np.int64(1) << (other & 63)
                    is_free = _look(sets, word) & bit and _look(board, cores + other) == 0
                    if is_free and _add_one(board, cores + other) == 0:
                        _put(sets, word + _WORDS, bit)
                        _allow_cores(0, 8 * _WORDS, sets + 8 * _WORDS)
                        _allow_cores(0, 8 * _WORDS, sets)  # there it may be moved again by the system
                        core = np.int64(other)
                        break
            queue = core * team // _KNOWN_CORES
        return queue

else:

    def _settle(board, team, number):
        return number

    def _let_others_run():
        return 0


def _take(board, team, chunks, done):
    """What a thread does next.

    Args:
        board: the address of the board.
        team: how many threads there are, and queues.
        chunks: how many chunks stand in a queue.
        done: the chunk that it has done; -1 at first.

    Returns:
        The number of the chunk; -1 if there is none left.
    """
    queues, patience = team, 1
    if done < 0:
        number, empty = _add_one(board, _BEGUN), 0
        while empty < team and _look(board, _APART * (empty + 1)) >= chunks:
            empty += 1
        own, patience = 0, 0
        if empty == team:
            queues = 0  # a thread begins once more, in the place of one that is late, and nothing is left
        else:
            own = _settle(board, team, number)
            patience = _YIELDS if chunks == 1 else 0
    else:
        own = done // chunks
    while patience > 0 and _look(board, _BEGUN) < team:  # others may wait for this core
        patience -= 1
        _let_others_run()
    chunk = -1
    for other in range(queues):
        queue = (own + other) % team
        taken = _add_one(board, _APART * (queue + 1))
        if taken < chunks:
            chunk = queue * chunks + taken
            break
    return chunk


# take(board, team, chunks, done): see `_take`.
take: Any = direct(_take, types.int64)


@direct
def _work(run, frame, board, team, tasks, thread):
    """What `work` does."""
    chunks = (lesser(tasks, CHUNKS * team) + team - 1) // team
    pieces = chunks * team
    chunk, is_left = -1, True
    while is_left:
        chunk = take(board, team, chunks, chunk)
        is_left = chunk >= 0
        if is_left:
            call_at(run, (frame, chunk * tasks // pieces, (chunk + 1) * tasks // pieces, thread))


@kernel(no_cpython_wrapper=True)
def work(run, frame, board, team, tasks, thread):
    """One thread's part: ``run(frame, first, last, thread)`` for chunks of the tasks, until none is left.

    Args:
        run: the address of a function that returns nothing.
        frame: what it is given.
        board: the address of the team's board.
        team: how many threads.
        tasks: how many tasks.
        thread: the number of this one.
    """
    _work(run, frame, board, team, tasks, thread)
