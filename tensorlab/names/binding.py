"""Which function follows which rule, and how a tensor with names gets its methods.

A function that is not in `RULES` has no rule, and refuses names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from tensorlab.contracts import flags_of, misuse, need_flags
from tensorlab.names import functions, rules, tensor
from tensorlab.names.following import Rule, follow
from tensorlab.names.tensor import NamedTensor
from tensorlab.tensor import Tensor

__all__ = ["FINDERS", "RULES", "bind", "element_by_element", "following", "with_names"]

_BY_RULE: dict[Rule, str] = {
    rules.copies: """
        bernoulli bfloat16 bool byte cauchy_ char clone contiguous cpu detach double empty_like exponential_
        fill_ fliplr flipud float full_like geometric_ half int log_normal_ long normal_ ones_like rand_like
        randint_like randn_like random_ real requires_grad_ short to tril triu type type_as uniform_ zero_
        zeros_like
    """,
    rules.keeps: """
        argsort chunk cummax cummin cumprod cumsum flip index_add index_copy index_fill index_select
        log_softmax narrow roll softmax sort split split_with_sizes tensor_split topk
    """,
    rules.unifies: """
        addcdiv addcmul clamp clip copy_ isclose lerp where
        eq ne lt le gt ge
    """,
    rules.compares: "allclose equal",
    rules.fills_masked: "masked_fill",
    rules.reduces: """
        all amax amin any aminmax argmax argmin count_nonzero logsumexp mean median nanmean nanmedian
        nansum prod std std_mean sum var var_mean
    """,
    rules.reduces_or_unifies: "max min",
    rules.reduces_last: "mode",
    rules.reduces_second: "norm",
    rules.reduces_second_last: "kthvalue",
    rules.transposes: "transpose swapaxes swapdims",
    rules.reverses: "t",
    rules.swaps_last: "adjoint",
    rules.permutes: "permute",
    rules.moves: "movedim moveaxis",
    rules.drops: "select unbind",
    rules.squeezes: "squeeze",
    rules.unsqueezes: "unsqueeze",
    rules.leads: "expand expand_as broadcast_to repeat",
    rules.windows: "unfold",
    rules.takes_diagonal: "diagonal",
    rules.flattens: "flatten",
    rules.unflattens: "unflatten",
    rules.selects_masked: "masked_select",
    rules.contracts: "matmul mm bmm mv dot",
    rules.adds_product: "addmm addmv baddbmm",
    rules.multiplies_outer: "outer ger",
    rules.joins: "cat concat concatenate",
    rules.stacks: "stack",
}

RULES: dict[str, Rule] = {name: rule for rule, names in _BY_RULE.items() for name in names.split()}

_OPERATORS: dict[str, Rule] = {
    "getitem": rules.indexes,
    "matmul": rules.contracts,
    "neg": rules.keeps,
    "pos": rules.keeps,
    "invert": rules.keeps,
    "abs": rules.keeps,
    "reversed": rules.keeps,
    "array_wrap": rules.keeps,
}
_PROPERTIES: dict[str, Rule] = {
    "H": rules.swaps_last,
    "T": rules.reverses,
    "mH": rules.swaps_last,
    "mT": rules.swaps_last,
    "data": rules.copies,
}
_TWO_OPERANDS = "add sub mul truediv floordiv mod pow and or xor lshift rshift"
_COMPARISONS = "eq ne lt le gt ge"


def bind(pointwise: Iterable[str]) -> None:
    """Give every tensor the methods about names, and tensors with names their rules. Called once.

    Args:
        pointwise: the functions that are applied element by element; all of them unify names.
    """
    namespace: Any = Tensor
    namespace.names = functions.NAMES
    for method in functions.METHODS:
        setattr(Tensor, method.__name__, method)
    for name in pointwise:
        RULES.setdefault(name.removesuffix("_"), rules.unifies)
    for name, rule in RULES.items():
        if hasattr(Tensor, name):
            setattr(NamedTensor, name, _method(getattr(Tensor, name), rule, name.endswith("_")))
        if hasattr(Tensor, f"{name}_"):
            setattr(NamedTensor, f"{name}_", _method(getattr(Tensor, f"{name}_"), rule, in_place=True))
    _bind_operators()
    for name, rule in _PROPERTIES.items():
        of_all: property = getattr(Tensor, name)
        assert of_all.fget is not None
        setattr(NamedTensor, name, property(_method(of_all.fget, rule), doc=of_all.__doc__))


def _bind_operators() -> None:
    table = {f"__{name}__": (rule, False) for name, rule in _OPERATORS.items()}
    for name in _TWO_OPERANDS.split():
        table |= {f"__{name}__": (rules.unifies, False), f"__r{name}__": (rules.unifies, False)}
        table[f"__i{name}__"] = (rules.unifies, True)
    for name in _COMPARISONS.split():
        table[f"__{name}__"] = (rules.unifies, False)
    for name, (rule, in_place) in table.items():
        if name in vars(Tensor):
            setattr(NamedTensor, name, _method(getattr(Tensor, name), rule, in_place))
    namespace: Any = NamedTensor
    namespace.__rmatmul__ = _reflected_matmul
    namespace.__setitem__ = _set_item
    namespace.__hash__ = Tensor.__hash__  # a class that defines == loses it


def _method(function: Callable, rule: Rule, in_place: bool = False) -> Callable:
    """The method of a tensor with names that follows a rule."""

    @functools.wraps(function)
    def method(self: Tensor, *arguments: Any, **keywords: Any) -> Any:
        return follow(rule, function, (self, *arguments), keywords, in_place)

    return method


def _reflected_matmul(self: Tensor, other: Any) -> Any:
    plain: Any = Tensor
    return follow(rules.contracts, plain.__matmul__, (other, self), {})


def _set_item(self: Tensor, index: Any, value: Any) -> None:
    plain: Any = Tensor
    follow(rules.assigns, plain.__setitem__, (self, index, value), {})


def with_names(exported: dict[str, Any]) -> dict[str, Callable]:
    """The functions of `exported` that have a rule, each in a form that follows it.

    Args:
        exported: functions, and whatever else a module exports, by name.

    What is called without a tensor with names goes straight to the function. Functions that work element by
    element, and those in `FINDERS`, are left as they are: they find out themselves, off their fast path.
    """
    return {
        name: following(value, RULES[name])
        for name, value in exported.items()
        if isinstance(value, FunctionType)
        and name in RULES
        and RULES[name] is not rules.unifies
        and value not in FINDERS
    }


def element_by_element(exported: dict[str, Any]) -> list[str]:
    """The functions of `exported` that look at their arguments themselves, by their names."""
    return [
        name
        for name, value in exported.items()
        if RULES.get(name) is rules.unifies or (isinstance(value, FunctionType) and value in FINDERS)
    ]


# Functions that follow their rule themselves.
FINDERS: set[Callable] = set()


def following(function: Callable, rule: Rule) -> Callable:
    """A function in a form that follows its rule where a tensor with names is among its arguments.

    What is called without one is `tensorlab.contracts.explained`, here in one step with the question.

    Args:
        function: the function.
        rule: what becomes of the names.
    """
    flags = flags_of(function)

    @functools.wraps(function)
    def either(*arguments: Any, **keywords: Any) -> Any:
        if tensor.in_use and (_any_named(arguments) or (keywords and _any_named(keywords.values()))):
            return follow(rule, function, arguments, keywords)
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
