"""What a function's annotations promise, asked when a call has failed.

A call with an argument of the wrong kind fails somewhere inside, with an error about something that the
caller never wrote. The annotations know better: an argument that is not of the kind that its parameter names
is why the call failed, and a `TypeError` says so, as PyTorch does. A call that succeeds pays for one call
more, 50 to 100 ns; operations on elements see to it themselves.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from tensorlab.core.dtypes import dtype
from tensorlab.core.spelling import nearest
from tensorlab.tensor import Tensor

__all__ = [
    "EXPLAINED",
    "explained",
    "flags_of",
    "misuse",
    "need_flags",
    "takes_dims",
    "with_dims",
]

# Functions that have a wrapper of their own, and explain their failures in it.
EXPLAINED: set[Callable] = set()

# What Python itself says where an operator or a built-in function cannot take a value.
_PYTHONS = re.compile("unsupported operand|bad operand|object of type|'[^']*' object|'[^']*' not supported")

P = ParamSpec("P")
R = TypeVar("R")


def explained(function: Callable[P, R], flags: bool = True) -> Callable[P, R]:
    """The function, with a `TypeError` for calls that fail because an argument is of the wrong kind.

    Args:
        function: a function whose parameters are annotated.
        flags: whether a keyword for a bool is refused what is none, before the call, and `dim` and `keepdim`
            have NumPy's names as well.

    Example:
        >>> import tensorlab as tl
        >>> tl.cdist(tl.ones(2, 2), tl.ones(2, 2), "far")
        Traceback (most recent call last):
            ...
        TypeError: cdist(): argument 'p' (position 3) must be float, not str
    """
    names = flags_of(function) if flags else ()
    dims = flags and takes_dims(function)

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> R:
        if keywords:
            if dims:
                keywords = with_dims(function, keywords)
            if names:
                need_flags(function, names, keywords)
        try:
            return function(*arguments, **keywords)
        except Exception as error:
            if refusal := misuse(function, arguments, keywords, error):
                raise refusal from None
            raise

    return cast(Callable[P, R], call)


def misuse(
    function: Callable, arguments: tuple, keywords: Mapping[str, Any], error: Exception
) -> TypeError | None:
    """Why a call has failed, if an argument is not of the kind that its parameter is annotated with.

    Returns:
        the error to raise; None if all arguments are of the right kind, or if the call says so already. A
        keyword that the function does not have is answered with those that it has.
    """
    if type(error) is TypeError and not _PYTHONS.match(str(error)):
        return _unknown_keyword(function, keywords, str(error))
    if isinstance(error, (ValueError, NotImplementedError)):
        return None  # the function's own words on the value
    parameters = _parameters(function)
    try:
        bound = inspect.Signature(list(parameters.values())).bind(*arguments, **keywords)
    except TypeError:  # a decorator of the function takes more than its signature says
        return None
    for position, (name, value) in enumerate(bound.arguments.items(), 1):
        parameter = parameters[name]
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        kinds = _kinds(parameter.annotation)
        if kinds and not any(fits(value) for fits in kinds.values()):
            advice = ": make one with tensorlab.tensor(data)" if [*kinds] == ["Tensor"] else ""
            return TypeError(
                f"{function.__name__}(): argument {name!r} (position {position}) must be "
                f"{' or '.join(kinds)}, not {type(value).__name__}{advice}"
            )
    return None


def _unknown_keyword(function: Callable, keywords: Mapping[str, Any], words: str) -> TypeError | None:
    """Python's refusal of a keyword that the function does not have, with those that it has."""
    for keyword in keywords:
        refusal = f"{function.__name__}() got an unexpected keyword argument {keyword!r}"
        # Python 3.13 goes on with a suggestion of its own; what goes on otherwise has been here before.
        if words == refusal or words.startswith(f"{refusal}. Did you mean"):
            known = [
                name
                for name, parameter in _parameters(function).items()
                if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
                and not name.startswith("_")
            ]
            meant = nearest(keyword, known) or next(filter(keyword.startswith, known), None)
            advice = f"did you mean {meant!r}? It takes" if meant else "it takes"
            return TypeError(f"{refusal}: {advice} {', '.join(known)}")
    return None


