"""Losses that are content beyond a margin: what is right by enough costs nothing."""

from __future__ import annotations

from collections.abc import Callable

from tensorlab.autograd.views import requires_grad
from tensorlab.core.modes import current
from tensorlab.ops.activations import logsigmoid
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.losses import loss, reduced, reduction_of
from tensorlab.ops.ranges import arange
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(namespace="nn.functional")
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``log(1 + exp(-target * input))``, for targets of 1 and -1.

    Args:
        input, target: tensors whose shapes can be broadcast.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Raises:
        ValueError: there is no such reduction.
        RuntimeError: `target` requires a gradient.

    Example:
        >>> F.soft_margin_loss(tl.tensor([0.0, 3.0]), tl.tensor([1.0, -1.0]), reduction="none")
        tensor([0.6931, 3.0486])
    """
    if current.grad and requires_grad(target):
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This "
            "input cannot have requires_grad True: pass target.detach()"
        )
    return loss("soft_margin", input, target, reduction_of(reduction, size_average, reduce))


@op(namespace="nn.functional")
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The distance itself where the target is 1; what it lacks to the margin where the target is -1.

    Args:
        input: distances.
        target: 1 where things are alike, -1 where they are not.
        margin: the distance that is enough for what is not alike.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Raises:
        ValueError: there is no such reduction.

    Example:
        >>> F.hinge_embedding_loss(tl.tensor([0.25, 0.25]), tl.tensor([1.0, -1.0]), reduction="none")
        tensor([0.2500, 0.7500])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    far = where(target != 1, (margin - input).clamp_min(0), 0)
    return reduced(far + where(target != -1, input, 0), reduction)


@op(namespace="nn.functional")
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, -target * (input1 - input2) + margin)``: which of two numbers is to be the greater.

    Args:
        input1, input2: tensors of as many dimensions as `target`.
        target: 1 where the first is to be greater, -1 where the second is.
        margin: by how much.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Raises:
        ValueError: there is no such reduction.
        RuntimeError: the numbers of dimensions differ.

    Example:
        >>> one, two, target = tl.tensor([3.0, 1.0]), tl.tensor([1.0, 3.0]), tl.tensor([1.0, 1.0])
        >>> F.margin_ranking_loss(one, two, target, reduction="none")
        tensor([0., 2.])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{list(input1._shape)}, input2: {list(input2._shape)}, target: {list(target._shape)}"
        )
    return reduced((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


@op(namespace="nn.functional")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 less the cosine where the target is 1; how far the cosine is above the margin where it is -1.

    Args:
        input1, input2: vectors, or rows of them, of one shape.
        target: 1 where they are alike, -1 where they are not: one number for each pair.
        margin: the cosine that is low enough for what is not alike.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each pair.

    Raises:
        ValueError: there is no such reduction.
        RuntimeError: the numbers of dimensions do not fit.

    Example:
        >>> F.cosine_embedding_loss(tl.tensor([[1.0, 0.0]]), tl.tensor([[0.0, 1.0]]), tl.ones(1))
        tensor(1.)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.ndim > 1 or not input1.ndim == input2.ndim == target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors of one shape, but found "
            f"inputs with sizes {list(input1._shape)}, {list(input2._shape)}"
        )
    dim = target.ndim
    sizes = ((input1 * input1).sum(dim) + 1e-12) * ((input2 * input2).sum(dim) + 1e-12)
    cosine = (input1 * input2).sum(dim) / sizes.sqrt()
    alike, apart = 1 - cosine, (cosine - margin).clamp_min(0)
    return reduced(where(target == 1, alike, 0) + where(target == -1, apart, 0), reduction)


@op(aliases="nn.functional.pairwise_distance")
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of the differences of vectors, which lie along the last dimension.

    Args:
        x1, x2: tensors whose shapes can be broadcast.
        p: the norm's exponent.
        eps: what is added to each difference, so that the gradient of a distance of 0 is finite.
        keepdim: whether the last dimension stays, with size 1.

    Example:
        >>> F.pairwise_distance(tl.tensor([[3.0, 4.0]]), tl.zeros(1, 2))
        tensor([5.0000])
    """
    need_tensors("pairwise_distance", x1=x1, x2=x2)
    return (x1 - x2 + eps).norm(p, -1, keepdim)


