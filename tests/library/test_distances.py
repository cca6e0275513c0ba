"""Distances of all pairs, unit vectors and cosines, against PyTorch."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.ops.elementwise import apply
from tensorlab.scalars import TABLE
from tests.library.layouts import KINDS, lay_out

SHAPES = [
    ((2, 3), (4, 3)),
    ((5, 2, 3), (4, 3)),
    ((5, 1, 2, 3), (6, 4, 3)),
    ((1, 1), (1, 1)),
    ((0, 3), (4, 3)),
    ((2, 0), (4, 0)),
    ((40, 7), (30, 7)),
]


def reals(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def close(result: tl.Tensor, expected, tolerance: float = 1e-12) -> None:
    assert (tuple(result.shape), result.stride()) == (tuple(expected.shape), expected.stride())
    assert result.dtype.name == str(expected.dtype).removeprefix("torch.")
    np.testing.assert_allclose(np.asarray(result), expected.numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.part(5)
@pytest.mark.parametrize(("a", "b"), SHAPES, ids=str)
@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, math.inf])
def test_cdist(torch, a, b, p):
    x, y = reals(a, 1), reals(b, 2)
    for kind in ("row", "transposed"):
        ours = tl.cdist(lay_out(x, kind), lay_out(y, kind), p)
        expected = torch.cdist(torch.from_numpy(x), torch.from_numpy(y), p)
        close(ours, expected, 1e-7)


def test_cdist_by_product_or_by_differences(torch):
    x, y = reals((60, 5), 1), reals((3, 5), 2)
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    for mode in modes:
        ours = tl.cdist(tl.tensor(x), tl.tensor(y), compute_mode=mode)
        close(ours, torch.cdist(torch.from_numpy(x), torch.from_numpy(y), compute_mode=mode))
    for a, b in [*SHAPES, ((1, 1), (5, 1)), ((2, 1, 1, 2), (1, 2, 2)), ((3, 1, 2), (1, 2))]:
        x, y = reals(a, 1), reals(b, 2)
        ours = tl.cdist(tl.tensor(x), tl.tensor(y), compute_mode=modes[1])
        close(ours, torch.cdist(torch.from_numpy(x), torch.from_numpy(y), compute_mode=modes[1]))
    x = reals((60, 5), 1)
    same = tl.cdist(tl.tensor(x), tl.tensor(x), compute_mode=modes[2])
    assert not np.diag(np.asarray(same)).any()
    assert not np.isnan(np.asarray(tl.cdist(tl.tensor(x), tl.tensor(x)))).any()


@pytest.mark.parametrize("size", [5, 40])
def test_what_is_not_a_number_has_no_distance(torch, size):
    x, y = reals((size, 3), 1), reals((2, 3), 2)
    x[1, 2], x[2, 0], y[1, 1] = np.nan, np.inf, np.inf
    ours, expected = tl.cdist(tl.tensor(x), tl.tensor(y)), torch.cdist(*map(torch.from_numpy, (x, y)))
    np.testing.assert_allclose(np.asarray(ours), expected.numpy(), rtol=1e-12)


def test_cdist_of_many_vectors_works_in_parts(torch):
    x, y = reals((700, 40), 1), reals((30, 40), 2)
    close(tl.cdist(tl.tensor(x), tl.tensor(y), 1), torch.cdist(torch.from_numpy(x), torch.from_numpy(y), 1))


def test_the_length_of_a_difference_from_squares():
    a, b = (tl.tensor(reals((4, 3), seed), requires_grad=True) for seed in (1, 2))

    def length(a, b):
        return apply(TABLE["root_of_squares"], (a * a).sum(1), (b * b).sum(1), (a * b).sum(1))

    np.testing.assert_allclose(np.asarray(length(a, b).detach()), np.asarray((a - b).norm(dim=1).detach()))
    assert tl.autograd.gradcheck(length, (a, b))
    length(a, a.detach()).sum().backward()
    assert a.grad.tolist() == [[0.0] * 3] * 4


def test_what_cdist_refuses():
    o = tl.ones
    for call, message in [
        (lambda: tl.cdist(o(2, 3), o(4, 2)), "must have the same number of columns. X1: 3 X2: 2"),
        (lambda: tl.cdist(o(3), o(4, 3)), "at least 2D tensors, X1 got: 1D"),
        (lambda: tl.cdist(o(2, 3, dtype=tl.int64), o(4, 3)), "floating-point dtypes, X1 got: int64"),
        (lambda: tl.cdist(o(2, 3), o(4, 3, dtype=tl.float64)), "expected both of one dtype"),
        (lambda: tl.cdist(o(2, 3), o(4, 3), -1), "non-negative p values"),
        (lambda: tl.cdist(o(2, 2, 3), o(3, 4, 3)), "must match the size of tensor b"),
    ]:  # fmt: skip
        with pytest.raises(RuntimeError, match=message):
            call()
    with pytest.raises(ValueError, match="is not a valid value for compute_mode"):
        tl.cdist(o(2, 3), o(4, 3), compute_mode="fast")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("p", "dim"), [(2, 1), (1, 0), (math.inf, -1), (2, (0, 1))])
def test_normalize(torch, kind, p, dim):
    x = lay_out(reals((4, 3), 1), kind)
    expected = torch.nn.functional.normalize(torch.from_numpy(np.asarray(x)), p=p, dim=dim)
    close(F.normalize(x, p=p, dim=dim), expected)


def test_normalize_of_zeros_and_into_a_tensor():
    assert F.normalize(tl.zeros(2, 3)).tolist() == [[0.0] * 3] * 2
    out = tl.empty(2, 2)
    assert F.normalize(tl.tensor([[3.0, 4.0], [0.0, 2.0]]), out=out) is out
    assert out.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("a", "b", "dim"),
    [((2, 3), (2, 3), 1), ((2, 3), (1, 3), 1), ((2, 1, 3), (4, 3), -1), ((3,), (3,), 0)],
    ids=str,
)
def test_cosine_similarity(torch, a, b, dim):
    x, y = reals(a, 1), reals(b, 2)
    expected = torch.nn.functional.cosine_similarity(torch.from_numpy(x), torch.from_numpy(y), dim=dim)
    close(F.cosine_similarity(tl.tensor(x), tl.tensor(y), dim=dim), expected)


def test_cosine_similarity_of_zeros_and_of_two_dtypes(torch):
    assert F.cosine_similarity(tl.zeros(2, 3), tl.ones(2, 3)).tolist() == [0.0, 0.0]
    assert F.cosine_similarity(tl.ones(2, 3), tl.ones(2, 3, dtype=tl.float64)).dtype is tl.float64
    with pytest.raises(
        RuntimeError, match="expected common dtype to be floating point, yet common dtype is int64"
    ):
        F.cosine_similarity(tl.ones(2, 3, dtype=tl.int64), tl.ones(2, 3, dtype=tl.int64))
