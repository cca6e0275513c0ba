"""Ctrl-C while a backend is loaded or a kernel compiled: it is heard when the kernel is there.

Numba and LLVM keep tables that an exception in their midst leaves half written: every later compilation would
fail, or the process end. So for that time an interruption is noted, and passed on afterwards. Kernels are
compiled in seconds at most, and read from the cache in milliseconds.
"""

from __future__ import annotations

import signal
import threading
from typing import Any


class HeldBack:
    """A context in which interruptions are noted; the outermost passes them on at its end.

    Python runs its handlers in the main thread, so that in other threads there is nothing to do.

    Example:
        >>> tables = []
        >>> with HeldBack():
        ...     tables += ["first half"]
        ...     tables += ["second half"]
        >>> tables
        ['first half', 'second half']
    """

    # What is noted is one for the process: so is the handler.
    _depth = 0
    _noted = False
    _before: Any = None

    @classmethod
    def _note(cls, number: int, frame: object) -> None:
        cls._noted = True

    @classmethod
    def begin(cls, *_: object) -> None:
        """Note interruptions from now on."""
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if before == cls._note:
            cls._depth += 1
        elif callable(before):  # else the system's own way is wanted
            cls._before, cls._depth, cls._noted = before, 0, False
            signal.signal(signal.SIGINT, cls._note)

    @classmethod
    def end(cls, *_: object) -> None:
        """Pass on what was noted, if this is the end of the outermost `begin`."""
        here = threading.current_thread() is threading.main_thread()
        if not here or signal.getsignal(signal.SIGINT) != cls._note:
            return
        if cls._depth:
            cls._depth -= 1
            return
        signal.signal(signal.SIGINT, cls._before)
        if cls._noted:
            cls._before(signal.SIGINT, None)

    __enter__, __exit__ = begin, end
