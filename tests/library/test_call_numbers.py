"""Tensors without dimensions where a call takes a number, and dtypes that cannot hold the result.

Each line is a call on both libraries, as in `tests.library.test_call_variants`.
"""

from __future__ import annotations

import pytest

import tensorlab as tl
from tests.library.test_call_variants import alike, outcome

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

NUMBERS = """
# parameters of activations
F.elu(t.tensor([-1.0, 2.0]), t.tensor(0.5))
F.elu(t.tensor([-1.0, 2.0]), t.tensor(2))
F.elu(t.tensor([-1.0, 2.0]), t.tensor(True))
F.elu(t.tensor([-1.0, 2.0]), t.tensor([0.5]))
F.elu(t.tensor([-1.0, 2.0]), t.tensor(0.5, requires_grad=True))
F.elu(t.tensor([-1.0, 2.0], requires_grad=True), t.tensor(0.5))
F.elu(t.tensor([-1.0, 2.0]), t.tensor(0.5), inplace=True)
F.celu(t.tensor([-1.0, 2.0]), t.tensor(0.5))
F.celu(t.tensor([-1.0, 2.0]), t.tensor(0.0))
F.softplus(t.tensor([-1.0, 2.0]), t.tensor(0.5))
F.softplus(t.tensor([-1.0, 2.0]), 1, t.tensor(0.5))
F.hardtanh(t.tensor([-1.0, 2.0]), t.tensor(0.5), t.tensor(0.75))
F.hardtanh(t.tensor([-1.0, 2.0]), t.tensor(0.75), t.tensor(0.5))
F.leaky_relu(t.tensor([-1.0, 2.0]), t.tensor(0.5))
F.leaky_relu(t.tensor([-1.0, 2.0]), t.tensor(0.5), inplace=True)
F.threshold(t.tensor([-1.0, 2.0]), t.tensor(0.5), t.tensor(3.0))
F.hardshrink(t.tensor([-1.0, 2.0]), t.tensor(0.5))
F.softshrink(t.tensor([-1.0, 2.0]), t.tensor(0.5))
t.nan_to_num(t.tensor([float("nan"), 2.0]), t.tensor(0.5))
t.nan_to_num(t.tensor([float("nan"), 2.0]), t.tensor(3))
t.tensor([float("nan"), 2.0]).nan_to_num_(t.tensor(3))
t.logit(t.tensor([0.1, 0.2]), t.tensor(0.15))
t.ones(3).round(decimals=t.tensor(1))
t.ones(3).round(decimals=t.tensor(1.0))
# factors
t.add(t.tensor([1, 2]), 1, alpha=t.tensor(2))
t.add(t.tensor([1, 2]), 1, alpha=t.tensor(2.0))
t.add(t.tensor([1, 2]), 1, alpha=t.tensor(True))
t.add(t.tensor([1.0, 2.0]), 1, alpha=t.tensor([2]))
t.add(t.tensor([1.0, 2.0]), 1, alpha=t.tensor(2.0, requires_grad=True))
t.add(t.tensor([1.0, 2.0], requires_grad=True), 1, alpha=t.tensor(2.0))
t.ones(2).add_(1, alpha=t.tensor(2))
t.sub(t.tensor([1.0, 2.0]), 1, alpha=t.tensor(2))
t.ones(2).sub_(1, alpha=t.tensor(2))
t.rsub(t.ones(2), 2, alpha=t.tensor(3))
t.addcmul(t.ones(2), t.ones(2), t.ones(2), value=t.tensor(2))
t.addcdiv(t.ones(2), t.ones(2), t.ones(2), value=t.tensor(2.0))
t.ones(2).addcmul_(t.ones(2), t.ones(2), value=t.tensor(2))
t.addmm(t.ones(2, 2), t.ones(2, 2), t.ones(2, 2), beta=t.tensor(2), alpha=t.tensor(3.0))
t.addmm(t.ones(2, 2), t.ones(2, 2), t.ones(2, 2), beta=t.tensor([2]))
t.addmm(t.ones(2, 2), t.ones(2, 2), t.ones(2, 2), beta=t.tensor(2.0, requires_grad=True))
t.baddbmm(t.ones(1, 2, 2), t.ones(1, 2, 2), t.ones(1, 2, 2), beta=t.tensor(2), alpha=t.tensor(3.0))
t.addbmm(t.ones(2, 2), t.ones(1, 2, 2), t.ones(1, 2, 2), beta=t.tensor(2))
t.addmv(t.ones(2), t.ones(2, 2), t.ones(2), beta=t.tensor(2))
t.addr(t.ones(2, 2), t.ones(2), t.ones(2), beta=t.tensor(2))
t.zeros(2).index_add(0, t.tensor([0]), t.ones(1), alpha=t.tensor(2))
t.zeros(2).index_add_(0, t.tensor([0]), t.ones(1), alpha=t.tensor(2))
# orders of norms
t.norm(t.ones(3), t.tensor(2.0))
t.linalg.norm(t.ones(3), t.tensor(1))
t.linalg.norm(t.ones(3), t.tensor([1]))
t.linalg.vector_norm(t.ones(3), t.tensor(2))
t.linalg.vector_norm(t.ones(3), t.tensor(float("inf")))
t.cdist(t.ones(1, 3), t.zeros(1, 3), p=t.tensor(1.0))
F.normalize(t.ones(4), p=t.tensor(2.0), dim=t.tensor(0))
# numbers of losses and layers
F.smooth_l1_loss(t.ones(3), t.zeros(3), beta=t.tensor(1.0))
F.huber_loss(t.ones(3), t.zeros(3), delta=t.tensor(1.0))
F.batch_norm(t.ones(2, 3), t.zeros(3), t.ones(3), momentum=t.tensor(0.5), eps=t.tensor(0.5))
F.one_hot(t.tensor([1]), t.tensor(3))
F.one_hot(t.tensor([1]), t.tensor(3.0))
F.pad(t.ones(4), (t.tensor(1), 1))
F.pad(t.ones(4), (t.tensor(1.0), 1))
t.arange(4).roll(t.tensor(1))
t.arange(4).roll(t.tensor(1), t.tensor(0))
t.arange(4).roll(t.tensor(1.0))
t.arange(4).roll(1.0)
"""

