"""New tensors of random numbers: PyTorch's recipes, so that the same seed gives PyTorch's numbers.

Each function allocates and leaves the drawing to the methods of `tensorlab.ops.random_fills`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.backends import OperandLayout
from tensorlab.core import broadcasting, dtypes, layout
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import memory_format, preserve_format
from tensorlab.core.modes import no_grad
from tensorlab.dispatch.copies import write
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.memory import as_new, counted, next_version
from tensorlab.dispatch.operands import is_number
from tensorlab.dispatch.primitive import check_out
from tensorlab.names.functions import with_given_names
from tensorlab.ops.aliases import detach
from tensorlab.ops.argreduce import amax, amin, aminmax, argmax
from tensorlab.ops.arguments import placing
from tensorlab.ops.creation import empty, empty_like
from tensorlab.ops.pointwise import add_, div, mul_
from tensorlab.ops.random_fills import bernoulli_, exponential_, normal_, uniform_
from tensorlab.ops.sampling import (
    as_flag,
    as_generator,
    as_long,
    fill_each,
    fill_new,
    new,
    node,
    require_deviation,
)
from tensorlab.ops.sorting import places_in_order
from tensorlab.random import Generator
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
@placing
def rand(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    names: Sequence[str | None] | None = None,
) -> Tensor:
    """Numbers drawn evenly from [0, 1).

    Args:
        sizes: the sizes, as separate ints or as one sequence.
        size: the sizes, by name.
        generator: where the numbers come from; the default generator.
        out: a tensor to fill instead of a new one.
        dtype: a floating-point dtype; the default one.
        device: where to make it; the default device.
        names: a name for every dimension, None for one without (see `tensorlab.names`).

    Raises:
        TypeError: a size is no integer.
        RuntimeError: a size is negative, or the names do not fit.
        NotImplementedError: the dtype is not a floating-point one.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.rand(3, 4)
        tensor([[0.5979, 0.8453, 0.9464, 0.2965],
                [0.5138, 0.6443, 0.8991, 0.0141],
                [0.5785, 0.1218, 0.9181, 0.6805]])
    """
    made = new(sizes, size, "rand", out, dtype, device)
    if out is None and made._dtype.is_floating_point:
        fill_new(made, "uniform", generator, 0.0, 1.0)
    else:
        uniform_(made, generator=generator)
    return made if names is None else with_given_names(made, names)


@op()
@placing
def randn(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    names: Sequence[str | None] | None = None,
) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1 (see `rand` for the arguments).

    From 16 elements on they are made in another way than below (see `Tensor.normal_`), so that the beginnings
    of ``randn(15)`` and ``randn(16)`` differ for the same seed.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.randn(2, 2)
        tensor([[ 0.2713, -1.2729],
                [ 0.5027,  0.4181]])
    """
    made = new(sizes, size, "randn", out, dtype, device)
    if out is None and made._dtype.is_floating_point:
        fill_new(made, "normal", generator, 0.0, 1.0)
    else:
        normal_(made, generator=generator)
    return made if names is None else with_given_names(made, names)


@op(names="copies")
@placing
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """Numbers drawn evenly from [0, 1), in a tensor like another.

    Args:
        input: the tensor that says shape, dtype and order of dimensions.
        generator: where the numbers come from; the default generator.
        dtype: another dtype.
        device: where to make it; where `input` lies.
        memory_format: the order of the dimensions in memory; ``preserve_format`` keeps `input`'s.

    Raises:
        NotImplementedError: the dtype is not a floating-point one.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.rand_like(tl.zeros(2, 2))
        tensor([[0.5979, 0.8453],
                [0.9464, 0.2965]])
    """
    target = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return as_new(uniform_(target, generator=generator))


