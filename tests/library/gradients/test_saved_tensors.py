"""What a node saves for the backward pass, and when it refuses to go on with it."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tests.library.gradients.outcomes import leaf


def test_a_tensor_of_inference_mode_is_not_kept():
    with tl.inference_mode():
        made = tl.ones(2)
    for compute in (lambda x: x * made, lambda x: x @ made):
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            compute(leaf(2.0, 3.0).float())


def test_an_operand_is_a_view_whose_base_was_written():
    base = leaf(2.0, 3.0) * 1
    view = base[:]
    base.mul_(2)
    product = view * 5
    assert product.grad_fn.next_functions[0][0].name() == "AsStridedBackward0"


@pytest.mark.parametrize("compute", [lambda x: x @ x, lambda x: x.exp(), lambda x: x.cumprod(0)])
def test_what_was_kept_is_asked_for_its_version(compute):
    x = leaf(2.0, 3.0) * 1
    for _ in range(2):
        result = compute(x)
        result.sum().backward(retain_graph=True)
        result.sum().backward()
        with pytest.raises(RuntimeError, match="a second time"):
            result.grad_fn(tl.ones_like(result))
        kept = compute(x)
        (kept if kept.grad_fn.name() == "ExpBackward0" else x).detach().zero_()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            kept.sum().backward()
        x = leaf(2.0, 3.0) * 1


def test_only_what_is_asked_for_is_computed():
    asked = []
    kind = formulas(
        "TwoBackward0",
        first=lambda grad: asked.append("first") or grad,
        second=lambda grad: asked.append("second") or grad,
    )
    x, y = leaf(2.0), leaf(3.0)
    record(kind, tl.ones(1, dtype=tl.float64), x, y).backward()
    assert asked == ["first", "second"]
    result = record(kind, tl.ones(1, dtype=tl.float64), x, y)
    tl.autograd.grad(result, y)
    assert asked == ["first", "second", "second"]


def test_a_pass_holds_no_more_memory_than_it_needs():
    x = tl.ones(1000, requires_grad=True)
    with tl.autograd.profile() as memory:
        (x.exp() * 2).sum().backward()
    assert {moment.what for moment in memory.timeline} >= {"exp", "mul", "sum", "MulBackward0"}
    assert memory.live <= 4 * 1000 + 100
