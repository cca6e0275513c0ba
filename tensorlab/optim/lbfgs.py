"""L-BFGS: a quasi-Newton method that remembers the last steps instead of a matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from tensorlab.core.modes import enable_grad, no_grad
from tensorlab.ops.creation import zeros
from tensorlab.ops.joining import cat
from tensorlab.optim.optimizer import Optimizer, check_range
from tensorlab.tensor import Tensor

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Limited-memory BFGS: each `step` is a whole minimization, which calls its closure many times.

    The direction is the gradient times an estimate of the inverse matrix of second derivatives, made of the
    last steps and of what the gradient changed by along them: the two-loop recursion, algorithm 7.4 in
    Nocedal and Wright, *Numerical Optimization*, 2006. With ``line_search_fn="strong_wolfe"`` the length of
    each step satisfies the strong Wolfe conditions (their algorithms 3.5 and 3.6); without, it is `lr`.

    Args:
        params: one group of parameters.
        lr: the length of a step, and the first one tried by a line search.
        max_iter: how many steps at most.
        max_eval: how often the closure is called at most; 1.25 times `max_iter` if left out.
        tolerance_grad: stop when no element of the gradient is greater.
        tolerance_change: stop when loss or parameters change by less.
        history_size: how many steps are remembered.
        line_search_fn: ``"strong_wolfe"`` or None.

    Raises:
        ValueError: there are several groups, or the rate is negative.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([3.0, -4.0], requires_grad=True)
        >>> optimizer = tl.optim.LBFGS([x], line_search_fn="strong_wolfe")
        >>> def loss():
        ...     optimizer.zero_grad()
        ...     value = ((x - tl.tensor([1.0, 2.0])) ** 2).sum()
        ...     value.backward()
        ...     return value
        >>> _ = optimizer.step(loss)
        >>> x
        tensor([1., 2.], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_range("learning rate", lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Minimize what the closure computes.

        Args:
            closure: clears the gradients, computes the loss and its gradients, and returns the loss.

        Returns:
            the loss before the first step.

        Raises:
            RuntimeError: the name of the line search is unknown.
        """
        (group,) = self.param_groups
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError(f"only 'strong_wolfe' is supported, got {group['line_search_fn']!r}")
        with no_grad():
            return self._minimize(closure, group)

    def _minimize(self, closure: Callable[[], Any], group: dict[str, Any]) -> Any:
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        lr, small = float(group["lr"]), group["tolerance_change"]
        with enable_grad():
            first = closure()
        loss, grad, calls = float(first), self._grad(), 1
        for k in range(group["max_iter"]):
            if float(grad.abs().max()) <= group["tolerance_grad"]:
                break
            state["n_iter"] += 1
            direction = self._direction(state, grad, group["history_size"])
            length = lr if state["n_iter"] > 1 else min(1.0, 1 / float(grad.abs().sum())) * lr
            state.update(d=direction, t=length, prev_flat_grad=grad, prev_loss=loss)
            slope = float(grad.dot(direction))
            if slope > -small:
                break
            before, called = loss, 0
            if group["line_search_fn"] is not None:
                start = [parameter.clone() for parameter in group["params"]]

                def at(t: float, start: list[Tensor] = start, along: Tensor = direction) -> _Point:
                    for parameter, value in zip(group["params"], start, strict=True):
                        parameter.copy_(value)
                    return self._point(closure, t, along)

                origin = _Point(0.0, loss, grad, slope)
                span, left = float(direction.abs().max()), group["max_eval"] - calls
                point, called = _strong_wolfe(at, origin, length, span, small, left)
                loss, grad, length = point.loss, point.grad, point.t
                for parameter, value in zip(group["params"], start, strict=True):
                    parameter.copy_(value)
                state["t"] = length
                self._advance(length, direction)
            elif k + 1 < group["max_iter"]:
                point, called = self._point(closure, length, direction), 1
                loss, grad = point.loss, point.grad
            else:
                self._advance(length, direction)
            calls += called
            if calls >= group["max_eval"] or float(direction.abs().max()) * abs(length) <= small:
                break
            if abs(loss - before) < small:
                break
        state["func_evals"] += calls
        return first

    def _direction(self, state: dict[str, Any], grad: Tensor, most: int) -> Tensor:
        """Where to go: the two-loop recursion over the remembered steps."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return -grad
        changes, steps, inverse = state["old_dirs"], state["old_stps"], state["ro"]
        change, step = grad - state["prev_flat_grad"], state["d"] * state["t"]
        curvature = float(change.dot(step))
        if curvature > 1e-10:
            for memory, value in zip((changes, steps, inverse), (change, step, 1 / curvature), strict=True):
                memory.append(value)
                del memory[:-most]
            state["H_diag"] = curvature / float(change.dot(change))
        direction, shares = -grad, []
        for y, s, r in zip(reversed(changes), reversed(steps), reversed(inverse), strict=True):
            shares.append(float(s.dot(direction)) * r)
            direction.add_(y, alpha=-shares[-1])
        direction.mul_(state["H_diag"])
        for y, s, r, share in zip(changes, steps, inverse, reversed(shares), strict=True):
            direction.add_(s, alpha=share - float(y.dot(direction)) * r)
        return direction

    def _grad(self) -> Tensor:
        """The gradients of all parameters, one behind another."""
        parts = [
            zeros(parameter.numel(), dtype=parameter.dtype, device=parameter.device)
            if parameter.grad is None
            else parameter.grad.reshape(-1)
            for parameter in self._parameters()
        ]
        return cat(parts)

    def _advance(self, length: float, direction: Tensor) -> None:
        first = 0
        for parameter in self._parameters():
            count = parameter.numel()
            parameter.add_(direction[first : first + count].view_as(parameter), alpha=length)
            first += count

    def _point(self, closure: Callable[[], Any], length: float, direction: Tensor) -> _Point:
        """Go along a direction, and look at the loss there."""
        self._advance(length, direction)
        with enable_grad():
            loss = float(closure())
        grad = self._grad()
        return _Point(length, loss, grad, float(grad.dot(direction)))


class _Point(NamedTuple):
    """A place along a direction: how far, the loss, its gradient, and its slope along the direction."""

    t: float
    loss: float
    grad: Tensor
    slope: float


def _strong_wolfe(
    at: Callable[[float], _Point], origin: _Point, t: float, span: float, small: float, most: int
) -> tuple[_Point, int]:
    """A place where the loss is lower by enough, and flatter by enough; and how often `at` was called.

    First steps grow until such a place lies between two of them; then the bracket shrinks around it.

    Args:
        at: looks at a place.
        origin: where the search begins.
        t: how far the first step goes.
        span: the greatest element of the direction.
        small: a bracket in which no element moves by more than this is small enough.
        most: how often the bracket is moved at most.
    """

    def too_high(point: _Point) -> bool:
        return point.loss > origin.loss + 1e-4 * point.t * origin.slope

    def flat(point: _Point) -> bool:
        return abs(point.slope) <= -0.9 * origin.slope

    before, point, calls, moves = origin, at(t), 1, 0
    while moves < most:
        if too_high(point) or (moves > 1 and point.loss >= before.loss):
            break
        if flat(point):
            return point, calls
        if point.slope >= 0:
            break
        lowest, highest = point.t + 0.01 * (point.t - before.t), point.t * 10
        t = _lowest_of_cubic(before, point, lowest, highest)
        before, point, calls, moves = point, at(t), calls + 1, moves + 1
    else:
        before = origin
    low, high = (before, point) if before.loss <= point.loss else (point, before)
    stalled = False
    while moves < most and abs(high.t - low.t) * span >= small:
        left, right = sorted((low, high), key=lambda each: each.t)
        t = _lowest_of_cubic(left, right, left.t, right.t)
        margin = 0.1 * (right.t - left.t)
        if min(right.t - t, t - left.t) < margin:
            # Twice in a row near an end, or at one: a tenth of the bracket away from it.
            if stalled or t >= right.t or t <= left.t:
                t = right.t - margin if abs(t - right.t) < abs(t - left.t) else left.t + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        point, calls, moves = at(t), calls + 1, moves + 1
        if too_high(point) or point.loss >= low.loss:
            low, high = (low, point) if low.loss <= point.loss else (point, low)
            continue
        if flat(point):
            return point, calls
        low, high = point, (low if point.slope * (high.t - low.t) >= 0 else high)
    return low, calls


def _lowest_of_cubic(left: _Point, right: _Point, lowest: float, highest: float) -> float:
    """Where the cubic through two places with their slopes is lowest, within limits."""
    one = left.slope + right.slope - 3 * (left.loss - right.loss) / (left.t - right.t)
    square = one * one - left.slope * right.slope
    if square < 0:
        return (lowest + highest) / 2
    root = math.sqrt(square)
    below = right.slope - left.slope + 2 * root
    if below == 0:
        return (lowest + highest) / 2
    t = right.t - (right.t - left.t) * ((right.slope + root - one) / below)
    return min(max(t, lowest), highest)
