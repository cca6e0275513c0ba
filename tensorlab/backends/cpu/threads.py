"""Threads: how many take part in an operation, and the layer of Numba's own parallel loops."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

from numba import config

from tensorlab.backends.operands import WORTHWHILE

__all__ = ["WORTHWHILE", "get_num_threads", "layer", "set_num_threads", "team_for"]


# The TBB that pip installed lies where Numba does not look; without it Numba chooses another layer.
if os.environ.get("NUMBA_THREADING_LAYER", "tbb") == "tbb":
    _names = {"win32": "Library/bin/tbb12.dll", "darwin": "lib/libtbb.12.dylib"}
    with contextlib.suppress(OSError):
        ctypes.CDLL(
            str(Path(sys.prefix, _names.get(sys.platform, "lib/libtbb.so.12"))), mode=ctypes.RTLD_GLOBAL
        )
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
