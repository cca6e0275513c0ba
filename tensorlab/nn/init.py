"""How weights begin: functions that fill a tensor in place, and record nothing.

A weight that begins too large or too small makes signals grow or vanish from layer to layer. Glorot and
Bengio (2010, 'xavier') and He et al. (2015, 'kaiming') chose the spread so that variances stay as they are.

With one seed, these functions draw the numbers that PyTorch draws.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import tensorlab as tl
from tensorlab.random import Generator
from tensorlab.tensor import Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_GAINS = {
    **dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d", "sigmoid"), 1.0),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), 1.0),
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "selu": 3 / 4,  # found by experiment
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """How much a layer's weights must be larger because of the function behind it.

    Args:
        nonlinearity: the function's name in `tensorlab.nn.functional`.
        param: the slope of ``leaky_relu`` below zero, 0.01 by default.

    Raises:
        ValueError: no gain is known for the function, or the slope is no number.

    Example:
        >>> calculate_gain("tanh")
        1.6666666666666667
        >>> calculate_gain("leaky_relu", 1.0)
        1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        known = ", ".join(sorted([*_GAINS, "leaky_relu"]))
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}; there is a gain for {known}")
    return _GAINS[nonlinearity]


@tl.no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn evenly from [a, b).

    Example:
        >>> import tensorlab as tl
        >>> weight = uniform_(tl.empty(3, 5), -1, 1)
        >>> bool((weight.abs() <= 1).all())
        True
    """
    return tensor.uniform_(a, b, generator=generator)


@tl.no_grad()
def normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers of a normal distribution.

    Example:
        >>> import tensorlab as tl
        >>> _ = tl.manual_seed(0)
        >>> normal_(tl.empty(3), std=0.01)
        tensor([ 0.0154, -0.0029, -0.0218])
    """
    return tensor.normal_(mean, std, generator=generator)


@tl.no_grad()
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers of a normal distribution, drawing again whatever lies outside [a, b].

    Where [a, b] holds less than 0.3 of the distribution, evenly spread candidates are taken with a chance in
    proportion to their density instead.

    Example:
        >>> import tensorlab as tl
        >>> weight = trunc_normal_(tl.empty(100), std=1, a=-1, b=1)
        >>> bool((weight.abs() <= 1).all())
        True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    share = (math.erf((b - mean) / (std * math.sqrt(2))) - math.erf((a - mean) / (std * math.sqrt(2)))) / 2
    if share > 0.3:
        low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
        result = tensor.normal_(mean, std, generator=generator)
        while (outside := (result < low) | (result > high)).any():
            result = tl.where(
                outside,
                tl.empty_like(result).normal_(mean, std, generator=generator),
                result,
            )
    else:
        peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
        result = tensor
        pending = tl.ones_like(tensor, dtype=tl.bool)
        while pending.any():
            candidates = tl.empty_like(tensor).uniform_(a, b, generator=generator)
            result = tl.where(pending, candidates, result)
            chance = tl.empty_like(tensor).uniform_(generator=generator).log_()
            pending &= chance > ((candidates - mean) / std) ** 2 * -0.5 - peak
    return tensor.copy_(result)


@tl.no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number.

    Example:
        >>> import tensorlab as tl
        >>> constant_(tl.empty(2), 0.3)
        tensor([0.3000, 0.3000])
    """
    return tensor.fill_(val)


@tl.no_grad()
def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1.

    Example:
        >>> import tensorlab as tl
        >>> ones_(tl.empty(2))
        tensor([1., 1.])
    """
    return tensor.fill_(1.0)


