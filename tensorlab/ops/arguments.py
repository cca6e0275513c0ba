"""What a call means: sizes, dimensions and dtypes in the forms in which PyTorch lets one write them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from tensorlab.backends import HOST, Backend, backend_of
from tensorlab.contracts import EXPLAINED, flags_of, misuse, need_flags
from tensorlab.core import dtypes, layout
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import strided
from tensorlab.core.size import size_of_ints
from tensorlab.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable)

# Python's own types stand for the dtypes that hold all of their values.
_PYTHON_TYPES = {bool: dtypes.bool, int: dtypes.int64, float: dtypes.float64}


def as_dtype(value: object) -> dtype | None:
    """The dtype that an argument means; None stays None.

    Raises:
        TypeError: it is neither a dtype nor Python's bool, int or float.

    Example:
        >>> as_dtype(float)
        tensorlab.float64
    """
    if value is None or isinstance(value, dtype):
        return value
    if isinstance(value, type) and value in _PYTHON_TYPES:
        return _PYTHON_TYPES[value]
    raise TypeError(f"dtype must be a tensorlab dtype such as tensorlab.float32, not {value!r}")


def need_tensor(function: str, value: object, argument: str = "input") -> Tensor:
    """`value`, which must be a tensor.

    Args:
        function: the function called, for the message.
        value: what was given.
        argument: what the function calls it, for the message.

    Raises:
        TypeError: it is something else.

    Example:
        >>> need_tensor("mean", [1.0])
        Traceback (most recent call last):
            ...
        TypeError: mean(): argument 'input' must be Tensor, not list: make one with tensorlab.tensor(data)
    """
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{function}(): argument {argument!r} must be Tensor, not {type(value).__name__}: "
            f"make one with tensorlab.tensor(data)"
        )
    return value


def need_tensors(function: str, **operands: object) -> None:
    """`need_tensor` for several arguments, by their names."""
    for name, operand in operands.items():
        need_tensor(function, operand, name)


def need_ints(function: str, value: Any, argument: str) -> Sequence[int]:
    """`value`, which must be a tuple or a list.

    Args:
        function: the function called, for the message.
        value: what was given; its items are not looked at.
        argument: what the function calls it, for the message.

    Raises:
        TypeError: it is something else, a single int too.

    Example:
        >>> need_ints("flip", 0, "dims")
        Traceback (most recent call last):
            ...
        TypeError: flip(): argument 'dims' must be tuple of ints, not int: write (0,)
    """
    if isinstance(value, (tuple, list)):
        return value
    advice = f": write ({value!r},)" if type(value) is int else ""
    raise TypeError(
        f"{function}(): argument {argument!r} must be tuple of ints, not {type(value).__name__}{advice}"
    )


# Functions whose ints come as one sequence, where the method of the same name takes them one by one too.
_OF_ONE_SEQUENCE = {
    "broadcast_to": "size",
    "flip": "dims",
    "permute": "dims",
    "reshape": "shape",
    "tile": "dims",
}


def of_one_sequence(function: Callable) -> Callable:
    """The form of a method whose ints may come one by one that takes them as one sequence alone.

    Other functions stay as they are.

    Example:
        >>> import tensorlab as tl
        >>> tl.reshape(tl.arange(6), (2, 3)).shape, tl.arange(6).reshape(2, 3).shape
        (tensorlab.Size([2, 3]), tensorlab.Size([2, 3]))
        >>> tl.reshape(tl.arange(6), 2, 3)
        Traceback (most recent call last):
            ...
        TypeError: reshape() takes one tuple of ints 'shape', not 2 arguments: write (2, 3)
    """
    argument = _OF_ONE_SEQUENCE.get(function.__name__)
    return function if argument is None else _of_one(function, argument)


def _of_one(function: Callable, argument: str) -> Callable:
    name = function.__name__

    @functools.wraps(function)
    def call(input: Tensor, *given: Sequence[int], **keywords: Any) -> Any:
        if len(given) > 1:
            raise TypeError(
                f"{name}() takes one tuple of ints {argument!r}, not {len(given)} arguments: write {given}"
            )
        if given:
            need_ints(name, given[0], argument)
        return function(input, *given, **keywords)

    parameters = inspect.signature(function).parameters
    last = parameters[argument].replace(default=inspect.Parameter.empty, annotation="Sequence[int]")
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameters["input"], last.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)],
        return_annotation="Tensor",
    )
    return call


def ints_from(
    arguments: Sequence, keyword: Sequence[int] | None, function: str, name: str
) -> tuple[int, ...]:
    """The ints that a call means by ``f(2, 3)``, by ``f((2, 3))``, or by ``f(name=(2, 3))``.

    Args:
        arguments: the positional arguments.
        keyword: the argument called `name`, or None.
        function: the function called, for messages.
        name: the argument's name, for messages.

    Raises:
        TypeError: nothing was given, something that is no integer, or one int by name.

    Example:
        >>> ints_from((2, 3), None, "view", "size"), ints_from(([2, 3],), None, "view", "size")
        ((2, 3), (2, 3))
    """
    if keyword is not None:
        arguments = (need_ints(function, keyword, name), *arguments)
    elif not arguments:
        raise TypeError(f"{function}() missing 1 required positional arguments: {name!r}")
    if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
        arguments = arguments[0]
    for argument in arguments:
        if type(argument) is not int:
            if type(argument) is bool:
                raise TypeError(f"{function}(): argument {name!r} must be tuple of ints, got {arguments!r}")
            return tuple([layout.as_int(item, f"{function}(): every item of {name}") for item in arguments])
    return tuple(arguments)


def sizes_from(arguments: Sequence, function: str, keyword: Sequence[int] | None = None) -> Size:
    """The shape of a new tensor that a call means by ``f(2, 3)``, ``f((2, 3))`` or ``f(size=(2, 3))``.

    Raises:
        TypeError: a size is not an integer.
        RuntimeError: a size is negative.
    """
    given = arguments if keyword is None else (need_ints(function, keyword, "size"), *arguments)
    items = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    for item in items:
        if type(item) is not int or item < 0:
            break
    else:
        return size_of_ints(Size, items)
    if any(type(item) is bool for item in items):
        raise TypeError(f"{function}(): argument 'size' must be tuple of ints, got a bool in {tuple(items)}")
    sizes = ints_from(arguments, keyword, function, "size")
    if any(size < 0 for size in sizes):
        raise RuntimeError(f"{function}(): sizes must not be negative, got {sizes}")
    return Size(sizes)


def tensors_from(tensors: object, function: str) -> list[Tensor]:
    """The items of a sequence of tensors.

    Raises:
        TypeError: it is no tuple or list, or an item is no tensor.
    """
    if not isinstance(tensors, (tuple, list)):
        advice = f": write {function}([x, y])" if isinstance(tensors, Tensor) else ""
        raise TypeError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, "
            f"not {type(tensors).__name__}{advice}"
        )
    for position, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"{function}(): expected Tensor as element {position} in argument 'tensors', "
                f"but got {type(tensor).__name__}"
            )
    return list(tensors)


def several(tensors: Sequence, function: str) -> list[Tensor]:
    """The tensors that a call means by ``f(x, y)`` or by ``f([x, y])``.

    Raises:
        TypeError: something in there is no tensor.
    """
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tensors[0]
    return tensors_from(tensors, function)


# --- what can be said of every new tensor -------------------------------------------------------------


def tensor_options(function: Callable[P, R], places: bool = False) -> Callable[..., R]:
    """Let callers of a function that makes a tensor write `layout`, `pin_memory` and `requires_grad`.

    `layout` can be given the value that describes the tensors of this library, and no other. `device` is
    seen to here as well: the function has it in its signature alone, for readers, and gets None. A call with
    an argument of the wrong kind is explained, as `tensorlab.contracts.explained` has it.

    Args:
        function: what makes the tensor.
        places: whether the function makes it where it is asked for, and gets the `device`.
    """
    flags = flags_of(function)

    @functools.wraps(function)
    def with_options(*arguments: Any, **keywords: Any) -> Any:
        requires_grad, pinned, place = False, False, None
        try:
            if keywords:
                if not _OPTIONS.isdisjoint(keywords):
                    requires_grad, pinned = _taken(function.__name__, keywords)
                    place = _place(function.__name__, keywords)
                    if places and place is not None:
                        keywords["device"] = place.device
                if flags:
                    need_flags(function, flags, keywords)
            made: Any = function(*arguments, **keywords)
            if place is not None and place is not backend_of(made.device):
                made = made.to(place.device)  # names come with it
            if pinned:
                made = made.pin_memory()
        except Exception as error:
            if refusal := misuse(function, arguments, keywords, error):
                raise refusal from None
            raise
        return made.requires_grad_() if requires_grad else made

    EXPLAINED.add(with_options)
    return with_options


# `tensor_options` of a function that makes its tensor where it is asked for.
placing = functools.partial(tensor_options, places=True)


def place_of(device: device | str | None, like: Tensor | None = None) -> Backend:
    """Where a function of `placing` makes its tensor: on the device named, or where another tensor lies."""
    if device is not None:
        return backend_of(device)
    return HOST if like is None else like._storage.backend


_OPTIONS = {"requires_grad", "device", "layout", "pin_memory"}


def _place(name: str, keywords: dict[str, Any]) -> Backend | None:
    """The backend of the device that a call's keywords name, taken out of them.

    A function makes its tensor on the CPU, or where the tensor lies that the result is to be like; it is
    moved then.
    """
    place, out = keywords.pop("device", None), keywords.get("out")
    if place is None:
        return None
    found = backend_of(place)
    if isinstance(out, Tensor) and out._storage.backend is not found:
        raise RuntimeError(
            f"{name}(): device {found.device} does not match device of out parameter ({out.device}): leave "
            f"device= out, or bring an out on {str(found.device)!r}"
        )
    return found


def _taken(name: str, keywords: dict[str, Any]) -> tuple[bool, bool]:
    """Take the options out of a call's keywords; whether the result requires a gradient, and is pinned."""
    given = keywords.pop("layout", None)
    if given is not None and given is not strided:
        raise TypeError(
            f"{name}(): layout={given!r} is not covered: leave it out, or write layout={strided!r}"
        )
    return bool(keywords.pop("requires_grad", False)), bool(keywords.pop("pin_memory", False))
