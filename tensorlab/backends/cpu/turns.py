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

from tensorlab.backends.cpu.jit import helper, kernel
from tensorlab.backends.cpu.pointers import LINE

__all__ = ["board", "first_core", "known_cores", "take"]

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

# What the C library has: the first two of nothing, the others of (thread, bytes, set).
_SETS = types.int32(types.int32, types.uintp, types.uintp)
_current_core: Any = types.ExternalFunction("sched_getcpu", types.int32())
_let_others_run: Any = types.ExternalFunction("sched_yield", types.int32())
_allowed_cores: Any = types.ExternalFunction("sched_getaffinity", _SETS)
_allow_cores: Any = types.ExternalFunction("sched_setaffinity", _SETS)


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


@intrinsic
def _add_one(typing, places, place):
    """Add one to a place, whoever else does so at the same time, and return what was there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        where = builder.gep(first, [arguments[1]])
        return builder.atomic_rmw("add", where, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(places, types.intp), generate


_count: Any = _add_one


@helper
def _move(places, cores, sets):
    """Go to a core that this thread may use and nobody of the team has come to; -1 if there is none."""
    first = places.ctypes.data + 8 * sets
    _allowed_cores(0, 8 * _WORDS, first)  # none if the system's sets are longer
    for core in range(min(_KNOWN_CORES, 64 * _WORDS)):
        word, bit = sets + core // 64, np.int64(1) << core % 64
        if places[word] & bit and places[cores + core] == 0 and _count(places, cores + core) == 0:
            places[word + _WORDS] = bit
            _allow_cores(0, 8 * _WORDS, first + 8 * _WORDS)
            _allow_cores(0, 8 * _WORDS, first)  # there it may be moved again by the system
            return core
    return -1


if _MOVES:

    @helper
    def _settle(places, cores, sets):
        """Have a core alone, if there is one; the number of the core."""
        core = np.int64(_current_core())
        if core < _KNOWN_CORES and _count(places, cores + core) > 0:
            free = _move(places, cores, sets)
            return free if free >= 0 else core
        return core

    @helper
    def _give_way(places, team, times):
        """Let threads that wait for this core run, up to so many times, until the whole team has begun."""
        for _ in range(times):
            if places[_BEGUN] >= team:
                break
            _let_others_run()

else:

    @helper
    def _settle(places, cores, sets):
        return -1

    @helper
    def _give_way(places, team, times):
        pass


@helper
def _begin(places, team, chunks):
    """The queue that a thread begins with, which has a core to itself then; -1 if all queues are empty."""
    before = _count(places, _BEGUN)
    for queue in range(team):
        if places[_APART * (queue + 1)] < chunks:
            cores = _APART * (team + 1)
            core = _settle(places, cores, cores + _KNOWN_CORES + 2 * _WORDS * before)
            if chunks == 1:
                _give_way(places, team, _YIELDS)
            return core * team // _KNOWN_CORES if core >= 0 else before
    return -1  # a thread may begin once more, in place of one that is late: then there is nothing left


@kernel(no_cpython_wrapper=True)
def take(places, team, chunks, done):
    """What a thread does next.

    Args:
        places: the board.
        team: how many threads there are, and queues.
        chunks: how many chunks stand in a queue.
        done: the chunk that it has done; -1 at first.

    Returns:
        The number of the chunk; -1 if there is none left.
    """
    if done < 0:
        own = _begin(places, team, chunks)
        if own < 0:
            return -1
    else:
        own = done // chunks
        _give_way(places, team, 1)
    for other in range(team):
        queue = (own + other) % team
        taken = _count(places, _APART * (queue + 1))
        if taken < chunks:
            return queue * chunks + taken
    return -1
