"""Threads: how many take part in an operation, and the layer that runs them."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path

import numba
from numba.core import config

from tensorlab.backends.operands import WORTHWHILE

__all__ = ["WORTHWHILE", "get_num_threads", "layer", "set_num_threads", "team", "team_for"]

_lock = threading.Lock()

# Python's threads that have run a team, by their numbers; and those of them that had ended before a fork.
_users: set[int] = set()
_ended: set[int] = set()


def _find_tbb() -> bool:
    """Load the TBB that pip installed, which lies where Numba does not look."""
    names = {"linux": "lib/libtbb.so.12", "win32": "Library/bin/tbb12.dll", "darwin": "lib/libtbb.12.dylib"}
    library = Path(sys.prefix) / names.get(sys.platform, "lib/libtbb.so.12")
    try:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True


if os.environ.get("NUMBA_THREADING_LAYER", "tbb") == "tbb" and _find_tbb():
    config.THREADING_LAYER = "tbb"  # type: ignore[attr-defined]

_count = _most = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]


def layer() -> str:
    """The threading layer: ``"tbb"``, or what ``NUMBA_THREADING_LAYER`` or Numba chooses."""
    return str(config.THREADING_LAYER)  # type: ignore[attr-defined]


def get_num_threads() -> int:
    """How many threads an operation may use."""
    return _count


def set_num_threads(count: int) -> None:
    """Let operations use `count` threads, or as many as the machine has if those are fewer.

    In a child of a fork that was made while other threads of Python used teams there is one for good.

    Raises:
        RuntimeError: `count` is no positive integer.
    """
    global _count
    if not isinstance(count, int) or count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, got {count!r}")
    _count = min(count, _most)


def team_for(work: int) -> int:
    """How many threads an operation of this much work (in float32 additions) deserves."""
    if work < WORTHWHILE or _count == 1 or config.DISABLE_JIT:  # type: ignore[attr-defined]
        return 1
    return min(_count, max(2, work // (WORTHWHILE // 2)))


def team(count: int) -> _Team:
    """Run parallel kernels on `count` threads. Numba's own layer allows one Python thread at a time."""
    return _Team(count)


class _Team:
    """The context; a generator would take a microsecond, as long as it takes to start a team."""

    __slots__ = ("alone", "count")

    def __init__(self, count: int) -> None:
        self.count = count
        self.alone = layer() != "tbb"

    def __enter__(self) -> None:
        _users.add(threading.get_ident())
        if self.alone:
            _lock.acquire()
        numba.set_num_threads(self.count)

    def __exit__(self, *_: object) -> None:
        if self.alone:
            _lock.release()


# A fork copies the memory and the one thread that asks for it. Threads of a team, which the child lacks, are
# ended before and made anew in both processes. This succeeds only if no other thread of Python holds on to
# them; else a team in the child would wait for ever, and so the child computes alone.


def _before_fork() -> None:
    global _ended
    _ended = _users.difference([thread.ident for thread in threading.enumerate()])


def _after_fork_in_child() -> None:
    global _lock, _count, _most
    _lock = threading.Lock()
    if _users - _ended - {threading.get_ident()}:
        _count = _most = 1
    _users.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork_in_child)
