"""Connectionist temporal classification: the loss of a sequence whose place in time nobody wrote down."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.ops.creation import full_like
from tensorlab.ops.joining import cat, stack
from tensorlab.ops.losses import reduced, reduction_of
from tensorlab.ops.ranges import arange
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# The logarithm of a probability of 0: a number, so that its differences and their gradients are numbers too.
_NEVER = -1e30


@op(namespace="nn.functional")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the logarithm of the probability that a sequence of guesses reads as the target.

    At each time step one class is guessed. Read, a run of one class counts once, and then blanks are left
    out: with ``_`` for the blank, ``aa_ab`` and ``_aab_`` read as ``aab`` and ``ab``. The probabilities of
    all guesses that read as the target are added up, time step by time step. Graves et al., *Connectionist
    Temporal Classification*, 2006.

    The gradient is that of `log_probs` as numbers that do not depend on one another; PyTorch's takes the
    `log_softmax` that they come from to be there. Behind the `log_softmax` both are the same.

    Args:
        log_probs: logarithms of probabilities, of shape (T, N, classes), or (T, classes) for one sequence.
        targets: classes, of shape (N, S), or all sequences one after the other in one dimension.
        input_lengths: how many time steps of each sequence count.
        target_lengths: how many classes each target has.
        blank: the class that stands for none.
        reduction: ``"mean"`` divides each loss by its target's length and takes the mean; ``"sum"``;
            ``"none"`` for the loss of each sequence.
        zero_infinity: a target that is too long for its sequence costs 0, not infinity.

    Raises:
        RuntimeError: lengths, shapes or the blank do not go together.
        TypeError: of the two lengths one is a tensor and the other is not, or `zero_infinity` is no bool.
        ValueError: there is no such reduction.

    Example:
        >>> guesses = tl.full((2, 1, 2), 0.5).log()  # a blank or an 'a', twice
        >>> F.ctc_loss(guesses, tl.tensor([[1]]), [2], [1]).exp()  # _a, a_ and aa of four read as 'a'
        tensor(1.3333)
    """
    if isinstance(input_lengths, Tensor) is not isinstance(target_lengths, Tensor):
        raise TypeError(
            "ctc_loss(): input_lengths and target_lengths must both be tensors or both lists, but they are "
            f"{type(input_lengths).__name__} and {type(target_lengths).__name__}"
        )
    if not isinstance(zero_infinity, bool):
        raise TypeError(f"ctc_loss(): zero_infinity must be a bool, but it is {zero_infinity!r}")
    reduction = reduction_of(reduction)
    if log_probs.ndim == 2:
        one = ctc_loss(
            log_probs.unsqueeze(1), targets.reshape(1, -1), [int(_listed(input_lengths)[0])],
            [int(_listed(target_lengths)[0])], blank, "none", zero_infinity,
        )  # fmt: skip
        lengths = targets.new_tensor(_listed(target_lengths))
        return reduced(one / lengths.clamp(min=1) if reduction == "mean" else one[0], reduction)
    steps = log_probs.shape[0]
    reading, meant = _listed(input_lengths), _listed(target_lengths)
    _check(log_probs, targets, reading, meant, blank)
    labels, lengths = _padded(targets, meant, blank), targets.new_tensor(meant).long()
    # Between all classes of the target, before and behind them, there may be a blank.
    blanks = full_like(labels, blank)
    states = cat([stack([blanks, labels], 2).flatten(1), blanks[:, :1]], 1)
    guesses = log_probs.gather(2, states.unsqueeze(0).expand(steps, -1, -1))
    # A blank may be left out where the classes around it differ.
    differ = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    skips = cat([differ.new_zeros(len(states), 2), differ], 1)[:, : states.shape[1]]
    never = full_like(guesses[0], _NEVER)
    alpha = where(arange(states.shape[1], device=states.device) < 2, guesses[0], never)
    ends = targets.new_tensor(reading)
    for step in range(1, steps):
        stayed = alpha
        moved = cat([never[:, :1], alpha[:, :-1]], 1)
        leapt = where(skips, cat([never[:, :2], alpha[:, :-2]], 1)[:, : alpha.shape[1]], never)
        further = stack([stayed, moved, leapt]).logsumexp(0) + guesses[step]
        alpha = where((ends > step).unsqueeze(1), further, alpha)
    last = alpha.gather(1, (2 * lengths).unsqueeze(1))
    before = alpha.gather(1, (2 * lengths - 1).clamp(min=0).unsqueeze(1))
    before = where((lengths > 0).unsqueeze(1), before, never[:, :1])
    losses = -cat([last, before], 1).logsumexp(1)
    impossible = losses > -_NEVER / 10
    losses = where(impossible, 0.0 if zero_infinity else float("inf"), losses)
    return reduced(losses / lengths.clamp(min=1) if reduction == "mean" else losses, reduction)


def _listed(lengths: Tensor | Sequence[int]) -> list[int]:
    return [int(length) for length in (lengths.reshape(-1) if isinstance(lengths, Tensor) else lengths)]


def _check(log_probs: Tensor, targets: Tensor, reading: list[int], meant: list[int], blank: int) -> None:
    steps, batch, classes = log_probs.shape
    if not log_probs.is_floating_point() or targets.is_floating_point():
        raise RuntimeError(
            f"ctc_loss(): log_probs must be floats and targets integers, but they are {log_probs.dtype.name} "
            f"and {targets.dtype.name}"
        )
    if not 0 <= blank < classes:
        raise RuntimeError(f"blank must be in label range: it is {blank}, and there are {classes} classes")
    for name, lengths in (("input_lengths", reading), ("target_lengths", meant)):
        if len(lengths) != batch:
            raise RuntimeError(f"{name} must be of size batch_size, {batch}, but has {len(lengths)} numbers")
    if any(not 0 <= length <= steps for length in reading):
        raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got {reading}")
    room = targets.shape[1] if targets.ndim == 2 else targets.numel()
    needed = max(meant, default=0) if targets.ndim == 2 else sum(meant)
    if min(meant, default=0) < 0 or needed > room:
        raise RuntimeError(
            f"Expected targets to hold all classes that target_lengths count, {needed}, but its shape is "
            f"{tuple(targets.shape)}"
        )


def _padded(targets: Tensor, lengths: list[int], blank: int) -> Tensor:
    """The targets row by row, of one length, with blanks behind what counts."""
    most = max(lengths, default=0)
    if targets.ndim == 1:
        rows, start = [], 0
        for length in lengths:
            rows.append(cat([targets[start : start + length], targets.new_full((most - length,), blank)]))
            start += length
        targets = stack(rows)
    counts = arange(most, device=targets.device) < targets.new_tensor(lengths).unsqueeze(1)
    return where(counts, targets[:, :most], blank).long()
