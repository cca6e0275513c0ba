"""Losses: against their definitions in NumPy, PyTorch, and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.ops import likelihood
from tests.library.gradients.derivatives import assert_like_differences, assert_like_torch
from tests.library.layouts import KINDS, lay_out
from tests.library.references import agree


def numbers(*shapes, seed=0, low=-2.0, high=2.0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(low, high, shape) for shape in shapes]


def log_probabilities(x, dim=1):
    """The logarithm of softmax, in float64."""
    x = np.asarray(x, float)
    x = x - x.max(dim, keepdims=True)
    return x - np.log(np.exp(x).sum(dim, keepdims=True))


DEFINITIONS = {
    "mse_loss": lambda x, y: (x - y) ** 2,
    "l1_loss": lambda x, y: abs(x - y),
    "smooth_l1_loss": lambda x, y: np.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - 0.5),
    "huber_loss": lambda x, y: np.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - 0.5),
    "binary_cross_entropy": lambda x, y: -y * np.log(x) - (1 - y) * np.log(1 - x),
    "binary_cross_entropy_with_logits": lambda x, y: np.log(1 + np.exp(-x)) + (1 - y) * x,
    "kl_div": lambda x, y: y * (np.log(y) - x),
    "poisson_nll_loss": lambda x, y: np.exp(x) - y * x,
    "soft_margin_loss": lambda x, y: np.log(1 + np.exp(-y * x)),
    "hinge_embedding_loss": lambda x, y: np.maximum(0, 1 - x) + x,
}


@pytest.mark.interpreted
@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions(name, kind):
    x, y = (lay_out(a, kind) for a in numbers((5, 6), (5, 6), low=0.1, high=0.9))
    expected = DEFINITIONS[name](np.asarray(x), np.asarray(y))
    loss = getattr(F, name)
    np.testing.assert_allclose(loss(x, y, reduction="none"), expected, rtol=1e-12)
    np.testing.assert_allclose(loss(x, y, reduction="sum").item(), expected.sum(), rtol=1e-12)
    np.testing.assert_allclose(loss(x, y).item(), expected.mean(), rtol=1e-12)


TWO = [
    # times 1: the last step of these has another name in PyTorch's compiled code
    "F.pairwise_distance(x, y) * 1", "F.cross_entropy(x, y.softmax(1)) * 1",
    "F.cross_entropy(x, y.softmax(1), label_smoothing=0.2) * 1",
    *[f"F.{name}(x, y{more})" for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
      "binary_cross_entropy_with_logits", "poisson_nll_loss")
      for more in ("", ", reduction='sum'", ", reduction='none'")],
    "F.soft_margin_loss(x, m.tensor([1.0, -1.0, 1.0, -1.0], dtype=m.float64))",
    *[f"F.{name}(x, y, weight=m.arange(12, dtype=m.float64).view(3, 4){more})"
      for name in ("mse_loss", "l1_loss", "huber_loss") for more in ("", ", reduction='sum'")],
    "F.smooth_l1_loss(x, y, beta=0.3)", "F.smooth_l1_loss(x, y, beta=0.0)", "F.huber_loss(x, y, delta=0.4)",
    "F.binary_cross_entropy(x.sigmoid(), y.sigmoid())",
    "F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=m.full((4,), 0.3, dtype=m.float64))",
    "F.binary_cross_entropy_with_logits(x, y, pos_weight=m.full((4,), 3.0, dtype=m.float64))",
    "F.binary_cross_entropy_with_logits(x, y, m.full((4,), 0.5, dtype=m.float64))",
    "F.kl_div(x, y.sigmoid(), reduction='batchmean')", "F.kl_div(x, y, reduction='sum', log_target=True)",
    "F.gaussian_nll_loss(x, y, 0.7)", "F.gaussian_nll_loss(x, x * y, y * y, full=True, reduction='none')",
    "F.poisson_nll_loss(x * x, y * y + 1, log_input=False, full=True)",
    "F.hinge_embedding_loss(x, m.tensor([1, -1, 1, -1]), margin=0.5)",
    "F.margin_ranking_loss(x, y, m.ones(1, 1, dtype=m.float64), margin=0.5, reduction='none')",
    "F.cosine_embedding_loss(x, y, m.tensor([1, -1, 1]), margin=-0.9)",
    "F.triplet_margin_loss(x, y, x * y, swap=True)", "F.triplet_margin_loss(x, y, x * y, p=3, margin=2.0)",
    "F.cross_entropy(x, y.softmax(1), weight=m.arange(4, dtype=m.float64), reduction='none')",
]  # fmt: skip

CLASSES = "m.tensor([1, 3, 0])"
WEIGHT = "m.tensor([0.5, 2.0, 1.5, 0.25], dtype=m.float64)"
ONE = [
    f"F.{name}(x, {CLASSES}{more}, reduction='{reduction}')"
    for name in ("nll_loss", "cross_entropy")
    for more in ("", f", {WEIGHT}", ", ignore_index=3", f", {WEIGHT}, ignore_index=3")
    for reduction in ("mean", "sum", "none")
] + [
    f"F.cross_entropy(x, {CLASSES}, label_smoothing=0.3{more}, reduction='{reduction}')"
    for more in ("", f", weight={WEIGHT}, ignore_index=3")
    for reduction in ("mean", "sum", "none")
]


@pytest.mark.interpreted
@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("expression", TWO)
def test_gradients_of_two_are_those_of_torch(torch, expression):
    for kinds in (["row", "row"], ["transposed", "sliced"], ["offset", "expanded"]):
        for second in (False, True):
            assert_like_torch(torch, expression, numbers((3, 4), (3, 4)), kinds, 1e-10, second)


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", ONE)
def test_gradients_of_classes_are_those_of_torch(torch, expression, kind):
    for second in (False, True):
        assert_like_torch(torch, expression, numbers((3, 4)), [kind], 1e-10, second)


@pytest.mark.interpreted
@pytest.mark.parametrize("expression", [*TWO[:6], *TWO[20:], *ONE[::5]])
def test_gradients_are_those_that_differences_show(expression):
    shapes = [(3, 4), (3, 4)] if expression in TWO else [(3, 4)]
    assert_like_differences(expression, numbers(*shapes, low=0.2, high=0.8), second=False)


@pytest.mark.parametrize("shape", [(5,), (2, 5), (2, 5, 3), (2, 5, 3, 2), (2, 5, 2, 3, 2), (1, 5, 1), (4, 1)])
@pytest.mark.parametrize("kind", KINDS)
def test_classes_in_any_number_of_dimensions(torch, shape, kind):
    (values,) = numbers(shape)
    classes = shape[0] if len(shape) == 1 else shape[1]
    places = (shape[0], *shape[2:]) if len(shape) > 1 else ()
    target = np.random.default_rng(1).integers(0, classes, places)
    x = lay_out(values, kind)
    dense = np.asarray(x)
    for name in ("nll_loss", "cross_entropy"):
        for reduction in ("mean", "sum", "none"):
            ours, theirs = x.clone().requires_grad_(), torch.from_numpy(dense.copy()).requires_grad_()
            got = getattr(F, name)(ours, tl.tensor(target), reduction=reduction)
            expected = getattr(torch.nn.functional, name)(
                theirs, torch.from_numpy(np.asarray(target)), reduction=reduction
            )
            agree(got, expected, 1e-12)
            (got * got).sum().backward()
            (expected * expected).sum().backward()
            np.testing.assert_allclose(ours.grad, theirs.grad, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shape", [(9, 7), (4, 3, 5), (2, 3, 9, 4), (1, 5, 6, 7)])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_in_pieces(monkeypatch, shape, reduction):
    """Where nothing is recorded, the logarithms of few rows or places are made at a time."""
    monkeypatch.setattr(likelihood, "PIECE", 17)
    rng = np.random.default_rng(0)
    places = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    places.reshape(-1)[1] = -100
    target, weight = tl.tensor(places), tl.tensor(rng.uniform(0.5, 1, shape[1]))
    for kind in KINDS:
        x = lay_out(rng.normal(size=shape), kind)
        found = F.cross_entropy(x, target, weight, reduction=reduction)
        recorded = F.cross_entropy(x.clone().requires_grad_(), target, weight, reduction=reduction)
        assert not found.requires_grad
        assert found.stride() == recorded.stride()
        np.testing.assert_allclose(found.numpy(), recorded.detach().numpy(), rtol=1e-12)
    with pytest.raises(IndexError, match="out of bounds"):
        F.cross_entropy(x, target + 100, reduction=reduction)


def test_cross_entropy_is_its_definition():
    x, target = numbers((6, 5))[0] * 30, np.array([0, 4, 2, 2, 1, 3])
    expected = -log_probabilities(x)[np.arange(6), target]
    np.testing.assert_allclose(F.cross_entropy(tl.tensor(x), tl.tensor(target)).item(), expected.mean())


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_sixteen_bits(torch, half):
    x, target = numbers((6, 5))[0].astype("float32"), np.array([0, 4, 2, 2, 1, 3])
    ours = F.cross_entropy(tl.tensor(x).to(getattr(tl, half)), tl.tensor(target))
    theirs = torch.nn.functional.cross_entropy(torch.tensor(x).to(getattr(torch, half)), torch.tensor(target))
    agree(ours, theirs, 1e-2)


def test_nothing_has_no_mean():
    nothing = tl.zeros(0, dtype=tl.int64)
    assert math.isnan(F.nll_loss(tl.zeros(0, 5), nothing).item())
    assert F.nll_loss(tl.zeros(0, 5), nothing, reduction="sum").item() == 0
    assert math.isnan(F.cross_entropy(tl.zeros(2, 5), tl.full((2,), -100)).item())
    assert math.isnan(F.mse_loss(tl.zeros(0), tl.zeros(0)).item())


def test_probabilities_of_0_and_1_stay_finite():
    x = tl.tensor([0.0, 1.0, 0.0, 1.0], requires_grad=True)
    loss = F.binary_cross_entropy(x, tl.tensor([0.0, 1.0, 1.0, 0.0]), reduction="none")
    assert loss.tolist() == [0.0, 0.0, 100.0, 100.0]
    loss.sum().backward()
    assert x.grad.isfinite().all()


def test_older_words_and_warnings():
    x, y = tl.ones(2), tl.zeros(2)
    with pytest.warns(UserWarning, match="please use reduction='sum'"):
        assert F.mse_loss(x, y, size_average=False).item() == 2
    with pytest.warns(UserWarning, match="different to the input size"):
        F.mse_loss(x, tl.zeros(1))
    with pytest.warns(UserWarning, match="batchmean"):
        F.kl_div(x, y)


X, T = tl.zeros(4, 5), tl.tensor([1, 2, 3, 0])
REFUSED = [
    (lambda: F.nll_loss(X, T + 3), IndexError, "Target 5 is out of bounds: there are 5 classes"),
    (lambda: F.nll_loss(X, T - 5), IndexError, "Target -4 is out of bounds"),
    (lambda: F.nll_loss(X, T.int()), RuntimeError, "convert it with .long"),
    (lambda: F.nll_loss(X, T[:3]), ValueError, "batch_size"),
    (lambda: F.nll_loss(X, X), RuntimeError, "multi-target not supported"),
    (lambda: F.nll_loss(X, T, tl.ones(4)), RuntimeError, "all 5 classes"),
    (lambda: F.nll_loss(X, T, tl.ones(5).double()), RuntimeError, "expected scalar type float32"),
    (lambda: F.nll_loss(X, T, reduction="all"), ValueError, "it is 'mean', 'sum' or 'none'"),
    (lambda: F.nll_loss(X.long(), T), NotImplementedError, "not implemented for int64"),
    (lambda: F.nll_loss(tl.ones(2, 5, 3), tl.ones(2, 4).long()), RuntimeError, "Expected target size"),
    (lambda: F.nll_loss(tl.ones(()), T), ValueError, "1 or more dimensions"),
    (lambda: F.cross_entropy(X, X.long()), RuntimeError, "class probabilities"),
    (lambda: F.cross_entropy(X, X, ignore_index=2), RuntimeError, "ignore_index is not supported"),
    (lambda: F.cross_entropy(X, T, label_smoothing=2.0), RuntimeError, "between 0.0 and 1.0"),
    (lambda: F.mse_loss(X.long(), X.long()), NotImplementedError, "int64"),
    (lambda: F.mse_loss(X, X, weight=tl.ones(5)), ValueError, "must have the same size"),
    (lambda: F.smooth_l1_loss(X, X, beta=-1), RuntimeError, "negative values for beta"),
    (lambda: F.huber_loss(X, X, delta=0), RuntimeError, "non-positive values for delta"),
    (lambda: F.binary_cross_entropy(X + 2, X), RuntimeError, "all elements of input"),
    (lambda: F.binary_cross_entropy(X, X[0]), ValueError, "same size"),
    (lambda: F.binary_cross_entropy(X, X.double()), RuntimeError, "Found dtype float64"),
    (lambda: F.binary_cross_entropy_with_logits(X, X[0]), ValueError, "must be the same as input size"),
    (lambda: F.gaussian_nll_loss(X, X, -tl.ones(4, 5)), ValueError, "negative"),
    (lambda: F.gaussian_nll_loss(X, X, tl.ones(5)), ValueError, "incorrect size"),
    (lambda: F.triplet_margin_loss(X, X, X, margin=-1.0), ValueError, "greater than 0"),
    (lambda: F.margin_ranking_loss(X, X, tl.ones(4)), RuntimeError, "same dimension"),
    (lambda: F.soft_margin_loss(X, tl.ones(4, 5, requires_grad=True)), RuntimeError, "not differentiable"),
    (lambda: F.cosine_embedding_loss(X, X, X), RuntimeError, "target tensor expects"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
