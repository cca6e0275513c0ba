"""Storage: one flat run of bytes on one device, which any number of tensors may look into.

`UntypedStorage` is the memory itself. It knows its bytes and nothing of what they mean. `TypedStorage` is the
same memory seen as cells of one dtype, the picture that the book draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pickle import PickleBuffer
from typing import Any

import numpy as np

from tensorlab.backends import HOST, Backend, backend_of
from tensorlab.backends.cuda.memory import pinned_at
from tensorlab.core import devices, modes
from tensorlab.core.cells import decode
from tensorlab.core.dtypes import dtype

__all__ = ["UNTRACKED", "TypedStorage", "UntypedStorage", "rebuild_storage"]

BYTE = np.dtype(np.uint8)


class _Untracked(int):
    """The count of a storage whose writes are not counted: one more is the same."""

    def __add__(self, other: int) -> _Untracked:
        return self


# The version of every storage that is made in inference mode.
UNTRACKED = _Untracked(-1)


# Called with every storage that is made, while somebody measures memory (see tensorlab.autograd.profile).
watcher: Callable[[UntypedStorage], None] | None = None


class UntypedStorage:
    """A flat run of bytes. Views share it; the last tensor that looks into it keeps it alive.

    Args:
        memory: a one-dimensional contiguous array of any cell type; the storage keeps it (and its owner)
            alive.
        readonly: whether writes into it must be refused.
        backend: what computes with the memory, and allocates more of it: the device's kernels.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1, 256], dtype=tl.int16).untyped_storage().tolist()
        [1, 0, 0, 1]
    """

    # `_writer` is set by whoever writes, and empty before (see tensorlab.autograd.last_writer); `_lent` once
    # somebody else has the memory too. Most storages have none of them.
    __slots__ = (
        "__weakref__",
        "_lent",
        "_memory",
        "_others",
        "_version",
        "_writer",
        "backend",
        "readonly",
    )

    _lent: bool
    _writer: object

    def __init__(self, memory: np.ndarray, readonly: bool = False, backend: Backend = HOST) -> None:
        self._memory = memory
        self.backend = backend
        self._others: dict[np.dtype, np.ndarray] | None = None
        self._version = 0 if not modes.inferring or not modes.current.inference else UNTRACKED
        self.readonly = readonly
        if watcher is not None:
            watcher(self)

    def cells(self, cell: np.dtype) -> np.ndarray:
        """The memory as a flat NumPy array of one type, without a copy; a last, partial cell is left out."""
        memory = self._memory
        if memory.dtype is cell or memory.dtype == cell:
            return memory
        if self._others is None:
            self._others = {}
        found = self._others.get(cell)
        if found is None:
            raw = self._memory.view(np.uint8)
            whole = raw.size // cell.itemsize * cell.itemsize
            found = self._others[cell] = raw[:whole].view(cell)
        return found

    def bytes(self) -> np.ndarray:
        """The memory as a flat NumPy array of bytes, without a copy."""
        return self.cells(BYTE)

    @property
    def device(self) -> devices.device:
        """The device that the memory lies on."""
        return self.backend.device

    def nbytes(self) -> int:
        """The size in bytes."""
        return self._memory.nbytes

    size = __len__ = nbytes

    def element_size(self) -> int:
        """The bytes of one element: 1, an untyped storage is made of bytes."""
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte, as the processor counts; 0 for a storage without bytes."""
        memory: Any = self._memory
        if not memory.nbytes:
            return 0
        return memory.pointer if self.device.type == "cuda" else memory.ctypes.data

    def tolist(self) -> list[int]:
        """The bytes, each as an int from 0 to 255."""
        return self.read(BYTE).tolist()

    def read(self, cell: np.dtype) -> np.ndarray:
        """The memory as a flat array of one type for the host to read: a copy, if the device has its own."""
        return np.asarray(self.backend.download(self.cells(cell)))

    def resizable(self) -> bool:
        """Whether a tensor that grows may take its cells elsewhere: not from memory that another library has.

        Example:
            >>> import tensorlab as tl
            >>> x = tl.zeros(3)
            >>> x.untyped_storage().resizable()
            True
            >>> array = x.numpy()
            >>> x.untyped_storage().resizable()
            False
        """
        return not hasattr(self, "_lent")

    def lend(self) -> None:
        """Say that the memory is another library's too, which would not follow to another place."""
        self._lent = True

    def resize_(self, nbytes: int) -> None:
        """Refused: other tensors may look into this memory, and it cannot grow in place.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            f"this storage of {self.nbytes()} bytes cannot be resized to {nbytes}: "
            f"make a new tensor of the size you need and copy into it"
        )

    def alias(self) -> UntypedStorage:
        """The same memory with a count of writes of its own: what ``x.data`` looks into."""
        storage = UntypedStorage(self._memory, self.readonly, self.backend)
        if not self.resizable():
            storage.lend()
        return storage

    def is_pinned(self) -> bool:
        """Whether the memory is the host's and stays in place, so that a GPU copies from it by itself."""
        return self.backend is HOST and pinned_at(self._memory.ctypes.data) is not None

    def clone(self) -> UntypedStorage:
        """The same bytes in new memory, which can be written."""
        memory = self.backend.allocate(self.nbytes(), BYTE)
        self.backend.copy(memory, self._memory)
        return UntypedStorage(memory, backend=self.backend)

    def to(self, place: devices.device | str) -> UntypedStorage:
        """The bytes on a device; itself if it lies there.

        Raises:
            RuntimeError: there is no such device.
        """
        target = backend_of(place)
        if target is self.backend:
            return self
        return UntypedStorage(target.upload(self.backend.download(self._memory)), backend=target)

    def cpu(self) -> UntypedStorage:
        """`to` the CPU."""
        return self.to("cpu")

    def cuda(self, device: int | None = None) -> UntypedStorage:
        """`to` a GPU."""
        return self.to(devices.device("cuda", device))

    def __getitem__(self, position: int) -> int:
        return int(self.read(BYTE)[position])

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __reduce_ex__(self, protocol: Any) -> tuple:
        # A pickle writes an object once, so tensors over one storage still share it when they are read back.
        # From protocol 5 on the bytes may travel beside the pickle, without a copy.
        content = self.read(BYTE)
        described = (PickleBuffer(content.data) if protocol >= 5 else content.tobytes(),)
        return rebuild_storage, described if self.backend is HOST else (*described, str(self.device))

    def __deepcopy__(self, memo: dict[int, object]) -> UntypedStorage:
        return self.clone()

    __copy__ = clone

    def __repr__(self) -> str:
        return f"UntypedStorage of {self.nbytes()} bytes on {self.device}"


