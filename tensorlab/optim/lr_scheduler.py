"""Schedules of the learning rate: call ``scheduler.step()`` after the optimizer's steps of an epoch.

Most of them say by what factor the rate changes from one step to the next, so that several can drive one
optimizer at the same time: their factors multiply.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorlab.optim.optimizer import Optimizer
from tensorlab.tensor import Tensor

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


class LRScheduler:
    """The base of all schedules. One of your own overrides `get_lr`.

    Args:
        optimizer: whose rates to set. Each group's rate at the start is kept in it as ``"initial_lr"``.
        last_epoch: how many steps were done before, when training goes on; -1 at its start.

    Attributes:
        base_lrs: the rate of each group at the start.
        last_epoch: the number of steps so far.

    Raises:
        TypeError: `optimizer` is none.
        KeyError: training goes on, and the groups do not say where their rates began.

    Example:
        >>> import tensorlab as tl
        >>> class Harmonic(tl.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [lr / (1 + self.last_epoch) for lr in self.base_lrs]
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = Harmonic(optimizer)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for k, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _own(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{k}] when resuming scheduler with "
                    f"last_epoch >= 0: load the optimizer's state first, or leave last_epoch out"
                )
        self.base_lrs = [_own(group["initial_lr"]) for group in optimizer.param_groups]
        self._begin()

    def _begin(self) -> None:
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """The rate of each group for the epoch `last_epoch`."""
        return [group["lr"] * self.factor(self.last_epoch) for group in self.optimizer.param_groups]

    def factor(self, epoch: int) -> float:
        """By what the rate of the epoch before is multiplied."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr() of its own: a schedule needs one")

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, or to a certain one, and set the rates."""
        counts = type(self.optimizer).step is Optimizer.step
        if self._step_count == 1 and counts and not self.optimizer._opt_called:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first rate of the "
                "schedule is never used. Call `optimizer.step()` first.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            self._set(self.get_lr())
        else:
            self._go_to(epoch)

    def _go_to(self, epoch: int) -> None:
        """Set the rates of any epoch, whatever they are now."""
        self.last_epoch = epoch
        if type(self).get_lr is not LRScheduler.get_lr:
            self._set(self.get_lr())
            return
        factor = math.prod(self.factor(k) for k in range(epoch + 1))
        self._set([lr * factor for lr in self.base_lrs])

    def _set(self, rates: Sequence[float]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            _set_rate(group, rate)
        self._last_lr = _rates(self.optimizer)

    def get_last_lr(self) -> list[float]:
        """The rates that were set last, one a group."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """All that `load_state_dict` needs; functions are left out."""
        return {
            name: value for name, value in vars(self).items() if name != "optimizer" and not callable(value)
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another schedule of the same kind stopped."""
        vars(self).update(state_dict)


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch.

    Args:
        lr_lambda: the function, or a list of them, one a group.

    Raises:
        ValueError: there are not as many functions as groups.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=0.5)
        >>> tl.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**(epoch + 1)).get_last_lr()
        [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The initial rates times the functions of the epoch."""
        return [lr * each(self.last_epoch) for lr, each in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All but the functions."""
        return {name: value for name, value in super().state_dict().items() if name != "lr_lambdas"}


class MultiplicativeLR(LambdaLR):
    """The rate of the epoch before times a function of the epoch.

    Args:
        lr_lambda: the function, or a list of them, one a group.

    Raises:
        ValueError: there are not as many functions as groups.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> optimizer.step(), schedule.step(), schedule.get_last_lr()
        (None, None, [0.5])
    """

    def get_lr(self) -> list[float]:
        """The rates times the functions of the epoch, from the second epoch on."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self._is_initial:
            return rates
        return [lr * each(self.last_epoch) for lr, each in zip(rates, self.lr_lambdas, strict=True)]


class StepLR(LRScheduler):
    """A fall by a factor after every so many epochs.

    Args:
        step_size: how many epochs.
        gamma: the factor.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        >>> schedule.get_last_lr()
        [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """`gamma` at every `step_size`-th epoch."""
        return self.gamma if epoch and epoch % self.step_size == 0 else 1


class MultiStepLR(LRScheduler):
    """A fall by a factor at certain epochs.

    Args:
        milestones: the epochs; one that stands there twice counts twice.
        gamma: the factor.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.5)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        >>> schedule.get_last_lr()
        [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """`gamma` at a milestone."""
        return self.gamma ** self.milestones[epoch]


class ConstantLR(LRScheduler):
    """A factor for the first epochs, and the initial rate after them.

    Args:
        factor: the factor, from 0 to 1.
        total_iters: how many epochs.

    Raises:
        ValueError: the factor is not from 0 to 1.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> tl.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5).get_last_lr()
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"Constant multiplicative factor expected to be between 0 and 1, got {factor}")
        self.start_factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """The factor at the start, its reciprocal at the end."""
        if epoch == 0:
            return self.start_factor
        return 1 / self.start_factor if epoch == self.total_iters else 1


