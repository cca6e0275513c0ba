"""Tensor: a storage, and a layout that says which of its cells are the elements.

This file holds what a tensor *is*: its five pieces of metadata, and the ways to read them. What can be
*done* with tensors stands in `tensorlab.ops`, which also gives this class its methods and operators. How the
elements become Python's numbers and NumPy's arrays stands there too: in `interop`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tensorlab import storage
from tensorlab.backends import HOST, Backend
from tensorlab.core import devices, layout, modes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.printing import tensor_repr
from tensorlab.storage import UNTRACKED, TypedStorage, UntypedStorage

__all__ = ["Tensor", "make_dense", "make_tensor", "make_view", "without_history"]


if TYPE_CHECKING:  # the methods that tensorlab.ops binds, as editors and type checkers see them
    from tensorlab.stubs.tensor import TensorMethods
else:
    TensorMethods = object


class TensorType(type):
    """The type of `Tensor`. It names the class as users do: ``print(type(x))`` says `tensorlab.Tensor`."""

    def __repr__(cls) -> str:
        return super().__repr__().replace("tensorlab.tensor.", "tensorlab.")


class Tensor(TensorMethods, metaclass=TensorType):
    """An n-dimensional view of a flat storage.

    Five facts make a tensor: the storage, the dtype of its cells, the shape, the stride of each dimension,
    and the offset of the first element. Element ``(i, j, …)`` lies in cell
    ``offset + i * stride[0] + j * stride[1] + …``. Several tensors may look into one storage.

    Make tensors with `tensorlab.tensor`, `tensorlab.zeros`, `tensorlab.arange` and their like.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(12).view(3, 4)
        >>> y = x[1:, 2:]
        >>> y.shape, y.stride(), y.storage_offset(), y.dtype
        (tensorlab.Size([2, 2]), (4, 1), 6, tensorlab.int64)
        >>> y[0, 0] = -1
        >>> x
        tensor([[ 0,  1,  2,  3],
                [ 4,  5, -1,  7],
                [ 8,  9, 10, 11]])
    """

    # A tensor without names leaves `_naming` empty, and never looks at it (see tensorlab.names). What a
    # program keeps on a tensor (`weight.no_decay = True`) stands in `__dict__`, made when it is needed.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_at",
        "_base",
        "_dtype",
        "_edge",
        "_grad",
        "_naming",
        "_offset",
        "_shape",
        "_storage",
        "_stride",
        "_untracked",
    )

    _at: tuple[np.ndarray, int]  # what a kernel is given: the storage's cells, and that of the first element
    _base: Tensor | None  # the tensor that this one is a view of
    _edge: Any  # where a gradient goes on (see tensorlab.autograd.graph), None if none is required
    _grad: Tensor | None
    _dtype: dtype
    _naming: Any
    _untracked: bool  # set, and true, for a view that was made while recording was off
    _offset: int
    _shape: Size
    _storage: UntypedStorage
    _stride: tuple[int, ...]

    # --- the five facts -------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes, one a dimension."""
        return self._shape

    @property
    def dtype(self) -> dtype:
        """The type of the elements."""
        return self._dtype

    @property
    def device(self) -> devices.device:
        """The device that the storage lies on."""
        return self._storage.device

    @overload
    def stride(self) -> tuple[int, ...]: ...

    @overload
    def stride(self, dim: int) -> int: ...

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """The strides in elements, or the stride of one dimension.

        Raises:
            IndexError: there is no such dimension.

        Example:
            >>> import tensorlab as tl
            >>> x = tl.zeros(2, 3)
            >>> x.stride(), x.stride(0)
            ((3, 1), 3)
        """
        return self._stride if dim is None else self._stride[self._existing_dim(dim)]

    def storage_offset(self) -> int:
        """The storage cell of the first element.

        Example:
            >>> import tensorlab as tl
            >>> tl.zeros(2, 3)[1].storage_offset()
            3
        """
        return self._offset

    def untyped_storage(self) -> UntypedStorage:
        """The flat memory that the elements lie in, as bytes.

        Example:
            >>> import tensorlab as tl
            >>> x = tl.zeros(2, 3)
            >>> x.untyped_storage().nbytes(), x.T.untyped_storage() is x.untyped_storage()
            (24, True)
        """
        return self._storage

    def storage(self) -> TypedStorage:
        """The flat memory that the elements lie in, as cells of this tensor's dtype.

        PyTorch calls this deprecated, and means to keep only `untyped_storage`.

        Example:
            >>> import tensorlab as tl
            >>> x = tl.tensor([[1, 2], [3, 4]])
            >>> x.T.storage().tolist()
            [1, 2, 3, 4]
        """
        return TypedStorage(self._storage, self._dtype)

    # --- what follows from them -----------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    def dim(self) -> int:
        """The number of dimensions.

        Example:
            >>> import tensorlab as tl
            >>> tl.zeros(2, 3).dim()
            2
        """
        return len(self._shape)

    ndimension = dim

    @overload
    def size(self) -> Size: ...

    @overload
    def size(self, dim: int) -> int: ...

    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the size of one dimension.

        Raises:
            IndexError: there is no such dimension.

        Example:
            >>> import tensorlab as tl
            >>> x = tl.zeros(2, 3)
            >>> x.size(), x.size(-1)
            (tensorlab.Size([2, 3]), 3)
        """
        if dim is None:
            return self._shape
        if type(dim) is int and -len(self._shape) <= dim < len(self._shape):
            return _item(self._shape, dim)
        return self._shape[self._existing_dim(dim)]

    def numel(self) -> int:
        """The number of elements.

        Example:
            >>> import tensorlab as tl
            >>> tl.zeros(2, 3).numel()
            6
        """
        return prod(self._shape)

    nelement = numel

    def is_floating_point(self) -> bool:
        """True when the elements are floating-point numbers.

        Example:
            >>> import tensorlab as tl
            >>> tl.zeros(2).is_floating_point(), tl.arange(2).is_floating_point()
            (True, False)
        """
        return self._dtype.is_floating_point

    def is_complex(self) -> bool:
        """Always False: there are no complex dtypes here.

        Example:
            >>> import tensorlab as tl
            >>> tl.ones(2).is_complex()
            False
        """
        return self._dtype.is_complex

    @property
    def _version(self) -> int:
        """How many times the storage was written in place.

        Raises:
            RuntimeError: the tensor was made in inference mode, where writes are not counted.
        """
        if self._storage._version is UNTRACKED:
            raise RuntimeError("Inference tensors do not track version counter: clone() gives one that does")
        return self._storage._version

    def _existing_dim(self, dim: int) -> int:
        if not self._shape:
            raise IndexError("a tensor of 0 dimensions has no sizes and no strides: leave the dimension out")
        return layout.wrap_dim(layout.as_int(dim, "a dimension"), len(self._shape))

    # --- the cells, and what Python asks of every object ----------------------------------------------

    def _buffer(self) -> tuple[np.ndarray, int]:
        """What a launch is called with: the storage's cells, and the cell of the first element."""
        return self._at

    def _cells_array(self) -> np.ndarray:
        """The elements as a NumPy array of raw cells, over the same memory.

        Raises:
            RuntimeError: the memory is not the host's.
        """
        if self.device.type != "cpu":
            raise RuntimeError(
                f"this operation has no kernel on {str(self.device)!r}, and its tensor lies there: bring the "
                f"tensor to the CPU first, x.cpu()"
            )
        return self._read_cells()

    def _read_cells(self) -> np.ndarray:
        """The elements as a NumPy array of raw cells to be read, over the same memory if it is the host's."""
        size, backend = self._dtype.itemsize, self._storage.backend
        steps = [stride * size for stride in self._stride]
        if backend is HOST:
            cells, first = backend.download(self._storage.bytes()), self._offset * size if self.numel() else 0
        else:  # no more than from the first element to the last
            last = sum((n - 1) * step for n, step in zip(self._shape, self._stride, strict=True))
            run = slice(self._offset, self._offset + last + 1 if self.numel() else self._offset)
            cells, first = backend.download(self._storage.cells(self._dtype.cell)[run]), 0
        return np.ndarray(self._shape, self._dtype.cell, cells, first, steps)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of a 0-d tensor: it holds one number and has no dimension to count")
        return _item(self._shape, 0)

    def __iter__(self) -> Iterator[Tensor]:
        if not self._shape:
            raise TypeError("iteration over a 0-d tensor: it has no dimension to walk along")
        return iter(self.unbind(0))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return tensor_repr(self)

    def __reduce__(self) -> tuple:
        made = rebuild_tensor, (self._storage, self._dtype, tuple(self._shape), self._stride, self._offset)
        # What was computed comes back as a leaf: a pickle holds no graph.
        flags = {"requires_grad": True} if self.requires_grad else None
        if flags:
            return (*made, (self.__dict__ or None, flags))
        return (*made, self.__dict__) if self.__dict__ else made