def rebuild_storage(content: Any, place: str = "cpu") -> UntypedStorage:
    """The storage that a pickle describes; over the pickle's own memory, if that can be written.

    Raises:
        RuntimeError: it lay on a device that is not here.
    """
    try:
        backend_of(place)
    except RuntimeError as error:
        raise RuntimeError(
            f"Attempting to deserialize object on device {place!r}, which is not here, and a pickle has no "
            f"map_location: pickle x.cpu(), or use tensorlab.save and load(..., map_location='cpu')"
        ) from error
    cells = np.frombuffer(content, np.uint8)
    return UntypedStorage(cells if cells.flags.writeable else cells.copy()).to(place)


class TypedStorage:
    """A storage seen as cells of one dtype: cell 0, cell 1, … in the order in which they lie in memory.

    Example:
        >>> import tensorlab as tl
        >>> cells = tl.arange(6).view(2, 3).t().storage()
        >>> cells.tolist(), len(cells), cells[4]
        ([0, 1, 2, 3, 4, 5], 6, 4)
    """

    __slots__ = ("_untyped", "dtype")

    def __init__(self, untyped: UntypedStorage, element_type: dtype) -> None:
        self._untyped = untyped
        self.dtype = element_type

    def untyped(self) -> UntypedStorage:
        """The memory underneath."""
        return self._untyped

    def nbytes(self) -> int:
        """The size in bytes."""
        return self._untyped.nbytes()

    def element_size(self) -> int:
        """The bytes of one cell."""
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        """The address of cell 0."""
        return self._untyped.data_ptr()

    def size(self) -> int:
        """The number of whole cells."""
        return self.nbytes() // self.dtype.itemsize

    __len__ = size

    def tolist(self) -> list:
        """The cells as Python numbers."""
        return decode(self._untyped.read(self.dtype.cell), self.dtype)

    def __getitem__(self, position: int) -> bool | int | float:
        cells = self._untyped.read(self.dtype.cell)
        if not -len(cells) <= position < len(cells):
            raise IndexError(
                f"cell {position} is out of bounds for a storage of {len(cells)} cells of {self.dtype.name}"
            )
        return decode(cells[position : position + 1 or None], self.dtype)[0]

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def __repr__(self) -> str:
        cells = " ".join(map(repr, self.tolist()[:12])) + (" …" if len(self) > 12 else "")
        return f"TypedStorage of {len(self)} cells of {self.dtype.name} on {self._untyped.device}: {cells}"
