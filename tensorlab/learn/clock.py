"""A time limit for code that runs in the student's own kernel, on every system."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTime(Exception):
    """The code did not end in the time that it had."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the code inside as Ctrl-C would, after `seconds`.

    Only the main thread can be interrupted. Elsewhere, and for code that catches KeyboardInterrupt, there is
    no limit.

    Raises:
        OutOfTime: the time was up.
        KeyboardInterrupt: somebody else interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    timer = _Timer(seconds)
    try:
        yield
    except KeyboardInterrupt:
        if timer.fired:
            raise OutOfTime(f"{seconds:g} s") from None
        raise
    finally:
        timer.stop()


class _Timer:
    """Interrupts the main thread once, unless it is stopped first."""

    def __init__(self, seconds: float) -> None:
        self.fired = False
        self._stopped = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True
        self._timer.start()

    def _fire(self) -> None:
        with self._lock:
            if not self._stopped:
                self.fired = True
                _thread.interrupt_main()

    def stop(self) -> None:
        """From here on the timer does nothing; an interrupt that is still on its way ends here."""
        self._timer.cancel()
        try:
            with self._lock:
                late = self.fired and not self._stopped
                self._stopped = True
            if late:
                time.sleep(0.01)  # gives a pending interrupt the chance to arrive where it is expected
        except KeyboardInterrupt:
            self._stopped = True
