"""Clipping, and parameters as a vector, beside PyTorch's."""

from __future__ import annotations

import math

import pytest

import tensorlab as tl
from tests.library.nn.comparison import agree, copy_state, same_error, theirs, torch


def layers():
    mine, yours = tl.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    copy_state(mine, yours)
    x = tl.randn(4, 3) * 10
    mine(x).square().sum().backward()
    yours(theirs(x)).square().sum().backward()
    return mine, yours


def gradients(module):
    return [parameter.grad for parameter in module.parameters()]


@pytest.mark.parametrize(("limit", "kind"), [(1.0, 2.0), (1e9, 2.0), (0.5, 1.0), (2.0, math.inf)])
def test_clipping_norms(limit, kind):
    mine, yours = layers()
    found = tl.nn.utils.clip_grad_norm_(mine.parameters(), limit, kind)
    expected = torch.nn.utils.clip_grad_norm_(yours.parameters(), limit, kind)
    agree([found, *gradients(mine)], [expected, *gradients(yours)])


def test_clipping_values():
    mine, yours = layers()
    tl.nn.utils.clip_grad_value_(mine.parameters(), 0.5)
    torch.nn.utils.clip_grad_value_(yours.parameters(), 0.5)
    agree(gradients(mine), gradients(yours))


def test_nothing_to_clip():
    assert tl.nn.utils.clip_grad_norm_(tl.nn.Linear(1, 1).parameters(), 1.0) == 0


def test_a_norm_that_is_not_finite():
    def call(library):
        weight = library.nn.Parameter(library.zeros(1))
        weight.grad = library.full((1,), library.nan)
        library.nn.utils.clip_grad_norm_(weight, 1.0, error_if_nonfinite=True)

    same_error(call, RuntimeError)


def test_parameters_as_a_vector():
    mine, _ = layers()
    vector = tl.nn.utils.parameters_to_vector(mine.parameters())
    assert vector.shape == (8,)
    other = tl.nn.Linear(3, 2)
    tl.nn.utils.vector_to_parameters(vector.detach(), other.parameters())
    agree(list(other.parameters()), [theirs(weight.detach()) for weight in mine.parameters()])
    assert other.weight.requires_grad
