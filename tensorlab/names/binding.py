"""How tensors with names get their methods, and functions the form that takes such tensors.

Which rule an operator follows says its row of `tensorlab.registry`. One without a rule refuses names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from tensorlab import registry
from tensorlab.contracts import flags_of, misuse, need_flags, takes_dims, with_dims
from tensorlab.names import rules, tensor
from tensorlab.names.following import Rule, follow
from tensorlab.names.tensor import NamedTensor
from tensorlab.registry import Op
from tensorlab.tensor import Tensor


def bind() -> None:
    """Give tensors with names the methods and properties that have rules, after those of `Tensor`."""
    members = registry.members()
    for name, op in members.items():
        plain = name.removesuffix("_")  # what writes in place follows the rule of what does not
        rule = op.names or (members[plain].names if plain in members else "")
        if rule and "property" in op.variants:
            of_all: property = getattr(Tensor, name)
            assert of_all.fget is not None
            accessor = property(_method(of_all.fget, rule), doc=of_all.__doc__)
            setattr(NamedTensor, name, accessor)
        elif rule:
            setattr(NamedTensor, name, _method(getattr(Tensor, name), rule, _writes(name, members)))
    namespace: Any = NamedTensor
    namespace.__rmatmul__ = _reflected_matmul
    namespace.__hash__ = Tensor.__hash__  # a class that defines == loses it


def _writes(name: str, members: dict[str, Op]) -> bool:
    """Whether a method writes into its tensor: ``add_``, ``__iadd__``."""
    if name.endswith("__"):
        return name.startswith("__i") and f"__{name[3:]}" in members
    return name.endswith("_")


def _method(function: Callable, rule: str, in_place: bool = False) -> Callable:
    """The method of a tensor with names that follows a rule."""
    found: Rule = getattr(rules, rule)

    @functools.wraps(function)
    def method(self: Tensor, *arguments: Any, **keywords: Any) -> Any:
        return follow(found, function, (self, *arguments), keywords, in_place)

    return method


def _reflected_matmul(self: Tensor, other: Any) -> Any:
    plain: Any = Tensor
    return follow(rules.contracts, plain.__matmul__, (other, self), {})


def looks_itself(op: Op) -> bool:
    """Whether a function sees to names and to arguments of the wrong kind itself, off its fast path."""
    return op.names == "unifies" and op.namespace in ("", "nn.functional")


def following(function: Callable, rule: str) -> Callable:
    """A function in a form that follows its rule where a tensor with names is among its arguments.

    What is called without one is `tensorlab.contracts.explained`, here in one step with the question.

    Args:
        function: the function.
        rule: what becomes of the names, a function of `rules`.
    """
    flags, dims = flags_of(function), takes_dims(function)
    found: Rule = getattr(rules, rule)

    @functools.wraps(function)
    def either(*arguments: Any, **keywords: Any) -> Any:
        if keywords and dims:
            keywords = with_dims(function, keywords)
        if tensor.in_use and (_any_named(arguments) or (keywords and _any_named(keywords.values()))):
            return follow(found, function, arguments, keywords)
        if keywords and flags:
            need_flags(function, flags, keywords)
        try:
            return function(*arguments, **keywords)
        except Exception as error:
            if refusal := misuse(function, arguments, keywords, error):
                raise refusal from None
            raise

    return either


def _any_named(values: Iterable[Any]) -> bool:
    for value in values:
        kind = type(value)
        if kind is NamedTensor or ((kind is list or kind is tuple) and _any_named(value)):
            return True
    return False
