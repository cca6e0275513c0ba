"""Files of PyTorch's `torch.save`, read by a machine that can do nothing else.

Such a file is a pickle, a program for a small machine that may call any function that it names. Here the
machine knows but the instructions that `torch.save` writes, and but the names below, none of which does more
than make a tensor, a parameter, a dict or a name of a type. Both forms are read: a zip with one pickle and
one entry a storage, and the older one of PyTorch before 1.6, five pickles and then the storages. No
compressed entry is opened, so nothing grows larger than the file.
"""

from __future__ import annotations

import collections
import io
import pickle
import struct
import zipfile
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tensorlab.core import dtypes, layout
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.nn.parameter import Parameter
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, rebuild_tensor

# What is done with the place at which a storage lay, "cpu" or "cuda:0": it is brought here, or refused.
Locate = Callable[[UntypedStorage, str], UntypedStorage]

_OPCODES = (
    "PROTO STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT BINUNICODE EMPTY_DICT "
    "EMPTY_LIST EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 SETITEM SETITEMS APPEND APPENDS BINPUT LONG_BINPUT "
    "BINGET LONG_BINGET GLOBAL REDUCE BUILD BINPERSID SHORT_BINSTRING"  # the last for keys of Python 2
)

_STORAGES = {
    "DoubleStorage": dtypes.float64,
    "FloatStorage": dtypes.float32,
    "HalfStorage": dtypes.float16,
    "BFloat16Storage": dtypes.bfloat16,
    "LongStorage": dtypes.int64,
    "IntStorage": dtypes.int32,
    "ShortStorage": dtypes.int16,
    "CharStorage": dtypes.int8,
    "ByteStorage": dtypes.uint8,
    "BoolStorage": dtypes.bool,
}

_ZIP, _MAGIC = b"PK\x03\x04", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."


class _Storage(NamedTuple):
    """One storage that a pickle speaks of; its bytes may not be there yet."""

    element_type: dtype
    cells: int
    memory: UntypedStorage | None


class _Kind(str):
    """The name of a type of storage, which nobody can call."""


def is_torch_file(content: bytes) -> bool:
    """Whether the bytes begin as `torch.save`'s do."""
    return content.startswith((_ZIP, _MAGIC))


def unpack(content: bytes, source: str, locate: Locate) -> Any:
    """The object in a file of `torch.save`.

    Args:
        content: the bytes of the file.
        source: what to call the file in errors.
        locate: brings a storage, which lay on a device of that name, to where it shall be.

    Raises:
        RuntimeError: the file is damaged, or holds more than tensors, numbers, texts, None, dicts and lists.
    """
    try:
        return _from_zip(content, locate) if content.startswith(_ZIP) else _from_older(content, locate)
    except pickle.UnpicklingError as error:
        raise RuntimeError(f"{source} cannot be loaded: {error}") from error
    except _DAMAGE as error:
        raise RuntimeError(f"{source} is no file of torch.save, or a damaged one: {error!r}") from error


# What reading damaged bytes raises.
_DAMAGE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    EOFError,
    OverflowError,
    RecursionError,
    NotImplementedError,
    struct.error,
    zipfile.BadZipFile,
)


def _from_zip(content: bytes, locate: Locate) -> Any:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
            raise pickle.UnpicklingError("an entry is compressed, and torch.save compresses nothing")
        names = {name.partition("/")[2]: name for name in archive.namelist()}
        if "data.pkl" not in names or "constants.pkl" in names:
            raise pickle.UnpicklingError(
                "it is a zip of something else, such as TorchScript: write state_dict() with torch.save"
            )
        if "byteorder" in names and archive.read(names["byteorder"]) != b"little":
            raise pickle.UnpicklingError(
                "its numbers are big-endian, and this library reads little-endian ones"
            )

        def memory(key: str, element_type: dtype, count: int) -> UntypedStorage:
            return _storage(archive.read(names[f"data/{key}"]), element_type, count)

        return _read(io.BytesIO(archive.read(names["data.pkl"])), memory, locate)


def _from_older(content: bytes, locate: Locate) -> Any:
    file = io.BytesIO(content)
    kinds: dict[str, tuple[dtype, int]] = {}

    def note(key: str, element_type: dtype, count: int) -> None:
        kinds[key] = element_type, count

    _read(file, note, locate)  # the magic number
    if _read(file, note, locate) != 1001:
        raise pickle.UnpicklingError("it is of a form that is neither PyTorch's present nor its older one")
    if not _read(file, note, locate)["little_endian"]:
        raise pickle.UnpicklingError("its numbers are big-endian, and this library reads little-endian ones")
    start = file.tell()
    _read(file, note, locate)
    found: dict[str, UntypedStorage] = {}
    for key in _read(file, note, locate):
        element_type, count = kinds[key]
        if int.from_bytes(file.read(8), "little") != count:
            raise pickle.UnpicklingError(f"storage {key} has not the size that its tensors say")
        found[key] = _storage(file.read(count * element_type.itemsize), element_type, count)
    file.seek(start)
    return _read(file, lambda key, element_type, count: found[key], locate)


