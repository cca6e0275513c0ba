"""The tensor with names, and how a tensor comes by them and loses them.

A `NamedTensor` is the names and an ordinary tensor that holds the elements. Its own slots are empty. Anybody
may read its shape and its other facts, which it looks up in the tensor that it holds. But it has no storage:
whoever asks for that has not asked the names, and is refused.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from tensorlab.autograd.formulas import view_formulas
from tensorlab.autograd.recording import record_view
from tensorlab.core import devices
from tensorlab.names import labels
from tensorlab.names.labels import Names
from tensorlab.printing import tensor_repr
from tensorlab.storage import TypedStorage, UntypedStorage
from tensorlab.tensor import Tensor, make_view


class CarriesNames(RuntimeError):
    """An operation that knows nothing of names met a tensor that has some."""


class Naming(NamedTuple):
    """What a `NamedTensor` has in the place of a storage: its names, and the tensor with the elements."""

    names: Names
    tensor: Tensor


class NamedTensor(Tensor):
    """A tensor of which at least one dimension has a name; see `tensorlab.names`.

    It is not made by name: `refine_names`, `rename` and the argument ``names`` of the functions that make
    tensors make it.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3).refine_names("N", None)
        >>> type(x).__name__, x.names, x.has_names()
        ('NamedTensor', ('N', None), True)
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        # Only what the object does not have in a slot of its own is asked for here.
        if name in ("_storage", "_at"):
            raise CarriesNames(_refusal(self))
        if name in _HELD:
            return getattr(self._naming.tensor, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        if name == "_grad":  # a gradient has no names, and lies with the tensor that is held
            self._naming.tensor._grad = cast(Any, value)
        elif name in _HELD:
            raise CarriesNames(_refusal(self))
        else:
            object.__setattr__(self, name, value)

    # --- what can be read without touching a dimension ------------------------------------------------

    @property
    def device(self) -> devices.device:
        """The device that the elements lie on."""
        return self._naming.tensor.device

    def untyped_storage(self) -> UntypedStorage:
        """Refused: whoever takes the memory to make another tensor of it would leave the names behind.

        Raises:
            RuntimeError: always. ``x.rename(None)`` has the same storage and gives it.
        """
        return self._storage

    def storage(self) -> TypedStorage:
        """The flat memory that the elements lie in, as cells of this tensor's dtype."""
        return self._naming.tensor.storage()

    def data_ptr(self) -> int:
        """The address of the first element; 0 without elements."""
        return self._naming.tensor.data_ptr()

    @property
    def _version(self) -> int:
        return self._naming.tensor._version

    def tolist(self) -> list | bool | int | float:
        """The elements as nested lists of Python numbers."""
        return self._naming.tensor.tolist()

    def item(self) -> bool | int | float:
        """The only element as a Python number."""
        return self._naming.tensor.item()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The elements as a NumPy array over the same memory. NumPy has no names."""
        return self._naming.tensor.numpy(force=force)

    def __contains__(self, element: object) -> bool:
        return cast(Any, self._naming.tensor).__contains__(bare(element))

    def __dlpack__(self, **options: Any) -> object:
        return cast(Any, self._naming.tensor).__dlpack__(**options)

    def __repr__(self) -> str:
        return tensor_repr(self._naming.tensor, f"names={self._naming.names}")

    def __reduce__(self) -> tuple:
        made = rebuild_named, (self._naming.tensor, self._naming.names)
        return (*made, self.__dict__) if self.__dict__ else made


T = TypeVar("T")

# What a `NamedTensor` leaves to the tensor that it holds.
_OWN = ("__dict__", "__weakref__", "_naming", "_untracked")
_HELD = tuple(slot for slot in Tensor.__slots__ if slot not in _OWN)


def _refusal(tensor: NamedTensor) -> str:
    return (
        f"this operation is not supported with named tensors, and one with names {tensor._naming.names} "
        f"came: drop the names, x.rename(None), and give the result its own, result.refine_names(...)"
    )


def named(tensor: Tensor, names: Names) -> Tensor:
    """`tensor` with names, which it is held under from now on; itself if all of them are None."""
    if all(name is None for name in names):
        return tensor
    holder = object.__new__(NamedTensor)
    _hold(holder, tensor, names)
    return holder


# Whether any tensor was ever given a name. Most programs give none, and their calls look no further.
in_use = False


def _hold(holder: Tensor, tensor: Tensor, names: Names) -> None:
    global in_use
    in_use = True
    holder._naming = Naming(names, tensor)


def alias(tensor: Tensor) -> Tensor:
    """Another tensor object with the same layout over the same storage, without names."""
    held = bare(tensor)
    return record_view(AliasBackward0, make_view(held, held._shape, held._stride, held._offset), held)


AliasBackward0 = view_formulas("AliasBackward0", input=lambda grad: grad)


def assign(target: Tensor, names: Names) -> None:
    """Give a tensor object other names, none included, in place: the object itself changes its class.

    Each step leaves a tensor that can be used, should an interruption make it the last: the facts are there
    before the class that reads them, and go after it.
    """
    if isinstance(target, NamedTensor):
        tensor = target._naming.tensor
        if any(name is not None for name in names):
            target._naming = Naming(names, tensor)
            return
        for slot in _HELD:
            object.__setattr__(target, slot, getattr(tensor, slot))
        target.__class__ = Tensor  # type: ignore[assignment]  # both have the same slots
        del target._naming
    elif any(name is not None for name in names):
        _hold(target, alias(target), names)
        target.__class__ = NamedTensor
        for slot in _HELD:
            delattr(target, slot)


def rebuild_named(tensor: Tensor, names: Names) -> Tensor:
    """The tensor with names that a pickle describes."""
    return named(tensor, labels.checked(names, tensor.ndim))


def names_of(value: object) -> Names:
    """The names of a tensor's dimensions; of a number, none."""
    if isinstance(value, NamedTensor):
        return value._naming.names
    return (None,) * value.ndim if isinstance(value, Tensor) else ()


def bare(value: T) -> T:
    """`value` without names: a tensor that has some as the tensor that it holds, also in lists and tuples."""
    if isinstance(value, NamedTensor):
        return cast(T, value._naming.tensor)
    if type(value) in (list, tuple):
        items: Any = value
        return type(items)(map(bare, items))
    return value
