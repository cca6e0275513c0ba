"""Single keys from a terminal, without waiting for Enter.

Linux and macOS have `termios` for that, and a terminal that can be waited for. Windows has `msvcrt`, which
can only be asked whether a key waits.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any


class Keys:
    """The keyboard while a program shows something: a context in which each key arrives at once.

    The terminal is as it was at the end, whatever happens. Ctrl-C interrupts as ever. Where standard input is
    no terminal there are no keys.
    """

    def __init__(self) -> None:
        self.exist = sys.stdin is not None and sys.stdin.isatty()
        self._before: Any = None

    def __enter__(self) -> Keys:
        if self.exist and sys.platform != "win32":
            import termios  # not on Windows
            import tty

            self._before = termios.tcgetattr(sys.stdin.fileno())
            tty.setcbreak(sys.stdin.fileno())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None and sys.platform != "win32":
            import termios

            with contextlib.suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)

    def pressed(self, seconds: float) -> str:
        """The next key, in lower case; "" when none came within so many seconds.

        Raises:
            EOFError: the terminal is gone.
        """
        if not self.exist:
            time.sleep(seconds)
            return ""
        if sys.platform == "win32":
            return _pressed_on_windows(seconds)
        ready, _, _ = select.select([sys.stdin.fileno()], [], [], seconds)
        if not ready:
            return ""
        read = os.read(sys.stdin.fileno(), 64).decode("latin-1")
        if not read:
            raise EOFError("the terminal is gone")
        # A key without a character, such as Home, sends Escape and more, letters among them.
        return "" if read.startswith("\x1b") else read[0].lower()


def _pressed_on_windows(seconds: float) -> str:
    import msvcrt  # only on Windows

    for _ in _until(seconds):
        if msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
            key = str(msvcrt.getwch())  # type: ignore[attr-defined, unused-ignore]
            # A key without a character sends one of two marks and a code, which may be a letter's.
            if key in ("\0", "\xe0") and msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
                msvcrt.getwch()  # type: ignore[attr-defined, unused-ignore]
                return ""
            return key.lower()
    return ""


def _until(seconds: float) -> Iterator[None]:
    end = time.monotonic() + seconds
    while True:
        yield
        left = end - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, 0.01))