@op(namespace="nn.functional")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, distance to positive - distance to negative + margin)``.

    Args:
        anchor, positive, negative: vectors along the last dimension; the shapes can be broadcast.
        margin: how much further off the negative is to be, above 0.
        p, eps: those of `pairwise_distance`.
        swap: take the distance from positive to negative where that is less.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each triple.

    Raises:
        ValueError: the margin is not above 0, or there is no such reduction.
        RuntimeError: the numbers of dimensions differ.

    Example:
        >>> F.triplet_margin_loss(tl.zeros(1, 2), tl.tensor([[3.0, 4.0]]), tl.tensor([[0.0, 2.0]])).round()
        tensor(4.)
    """
    return triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=lambda x1, x2: pairwise_distance(x1, x2, p, eps),
        margin=margin,
        swap=swap,
        reduction=reduction_of(reduction, size_average, reduce),
    )


@op(namespace="nn.functional")
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What the other classes have more than the right one less a margin, a mean over the classes.

    Args:
        input: scores, of shape (batch, classes) or (classes,).
        target: the right classes, int64, of shape (batch,) or ().
        p: 1, or 2 for squares.
        margin: by how much the right score must be greater.
        weight: what each class counts, when it is the right one.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each row.

    Raises:
        ValueError: `p` is another number, or the shapes do not go together.

    Example:
        >>> F.multi_margin_loss(tl.tensor([[0.1, 0.8, 0.4]]), tl.tensor([1]))
        tensor(0.3000)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError(f"only p == 1 and p == 2 supported, got {p}")
    if weight is not None and weight.ndim != 1:
        raise ValueError(f"weight must be one-dimensional, got shape {tuple(weight.shape)}")
    rows, right = (input.reshape(1, -1), target.reshape(1)) if input.ndim < 2 else (input, target)
    own = rows.gather(1, right.unsqueeze(1))
    beyond = (rows - own + margin).clamp_min(0)
    costs = beyond if p == 1 else beyond * beyond
    if weight is not None:
        costs = costs * weight[right].unsqueeze(1)
    others = arange(rows.shape[1], device=rows.device) != right.unsqueeze(1)
    losses = where(others, costs, 0.0).sum(1) / rows.shape[1]
    return reduced(losses if input.ndim == 2 else losses.reshape(target.shape), reduction)


@op(namespace="nn.functional")
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What each absent class lacks to a distance of 1 from each that is there, over the number of classes.

    Args:
        input: scores, of shape (batch, classes) or (classes,).
        target: the numbers of the classes that are there, int64, of the same shape; the first -1 ends them.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each row.

    Raises:
        RuntimeError: the shapes differ.
        ValueError: there is no such reduction.

    Example:
        >>> F.multilabel_margin_loss(tl.tensor([[0.1, 0.2, 0.4, 0.8]]), tl.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if input.ndim > 2 or input.shape != target.shape:
        raise RuntimeError(
            f"multilabel_margin_loss: expected scores of at most two dimensions, and a target of the same "
            f"shape, but got {tuple(input.shape)} and {tuple(target.shape)}"
        )
    classes = input.shape[-1] if input.ndim else 1
    rows, named = input.reshape(-1, classes), target.reshape(-1, classes)
    counts = (named < 0).cumsum(1) == 0
    numbers = where(counts, named, 0)
    there = (counts.unsqueeze(2) & (numbers.unsqueeze(2) == arange(classes, device=rows.device))).any(1)
    lacking = (1 - rows.gather(1, numbers).unsqueeze(2) + rows.unsqueeze(1)).clamp_min(0)
    pairs = counts.unsqueeze(2) & ~there.unsqueeze(1)
    losses = where(pairs, lacking, 0.0).sum((1, 2)) / classes
    return reduced(losses if input.ndim == 2 else losses[0], reduction)


@op(namespace="nn.functional")
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross-entropy of classes that do not exclude each other, a mean over the classes.

    Args:
        input: scores, of shape (..., classes).
        target: 1 for the classes that are there and 0 for the others, of the same shape.
        weight: what each class counts.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each row.

    Example:
        >>> F.multilabel_soft_margin_loss(tl.tensor([[0.0, 2.0]]), tl.tensor([[1.0, 1.0]]))
        tensor(0.4100)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return reduced(losses.mean(-1), reduction)


@op(namespace="nn.functional")
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own.

    Args:
        anchor, positive, negative: tensors of one shape.
        distance_function: gives the distances of two such tensors; `pairwise_distance` without it.
        margin: by how much further the negative has to be.
        swap: take the positive's distance from the negative where that is less than the anchor's.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each triplet.

    Raises:
        ValueError: there is no such reduction, or the margin is not positive.
        RuntimeError: the tensors have different numbers of dimensions.

    Example:
        >>> far = lambda a, b: (a - b).abs().sum(-1)
        >>> a, p, n = tl.zeros(1, 2), tl.ones(1, 2), tl.tensor([[1.0, 1.5]])
        >>> F.triplet_margin_with_distance_loss(a, p, n, distance_function=far)
        tensor(0.5000)
    """
    reduction = reduction_of(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            f"The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    near, away = distance(anchor, positive), distance(anchor, negative)
    if swap:
        away = away.minimum(distance(positive, negative))
    return reduced((margin + near - away).clamp_min(0), reduction)