class LinearLR(LRScheduler):
    """A factor that grows or falls in equal steps over the first epochs: a warm-up.

    Args:
        start_factor: the factor of the first epoch, above 0 and at most 1.
        end_factor: the factor at the end, from 0 to 1.
        total_iters: after how many epochs it is reached.

    Raises:
        ValueError: a factor is outside.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=4)
        >>> optimizer.step(), schedule.step(), schedule.get_last_lr()
        (None, None, [0.625])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError(
                f"Starting multiplicative factor expected to be greater than 0 and less or equal to 1, got "
                f"{start_factor}"
            )
        if not 0 <= end_factor <= 1:
            raise ValueError(f"Ending multiplicative factor expected to be between 0 and 1, got {end_factor}")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """The epoch's factor over that of the one before."""
        if epoch == 0:
            return self.start_factor
        if epoch > self.total_iters:
            return 1
        rise = self.end_factor - self.start_factor
        return 1 + rise / (self.total_iters * self.start_factor + (epoch - 1) * rise)


class ExponentialLR(LRScheduler):
    """A fall by a factor after every epoch.

    Args:
        gamma: the factor.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> optimizer.step(), schedule.step(), schedule.get_last_lr()
        (None, None, [0.5])
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """`gamma`, but for the first epoch."""
        return self.gamma if epoch else 1


class PolynomialLR(LRScheduler):
    """A fall to zero along ``(1 - epoch / total_iters) ** power``.

    Args:
        total_iters: the epoch at which zero is reached.
        power: 1 for a straight line.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2)
        >>> optimizer.step(), schedule.step(), schedule.get_last_lr()
        (None, None, [0.5625])
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """The epoch's factor over that of the one before."""
        if epoch == 0 or epoch > self.total_iters:
            return 1
        left = 1 - epoch / self.total_iters
        return (left / (1 - (epoch - 1) / self.total_iters)) ** self.power


