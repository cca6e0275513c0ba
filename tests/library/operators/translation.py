"""Arguments of a PyTorch call, as arguments of the same call here."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

import tensorlab as tl

__all__ = ["Untranslatable", "leaves", "translate"]


# Where tensors are made.
PLACE = "cpu"


class Untranslatable(Exception):
    """An argument of a kind that this library has not: complex, sparse, on another device."""


def translate(torch: Any, value: Any, storages: dict[int, Any] | None = None) -> Any:
    """The same value for this library. Tensors keep layout, offset and cells, and share where they shared.

    They lie on the device `PLACE`.

    Args:
        torch: PyTorch.
        value: a tensor, or anything else that may be an argument.
        storages: what was translated before: tensors by `id`, storages by address.

    Raises:
        Untranslatable: there is no such value here.
    """
    storages = {} if storages is None else storages
    if isinstance(value, torch.Tensor):
        if id(value) not in storages:
            storages[id(value)] = _tensor(torch, value, storages)
        return storages[id(value)]
    if isinstance(value, (torch.Size, tl.Size)):
        return tl.Size(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(translate(torch, item, storages) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(translate(torch, item, storages) for item in value)
    if isinstance(value, dict):
        return {
            key: PLACE if key == "device" and str(item) == "cpu" else translate(torch, item, storages)
            for key, item in value.items()
        }
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        name = str(value).removeprefix("torch.")
        if not hasattr(tl, name):
            raise Untranslatable(name)
        return getattr(tl, name)
    if isinstance(value, torch.device):
        if value.type != "cpu":
            raise Untranslatable(str(value))
        return tl.device(PLACE)
    if value is None or isinstance(value, (bool, int, float, str, slice, type(Ellipsis), np.generic)):
        return value
    raise Untranslatable(type(value).__name__)


def _tensor(torch: Any, tensor: Any, storages: dict[int, Any]) -> tl.Tensor:
    name = str(tensor.dtype).removeprefix("torch.")
    if not hasattr(tl, name) or tensor.layout != torch.strided or tensor.device.type != "cpu":
        raise Untranslatable(f"a tensor of {name}, {tensor.layout}, {tensor.device}")
    storage = tensor.untyped_storage()
    if storage.data_ptr() not in storages or not storage.data_ptr():
        # The bytes by their address, and cloned: NumPy over a storage would keep it from being resized.
        cells = ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""
        bare = tl.frombuffer(bytearray(cells), dtype=tl.uint8) if cells else tl.empty(0, dtype=tl.uint8)
        storages[storage.data_ptr()] = bare.clone().to(PLACE)
    whole = storages[storage.data_ptr()]
    itemsize = tensor.element_size()
    cells = whole[: whole.numel() // itemsize * itemsize].view(getattr(tl, name))
    return cells.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def leaves(value: Any, kind: type) -> Iterator[Any]:
    """The objects of one kind in nested tuples, lists and dictionaries, in order."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from leaves(item, kind)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()), kind)
