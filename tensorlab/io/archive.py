"""Storages and the description of an object, packed into the bytes of a safetensors file and back.

A safetensors file is a header in JSON, then one run of bytes an entry. Our entries are the storages. The
header's free text holds the description of the object that was saved: the tree of containers, and the layout
of every tensor in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import safetensors

from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.io import tree
from tensorlab.names.tensor import bare, names_of, rebuild_named
from tensorlab.nn.parameter import Parameter
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor, rebuild_tensor

__all__ = ["pack", "unpack"]

KEY = "tensorlab"
RESERVED = "__metadata__"  # the one name that no entry can have
VERSION = 1

_FORMAT_NAMES = {
    "BOOL": dtypes.bool,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "I16": dtypes.int16,
    "I32": dtypes.int32,
    "I64": dtypes.int64,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F32": dtypes.float32,
    "F64": dtypes.float64,
}


def pack(obj: Any) -> bytes:
    """The bytes of the file that describes `obj`.

    Raises:
        TypeError, ValueError: `obj` holds what a file cannot (see `tree.describe`).
    """
    met: list[tuple[str, Tensor]] = []
    described = tree.describe(obj, met)
    entries = _entries([(path, bare(tensor)) for path, tensor in met])
    records = [_record(tensor, entries) for _, tensor in met]
    specifications = {
        entry.name: safetensors.TensorSpec(
            dtype=entry.dtype.name,
            shape=entry.shape,
            data_ptr=entry.cells.data_ptr(),
            data_len=entry.cells.nbytes(),
        )
        for entry in entries.values()
    }
    text = json.dumps({"version": VERSION, "tree": described, "tensors": records})
    return bytes(safetensors.serialize(specifications, {KEY: text}))


def unpack(content: bytes, source: str, locate: Callable[[UntypedStorage, str], UntypedStorage]) -> Any:
    """The object that `pack` described, or the dict of tensors of another program's file.

    Args:
        content: the bytes of the file.
        source: what to call the file in errors.
        locate: brings a storage, which lay on a device of that name, to where it shall be.

    Raises:
        RuntimeError: the bytes are damaged, or no safetensors file, or hold an unknown type.
    """
    if content.startswith(b"\x80") and content.endswith(b"."):
        raise RuntimeError(
            f"{source} holds a pickle. Loading a pickle can run any code; what torch.save or tensorlab.save "
            f"writes can be loaded without"
        )
    try:
        entries = dict(safetensors.deserialize(content))
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    except (safetensors.SafetensorError, ValueError, RecursionError) as error:
        raise RuntimeError(f"{source} is no safetensors file, or a damaged one: {error}") from error
    text = header.get(RESERVED, {}).get(KEY)
    if text is None:
        return {name: _tensor_of(entry, f"{name!r} in {source}", locate) for name, entry in entries.items()}
    try:
        description = json.loads(text)
        if description["version"] == VERSION:
            records = description["tensors"]
            places = {record["storage"]: record.get("device", "cpu") for record in records}
            storages = {name: locate(_storage_of(entries[name]), where) for name, where in places.items()}
            tensors = [_described(record, storages) for record in records]
            return tree.restore(description["tree"], tensors)
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise RuntimeError(
            f"{source} is damaged: its description is not one that save writes ({error!r})"
        ) from error
    raise RuntimeError(
        f"{source} was written by a later tensorlab: it is of version {description['version']!r}, and this "
        f"one reads version {VERSION}"
    )


def _record(tensor: Tensor, entries: dict[int, Entry]) -> dict[str, Any]:
    """What the file says of one tensor, beside the bytes of its storage."""
    held = bare(tensor)
    record: dict[str, Any] = {
        "storage": entries[id(held.untyped_storage())].name,
        "dtype": held.dtype.name,
        "shape": held.shape,
        "stride": held.stride(),
        "offset": held.storage_offset(),
    }
    if held.device.type != "cpu":
        record["device"] = str(held.device)
    if held.requires_grad:
        record["requires_grad"] = True
    if isinstance(tensor, Parameter):
        record["is_parameter"] = True
    names = names_of(tensor)
    return record | {"names": names} if any(name is not None for name in names) else record


class Entry(NamedTuple):
    """One storage as it stands in the file, its cells on the CPU: others read a dense tensor there."""

    name: str
    dtype: dtype
    shape: Size
    cells: UntypedStorage


def _entries(found: list[tuple[str, Tensor]]) -> dict[int, Entry]:
    """An entry for every storage, by its id.

    A storage that a dense tensor fills is that tensor, under its path, so that others find it by its name.
    Any other is bytes, under the path of the first tensor that looks into it, marked as a storage.
    """
    entries: dict[int, Entry] = {}
    for path, tensor in found:
        if _is_whole(tensor) and path != RESERVED:
            storage = tensor.untyped_storage()
            entries.setdefault(id(storage), Entry(path, tensor.dtype, tensor.shape, storage.cpu()))
    taken = {RESERVED} | {path for path, _ in found}
    for path, tensor in found:
        storage = tensor.untyped_storage()
        if id(storage) not in entries:
            name = f"{path}.storage"
            while name in taken:
                name += "_"
            taken.add(name)
            entries[id(storage)] = Entry(name, dtypes.uint8, Size((storage.nbytes(),)), storage.cpu())
    return entries


def _is_whole(tensor: Tensor) -> bool:
    """Whether the elements in their order are the cells of the storage in theirs, all of them."""
    fills = tensor.nbytes == tensor.untyped_storage().nbytes() and tensor.storage_offset() == 0
    return fills and tensor.stride() == layout.default_strides(tensor.shape)


def _storage_of(entry: dict[str, Any]) -> UntypedStorage:
    return UntypedStorage(np.frombuffer(entry["data"], np.uint8))


def _tensor_of(entry: dict[str, Any], what: str, locate: Callable) -> Tensor:
    element_type = _FORMAT_NAMES.get(entry["dtype"])
    if element_type is None:
        known = ", ".join(_FORMAT_NAMES)
        raise RuntimeError(f"{what} is of type {entry['dtype']}, and tensorlab has {known}")
    shape = Size(entry["shape"])
    return make_tensor(
        locate(_storage_of(entry), "cpu"), element_type, shape, layout.default_strides(shape), 0
    )


def _described(record: dict[str, Any], storages: dict[str, UntypedStorage]) -> Tensor:
    shape, stride = layout.as_shape(record["shape"]), tuple(Size(record["stride"]))
    element_type, offset = dtypes.by_name(record["dtype"]), layout.as_int(record["offset"], "the offset")
    tensor = rebuild_tensor(storages[record["storage"]], element_type, shape, stride, offset)
    tensor.requires_grad_(record.get("requires_grad", False))
    if record.get("is_parameter", False):
        return Parameter(tensor.detach(), tensor.requires_grad)
    return rebuild_named(tensor, record["names"]) if "names" in record else tensor