OUTPUTS = """
t.ones(2).repeat_interleave(t.tensor([1, 2], dtype=t.int8))
t.ones(2).repeat_interleave(t.tensor([1.0, 2.0]))
t.arange(3.1, dtype=t.int8)
t.arange(3.1, dtype=t.int32)
t.arange(3.1, dtype=t.int64)
t.arange(3.1, out=t.empty(0, dtype=t.int16))
t.arange(0.0, -8.000001, -4.0, dtype=t.uint8)
t.arange(0.0, -8.000001, -4.0, dtype=t.int64)
t.arange(0.5, 4.0, 1.5, dtype=t.int32)
t.arange(0.5, 4.0, 1.5, dtype=t.int64)
t.arange(0, 3, 0.5, dtype=t.int8)
t.arange(0, 3, 0.5, dtype=t.int64)
t.arange(2, 0.5, 0.5, dtype=t.int8)
t.arange(2, 1.5, 1, dtype=t.int64)
t.arange(2, 1.5, 1, dtype=t.int32)
t.arange(250, 260, dtype=t.uint8)
t.nansum(t.ones(2), out=t.empty(0, dtype=t.bool))
t.nansum(t.ones(2), out=t.empty(0, dtype=t.int64))
t.nansum(t.ones(2), 0, out=t.empty(0, dtype=t.int32))
t.nansum(t.ones(2, dtype=t.int32), out=t.empty(0, dtype=t.int64))
t.nansum(t.ones(2, dtype=t.int32), out=t.empty(0, dtype=t.bool))
t.nansum(t.ones(2, dtype=t.int32), out=t.empty(0, dtype=t.float32))
t.nansum(t.ones(2), out=t.empty(0, dtype=t.float16))
t.nanmean(t.ones(2), 0, out=t.empty(0, dtype=t.int64))
t.linspace(0, 1, 3, out=t.empty(0, dtype=t.int64))
t.linspace(0, 1, 3, out=t.empty(0, dtype=t.bool))
t.linspace(0, 5, 3, dtype=t.int64)
t.linspace(0, 1, 3, dtype=t.bool)
t.linspace(0, 1, 0, dtype=t.bool)
t.linspace(0, 1, 1, dtype=t.bool)
t.logspace(0, 1, 3, dtype=t.bool)
t.logspace(0, 1, 1, dtype=t.bool)
t.logspace(0, 1, 3, out=t.empty(0, dtype=t.bool))
t.cumprod(t.ones(3), 0, out=t.empty(0, dtype=t.int64))
t.cumprod(t.ones(3), 0, out=t.empty(0, dtype=t.bool))
t.cumprod(t.ones(3, dtype=t.int64), 0, out=t.empty(0, dtype=t.bool))
t.cumprod(t.ones(3, dtype=t.int64), 0, out=t.empty(0, dtype=t.int8))
t.cumsum(t.ones(3, dtype=t.bool), 0, out=t.empty(0, dtype=t.bool))
t.cumsum(t.ones(3), 0, out=t.empty(0, dtype=t.bool))
t.cumsum(t.ones(0), 0, out=t.empty(0, dtype=t.bool))
t.cumsum(t.ones(()), 0, out=t.empty((), dtype=t.bool))
t.cumsum(t.ones(3), 0, dtype=t.bool)
t.cumprod(t.ones(3), 0, dtype=t.bool)
t.cumsum(t.ones(0), 0, dtype=t.bool)
t.cumsum(t.ones(()), 0, dtype=t.bool)
t.ones(3, dtype=t.bool).cumprod_(0)
t.ones(3, dtype=t.bool).cumsum_(0)
t.ones(0, dtype=t.bool).cumsum_(0)
t.ones((), dtype=t.bool).cumsum_(0)
"""