class CosineAnnealingLR(LRScheduler):
    r"""A fall along half a cosine: ``eta_min + (lr - eta_min) * (1 + cos(pi * epoch / T_max)) / 2``.

    Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts*, 2017, without the restarts.

    Args:
        T_max: after how many epochs the lowest rate is reached; then it rises again.
        eta_min: the lowest rate.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> optimizer.step(), schedule.step(), round(schedule.get_last_lr()[0], 6)
        (None, None, 0.5)
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The part above `eta_min`, times this epoch's cosine over that of the one before."""
        groups, epoch, lowest = self.optimizer.param_groups, self.last_epoch, self.eta_min
        if self._is_initial and epoch > 0:
            height = self._height(epoch)
            return [lowest + (lr - lowest) * height for lr in self.base_lrs]
        if self._is_initial:
            return [group["lr"] for group in groups]
        before = self._height(epoch - 1)
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the cosine before is zero
            rise = self._height(self.T_max - 1)
            return [
                group["lr"] + (lr - lowest) * rise for group, lr in zip(groups, self.base_lrs, strict=True)
            ]
        ratio = self._height(epoch) / before
        return [lowest + ratio * (group["lr"] - lowest) for group in groups]

    def _go_to(self, epoch: int) -> None:
        self.last_epoch, height = epoch, self._height(epoch)
        self._set([self.eta_min + (lr - self.eta_min) * height for lr in self.base_lrs])

    def _height(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2


class CosineAnnealingWarmRestarts(LRScheduler):
    """Falls along half a cosine, from the initial rate each time.

    Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts*, 2017.

    Args:
        T_0: how many epochs the first fall takes.
        T_mult: by what each fall is longer than the one before.
        eta_min: the lowest rate.

    Raises:
        ValueError: `T_0` or `T_mult` is no positive integer.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> [round(rate, 6) for rate in rates]
        [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to any point of time, such as ``epoch + batch / batches``."""
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch  # type: ignore[assignment]
        self._set(self.get_lr())

    def get_lr(self) -> list[float]:
        """The rates by how much of the present fall is over."""
        since, length = self.last_epoch, self.T_0
        while since >= length:
            since, length = since - length, length * self.T_mult
        height = (1 + math.cos(math.pi * since / length)) / 2
        return [self.eta_min + (lr - self.eta_min) * height for lr in self.base_lrs]


class _WithMomentum(LRScheduler):
    """A schedule that moves the momentum as well, the other way."""

    def _find_momentum(self, cycles: bool) -> None:
        defaults = self.optimizer.defaults
        if cycles and "momentum" not in defaults and "betas" not in defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.cycle_momentum, self.use_beta1 = cycles, "betas" in defaults

    def _set_momenta(self, momenta: Sequence[float]) -> None:
        for group, momentum in zip(self.optimizer.param_groups, momenta, strict=True):
            if self.use_beta1:
                group["betas"] = (momentum, *group["betas"][1:])
            else:
                group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """Up and down in straight lines between two rates.

    Smith, *Cyclical Learning Rates for Training Neural Networks*, 2017.

    Args:
        base_lr, max_lr: the lowest and the highest rate, or a list of them, one a group.
        step_size_up, step_size_down: how many steps up and down; down as many as up if left out.
        mode: ``"triangular"``; ``"triangular2"``, whose height halves with every cycle; ``"exp_range"``,
            whose height is multiplied by `gamma` with every step.
        gamma: see `mode`.
        scale_fn: a function that says the height, instead of `mode`.
        scale_mode: whether it is one of the ``"cycle"`` or of the ``"iterations"``.
        cycle_momentum: move the momentum as well, the other way.
        base_momentum, max_momentum: its lowest and highest value, or lists of them.

    Raises:
        ValueError: the mode is unknown, there are not as many values as groups, or there is no momentum to
            move.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> schedule = tl.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=4)
        >>> optimizer.step(), schedule.step(), schedule.get_last_lr()
        (None, None, [0.25])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(
                f"mode is invalid and scale_fn is None: {mode!r} is none of 'triangular', 'triangular2' and "
                f"'exp_range'"
            )
        self.optimizer = optimizer
        lowest = _each("base_lr", optimizer, base_lr)
        self.max_lrs = _each("max_lr", optimizer, max_lr)
        self.step_size_up = step_size_up
        self.total_size = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self.mode, self.gamma, self.scale_fn = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn else ("iterations" if mode == "exp_range" else "cycle")
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, lowest, strict=True):
                group["initial_lr"] = lr
                _set_rate(group, lr)
        self._find_momentum(cycle_momentum)
        if cycle_momentum:
            self.base_momentums = _each("base_momentum", optimizer, base_momentum)
            self.max_momentums = _each("max_momentum", optimizer, max_momentum)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Where the lines are at this step; the momentum is set as well."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        at = self.last_epoch - (cycle - 1) * self.total_size
        up = self.step_size_up
        part = at / up if at <= up else (self.total_size - at) / (self.total_size - up)
        height = part * self._scale(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.base_momentums, self.max_momentums, strict=True)
            self._set_momenta([high - (high - low) * height for low, high in ends])
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def _scale(self, x: float) -> float:
        if self.scale_fn is not None:
            return self.scale_fn(x)
        return {"triangular": 1.0, "triangular2": 0.5 ** (x - 1), "exp_range": self.gamma**x}[self.mode]


class OneCycleLR(_WithMomentum):
    """One rise to a high rate and one long fall, the momentum the other way: a step after every batch.

    Smith and Topin, *Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates*,
    2018.

    Args:
        max_lr: the highest rate, or a list of them, one a group.
        total_steps: how many steps in all; or
        epochs, steps_per_epoch: their product.
        pct_start: which part of them is the rise.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        cycle_momentum: move the momentum as well.
        base_momentum, max_momentum: its lowest and highest value.
        div_factor: the first rate is the highest divided by it.
        final_div_factor: the last rate is the first divided by it.
        three_phase: fall back to the first rate as fast as it rose, then to the last.

    Raises:
        ValueError: the number of steps is missing or not positive, `pct_start` is not from 0 to 1, the
            strategy is unknown, or more steps are asked for than there are.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> schedule = tl.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
        >>> schedule.get_last_lr(), optimizer.param_groups[0]["momentum"]
        ([0.04], 0.95)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        steps = total_steps if total_steps is not None else epochs * steps_per_epoch  # type: ignore[operator]
        if not isinstance(steps, int) or steps <= 0:
            raise ValueError(f"Expected positive integer total_steps, but got {steps}")
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.optimizer, self.total_steps, self.anneal_strategy = optimizer, steps, anneal_strategy
        highest = _each("max_lr", optimizer, max_lr)
        firsts = [lr / div_factor for lr in highest]
        lasts = [lr / final_div_factor for lr in firsts]
        top, end = pct_start * steps - 1, steps - 1
        # Each phase: the step at which it ends, and the rates (or momenta) that it leads to.
        self._ends = [top, 2 * top, end] if three_phase else [top, end]
        self._rates = [firsts, highest, firsts, lasts] if three_phase else [firsts, highest, lasts]
        self._find_momentum(cycle_momentum)
        low = _each("base_momentum", optimizer, base_momentum)
        high = _each("max_momentum", optimizer, max_momentum)
        self._momenta = [high, low, high, high] if three_phase else [high, low, high]
        if last_epoch == -1:
            for group, rate, most, final in zip(optimizer.param_groups, firsts, highest, lasts, strict=True):
                group.update(initial_lr=rate, max_lr=most, min_lr=final)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Where the curve is at this step; the momentum is set as well."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        phase = next((k for k, end in enumerate(self._ends) if step <= end), len(self._ends) - 1)
        start = self._ends[phase - 1] if phase else 0
        part = (step - start) / (self._ends[phase] - start)
        if self.cycle_momentum:
            self._set_momenta(self._between(self._momenta[phase], self._momenta[phase + 1], part))
        return self._between(self._rates[phase], self._rates[phase + 1], part)

    def _between(self, starts: Sequence[float], ends: Sequence[float], part: float) -> list[float]:
        if self.anneal_strategy == "linear":
            return [start + (end - start) * part for start, end in zip(starts, ends, strict=True)]
        left = (1 + math.cos(math.pi * part)) / 2
        return [start * left + end * (1 - left) for start, end in zip(starts, ends, strict=True)]


class _Several(LRScheduler):
    """A schedule made of others, `_schedulers`."""

    _schedulers: list[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """That of the schedules with it."""
        return {**super().state_dict(), "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another one of the same kind stopped."""
        for own, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            own.load_state_dict(saved)
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})


class SequentialLR(_Several):
    """Several schedules, one after another.

    Args:
        schedulers: the schedules, all of `optimizer`.
        milestones: the epochs at which the second one begins, the third, and so on.

    Raises:
        ValueError: there are not as many milestones as changes, or a schedule is another optimizer's.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.optim.lr_scheduler import ConstantLR, ExponentialLR
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> parts = [ConstantLR(optimizer, factor=0.1, total_iters=2), ExponentialLR(optimizer, gamma=0.5)]
        >>> schedule = tl.optim.lr_scheduler.SequentialLR(optimizer, parts, milestones=[2])
        >>> rates = []
        >>> for _ in range(4):
        ...     rates += schedule.get_last_lr()
        ...     optimizer.step()
        ...     schedule.step()
        >>> rates
        [0.1, 0.1, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        _check_parts(self, optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones to be equal to {len(milestones)}"
            )
        self.optimizer, self._schedulers, self._milestones = optimizer, list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            _set_rate(group, group["initial_lr"])
        for scheduler in _leaves(self._schedulers):
            scheduler.last_epoch -= 1  # each has set its first rate when it was made, and only one may
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._begin()
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        at = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[at]
        if at and self._milestones[at - 1] == self.last_epoch:
            scheduler._go_to(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def _begin(self) -> None:
        self._schedulers[bisect_right(self._milestones, 0)]._begin()


class ChainedScheduler(_Several):
    """Several schedules at the same time: their factors multiply.

    Args:
        schedulers: the schedules, all of one optimizer.

    Raises:
        ValueError: there is none, or one is another optimizer's.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.optim.lr_scheduler import ConstantLR, ExponentialLR
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> parts = [ConstantLR(optimizer, factor=0.1, total_iters=9), ExponentialLR(optimizer, gamma=0.5)]
        >>> schedule = tl.optim.lr_scheduler.ChainedScheduler(parts)
        >>> optimizer.step(), schedule.step(), schedule.get_last_lr()
        (None, None, [0.05])
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ValueError(
                "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler."
            )
        self.optimizer = optimizer or schedulers[0].optimizer
        _check_parts(self, self.optimizer, schedulers)
        self._schedulers = list(schedulers)
        self._last_lr = _rates(self.optimizer)

    def step(self, epoch: int | None = None) -> None:
        """One step of each."""
        for scheduler in self._schedulers:
            scheduler.step(epoch)
        self._last_lr = _rates(self.optimizer)


class ReduceLROnPlateau(LRScheduler):
    """A fall by a factor whenever a measured value has stopped getting better.

    Args:
        mode: ``"min"`` where lower is better, ``"max"`` where higher is.
        factor: by what the rate is multiplied, below 1.
        patience: how many epochs without progress are let pass.
        threshold: what counts as progress: relative to the best value so far, or, with `threshold_mode`
            ``"abs"``, as a difference.
        cooldown: how many epochs after a fall are not looked at.
        min_lr: the lowest rate, or a list of them, one a group.
        eps: a fall by less than this is left out.

    Raises:
        ValueError: the factor is not below 1, or a mode is unknown.

    Example:
        >>> import tensorlab as tl
        >>> optimizer = tl.optim.SGD([tl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = tl.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        >>> for loss in (3.0, 2.0, 2.0, 2.0):
        ...     schedule.step(loss)
        >>> schedule.get_last_lr()
        [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.optimizer, self.mode, self.ratio, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = (
            threshold,
            threshold_mode,
            cooldown,
            eps,
        )
        self.min_lrs = _each("min_lr", optimizer, min_lr)
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.num_bad_epochs = self.cooldown_counter = 0
        self._last_lr = _rates(optimizer)

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Look at the value of an epoch, a number or a tensor with one element."""
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, lowest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                lower = max(group["lr"] * self.ratio, lowest)
                if group["lr"] - lower > self.eps:
                    _set_rate(group, lower)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = _rates(self.optimizer)

    def _is_better(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "abs":
            return sign * value < sign * self.best - self.threshold
        return sign * value < sign * self.best * (1 - sign * self.threshold)


def _own(rate: Any) -> Any:
    """A rate that stays what it is, when the optimizer's is overwritten."""
    return rate.detach().clone() if isinstance(rate, Tensor) else rate


def _rates(optimizer: Optimizer) -> list[float]:
    """The rate of each group, as it is now."""
    return [_own(group["lr"]) for group in optimizer.param_groups]


def _set_rate(group: dict[str, Any], rate: Any) -> None:
    """Set a group's rate: a tensor is overwritten, and a graph that was recorded with it sees the new one."""
    if not isinstance(group["lr"], Tensor):
        group["lr"] = rate
    elif isinstance(rate, Tensor):
        group["lr"].copy_(rate)
    else:
        group["lr"].fill_(rate)


def _each(name: str, optimizer: Optimizer, value: Any) -> list[float]:
    """One value a group."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(f"expected {groups} values for {name}, got {len(value)}: one a parameter group")
    return list(value)


def _check_parts(whole: LRScheduler, optimizer: Optimizer, parts: Sequence[LRScheduler]) -> None:
    name = type(whole).__name__
    if not parts:
        raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
    for k, part in enumerate(parts):
        if isinstance(part, ReduceLROnPlateau):
            raise ValueError(
                f"{name} does not support `ReduceLROnPlateau`, whose step() needs a value, and got one at "
                f"index {k}"
            )
        if part.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, and the one at index {k}, a "
                f"{type(part).__name__}, has another"
            )


def _leaves(schedulers: Sequence[LRScheduler]) -> Iterable[LRScheduler]:
    for scheduler in schedulers:
        if isinstance(scheduler, _Several):
            yield from _leaves(scheduler._schedulers)
        else:
            yield scheduler
