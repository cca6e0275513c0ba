"""Files that appear whole or not at all, and never in place of one that somebody else wrote."""

from __future__ import annotations

from pathlib import Path

from tensorlab.io import whole


class AlreadyThere(FileExistsError):
    """A file of this name exists, and nobody said that it may be replaced."""


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
