"""What PyTorch lets one say of every new tensor, beside its dtype and its device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tensorlab.memory_formats import strided

__all__ = ["tensor_options"]

P = ParamSpec("P")
R = TypeVar("R")


def tensor_options(function: Callable[P, R]) -> Callable[..., R]:
    """Let callers of a function that makes a tensor write `layout`, `pin_memory` and `requires_grad`.

    The first two can be given the value that describes the tensors of this library, and no other.
    """

    @functools.wraps(function)
    def with_options(*arguments: Any, **keywords: Any) -> R:
        if keywords:
            for name, only in _ONLY.items():
                if name in keywords:
                    given = keywords.pop(name)
                    if given is not None and given is not only:
                        refusal = TypeError if name == "layout" else RuntimeError
                        raise refusal(
                            f"{function.__name__}(): {name}={given!r} is not covered: "
                            f"leave it out, or write {name}={only!r}"
                        )
            if keywords.pop("requires_grad", False):
                made: Any = function(*arguments, **keywords)
                return made.requires_grad_()
        return function(*arguments, **keywords)

    return with_options


_ONLY = {"layout": strided, "pin_memory": False}
