"""Derivatives of what folds, runs along or orders a dimension: against PyTorch, and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tensorlab as tl
from tests.library.gradients.derivatives import (
    assert_like_differences,
    assert_like_torch,
    derivatives,
    leaves,
    operands,
    values,
)

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

ONE = [
    # sums
    "x.sum()", "x.sum(0)", "x.sum(-1, keepdim=True)", "x.sum((0, 1))", "x.sum(())", "x.mean()", "x.mean(1)",
    "x.mean((0, 1), keepdim=True)", "x.nansum()", "x.nansum(0)", "x.nanmean(1)", "x.prod()", "x.prod(0)",
    "x.prod(1, keepdim=True)", "m.sum(x, dim=None, keepdim=True)",
    # how elements spread
    "x.var()", "x.var(1)", "x.var(0, correction=0)", "x.var((0, 1), keepdim=True)", "x.std()", "x.std(1)",
    "m.var_mean(x, 1)[0]", "m.var_mean(x, 1)[1]", "sum(m.var_mean(x, 0))", "m.std_mean(x, 1)[0]",
    "sum(m.std_mean(x, 0))",
    # extremes and order
    "x.amax()", "x.amax(1)", "x.amin((0, 1), keepdim=True)", "x.max()", "x.min()", "x.max(0)[0]",
    "x.min(1, keepdim=True)[0]", "m.aminmax(x)[0]", "sum(m.aminmax(x, dim=1))", "x.median()",
    "x.median(1)[0]", "x.nanmedian()", "x.nanmedian(0)[0]", "x.mode(1)[0]", "x.kthvalue(2, 1)[0]",
    "x.sort(1)[0]", "x.sort(0, descending=True)[0]", "x.topk(2)[0]", "x.topk(1, 0, largest=False)[0]",
    "m.msort(x)",
    # running results
    "x.cumsum(0)", "x.cumsum(1)", "x.cumprod(0)", "x.cumprod(1)", "x.cummax(0)[0]", "x.cummin(1)[0]",
    "(x + 0).cumsum_(1)", "(x + 0).cumprod_(0)",
    # exponentials
    "x.softmax(0)", "x.softmax(1)", "x.log_softmax(0)", "x.log_softmax(1)", "x.logsumexp(0)",
    "x.logsumexp((0, 1))", "x.logsumexp(1, keepdim=True)",
    # norms
    "x.norm()", "x.norm(1)", "x.norm(2, 1)", "x.norm(3, 0, keepdim=True)", "x.norm(0.5, 1)", "x.norm(1.5)",
    "x.norm(math.inf)", "x.norm(-math.inf, 1)", "x.norm(-1.0)", "m.linalg.norm(x, 1)",
    "m.linalg.matrix_norm(x, math.inf)", "F.normalize(x)", "x.diff()",
]  # fmt: skip
TWO = [
    "m.cdist(x, y)", "m.cdist(x, y, 1.0)", "m.cdist(x, y, 3.0)", "m.cdist(x, y, math.inf)",
    "m.cdist(x, y, 1.5)", "F.cosine_similarity(x, y)",
]  # fmt: skip
EMPTY = [
    "x.sum()", "x.sum(0)", "x.mean(1)", "x.prod()", "x.prod(0)", "x.cumsum(0)", "x.cumprod(1)",
    "x.softmax(1)", "x.log_softmax(0)", "x.norm()", "x.sort(1)[0]", "x.logsumexp(0)", "x.amax(1)",
]  # fmt: skip

LAYOUTS = [
    ((3, 4), "row"), ((3, 4), "transposed"), ((4, 3), "sliced"), ((3, 4), "offset"), ((2, 3), "expanded"),
    ((1, 4), "row"), ((3, 1), "transposed"), ((1, 1), "row"),
]  # fmt: skip
# What several elements are equal for: only the ones that PyTorch chooses from.
CHOOSES_ANY = {"x.mode(1)[0]", "x.kthvalue(2, 1)[0]", "x.median(1)[0]", "x.nanmedian(0)[0]", "x.topk(2)[0]"}


def fits(expression: str, shape: tuple[int, ...]) -> bool:
    """Whether PyTorch's answer for the shape is a number that is worth a comparison."""
    if "kthvalue" in expression or "topk(2)" in expression:
        return shape[1] > 1
    few = math.prod(shape) == 1 or ((", 1" in expression or "(1" in expression) and shape[1] == 1)
    few = few or ((", 0" in expression or "(0" in expression) and shape[0] == 1)
    return not (few and ("var" in expression or "std" in expression))


