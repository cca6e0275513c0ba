"""PyTorch's `torch.testing`: what a test says about tensors.

Example:
    >>> import tensorlab as tl
    >>> tl.testing.assert_close(tl.tensor([0.1, 0.2]) * 10, tl.tensor([1.0, 2.0]))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.ops.from_data import tensor
from tensorlab.ops.where import isclose
from tensorlab.tensor import Tensor

__all__ = ["assert_close"]

# How far two numbers of a dtype may lie apart: relative to the one expected, and as such. Those of other
# dtypes must be equal.
TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
}


class _Rules(NamedTuple):
    """What two tensors must have in common."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    device: bool
    dtype: bool
    stride: bool


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an error that says what differs, unless two results are alike.

    Numbers are alike where ``|actual - expected| <= atol + rtol * |expected|``. Tensors must have the same
    shape, dtype and device as well; sequences, and the values of mappings, are compared item by item.

    Args:
        actual: a tensor, a NumPy array, a number, a bool, None, or a sequence or mapping of these.
        expected: what it should be, of the same kind.
        allow_subclasses: whether one may be of a subclass of the other's type.
        rtol, atol: the tolerances, both or neither; by default those of the dtype, the larger of two:
            1.3e-6 and 1e-5 for float32, 1e-7 and 1e-7 for float64, 0 for integers and bools.
        equal_nan: whether NaN is like NaN.
        check_device: whether devices must be the same.
        check_dtype: whether dtypes must be the same; numbers of two dtypes are compared in the common one.
        check_layout: there is one layout here, so that it has no effect.
        check_stride: whether strides must be the same.
        msg: what the error says instead, or a function that makes it of what the error would say.

    Raises:
        AssertionError: they are not alike.
        TypeError: they are of two kinds, or of one that has no numbers.
        ValueError: one tolerance is given without the other.

    Example:
        >>> import tensorlab as tl
        >>> tl.testing.assert_close({"loss": tl.tensor([1.0, 2.0])}, {"loss": tl.tensor([1.0, 2.5])})
        Traceback (most recent call last):
            ...
        AssertionError: Tensor-likes are not close!
        <BLANKLINE>
        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
        Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)
        <BLANKLINE>
        The failure occurred for item ['loss']
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    rules = _Rules(rtol, atol, equal_nan, check_device, check_dtype, check_stride)
    try:
        for item, one, other in list(_pairs(actual, expected, "", allow_subclasses)):
            if difference := _difference(one, other, rules):
                raise _Unlike(difference, item)
    except _Unlike as unlike:
        words = (
            f"{unlike.words}\n\nThe failure occurred for item {unlike.item}" if unlike.item else unlike.words
        )
        raise AssertionError(words if msg is None else msg(words) if callable(msg) else msg) from None


class _Unlike(Exception):
    """Two items that are not alike: how, and where they stand."""

    def __init__(self, words: str, item: str) -> None:
        self.words = words
        self.item = item


def _pairs(actual: Any, expected: Any, item: str, subclasses: bool) -> Iterator[tuple[str, Any, Any]]:
    """What must be compared, down to tensors and numbers: the place in the whole, and the two."""
    if _both(Sequence, actual, expected) and not _either((str, bytes), actual, expected):
        if len(actual) != len(expected):
            raise _Unlike(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", item)
        for place, pair in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(*pair, f"{item}[{place}]", subclasses)
    elif _both(Mapping, actual, expected):
        missing = [key for key in expected if key not in actual]
        additional = [key for key in actual if key not in expected]
        if missing or additional:
            raise _Unlike(
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {additional}",
                item,
            )
        for key in expected:
            yield from _pairs(actual[key], expected[key], f"{item}[{key!r}]", subclasses)
    elif _comparable(actual, expected, subclasses):
        yield item, actual, expected
    else:
        where = f" at item {item}" if item else ""
        raise TypeError(
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}"
            f"{where}: compare tensors with tensors, as tensorlab.tensor(data) makes them, and numbers with "
            f"numbers"
        )


