"""What a student's code prints, its beginning kept for whoever asked for it."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator


class Printed(io.TextIOBase):
    """A standard output that keeps its first characters and passes everything on, at once.

    Args:
        most: how many characters are kept; one more is, where there was more.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._onward = sys.stdout
        self.text = ""

    def write(self, text: str) -> int:
        """Take what was printed."""
        self.text += text[: max(0, self._most + 1 - len(self.text))]
        self._onward.write(text)
        self._onward.flush()  # code that never ends is ended from outside, and its last words must be out
        return len(text)


@contextlib.contextmanager
def listening(most: int) -> Iterator[Printed]:
    """Meanwhile keep the first `most` characters that are printed; with 0 nothing changes."""
    printed = Printed(most)
    with contextlib.redirect_stdout(printed) if most else contextlib.nullcontext():
        yield printed
