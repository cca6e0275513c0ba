"""Folds without a table: the same numbers as with one, in every layout, cut into pieces of any size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba.core import config

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.backends.cpu import mapped
from tensorlab.bench.memory import peak_of
from tensorlab.ops import dispatch, mapped_folds
from tensorlab.ops.mapped_folds import mapped_fold
from tensorlab.scalars import TABLE
from tests.library.layouts import KINDS, lay_out

SHAPE = (6, 4, 7)
DIMS = [dims for count in range(4) for dims in itertools.combinations(range(3), count)]
interpreted = pytest.mark.skipif(
    config.DISABLE_JIT,  # type: ignore[attr-defined]
    reason="the interpreter takes minutes for so many elements",
)


@pytest.fixture(params=[(3, 2), (16, 2), (40, 512), (1 << 13, 512)])
def pieces(request, monkeypatch):
    """Pieces of few elements, so that a small table has many of them."""
    piece, results = request.param
    monkeypatch.setattr(mapped, "PIECE", piece)
    monkeypatch.setattr(mapped, "RESULTS", results)
    monkeypatch.setattr(mapped_folds, "LARGE", 1)
    monkeypatch.setattr(dispatch, "_plans", {})


def numbers(*shapes, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, shape).astype(dtype) for shape in shapes]


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "kinds", [*zip(KINDS, KINDS, strict=True), ("row", "transposed"), ("sliced", "expanded")]
)
@pytest.mark.parametrize("dims", DIMS)
def test_products_added_up_along_dimensions_in_any_layout(pieces, dims, kinds):
    x, y = (lay_out(values, kind) for values, kind in zip(numbers(SHAPE, SHAPE), kinds, strict=True))
    products = np.array(x.tolist()) * np.array(y.tolist())
    for keepdim in (False, True):
        found = mapped_fold("sum", TABLE["mul"], x, y, dim=dims or None, keepdim=keepdim)
        expected = products.sum(dims or None, keepdims=keepdim)
        assert tuple(found.shape) == expected.shape
        assert found.is_contiguous()
        np.testing.assert_allclose(np.array(found.tolist()), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    "shapes", [((6, 1, 7), (4, 1)), ((), (6, 4, 7)), ((1, 7), (6, 4, 1)), ((1, 1), (5, 1))]
)
def test_operands_are_broadcast(pieces, shapes):
    x, y = numbers(*shapes)
    for dim in (None, 0, -1):
        found = mapped_fold("mean", TABLE["squared_difference"], tl.tensor(x), tl.tensor(y), dim=dim)
        np.testing.assert_allclose(np.array(found.tolist()), ((x - y) ** 2).mean(dim), rtol=1e-13)


NORMS = {"norm_0": 0, "norm_1": 1, "norm_2": 2, "norm_p": 3, "norm_greatest": tl.inf, "norm_least": -tl.inf}


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("name", "dtype"),
    [*((name, "float64") for name in ("sum", *NORMS)), ("mean", "float16"), ("mean", "bfloat16")],
)
def test_folds_of_differences_are_those_of_the_table(pieces, name, dtype):
    x, y = (tl.tensor(a).to(getattr(tl, dtype)) for a in numbers((9, 11), (9, 11)))
    for dim in (None, 0, 1):
        found = mapped_fold(name, TABLE["sub"], x, y, dim=dim, k=3.0)
        table = (x - y).double()
        if name in NORMS:
            expected = tl.linalg.vector_norm(table, NORMS[name], dim)
        else:
            expected = getattr(table, name)() if dim is None else getattr(table, name)(dim)
        assert found.dtype is x.dtype
        digits = {"float16": 2e-3, "bfloat16": 2e-2, "float64": 1e-13}[dtype]
        np.testing.assert_allclose(
            np.array(found.tolist()), np.array(expected.tolist()), rtol=digits, atol=digits
        )


def test_truths(pieces):
    x = tl.arange(99).view(9, 11)
    y = x.clone()
    assert tl.equal(x, y)
    assert tl.equal(x.T, y.T.contiguous())
    assert tl.allclose(x.double(), y.double())
    y[8, 10] = 0
    assert not tl.equal(x, y)
    assert not tl.allclose(x.double(), y.double())
    assert tl.allclose(x.double(), y.double(), rtol=0, atol=98)
    assert not tl.equal(x.double() / 0 * 0, x.double() / 0 * 0)


def test_nan_and_infinities_come_through(pieces):
    x = tl.zeros(5, 7)
    x[3, 3] = tl.inf
    assert mapped_fold("sum", TABLE["mul"], x, x + 1).item() == tl.inf
    assert np.isnan(mapped_fold("sum", TABLE["mul"], x, x.new_zeros(7)).item())


def test_small_tables_and_those_of_integers_are_made():
    x = tl.ones(300, 300, dtype=tl.int64)
    assert mapped_fold("sum", TABLE["mul"], x, x) is None
    assert mapped_fold("sum", TABLE["mul"], tl.ones(5), tl.ones(5)) is None
    assert F.l1_loss(x, x, reduction="sum").dtype is tl.int64


CALLS = {
    "mse_loss": (F.mse_loss, lambda x, y: ((x - y) ** 2).mean()),
    "l1_loss": (F.l1_loss, lambda x, y: abs(x - y).mean()),
    "sum of l1_loss": (lambda x, y: F.l1_loss(x, y, reduction="sum"), lambda x, y: abs(x - y).sum()),
    "binary_cross_entropy_with_logits": (
        F.binary_cross_entropy_with_logits,
        lambda x, y: (np.log1p(np.exp(x)) - x * y).mean(),
    ),
    "vecdot": (tl.linalg.vecdot, lambda x, y: (x * y).sum(-1)),
    "dist": (tl.dist, lambda x, y: np.sqrt(((x - y) ** 2).sum())),
    "cosine_similarity": (
        F.cosine_similarity,
        lambda x, y: (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1)),
    ),
    "pairwise_distance": (F.pairwise_distance, lambda x, y: np.sqrt(((x - y + 1e-6) ** 2).sum(-1))),
}


@interpreted
@pytest.mark.parametrize("name", CALLS)
def test_many_elements_against_float64_and_with_gradients(name):
    ours, definition = CALLS[name]
    x, y = (tl.tensor(a.astype(np.float32)) for a in numbers((513, 300), (513, 300)))
    before = tl.get_num_threads()
    found = ours(x, y)
    np.testing.assert_allclose(
        found.numpy(), definition(x.double().numpy(), y.double().numpy()), rtol=2e-6, atol=2e-5
    )
    try:
        for threads in (1, 3):
            tl.set_num_threads(threads)
            assert tl.equal(ours(x, y), found), "the sum depends on the number of threads"
    finally:
        tl.set_num_threads(before)
    recorded = ours(x.requires_grad_(), y)
    np.testing.assert_allclose(recorded.detach().numpy(), found.numpy(), rtol=2e-6, atol=2e-5)
    (gradient,) = tl.autograd.grad(recorded.sum(), x)
    twin = x.detach().double().requires_grad_()
    (expected,) = tl.autograd.grad(ours(twin, y.double()).sum(), twin)
    np.testing.assert_allclose(gradient.numpy(), expected.numpy(), rtol=1e-4, atol=1e-6)


@interpreted
def test_a_loss_that_is_recorded_keeps_its_operands_alone():
    x, y = (tl.tensor(a) for a in numbers((1200, 1000), (1200, 1000)))
    x.requires_grad_()
    F.mse_loss(x, y)
    try:
        loss, grown = peak_of(lambda: F.mse_loss(x, y))
    except OSError as missing:
        pytest.skip(str(missing))
    assert grown < x.nbytes / 4
    assert loss.requires_grad
