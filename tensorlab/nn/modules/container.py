"""Containers: modules and parameters in a row, in a list, in a dictionary."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.tensor import Tensor

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index: Any, length: int) -> int:
    """An index counted from the front."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class _Numbered(Module):
    """Modules under the names ``"0"``, ``"1"`` and so on."""

    def _names(self, index: Any) -> list[str]:
        """The names that an index or a slice means."""
        names = list(self._modules)
        if isinstance(index, slice):
            return names[index]
        if not -len(names) <= operator.index(index) < len(names):
            raise IndexError(f"index {index} is out of range")
        return [names[operator.index(index)]]

    def _renumber(self, modules: Iterable[Module | None]) -> None:
        self.__dict__["_modules"] = {str(place): module for place, module in enumerate(modules)}

    def __getitem__(self, index: Any) -> Any:
        names = self._names(index)
        return self._slice(names) if isinstance(index, slice) else self._modules[names[0]]

    def _slice(self, names: list[str]) -> Any:
        return type(self)(self._modules[name] for name in names)

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, self._names(index)[0], module)

    def __delitem__(self, index: Any) -> None:
        for name in self._names(index):
            delattr(self, name)
        self._renumber(list(self._modules.values()))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Any:
        """Add a module at the end.

        Returns:
            the container.
        """
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module in front of the one at an index; those behind move on."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end, in their order."""
        for module in modules:
            self.append(module)
        return self

    def pop(self, index: int) -> Module:
        """Take a module out, and return it."""
        found = self[index]
        del self[index]
        return found


class Sequential(_Numbered):
    """Modules that run one after another: each gets what the one before gave.

    Args:
        args: the modules in their order, or one `OrderedDict` of modules by name.

    Shape:
        the first module's input, the last one's output.

    Example:
        >>> import tensorlab as tl
        >>> net = tl.nn.Sequential(tl.nn.Flatten(), tl.nn.Linear(6, 2), tl.nn.ReLU())
        >>> net(tl.zeros(4, 2, 3)).shape
        tensorlab.Size([4, 2])
        >>> net[1:]
        Sequential(
          (1): Linear(in_features=6, out_features=2, bias=True)
          (2): ReLU()
        )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    def _slice(self, names: list[str]) -> Any:
        return type(self)(OrderedDict((name, self._modules[name]) for name in names))

    def insert(self, index: int, module: Module) -> Sequential:
        """Put a module in front of the one at an index; those behind move on.

        Raises:
            AssertionError: `module` is no module.
            IndexError: there is no such place.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        return super().insert(index, module)

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*(module for _ in range(times) for module in self))

    __rmul__ = __mul__

    def forward(self, input: Any) -> Any:
        """Run the modules one after another."""
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules, whose parameters a module finds. It has no `forward`.

    Args:
        modules: the modules.

    Example:
        >>> import tensorlab as tl
        >>> layers = tl.nn.ModuleList(tl.nn.Linear(2, 2) for _ in range(3))
        >>> layers
        ModuleList(
          (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
        )
        >>> len(list(layers.parameters()))
        6
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add modules at the end, in their order.

        Raises:
            TypeError: `modules` cannot be iterated.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got " + type(modules).__name__
            )
        return super().extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __repr__(self) -> str:
        """As of any module, with equal neighbours in one line."""
        if not len(self):
            return f"{self._get_name()}()"
        runs: list[list[Any]] = []  # first, last, text
        for place, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = place
            else:
                runs.append([place, place, text])
        lines = []
        for first, last, text in runs:
            shown = text.replace("\n", "\n  ")
            same = last - first + 1
            lines.append(f"({first}): {shown}" if same == 1 else f"({first}-{last}): {same} x {shown}")
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)"


