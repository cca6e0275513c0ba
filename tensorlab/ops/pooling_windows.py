"""Where the windows of a pooling lie: from the arguments of a call to the places in each dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlab.backends.windows import Reach
from tensorlab.core.integers import ceil_div
from tensorlab.core.layout import Size
from tensorlab.ops.plans import remember
from tensorlab.ops.windows import as_key, each_dim
from tensorlab.tensor import Tensor

__all__ = ["adaptive_reach", "adaptive_windows", "sliding_reach", "sliding_windows"]


_known: dict[tuple, tuple[Reach, Reach]] = {}


def sliding_windows(
    name: str,
    input: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    counts_padding: bool = True,
    dims: int = 2,
) -> tuple[Reach, Reach]:
    """The windows of equal size that slide over an image, or with `dims` 1 over an image of height 1.

    Raises:
        RuntimeError: a number is out of its range, or no window fits.
        TypeError: an argument is no int, nor a sequence of ints.
    """
    arguments = (kernel_size, stride, padding, dilation, ceil_mode, counts_padding, dims)
    found: tuple[Reach, Reach] = _once(_sliding, name, input, dims, *arguments)
    return found


def _once(find: Callable[..., Any], name: str, input: Tensor, dims: int, *arguments: Any) -> Any:
    """``find(name, shape, *arguments)``, or what it found before for such arguments and sizes."""
    key = as_key(name, *input._shape[-dims - 1 :], *arguments)
    if key is None:
        return find(name, input._shape, *arguments)
    found = _known.get(key)
    if found is None:
        found = remember(_known, key, find(name, input._shape, *arguments))
    return found


def _sliding(
    name: str,
    shape: Size,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    counts_padding: bool,
    dims: int,
) -> tuple[Reach, Reach]:
    """`sliding_windows`, worked out and checked."""
    without = stride is None or (isinstance(stride, (tuple, list)) and not stride)
    window = each_dim(name, "kernel_size", kernel_size, dims)
    step = window if without else each_dim(name, "stride", stride, dims)
    before, spread = each_dim(name, "padding", padding, dims), each_dim(name, "dilation", dilation, dims)
    for word, values, least, rule in (
        ("kernel_size", window, 1, "greater than zero"),
        ("stride", step, 1, "greater than zero"),
        ("dilation", spread, 1, "greater than zero"),
        ("padding", before, 0, "non-negative"),
    ):
        if min(values) < least:
            raise RuntimeError(f"{name}(): {word} must be {rule}, but got {values}")
    for k, p in zip(window, before, strict=True):
        if p > k // 2:
            raise RuntimeError(
                f"{name}(): pad should be smaller than or equal to half of kernel size, but got pad={p} and "
                f"kernel_size={k}"
            )
    reaches = [
        sliding_reach(*each, bool(ceil_mode), bool(counts_padding))
        for each in zip(shape[-dims:], window, step, before, spread, strict=True)
    ]
    if not all(reach.begins for reach in reaches):
        sizes = "x".join(str(len(reach.begins)) for reach in reaches)
        raise RuntimeError(
            f"{name}(): Given input size: {tuple(shape[-dims - 1 :])}. Calculated output size: "
            f"{sizes}. Output size is too small"
        )
    if any(begin >= end for reach in reaches for begin, end in zip(reach.begins, reach.ends, strict=True)):
        raise RuntimeError(
            f"{name}(): a window meets no number of the input {tuple(shape[-dims - 1 :])}: with "
            f"kernel_size={window}, padding={before} and dilation={spread} all of its places lie in the "
            f"padding; give less padding, or a smaller dilation"
        )
    return (reaches[0], reaches[1]) if dims == 2 else (_WHOLE, reaches[0])


def sliding_reach(
    size: int, window: int, step: int, before: int, dilation: int, ceil: bool, counts_padding: bool
) -> Reach:
    """The windows along one dimension.

    Example:
        >>> found = sliding_reach(5, 3, 2, 1, 1, False, False)
        >>> found.begins, found.ends, found.divisors
        ((0, 1, 3), (2, 4, 5), (2, 3, 2))
    """
    reach = dilation * (window - 1) + 1
    count = (size + 2 * before - reach + (step - 1 if ceil else 0)) // step + 1
    if ceil and (count - 1) * step >= size + before:  # the last window has to begin before the image's end
        count -= 1
    begins, ends, divisors = [], [], []
    for start in range(-before, -before + max(count, 0) * step, step):
        end = min(start + reach, size + before)
        begins.append(start + max(-(start // dilation), 0) * dilation)
        ends.append(min(start + reach, size))
        divisors.append(end - start if counts_padding else ends[-1] - max(start, 0))
    return Reach(tuple(begins), tuple(ends), tuple(divisors), dilation, step, -before, window)


# Along the height of a signal.
_WHOLE = sliding_reach(1, 1, 1, 0, 1, False, False)


def adaptive_windows(name: str, input: Tensor, output_size: Any, dims: int) -> tuple[Reach, Reach]:
    """As many windows as are wanted, which cover the image.

    Raises:
        RuntimeError: there are not `dims` sizes, or one is negative.
        TypeError: a size is no int.
    """
    found: tuple[Reach, Reach] = _once(_adaptive, name, input, dims, output_size, dims)
    return found


def _adaptive(name: str, shape: Size, output_size: Any, dims: int) -> tuple[Reach, Reach]:
    """`adaptive_windows`, worked out and checked."""
    if isinstance(output_size, (tuple, list)):
        if len(output_size) != dims:
            raise RuntimeError(f"{name}: output_size must be {dims} numbers, got {output_size!r}")
        wanted = tuple(output_size)
    else:
        wanted = (output_size,) * dims
    extents = shape[-dims:]
    wanted = tuple(size if want is None else want for want, size in zip(wanted, extents, strict=True))
    counts = each_dim(name, "output_size", wanted, dims)
    if min(counts) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {counts}"
        )
    reaches = [adaptive_reach(size, count) for size, count in zip(extents, counts, strict=True)]
    return (reaches[0], reaches[1]) if dims == 2 else (_WHOLE, reaches[0])


def adaptive_reach(size: int, count: int) -> Reach:
    """The windows along one dimension: each begins where its share of it begins, rounded to the outside.

    Example:
        >>> found = adaptive_reach(5, 2)
        >>> found.begins, found.ends
        ((0, 2), (3, 5))
    """
    if count and size % count == 0:  # all are equal
        return sliding_reach(size, size // count, size // count, 0, 1, False, False)
    begins = tuple(i * size // count for i in range(count))
    ends = tuple(ceil_div((i + 1) * size, count) for i in range(count))
    divisors = tuple(end - begin for begin, end in zip(begins, ends, strict=True))
    return Reach(begins, ends, divisors, 1, 0, 0, 0)