@op(names="copies")
@placing
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1, in a tensor like another (see `rand_like`).

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.randn_like(tl.zeros(2, 2))
        tensor([[ 0.2713, -1.2729],
                [ 0.5027,  0.4181]])
    """
    target = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return as_new(normal_(target, generator=generator))


@op()
@placing
def normal(
    mean: Tensor | float = 0.0,
    std: Tensor | float = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """Normal numbers, each with a mean and a standard deviation of its own where these are tensors.

    Args:
        mean: one number, or a tensor.
        std: one number, or a tensor; at least 0. Two tensors are broadcast against each other, and the result
            has the dtype of `mean`.
        size: the result's shape, if both are numbers.
        generator: where the numbers come from; the default generator.
        out: a tensor to fill instead of a new one.
        dtype, device: what to make, if both are numbers.

    Raises:
        TypeError: two numbers without a size, or a tensor with one.
        RuntimeError: a standard deviation is negative or NaN, or the shapes do not broadcast.
        NotImplementedError: the result's dtype is not a floating-point one.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.normal(tl.tensor([0.0, 100.0]), tl.tensor([1.0, 10.0]))
        tensor([ 0.2713, 87.2708])
    """
    for name, value in (("mean", mean), ("std", std)):
        if not isinstance(value, Tensor) and not is_number(value):
            found = type(value).__name__
            raise TypeError(f"normal(): argument '{name}' must be Tensor or float, not {found}")
    tensors = [value for value in (mean, std) if isinstance(value, Tensor)]
    if bool(tensors) == (size is not None):
        raise TypeError("normal() takes a size exactly when mean and std are both numbers")
    if not tensors:
        version, target = next_version(out), new((), size, "normal", out, dtype, device)
        normal_(target, mean, std, generator=generator)  # type: ignore[arg-type]
        return counted(target, version)
    if dtype is not None or device is not None:
        raise TypeError("normal() takes dtype and device only with a size: tensors bring their own")
    shape = broadcasting.broadcast_shapes(*(tensor.shape for tensor in tensors))
    if isinstance(std, Tensor):
        _require_deviations(std)
    else:
        require_deviation(std)
    if out is not None:
        check_out("normal", out, *tensors)
    version = next_version(out)
    if out is None:
        target = empty(shape, dtype=tensors[0].dtype, device=tensors[0].device)
    else:
        target = new((), shape, "normal", out, None)
    with no_grad():
        if isinstance(std, Tensor):
            mul_(normal_(target, generator=generator), std)
        else:
            normal_(target, 0.0, std, generator=generator)
        add_(target, mean)
    counted(target, version)
    if out is not None:
        return out
    kind = _NORMAL_KINDS[isinstance(mean, Tensor), isinstance(std, Tensor)]
    return record(kind, target, *tensors)


@op("function method", names="copies")
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """For each element 1 with that probability, else 0.

    Args:
        input: the probabilities, of a floating-point dtype.
        p: one probability for all elements; `input` then only says the shape and the dtype.
        generator: where the numbers come from; the default generator.
        out: a tensor to fill instead of a new one.

    Raises:
        RuntimeError: a probability is not in [0, 1].
        NotImplementedError: `input` is not of a floating-point dtype, and `p` is left out.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.bernoulli(tl.tensor([0.0, 0.9, 1.0]))
        tensor([0., 1., 1.])
    """
    if out is not None:
        check_out("bernoulli", out, input)
    if out is None:
        target = empty(input.shape, dtype=input.dtype, device=input.device)
    else:
        target = new((), input.shape, "bernoulli", out, None)
    with no_grad():
        bernoulli_(target, input if p is None else p, generator=generator)
    if out is not None:
        return out
    return record(BernoulliBackward0 if p is None else _REFUSES, as_new(target), input)


@op()
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """For each element a count of events, of which the element says how many to expect.

    Args:
        input: the expected counts, at least 0, of a floating-point dtype.
        generator: where the numbers come from; the default generator.

    Raises:
        RuntimeError: an expected count is negative or NaN.
        NotImplementedError: `input` is not of a floating-point dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.poisson(tl.tensor([1.0, 10.0, 100.0]))
        tensor([ 2.,  7., 95.])
    """
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"poisson expects rates of a floating-point dtype, got {input.dtype.name}")
    target = empty(input.shape, dtype=input.dtype, device=input.device)
    if fill_each(target, "poisson", generator, input):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return record(PoissonBackward0, as_new(target), input)


def _refused(grad: Tensor) -> Tensor:
    raise RuntimeError(
        "derivative for aten::bernoulli is not implemented: a draw does not follow the tensor that only says "
        "its shape; detach() the result"
    )


BernoulliBackward0 = node("BernoulliBackward0")
PoissonBackward0 = node("PoissonBackward0")
_REFUSES = formulas("NotImplemented", input=_refused)
# By whether the mean and the deviation are tensors. A draw is no function of them, and their gradient is 0.
_NORMAL_KINDS = {
    (True, False): node("NormalBackward1"),
    (False, True): node("NormalBackward2"),
    (True, True): node("NormalBackward3", "mean", "std"),
}


def _require_deviations(std: Tensor) -> None:
    if std.numel() and not amin(std).item() >= 0:
        raise RuntimeError(
            "normal expects all elements of std >= 0.0: a standard deviation is never negative"
        )


# --- categories -----------------------------------------------------------------------------------------

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
    source = as_generator(generator, input)
    launch = input._storage.backend.random(
        "categories",
        (rows, input.shape[-1], draws),
        OperandLayout(dtypes.int64, (draws, 1)),
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
