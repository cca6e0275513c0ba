"""The device on which tensors are made when a call names none."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from tensorlab.backends import backend_of
from tensorlab.core.devices import CPU, defaults, device
from tensorlab.registry import op

__all__ = ["FACTORIES", "by_default"]

F = TypeVar("F", bound=Callable)

# Those that PyTorch makes on the default device. Functions that have a tensor to be like follow that one.
FACTORIES = {
    "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "empty_strided",
    "eye", "full", "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "ones",
    "rand", "randint", "randn", "randperm", "scalar_tensor", "tensor", "tril_indices", "triu_indices",
    "zeros",
}  # fmt: skip

# The one factory whose device may stand in third place.
_PLACE = {"as_tensor": 2}


@op()
def set_default_device(device: device | str | None) -> None:
    """Make tensors on `device` where a call names none, in this thread; ``with tl.device(...)`` overrides it.

    Args:
        device: the device; None for the CPU. Whether it is there is asked when a tensor is made.

    Raises:
        RuntimeError: no such type of device.
        TypeError: the argument names no device.

    Example:
        >>> tl.set_default_device("cpu")
        >>> tl.zeros(2).device
        device(type='cpu')
        >>> tl.set_default_device(None)
    """
    defaults.chosen = None if device is None else _device(device)
    defaults.settle()


_device = device  # the class, which the argument above hides


@op()
def get_default_device() -> device:
    """The device on which tensors are made where a call names none, in this thread.

    Raises:
        RuntimeError: it is a GPU, and there is none.

    Example:
        >>> with tl.device("cpu"):
        ...     tl.get_default_device()
        device(type='cpu')
    """
    place = defaults.place
    return CPU if place is None else backend_of(place).device


def by_default(function: F) -> F:
    """A function of `FACTORIES` as users call it: on the default device, unless the call says where."""
    positions = _PLACE.get(function.__name__)

    @functools.wraps(function)
    def placed(*arguments: Any, **keywords: Any) -> Any:
        place = defaults.place
        if place is not None and keywords.get("device") is None and keywords.get("out") is None:
            if positions is not None and len(arguments) > positions:
                place, arguments = arguments[positions] or place, arguments[:positions]
            keywords["device"] = place
        return function(*arguments, **keywords)

    return cast(F, placed)
