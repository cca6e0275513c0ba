"""Random integers: evenly from a range, and as a permutation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlab.autograd.formulas import Backward
from tensorlab.core import dtypes
from tensorlab.core.cells import from_float32, to_float32
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.memory_formats import memory_format, preserve_format
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.memory import as_new
from tensorlab.ops.arguments import as_dtype, placing
from tensorlab.ops.creation import empty_like
from tensorlab.ops.sampling import LONGEST, SHORTEST, as_long, fill, new, node
from tensorlab.random import Generator
from tensorlab.registry import op
from tensorlab.tensor import Tensor

RandomBackward0 = node("RandomBackward0")
RandomBackward1 = node("RandomBackward1")
RandomBackward2 = node("RandomBackward2")

# Bits of the significand: up to 2 to this power a floating dtype holds every integer.
DIGITS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}

# From this span on 64 bits are drawn for an integer: the remainder of 32 would favour small values visibly.
WIDE_SPAN = 2**28


@op()
@placing
def randint(
    *bounds: int | Sequence[int],
    low: int | None = None,
    high: int | None = None,
    size: Sequence[int] | None = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """Integers drawn evenly from `low` to `high`, `high` left out.

    Called as ``randint(high, size)`` or ``randint(low, high, size)``.

    Args:
        bounds: `low` (0 if left out), `high` and `size`, in this order.
        low, high, size: the same by name.
        generator: where the numbers come from; the default generator.
        out: a tensor to fill instead of a new one.
        dtype: any dtype; int64.
        device: where to make it; the default device.

    Raises:
        TypeError: a bound is no int, or `high` or `size` is missing.
        ValueError: a bound has more than 64 bits.
        RuntimeError: the range is empty, or reaches beyond the dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.randint(3, 9, (2, 3))
        tensor([[6, 7, 6],
                [6, 4, 7]])
    """
    given = list(bounds)
    if size is None and given:
        size = given.pop()  # type: ignore[assignment]
    if size is None:
        raise TypeError("randint() takes (high, size) or (low, high, size), and no size was given")
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"randint(): argument 'size' must be tuple of ints, not {type(size).__name__}")
    first, end = _bounds("randint", given, low, high)
    target = new((), size, "randint", out, dtype or (dtypes.int64 if out is None else None), device)
    _fill_integers(target, first, end, generator)
    return as_new(target) if out is None else target


@op(names="copies")
@placing
def randint_like(
    input: Tensor,
    *bounds: int,
    low: int | None = None,
    high: int | None = None,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """Integers drawn evenly from `low` (0 if left out) to `high`, left out itself, in a tensor like another.

    Args:
        input: the tensor that says shape, dtype and order of dimensions.
        bounds: `high`, or `low` and `high`.
        low, high: the same by name.
        generator: where the numbers come from; the default generator.
        dtype: another dtype.
        device: where to make it; where `input` lies.
        memory_format: the order of the dimensions in memory; ``preserve_format`` keeps `input`'s.

    Raises:
        TypeError: a bound is no int, or `high` is missing.
        RuntimeError: the range is empty, or reaches beyond the dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.randint_like(tl.zeros(3), 3, 9)
        tensor([6., 7., 6.])
    """
    first, end = _bounds("randint_like", list(bounds), low, high)
    target = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return as_new(_fill_integers(target, first, end, generator))


@op()
@placing
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """The integers 0 … n - 1 in an order drawn from all orders alike.

    Args:
        n: how many.
        generator: where the numbers come from; the default generator.
        out: a tensor to fill instead of a new one.
        dtype: any dtype but bool; int64.
        device: where to make it; the default device.

    Raises:
        TypeError: `n` is no int.
        RuntimeError: `n` is negative, or the dtype does not hold n - 1.
        NotImplementedError: the dtype is bool.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.randperm(5)
        tensor([3, 1, 2, 4, 0])
    """
    count = as_long(n, "randperm", "n")
    if count < 0:
        raise RuntimeError(f"randperm(): n must not be negative, got {count}")
    element_type = as_dtype(dtype) or (dtypes.int64 if out is None else out.dtype)
    if element_type is dtypes.bool:
        raise NotImplementedError("randperm is not implemented for bool, which has room for two integers")
    most = {dtypes.float16: 2049, dtypes.float32: 2**24 + 1, dtypes.float64: 2**53 + 1}.get(element_type)
    if element_type.category == dtypes.INTEGER:
        most = dtypes.integer_range(element_type)[1] + 1
    if most is not None and count > most:
        raise RuntimeError(
            f"n cannot be greater than {most} for {element_type.name}, which does not hold all integers "
            f"below {count}"
        )
    target = new((), (count,), "randperm", out, element_type, device)
    fill(target, "permutation", generator)
    return as_new(target) if out is None else target


@op("method", names="copies")
def random_(
    input: Tensor,
    *bounds: int | None,
    generator: Generator | None = None,
    **keywords: int | None,
) -> Tensor:
    """Overwrite every element with an integer drawn evenly.

    ``random_(from, to)`` draws from `from` to `to`, `to` left out; ``random_(to)`` begins with 0; with
    ``random_(from, None)`` the greatest value of the dtype is the last. ``random_()`` draws from 0 to the
    greatest value, and in a floating dtype to the greatest integer up to which it holds all of them.

    Args:
        input: a tensor of any dtype.
        bounds: `from` and `to`, or `to` alone.
        generator: where the numbers come from; the default generator.
        keywords: ``from`` and ``to`` by name.

    Raises:
        TypeError: a bound is no int.
        ValueError: a bound has more than 64 bits.
        RuntimeError: the range is empty, or reaches beyond the dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(5, dtype=tl.int64).random_(1, 7)
        tensor([4, 5, 4, 4, 2])
    """
    unknown = set(keywords) - {"from", "to"}
    if unknown or len(bounds) > 2 or (len(bounds) == 2 and keywords) or (bounds and "from" in keywords):
        raise TypeError(
            f"random_() takes (to), (from, to) or nothing, got {bounds} and {sorted(keywords) or 'no names'}"
        )
    if not bounds and not keywords:
        span, wide = _default_span(input.dtype)
        return fill(input, "integers", generator, 0, span, wide, kind=RandomBackward2)
    to_alone = len(bounds) + len(keywords) == 1 and "from" not in keywords
    if len(bounds) == 1 and "to" not in keywords:
        bounds = (0, *bounds)
    low = as_long(bounds[0] if bounds else keywords.get("from", 0), "random_", "from")
    last = bounds[1] if len(bounds) == 2 else keywords.get("to")
    last = None if last is None else as_long(last, "random_", "to")
    return _fill_integers(input, low, last, generator, RandomBackward1 if to_alone else RandomBackward0)


def _bounds(function: str, given: list, low: int | None, high: int | None) -> tuple[int, int]:
    """The bounds that a call means by position (high last) or by name."""
    if high is None and given:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    if given or high is None:
        raise TypeError(f"{function}() takes high, or low and high")
    return as_long(low, function, "low"), as_long(high, function, "high")


def _fill_integers(
    input: Tensor,
    low: int,
    high: int | None,
    generator: Generator | None,
    kind: type[Backward] | None = None,
) -> Tensor:
    """`random_` with its bounds in order. `high` None means up to the dtype's greatest value, included."""
    element_type = input.dtype
    if high is None and low == SHORTEST:
        if element_type not in (dtypes.int64, dtypes.float64, dtypes.float32, dtypes.bfloat16):
            refusal = NotImplementedError if element_type is dtypes.float16 else RuntimeError
            raise refusal(
                f"random_ over all 2^64 integers needs int64, float64, float32 or bfloat16, "
                f"not {element_type.name}"
            )
        return fill(input, "integers", generator, 0, 0, True, kind=kind)
    if high is not None and low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}: "
            f"the range includes 'from' and leaves out 'to'"
        )
    if element_type.is_floating_point:
        last = min(2 ** DIGITS[element_type], LONGEST) if high is None else high - 1
        _require_in_range(low, last, element_type)
        low = _rounded_up(low, element_type)
        last = last if high is None else _rounded_down(high, element_type) - 1
        if low > last:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to': {element_type.name} has no integer in between"
            )
    else:
        last = dtypes.integer_range(element_type)[1] if high is None else high - 1
        _require_in_range(low, last, element_type)
    span = last - low + 1
    return fill(input, "integers", generator, low, span, span >= WIDE_SPAN, kind=kind)


