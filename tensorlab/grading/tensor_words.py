"""Tensors in answers, in words: what came back, and what is wrong with it besides its numbers."""

from __future__ import annotations

from typing import Any

from tensorlab.grading.inside.strided import Strided
from tensorlab.grading.inside.values import same, same_after


def shown(value: Any, after: tuple[Any, ...] | None, one_of_several: bool = False) -> str:
    """An answer as a student reads it: a tensor with its layout; for a call that returns None, what it left.

    Args:
        one_of_several: tell new storages apart by their numbers.

    Example:
        >>> from tensorlab.grading.inside.strided import strided
        >>> shown(strided((2, 2), (1, 2)), None)
        '[[0.0, 2.0], [1.0, 3.0]] · shape (2, 2), strides (1, 2), offset 0, in the storage of argument 1'
    """
    if isinstance(value, Strided):
        layout = f"shape {value.shape}, strides {value.strides}, offset {value.offset}"
        return f"{value.nested()} · {layout}, {_where(value, one_of_several)}"
    if type(value) in (tuple, list) and any(isinstance(item, (Strided, tuple, list)) for item in value):
        inside = ", ".join(shown(item, None, True) for item in value)
        return f"[{inside}]" if type(value) is list else f"({inside}{',' * (len(value) == 1)})"
    left = [
        f"argument {number} holds {list(told.cells)}"
        for number, told in enumerate(after or (), 1)
        if isinstance(told, Strided)
    ]
    if value is None and left:
        return f"None, and then the storage of {'; that of '.join(left)}"
    return repr(value)


def _where(told: Strided, one_of_several: bool) -> str:
    if told.argument:
        return f"the very object that is argument {told.argument}"
    if told.storage < 0 and one_of_several:
        return f"in new storage {-told.storage}"
    return f"in the storage of argument {told.storage}" if told.storage > 0 else "in a storage of its own"


def explain_tensors(
    got: Any,
    want: Any,
    got_after: tuple[Any, ...] | None,
    want_after: tuple[Any, ...] | None,
    rounding: float = 0.0,
) -> str:
    """What is wrong with an answer that has to do with tensors, in a sentence or two; "" if nothing is."""
    if isinstance(got, Strided) and isinstance(want, Strided) and not same(got, want, rounding):
        return _explain_result(got, want)
    if not same_after(got_after, want_after, rounding):
        return _explain_after(got_after or (), want_after or (), rounding)
    return ""


def _explain_result(got: Strided, want: Strided) -> str:
    if got.shape != want.shape:
        return f"The shape should be {want.shape}, not {got.shape}."
    if got.dtype is not want.dtype:
        return f"The dtype should be {want.dtype.name}, not {got.dtype.name}."
    if not all(map(same, got.elements, want.elements)):
        return ""
    if want.argument and got.argument != want.argument:
        made = "a copy" if got.storage < 0 else "another tensor over the same storage"
        return (
            f"The numbers are right, but this is {made}. Nothing has to change: return the argument itself."
        )
    if want.storage > 0 > got.storage:
        return (
            "The numbers are right, but this is a copy, in a storage of its own, and the answer should be "
            "a view: a write into it would not reach the argument."
        )
    if got.storage > 0 > want.storage:
        return (
            "The numbers are right, but this shares the storage of an argument, and the answer should be "
            "a copy: a write into this would change the argument."
        )
    if got.strides != want.strides:
        return (
            f"The numbers are right, the strides are not: they should be {want.strides}, not {got.strides}."
        )
    return f"It should begin in cell {want.offset}, not in cell {got.offset}."


def _explain_after(got: tuple[Any, ...], want: tuple[Any, ...], rounding: float) -> str:
    for number, (one, other) in enumerate(zip(got, want, strict=False), 1):
        if same_after((one,), (other,), rounding):
            continue
        if not isinstance(other, Strided):
            return f"The call changed the list that is argument {number}, and should leave it."
        if not isinstance(one, Strided):
            return f"The call left argument {number} damaged."
        if same(list(one.cells), list(other.cells)):
            return f"The call changed the layout of argument {number}, and should leave it."
        return (
            f"After the call the storage of argument {number} should hold {list(other.cells)}, "
            f"and it holds {list(one.cells)}."
        )
    return ""
