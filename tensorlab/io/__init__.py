"""Saving and loading: tensors, and the dicts, lists and numbers around them, in one file.

``save(obj, path)`` writes a safetensors file and ``load(path)`` reads it back. **Loading runs no code.** A
file holds numbers and text, never functions or classes, so a file from a stranger can be wrong but not
dangerous.

What a file holds:

- the bytes of every storage, once, however many tensors look into it. Tensors that were views of one storage
  are views of one storage again after loading: write into one and the others see it;
- for every tensor its dtype, shape, strides and offset, so that a transposed tensor comes back transposed,
  and whether it requires a gradient: what was computed comes back as a leaf;
- the dicts, lists, tuples, numbers and texts around the tensors, as JSON.

A slice brings its whole storage along, because other tensors may need the rest. To save ten numbers of a
million, save ``x[:10].clone()``.

Other programs read the file as well: a dense tensor that fills its storage appears there under its own name,
the keys on the way to it with dots between, as in ``"encoder.weight"``. Files that other programs wrote load
as a dict of tensors.

Example:
    >>> import tempfile
    >>> import tensorlab as tl
    >>> from pathlib import Path
    >>> weight = tl.arange(6.0).view(2, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.safetensors")
    ...     tl.save({"weight": weight, "turned": weight.t(), "epoch": 3}, path)
    ...     again = tl.load(path)
    >>> again["turned"][0, 1] = -1
    >>> again
    {'weight': tensor([[ 0.,  1.,  2.],
            [-1.,  4.,  5.]]), 'turned': tensor([[ 0., -1.],
            [ 1.,  4.],
            [ 2.,  5.]]), 'epoch': 3}
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from tensorlab.core.devices import as_device, device
from tensorlab.io import archive
from tensorlab.io.whole import write_whole

__all__ = ["load", "save"]


def save(obj: Any, f: str | os.PathLike | IO[bytes]) -> None:
    """Write an object to a file that `load` reads back without running code.

    The file appears whole or not at all: it is written beside its place and then renamed. A file that is
    there already is replaced.

    Args:
        obj: tensors, numbers, texts, None, dtypes, devices and shapes, and dicts, lists and tuples of them.
        f: where to write: a path, or a file open for writing bytes.

    Raises:
        TypeError: there is something else in `obj`.
        ValueError: a container contains itself.
        RuntimeError: the folder of the path does not exist.
        AttributeError: `f` is neither a path nor a file.

    Example:
        >>> import io
        >>> import tensorlab as tl
        >>> file = io.BytesIO()
        >>> tl.save({"weight": tl.ones(2), "step": 3}, file)
        >>> _ = file.seek(0)
        >>> tl.load(file)
        {'weight': tensor([1., 1.]), 'step': 3}
    """
    content = archive.pack(obj)
    if hasattr(f, "write"):
        f.write(content)
        return
    path = _path(f)
    if path.is_dir():
        raise RuntimeError(
            f"{path} is a folder: name the file to write, such as {path / 'model.safetensors'}"
        )
    if not path.parent.is_dir():
        raise RuntimeError(f"Parent directory {path.parent} does not exist: make it first")
    write_whole(path, content)


def load(
    f: str | os.PathLike | IO[bytes],
    map_location: device | str | None = None,
    *,
    weights_only: bool = True,
) -> Any:
    """What `save` wrote to a file; or, from another program's safetensors file, a dict of its tensors.

    Args:
        f: a path, or a file open for reading bytes.
        map_location: the device to put the tensors on; the CPU.
        weights_only: accepted for programs written for PyTorch, where False means that the file may run
            code. Here no file can.

    Raises:
        RuntimeError: the file is damaged, or is no safetensors file, or holds a type that tensorlab has not.
        FileNotFoundError: there is no such file.
        AttributeError: `f` is neither a path nor a file.

    Example:
        >>> import io
        >>> import tensorlab as tl
        >>> file = io.BytesIO()
        >>> tl.save([tl.arange(3), "text"], file)
        >>> _ = file.seek(0)
        >>> tl.load(file)
        [tensor([0, 1, 2]), 'text']
    """
    as_device(map_location)
    if hasattr(f, "read"):
        return archive.unpack(f.read(), "the file")
    path = _path(f)
    return archive.unpack(path.read_bytes(), str(path))


def _path(f: object) -> Path:
    if not isinstance(f, (str, os.PathLike)):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with 'write' or 'read', got {f!r}"
        )
    return Path(f).resolve()