def make_tensor(
    storage: UntypedStorage, element_type: dtype, shape: Size, stride: tuple[int, ...], offset: int
) -> Tensor:
    """A tensor over an existing storage. The caller has checked that every element lies inside it."""
    tensor = _new(Tensor)
    tensor._storage = storage
    tensor._dtype = element_type
    tensor._shape = shape
    tensor._stride = stride
    tensor._offset = offset
    tensor._at = storage.cells(element_type.cell), offset
    tensor._base = None
    tensor._edge = None
    tensor._grad = None
    return tensor


def rebuild_tensor(
    storage: UntypedStorage, element_type: dtype, shape: tuple, stride: tuple, offset: int
) -> Tensor:
    """The tensor that a pickle or a file describes.

    Raises:
        RuntimeError: the description reaches outside the storage, as only a damaged one does.
        ValueError: a size is negative.
    """
    refusal = layout.check_bounds(shape, stride, offset, storage.nbytes() // element_type.itemsize)
    if isinstance(refusal, layout.Refusal):
        raise RuntimeError(
            f"this description of a tensor is damaged, for it reaches outside its storage: {refusal.reason}"
        )
    return make_tensor(storage, element_type, layout.as_shape(shape), tuple(stride), offset)


def make_view(base: Tensor, shape: Size, stride: tuple[int, ...], offset: int) -> Tensor:
    """A view of `base`: another layout of its storage. The caller has checked that it stays inside it."""
    tensor = _new(Tensor)
    tensor._storage = base._storage
    tensor._dtype = base._dtype
    tensor._shape = shape
    tensor._stride = stride
    tensor._offset = offset
    tensor._at = base._at[0], offset
    tensor._base = base if base._base is None else base._base
    tensor._edge = None
    tensor._grad = None
    if not modes.current.grad and not modes.current.inference:
        tensor._untracked = True
    return tensor


def make_dense(
    memory: np.ndarray, element_type: dtype, shape: Size, stride: tuple[int, ...], backend: Backend = HOST
) -> Tensor:
    """A tensor over memory of its own: a flat array of exactly its cells, in row-major order."""
    # The storage is filled in here as well: the way through its class takes half as long as all the rest.
    found = _new(UntypedStorage)
    found._memory = memory
    found._others = None
    found._version = UNTRACKED if modes.inferring and modes.current.inference else 0
    found.backend = backend
    found.readonly = False
    if storage.watcher is not None:
        storage.watcher(found)
    tensor = _new(Tensor)
    tensor._storage = found
    tensor._dtype = element_type
    tensor._shape = shape
    tensor._stride = stride
    tensor._offset = 0
    tensor._at = memory, 0
    tensor._base = None
    tensor._edge = None
    tensor._grad = None
    return tensor


def without_history(result: Tensor) -> Tensor:
    """The same elements as a tensor that does not point at the graph.

    A node that kept its own result would otherwise keep itself.
    """
    alias = _new(Tensor)
    alias._storage = result._storage
    alias._dtype = result._dtype
    alias._shape = result._shape
    alias._stride = result._stride
    alias._offset = result._offset
    alias._at = result._at
    alias._base = None
    alias._edge = None
    alias._grad = None
    return alias


_new = object.__new__
# One size of a shape, which a `Size` itself has to look at longer, for it may be asked for a slice.
_item = tuple.__getitem__
