"""What boxes that close their process off have in common: its memory is measured from outside."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path

from tensorlab.grading.boxes.guard import descendants
from tensorlab.grading.boxes.meter import Processor
from tensorlab.grading.boxes.process import ProcessBox

MOST_PROCESSES = 64
LOOK = 0.05  # seconds between two looks at what the processes take

#: Parts of this library that are not for students' eyes while they are graded.
HIDDEN = ("grading", "learn", "cli")


class WalledBox(ProcessBox):
    """A box that is ended when its processes together take more memory than they may.

    Args:
        parts, cpu_seconds, warm, backend: see `ProcessBox`.
        memory_bytes: of all processes of the box together, and of the address space of each.
        alone: whether the process can start no other, so that the kernel's limit of its memory is that of the
            box. It can start threads.
    """

    def __init__(
        self,
        parts: list[str],
        memory_bytes: int = 2 << 30,
        cpu_seconds: int = 120,
        *,
        warm: bool = False,
        backend: str = "",
        alone: bool = False,
    ) -> None:
        self._alone = alone
        self._memory = memory_bytes
        super().__init__(parts, memory_bytes, cpu_seconds, warm=warm, backend=backend)
        threading.Thread(target=self._watch, daemon=True).start()

    def _processor(self) -> Processor:
        return Processor(self._process.pid, descendants)

    def _watch(self) -> None:
        while self._process.poll() is None:
            members = [self._process.pid, *descendants(self._process.pid)]
            if sum(map(memory, members)) > self._memory:
                self._end()
            time.sleep(LOOK)


def memory(pid: int) -> int:
    """Bytes that a process takes: its share of what it has in common with others, where that is told."""
    with contextlib.suppress(OSError):  # it has ended
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0
