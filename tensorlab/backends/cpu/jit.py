"""From kernel source text to a compiled kernel that the next process need not compile again.

A kernel is generated as text and written to a real file, because Numba can only cache on disk what has a
file. The file's name ends in a hash of its text, and every constant stands in the text, so that a changed
generator makes a new file and never finds an old kernel by mistake.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import platformdirs
from numba.core import config

__all__ = ["cache_directory", "kernel", "load", "quiet"]


@functools.cache
def cache_directory() -> Path:
    """The folder that holds generated kernels, made on first use.

    ``$TENSORLAB_CACHE_DIR`` if it is set, else the user's cache folder; where that cannot be written, a
    temporary folder that lasts as long as the process.
    """
    chosen = os.environ.get("TENSORLAB_CACHE_DIR") or platformdirs.user_cache_dir(
        "tensorlab", appauthor=False
    )
    folder = Path(chosen) / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        # Kept alive by the cache of this function: the folder goes when the process ends.
        _temporary.append(tempfile.TemporaryDirectory(prefix="tensorlab-"))
        return Path(_temporary[-1].name)


_temporary: list[tempfile.TemporaryDirectory] = []


def load(stem: str, source: str) -> ModuleType:
    """The module whose text is `source`, written to the cache folder unless it is there already.

    Args:
        stem: the readable part of the file's name, ``"add_float32"``.
        source: a whole Python module. Its functions decorate themselves with ``njit(cache=True)``.
    """
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    name = f"{stem}_{digest}"
    module_name = f"tensorlab_kernels.{name}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    path = cache_directory() / f"{name}.py"
    if not path.exists():
        _write(path, source)
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # Numba looks the module up by name when it reloads a cached kernel
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def kernel(**options: Any) -> Callable[[Callable], Callable]:
    """Decorate a hand-written kernel: compiled without the interpreter's lock, cached on disk where possible.

    Args:
        options: more options of ``numba.njit``, such as ``parallel=True`` or ``fastmath``.
    """

    def decorate(function: Callable) -> Callable:
        settings = {"nogil": True, "error_model": "numpy", **options}
        try:
            compiled = numba.njit(cache=True, **settings)(function)
        except RuntimeError:  # Numba finds no folder that it could write its cache to
            compiled = numba.njit(**settings)(function)
        return quiet(compiled)

    return decorate


def quiet(kernel: Callable) -> Callable:
    """`kernel`; under ``NUMBA_DISABLE_JIT=1`` it keeps NumPy's warnings of overflow and of 1 / 0 to itself.

    Compiled code gives the infinity or the NaN without a word, and interpreted code must do the same.
    """
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
        return kernel

    @functools.wraps(kernel)
    def interpreted(*arguments: object) -> object:
        with np.errstate(all="ignore"):
            return kernel(*arguments)

    return interpreted


def _write(path: Path, source: str) -> None:
    """Write a file so that other processes see all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
