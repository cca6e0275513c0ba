"""What PyTorch lets one say of every new tensor, beside its dtype and its device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tensorlab.contracts import EXPLAINED, flags_of, misuse, need_flags
from tensorlab.memory_formats import strided

__all__ = ["tensor_options"]

P = ParamSpec("P")
R = TypeVar("R")


def tensor_options(function: Callable[P, R]) -> Callable[..., R]:
    """Let callers of a function that makes a tensor write `layout`, `pin_memory` and `requires_grad`.

    The first two can be given the value that describes the tensors of this library, and no other. A call with
    an argument of the wrong kind is explained, as `tensorlab.contracts.explained` has it.

    Args:
        function: what makes the tensor.
    """
    flags = flags_of(function)

    @functools.wraps(function)
    def with_options(*arguments: Any, **keywords: Any) -> Any:
        requires_grad = False
        try:
            if keywords:
                if not _OPTIONS.isdisjoint(keywords):
                    requires_grad = _taken(function.__name__, keywords)
                if flags:
                    need_flags(function, flags, keywords)
            made: Any = function(*arguments, **keywords)
        except Exception as error:
            if refusal := misuse(function, arguments, keywords, error):
                raise refusal from None
            raise
        return made.requires_grad_() if requires_grad else made

    EXPLAINED.add(with_options)
    return with_options


_ONLY = {"layout": strided, "pin_memory": False}
_OPTIONS = {"requires_grad", *_ONLY}


def _taken(name: str, keywords: dict[str, Any]) -> bool:
    """Take the options out of a call's keywords; whether the result is to require a gradient."""
    for option, only in _ONLY.items():
        given = keywords.pop(option, None)
        if given is not None and given is not only:
            refusal = TypeError if option == "layout" else RuntimeError
            raise refusal(
                f"{name}(): {option}={given!r} is not covered: leave it out, or write {option}={only!r}"
            )
    return bool(keywords.pop("requires_grad", False))
