"""gradcheck tells right gradients from wrong ones, element by element and along one direction."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.autograd import gradcheck, gradgradcheck


class Wrong(tl.autograd.Function):
    """A cube whose gradient is a little off."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (3 * x**2 + 0.01)


def points(*shape):
    return (tl.arange(tl.Size(shape).numel(), dtype=tl.float64) * 0.37 + 0.4).view(shape).requires_grad_()


@pytest.mark.parametrize("fast", [False, True])
def test_right_gradients_pass(fast):
    x, y = points(2, 3), points(3)
    assert gradcheck(lambda x, y: (x * y, x.sum(0).exp()), (x, y), fast_mode=fast)
    assert gradgradcheck(lambda x, y: (x * y, x.sum(0).exp()), (x, y), fast_mode=fast)


@pytest.mark.parametrize("fast", [False, True])
def test_a_wrong_gradient_is_found(fast):
    with pytest.raises(
        tl.autograd.GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"
    ):
        gradcheck(Wrong.apply, points(2, 3), fast_mode=fast)
    assert not gradcheck(Wrong.apply, points(2, 3), fast_mode=fast, raise_exception=False)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0), (2, 3)])
def test_shapes(fast, shape):
    assert gradcheck(lambda x: x.sin(), points(*shape), fast_mode=fast)


@pytest.mark.parametrize("fast", [False, True])
def test_an_input_whose_elements_share_a_cell_is_refused(fast):
    x = points(1, 3).detach().expand(4, 3).requires_grad_()
    with pytest.raises(RuntimeError, match="0th input has a dimension with stride 0"):
        gradcheck(lambda x: x * x, x, fast_mode=fast)
    assert gradcheck(lambda x: x.expand(4, 3) ** 2, points(1, 3), fast_mode=fast)


def test_the_input_is_as_it_was_afterwards():
    x = points(2, 3)
    before = x.tolist()
    gradcheck(lambda x: x.exp(), x, fast_mode=True)
    assert x.tolist() == before
