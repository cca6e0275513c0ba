"""A file that somebody else writes: when it has changed, and when it is whole again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tensorlab.grading.notebook import Notebook, UnreadableNotebook, read_notebook

#: Seconds for which a file must lie still before it is read. Editors write in several steps.
STILL = 0.03
#: Seconds for which a file that is not whole may still become so without a word about it.
PATIENCE = 1.0


class Watched:
    """A notebook on disk.

    Editors write in place, or write another file and rename it; both are seen, and so is a file that is gone
    for a moment.

    Args:
        now: the clock, in seconds.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._now = now
        self._seen: tuple[int, ...] | None = None  # what the file looked like at the last look
        self._since: float | None = None  # when it began to look so, while that is not dealt with
        self._changed = 0.0  # when this save began
        self._read = ""  # digest of what was read last

    def news(self) -> tuple[Notebook, float] | UnreadableNotebook | None:
        """What was saved since the last call, with the seconds since the save was noticed.

        Returns:
            None when there is nothing new, or nothing whole yet; why it cannot be read when that stays so.
        """
        found, now = self._look(), self._now()
        if found != self._seen:
            if self._since is None:
                self._changed = now
            self._seen, self._since = found, now
        if self._since is None or now - self._since < STILL:
            return None
        try:
            notebook = read_notebook(self.path)
        except UnreadableNotebook as error:
            if now - self._changed < PATIENCE:
                return None  # perhaps it is being written
            self._since = None
            self._read = ""
            return error
        if self._look() != found:
            return None  # it changed while it was read
        self._since = None
        if notebook.sha256 == self._read:
            return None  # saved again without a change
        self._read = notebook.sha256
        return notebook, now - self._changed

    def _look(self) -> tuple[int, ...] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino
