"""Devices: where a storage lies."""

from __future__ import annotations

from tensorlab.core import dtypes
from tensorlab.core.layout import as_int

__all__ = ["as_device", "device"]

_TYPES = ("cpu", "cuda")
# What somebody may have meant who writes ``x.to("float64")``.
_DTYPES = {t.name for t in dtypes.ALL}


class device:
    """The name of a place that holds storages: a type and, where there can be several, an index.

    Args:
        type: ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        index: which one of that type; not together with an index in the text.

    Raises:
        RuntimeError: no such type of device.
        TypeError: `type` is no text.

    Example:
        >>> device("cuda:1").index, device("cpu")
        (1, device(type='cpu'))
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: str | device, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
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


CPU = device("cpu")


def as_device(value: device | str | int | None) -> device:
    """The device that an argument means (None is the CPU), if tensors can be made there.

    Raises:
        RuntimeError: no such device, or none with a backend here.
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
        raise RuntimeError(f"tensors cannot be made on {str(chosen)!r}: only the CPU has a backend so far")
    return chosen
