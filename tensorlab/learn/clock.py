"""A time limit for code that runs in the student's own kernel, on every system."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from numba.core import event

__all__ = ["OutOfTime", "compiling", "time_limit", "uncounted"]


SHORTEST = 0.01  # seconds between two looks at the clock


class OutOfTime(KeyboardInterrupt):
    """The code did not end in the time that it had.

    A KeyboardInterrupt, so that it passes through whatever catches all ordinary exceptions.

    Attributes:
        args_of_call: the arguments of the call that was running, where whoever caught it has noted them.
    """

    args_of_call: tuple[Any, ...] | None = None


class time_limit:  # noqa: N801  # reads as a statement: with time_limit(5)
    """Stop the code inside after some seconds, as Ctrl-C would.

    Only the main thread can be stopped. Elsewhere, and for code that catches every exception, there is no
    limit.

    Args:
        seconds: the time that it has.
        aside: returns how many seconds until now do not count. It is called in another thread.

    Raises:
        OutOfTime: the time was up.

    Example:
        >>> with time_limit(5):
        ...     sum(range(10))
        45
    """

    def __init__(self, seconds: float, aside: Callable[[], float] = float) -> None:
        self._seconds = seconds
        self._aside = aside
        self._lock = threading.Lock()
        self._armed = True
        self._fired = False  # the timer has interrupted
        self._met = False  # its interrupt has arrived

    def __enter__(self) -> None:
        self._here = threading.current_thread() is threading.main_thread()
        if not self._here:
            return
        self._before: Any = signal.signal(signal.SIGINT, self._interrupted)
        self._end = time.monotonic() - self._aside() + self._seconds
        self._wait(self._seconds)
        if self._met:
            self._disarm()
            raise OutOfTime(f"{self._seconds:g} s")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._here:
            self._disarm()

    def _disarm(self) -> None:
        with self._lock:
            self._armed = False
        self._timer.cancel()
        if self._fired and not self._met:
            time.sleep(0.001)  # the interrupt is on its way and must meet our handler, which drops it
        signal.signal(signal.SIGINT, self._before)

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True
        self._timer.start()

    def _fire(self) -> None:
        """In the timer's thread: interrupt the main one. Windows has no other way than this one."""
        with self._lock:
            if not self._armed:
                return
            left = self._end - time.monotonic() + self._aside()
            if left > 0:
                self._wait(max(left, SHORTEST))
                return
            self._fired = True
            _thread.interrupt_main()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """In the main thread: the timer's interrupt stops the code; any other goes where it always went."""
        if self._fired and not self._met:
            self._met = True
            if self._armed and not _is_ours(frame):
                self._fired = self._met = False  # what is raised in a destructor is dropped: then once more
                self._wait(self._seconds)
                raise OutOfTime(f"{self._seconds:g} s")
        elif callable(self._before):
            self._before(number, frame)


_OURS = {time_limit.__enter__.__code__, time_limit.__exit__.__code__}


def _is_ours(frame: FrameType | None) -> bool:
    """Whether the limit is being entered or left; an exception there would leave our handler behind."""
    while frame is not None:
        if frame.f_code in _OURS:
            return True
        frame = frame.f_back
    return False


class _Compiling(event.Listener):
    """Adds up the time in which Numba compiles. One compilation may start others."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._since: float | None = None
        self._depth = 0

    def __call__(self) -> float:
        """The seconds of processor time until now."""
        since = self._since
        return self._seconds + (time.process_time() - since if since is not None else 0.0)

    def on_start(self, event: event.Event) -> None:
        """A compilation begins."""
        if self._depth == 0:
            self._since = time.process_time()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        """A compilation has ended."""
        self._depth -= 1
        if self._depth == 0 and self._since is not None:
            self._seconds, self._since = self(), None


compiling = _Compiling()
"""How many seconds this process has spent on compiling kernels. The first call of one takes seconds."""

event.register("numba:compile", compiling)

WAITING_COUNTS = 1 / 12  # of a second without a processor: code that sleeps is stopped too, only later


def uncounted() -> float:
    """How many seconds until now are not the code's own: of compiling, or of waiting for a busy machine."""
    waiting = time.monotonic() - time.process_time()
    return compiling() + (1 - WAITING_COUNTS) * waiting
