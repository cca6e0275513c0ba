"""Derivatives of pointwise functions: against PyTorch, and against finite differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.ops.elementwise import node_kind
from tensorlab.scalars import TABLE, TRUTH
from tests.library.gradients.derivatives import (
    assert_like_differences,
    assert_like_torch,
    derivatives,
    evaluate,
    leaves,
    operands,
    values,
)

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

CASES = {
    # signs, sums, products
    "-x": "any", "m.abs(x)": "any", "m.sign(x)": "any", "m.sgn(x)": "any", "m.square(x)": "any",
    "m.reciprocal(x)": "any", "x + y": "any", "x + 2": "any", "2.5 + x": "any", "x - y": "any",
    "x - 2": "any", "2 - x": "any", "m.add(x, y, alpha=3)": "any", "m.sub(x, y, alpha=0.5)": "any",
    "m.sub(x, 2, alpha=3)": "any", "x * y": "any", "x * 2.5": "any", "3 * x": "any",
    "m.addcmul(x, y, z, value=0.5)": "any", "m.addcdiv(x, y, z, value=0.5)": "any",
    "m.lerp(x, y, 0.3)": "any", "m.lerp(x, y, 0.7)": "any", "m.lerp(x, y, z)": "any",
    # quotients
    "x / y": "any", "x / 3": "any", "m.div(x, y, rounding_mode='floor')": "any",
    "m.div(x, y, rounding_mode='trunc')": "any", "m.div(x, 0.3, rounding_mode='floor')": "any",
    "m.remainder(x, y)": "any", "x % 0.7": "any", "m.fmod(x, y)": "any", "m.fmod(x, 0.7)": "any",
    # powers
    "x ** 2": "any", "x ** 3": "any", "x ** 4": "any", "x ** -1": "any", "x ** -2": "any", "x ** 0": "any",
    "x ** 1": "any", "x ** 0.5": "positive", "x ** -0.5": "positive", "x ** 2.5": "positive",
    "x ** -1.0": "any", "m.pow(x, y)": "positive", "2.5 ** x": "any", "m.pow(1, x)": "any",
    "m.sqrt(x)": "positive", "m.rsqrt(x)": "positive", "m.hypot(x, y)": "any",
    # bounds
    "m.maximum(x, y)": "any", "m.minimum(x, y)": "any", "m.fmax(x, y)": "any", "m.fmin(x, y)": "any",
    "m.clamp(x, -0.5, 0.5)": "any", "m.clamp(x, y, z)": "any", "m.clamp(x, min=0.5)": "any",
    "m.clamp(x, min=y)": "any", "m.clamp(x, max=0.5)": "any", "m.clamp(x, max=y)": "any",
    "m.clamp_min(x, 0.5)": "any", "m.clamp_min(x, y)": "any", "m.clamp_max(x, 0.5)": "any",
    "m.clamp_max(x, y)": "any", "m.nan_to_num(x)": "any",
    # rounding
    "m.floor(x)": "any", "m.ceil(x)": "any", "m.trunc(x)": "any", "m.round(x)": "any", "m.frac(x)": "any",
    "m.round(x, decimals=1)": "any", "m.round(x, decimals=-1)": "any",
    # exponentials and logarithms
    "m.exp(x)": "any", "m.exp2(x)": "any", "m.expm1(x)": "any", "m.sigmoid(x)": "any",
    "m.log(x)": "positive", "m.log2(x)": "positive", "m.log10(x)": "positive", "m.log1p(x)": "positive",
    "m.logaddexp(x, y)": "any", "m.xlogy(x, y)": "positive", "m.xlogy(x, 2.5)": "any",
    "m.xlogy(2.5, x)": "positive",
    # angles
    "m.sin(x)": "any", "m.cos(x)": "any", "m.tan(x)": "any", "m.asin(x)": "inside", "m.acos(x)": "inside",
    "m.atan(x)": "any", "m.atan2(x, y)": "any", "m.sinh(x)": "any", "m.cosh(x)": "any", "m.tanh(x)": "any",
    "m.erf(x)": "any",
    # activations
    "F.relu(x)": "any", "F.relu6(x)": "any", "F.leaky_relu(x, 0.2)": "any", "F.elu(x, 0.7)": "any",
    "F.selu(x)": "any", "F.celu(x, 0.5)": "any",
    "F.silu(x)": "any", "F.softplus(x)": "any", "F.softplus(x, 2.0, 1.0)": "any", "F.logsigmoid(x)": "any",
    "F.gelu(x)": "any", "F.gelu(x, approximate='tanh')": "any", "F.hardtanh(x, -0.5, 0.7)": "any",
    "F.hardshrink(x, 0.3)": "any", "F.softshrink(x, 0.3)": "any", "F.threshold(x, 0.3, 2.0)": "any",
    "F.hardswish(x * 4)": "any", "F.mish(x)": "any", "F.softsign(x)": "any",
    "F.tanhshrink(x)": "any",
    # special functions
    "m.asinh(x)": "any", "m.acosh(1.1 + x)": "positive", "m.atanh(x)": "inside", "m.erfc(x)": "any",
    "m.erfinv(x)": "inside", "m.polygamma(2, x)": "positive", "m.sinc(x)": "any",
    "m.logit(x / 2)": "positive", "m.logit(x, 0.2)": "positive", "m.copysign(x, y)": "any",
    "m.copysign(x, -2)": "any", "m.ldexp(x, y)": "any", "m.logaddexp2(x, y)": "any",
    "m.float_power(x, 3)": "any",
    "m.special.entr(x)": "positive", "m.special.ndtri(x / 2)": "positive",
    "m.special.log_ndtr(x * 3)": "any", "m.special.erfcx(x)": "any", "m.special.xlog1py(x, y)": "positive",
    # choice
    "m.where(x > 0, x, y)": "any", "m.where(y > 0, x, 2.0)": "any", "m.where(y > 0, 2.0, x)": "any",
    # in place: `x + 0` keeps the leaf out of it
    "(x + 0).exp_()": "any", "(x + 0).sin_()": "any", "(x + 0).sqrt_()": "positive", "(x + 0).abs_()": "any",
    "(x + 0).mul_(y)": "any", "(x + 0).div_(y)": "any", "(x + 0).add_(y, alpha=2)": "any",
    "(x + 0).sub_(y)": "any", "(x + 0).mul_(3)": "any", "(x + 0).pow_(2)": "any",
    "(x + 0).pow_(y)": "positive",
    "(x + 0).sigmoid_()": "any", "(x + 0).relu_()": "any", "(x + 0).clamp_(-0.5, 0.5)": "any",
    "(x + 0).floor_()": "any", "(x + 0).round_()": "any", "(x + 0).remainder_(y)": "any",
    "(x + 0).addcmul_(y, z, value=2)": "any", "(x + 0).addcdiv_(y, z)": "any", "(x + 0).lerp_(y, 0.3)": "any",
    "(x + 0).lerp_(y, z)": "any", "(x + 0).div_(y, rounding_mode='floor')": "any", "(x + 0).eq_(y)": "any",
    "(x + 0).gt_(0.1)": "any", "(x + 0).atan2_(y)": "any", "(x + 0).nan_to_num_()": "any",
    "(x + 0).sub_(y, alpha=3)": "any", "(x + 0).reciprocal_()": "any", "(x + 0).clamp_min_(y)": "any",
    "F.leaky_relu(x + 0, 0.2, inplace=True)": "any", "F.elu(x + 0, 0.7, inplace=True)": "any",
    "F.selu(x + 0, inplace=True)": "any", "F.celu(x + 0, 0.5, inplace=True)": "any",
    "F.threshold(x + 0, 0.3, 2.0, inplace=True)": "any", "F.mish(x + 0, inplace=True)": "any",
    "F.hardswish(x + 0, inplace=True)": "any",
    "(x + 0).copysign_(y)": "any", "(x + 0).ldexp_(y)": "any",
    "(x + 0).logit_(0.2)": "positive",
    "F.silu(x + 0, inplace=True)": "any", "F.hardtanh(x + 0, inplace=True)": "any",
}  # fmt: skip

LAYOUTS = {
    "rows": (((3, 4), (3, 4), (3, 4)), ()),
    "transposed": (((3, 4), (3, 4), (3, 4)), ("transposed", "sliced", "offset")),
    "expanded": (((3, 4), (3, 4), (3, 4)), ("row", "expanded", "transposed")),
    "broadcast": (((3, 4), (4,), (3, 1)), ("transposed", "sliced")),
    "no elements": (((0, 3), (0, 3), (1, 3)), ()),
    "no dimensions": (((), (), ()), ()),
}


@pytest.mark.parametrize("expression", CASES)
def test_derivatives_are_those_of_torch(torch, expression):
    for shapes, kinds in LAYOUTS.values():
        names = "xyz"[: 1 + ("y" in expression.split("xlogy")[-1]) + ("z" in expression)]
        arrays = operands(names, CASES[expression], shapes)
        assert_like_torch(torch, expression, arrays, kinds[: len(names)])


@pytest.mark.parametrize("expression", [e for e in CASES if "round" not in e])
def test_derivatives_are_those_that_differences_show(expression):
    names = "xyz"[: 1 + ("y" in expression.split("xlogy")[-1]) + ("z" in expression)]
    assert_like_differences(expression, operands(names, CASES[expression], [(2, 3), (3,), (2, 1)]))


# PyTorch has nine digits here, other nodes for ndtr, and no second derivative of hardsigmoid.
ROUGH = {"F.hardsigmoid(x * 4)": "any", "F.hardsigmoid(x + 0, inplace=True)": "any"}
ROUGH |= {"m.lgamma(x)": "positive", "m.digamma(x)": "positive", "(x + 0).lgamma_()": "positive"}
ROUGH |= {"m.special.ndtr(x)": "any"}


@pytest.mark.parametrize("expression", ROUGH)
def test_derivatives_of_which_pytorch_has_nine_digits(torch, expression):
    arrays = operands("x", ROUGH[expression], [(3, 4)])
    assert_like_differences(expression, arrays)
    found = []
    for library in (tl, torch):
        (x,) = leaves(library, arrays)
        evaluate(library, expression, (x,)).sum().backward()
        found.append(values(x.grad))
    np.testing.assert_allclose(*found, rtol=1e-7)


INF, NAN = float("inf"), float("nan")
EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, INF, -INF, NAN, 3.0, -2.5]
# PyTorch has NaN here where a sum of the two sides of gelu, or of exponentials, is not needed; and it has a
# gradient of x ** -0.5 at -inf, where the power itself is NaN.
OTHERWISE = {"F.softplus(x)", "F.gelu(x)", "x ** -0.5", "m.hypot(x, y)"}
# It has NaN where the poles of polygamma and a limit of log_ndtr are.
OTHERWISE |= {"m.polygamma(2, x)", "m.special.log_ndtr(x * 3)"}


@pytest.mark.parametrize(
    "expression",
    [e for e in CASES if "z" not in e and e not in OTHERWISE and "x / y" not in e] + ["m.max(x, y)"],
)
def test_gradients_at_the_edges_are_those_of_torch(torch, expression):
    pairs = np.array(list(itertools.product(EDGES, EDGES)))
    # PyTorch's vectors take logit's -0.0 for a number below zero, its single elements do not
    edges = np.array(EDGES) + (0.0 if "logit" in expression else -0.0)
    arrays = [pairs[:, 0].copy(), pairs[:, 1].copy()] if "y" in expression.split("xlogy")[-1] else [edges]
    assert_like_torch(torch, expression, arrays, second=False)


@pytest.mark.parametrize("expression", ["m.clamp(x, y, z)", "m.lerp(x, y, z)", "m.addcdiv(x, y, z)"])
def test_gradients_of_three_operands_at_the_edges_are_those_of_torch(torch, expression):
    triples = np.array(list(itertools.product(EDGES, repeat=3)))
    assert_like_torch(torch, expression, list(triples.T.copy()), second=False)


@pytest.mark.parametrize("expression", ["m.maximum(x, y)", "m.clamp(x, y, 1 + y)", "m.abs(x)", "F.relu(x)"])
def test_second_derivatives_where_operands_are_equal(torch, expression):
    equal = np.array([-1.0, 0.0, 0.0, 1.0, 2.0])
    assert_like_torch(torch, expression, [equal, equal.copy()][: 1 + ("y" in expression)])


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "expression", ["x * y", "m.exp(x)", "F.gelu(x)", "m.sin(x)", "m.pow(x, 3)", "m.where(x > 0, x, 0)"]
)
def test_gradients_have_the_type_of_their_operands(torch, expression, name):
    arrays = operands("xy"[: 1 + ("y" in expression)], "any", [(3, 4), (4,)])
    ours = [tl.tensor(a, dtype=getattr(tl, name)).requires_grad_() for a in arrays]
    theirs = [torch.tensor(a, dtype=getattr(torch, name)).requires_grad_() for a in arrays]
    for a, b in zip(
        derivatives(tl, expression, ours)[1], derivatives(torch, expression, theirs)[1], strict=True
    ):
        assert a.dtype.name == name
        np.testing.assert_allclose(
            values(a), values(b), rtol=0, atol={"float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}[name]
        )


def test_an_integer_operand_gets_no_gradient():
    x = tl.tensor([1.0, 2.0], requires_grad=True)
    (x * tl.tensor([3, 4])).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]


def test_what_cannot_be_differentiated_says_so(torch):
    for library in (tl, torch):
        x = library.tensor([5.0], requires_grad=True)
        quotient = x // 2
        assert quotient.requires_grad
        with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
            quotient.backward()


def test_angles_beyond_the_fast_formulas(torch):
    assert_like_torch(torch, "m.sin(x) + m.cos(x)", [np.array([1e8, -3e9, 1.0])])


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.result != TRUTH])
def test_every_row_of_floats_has_gradients(name):
    row = TABLE[name]
    if row.takes in ("integers", "counting") or name in ("copy", "signbit") or "bitwise" in name:
        return
    assert len(row.gradients) == row.arity
    assert node_kind(row) is not None


@pytest.mark.parametrize(
    "expression",
    ["2 ** x", "x ** 2", "1 - x", "x - 1", "x * 2", "m.clamp(x, 0, 1)", "m.clamp(x, y, y)", "F.softplus(x)",
     "m.lerp(x, y, 0.5)", "m.where(y > 0, x, y)", "x % 2", "m.add(x, y, alpha=2)", "m.addcmul(x, y, y)",
     "m.xlogy(2, x)", "m.round(x, decimals=1)", "(x + 0).eq_(1)", "m.cat([x, y])", "m.stack([y, x, y])"],
)  # fmt: skip
def test_nodes_lead_to_the_operands_that_torch_says(torch, expression):
    """An edge for each operand that may have a gradient, numbers and masks left out as PyTorch does."""
    found = []
    for library in (tl, torch):
        x, y = library.ones(3).requires_grad_(), library.ones(3)
        result, seen = evaluate(library, expression, (x, y)), []
        result.grad_fn.register_hook(lambda inputs, outputs, seen=seen: seen.append(len(inputs)))
        result.sum().backward()
        found.append(([node is not None for node, _ in result.grad_fn.next_functions], seen))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "expression",
    ["x * x", "x / x", "m.addcmul(x, y, y)", "m.addcmul(x, x, y)", "m.addcmul(x, x, x)", "m.addcdiv(y, x, x)",
     "m.lerp(x, y, y)", "m.clamp(y, x, x)", "x * x + x * x", "m.addcmul(x, y, y) + y * y"],
)  # fmt: skip
def test_one_tensor_as_several_operands(torch, expression):
    """Each operand's gradient counts, though they come to the same tensor: in every shape, small ones too."""
    for shape in ((3,), (2, 3), ()):
        arrays = operands("xy"[: 1 + ("y" in expression)], "any", [shape, shape])
        assert_like_torch(torch, expression, arrays)
        found = []
        for library in (tl, torch):
            tensors = leaves(library, arrays)
            evaluate(library, expression, tensors).sum().backward()
            found.append([values(tensor.grad) for tensor in tensors])
        for mine, theirs in zip(*found, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
