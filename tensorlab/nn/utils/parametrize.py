"""Parametrizations: a weight that is computed of other parameters each time that somebody reads it.

A parametrization is a module: its `forward` makes the weight of what is trained instead, and its
``right_inverse``, if it has one, makes what is trained of a weight. Where a weight has one, the class of its
module gets a property of the weight's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import tensorlab as tl
from tensorlab.nn.modules.container import ModuleDict, ModuleList
from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.tensor import Tensor

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

# What was computed inside of `cached`, by the module and the name; None outside.
_cache: dict[tuple[int, str], Tensor] | None = None


@contextmanager
def cached() -> Iterator[None]:
    """In this context a weight is computed once, however often it is read.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(tl.nn.Linear(2, 3))
        >>> with parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _cache
    before, _cache = _cache, _cache if _cache is not None else {}
    try:
        yield
    finally:
        _cache = before


class ParametrizationList(ModuleList):
    """The parametrizations of one weight, applied one after the other, and what is trained instead of it.

    `register_parametrization` makes it. What is trained is called ``original``, or ``original0``,
    ``original1`` and so on where the first parametrization takes several tensors.

    Args:
        modules: the parametrizations.
        original: the weight as it was.
        unsafe: whether the shape and the dtype may change.

    Raises:
        ValueError: a parametrization gives no tensor, or one of another shape or dtype.
    """

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with tl.no_grad():
            made = self._inverted(original, needed=False)
        if not isinstance(made, (Tensor, Sequence)):
            raise ValueError(
                f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(made).__name__}"
            )
        self.is_tensor = isinstance(made, Tensor)
        self.ntensors = 1 if isinstance(made, Tensor) else len(made)
        if isinstance(made, Tensor):
            if made.dtype != dtype:
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {made.dtype}"
                )
            if made is not original:
                original.data = made.detach()
            _register(self, "original", original)
        else:
            for place, each in enumerate(made):
                if not isinstance(each, Tensor):
                    raise ValueError(
                        f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                        f"Got element {place} of the sequence with type {type(each).__name__}."
                    )
                trained = isinstance(original, Parameter)
                kept: Tensor = Parameter(each, original.requires_grad) if trained else each
                _register(self, f"original{place}", kept.requires_grad_(original.requires_grad))
        if not unsafe:
            _check(self(), shape, dtype)

    def _originals(self) -> list[Tensor]:
        names = ["original"] if self.is_tensor else [f"original{k}" for k in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def _inverted(self, value: Any, needed: bool) -> Any:
        for module in reversed(list(self)):
            inverse = getattr(module, "right_inverse", None)
            if inverse is None:
                if needed:
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                continue
            try:
                value = inverse(value)
            except NotImplementedError:
                if needed:
                    raise
        return value

    def right_inverse(self, value: Tensor) -> None:
        """Have the weight become a value: what is trained is made of it by the parametrizations' inverses.

        Args:
            value: the weight to be.

        Raises:
            RuntimeError: a parametrization has no inverse.
            ValueError: an inverse gives other than what is trained.
        """
        with tl.no_grad():
            made = self._inverted(value, needed=True)
            several = [made] if self.is_tensor else made
            if not isinstance(several, Sequence) or not all(isinstance(each, Tensor) for each in several):
                kind = "a tensor" if self.is_tensor else "a sequence of tensors"
                raise ValueError(f"`right_inverse` should return {kind}. Got {type(made).__name__}")
            originals = self._originals()
            if len(several) != len(originals):
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                    f"Got a sequence of length {len(several)}."
                )
            for each, original in zip(several, originals, strict=True):
                if each.dtype != original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {each.dtype} while `original` has "
                        f"dtype {original.dtype}"
                    )
                original.data = each.detach()  # type: ignore[misc]

    def forward(self) -> Tensor:
        first, *others = self
        value: Tensor = first(*self._originals())
        for module in others:
            value = module(value)
        return value


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Have a parameter or buffer of a module be computed by another module.

    Args:
        module: whose weight it is.
        tensor_name: the name of the weight; if it has a parametrization already, the new one comes after it.
        parametrization: makes the weight of what is trained; its ``right_inverse``, if it has one, makes what
            is trained of the weight as it is now.
        unsafe: whether the shape and the dtype may change.

    Returns:
        the module.

    Raises:
        ValueError: there is no such weight, or the parametrization gives another shape or dtype.

    Example:
        >>> import tensorlab as tl
        >>> class Symmetric(tl.nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        >>> layer = tl.nn.Linear(3, 3)
        >>> _ = register_parametrization(layer, "weight", Symmetric())
        >>> bool((layer.weight == layer.weight.T).all()), list(layer.state_dict())
        (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        parametrizations = module.parametrizations[tensor_name]
        if not unsafe:
            value = getattr(module, tensor_name)
            _check(parametrization(value), value.shape, value.dtype)
            inverse = getattr(parametrization, "right_inverse", None)
            if inverse is not None:
                _check(inverse(value), value.shape, value.dtype)
        parametrizations.append(parametrization)
        parametrizations.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        parametrizations = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_class(module)
            module.parametrizations = ModuleDict()
        _give_property(type(module), tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has a parametrization, or one of this weight.

    Example:
        >>> import tensorlab as tl
        >>> is_parametrized(tl.nn.Linear(2, 2))
        False
    """
    there = module._modules.get("parametrizations")
    if not isinstance(there, ModuleDict):
        return False
    return len(there) > 0 if tensor_name is None else tensor_name in there


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Have a weight be a parameter or a buffer again.

    Args:
        module: whose weight it is.
        tensor_name: its name.
        leave_parametrized: it keeps its value; with False it becomes what was trained instead of it.

    Returns:
        the module.

    Raises:
        ValueError: the weight has no parametrization, or of several tensors that are trained none is it.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.nn.utils import parametrizations
        >>> layer = parametrizations.weight_norm(tl.nn.Linear(2, 2))
        >>> list(remove_parametrizations(layer, "weight").state_dict())
        ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    original = parametrizations._originals()[0]
    if leave_parametrized:
        with tl.no_grad():
            value = getattr(module, tensor_name).detach()
        if parametrizations.is_tensor:
            original.data = value
        else:
            trained = isinstance(original, Parameter)
            original = Parameter(value, original.requires_grad) if trained else value
    elif not parametrizations.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that a module had before it got parametrizations.

    Example:
        >>> import tensorlab as tl
        >>> type_before_parametrizations(tl.nn.Linear(2, 2)).__name__
        'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def _check(value: Any, shape: Any, dtype: Any) -> None:
    """Refuse what a parametrization or its inverse gives, if it could not be the weight."""
    if not isinstance(value, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
    for what, before, after in (("dtype", dtype, value.dtype), ("shape", shape, value.shape)):
        if before != after:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` "
                f"flag is enabled.\nunparametrized {what}: {before}\nparametrized {what}: {after}"
            )


def _register(module: Module, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _give_class(module: Module) -> None:
    """Give a module a class of its own, which can have properties."""
    own = type(module)

    def refuse(self: Module) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(): save that, and "
            "load it into a module with the same parametrizations"
        )

    def copy(self: Module, memo: dict[int, Any]) -> Module:
        if id(self) not in memo:
            replica = memo[id(self)] = object.__new__(type(self))
            replica.__dict__.update(deepcopy(self.__dict__, memo))
        return memo[id(self)]

    methods = {"__getstate__": refuse, "__deepcopy__": copy}
    module.__class__ = type(f"Parametrized{own.__name__}", (own,), methods)


def _give_property(kind: type, name: str) -> None:
    """Give a class the property that computes a weight."""

    def read(self: Any) -> Tensor:
        parametrizations = self.parametrizations[name]
        if _cache is None:
            return parametrizations()
        key = id(self), name
        if key not in _cache:
            _cache[key] = parametrizations()
        return _cache[key]

    def write(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(kind, name, property(read, write))
