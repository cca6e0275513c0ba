"""Pairs of numbers: each with its own partner, or everyone with everyone."""

from __future__ import annotations

import re

import pytest

import tensorlab as tl
from tensorlab.ops.pairs import squared_distances, squared_error


@pytest.mark.parametrize("shape", [(), (4,), (4, 1), (2, 3)])
def test_an_error_is_the_mean_of_the_squares(shape):
    a, b = tl.rand(shape, dtype=tl.float64), tl.rand(shape, dtype=tl.float64)
    pairs = list(zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), strict=True))
    error = squared_error(a, b)
    assert (tuple(error.shape), error.dtype) == ((), tl.float64)
    assert error.item() == pytest.approx(sum((p - t) ** 2 for p, t in pairs) / len(pairs))


@pytest.mark.parametrize(
    ("one", "other"),
    [((4, 1), (4,)), ((4,), (1, 4)), ((3,), ()), ((2, 3), (3,)), ((2, 3), (3, 2)), ((6,), (2, 3))],
)
def test_shapes_that_differ_are_refused_and_named(one, other):
    for a, b in ((one, other), (other, one)):
        said = f"prediction has shape {re.escape(str(a))} and target has shape {re.escape(str(b))}"
        with pytest.raises(ValueError, match=said):
            squared_error(tl.zeros(a), tl.zeros(b))


@pytest.mark.parametrize(("m", "n", "d"), [(1, 1, 1), (3, 5, 4), (5, 3, 1), (0, 2, 2), (2, 0, 2), (2, 3, 0)])
@pytest.mark.parametrize("dtype", [tl.float32, tl.float64])
def test_distances_are_those_of_every_pair(m, n, d, dtype):
    x, y = tl.rand(d, m, dtype=dtype).t(), tl.rand(n, 2 * d, dtype=dtype)[:, ::2][:, :d]
    table = squared_distances(x, y)
    assert (tuple(table.shape), table.dtype, table.stride()) == ((m, n), dtype, (max(n, 1), 1))
    for i in range(m):
        for j in range(n):
            pairs = zip(x[i].tolist(), y[j].tolist(), strict=True)
            assert table[i, j].item() == pytest.approx(sum((a - b) ** 2 for a, b in pairs), rel=1e-5)


def test_distances_need_the_room_of_three_tables():
    x, y = tl.rand(30, 20), tl.rand(25, 20)
    with tl.autograd.profile() as memory:
        table = squared_distances(x, y)
    assert memory.peak == 3 * table.nbytes


def test_distances_and_errors_have_gradients():
    x, y = (tl.rand(n, 3, dtype=tl.float64, requires_grad=True) for n in (4, 2))
    assert tl.autograd.gradcheck(squared_distances, (x, y))
    assert tl.autograd.gradcheck(squared_error, (x[:2], y))


@pytest.mark.parametrize(
    ("one", "other"), [((2, 3), (2, 1)), ((2, 1), (2, 3)), ((3,), (2, 3)), ((2, 3), (1, 2, 3))]
)
def test_points_of_different_spaces_have_no_distance(one, other):
    with pytest.raises(ValueError, match="coordinates"):
        squared_distances(tl.zeros(one), tl.zeros(other))
