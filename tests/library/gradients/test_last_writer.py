"""The error about a kept tensor that was written since: which tensor, who kept it, who wrote it, when."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.autograd.last_writer import writer_of

WRITES = {
    "add_": lambda x: x.add_(1),
    "mul_": lambda x: x.mul_(tl.ones(3)),
    "true_divide_": lambda x: x.true_divide_(2),
    "log1p_": lambda x: x.log1p_(),
    "eq_": lambda x: x.eq_(1),
    "clamp_": lambda x: x.clamp_(0, 1),
    "fill_": lambda x: x.fill_(1),
    "zero_": lambda x: x.zero_(),
    "copy_": lambda x: x.copy_(tl.ones(3)),
    "normal_": lambda x: x.normal_(),
    "cumsum_": lambda x: x.cumsum_(0),
    "index_add_": lambda x: x.index_add_(0, tl.tensor([0]), tl.ones(1)),
    "index_put_": lambda x: x.index_put_((tl.tensor([0]),), tl.ones(1)),
    "masked_fill_": lambda x: x.masked_fill_(x > 0, 2),
    "scatter_reduce_": lambda x: x.scatter_reduce_(0, tl.tensor([0]), tl.ones(1), "mean"),
    "x[...] = value": lambda x: x.__setitem__(slice(1), 5),
    "mul(out=...)": lambda x: tl.mul(tl.ones(3), 2, out=x),
    "sum(out=...)": lambda x: tl.sum(tl.ones(2, 3), 0, out=x),
    "addmv(out=...)": lambda x: tl.addmv(tl.ones(3), tl.eye(3), tl.ones(3), out=x),
    "index_select(out=...)": lambda x: tl.index_select(tl.ones(3), 0, tl.tensor([0, 1, 2]), out=x),
}


@pytest.mark.parametrize("name", WRITES)
def test_the_last_writer_has_a_name(name):
    x = tl.ones(3)
    assert writer_of(x.untyped_storage()) is None
    WRITES[name](x)
    assert writer_of(x.untyped_storage()) == name


def test_the_error_names_the_tensor_who_kept_it_who_wrote_it_and_both_versions():
    x = tl.ones(2, 3, requires_grad=True)
    y = x.exp()
    z = y * y
    with tl.no_grad():
        y[0] = 0
    with pytest.raises(RuntimeError) as raised:
        z.sum().backward()
    text = str(raised.value)
    assert "modified by an inplace operation" in text
    assert "MulBackward0 kept a tensor of shape [2, 3] and dtype float32 as `y`" in text
    assert "result 0 of ExpBackward0; it was at version 0 then, and is at version 1 now" in text
    assert "x[...] = value wrote it." in text


def test_of_several_writes_the_last_is_named():
    x = tl.ones(3, requires_grad=True)
    y = x.exp()
    y.add_(1).mul_(2)
    with pytest.raises(RuntimeError, match=r"its own result; .* version 2 now\. mul_ wrote it last"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("requires_grad", "origin"), [(True, "`y`, a leaf;"), (False, "`y`, which requires no gradient;")]
)
def test_leaves_and_constants(requires_grad, origin):
    """An optimizer's step between the forward and the backward pass is the usual reason."""
    weight = tl.ones(3, requires_grad=requires_grad)
    result = tl.ones(3, requires_grad=True) * weight
    with tl.no_grad():
        weight.sub_(0.1)
    with pytest.raises(RuntimeError, match="sub_ wrote it") as raised:
        result.sum().backward()
    assert origin in str(raised.value)


def test_a_refused_write_is_not_named():
    x = tl.ones(3)
    x.add_(1)
    with pytest.raises(RuntimeError):
        x.copy_(tl.ones(4))
    assert writer_of(x.untyped_storage()) is None


def test_a_function_of_the_user_is_named():
    class Double(tl.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    y = tl.ones(3, requires_grad=True).exp()
    Double.apply(y)
    with pytest.raises(RuntimeError, match="DoubleBackward wrote it"):
        y.sum().backward()
