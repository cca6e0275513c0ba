"""An object of containers, numbers and tensors as JSON, and back.

What JSON has stands for itself: None, bools, ints, finite floats, texts, lists. Everything else is an object
with one key that says what it is: ``{"tuple": […]}``, ``{"dict": [[key, value], …]}``, ``{"tensor": 0}`` for
the first tensor of the file. So a key of a dict can be a number, and nothing is mistaken for something else.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.tensor import Tensor

_RESTORE: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "dtype": dtypes.by_name,
    "device": device,
    "size": Size,
}


def describe(obj: Any, found: list[tuple[str, Tensor]]) -> Any:
    """The JSON that describes `obj`.

    Its tensors are appended to `found`, each once, with a path that names it.

    Raises:
        TypeError: `obj` holds something that a file cannot.
        ValueError: a container contains itself.
    """
    return _Describer(found).describe(obj, ())


def restore(node: Any, tensors: list[Tensor]) -> Any:
    """The object that a description stands for.

    Raises:
        LookupError, TypeError, ValueError: the description is damaged.
    """
    if isinstance(node, list):
        return [restore(item, tensors) for item in node]
    if not isinstance(node, dict):
        return node
    ((kind, content),) = node.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "tuple":
        return tuple(restore(item, tensors) for item in content)
    if kind in ("dict", "ordered"):
        pairs = [(restore(key, tensors), restore(value, tensors)) for key, value in content]
        return dict(pairs) if kind == "dict" else OrderedDict(pairs)
    return _RESTORE[kind](content)


class _Describer:
    """One walk over an object: which tensors it met, and the containers that it is inside of."""

    def __init__(self, found: list[tuple[str, Tensor]]) -> None:
        self.found = found
        self.positions: dict[int, int] = {}
        self.paths: set[str] = set()
        self.inside: list[int] = []

    def describe(self, obj: Any, path: tuple[str, ...]) -> Any:
        if isinstance(obj, Tensor):
            return {"tensor": self.position(obj, path)}
        if isinstance(obj, np.generic):
            obj = obj.item()
        if obj is None or isinstance(obj, bool):
            return obj
        # A subclass, such as a member of an enumeration, is saved as the plain value that it is.
        if isinstance(obj, int):
            return int(obj)
        if isinstance(obj, str):
            return str(obj)
        if isinstance(obj, float):
            return float(obj) if math.isfinite(obj) else {"float": str(float(obj))}
        if isinstance(obj, dtype):
            return {"dtype": obj.name}
        if isinstance(obj, device):
            return {"device": str(obj)}
        if type(obj) is Size:
            return {"size": list(obj)}
        if type(obj) not in (list, tuple, dict, OrderedDict):
            raise TypeError(_refusal(obj, path))
        return self.container(obj, path)

    def container(self, obj: Any, path: tuple[str, ...]) -> Any:
        if id(obj) in self.inside:
            raise ValueError(f"cannot save {_where(path)}: this {type(obj).__name__} contains itself")
        self.inside.append(id(obj))
        described: Any
        if isinstance(obj, dict):
            pairs = [
                [self.describe(key, (*path, "key")), self.describe(value, (*path, str(key)))]
                for key, value in obj.items()
            ]
            described = {"ordered" if type(obj) is OrderedDict else "dict": pairs}
        else:
            items = [self.describe(item, (*path, str(i))) for i, item in enumerate(obj)]
            described = items if type(obj) is list else {"tuple": items}
        self.inside.pop()
        return described

    def position(self, tensor: Tensor, path: tuple[str, ...]) -> int:
        """The tensor's place in `found`; the same tensor met again has the same place."""
        if id(tensor) not in self.positions:
            name = ".".join(path) or "tensor"
            while name in self.paths:
                name += "_"
            self.paths.add(name)
            self.positions[id(tensor)] = len(self.found)
            self.found.append((name, tensor))
        return self.positions[id(tensor)]


def _where(path: tuple[str, ...]) -> str:
    return f"the object at {'.'.join(path)!r}" if path else "this object"


def _refusal(obj: object, path: tuple[str, ...]) -> str:
    kind = type(obj).__name__
    if isinstance(obj, np.ndarray):
        way = "make it a tensor first, tensorlab.from_numpy(array)"
    elif hasattr(obj, "state_dict"):
        way = "save its state_dict()"
    elif isinstance(obj, dict):
        way = "save dict(x)"
    elif isinstance(obj, (set, frozenset)):
        way = "save sorted(x)"
    elif isinstance(obj, tuple):
        way = "save tuple(x)"
    else:
        way = "save the numbers and texts that it is made of"
    return (
        f"cannot save {_where(path)}: a file holds tensors, numbers, texts, None, dicts, lists and tuples, "
        f"and this is a {kind}: {way}"
    )
