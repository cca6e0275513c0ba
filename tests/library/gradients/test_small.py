"""The kernel that computes and delivers all gradients of a small operation at once."""

from __future__ import annotations

import tensorlab as tl


def leaf(*numbers: float) -> tl.Tensor:
    return tl.tensor(numbers, dtype=tl.float64, requires_grad=True)


def test_both_operands_are_one_tensor():
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    (x * y).sum().backward()  # the kernel for two operands is known now
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
