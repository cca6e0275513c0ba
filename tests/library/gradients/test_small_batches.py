"""Gradients of a large batch, one small batch at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.utils.accumulation import accumulate, total_loss


def made(library, sizes):
    """Weights, and rows cut into batches of these sizes; the same numbers in each library."""
    source = np.random.default_rng(8)
    x, y = source.normal(size=(sum(sizes), 3)), source.normal(size=sum(sizes))
    weights = library.tensor([0.5, -1.0, 2.0], dtype=library.float64, requires_grad=True)
    cuts = np.cumsum([0, *sizes])
    batches = [
        (library.tensor(x[start:end]), library.tensor(y[start:end]))
        for start, end in itertools.pairwise(cuts)
    ]

    def loss(x, y):
        return (((x * weights).sum(1) - y) ** 2).mean()

    return weights, batches, loss


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(sum))
def test_the_pieces_are_the_whole(sizes):
    weights, batches, loss = made(tl, sizes)
    mean = accumulate(loss, batches)
    pieces, weights.grad = weights.grad, None
    whole = loss(*map(tl.cat, zip(*batches, strict=True)))
    whole.backward()
    assert mean == pytest.approx(whole.item())
    np.testing.assert_allclose(pieces.numpy(), weights.grad.numpy(), rtol=1e-10, atol=1e-12)


def test_the_gradients_are_those_of_pytorch(torch):
    weights, batches, loss = made(tl, [3, 1, 4])
    accumulate(loss, batches)
    there, large, its_loss = made(torch, [8])
    its_loss(*large[0]).backward()
    np.testing.assert_allclose(weights.grad.numpy(), there.grad.numpy(), rtol=1e-10)


def test_they_are_added_to_what_is_there():
    weights, batches, loss = made(tl, [2, 3])
    accumulate(loss, batches)
    once = weights.grad.clone()
    accumulate(loss, batches)
    assert tl.allclose(weights.grad, 2 * once)


@pytest.mark.parametrize("batches", [[], [(tl.ones(0, 3), tl.ones(0))]])
def test_without_rows_there_is_no_mean(batches):
    with pytest.raises(ValueError, match="at least one row"):
        accumulate(lambda x, y: x.mean(), batches)


def test_one_graph_is_alive_at_a_time():
    w = tl.ones(1000, requires_grad=True)
    peaks = []
    for count in (1, 8):
        batches = [(tl.ones(4, 1000),)] * count
        with tl.autograd.profile() as memory:
            accumulate(lambda x: (x * w).exp().mean(), batches)
        peaks.append(memory.peak)
    assert peaks[1] < 1.5 * peaks[0]


def test_a_sum_of_losses_holds_no_graph():
    w = tl.ones(1000, requires_grad=True)
    peaks = []
    for count in (1, 20):
        with tl.autograd.profile() as memory:
            total = total_loss((w * step).exp().mean().log() for step in range(count))
        assert total == pytest.approx(sum(range(count)), rel=1e-5)
        peaks.append(memory.peak)
    assert peaks[1] < 2.5 * peaks[0]
    assert memory.live == 0