def _storage(content: bytes, element_type: dtype, count: int) -> UntypedStorage:
    if len(content) != count * element_type.itemsize:
        raise pickle.UnpicklingError(
            f"a storage of {count} cells of {element_type.name} has {len(content)} bytes"
        )
    return UntypedStorage(np.frombuffer(bytearray(content), np.uint8))


def _read(
    file: io.BytesIO, memory: Callable[[str, dtype, int], UntypedStorage | None], locate: Locate
) -> Any:
    """The object of the next pickle in a file."""
    try:
        return _Machine(file, memory, locate).load()
    except KeyError as error:
        raise pickle.UnpicklingError(
            f"its pickle has the instruction {error}, which torch.save never writes, or goes back to what is "
            f"not there"
        ) from error


class _Machine(pickle._Unpickler):
    """An unpickler with the instructions of `torch.save` alone, that finds no name but those of tensors."""

    def __init__(self, file: io.BytesIO, memory: Callable, locate: Locate) -> None:
        super().__init__(file, encoding="utf-8")
        self.memory, self.locate = memory, locate
        self.storages: dict[str, _Storage] = {}

    def load_build(self) -> None:
        """Set attributes: of a state_dict, which has one."""
        state, built = self.stack.pop(), self.stack[-1]  # type: ignore[attr-defined]
        if type(built) is not collections.OrderedDict or type(state) is not dict or {*state} != {"_metadata"}:
            raise pickle.UnpicklingError(
                f"it sets attributes of a {type(built).__name__}, which torch.save never does"
            )
        built._metadata = state["_metadata"]  # type: ignore[attr-defined]

    _written = tuple(getattr(pickle, name)[0] for name in _OPCODES.split())
    dispatch: ClassVar[Any] = {code: pickle._Unpickler.dispatch[code] for code in _written}
    dispatch[pickle.BUILD[0]] = load_build

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in _STORAGES:
            return _Kind(name)
        if module == "torch" and name in {each.name for each in dtypes.ALL}:
            return dtypes.by_name(name)
        if (module, name) in _FUNCTIONS:
            return _FUNCTIONS[module, name]
        raise pickle.UnpicklingError(
            f"it asks for {module}.{name}, and only tensors, numbers, texts, dicts and lists are loaded, so "
            f"that no code can run; in PyTorch, save model.state_dict() instead of what needs this class"
        )

    def persistent_load(self, pid: Any) -> _Storage:
        match pid:
            case ("storage", _Kind() as kind, str() as key, str() as where, int() as count, *rest) if (
                key.isalnum() and count >= 0 and rest in ([], [None])
            ):
                if key not in self.storages:
                    element_type = _STORAGES[kind]
                    memory = self.memory(key, element_type, count)
                    memory = memory and self.locate(memory, where)
                    self.storages[key] = _Storage(element_type, count, memory)
                known = self.storages[key]
                if (known.element_type, known.cells) == (_STORAGES[kind], count):
                    return known
                raise pickle.UnpicklingError(f"storage {key} is described in two ways")
        raise pickle.UnpicklingError("it describes a storage as torch.save never does")


def _tensor(
    storage: Any, offset: Any, shape: Any, stride: Any, requires_grad: Any = False, hooks: Any = None, *_: Any
) -> Tensor | None:
    if not isinstance(storage, _Storage):
        raise pickle.UnpicklingError("a tensor has no storage")
    numbers = (offset, *shape, *stride)
    if len(shape) != len(stride) or not all(type(n) is int and 0 <= n < 1 << 62 for n in numbers):
        raise pickle.UnpicklingError(
            f"a tensor's layout is none: shape {shape}, strides {stride}, offset {offset}"
        )
    refusal = layout.check_bounds(tuple(shape), tuple(stride), offset, storage.cells)
    if isinstance(refusal, layout.Refusal):
        raise pickle.UnpicklingError(f"a tensor reaches outside its storage: {refusal.reason}")
    if storage.memory is None:  # the older form's first reading, which only asks for the storages
        return None
    made = rebuild_tensor(storage.memory, storage.element_type, tuple(shape), tuple(stride), offset)
    return made.requires_grad_(bool(requires_grad) and made.is_floating_point())


def _parameter(data: Any, requires_grad: Any = True, hooks: Any = None, *_: Any) -> Tensor | None:
    return None if data is None else Parameter(data.detach(), bool(requires_grad))


def _ordered(*pairs: Any) -> collections.OrderedDict:
    return collections.OrderedDict(*pairs)


def _counter(*counts: Any) -> collections.Counter:
    return collections.Counter(*counts)


def _size(numbers: Any = ()) -> Size:
    return Size(numbers)


def _device(*where: Any) -> device:
    return device(*where)


_FUNCTIONS: dict[tuple[str, str], Callable] = {
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch", "Size"): _size,
    ("torch", "device"): _device,
    ("collections", "OrderedDict"): _ordered,
    ("collections", "Counter"): _counter,
}
