"""Losses: how far a network's output is from its target, as one number."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tensorlab.nn import functional as F
from tensorlab.nn.modules.distance import PairwiseDistance
from tensorlab.nn.modules.module import Module
from tensorlab.tensor import Tensor

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class _Loss(Module):
    """What all losses have in common.

    Attributes:
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for one loss an element.
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"):
        super().__init__()
        if size_average is not None or reduce is not None:
            summed = "mean" if size_average is not False else "sum"
            reduction = summed if reduce is not False else "none"
            warnings.warn(
                "size_average and reduce args will be deprecated, "
                f"please use reduction='{reduction}' instead.",
                stacklevel=3,
            )
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with weights: a buffer, so that it goes where the module goes."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """``|x - y|``, averaged.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.L1Loss()(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 4.0]))
        tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """(x - y)², averaged.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.MSELoss()(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 4.0]))
        tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """(x - y)²/2β where ``|x - y|`` is below β, ``|x - y| - β/2`` else; averaged.

    Args:
        beta: β.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.SmoothL1Loss()(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 4.0]))
        tensor(0.7500)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-y·x)) for targets y of 1 and -1, averaged.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.SoftMarginLoss()(tl.zeros(2), tl.ones(2))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """x where the target is 1, max(0, margin - x) where it is -1; averaged.

    Args:
        margin: how far apart unequal pairs are to be.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.HingeEmbeddingLoss()(tl.tensor([0.5, 0.5]), tl.tensor([1.0, -1.0]))
        tensor(0.5000)
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class KLDivLoss(_Loss):
    """y·(log y - x): how far the distribution y is from the one whose logarithm is x.

    Args:
        log_target: the target is a logarithm too.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number. The reduction ``"batchmean"`` divides the sum by N.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.KLDivLoss(reduction="batchmean")(tl.tensor([[0.5, 0.5]]).log(), tl.tensor([[1.0, 0.0]]))
        tensor(0.6931)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """exp(x) - y·x: the loss of counts y whose mean has the logarithm x; averaged.

    Args:
        log_input: x is a logarithm; else the loss is x - y·log(x + eps).
        full: add Stirling's approximation of log y!.
        eps: keeps the logarithm from 0.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.PoissonNLLLoss()(tl.zeros(2), tl.ones(2))
        tensor(1.)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class CosineEmbeddingLoss(_Loss):
    """1 - cos(a, b) where the target is 1, max(0, cos(a, b) - margin) where it is -1; averaged.

    Args:
        margin: which angle counts as far apart.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        (N, D), (N, D) and (N) become one number, or (N) without reduction.

    Example:
        >>> import tensorlab as tl
        >>> a = tl.tensor([[1.0, 0.0]])
        >>> tl.nn.CosineEmbeddingLoss()(a, tl.tensor([[0.0, 1.0]]), tl.ones(1))
        tensor(1.)
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, -y·(a - b) + margin): a is to be above b where y is 1, below where it is -1; averaged.

    Args:
        margin: how far above.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        three tensors of one shape become one number.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.MarginRankingLoss()(tl.tensor([1.0]), tl.tensor([3.0]), tl.ones(1))
        tensor(2.)
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """max(0, d(a, p) - d(a, n) + margin): p is to be nearer to a than n is (Balntas et al., 2016).

    Args:
        margin: how much nearer.
        p: which norm is the distance d.
        eps: is added to each difference.
        swap: take d(p, n) where it is less than d(a, n).
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        (N, D) three times becomes one number, or (N) without reduction.

    Example:
        >>> import tensorlab as tl
        >>> a, n = tl.zeros(1, 2), tl.tensor([[3.0, 4.0]])
        >>> tl.nn.TripletMarginLoss()(a, n, a).round()
        tensor(6.)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class NLLLoss(_WeightedLoss):
    """-x[y]: the log-probability that x gives to the class y, averaged over the examples.

    Args:
        weight: what the loss of each class is multiplied by.
        ignore_index: a class that does not count.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        (N, C) and (N) become one number, or (N) without reduction; (N, C, …) and (N, …) too.

    Example:
        >>> import tensorlab as tl
        >>> scores = tl.tensor([[0.0, 0.0]]).log_softmax(1)
        >>> tl.nn.NLLLoss()(scores, tl.tensor([1]))
        tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class CrossEntropyLoss(_WeightedLoss):
    """-log of the probability that the softmax of x gives to the class y, averaged over the examples.

    Args:
        weight: what the loss of each class is multiplied by.
        ignore_index: a class that does not count.
        label_smoothing: how much of each target is spread over all classes.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        (N, C) and (N) become one number, or (N) without reduction; (N, C, …) and (N, …) too. Targets of
        the input's shape are probabilities.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.CrossEntropyLoss()(tl.zeros(3, 10), tl.tensor([1, 0, 4]))
        tensor(2.3026)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(_WeightedLoss):
    """-(y·log x + (1 - y)·log(1 - x)) for probabilities x, averaged.

    Args:
        weight: what each loss is multiplied by.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.BCELoss()(tl.tensor([0.5]), tl.tensor([1.0]))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over the classes of `BCEWithLogitsLoss`, averaged.

    Args:
        weight: what the loss of each class is multiplied by.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        (N, C) twice becomes one number, or (N) without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.MultiLabelSoftMarginLoss()(tl.zeros(1, 3), tl.ones(1, 3))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Σ max(0, 1 - x[y] + x[i]) / C over the classes y that are there and i that are not, averaged.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        (N, C) twice becomes one number, or (N) without reduction; in a row of the target stand the numbers
        of the classes that are there, and the first -1 ends them.

    Example:
        >>> import tensorlab as tl
        >>> scores, there = tl.tensor([[0.1, 0.2, 0.4, 0.8]]), tl.tensor([[3, 0, -1, 1]])
        >>> tl.nn.MultiLabelMarginLoss()(scores, there)
        tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Σ max(0, margin - x[y] + x[i])ᵖ / C over the other classes i, averaged.

    Args:
        p: the power.
        margin: how far above the others x[y] is to be.
        weight: what the loss of each class is multiplied by.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.

    Shape:
        (N, C) and (N) become one number, or (N) without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.MultiMarginLoss()(tl.zeros(1, 4), tl.tensor([2]))
        tensor(0.7500)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """The old name of `NLLLoss` for images.

    Example:
        >>> import tensorlab as tl
        >>> scores = tl.zeros(1, 2, 1, 1).log_softmax(1)
        >>> tl.nn.NLLLoss2d()(scores, tl.zeros(1, 1, 1, dtype=tl.int64))
        tensor(0.6931)
    """