class ModuleDict(Module):
    """Modules by name, whose parameters a module finds. It has no `forward`.

    Args:
        modules: a dictionary, or pairs of names and modules.

    Example:
        >>> import tensorlab as tl
        >>> choices = tl.nn.ModuleDict({"relu": tl.nn.ReLU(), "tanh": tl.nn.Tanh()})
        >>> choices["tanh"](tl.zeros(1)), list(choices)
        (tensor([0.]), ['relu', 'tanh'])
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take a module out, and return it."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """Pairs of names and modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules, or put them in the place of others, from a dictionary or from pairs.

        Raises:
            TypeError: it is neither, or an item is no pair.
            ValueError: an item has not two parts.
        """
        for name, module in _pairs("ModuleDict", modules):
            self[name] = module


class ParameterList(Module):
    """A list of parameters, which a module finds. A tensor that is put in becomes a parameter.

    Args:
        values: the parameters, tensors, or anything else.

    Example:
        >>> import tensorlab as tl
        >>> weights = tl.nn.ParameterList([tl.zeros(2), tl.zeros(3, 1)])
        >>> weights
        ParameterList(
            (0): Parameter containing: [tensorlab.float32 of size 2]
            (1): Parameter containing: [tensorlab.float32 of size 3x1]
        )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, str(_position(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(_position(index, len(self))), _as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[place] for place in range(len(self)))

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Add one at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add several at the end.

        Raises:
            TypeError: `values` cannot be iterated, or is one tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got " + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """One line a value."""
        return "\n".join(f"  ({place}): {_described(value, 'dtype')}" for place, value in enumerate(self))


class ParameterDict(Module):
    """Parameters by name, which a module finds. A tensor that is put in becomes a parameter.

    Args:
        parameters: a dictionary, or pairs of names and values.

    Example:
        >>> import tensorlab as tl
        >>> weights = tl.nn.ParameterDict({"left": tl.zeros(2), "right": tl.zeros(3)})
        >>> weights["left"] + 1
        tensor([1., 1.], grad_fn=<AddBackward0>)
        >>> [name for name, _ in weights.named_parameters()]
        ['left', 'right']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._name(key))

    def __setitem__(self, key: str, value: Any) -> None:
        name = self._name(key)
        self._keys[key] = None
        setattr(self, name, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._name(key))

    @staticmethod
    def _name(key: str) -> str:
        """The attribute of a key. A dot, which attributes of modules cannot have, is refused by them."""
        if not isinstance(key, str):
            raise TypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __or__(self, other: ParameterDict) -> ParameterDict:
        return type(self)([*self.items(), *other.items()])

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """Another dictionary of the same parameters."""
        return type(self)(list(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """What stands under a name; `default` is put there if nothing does."""
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """What stands under a name, or `default`."""
        return self[key] if key in self._keys else default

    def clear(self) -> None:
        """Take all out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take one out, and return it."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Take the last one out, and return its name and it."""
        key = list(self._keys)[-1]
        return key, self.pop(key)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dictionary with `default` under each of the names."""
        return type(self)((key, default) for key in keys)

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """Pairs of names and values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterator[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add values, or put them in the place of others, from a dictionary or from pairs.

        Raises:
            TypeError: it is neither, or an item is no pair.
            ValueError: an item has not two parts.
        """
        for name, value in _pairs("ParametersDict", parameters):
            self[name] = value

    def extra_repr(self) -> str:
        """One line a value."""
        return "\n".join(f"  ({key}): {_described(value, 'type')}" for key, value in self.items())


def _as_parameter(value: Any) -> Any:
    plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if plain else value


def _described(value: Any, kind: str) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(size) for size in value.size())
    return f"{what} containing: [{value.dtype if kind == 'dtype' else value.type()} of size {size}]"


def _pairs(container: str, modules: Any) -> Iterator[tuple[str, Any]]:
    """What an update brings, as pairs; a plain dictionary in its order."""
    if isinstance(modules, (Mapping, ModuleDict, ParameterDict)):
        yield from modules.items()
        return
    if not isinstance(modules, Iterable):
        raise TypeError(
            f"{container}.update should be called with an iterable of key/value pairs, but got "
            f"{type(modules).__name__}"
        )
    for place, item in enumerate(modules):
        if not isinstance(item, Iterable):
            raise TypeError(
                f"{container} update sequence element #{place} should be Iterable; is {type(item).__name__}"
            )
        pair = tuple(islice(item, 3))
        if len(pair) != 2:
            raise ValueError(
                f"{container} update sequence element #{place} has length {len(pair)}; 2 is required"
            )
        yield pair[0], pair[1]
