"""Layers that few networks have: bags of embeddings, Gumbel softmax, power pooling."""

from __future__ import annotations

import math

from tensorlab.core import dtypes
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.core.warned import warn_caller
from tensorlab.ops.activations import leaky_relu
from tensorlab.ops.creation import empty_like, ones_like, zeros_like
from tensorlab.ops.embedding import embedding
from tensorlab.ops.extras.pooling_volumes import avg_pool3d
from tensorlab.ops.joining import cat
from tensorlab.ops.pooling import avg_pool1d, avg_pool2d
from tensorlab.ops.ranges import arange
from tensorlab.ops.search import searchsorted
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.tensor import Tensor

MODES = ("sum", "mean", "max")


@op(namespace="nn.functional")
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The rows of `weight` whose numbers stand in a bag, joined to one row a bag.

    Args:
        input: int64 or int32 numbers of rows: a matrix with one bag a row, or a vector of all bags.
        weight: the table, of shape (rows, width).
        offsets: for a vector, where in it each bag begins; the first begins at 0.
        max_norm, norm_type: see `embedding`.
        scale_grad_by_freq: see `embedding`; not for the mode ``"max"``.
        mode: how rows are joined: their ``"sum"``, ``"mean"`` or ``"max"``. An empty bag gives zeros.
        sparse: False. There are no sparse tensors here, and the gradient is dense.
        per_sample_weights: what each row is multiplied by, of `input`'s shape; for the mode ``"sum"``.
        include_last_offset: `offsets` has one element more, which says where the last bag ends.
        padding_idx: the number of a row that does not count.

    Returns:
        a tensor of shape (bags, width).

    Raises:
        ValueError: the shapes do not go together, or there is no such mode.
        NotImplementedError: weights are given for another mode, or a sparse gradient is asked for.
        RuntimeError: a number is no row, `offsets` does not begin with 0 or leaves `input`, or dtypes differ.

    Example:
        >>> table = tl.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
        >>> F.embedding_bag(tl.tensor([0, 2, 1]), table, tl.tensor([0, 2]), mode="sum")
        tensor([[4., 6.],
                [2., 3.]])
    """
    _check(input, weight, offsets, mode, per_sample_weights, include_last_offset)
    if input.ndim == 2:
        bags, length = input.shape
        begins = arange(bags + 1, device=input.device) * length
        input = input.reshape((-1,))
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape((-1,))
    else:
        assert offsets is not None
        begins = offsets.to(dtypes.int64)
        if not include_last_offset:
            begins = cat([begins, begins.new_full((1,), input.shape[0])])
    if padding_idx is not None and padding_idx < 0:
        padding_idx += weight.shape[0]
    try:
        rows = embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    except IndexError as error:  # a RuntimeError in PyTorch
        raise RuntimeError(f"embedding_bag: {error}") from None
    counts = None if padding_idx is None else input != padding_idx
    if mode == "max":
        return _maxima(rows, begins, counts)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    if counts is not None:
        rows = where(counts.unsqueeze(-1), rows, 0.0)
    return _sums(rows, begins, counts, mode == "mean")


def _check(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    mode: str,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
) -> None:
    if mode not in MODES:
        raise ValueError(f"mode has to be one of {', '.join(MODES)}, got {mode!r}")
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if input.ndim == 2 and offsets is not None:
        raise ValueError("if input is 2D, then offsets has to be None: each row of input is a bag")
    if input.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None: it says where each bag begins")
        if offsets.ndim != 1:
            raise ValueError(f"offsets has to be a 1D Tensor, got shape {tuple(offsets.shape)}")
        if include_last_offset and not offsets.numel():
            raise RuntimeError("include_last_offset: number of offsets should be at least 1")
        if offsets.numel() and int(offsets[0]) != 0:
            raise RuntimeError(f"offsets[0] has to be 0, the first bag begins there: it is {int(offsets[0])}")
        if offsets.numel() and int(offsets[-1]) > input.shape[0]:
            raise RuntimeError(
                f"offsets[-1] can not be greater than input's length {input.shape[0]}: it is "
                f"{int(offsets[-1])}"
            )
    if per_sample_weights is None:
        return
    if mode != "sum":
        raise NotImplementedError(
            f"embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
            f"mode='sum' (got mode={mode!r})"
        )
    if per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({tuple(per_sample_weights.shape)}) is not None, then it "
            f"must have the same shape as the input ({tuple(input.shape)})"
        )
    if per_sample_weights._dtype is not weight._dtype:
        raise RuntimeError(
            f"expected weight and per_sample_weights of one dtype, got {weight._dtype.name} and "
            f"{per_sample_weights._dtype.name}"
        )


def _sums(rows: Tensor, begins: Tensor, counts: Tensor | None, is_mean: bool) -> Tensor:
    """The sum, or the mean, of each bag's rows. `counts` says which rows count, None for all."""
    bags = begins.shape[0] - 1
    last = int(begins[-1]) if bags >= 0 else 0
    rows = rows.narrow(0, 0, last)
    bag_of = searchsorted(begins.narrow(0, 1, bags), arange(last, device=rows.device), right=True)
    joined = rows.new_zeros(bags, rows.shape[1]).index_add(0, bag_of, rows)
    if not is_mean:
        return joined
    if counts is None:
        sizes = begins.narrow(0, 1, bags) - begins.narrow(0, 0, bags)
    else:
        ones = counts.narrow(0, 0, last).to(dtypes.int64)
        sizes = ones.new_zeros(bags).index_add(0, bag_of, ones)
    return joined / sizes.clamp_min(1).unsqueeze(-1).to(rows._dtype)


