"""Drawing categories by weight, with and without replacement."""

from __future__ import annotations

from math import inf

from tensorlab.backends import OperandLayout
from tensorlab.core import dtypes, layout
from tensorlab.core.layout import Size
from tensorlab.dispatch.copies import write
from tensorlab.dispatch.guards import guard_write
from tensorlab.ops.aliases import detach
from tensorlab.ops.argreduce import amax, aminmax, argmax
from tensorlab.ops.creation import empty, empty_like
from tensorlab.ops.pointwise import div
from tensorlab.ops.random_fills import exponential_
from tensorlab.ops.sampling import as_flag, as_generator, as_long, new
from tensorlab.ops.sorting import places_in_order
from tensorlab.random import Generator
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# Beyond 2^24 categories a float32 cannot count them.
MOST_CATEGORIES = 2**24


@op("function method")
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Categories drawn by weight: indices into the last dimension of `input`.

    With replacement, each draw looks up a uniform number among the cumulated weights. Without, every category
    is given its weight over an exponential number, and the largest of these win: the same distribution as
    one draw after the other, in one pass.

    Args:
        input: weights (categories,) or (rows, categories), of a floating-point dtype, that need not add up
            to 1.
        num_samples: how many to draw from each row.
        replacement: whether a category may be drawn more than once.
        generator: where the numbers come from; the default generator.
        out: an int64 tensor to fill instead of a new one.

    Returns:
        int64, of shape (num_samples,) or (rows, num_samples).

    Raises:
        TypeError: `num_samples` is no int, or `replacement` no bool.
        RuntimeError: `input` is not floating-point, not of one or two dimensions, or has more than 2^24
            categories; a weight is negative, infinite or NaN, or all are 0; or there are more samples than
            categories to draw without replacement.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.multinomial(tl.tensor([1.0, 2.0, 3.0, 4.0]), 3)
        tensor([2, 3, 1])
    """
    draws = as_long(num_samples, "multinomial", "num_samples")
    if as_flag(replacement, "multinomial", "replacement") and draws > 1:
        draw = _with_replacement
    else:
        draw = _without_replacement
    if input.ndim not in (1, 2):
        raise RuntimeError(f"prob_dist must be 1 or 2 dim: its shape is {tuple(input.shape)}")
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input.dtype.name}"
        )
    categories = input.shape[-1]
    if draws <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples: num_samples is {draws}")
    if not replacement and draws > categories:
        raise RuntimeError(
            f"cannot sample n_sample > prob_dist.size(-1) samples without replacement: {draws} of "
            f"{categories} categories; replacement=True draws a category more than once"
        )
    if categories > MOST_CATEGORIES:
        raise RuntimeError(f"number of categories cannot exceed 2^24, got {categories}")
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.name}")
    shape = Size((*input.shape[:-1], draws))
    if not layout.numel(shape):
        return new((), shape, "multinomial", out, dtypes.int64)
    found = draw(detach(input) if input.requires_grad else input, draws, generator)
    if out is None:
        return found
    target = new((), shape, "multinomial", out, dtypes.int64)
    guard_write(target, input)
    write(target, found)
    return target


def _with_replacement(input: Tensor, draws: int, generator: Generator | None) -> Tensor:
    rows = input.shape[0] if input.ndim == 2 else 1
    strides = input.stride() if input.ndim == 2 else (0, *input.stride())
    found = empty((*input.shape[:-1], draws), dtype=dtypes.int64, device=input.device)
    source = as_generator(generator)
    launch = input._storage.backend.random(
        "categories",
        (rows, input.shape[-1], draws),
        OperandLayout(dtypes.int64, found.stride()),
        OperandLayout(input.dtype, strides),
    )
    with source._lock:
        refused = launch(source._started(), found._buffer(), input._buffer())
    if refused:
        reason = (
            "encountering probability entry < 0",
            "encountering probability entry = infinity or NaN",
            "sum of probabilities <= 0",
        )[refused - 1]
        raise RuntimeError(f"invalid multinomial distribution ({reason})")
    return found


def _without_replacement(input: Tensor, draws: int, generator: Generator | None) -> Tensor:
    least, greatest = aminmax(input)
    if not (least.item() >= 0 and greatest.item() < inf):
        raise RuntimeError(
            "probability tensor contains either `inf`, `nan` or element < 0: weights are finite, from 0 on"
        )
    if not amax(input, -1).all().item():
        raise RuntimeError(
            "invalid multinomial distribution (sum of probabilities <= 0): a row has no weight above 0"
        )
    # The winners are the largest of each row.
    keys = div(input, exponential_(empty_like(input), generator=generator))
    if draws == 1:
        return argmax(keys, -1, True)
    return places_in_order(keys, input.ndim - 1, (0, draws), descending=True, stable=False)