BOOLS = """
t.ones(2, 2, 3).unsqueeze(False)
t.ones(2, 2, 3).transpose(False, True)
t.ones(2, 2, 3).select(False, 1)
t.ones(2, 2, 3).select(0, True)
t.ones(2, 2, 3).narrow(0, False, 1)
t.ones(2, 2, 3).chunk(True)
t.ones(2, 2, 3).split(1, False)
t.ones(2, 2, 3).roll(True)
t.cat([t.ones(2)], False)
t.stack([t.ones(2)], dim=False)
t.ones(2, 2).gather(False, t.tensor([[0]]))
t.ones(2, 2).index_select(False, t.tensor([0]))
t.ones(2, 2, 3).flatten(False)
t.ones(2, 2, 3).unbind(False)
t.ones(2, 2).diag(False)
t.ones(2, 2).tril(True)
t.ones(2, 2).diagonal(0, False, True)
t.ones(2, 2).size(False)
t.ones(2, 2).stride(True)
t.ones(4).unfold(0, True, True)
t.eye(True)
t.linspace(0, 1, True)
t.zeros(True)
t.zeros((True, 2))
t.ones(2, 2).view(True, 4)
t.ones(2).repeat_interleave(True)
t.ones(2).repeat_interleave(2.5)
t.ones(2).repeat_interleave([1, 2])
t.ones(2).repeat_interleave(t.tensor(2))
t.ones(2).repeat_interleave(t.tensor([1, 2], dtype=t.int32))
t.ones(2).kthvalue(True)
t.ones(2).diff(True)
t.ones(2).sum(False)
t.ones(2)[False:True]
"""


