"""Linear and bilinear maps, against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.ops.elementwise import apply
from tensorlab.ops.linear import activated_linear
from tensorlab.scalars import TABLE
from tests.library.layouts import KINDS, lay_out
from tests.library.test_matmul import whole_numbers


def agree(torch, name, shapes, kind="row"):
    """A function of both libraries, on equal operands in equal layouts."""
    ours = [lay_out(whole_numbers(shape, i), kind) for i, shape in enumerate(shapes)]
    theirs = [torch.from_numpy(np.asarray(x)) for x in ours]
    result, expected = getattr(F, name)(*ours), getattr(torch.nn.functional, name)(*theirs)
    assert result.tolist() == expected.tolist()
    assert (tuple(result.shape), result.stride()) == (tuple(expected.shape), expected.stride())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3), (5, 3), (5,)],
        [(2, 3), (5, 3)],
        [(3,), (5, 3), (5,)],
        [(2, 4, 3), (5, 3), (5,)],
        [(7, 2, 4, 3), (5, 3)],
        [(2, 3), (5, 3), ()],
        [(2, 4, 3), (3,)],
        [(33, 40), (65, 40), (65,)],
    ],
    ids=str,
)
def test_linear(torch, shapes, kind):
    agree(torch, "linear", shapes, kind)


def test_linear_of_nothing():
    assert (
        F.linear(tl.ones(2, 0), tl.ones(3, 0), tl.tensor([1.0, 2.0, 3.0])).tolist() == [[1.0, 2.0, 3.0]] * 2
    )
    assert F.linear(tl.ones(0, 3), tl.ones(5, 3), tl.ones(5)).shape == (0, 5)


def test_linear_rounds_once(torch):
    x, w, b = (whole_numbers(shape, i) / 7 for i, shape in enumerate([(9, 70), (8, 70), (8,)]))
    x, w, b = (tl.tensor(array).to(tl.float16) for array in (x, w, b))
    wide = F.linear(*(t.to(tl.float64) for t in (x, w, b)))
    assert F.linear(x, w, b).tolist() == wide.to(tl.float16).tolist()


@pytest.mark.part(7)
@pytest.mark.parametrize("name", [None, "relu", "gelu", "silu"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(2, 3, 5), (33, 40, 65), (70, 500, 50), (1, 4, 9), (9, 4, 1)], ids=str)
def test_activated_linear_is_the_parts_put_together(name, kind, sizes):
    m, k, n = sizes
    x, w, b, r = (
        lay_out(whole_numbers(shape, i) / 64, kind) for i, shape in enumerate([(m, k), (n, k), (n,), (m, n)])
    )
    for bias, residual in ((b, None), (None, r), (b, r), (None, None)):
        expected = F.linear(x, w, bias)
        if name is not None:
            expected = apply(TABLE[name], expected)
        if residual is not None:
            expected = expected + residual
        result = activated_linear(x, w, bias, name, residual)
        # the sum at the end may be fused with a product before it, and may cancel
        np.testing.assert_allclose(np.asarray(result), np.asarray(expected), rtol=3e-7, atol=3e-7)


def test_activated_linear_rounds_once():
    x, w, b = (whole_numbers(shape, i) / 7 for i, shape in enumerate([(9, 70), (8, 70), (8,)]))
    x, w, b = (tl.tensor(array).to(tl.bfloat16) for array in (x, w, b))
    wide = F.gelu(F.linear(*(t.to(tl.float32) for t in (x, w, b)))).to(tl.bfloat16)
    assert activated_linear(x, w, b, "gelu").tolist() == wide.tolist()


def test_what_activated_linear_refuses():
    x, w = tl.ones(2, 3), tl.ones(5, 3)
    with pytest.raises(RuntimeError, match="no scalar function 'softsign'"):
        activated_linear(x, w, None, "softsign")
    with pytest.raises(RuntimeError, match="leaky_relu is no function of one number"):
        activated_linear(x, w, None, "leaky_relu")
    with pytest.raises(RuntimeError, match="must have its dtype, float32, and it has float64"):
        activated_linear(x, w, tl.ones(5, dtype=tl.float64))
    with pytest.raises(RuntimeError, match="the weight must be a matrix"):
        activated_linear(x, tl.ones(2, 5, 3))


def test_what_linear_refuses():
    for operands, message in [
        ((tl.ones(2, 4), tl.ones(5, 3)), r"mat1 and mat2 shapes cannot be multiplied \(2x4 and 3x5\)"),
        ((tl.ones(2, 3), tl.ones(3), tl.ones(1)), "the weight must be a matrix"),
        ((tl.ones(2, 3), tl.ones(5, 3).to(tl.float64)), "expected m1 and m2 to have the same dtype"),
        ((tl.ones(2, 3), tl.ones(5, 3), tl.ones(4)), "The expanded size of the tensor"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            F.linear(*operands)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3), (2, 4), (5, 3, 4), (5,)],
        [(7, 2, 3), (7, 2, 4), (5, 3, 4)],
        [(2, 3), (2, 4), (1, 3, 4)],
        [(17, 2, 1), (17, 2, 5), (4, 1, 5), (4,)],
    ],
    ids=str,
)
def test_bilinear(torch, shapes, kind):
    agree(torch, "bilinear", shapes, kind)


def test_what_bilinear_refuses():
    with pytest.raises(RuntimeError, match="input1 size does not match weight size: got 2 but expected 3"):
        F.bilinear(tl.ones(7, 2), tl.ones(7, 4), tl.ones(5, 3, 4))
    with pytest.raises(RuntimeError, match="input dimensions do not match"):
        F.bilinear(tl.ones(7, 3), tl.ones(6, 4), tl.ones(5, 3, 4))
