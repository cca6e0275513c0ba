"""Random numbers in place: every element overwritten with a draw from a distribution.

Each method has PyTorch's recipe: the same seed gives PyTorch's numbers, in whatever layout the elements lie.
A tensor is filled in the order in which its elements lie in memory, the smallest stride innermost.
"""

from __future__ import annotations

from tensorlab.autograd.recording import in_place
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.ops.sampling import as_float, fill, fill_each, node, require_deviation
from tensorlab.random import Generator
from tensorlab.registry import op
from tensorlab.tensor import Tensor

UniformBackward0 = node("UniformBackward0")
NormalBackward0 = node("NormalBackward0")
LogNormalBackward0 = node("LogNormalBackward0")
ExponentialBackward0 = node("ExponentialBackward0")
CauchyBackward0 = node("CauchyBackward0")
GeometricBackward0 = node("GeometricBackward0")
BernoulliBackward1 = node("BernoulliBackward1", "input", "p")
BernoulliBackward2 = node("BernoulliBackward2")


@op("method", names="copies")
def uniform_(
    input: Tensor,
    from_: float = 0.0,
    /,
    to: float = 1.0,
    *,
    generator: Generator | None = None,
    **keywords: float,
) -> Tensor:
    """Overwrite every element with a number drawn evenly from [from, to).

    Args:
        input: a floating-point tensor.
        from_: the least number; by name it is called ``from``, as in ``uniform_(**{"from": -1})``.
        to: the end, which is left out.
        generator: where the numbers come from; the default generator.
        keywords: ``from``.

    Raises:
        NotImplementedError: `input` is not of a floating-point dtype.
        RuntimeError: `from` is above `to`, or a bound is beyond the dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(3).uniform_(-1, 1)
        tensor([0.1959, 0.6906, 0.8928])
    """
    if keywords:
        from_ = _by_name("uniform_", keywords, from_)
    low = as_float(from_, "uniform_", "from")
    high = as_float(to, "uniform_", "to")
    _require_floating(input.dtype, "uniform_")
    most = dtypes.finfo_max(input.dtype)
    if not (-most <= low <= most and -most <= high <= most):
        name, bound = ("to", high) if -most <= low <= most else ("from", low)
        raise RuntimeError(f"{name} is out of bounds for {input.dtype.name}: {bound} is beyond ±{most}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    if high - low > most:
        raise RuntimeError(
            f"uniform_ expects to - from to be a {input.dtype.name}, but from {low} to {high} is {high - low}"
        )
    return fill(input, "uniform", generator, low, high, kind=UniformBackward0)


@op("method", names="copies")
def normal_(
    input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Overwrite every element with a normal number of this mean and standard deviation.

    Args:
        input: a floating-point tensor. A contiguous one of 16 elements or more is filled sixteen at a time
            in its own precision, any other one by one in float64: the numbers differ, as they do in PyTorch.
            In float32 the first kind are PyTorch's on x86 processors with AVX2, here on every machine; on
            others PyTorch's own numbers are a few units in the last place away from them.
        mean: the mean.
        std: the standard deviation, at least 0.
        generator: where the numbers come from; the default generator.

    Raises:
        NotImplementedError: `input` is not of a floating-point dtype.
        RuntimeError: `std` is negative or NaN.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(3).normal_(10, 2)
        tensor([10.5426,  7.4542, 11.0054])
    """
    mean, std = as_float(mean, "normal_", "mean"), as_float(std, "normal_", "std")
    require_deviation(std)
    if input.numel():
        _require_floating(input.dtype, "normal_")
    return fill(input, "normal", generator, mean, std, kind=NormalBackward0)


@op("method", names="copies")
def log_normal_(
    input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None
) -> Tensor:
    """Overwrite every element with the exponential function of a normal number.

    Args:
        input: a floating-point tensor.
        mean, std: mean and standard deviation of the normal number; `std` is above 0.
        generator: where the numbers come from; the default generator.

    Raises:
        NotImplementedError: `input` is not of a floating-point dtype.
        RuntimeError: `std` is not above 0.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(3).log_normal_()
        tensor([4.6765, 0.2131, 7.4290])
    """
    mean, std = as_float(mean, "log_normal_", "mean"), as_float(std, "log_normal_", "std")
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    if input.numel():
        _require_floating(input.dtype, "log_normal_")
    return fill(input, "log_normal", generator, mean, std, kind=LogNormalBackward0)


@op("method", names="copies")
def exponential_(input: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Overwrite every element with a waiting time: exponentially distributed, of mean 1 / lambd.

    Args:
        input: a floating-point tensor.
        lambd: the rate, above 0.
        generator: where the numbers come from; the default generator.

    Raises:
        RuntimeError: the rate is not above 0, or `input` is not of a floating-point dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(3).exponential_()
        tensor([1.5298, 0.8470, 0.1170])
    """
    rate = as_float(lambd, "exponential_", "lambd")
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate}")
    if input.numel():
        _require_continuous(input.dtype, "Exponential")
    return fill(input, "exponential", generator, rate, kind=ExponentialBackward0)


@op("method", names="copies")
def cauchy_(
    input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Overwrite every element with a Cauchy number: the tangent of a uniform angle, which has no mean.

    Args:
        input: a floating-point tensor.
        median: the middle.
        sigma: half the distance between the quartiles, above 0.
        generator: where the numbers come from; the default generator.

    Raises:
        RuntimeError: `sigma` is not above 0, or `input` is not of a floating-point dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(3).cauchy_()
        tensor([ 1.2356,  0.2278, -2.7663])
    """
    median, sigma = as_float(median, "cauchy_", "median"), as_float(sigma, "cauchy_", "sigma")
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    _require_continuous(input.dtype, "Cauchy")
    return fill(input, "cauchy", generator, median, sigma, kind=CauchyBackward0)


@op("method", names="copies")
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Overwrite every element with the number of trials up to the first success of probability p.

    Args:
        input: a tensor of any dtype but bool.
        p: the probability of success, above 0 and below 1.
        generator: where the numbers come from; the default generator.

    Raises:
        NotImplementedError: `input` is of dtype bool.
        RuntimeError: `p` is not between 0 and 1.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(3).geometric_(0.25)
        tensor([1., 2., 8.])
    """
    p = as_float(p, "geometric_", "p")
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    if input.dtype is dtypes.bool and input.numel():
        raise NotImplementedError("geometric_ counts trials, which a bool cannot: use an integer dtype")
    return fill(input, "geometric", generator, p, kind=GeometricBackward0)


@op("method")
def bernoulli_(input: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Overwrite every element with 1 (probability p) or 0.

    Args:
        input: a tensor of any dtype.
        p: one probability, or a floating-point tensor of them that is broadcast to `input`.
        generator: where the numbers come from; the default generator.

    Raises:
        RuntimeError: a probability is not in [0, 1], or `p` cannot be broadcast.
        NotImplementedError: `p` is a tensor of another dtype.

    Example:
        >>> _ = tl.manual_seed(8)
        >>> tl.empty(6, dtype=tl.int64).bernoulli_(0.25)
        tensor([0, 0, 1, 1, 0, 0])
    """
    if isinstance(p, Tensor):
        if not p.dtype.is_floating_point:
            raise NotImplementedError(
                f"bernoulli_ expects probabilities of a floating-point dtype, got {p.dtype.name}"
            )
        with in_place(BernoulliBackward1, input, p):
            if fill_each(input, "bernoulli_each", generator, p):
                raise RuntimeError("bernoulli_ expects every p to be in [0, 1]; the tensor p has others")
        return input
    p = as_float(p, "bernoulli_", "p")
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    return fill(input, "bernoulli", generator, p, kind=BernoulliBackward2)


def _by_name(function: str, keywords: dict[str, float], value: float) -> float:
    """The argument that PyTorch calls ``from``, which Python allows only in a dictionary of keywords."""
    if set(keywords) - {"from"}:
        raise TypeError(f"{function}() got an unexpected keyword argument {sorted(keywords)[0]!r}")
    return keywords.get("from", value)


def _require_floating(element_type: dtype, function: str) -> None:
    if not element_type.is_floating_point:
        raise NotImplementedError(
            f"{function} is not implemented for {element_type.name}: its numbers have fractions; "
            f"use a floating-point dtype, or random_ for integers"
        )


def _require_continuous(element_type: dtype, name: str) -> None:
    if not element_type.is_floating_point:
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. "
            f"dtype must be a floating point but you specified {element_type.name}"
        )
