"""Gradients that meet at an operand are added; what somebody else holds is never written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlab as tl


def passing(give: Callable[[tl.Tensor], tl.Tensor]) -> Callable[[tl.Tensor], tl.Tensor]:
    """The identity; its gradient is what `give` makes of the one that arrives."""

    class Passing(tl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: tl.Tensor) -> tl.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: tl.Tensor) -> tl.Tensor:
            return give(gradient)

    return Passing.apply


# How somebody may hold a gradient, and the first element that is seen in this way.
HOLDERS: dict[str, tuple[Callable, Callable]] = {
    "the tensor": (lambda made: made, lambda held: held[0]),
    "a function that sees it": (lambda made: lambda: made, lambda held: held()[0]),
    "a view": (lambda made: made[:1], lambda held: held[0]),
    "a view of a view": (lambda made: made.view(10, 100)[0, :5], lambda held: held[0]),
    "a twin": (lambda made: made.detach(), lambda held: held[0]),
    "the storage": (lambda made: made.untyped_storage(), lambda held: held.bytes().view(np.float32)[0]),
}


@pytest.mark.parametrize(("hold", "first"), HOLDERS.values(), ids=HOLDERS)
def test_what_somebody_holds_is_not_written(hold, first):
    held = []

    def give(gradient: tl.Tensor) -> tl.Tensor:
        made = gradient.clone()
        held.append(hold(made))
        return made

    x = tl.ones(1000, requires_grad=True)
    own = passing(give)
    (own(x) + own(x) + own(x)).backward(tl.full((1000,), 2.0))
    assert x.grad.tolist() == [6.0] * 1000
    assert [float(first(item)) for item in held] == [2.0] * 3


def given_through_frames(x: tl.Tensor, gradient: tl.Tensor, depth: int) -> None:
    """Newer Pythons do not count the frames that an argument is handed through."""
    if depth:
        given_through_frames(x, gradient, depth - 1)
    else:
        tl.autograd.backward([x, x], [gradient, tl.ones(1000)])


def test_what_the_caller_gave_is_not_written():
    x = tl.ones(1000, requires_grad=True)
    gradient = tl.full((1000,), 2.0)
    given_through_frames(x, gradient, 3)
    assert gradient.tolist() == [2.0] * 1000
    assert x.grad.tolist() == [3.0] * 1000
    x.grad = None
    given_through_frames(x * 1.0, gradient, 3)
    assert gradient.tolist() == [2.0] * 1000
    assert x.grad.tolist() == [3.0] * 1000
    x.grad = None
    given_through_frames(x, tl.full((1000,), 2.0), 3)
    assert x.grad.tolist() == [3.0] * 1000


def test_what_a_hook_keeps_is_not_written():
    kept = []
    x = tl.ones(1000, requires_grad=True)
    y = x * 1.0
    for factor in (2.0, 3.0, 4.0):
        part = y * factor
        part.register_hook(lambda gradient: kept.append(gradient))
        y = part + y
    y.backward(tl.ones(1000))
    assert x.grad.tolist() == [60.0] * 1000
    assert [gradient[0].item() for gradient in kept] == [1.0, 5.0, 20.0]