REFUSED = """
F.gelu(t.ones(2), t.ones(2))
F.gelu(t.ones(2), "none")
F.gelu(t.ones(2), approximate=1)
F.gelu(t.ones(2), approximate="exact")
F.gelu(t.ones(2), approximate="tanh")
t.arange(t.ones(2))
t.arange(0, t.ones(2))
t.arange(t.tensor(3))
t.bincount(t.tensor([1.0]), None, "sum")
t.bincount(t.tensor([1]), None, True)
t.bincount(t.tensor([1]), None, -1)
t.bincount(t.tensor([1]), minlength=3)
t.unique(t.tensor([1, 0]), t.tensor(0))
t.unique(t.tensor([1, 0]), 1)
t.tensor([1, 0]).unique(True, True, False)
t.tensor([1, 0]).unique(True, 1)
t.lerp(t.ones(2, dtype=t.int64), t.ones(2, dtype=t.int64), (1,))
t.lerp(t.ones(2), 2.0, 0.5)
t.lerp(t.ones(2), t.zeros(2), True)
t.ones(2).roll(t.tensor([1, 2]))
t.ones(2).roll((1,), (0,))
t.ones(2).rot90(t.ones(2, dtype=t.int64))
t.ones(2).rot90(True)
t.ones(2, 2).rot90(t.tensor(1))
t.addcdiv(t.ones(2), True, t.ones(2))
t.addcdiv(t.ones(2), t.ones(2, dtype=t.int64), t.ones(2, dtype=t.int64))
t.ones(2).addcdiv_(t.ones(2), 2.0)
t.div(t.ones(2), 2.0, rounding_mode=0.5)
t.div(t.ones(2), 2.0, rounding_mode="up")
t.inner(t.tensor(1.0), 2)
t.inner(t.tensor(1.0), t.tensor(2.0))
F.kl_div(t.tensor([1, 2]), t.tensor([1, 2]), reduction="sum")
F.kl_div(t.tensor([1.0, 2.0]), t.tensor([1, 2]), reduction="sum")
F.kl_div(t.tensor([1.0, 2.0]), t.tensor([0.5, 0.5]), reduction="sum")
F.poisson_nll_loss(t.tensor([1.0, 2.0]), 1)
F.poisson_nll_loss(t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0]), 1)
F.poisson_nll_loss(t.tensor([1.0, 2.0]), t.tensor([1, 2]), False)
F.interpolate(t.ones(3))
F.interpolate(t.ones(3), 2, 2)
F.interpolate(t.ones(3), 2)
F.interpolate(t.ones(1, 1, 3), 2, mode="nearest", align_corners=True)
t.linalg.norm(t.ones(2, 2), t.ones(2))
t.linalg.norm(t.ones(2, 2), (1,))
t.linalg.norm(t.ones(2, 2), "fro")
t.linalg.norm(t.ones(2, 2), t.tensor(1))
t.where(t.ones(2), t.ones(2), (3, -1))
t.where(t.tensor([True]), "a", t.ones(1))
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("line", lines(NUMBERS))
def test_a_tensor_without_dimensions_stands_for_a_number(torch, line):
    ours, theirs = outcome(tl, line), outcome(torch, line)
    assert alike(ours, theirs), f"{ours}\n  PyTorch: {theirs}"


@pytest.mark.parametrize("line", lines(OUTPUTS))
def test_a_dtype_that_loses_something_is_taken_where_pytorch_takes_it(torch, line):
    def named(found):  # PyTorch's NotImplementedError is a RuntimeError
        return "RuntimeError" if found == "NotImplementedError" else found

    ours, theirs = named(outcome(tl, line)), named(outcome(torch, line))
    assert alike(ours, theirs), f"{ours}\n  PyTorch: {theirs}"


@pytest.mark.parametrize("line", lines(BOOLS))
def test_a_bool_stands_for_no_dimension_and_no_size(torch, line):
    ours, theirs = outcome(tl, line), outcome(torch, line)
    assert alike(ours, theirs), f"{ours}\n  PyTorch: {theirs}"


@pytest.mark.parametrize("line", lines(REFUSED))
def test_an_argument_of_another_kind_is_refused_before_anything_else(torch, line):
    ours, theirs = outcome(tl, line), outcome(torch, line)
    assert alike(ours, theirs), f"{ours}\n  PyTorch: {theirs}"
