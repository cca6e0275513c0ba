"""What is written out for one kind of node does what the general way does."""

from __future__ import annotations

import itertools
import sys
import traceback

import pytest

import tensorlab as tl
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recorders import recorder
from tensorlab.autograd.recording import record
from tests.library.gradients.outcomes import leaf

SCALED = formulas(
    "ScaledBackward0",
    first=lambda grad, second, factor: grad * second * factor,
    second=lambda grad, first, factor: grad * first * factor,
    third=lambda grad, result: grad * result,
)


@pytest.mark.parametrize("required", [*itertools.product([False, True], repeat=3)])
def test_a_recorder_makes_the_node_that_record_makes(required):
    operands = [tl.ones(2, requires_grad=needed) for needed in required]
    made = recorder(SCALED, (0, 1, 2), factor=3.0)(tl.ones(2), *operands)
    expected = record(SCALED, tl.ones(2), *operands, factor=3.0)
    assert made.requires_grad is expected.requires_grad is any(required)
    if any(required):
        node, same = made.grad_fn, expected.grad_fn
        assert node.name() == same.name() == "ScaledBackward0"
        assert node.next_functions == same.next_functions
        assert node.plan.names == same.plan.names
        assert node.versions == same.versions
        assert [getattr(value, "shape", value) for value in node.kept] == [
            getattr(value, "shape", value) for value in same.kept
        ]


def test_a_recorder_notes_what_a_call_says_or_else_its_own():
    x = tl.ones(2, requires_grad=True)
    record_it = recorder(SCALED, (0, 1, 2), factor=3.0)
    for notes, factor in (((), 3.0), ((5.0,), 5.0)):
        node = record_it(tl.ones(2), x, x, x, *notes).grad_fn
        assert dict(zip(node.plan.names, node.kept, strict=True))["factor"] == factor


def test_nothing_is_recorded_where_recording_is_off():
    x = tl.ones(2, requires_grad=True)
    with tl.no_grad():
        assert recorder(SCALED, (0, 1, 2), factor=3.0)(tl.ones(2), x, x, x).grad_fn is None


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
    for _ in range(2):  # the second time the way back is written out
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


def test_a_traceback_shows_what_was_written_out():
    def refuse(grad):
        raise ValueError("not today")

    kind = formulas("RefusedBackward0", input=lambda grad: refuse(grad))
    with pytest.raises(ValueError, match="not today"):
        record(kind, tl.ones(1), tl.ones(1, requires_grad=True)).backward()
    try:
        record(kind, tl.ones(1), tl.ones(1, requires_grad=True)).backward()
    except ValueError:
        text = "".join(traceback.format_exception(*sys.exc_info()))
    assert "gradient0 = formula0(gradient)" in text
    assert "<flow of RefusedBackward0" in text


def test_a_pass_holds_no_more_memory_than_it_needs():
    x = tl.ones(1000, requires_grad=True)
    with tl.autograd.profile() as memory:
        (x.exp() * 2).sum().backward()
    assert {moment.what for moment in memory.timeline} >= {"exp", "mul", "sum", "MulBackward0"}
    assert memory.live <= 4 * 1000 + 100
