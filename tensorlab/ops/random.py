"""New tensors of random numbers: PyTorch's recipes, so that the same seed gives PyTorch's numbers.

Each function allocates and leaves the drawing to the methods of `tensorlab.ops.random_fills`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import broadcasting
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.memory_formats import memory_format, preserve_format
from tensorlab.core.modes import no_grad
from tensorlab.dispatch.memory import as_new, counted, next_version
from tensorlab.dispatch.operands import is_number
from tensorlab.dispatch.primitive import check_out
from tensorlab.names.functions import with_given_names
from tensorlab.ops.argreduce import amin
from tensorlab.ops.arguments import tensor_options
from tensorlab.ops.creation import empty, empty_like
from tensorlab.ops.pointwise import add_, mul_
from tensorlab.ops.random_fills import bernoulli_, normal_, uniform_
from tensorlab.ops.sampling import fill_each, fill_new, new, node, require_deviation
from tensorlab.random import Generator
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
@tensor_options
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
        device: where to make it; the CPU.
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
    made = new(sizes, size, "rand", out, dtype)
    if out is None and made._dtype.is_floating_point:
        fill_new(made, "uniform", generator, 0.0, 1.0)
    else:
        uniform_(made, generator=generator)
    return made if names is None else with_given_names(made, names)


@op()
@tensor_options
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
    made = new(sizes, size, "randn", out, dtype)
    if out is None and made._dtype.is_floating_point:
        fill_new(made, "normal", generator, 0.0, 1.0)
    else:
        normal_(made, generator=generator)
    return made if names is None else with_given_names(made, names)


@op(names="copies")
@tensor_options
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
        device: where to make it; the CPU.
        memory_format: the order of the dimensions in memory; ``preserve_format`` keeps `input`'s.

    Raises:
        NotImplementedError: the dtype is not a floating-point one.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.rand_like(tl.zeros(2, 2))
        tensor([[0.5979, 0.8453],
                [0.9464, 0.2965]])
    """
    target = empty_like(input, dtype=dtype, memory_format=memory_format)
    return as_new(uniform_(target, generator=generator))


@op(names="copies")
@tensor_options
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
    target = empty_like(input, dtype=dtype, memory_format=memory_format)
    return as_new(normal_(target, generator=generator))


@op()
@tensor_options
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
        version, target = next_version(out), new((), size, "normal", out, dtype)
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