@pytest.mark.parametrize("expression", ONE)
def test_derivatives_are_those_of_torch(torch, expression):
    for shape, kind in LAYOUTS:
        if fits(expression, shape) and not (kind == "expanded" and expression in CHOOSES_ANY):
            assert_like_torch(torch, expression, operands("x", "any", [shape]), [kind])


@pytest.mark.parametrize("expression", TWO)
def test_derivatives_of_distances_are_those_of_torch(torch, expression):
    other = (3, 4) if "cosine" in expression else (5, 4)
    for kinds in (("row", "row"), ("transposed", "sliced")):
        arrays = operands("xy", "any", [(3, 4), other])
        # PyTorch has no second derivative of cdist
        assert_like_torch(torch, expression, arrays, kinds, second="cdist" not in expression)


@pytest.mark.parametrize("expression", [*ONE, *TWO])
def test_derivatives_are_those_that_differences_show(expression):
    shapes = [(2, 3), (2, 3)]
    assert_like_differences(expression, operands("xy" if expression in TWO else "x", "any", shapes, seed=3))


@pytest.mark.parametrize("expression", EMPTY)
def test_no_elements(torch, expression):
    for shape in ((0, 3), (3, 0)):
        array = np.zeros(shape)
        try:
            torch_result = derivatives(torch, expression, leaves(torch, [array]))
        except (IndexError, RuntimeError):
            continue
        _, first, second = derivatives(tl, expression, leaves(tl, [array]))
        for ours, theirs in zip((*first, *second), (*torch_result[1], *torch_result[2]), strict=True):
            assert ours is None or theirs is None or tuple(ours.shape) == tuple(theirs.shape)


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("expression", [e for e in ONE if "dim" not in e and "1" not in e])
def test_a_tensor_without_dimensions(torch, expression):
    array = np.array(0.7)
    try:
        derivatives(torch, expression, leaves(torch, [array]))
    except (IndexError, RuntimeError):
        return
    if "var" not in expression and "std" not in expression and "(0, 1)" not in expression:
        assert_like_torch(torch, expression, [array])


TIES = np.array([[2.0, -1.0, 2.0, 0.5], [-1.0, -1.0, 0.5, 0.5], [3.0, 3.0, 3.0, 3.0]])


@pytest.mark.parametrize(
    "expression",
    ["x.amax()", "x.amax(1)", "x.amin(0)", "x.max()", "x.min()", "x.max(0)[0]", "x.min(1)[0]",
     "m.aminmax(x)[1]", "sum(m.aminmax(x, dim=1))", "x.median()", "x.cummax(1)[0]", "x.cummin(0)[0]",
     "m.sort(x, dim=1, stable=True)[0]", "x.norm(math.inf)", "m.cdist(x, x.detach(), math.inf)"],
)  # fmt: skip
def test_equal_elements_share_as_in_torch(torch, expression):
    assert_like_torch(torch, expression, [TIES], second="cdist" not in expression)


ZEROS = [np.array([2.0, 0.0, 3.0, -1.5]), np.array([0.0, 2.0, 0.0, 4.0]), np.array([0.0, 0.0, 0.0])]


@pytest.mark.parametrize("expression", ["x.prod()", "x.prod(0)", "x.cumprod(0)"])
def test_products_with_zeros(torch, expression):
    for array in ZEROS:
        assert_like_torch(torch, expression, [array])
    assert_like_torch(torch, expression.replace("0", "1"), [np.array(ZEROS[:2])])


INF, NAN = math.inf, math.nan
EDGES = {
    "x.max()": [NAN, 1.0, NAN], "x.amax(0)": [NAN, 1.0], "x.median()": [NAN, 1.0],
    "x.nanmedian()": [NAN, 2.0, 2.0], "x.nansum()": [NAN, 1.0], "x.nanmean()": [NAN, 1.0, 3.0],
    "x.logsumexp(0)": [-INF, -INF], "x.softmax(0)": [-INF, 1.0], "x.log_softmax(0)": [-INF, 1.0],
    "x.norm()": [0.0, 0.0], "x.norm(3)": [0.0, 0.0], "x.norm(1)": [0.0, 2.0, NAN],
    "x.norm(0.5)": [0.0, 2.0, -2.0], "x.norm(1.5)": [0.0, 0.0], "x.norm(0)": [1.0, 0.0],
    "x.std()": [1.0, 1.0], "x.cummax(0)[0]": [1.0, NAN, 2.0], "x.var(correction=0)": [1.0, 1.0],
    "x.min(0)[0]": [2.0, NAN],
}  # fmt: skip


