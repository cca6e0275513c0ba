"""Averages of weights: a second model that follows the one which is trained, and is often the better one.

Izmailov et al., *Averaging Weights Leads to Wider Optima and Better Generalization*, 2018.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from tensorlab.autograd import no_grad
from tensorlab.nn.modules.batchnorm import _BatchNorm
from tensorlab.nn.modules.module import Module
from tensorlab.ops.from_data import tensor as make
from tensorlab.optim.lr_scheduler import LRScheduler, _each
from tensorlab.optim.optimizer import Optimizer
from tensorlab.tensor import Tensor

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

# The next average, of the average so far, what is trained, and how many models went into the average.
Average = Callable[[Tensor, Tensor, Any], Tensor]
Averages = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """An exponential moving average: of the average so far, `decay` stays.

    Args:
        decay: from 0 to 1.

    Returns:
        a function for `AveragedModel`'s `avg_fn`.

    Raises:
        ValueError: the decay lies outside.

    Example:
        >>> import tensorlab as tl
        >>> get_ema_avg_fn(0.9)(tl.tensor(1.0), tl.tensor(2.0), 7)
        tensor(1.1000)
    """
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    def average(averaged: Tensor, current: Tensor, count: Any) -> Tensor:
        return decay * averaged + (1 - decay) * current

    return average


def get_swa_avg_fn() -> Average:
    """The mean of all models so far, each counting the same.

    Returns:
        a function for `AveragedModel`'s `avg_fn`.

    Example:
        >>> import tensorlab as tl
        >>> get_swa_avg_fn()(tl.tensor(1.0), tl.tensor(2.0), 3)
        tensor(1.2500)
    """

    def average(averaged: Tensor, current: Tensor, count: Any) -> Tensor:
        return averaged + (current - averaged) / (count + 1)

    return average


def get_ema_multi_avg_fn(decay: float = 0.999) -> Averages:
    """`get_ema_avg_fn` for lists of tensors, in place.

    Example:
        >>> import tensorlab as tl
        >>> averaged = [tl.tensor(1.0)]
        >>> get_ema_multi_avg_fn(0.9)(averaged, [tl.tensor(2.0)], 7)
        >>> averaged
        [tensor(1.1000)]
    """
    return _of_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Averages:
    """`get_swa_avg_fn` for lists of tensors, in place.

    Example:
        >>> import tensorlab as tl
        >>> averaged = [tl.tensor(1.0)]
        >>> get_swa_multi_avg_fn()(averaged, [tl.tensor(2.0)], 3)
        >>> averaged
        [tensor(1.2500)]
    """
    return _of_lists(get_swa_avg_fn())


def _of_lists(average: Average) -> Averages:
    def averages(averaged: Sequence[Tensor], current: Sequence[Tensor], count: Any) -> None:
        for mean, tensor in zip(averaged, current, strict=True):
            mean.copy_(average(mean, tensor, count))

    return averages


class AveragedModel(Module):
    """A copy of a model whose weights are an average over the training of the model.

    Call `update_parameters` after a step or an epoch. The first call copies the weights. Buffers, such as
    the running means of batch normalisation, are copied at each call; `update_bn` computes them anew.

    Args:
        model: the model that is trained.
        device: where the copy is to be; there is the processor.
        avg_fn: how one tensor is averaged, such as ``get_ema_avg_fn(0.99)``; without it, the mean.
        multi_avg_fn: the same for lists of tensors, in place; one of the two may be given.
        use_buffers: average the buffers as well.

    Raises:
        AssertionError: both functions are given.

    Example:
        >>> import tensorlab as tl
        >>> model = tl.nn.Linear(1, 1, bias=False)
        >>> averaged = tl.optim.swa_utils.AveragedModel(model)
        >>> for weight in (1.0, 2.0, 6.0):
        ...     weight = tl.nn.init.constant_(model.weight, weight)
        ...     averaged.update_parameters(model)
        >>> averaged.module.weight
        Parameter containing:
        tensor([[3.]], requires_grad=True)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Averages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", make(0))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the copy makes of the arguments."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's weights into the average."""
        averaged, current, buffers, newer = (
            [tensor.detach() for tensor in tensors]
            for tensors in (
                self.module.parameters(),
                model.parameters(),
                self.module.buffers(),
                model.buffers(),
            )
        )
        if self.use_buffers:
            averaged, current = averaged + buffers, current + newer
        if self.n_averaged == 0:
            _copy(averaged, current)
        elif averaged:
            averages = self.multi_avg_fn or _of_lists(self.avg_fn or get_swa_avg_fn())
            averages(averaged, current, self.n_averaged)
        if not self.use_buffers:
            _copy(buffers, newer)
        self.n_averaged += 1


def _copy(targets: Sequence[Tensor], sources: Sequence[Tensor]) -> None:
    for target, source in zip(targets, sources, strict=True):
        target.copy_(source)


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of batch normalisation anew, in one pass over the data.

    Args:
        loader: batches: tensors, or sequences whose first item the model takes.
        model: the model; its mode, training or not, stays what it is.
        device: where the batches go first.

    Example:
        >>> import tensorlab as tl
        >>> model = tl.nn.BatchNorm1d(1)
        >>> tl.optim.swa_utils.update_bn([tl.tensor([[1.0], [3.0]]), tl.tensor([[3.0], [5.0]])], model)
        >>> model.running_mean
        tensor([3.])
    """
    layers = [layer for layer in model.modules() if isinstance(layer, _BatchNorm)]
    if not layers:
        return
    momenta, was_training = [layer.momentum for layer in layers], model.training
    model.train()
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    with no_grad():
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """A way from the rate of now to a fixed one, which is kept while weights are averaged.

    Args:
        optimizer: see `LRScheduler`.
        swa_lr: the rate at the end, one for all parameter groups or one each.
        anneal_epochs: after how many epochs it is reached.
        anneal_strategy: ``"cos"`` along half a cosine, ``"linear"`` in a straight line.

    Raises:
        ValueError: there is no such strategy, or the number of epochs is negative.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.swa_utils.SWALR(optimizer, 0.5, anneal_epochs=2, anneal_strategy="linear")
        >>> optimizer.step(), schedule.step(), schedule.get_last_lr()
        (None, None, [0.75])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(_each("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs, self.anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch, from those of the one before."""
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        gone, going = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            end = group["swa_lr"]
            start = end if gone == 1 else (group["lr"] - gone * end) / (1 - gone)
            rates.append(going * end + (1 - going) * start)
        return rates

    def _part(self, step: int) -> float:
        """How much of the way is gone."""
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return part if self.anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2