@tl.no_grad()
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0.

    Example:
        >>> import tensorlab as tl
        >>> zeros_(tl.empty(2))
        tensor([0., 0.])
    """
    return tensor.zero_()


@tl.no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity, so that a linear layer gives what it gets.

    Raises:
        ValueError: the tensor has not two dimensions.

    Example:
        >>> import tensorlab as tl
        >>> eye_(tl.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(tl.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


@tl.no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that as many channels as possible come out as they go in.

    Args:
        tensor: a weight of three, four or five dimensions: output channels, input channels, window.
        groups: of the convolution.

    Raises:
        ValueError: the tensor has other dimensions, or its channels do not divide into the groups.

    Example:
        >>> import tensorlab as tl
        >>> dirac_(tl.empty(2, 2, 3))[0]
        tensor([[0., 1., 0.],
                [0., 0., 0.]])
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = tensor.shape[0] // groups
    middle = tuple(size // 2 for size in tensor.shape[2:])
    tensor.zero_()
    for group in range(groups):
        for channel in range(min(each, tensor.shape[1])):
            tensor[(group * each + channel, channel, *middle)] = 1
    return tensor


def _fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into one number of the layer's output, and how many one input goes into."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


_calculate_fan_in_and_fan_out = _fans


def _fan(tensor: Tensor, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _fans(tensor)[modes.index(mode.lower())]


_calculate_correct_fan = _fan


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn evenly from [-a, a), a = gain · √(6 / (fan in + fan out)).

    Args:
        tensor: a weight of at least two dimensions.
        gain: see `calculate_gain`.
        generator: where the numbers come from.

    Raises:
        ValueError: the tensor has fewer than two dimensions.

    Example:
        >>> import tensorlab as tl
        >>> bool((xavier_uniform_(tl.empty(3, 3)).abs() <= 1).all())
        True
    """
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(_fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normal numbers of the standard deviation gain · √(2 / (fan in + fan out)).

    The arguments and errors are those of `xavier_uniform_`.

    Example:
        >>> import tensorlab as tl
        >>> xavier_normal_(tl.empty(3, 5)).shape
        tensorlab.Size([3, 5])
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(_fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers drawn evenly from [-b, b), b = gain · √(3 / fan).

    Args:
        tensor: a weight of at least two dimensions.
        a: the slope of ``leaky_relu`` below zero.
        mode: ``"fan_in"`` keeps the variance of what goes forward, ``"fan_out"`` that of the gradients.
        nonlinearity: the function behind the layer; see `calculate_gain`.
        generator: where the numbers come from.

    Raises:
        ValueError: the mode or the function is unknown, or the tensor has fewer than two dimensions.

    Example:
        >>> import tensorlab as tl
        >>> bool((kaiming_uniform_(tl.empty(4, 6)).abs() <= 1).all())
        True
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal numbers of the standard deviation gain / √fan.

    The arguments and errors are those of `kaiming_uniform_`.

    Example:
        >>> import tensorlab as tl
        >>> kaiming_normal_(tl.empty(4, 6), nonlinearity="relu").shape
        tensorlab.Size([4, 6])
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(
        tensor,
        0,
        calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)),
        generator,
    )


@tl.no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a matrix whose rows, or columns, are orthogonal (Saxe et al., 2013).

    Args:
        tensor: at least two dimensions; all but the first are one.
        gain: what the orthogonal matrix is multiplied by.
        generator: where the numbers come from.

    Raises:
        ValueError: the tensor has fewer than two dimensions.

    Example:
        >>> import tensorlab as tl
        >>> q = orthogonal_(tl.empty(2, 3))
        >>> tl.allclose(q @ q.T, tl.eye(2), atol=1e-6)
        True
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.shape[0]
    drawn = tensor.new_empty((rows, tensor.numel() // rows)).normal_(0, 1, generator=generator)
    is_wide = drawn.shape[0] < drawn.shape[1]
    q, r = tl.linalg.qr(drawn.T if is_wide else drawn)
    # The signs that the factorisation happened to choose would leave out half of all rotations.
    q = q * r.diagonal().sign()
    tensor.copy_((q.T if is_wide else q).reshape(tensor.shape))
    return tensor.mul_(gain)


@tl.no_grad()
def sparse_(
    tensor: Tensor,
    sparsity: float,
    std: float = 0.01,
    generator: Generator | None = None,
) -> Tensor:
    """Fill a matrix with normal numbers, of which some in each column are 0.

    Args:
        tensor: a matrix.
        sparsity: how large a part of each column is 0.
        std: the standard deviation of the others.
        generator: where the numbers come from.

    Raises:
        ValueError: the tensor has not two dimensions.

    Example:
        >>> import tensorlab as tl
        >>> (sparse_(tl.empty(4, 3), 0.5) == 0).sum(0)
        tensor([2, 2, 2])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[tl.randperm(rows, device=tensor.device)[: math.ceil(sparsity * rows)], column] = 0
    return tensor


_OLD_NAMES: dict[str, Callable[..., Tensor]] = {
    function.__name__[:-1]: function
    for function in (
        uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_, kaiming_uniform_,
        kaiming_normal_, orthogonal_, sparse_,
    )
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _OLD_NAMES:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return _OLD_NAMES[name]
    raise AttributeError(f"tensorlab.nn.init has no {name!r}; it has {', '.join(__all__)}")
