"""Adaptive softmax: many classes, of which few are frequent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorlab.nn import functional as F
from tensorlab.nn.modules.container import ModuleList, Sequential
from tensorlab.nn.modules.linear import Linear
from tensorlab.nn.modules.module import Module
from tensorlab.ops.joining import cat
from tensorlab.ops.ranges import arange
from tensorlab.ops.search import bucketize
from tensorlab.ops.where import where
from tensorlab.tensor import Tensor

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The logarithm of each target's probability, and minus their mean."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """A softmax over many classes that is cheap for the frequent ones, which have the lowest numbers.

    The head scores the frequent classes, and each cluster of rarer ones as a whole. The classes in a cluster
    are scored only for the rows whose target lies there, and from a projection that is the narrower the
    rarer they are. Grave et al., *Efficient softmax approximation for GPUs*, 2017.

    Args:
        in_features: the size of the input's last dimension.
        n_classes: how many classes there are.
        cutoffs: where each cluster begins, in increasing order.
        div_value: each cluster's projection is narrower than the one before by this factor.
        head_bias: the head has a bias.
        device, dtype: of the weights.

    Shape:
        (N, in_features) and (N) become (N) logarithms of the targets' probabilities, and one number, the
        loss; N may be left out.

    Raises:
        ValueError: the cutoffs are no increasing numbers between 1 and ``n_classes - 1``.

    Example:
        >>> import tensorlab as tl
        >>> m = tl.nn.AdaptiveLogSoftmaxWithLoss(16, 100, [10, 50])
        >>> output, loss = m(tl.randn(4, 16), tl.tensor([3, 99, 12, 0]))
        >>> output.shape, m.log_prob(tl.randn(4, 16)).exp().sum(1).detach().round()
        (tensorlab.Size([4]), tensor([1., 1., 1., 1.]))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        increasing = cutoffs == sorted(set(cutoffs)) and all(int(cutoff) == cutoff for cutoff in cutoffs)
        if not increasing or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = cutoffs[0]
        self.n_clusters = len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        of: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **of)
        self.tail = ModuleList()
        for k, start in enumerate(cutoffs):
            width = int(in_features // div_value ** (k + 1))
            narrowed = Linear(in_features, width, bias=False, **of)
            scores = Linear(width, self.cutoffs[k + 1] - start, bias=False, **of)
            self.tail.append(Sequential(narrowed, scores))

    def reset_parameters(self) -> None:
        """Draw the weights anew."""
        self.head.reset_parameters()
        for layer in (layer for cluster in self.tail for layer in cluster):
            layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        if target_.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if input_.dim() != target_.dim() + 1:
            raise RuntimeError(
                f"{target_.dim()}D target tensor expects {target_.dim() + 1}D input tensors, but found "
                f"inputs with size {input_.size()}"
            )
        if input_.shape[:-1] != target_.shape:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        input, target = input_.reshape(-1, self.in_features), target_.reshape(-1)
        least, greatest = target.min().item(), target.max().item()
        if least < 0 or greatest >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{least}, {greatest}] were found. "
            )
        clusters = bucketize(target, target.new_tensor(self.cutoffs), right=True)  # 0 for the frequent ones
        scored = where(clusters == 0, target, self.shortlist_size + clusters - 1)
        output = F.log_softmax(self.head(input), dim=1).gather(1, scored.unsqueeze(1)).squeeze(1)
        for k, (start, scores) in enumerate(zip(self.cutoffs[:-1], self.tail, strict=True)):
            rows = arange(len(target), device=target.device)[clusters == k + 1]
            if len(rows):
                within = (target[rows] - start).unsqueeze(1)
                chosen = F.log_softmax(scores(input[rows]), dim=1).gather(1, within)
                output = output.index_add(0, rows, chosen.squeeze(1))
        return _ASMoutput(output.reshape(target_.shape), (-output).mean())

    def log_prob(self, input: Tensor) -> Tensor:
        """The logarithms of all classes' probabilities, of shape (N, n_classes)."""
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for k, scores in enumerate(self.tail):
            whole = head[:, self.shortlist_size + k].unsqueeze(1)
            parts.append(F.log_softmax(scores(input), dim=1) + whole)
        return cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each row, of shape (N)."""
        return self.log_prob(input).argmax(dim=1)
