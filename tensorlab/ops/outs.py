"""``out=`` of small calls that were made before: the result as a new tensor, copied in one step.

A new result has a short way, and a write into the caller's tensor asks a dozen questions first. Most answers
follow from dtypes, layouts and the other arguments, so the second call of a kind that found nothing to refuse
settles them. From the third on the result is made as if there were no ``out``, and machine code copies it
after it has asked the rest (see `tensorlab.ops.overwriting`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from tensorlab.autograd.views import requires_grad
from tensorlab.autograd.writers import writer_of
from tensorlab.modes import current
from tensorlab.ops.overwriting import Way, way_of_copy
from tensorlab.ops.plans import remember
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor

__all__ = ["WITH_OUT", "into"]

# The functions whose results follow from their arguments alone: no chance is in them, and nobody's memory.
_NAMES = """
    addbmm addmm addmv amax amin argmax argmin baddbmm bmm cat concat concatenate cov cross cumprod cumsum
    diag diff gather hstack index_add index_copy index_fill index_select inner kron log_softmax logsumexp
    matrix_norm matrix_power mean norm outer quantile scatter scatter_add softmax stack std sum take
    take_along_dim tensordot tril triu var vector_norm vstack
"""
WITH_OUT = frozenset(_NAMES.split())

# What copies the results of calls that came twice into tensors like theirs, False where there is no such way.
_ways: dict[tuple, Way | Literal[False]] = {}
# The calls that came once.
_met: dict[tuple, bool] = {}


def into(
    make: Callable[..., Any], write: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """What a function gives that is called with ``out=``.

    Args:
        make: the function as it is called without ``out``.
        write: the function as it is called with it, which refuses what there is to refuse.
        arguments, keywords: of the call.
    """
    out = keywords["out"]
    key = _key(write, out, arguments, keywords)
    if key is None:
        return write(*arguments, **keywords)
    way = _ways.get(key)
    if way:
        made = _made(make, arguments, keywords)
        if type(made) is Tensor and way(current.grad, out, made) is not None:
            return out
    result = write(*arguments, **keywords)
    if way is None:
        if key not in _met:  # what machine code is made for should come again
            remember(_met, key, True)
        else:
            remember(_ways, key, _way(out, _made(make, arguments, keywords)) or False)
    return result


def _made(make: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    if len(keywords) == 1:
        return make(*arguments)
    return make(*arguments, **{name: value for name, value in keywords.items() if name != "out"})


def _way(out: Tensor, made: object) -> Way | None:
    if type(made) is not Tensor or made._dtype is not out._dtype or made._shape != out._shape:
        return None
    return way_of_copy(writer_of(out._storage), out, made)


def _key(write: Callable, out: object, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple | None:
    """What the way of a call depends on; None where it goes the long way for sure."""
    if type(out) is not Tensor or out._storage._version is UNTRACKED:
        return None
    key: list[object] = [write, out._dtype, out._shape, out._stride]
    if not _described(key, arguments, out):
        return None
    if len(keywords) > 1:
        for name, value in keywords.items():
            if name != "out":
                key.append(name)
                if not _described(key, (value,), out):
                    return None
    return tuple(key)


def _described(key: list[object], arguments: Iterable[Any], out: Tensor) -> bool:
    """Whether all arguments are of kinds that a key can hold, which are added to it."""
    for argument in arguments:
        kind = type(argument)
        if kind is Tensor:
            if argument._storage._memory is out._storage._memory:
                return False
            if (argument._edge is not None or argument._base is not None) and requires_grad(argument):
                return False
            key += argument._dtype, argument._shape, argument._stride
        elif kind is tuple or kind is list:
            key += kind, len(argument)
            if not _described(key, argument, out):
                return False
        elif kind is float:  # its value decides nothing about the layout
            key.append(kind)
        elif kind.__hash__ is None or isinstance(argument, Tensor):
            return False
        else:
            key += kind, argument
    return True
