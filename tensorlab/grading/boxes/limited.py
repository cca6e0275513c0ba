"""A box without bubblewrap, for Linux: a process that gives up rights before it runs a student's code.

Landlock leaves it its own folder, and Python and this library to read, without questions, hints and known
solutions. It makes no socket, and no signal of its reaches the outside. A filter of system calls, limits, and
a measurement of its memory stand beside that. It is weaker than the `strong` box: one user, one list of
processes, one kernel's worth of calls for files that are only looked at.

`tensorlab.grading.boxes.canaries` shows before a run that what it promises holds.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import tensorlab
from tensorlab.grading.boxes import Level, seccomp
from tensorlab.grading.boxes.guard import GONE_SECONDS, collect, descendants
from tensorlab.grading.boxes.process import DIE_WITH_PARENT, Process, clean_environment, program_command
from tensorlab.grading.boxes.walled import HIDDEN, MOST_PROCESSES, WalledBox
from tensorlab.grading.inside.system import WALLS, landlock_version

LEAST_VERSION = 6  # of Landlock: the first that keeps signals in


class LimitedBox(WalledBox):
    """One student's process, which has given up what it can.

    Raises:
        BoxError: the process did not come up.
    """

    level: Level = "limited"

    def _launch(self) -> Process:
        folder = str(self._folder)
        walls = {
            "read": list(_to_read()),
            "write": [folder, "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"],
            "filter": seccomp.program(sockets=False, processes=not self._alone).hex(),
            "processes": _threads_of_this_user() + MOST_PROCESSES,
        }
        command = program_command("limited", DIE_WITH_PARENT)
        return self._popen(command, clean_environment(folder, self._backend) | {WALLS: json.dumps(walls)})

    def _end(self) -> None:
        """End the process, and those that have left its group."""
        members = list(descendants(self._process.pid))
        super()._end()
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + GONE_SECONDS
        while not all(collect(pid) for pid in members) and time.monotonic() < until:
            time.sleep(0.002)


def missing() -> str:
    """What this machine lacks for such boxes, and what helps; "" when it has all."""
    if sys.platform != "linux":
        return "they need Linux: grade in containers (--container IMAGE) or on a virtual machine"
    if os.geteuid() == 0:
        return "root cannot be limited so: grade as another user, or with bubblewrap"
    if landlock_version() < LEAST_VERSION:
        return (
            f"this kernel has version {landlock_version()} of Landlock, and {LEAST_VERSION} is needed, which "
            "came with Linux 6.12: install bubblewrap"
        )
    if not seccomp.is_known():
        return "the system calls of this machine's processor are not known to this library"
    return ""


def _to_read() -> Iterator[str]:
    package = Path(tensorlab.__file__).resolve().parent
    hidden = {package / name for name in HIDDEN}
    yield str(package / "grading" / "inside")
    for text in ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"):
        yield text
    for text in {sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix, str(package)}:
        yield from _but(Path(text).resolve(), hidden)


def _but(path: Path, hidden: Collection[Path]) -> Iterator[str]:
    """A folder, or what is in it where something in it is hidden."""
    if not any(other.is_relative_to(path) for other in hidden):
        yield str(path)
    elif path not in hidden:
        for child in path.iterdir():
            yield from _but(child, hidden)


def _threads_of_this_user() -> int:
    """How many there are now: the limit of processes counts them all."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            if entry.stat().st_uid == os.geteuid():
                count += len(list((entry / "task").iterdir()))
    return count