class BCEWithLogitsLoss(_Loss):
    """`BCELoss` of the sigmoid of x, computed so that no large x overflows.

    Args:
        weight: what each loss is multiplied by.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce`` are its old names.
        pos_weight: what the losses of targets 1 are multiplied by, one number a class.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.BCEWithLogitsLoss()(tl.zeros(2), tl.ones(2))
        tensor(0.6931)
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HuberLoss(_Loss):
    """(x - y)²/2 where ``|x - y|`` is below δ, ``δ·(|x - y| - δ/2)`` else; averaged.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        delta: δ.

    Shape:
        two tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.HuberLoss()(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 4.0]))
        tensor(0.7500)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class GaussianNLLLoss(_Loss):
    """(log var + (x - y)² / var) / 2: the loss of numbers y of a normal distribution around x; averaged.

    Args:
        full: add the constant log(2π)/2.
        eps: the least variance.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Shape:
        three tensors of one shape become one number, or that shape without reduction.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.GaussianNLLLoss()(tl.zeros(2), tl.ones(2), tl.ones(2))
        tensor(0.5000)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with a distance of one's own.

    Args:
        distance_function: a function of two tensors of shape (N, D); by default `PairwiseDistance`.
        margin: how much nearer p is to be.
        swap: take d(p, n) where it is less than d(a, n).
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Shape:
        (N, D) three times becomes one number, or (N) without reduction.

    Example:
        >>> import tensorlab as tl
        >>> loss = tl.nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1))
        >>> loss(tl.zeros(1, 2), tl.ones(1, 2), tl.zeros(1, 2))
        tensor(3.)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin,
            swap=self.swap, reduction=self.reduction,
        )  # fmt: skip


class CTCLoss(_Loss):
    """Minus the logarithm of the probability that guesses of a class a time step read as the target.

    Args:
        blank: the class that stands for none.
        reduction: ``"mean"``, which first divides each loss by its target's length, ``"sum"`` or ``"none"``.
        zero_infinity: a target that is too long for its sequence costs 0, not infinity.

    Shape:
        (T, N, C) and (N, S), with N lengths of each, become one number, or (N) without reduction; see
        `nn.functional.ctc_loss`.

    Example:
        >>> import tensorlab as tl
        >>> guesses = tl.full((2, 1, 2), 0.5).log()  # a blank or an 'a', twice
        >>> tl.nn.CTCLoss()(guesses, tl.tensor([[1]]), [2], [1]).exp()  # _a, a_ and aa of four read as 'a'
        tensor(1.3333)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
