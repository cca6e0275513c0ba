"""How much of its limit a box's process has used: processor time, read from outside the process.

A right answer must not lose its points because the machine was busy with others or stood still. So a request
is charged the processor time that its process took. Waiting is charged a part, so that code that sleeps comes
to its end as well. Nothing is charged more than the time that a clock showed, and where the system does not
tell a process's processor time (macOS, Windows), all of that time is charged.
"""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

#: Seconds between two looks at a process that works on a request.
LOOK = 0.1

#: What one look may charge at most. A wait that lasts longer was the machine's: it paused this process too.
LONGEST = 2 * LOOK

#: How much longer than its limit a request may wait. A process that always has something to do, and gets a
#: quarter of a core, is charged no more than its work; one that sleeps keeps a box four times as long.
PATIENCE = 4

_LONGEST_LINE = 1024  # bytes of /proc/PID/stat


class Processor:
    """The processor time of a process, of those that it started, and of all their threads.

    Linux tells it under /proc. Where they are found by their session, one that opens a session of its own is
    not seen before it ends.

    Args:
        pid: the first process.
        members: the others that belong to it, and maybe itself; those of its session if left out.
    """

    def __init__(self, pid: int, members: Callable[[int], Iterable[int]] | None = None) -> None:
        self._pid = pid
        self._members = members or _session
        self._others = 0
        self._file = -1  # kept open, since it is read before and after every request
        with contextlib.suppress(OSError):  # the system has no such file, or the process has ended
            self._file = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
            weakref.finalize(self, os.close, self._file).atexit = False  # a thread may still read it then

    def __call__(self, everyone: bool) -> float | None:
        """Seconds until now; None where the system does not tell.

        Args:
            everyone: whether to look for the processes that it started, which reads the list of all
                processes. Otherwise what they had taken at the last such look is added.
        """
        if self._file < 0:
            return None
        try:
            times = _ticks(os.pread(self._file, _LONGEST_LINE, 0))
        except OSError:  # it has ended
            return None
        if everyone:
            others = sum(sum(_times(pid)) for pid in self._members(self._pid) if pid != self._pid)
            self._others = max(self._others, others + sum(times[2:]))
        return (sum(times[:2]) + self._others) / os.sysconf("SC_CLK_TCK")


class Meter:
    """Adds up what the requests to one process are charged.

    Args:
        processor: the processor time of the process until now, see `Processor`.
        now: the clock.

    Attributes:
        charged: seconds until now.
    """

    def __init__(
        self, processor: Callable[[bool], float | None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._processor = processor
        self._now = now
        self._at = 0.0
        self._worked: float | None = None
        self.charged = 0.0

    def begin(self) -> None:
        """A request is about to be sent."""
        self._at, self._worked = self._now(), self._processor(False)

    def look(self) -> None:
        """Charge what has passed, once every `LOOK` seconds: between two looks this does nothing."""
        if self._now() - self._at >= LOOK:
            self._charge(everyone=True)

    def end(self) -> None:
        """Charge what is left of the request."""
        self._charge(everyone=False)

    def _charge(self, everyone: bool) -> None:
        now, worked = self._now(), self._processor(everyone)
        passed = min(now - self._at, LONGEST)
        work = passed if worked is None or self._worked is None else worked - self._worked
        self.charged += min(max(work, passed / PATIENCE), passed)
        self._at, self._worked = now, worked


def _session(leader: int) -> Iterator[int]:
    """The processes of a session."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if entry.name.isdecimal() and os.getsid(pid := int(entry.name)) == leader:
                yield pid


def _times(pid: int) -> list[int]:
    """Clock ticks of a process, see `_ticks`; none when it has ended."""
    try:
        return _ticks(Path(f"/proc/{pid}/stat").read_bytes())
    except OSError:
        return []


def _ticks(text: bytes) -> list[int]:
    """Clock ticks in a process's own code, in the system's, and both of children that were waited for."""
    fields = text.rpartition(b")")[2].split()  # the program's name may hold anything, brackets as well
    return list(map(int, fields[11:15]))
