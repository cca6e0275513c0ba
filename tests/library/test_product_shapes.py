"""Shapes of products against PyTorch, and their costs against a count of every step."""

from __future__ import annotations

import itertools

import pytest

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.core.product_shapes import matmul_cost, matmul_shape
from tensorlab.ops.pairs import attention_scores

SHAPES = [(), (3,), (4,), (1,), (0,), (2, 3), (3, 4), (4, 3), (1, 3), (3, 0), (2, 3, 4), (1, 4, 3), (2, 4, 3)]
SHAPES += [(2, 1, 3, 4), (5, 4, 3), (0, 3, 4)]
PAIRS = [*itertools.product(SHAPES, repeat=2)]


def test_shapes_and_refusals_are_pytorchs():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; it is the reference here")
    fitting = 0
    for a, b in PAIRS:
        try:
            want = tuple((torch.zeros(a) @ torch.zeros(b)).shape)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                matmul_shape(a, b)
        else:
            assert matmul_shape(a, b) == want, (a, b)
            fitting += 1
    assert 40 < fitting < len(PAIRS)


def test_a_cost_is_two_for_each_pair_and_each_tensor_once():
    for a, b in PAIRS:
        try:
            product = tl.zeros(a) @ tl.zeros(b)
        except RuntimeError:
            continue
        # Ones count the pairs that meet in each element.
        pairs = (tl.ones(a) @ tl.ones(b)).sum().item()
        tensors = (tl.zeros(a), tl.zeros(b), product)
        assert matmul_cost(a, b, 4) == (2 * pairs, sum(x.nbytes for x in tensors)), (a, b)


def test_a_cost_grows_with_the_bytes_of_an_element():
    assert matmul_cost((2, 3), (3, 4), 8)[1] == 2 * matmul_cost((2, 3), (3, 4), 4)[1]


def test_there_is_no_cost_of_what_is_refused():
    with pytest.raises(RuntimeError, match="must equal"):
        matmul_cost((2, 3), (2, 3), 4)


@pytest.mark.parametrize(
    ("query", "key"), [((2, 4), (3, 4)), ((2, 3, 5, 9), (2, 1, 7, 9)), ((5, 2, 16), (1, 16))]
)
def test_scores_are_pytorchs(query, key):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; it is the reference here")
    torch.manual_seed(1)
    one, other = torch.randn(query), torch.randn(key)
    want = one @ other.mT / query[-1] ** 0.5
    got = attention_scores(*(tl.tensor(x.tolist()) for x in (one, other)))
    assert torch.allclose(torch.tensor(got.tolist()), want, atol=1e-6)
    assert got.stride() == layout.default_strides(got.shape)


def test_gradients_of_scores():
    query = tl.randn(2, 3, 4, dtype=tl.float64, requires_grad=True)
    key = tl.randn(5, 4, dtype=tl.float64, requires_grad=True)
    assert tl.autograd.gradcheck(attention_scores, (query, key))
