"""That random numbers are distributed as their names say. Seeds are fixed: a run that passes always passes.

Bounds are five standard errors and more, so that only a wrong distribution fails, not an unlucky seed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import tensorlab as tl

N = 40_000

# How to draw, and the mean and variance of what is drawn.
MOMENTS = [
    (lambda: tl.rand(N), 1 / 2, 1 / 12),
    (lambda: tl.rand(N, dtype=tl.float64), 1 / 2, 1 / 12),
    (lambda: tl.empty(N).uniform_(-1, 3), 1, 16 / 12),
    (lambda: tl.randn(N), 0, 1),
    (lambda: tl.randn(N, dtype=tl.float64), 0, 1),
    (lambda: tl.empty(N, 2)[:, 0].normal_(), 0, 1),
    (lambda: tl.empty(N).normal_(3, 2), 3, 4),
    (lambda: tl.empty(N).log_normal_(0, 0.5), math.exp(0.125), (math.exp(0.25) - 1) * math.exp(0.25)),
    (lambda: tl.empty(N).exponential_(2), 1 / 2, 1 / 4),
    (lambda: tl.empty(N).geometric_(0.25), 4, 12),
    (lambda: tl.empty(N).bernoulli_(0.3), 0.3, 0.21),
    (lambda: tl.bernoulli(tl.full((N,), 0.3)), 0.3, 0.21),
    (lambda: tl.poisson(tl.full((N,), 3.0)), 3, 3),
    (lambda: tl.poisson(tl.full((N,), 50.0)), 50, 50),
    (lambda: tl.randint(10, (N,), dtype=tl.float32), 4.5, 99 / 12),
]


@pytest.mark.parametrize(("draw", "mean", "variance"), MOMENTS)
def test_mean_and_variance(draw, mean, variance):
    tl.manual_seed(11)
    found = draw().numpy().astype(np.float64)
    assert abs(found.mean() - mean) < 5 * math.sqrt(variance / N)
    spread = ((found - mean) ** 2 - variance).std() / math.sqrt(N)
    assert abs(((found - mean) ** 2).mean() - variance) < 5 * spread


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    """How many standard deviations above its mean the chi-square statistic lies."""
    freedom = len(counts) - 1
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float((statistic - freedom) / math.sqrt(2 * freedom))


def test_every_integer_of_a_range_comes_as_often():
    tl.manual_seed(11)
    counts = np.bincount(tl.randint(3, 103, (N,)).numpy() - 3, minlength=100)
    assert len(counts) == 100
    assert chi_square(counts, np.full(100, N / 100)) < 5


def test_every_order_comes_as_often():
    tl.manual_seed(11)
    orders = [tuple(tl.randperm(4).tolist()) for _ in range(4800)]
    counts = np.array([orders.count(order) for order in sorted(set(orders))])
    assert len(counts) == 24
    assert chi_square(counts, np.full(24, 200.0)) < 5


@pytest.mark.parametrize("replacement", [True, False])
def test_categories_come_by_weight(replacement):
    tl.manual_seed(11)
    weights = np.array([1.0, 2, 3, 0, 4])
    rows = tl.tensor(np.tile(weights, (N, 1)))
    first = tl.multinomial(rows, 2, replacement).numpy()[:, 0]
    counts = np.bincount(first, minlength=5)
    assert counts[3] == 0
    assert chi_square(counts[weights > 0], N * weights[weights > 0] / 10) < 5


def test_without_replacement_nothing_comes_twice():
    tl.manual_seed(11)
    drawn = tl.multinomial(tl.ones(500, 6), 4).numpy()
    assert all(len(set(row)) == 4 for row in drawn.tolist())


def test_quartiles_of_cauchy_numbers():
    tl.manual_seed(11)
    found = np.quantile(tl.empty(N).cauchy_(2, 3).numpy(), [0.25, 0.5, 0.75])
    np.testing.assert_allclose(found, [-1, 2, 5], atol=5 * 3 * math.pi / 2 * math.sqrt(1 / N) * 1.5)


def test_the_end_of_the_range_is_left_out():
    tl.manual_seed(11)
    for dtype in (tl.float16, tl.bfloat16, tl.float32):
        found = tl.empty(100_000, dtype=dtype).uniform_(100, 101)
        assert max(found.tolist()) < 101
        assert min(found.tolist()) >= 100
