"""Saving and loading: tensors, and the dicts, lists and numbers around them, in one file.

``save(obj, path)`` writes a safetensors file and ``load(path)`` reads it back. **Loading runs no code.** A
file holds numbers and text, never functions or classes, so a file from a stranger can be wrong but not
dangerous.

What a file holds:

- the bytes of every storage, once, however many tensors look into it. Tensors that were views of one storage
  are views of one storage again after loading: write into one and the others see it;
- for every tensor its dtype, shape, strides and offset, so that a transposed tensor comes back transposed,
  and whether it is a parameter or requires a gradient: what was computed comes back as a leaf;
- the dicts, lists, tuples, numbers and texts around the tensors, as JSON.

A slice brings its whole storage along, because other tensors may need the rest. To save ten numbers of a
million, save ``x[:10].clone()``.

Files of PyTorch's `torch.save` load as well, by a reader that runs nothing of them.

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
from functools import partial
from pathlib import Path
from typing import IO, Any

from tensorlab.backends import backend_of
from tensorlab.core.devices import device
from tensorlab.io import archive, torch_files
from tensorlab.io.whole import write_whole
from tensorlab.storage import UntypedStorage

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
    map_location: Any = None,
    *,
    weights_only: bool = True,
) -> Any:
    """What `save` wrote to a file; or PyTorch's `torch.save`; or a safetensors file's dict of tensors.

    A file of PyTorch is loaded if it holds tensors, parameters, numbers, texts, None, dicts, lists and
    tuples, as a ``state_dict`` does: in both of its forms, and without running what it names.

    Args:
        f: a path, or a file open for reading bytes.
        map_location: the device to put the tensors on, as PyTorch takes it: a device, its name, a dict from
            names to names, or a function of a storage and the name of its device. Tensors that lay on another
            device than the CPU need one.
        weights_only: accepted for programs written for PyTorch, where False means that the file may run
            code. Here no file can.

    Raises:
        RuntimeError: the file is damaged, of an unknown form, or holds what is none of these; or tensors of a
            device that is not here, and `map_location` does not say where they shall be.
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
    if map_location is not None and not isinstance(map_location, dict) and not callable(map_location):
        device(map_location)
    if hasattr(f, "read"):
        content, source = f.read(), "the file"
    else:
        path = _path(f)
        content, source = path.read_bytes(), str(path)
    locate = partial(_located, map_location)
    try:
        if torch_files.is_torch_file(content):
            return torch_files.unpack(content, source, locate)
        return archive.unpack(content, source, locate)
    except _Unlocated as failure:  # no damage of the file
        raise failure.error from None


class _Unlocated(Exception):
    """A storage has no place: its device is not here, or the caller's function failed."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def _located(map_location: Any, storage: UntypedStorage, where: str) -> UntypedStorage:
    """A storage of a file, which lay on the device `where`, on the device where it shall be."""
    try:
        if callable(map_location) and not isinstance(map_location, device):  # a device decorates
            found = map_location(storage, where)
            if isinstance(found, UntypedStorage):
                return found
            if found is not None:
                raise TypeError(
                    f"map_location returned a {type(found).__name__} for a storage of {where!r}: it returns "
                    f"the storage, storage.cuda() or storage.cpu(), or None to leave it where it was"
                )
            place = where
        elif isinstance(map_location, dict):
            place = map_location.get(where, where)
        else:
            place = where if map_location is None else map_location
        return _moved(storage, place)
    except Exception as error:  # the function is the caller's, and may raise anything
        raise _Unlocated(error) from error


def _moved(storage: UntypedStorage, place: Any) -> UntypedStorage:
    try:
        backend_of(place)
    except RuntimeError as error:
        raise RuntimeError(
            f"Attempting to deserialize object on device {str(place)!r}, which is not here: call "
            f"load(..., map_location='cpu')"
        ) from error
    return storage.to(place)


def _path(f: object) -> Path:
    if not isinstance(f, (str, os.PathLike)):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with 'write' or 'read', got {f!r}"
        )
    return Path(f).resolve()
