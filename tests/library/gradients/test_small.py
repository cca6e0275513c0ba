"""Gradients of small operations: broadcast operands, and gradients that wait or that somebody holds."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
from tests.library.gradients.outcomes import leaf


def test_both_operands_are_one_tensor():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    (x * y).sum().backward()
    x.grad = None
    (x * x).sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_what_waits_is_added_to():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    product = x * y
    (product * x + product * y).sum().backward()
    assert x.grad.tolist() == [2 * 2 * 5 + 25, 2 * 3 * 7 + 49]
    assert y.grad.tolist() == [4 + 2 * 2 * 5, 9 + 2 * 3 * 7]


def test_the_first_gradient_is_not_written_over():
    x = leaf(2.0, 3.0)
    first = tl.ones(2, dtype=tl.float64)
    y = x * 3
    y.backward(first, retain_graph=True)
    y.backward(first)
    assert first.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_gradient_that_a_hook_holds_is_not_written_over():
    x = leaf(2.0, 3.0)
    seen = []
    y = x * 3
    y.register_hook(seen.append)
    (y * 5).sum().backward()
    assert seen[0].tolist() == [5.0, 5.0]
    assert x.grad.tolist() == [15.0, 15.0]


def test_two_leaves_do_not_share_their_gradient():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    (x + y).backward(tl.ones(2, dtype=tl.float64))
    x.grad += 1
    assert y.grad.tolist() == [1.0, 1.0]


ONE_ELEMENT = {
    "no dimensions": ((), (3,)),
    "one dimension": ((1,), (2, 3)),
    "as many dimensions": ((1, 1), (2, 3)),
    "beside nothing": ((), (0,)),
    "beside one": ((), (1, 1)),
    "beside many": ((), (5, 7, 11)),
    "beside more than are summed in one go": ((1,), (41, 50)),
}


@pytest.mark.parametrize("other_first", [False, True])
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div", "pow", "maximum"])
@pytest.mark.parametrize("case", ONE_ELEMENT)
def test_an_operand_of_one_element_gets_the_sum(case, operation, other_first):
    small, large = ONE_ELEMENT[case]
    generator = np.random.default_rng(8)
    a = tl.tensor(generator.uniform(0.5, 2, small), requires_grad=True)
    b = tl.tensor(generator.uniform(0.5, 2, large), requires_grad=True)
    above = tl.tensor(generator.uniform(-1, 1, large))
    function = getattr(tl, operation)

    def gradients(*operands):
        result = function(*reversed(operands)) if other_first else function(*operands)
        return tl.autograd.grad((result * above).sum(), (a, b))

    wide, expected_b = gradients(a.expand(large).clone(), b)
    for _ in range(2):
        got, got_b = gradients(a, b)
        assert got.shape == a.shape
        assert got.stride() == a.stride()
        np.testing.assert_allclose(got.numpy(), wide.numpy(), rtol=1e-13)
        np.testing.assert_array_equal(got_b.numpy(), expected_b.numpy())


def test_the_place_of_the_operand_of_one_element_counts():
    for w, x in ((leaf(2.0), leaf(3.0, 5.0)), (leaf(3.0, 5.0), leaf(2.0))):
        (w * x).sum().backward()
        few, many = (w, x) if w.numel() == 1 else (x, w)
        assert few.grad.tolist() == [8.0]
        assert many.grad.tolist() == [2.0, 2.0]


def test_sums_are_added_to_what_waits():
    w = tl.tensor(2.0, dtype=tl.float64, requires_grad=True)
    x = leaf(3.0, 5.0)
    (((x * w) * w) * w).sum().backward()
    assert w.grad.item() == 3 * 4 * 8
    assert x.grad.tolist() == [8.0, 8.0]


@pytest.mark.parametrize("operation", ["pow", "hypot"])
def test_an_operation_that_keeps_three_tensors(operation):
    x, y = leaf(2.0, 3.0), leaf(1.5, 0.5)
    result = getattr(tl, operation)(x, y)
    result.backward(tl.ones(2, dtype=tl.float64))
    assert tl.autograd.gradcheck(getattr(tl, operation), (x, y))
    again = getattr(tl, operation)(x, y)
    y.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        again.sum().backward()


@pytest.mark.parametrize("shape", [(4,), (2, 3), (1, 1), (0,), (1,)])
@pytest.mark.parametrize("operation", ["exp", "tanh", "square", "neg", "sqrt"])
def test_one_gradient_for_all_elements(operation, shape):
    numbers = np.random.default_rng(8).uniform(0.5, 2, shape)
    function = getattr(tl, operation)

    def gradient(above):
        x = tl.tensor(numbers, requires_grad=True)
        function(x).backward(above)
        return x.grad

    one = tl.tensor([3.0, 2.0], dtype=tl.float64)[1:]
    above = one.expand(shape)
    for _ in range(2):
        found = gradient(above)
        expected = gradient(tl.full(shape, 2.0, dtype=tl.float64))
        assert found.stride() == expected.stride()
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert one.tolist() == [2.0]


def test_one_gradient_for_all_elements_is_added_to_what_waits():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    w = tl.tensor(1.5, dtype=tl.float64, requires_grad=True)
    ((x * y).sum() + (x * w).sum() + (x * x).sum()).backward()
    assert x.grad.tolist() == [5 + 1.5 + 4, 7 + 1.5 + 6]
    assert y.grad.tolist() == [2.0, 3.0]
    assert w.grad.item() == 5.0


@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16, tl.float32, tl.float64])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_pass_begins_with_one(dtype, shape):
    x = tl.full(shape, 3.0, dtype=dtype, requires_grad=True)
    (x * 2).backward()
    assert x.grad.dtype is dtype
    assert x.grad.shape == shape
    assert x.grad.item() == 2.0


@pytest.mark.parametrize("other", [tl.ones(3), tl.ones(100_000), tl.ones(2, dtype=tl.int32), tl.ones(4)[::2]])
def test_a_kept_tensor_that_became_another_is_not_read_as_it_was(other):
    x = tl.tensor([2.0, 3.0], requires_grad=True)
    constant = tl.tensor([5.0, 7.0])
    for _ in range(2):
        product = x * constant
        constant.data = other
        if other.shape == (2,):
            product.backward(tl.ones(2))
            assert x.grad.tolist() == [1.0, 1.0]
        else:
            with pytest.raises(RuntimeError):
                product.backward(tl.ones(2))
        x.grad, constant = None, tl.tensor([5.0, 7.0])


def test_a_gradient_that_goes_on_to_two_operands_is_written_over_by_neither():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    (x * 2 + y * 3).backward(tl.ones(2, dtype=tl.float64))
    assert x.grad.tolist() == [2.0, 2.0]
    assert y.grad.tolist() == [3.0, 3.0]
    total = x * 2 + y * 3
    (total * 5 + total).sum().backward()
    assert x.grad.tolist() == [14.0, 14.0]
    assert y.grad.tolist() == [21.0, 21.0]


def test_one_of_several_results_as_an_operand():
    x = leaf(2.0, 3.0, 5.0, 7.0)
    first, second = x.chunk(2)
    (first * second + first * 2).backward(tl.ones(2, dtype=tl.float64))
    assert x.grad.tolist() == [7.0, 9.0, 2.0, 3.0]


def test_hooks_pack_what_a_small_operation_keeps():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    with tl.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda numbers: leaf(*numbers) * 2):
        product = x * y
    product.sum().backward()
    assert x.grad.tolist() == [10.0, 14.0]
    assert y.grad.tolist() == [4.0, 6.0]


def test_a_node_remembers_its_line():
    with tl.autograd.detect_anomaly():
        product = leaf(2.0, 3.0) * 2
    assert "test_small.py" in product.grad_fn.metadata["traceback_"]
