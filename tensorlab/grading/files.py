"""Files that appear whole or not at all, never in place of one that somebody else wrote; wary reading."""

from __future__ import annotations

import hashlib
import os
import stat
from io import BufferedReader
from pathlib import Path

from tensorlab.io import whole


class AlreadyThere(FileExistsError):
    """A file of this name exists, and nobody said that it may be replaced."""


class NotAFile(OSError):
    """What has this name is a link, a folder, a pipe or a device."""


def open_regular(path: Path) -> BufferedReader:
    """Open a file for reading that somebody else may have put there: no link is followed, no pipe waited for.

    Raises:
        NotAFile: it is no regular file.
        OSError: it cannot be opened.
    """
    # Open first and look at what was opened, so that the file cannot be exchanged in between. O_NONBLOCK:
    # opening a named pipe must not wait for somebody to write into it.
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if path.is_symlink():
        raise NotAFile("the file is a link")
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotAFile("this is not a regular file")
    return os.fdopen(descriptor, "rb")


def fingerprint(path: Path) -> str | None:
    """The SHA-256 of a file; "" of what is no file, and None of what is not there."""
    if not os.path.lexists(path):
        return None
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def write_whole(path: Path, text: str, *, replace: bool) -> None:
    r"""Write `text` as UTF-8 with ``\n`` line ends: to a temporary file beside it, which is then renamed.

    Args:
        replace: whether an existing file may be replaced.

    Raises:
        AlreadyThere: it exists and `replace` is false.
        OSError: the folder cannot be written. Nothing is left behind.
    """
    if not replace and path.exists():
        raise AlreadyThere(str(path))
    whole.write_whole(path, text.encode())
