"""From a rule to a named result: calling the ordinary function with ordinary tensors.

A rule looks at the arguments of a call, turns names of dimensions into their numbers, and says what names the
result has. `follow` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorlab.names.labels import Names
from tensorlab.names.tensor import assign, bare, named, names_of
from tensorlab.tensor import Tensor


@dataclass(frozen=True)
class Inferred:
    """What a rule found out.

    Attributes:
        arguments, keywords: those of the call, with numbers in the place of dimensions' names.
        names: the names of the result, as a function of the result, which tells whether a dimension was kept.
    """

    arguments: Sequence[Any]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    names: Callable[[Tensor], Names] = names_of


Rule = Callable[..., Inferred]


def follow(rule: Rule, function: Callable, arguments: tuple, keywords: dict, in_place: bool = False) -> Any:
    """The result of `function`, named by `rule`.

    A tensor that is written, with ``out=`` or in place, takes the names over. If ``out`` has names already,
    they must be the same.

    Raises:
        RuntimeError: the names do not fit the operation.
    """
    inferred = rule(*arguments, **keywords)
    plain = function(
        *map(bare, inferred.arguments), **{key: bare(value) for key, value in inferred.keywords.items()}
    )
    if plain is NotImplemented:
        return plain
    if in_place:
        assign(arguments[0], inferred.names(plain))
        return arguments[0]
    out = keywords.get("out")
    if out is not None:
        for target, tensor in zip(_as_tuple(out), _as_tuple(plain), strict=True):
            _assign_out(target, inferred.names(tensor))
        return out
    if isinstance(plain, Tensor) and plain is bare(arguments[0]):
        return arguments[0]  # contiguous(), to(): nothing was to be done
    return _named_result(plain, inferred.names)


def _named_result(plain: Any, names: Callable[[Tensor], Names]) -> Any:
    if isinstance(plain, Tensor):
        return named(plain, names(plain))
    if isinstance(plain, tuple):
        return type(plain)(_named_result(item, names) for item in plain)
    return plain


def _assign_out(out: Tensor, names: Names) -> None:
    old = names_of(out)
    if any(name is not None for name in old) and old != names:
        raise RuntimeError(
            f"the result has the names {names}, and `out` has {old}: give one without names, or with these"
        )
    assign(out, names)


def _as_tuple(value: Any) -> tuple:
    return value if isinstance(value, tuple) else (value,)