def _default_span(element_type: dtype) -> tuple[int, bool]:
    """How many integers ``random_()`` draws from, and whether 64 bits are drawn for each."""
    if element_type.is_floating_point:
        span = 2 ** DIGITS[element_type] + 1
    else:
        span = dtypes.integer_range(element_type)[1] + 1
    return span, element_type in (dtypes.int64, dtypes.float64)


def _require_in_range(low: int, last: int, element_type: dtype) -> None:
    """Refuse bounds that the dtype cannot hold, and warn of those that it cannot hold exactly."""
    floating = element_type.is_floating_point
    least, most = (
        (-dtypes.finfo_max(element_type), dtypes.finfo_max(element_type))
        if floating
        else dtypes.integer_range(element_type)
    )
    for name, bound in (("from", low), ("to - 1", last)):
        if not least <= bound <= most:
            raise RuntimeError(
                f"{name} is out of bounds for {element_type.name}: {bound} is not in {least} … {most}"
            )
        if floating and abs(bound) > 2 ** DIGITS[element_type]:
            warn_caller(
                f"{name} is out of bounds [-(2^{DIGITS[element_type]}), 2^{DIGITS[element_type]}]: beyond "
                f"them {element_type.name} leaves out integers, so the numbers are not drawn evenly",
                UserWarning,
            )


def _rounded_up(low: int, element_type: dtype) -> int:
    """`low`, or the next integer above whose successors do not round below it."""
    successor = _as_stored(low + 1, element_type)
    return low if successor >= low else successor + _step(low + 1, element_type)


def _rounded_down(high: int, element_type: dtype) -> int:
    """`high`, or the next integer below such that no number under it is rounded up to `high`."""
    predecessor = _as_stored(high - 1, element_type)
    return high if predecessor < high else predecessor - _step(high - 1, element_type)


def _as_stored(value: int, element_type: dtype) -> int:
    """An integer after a turn through a floating dtype."""
    cell = np.array([value], np.int64).astype(np.float64 if element_type is dtypes.float64 else np.float32)
    if element_type.itemsize == 2:
        from_cells = to_float32(from_float32(cell, element_type), element_type)
        return int(from_cells[0])
    return int(cell[0])


def _step(value: int, element_type: dtype) -> int:
    """The distance of neighbouring numbers of a floating dtype at an integer beyond its digits."""
    return 1 << (abs(value).bit_length() - DIGITS[element_type])
