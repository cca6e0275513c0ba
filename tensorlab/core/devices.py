"""Devices: where a storage lies."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from tensorlab.core import dtypes
from tensorlab.core.layout import as_int
from tensorlab.core.modes import Decorator

F = TypeVar("F", bound=Callable)

_TYPES = ("cpu", "cuda")
# What somebody may have meant who writes ``x.to("float64")``.
_DTYPES = {t.name for t in dtypes.ALL}


class device(Decorator):
    """The name of a place that holds storages: a type and, where there can be several, an index.

    As a context it is where the functions that make tensors make them, if a call names no device; as a
    decorator it is that while the function runs.

    Args:
        type: ``"cpu"``, ``"cuda"`` or ``"cuda:1"``; a number alone is that GPU's.
        index: which one of that type; not together with an index in the text.

    Raises:
        RuntimeError: no such type of device.
        TypeError: `type` is neither a text nor a number.

    Example:
        >>> device("cuda:1").index, device("cpu")
        (1, device(type='cpu'))
        >>> device(0)
        device(type='cuda', index=0)
        >>> import tensorlab as tl
        >>> with tl.device("cpu"):
        ...     tl.ones(2).device
        device(type='cpu')
        >>> @tl.device("cpu")
        ... def start():
        ...     return tl.zeros(2)
        >>> start().device
        device(type='cpu')
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: str | int | device, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int) and not isinstance(type, bool) and index is None:
            if type < 0:
                raise RuntimeError(f"Device index must not be negative, got {type}")
            self.type, self.index = "cuda", type
            return
        if not isinstance(type, str):
            raise TypeError(f"a device is a text such as 'cpu' or 'cuda:1', or a device, got {type!r}")
        name, colon, number = type.partition(":")
        if name not in _TYPES or (colon and not number.isdecimal()) or (colon and index is not None):
            meant = f"; the dtype is tensorlab.{name}" if name in _DTYPES else ""
            raise RuntimeError(
                f"Invalid device string: {type!r}: a device is 'cpu', 'cuda', or 'cuda:' and a number{meant}"
            )
        self.type = name
        self.index = int(number) if colon else None if index is None else as_int(index, "a device index")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __enter__(self) -> device:
        defaults.entered = (*defaults.entered, self)
        defaults.settle()
        return self

    def __exit__(self, *error: object) -> None:
        defaults.entered = defaults.entered[:-1]
        defaults.settle()

    def __call__(self, function: F) -> F:
        """The function, with its tensors made here while it runs.

        Raises:
            RuntimeError: it is a class, of which nobody knows which methods are meant.
        """
        if isinstance(function, type):
            raise RuntimeError(
                f"Cannot decorate classes: decorate __init__ or other methods of {function.__name__} instead"
            )
        return super().__call__(function)

    def clone(self) -> device:
        """Itself: a device can be entered several times at once."""
        return self


class _Defaults(threading.local):
    """Where one thread makes tensors if a call names no device.

    Attributes:
        place: the device; None is the CPU.
        chosen: the device that `set_default_device` named.
        entered: the devices whose contexts are entered, the innermost last.
    """

    place: device | None = None
    chosen: device | None = None
    entered: tuple[device, ...] = ()

    def settle(self) -> None:
        """Find the place anew: the innermost context's, else the chosen one."""
        self.place = self.entered[-1] if self.entered else self.chosen


defaults = _Defaults()


CPU = device("cpu")


def as_device(value: device | str | int | None) -> device:
    """The CPU, if an argument means it, as None does: for what is made there alone.

    Raises:
        RuntimeError: no such device, or another one.
        TypeError: the argument names no device.
    """
    if value is None or (type(value) is str and value == "cpu"):
        return CPU
    if isinstance(value, int):
        if isinstance(value, bool):
            raise TypeError(f"a device is a text such as 'cpu', or a device, got {value}")
        raise RuntimeError(f"there is no accelerator number {value}: tensors are made on 'cpu'")
    chosen = device(value)
    if chosen.type != "cpu":
        raise RuntimeError(
            f"this is made on 'cpu' alone, and {str(chosen)!r} was asked for: make it on 'cpu'; tensors that "
            f"it makes are moved by x.to({str(chosen)!r})"
        )
    return chosen