def need_flags(function: Callable, flags: Iterable[str], keywords: Mapping[str, Any]) -> None:
    """Refuse a flag that is no bool: ``descending=1`` may mean anything.

    Raises:
        TypeError: one is none.
    """
    for name in flags:
        if name in keywords and not isinstance(keywords[name], (bool, np.bool_)):
            given = keywords[name]
            raise TypeError(
                f"{function.__name__}(): argument {name!r} must be bool, not {type(given).__name__}: "
                f"write {name}={bool(given) if isinstance(given, (int, float)) else True}"
            )


# NumPy's names of arguments.
_OF_NUMPY = {"axis": "dim", "keepdims": "keepdim"}


def takes_dims(function: Callable) -> bool:
    """Whether a function works along dimensions that a call names."""
    return "dim" in inspect.signature(function).parameters


def with_dims(function: Callable, keywords: dict[str, Any]) -> dict[str, Any]:
    """A call's keywords, with `dim` for NumPy's ``axis`` and `keepdim` for ``keepdims``.

    Raises:
        TypeError: both names of one argument are given.

    Example:
        >>> with_dims(sorted, {"axis": 1})
        {'dim': 1}
    """
    for theirs, ours in _OF_NUMPY.items():
        if theirs in keywords:
            if ours in keywords:
                raise TypeError(f"{function.__name__}() got both {ours!r} and {theirs!r}: give one")
            keywords[ours] = keywords.pop(theirs)
    return keywords


@functools.cache
def _parameters(function: Callable) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def flags_of(function: Callable) -> tuple[str, ...]:
    """The parameters that are bools and nothing else."""
    plain: Any = inspect.unwrap(function)
    return tuple(name for name, annotation in plain.__annotations__.items() if annotation == "bool")


def _single(value: object) -> bool:
    return isinstance(value, Tensor) and value.numel() == 1


def _whole(value: object) -> bool:
    if isinstance(value, (int, np.integer)):
        return not isinstance(value, bool)
    return isinstance(value, Tensor) and not value.ndim and not value.dtype.is_floating_point


def _number(value: object) -> bool:
    return isinstance(value, (bool, int, float, np.bool_, np.number)) or _single(value)


def _kind(*types: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types)


# What an annotation allows, by its words: how messages call it, and the test.
_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "Tensor": ("Tensor", _kind(Tensor)),
    "None": ("None", _kind(type(None))),
    "bool": ("bool", _kind(bool, np.bool_)),
    "int": ("int", _whole),
    "float": ("float", _number),
    "Number": ("Number", _number),
    "str": ("str", _kind(str)),
    "dtype": ("tensorlab.dtype", _kind(dtype, type)),
}

# Names that the modules of operations give to unions.
_ALIASES = {
    "Dims": "int | Sequence[int] | None",
    "Ints": "int | Sequence[int]",
    "Operand": "Tensor | Number",
    "Pair": "Sequence[Tensor]",
    "Tensors": "Sequence[Tensor]",
}


@functools.cache
def _kinds(annotation: object) -> dict[str, Callable[[object], bool]]:
    """The kinds that an annotation names, by their names in messages; none where one of them is not known."""
    if not isinstance(annotation, str):
        return {}
    kinds = {}
    for part in _alternatives(annotation):
        if part.startswith(("Sequence[", "tuple[", "list[", "Iterable[")):
            items = "Tensors" if "Tensor" in part else "ints" if "int" in part else "numbers"
            kinds[f"tuple of {items}"] = _kind(tuple, list)
        elif part in _KINDS:
            words, fits = _KINDS[part]
            kinds[words] = fits
        else:
            return {}
    return kinds


def _alternatives(annotation: str) -> Iterator[str]:
    """The parts of ``int | Sequence[int | None] | None`` that stand between its outer bars."""
    depth, start = 0, 0
    for position, letter in enumerate(annotation):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            yield from _resolved(annotation[start:position].strip())
            start = position + 1
    yield from _resolved(annotation[start:].strip())


def _resolved(part: str) -> Iterator[str]:
    return _alternatives(_ALIASES[part]) if part in _ALIASES else iter((part,))
