"""`safe_where` and the gradients made with it: no NaN where a mask says no, nor in the second one."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.ops.where import safe_where

pytestmark = pytest.mark.usefixtures("interpreted")


def test_one_where_is_not_enough() -> None:
    x = tl.tensor([0.0, 4.0], requires_grad=True)
    tl.where(x > 0, x.sqrt(), 0.0).sum().backward()
    assert x.grad is not None
    assert x.grad.isnan().tolist() == [True, False]


@pytest.mark.parametrize("safe", [1.0, 0.0])
def test_two_are(safe: float) -> None:
    x = tl.tensor([0.0, 4.0, -1.0], requires_grad=True)
    other = tl.tensor([5.0, 6.0, 7.0], requires_grad=True)
    y = safe_where(x > 0, tl.sqrt, x, other, safe)
    y.sum().backward()
    assert y.tolist() == [5.0, 2.0, 7.0]
    assert x.grad is not None
    assert other.grad is not None
    assert x.grad.tolist() == [0.0, 0.25, 0.0]
    assert other.grad.tolist() == [1.0, 0.0, 1.0]


def test_the_function_sees_its_domain_alone() -> None:
    seen = []
    x = tl.tensor([0.0, 4.0])
    safe_where(x > 0, lambda z: seen.append(z.tolist()) or z, x, 0.0, 2.0)
    assert seen == [[2.0, 4.0]]


@pytest.mark.parametrize(
    "length",
    [
        lambda x: x.norm(),
        lambda x: tl.linalg.vector_norm(x, 3),
        lambda x: x.std(),
        lambda x: tl.cdist(x[None], tl.zeros(1, 3, dtype=tl.float64)).sum(),
    ],
)
def test_no_second_gradient_is_nan_where_the_first_is_0(length) -> None:
    x = tl.zeros(3, dtype=tl.float64, requires_grad=True)
    (slope,) = tl.autograd.grad(length(x), x, create_graph=True)
    (curvature,) = tl.autograd.grad(slope.sum(), x)
    assert slope.tolist() == curvature.tolist() == [0.0, 0.0, 0.0]
