"""Where compiled kernels are kept, so that the next process need not compile them.

One folder holds all of them: the texts of the generated kernels, what Numba made of these and of the
hand-written ones, and the machine code of those of GPUs. It can be deleted at any time, and costs no more
than compiling again.
"""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import platformdirs


class Contents(NamedTuple):
    """What a cache folder holds.

    Attributes:
        kernels: how many compiled kernels of the CPU.
        gpu_kernels: how many of GPUs.
        bytes: how much space they and their texts take.
    """

    kernels: int
    gpu_kernels: int
    bytes: int


def wanted_directory() -> Path:
    """The folder that kernels are to be kept in: ``$TENSORLAB_CACHE_DIR/kernels``.

    Where that variable is not set, a folder inside ``$NUMBA_CACHE_DIR``, or inside the user's cache folder.
    """
    chosen = os.environ.get("TENSORLAB_CACHE_DIR")
    if chosen:
        return Path(chosen) / "kernels"
    numbas = os.environ.get("NUMBA_CACHE_DIR")
    if numbas:
        return Path(numbas) / "tensorlab" / "kernels"
    return Path(platformdirs.user_cache_dir("tensorlab", appauthor=False)) / "kernels"


@functools.cache
def cache_directory() -> Path:
    """The folder that holds kernels, made on first use.

    It is `wanted_directory()`; where that cannot be written, a temporary folder that lasts as long as the
    process.
    """
    folder = wanted_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        # Kept alive by the list: the folder goes when the process ends.
        _temporary.append(tempfile.TemporaryDirectory(prefix="tensorlab-"))
        return Path(_temporary[-1].name)


_temporary: list[tempfile.TemporaryDirectory] = []


def write(path: Path, content: bytes) -> None:
    """Write a file so that other processes see all of it or nothing.

    Raises:
        OSError: it cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:  # Ctrl-C leaves no file behind either
        Path(temporary).unlink(missing_ok=True)
        raise


def contents(folder: Path) -> Contents:
    """Count what a cache folder holds; a folder that is not there holds nothing.

    Example:
        >>> contents(Path("no such folder"))
        Contents(kernels=0, gpu_kernels=0, bytes=0)
    """
    kernels = gpu_kernels = size = 0
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                kernels += path.suffix == ".nbc"
                gpu_kernels += path.suffix == ".cubin"
                size += path.stat().st_size
        except FileNotFoundError:  # another process has replaced it meanwhile
            continue
    return Contents(kernels, gpu_kernels, size)