def _comparable(actual: Any, expected: Any, subclasses: bool) -> bool:
    if actual is None or expected is None or _both(_NUMBERS, actual, expected):
        return True
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not subclasses:
        related = type(actual) is type(expected)
    return related and _both((Tensor, np.ndarray), actual, expected)


_NUMBERS = (bool, int, float, np.bool_, np.number)


def _both(kinds: Any, actual: Any, expected: Any) -> bool:
    return isinstance(actual, kinds) and isinstance(expected, kinds)


def _either(kinds: Any, actual: Any, expected: Any) -> bool:
    return isinstance(actual, kinds) or isinstance(expected, kinds)


def _difference(actual: Any, expected: Any, rules: _Rules) -> str | None:
    """How two tensors or numbers are not alike; None if they are."""
    if actual is None or expected is None:
        return None if actual is expected else f"None mismatch: {actual} is not {expected}"
    if _both((bool, np.bool_), actual, expected):
        return None if actual == expected else f"Booleans mismatch: {actual} is not {expected}"
    if _both(_NUMBERS, actual, expected):
        if rules.dtype and type(actual) is not type(expected):
            return f"The (d)types do not match: {type(actual)} != {type(expected)}."
        return _distance(_plain(actual), _plain(expected), rules)
    actual, expected = _plain(actual), _plain(expected)
    compared = [("shape", True), ("device", rules.device), ("dtype", rules.dtype)]
    for attribute, asked in compared:
        found = getattr(actual, attribute), getattr(expected, attribute)
        if asked and found[0] != found[1]:
            return f"The values for attribute {attribute!r} do not match: {found[0]} != {found[1]}."
    if rules.stride and actual.stride() != expected.stride():
        return f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}."
    return _distance(actual, expected, rules)


def _plain(value: Any) -> Tensor:
    """The tensor of an array or a number; Python's numbers are kept as exactly as they can be."""
    if isinstance(value, Tensor):
        return value.detach()
    return tensor(value, dtype=dtypes.float64) if isinstance(value, float) else tensor(value)


def _distance(actual: Tensor, expected: Tensor, rules: _Rules) -> str | None:
    """How two tensors of one shape differ by more than is allowed."""
    rtol, atol = _tolerances(rules, actual.dtype, expected.dtype)
    common = dtypes.promote_types(actual.dtype, expected.dtype)
    if not common.is_floating_point:
        common = dtypes.int64
    actual, expected = actual.to(common), expected.to(common)
    alike = isclose(actual, expected, rtol, atol, rules.equal_nan)
    if bool(alike.all()):
        return None
    head = "equal" if rtol == 0 == atol else "close"
    allowed = ["", ""] if rtol == 0 == atol else [f" (up to {atol} allowed)", f" (up to {rtol} allowed)"]
    if not actual.ndim:
        distance = abs(actual.item() - expected.item())
        relative = distance / abs(expected.item()) if expected.item() else float("inf")
        return (
            f"Scalars are not {head}!\n\nExpected {expected.item()} but got {actual.item()}.\n"
            f"Absolute difference: {distance}{allowed[0]}\nRelative difference: {relative}{allowed[1]}"
        )
    wrong = alike.numel() - int(alike.sum())
    lines = [
        f"Tensor-likes are not {head}!",
        "",
        f"Mismatched elements: {wrong} / {alike.numel()} ({wrong / alike.numel():.1%})",
    ]
    apart = (actual - expected).abs().masked_fill(alike, 0)
    for word, distances, limit in zip(
        ("absolute", "relative"),
        (apart, (apart / expected.abs()).masked_fill(alike, 0)),
        allowed,
        strict=True,
    ):
        worst = int(distances.argmax())
        index = tuple(int(place) for place in np.unravel_index(worst, tuple(distances.shape)))
        lines.append(f"Greatest {word} difference: {distances[index].item()} at index {index}{limit}")
    return "\n".join(lines)


def _tolerances(rules: _Rules, *kinds: dtype) -> tuple[float, float]:
    """The relative and the absolute tolerance."""
    if rules.rtol is not None and rules.atol is not None:
        return rules.rtol, rules.atol
    found = [TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
    return max(rtol for rtol, _ in found), max(atol for _, atol in found)