@pytest.mark.parametrize("expression", EDGES)
def test_gradients_at_the_edges_are_those_of_torch(torch, expression):
    assert_like_torch(torch, expression, [np.array(EDGES[expression])], second=False)


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
def test_too_few_elements_for_a_variance(torch):
    for data, correction in (([1.0], 1), ([1.0, 2.0, 3.0], 3), ([1.0, 1.0, 2.0], 5)):
        assert_like_torch(torch, f"x.var(correction={correction})", [np.array(data)], second=False)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, INF])
def test_a_distance_of_0_has_no_gradient(torch, p):
    data = np.array([[1.0, 2.0], [3.0, 5.0], [1.0, 2.0]])
    assert_like_torch(torch, f"m.cdist(x, x.detach(), float('{p}'))", [data], second=False)


def test_distances_by_a_matrix_product(torch):
    arrays = operands("xy", "any", [(30, 3), (28, 3)])
    ours = derivatives(tl, "m.cdist(x, y)", leaves(tl, arrays))
    theirs = derivatives(torch, "m.cdist(x, y)", leaves(torch, arrays))
    assert ours[0].grad_fn.name() == "EuclideanDistBackward0"
    for a, b in zip((*ours[1], *ours[2]), (*theirs[1], *theirs[2]), strict=True):
        np.testing.assert_allclose(values(a), values(b), rtol=1e-9, atol=1e-9)


def test_distances_in_batches(torch):
    arrays = operands("xy", "any", [(2, 3, 4), (5, 4)])
    assert_like_torch(torch, "m.cdist(x, y)", arrays, second=False)


@pytest.mark.parametrize("expression", ["x.unique()", "m.unique(x, dim=0)", "m.unique_consecutive(x)"])
def test_distinct_elements_have_no_derivative(torch, expression):
    for library in (tl, torch):
        (x,) = leaves(library, [np.array([1.0, 2.0, 2.0])])
        result = eval(expression, {"m": library, "x": x})
        with pytest.raises(NotImplementedError, match=r"the derivative for .* is not implemented"):
            result.sum().backward()


@pytest.mark.parametrize(
    "call",
    ["m.sum(x, 0, out=o)", "m.amax(x, 0, out=o)", "m.cumsum(x, 0, out=w)",
     "m.var(x, 0, out=o)", "m.logsumexp(x, 0, out=o)", "m.sort(x, 0, out=(w, i))", "m.max(x, 0, out=(o, j))"],
)  # fmt: skip
def test_out_refuses_what_would_be_recorded(torch, call):
    for library in (tl, torch):
        names = {"m": library, "x": library.ones(2, 3).requires_grad_(), "o": library.ones(3)}
        names |= {"w": library.ones(2, 3), "i": library.ones(2, 3, dtype=library.int64)}
        names |= {"j": library.ones(3, dtype=library.int64)}
        with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
            eval(call, names)
        with library.no_grad():
            eval(call, names)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
def test_softmax_gradients_in_one_pass(torch, function, name, dim):
    """The kernel over many blocks and strips, in every dtype."""
    rng = np.random.default_rng(5)
    x, g = rng.normal(size=(2, 2, 3, 1500) if dim == 2 else (3, 1300, 2))[:2]
    close = {"float64": 1e-13, "float32": 2e-6, "float16": 3e-3, "bfloat16": 2e-2}[name]
    found = []
    for library in (tl, torch):
        element_type = getattr(library, name)
        leaf = library.tensor(x, dtype=element_type).requires_grad_()
        position = dim % leaf.ndim
        getattr(leaf, function)(position).backward(library.tensor(g, dtype=element_type))
        assert leaf.grad.dtype is element_type
        found.append(values(leaf.grad.to(library.float64)))
    np.testing.assert_allclose(*found, rtol=close, atol=close * (1 + abs(found[1]).max()))