def _maxima(rows: Tensor, begins: Tensor, counts: Tensor | None) -> Tensor:
    """The maxima of each bag's rows: a table as wide as the longest bag, with -inf in the free places."""
    bags = begins.shape[0] - 1
    starts = begins.narrow(0, 0, bags)
    sizes = begins.narrow(0, 1, bags) - starts
    longest = int(sizes.max()) if bags else 0
    if not longest:
        return rows.new_zeros(bags, rows.shape[1])
    steps = arange(longest, device=rows.device)
    filled = steps < sizes.unsqueeze(-1)
    places = where(filled, starts.unsqueeze(-1) + steps, 0)
    if counts is not None:
        filled = filled & counts.take(places)
    table = rows.index_select(0, places.reshape((-1,))).reshape((bags, longest, rows.shape[1]))
    maxima = where(filled.unsqueeze(-1), table, float("-inf")).max(1).values
    return where(filled.any(1).unsqueeze(-1), maxima, 0.0)


@op("function in_place", namespace="nn.functional")
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """``input`` above 0, and a part of it below: in training a random one for each number.

    Args:
        input: a floating-point tensor.
        lower, upper: the least and the largest part.
        training: draw the part evenly from [lower, upper); else it is the mean of both.
        inplace: write the result into `input`.

    Returns:
        a tensor of `input`'s shape.

    Raises:
        RuntimeError: a bound is not finite, or `lower` is larger than `upper`.

    Example:
        >>> F.rrelu(tl.tensor([-4.0, 4.0]), 0.25, 0.75)
        tensor([-2.,  4.])
    """
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError(
            f"rrelu: Lower bound should be less than or equal to the upper bound, got {lower} and {upper}"
        )
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    below = input <= 0
    drawn = input.new_empty(int(below.count_nonzero()), dtype=dtypes.float64).uniform_(lower, upper)
    part = ones_like(input).masked_scatter(below, drawn.to(input.dtype))
    return input.mul_(part) if inplace else input * part


@op(namespace="nn.functional")
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A random choice among categories, as numbers that add up to 1 and have a gradient.

    Noise of a Gumbel distribution is added to the logits. The largest sum stands where a draw from the
    categories would, and softmax makes weights of the sums: E. Jang, S. Gu, B. Poole, *Categorical
    Reparameterization with Gumbel-Softmax*, 2017.

    Args:
        logits: unnormalised logarithms of probabilities.
        tau: the temperature: the lower, the nearer are the weights to 0 and 1.
        hard: give 1 for the category drawn and 0 for the others, with the gradient of the weights.
        eps: not used; PyTorch has it for older programs, and warns.
        dim: the dimension along which the categories lie.

    Returns:
        a tensor of the shape of `logits`. For one seed the numbers are PyTorch's.

    Example:
        >>> F.gumbel_softmax(tl.tensor([0.0, 0.0, 9.0]), hard=True).shape
        tensorlab.Size([3])
    """
    if eps != 1e-10:
        warn_caller("`eps` parameter is deprecated and has no effect.")
    noise = empty_like(logits.detach(), memory_format=contiguous_format).exponential_()
    weights = ((logits + noise.log().neg()) / tau).softmax(dim)
    if not hard:
        return weights
    drawn = weights.detach().argmax(dim, keepdim=True)
    one_hot = zeros_like(logits.detach(), memory_format=contiguous_format).scatter(dim, drawn, 1.0)
    return one_hot - weights.detach() + weights


@op(namespace="nn.functional")
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int,
    stride: int | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The `norm_type`-th root of the sum of the `norm_type`-th powers of each window.

    Args:
        input: of shape (N, C, L), or (C, L) for one signal.
        norm_type: 1 gives sums; the greater it is, the more the greatest element counts.
        kernel_size, stride, ceil_mode: those of `avg_pool1d`.

    Example:
        >>> F.lp_pool1d(tl.tensor([[3.0, 4.0, 6.0, 8.0]]), 2, 2)
        tensor([[ 5., 10.]])
    """
    powers = input**norm_type
    return _root(avg_pool1d(powers, kernel_size, stride, 0, ceil_mode), kernel_size, norm_type)


@op(namespace="nn.functional")
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | tuple[int, int],
    stride: int | tuple[int, int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The `norm_type`-th root of the sum of the `norm_type`-th powers of each window; see `lp_pool1d`.

    Args:
        input: of shape (N, C, H, W), or (C, H, W) for one image.
        norm_type: 1 gives sums; the greater it is, the more the greatest element counts.
        kernel_size, stride, ceil_mode: those of `avg_pool2d`.

    Example:
        >>> F.lp_pool2d(tl.ones(1, 4, 4), 2, 2)
        tensor([[[2., 2.],
                 [2., 2.]]])
    """
    height, width = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
    powers = input**norm_type
    return _root(avg_pool2d(powers, kernel_size, stride, 0, ceil_mode), height * width, norm_type)


@op(namespace="nn.functional")
def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | tuple[int, int, int],
    stride: int | tuple[int, int, int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The `norm_type`-th root of the sum of the `norm_type`-th powers of each window; see `lp_pool1d`.

    Args:
        input: of shape (N, C, D, H, W), or (C, D, H, W) for one volume.
        norm_type: 1 gives sums; the greater it is, the more the greatest element counts.
        kernel_size, stride, ceil_mode: those of `avg_pool3d`.

    Example:
        >>> F.lp_pool3d(tl.ones(1, 2, 2, 4), 1, 2)
        tensor([[[[8., 8.]]]])
    """
    depth, height, width = (kernel_size,) * 3 if isinstance(kernel_size, int) else kernel_size
    means = avg_pool3d(input**norm_type, kernel_size, stride, 0, ceil_mode)
    return _root(means, depth * height * width, norm_type)


def _root(means: Tensor, count: int, norm_type: float) -> Tensor:
    return (means.sign() * means.abs().relu() * count) ** (1.0 / norm_type)
