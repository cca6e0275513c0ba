"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place, and rename it when all of it is written. One that is there is replaced.

    Raises:
        OSError: the folder cannot be written. Nothing is left behind.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder) / "numbers", b"1 2 3")
        ...     [(file.name, file.read_bytes()) for file in Path(folder).iterdir()]
        [('numbers', b'1 2 3')]
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        # Not tempfile: its files are private, and these should have the permissions that files have here.
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # the name must not be given to a file whose bytes are still on the way
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
