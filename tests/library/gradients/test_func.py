"""Derivatives as functions of functions, against what one works out by hand; and `vmap` against a loop."""

from __future__ import annotations

import math

import pytest

import tensorlab as tl
from tensorlab.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap

X = tl.tensor([1.0, 2.0, 3.0], dtype=tl.float64)
W = tl.tensor([2.0, -1.0, 0.5], dtype=tl.float64)


def cube(x):
    return (x**3).sum()


def close(found, expected) -> bool:
    return tl.allclose(found, tl.tensor(expected, dtype=found.dtype), rtol=1e-12, atol=0)


def test_a_gradient_is_a_plain_tensor_and_leaves_its_point_alone():
    point = X.clone()
    found = grad(cube)(point)
    assert close(found, [3.0, 12.0, 27.0])
    assert not found.requires_grad
    assert not point.requires_grad
    assert point.grad is None


@pytest.mark.parametrize(
    ("order", "expected"), list(enumerate([math.sin(0.5), math.cos(0.5), -math.sin(0.5)]))
)
def test_nested_gradients_are_higher_derivatives(order, expected):
    function = tl.sin
    for _ in range(order):
        function = grad(function)
    assert math.isclose(function(tl.tensor(0.5, dtype=tl.float64)).item(), expected, rel_tol=1e-12)


def test_a_gradient_goes_on_to_a_graph_around_it():
    point = X.clone().requires_grad_(True)
    grad(cube)(point).sum().backward()
    assert close(point.grad, [6.0, 12.0, 18.0])


def test_argnums_choose_the_arguments():
    def product(x, w, scale=1.0):
        return (x * w).sum() * scale

    assert close(grad(product, argnums=1)(X, W), X.tolist())
    by_x, by_w = grad(product, argnums=(0, -1))(X, W, scale=2.0)
    assert close(by_x, (2 * W).tolist())
    assert close(by_w, (2 * X).tolist())


def test_an_argument_without_influence_has_a_gradient_of_zeros():
    assert close(grad(lambda x, w: (w * w).sum())(X, W), [0.0, 0.0, 0.0])
    assert close(grad(lambda x: tl.tensor(1.0))(X), [0.0, 0.0, 0.0])


def test_a_value_and_what_else_the_function_returns_are_passed_on():
    found, value = grad_and_value(cube)(X)
    assert close(found, [3.0, 12.0, 27.0])
    assert value.item() == 36.0
    assert not value.requires_grad
    found, (value, word) = grad_and_value(lambda x: (cube(x), "cubed"), has_aux=True)(X)
    assert (value.item(), word) == (36.0, "cubed")
    found, word = grad(lambda x: (cube(x), "cubed"), has_aux=True)(X)
    assert close(found, [3.0, 12.0, 27.0])
    assert word == "cubed"


def test_products_with_a_jacobian_and_its_transpose():
    a = tl.tensor([[1.0, 2.0, 0.0], [0.0, -1.0, 4.0]], dtype=tl.float64)
    value, pull = vjp(lambda x: a @ x, X)
    assert close(value, (a @ X).tolist())
    for vector in ([1.0, 0.0], [3.0, 10.0]):  # more than once
        row = tl.tensor(vector, dtype=tl.float64)
        assert close(pull(row)[0], (row @ a).tolist())
    value, push = jvp(lambda x: a @ x, (X,), (W,))
    assert close(value, (a @ X).tolist())
    assert close(push, (a @ W).tolist())


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobians(jacobian):
    assert close(jacobian(lambda x: x * x)(X), [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
    by_x, by_w = jacobian(lambda x, w: (x * w).sum(), argnums=(0, 1))(X, W)
    assert close(by_x, W.tolist())
    assert close(by_w, X.tolist())


def test_a_hessian_of_one_and_of_two_arguments():
    assert close(hessian(cube)(X), [[6.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 18.0]])
    (xx, xw), (wx, ww) = hessian(lambda x, w: (x * x * w).sum(), argnums=(0, 1))(X, W)
    assert close(xx, (2 * W).diag().tolist())
    assert close(xw, (2 * X).diag().tolist())
    assert close(wx, (2 * X).diag().tolist())
    assert close(ww, tl.zeros(3, 3).tolist())


def test_vmap_is_a_loop_over_the_batch():
    batch = tl.arange(12.0).view(3, 4)
    assert vmap(tl.sum)(batch).equal(batch.sum(1))
    assert vmap(tl.sum, in_dims=1)(batch).equal(batch.sum(0))
    assert vmap(lambda row: row * 2, out_dims=1)(batch).equal((batch * 2).t())
    scaled = vmap(lambda row, weights: row @ weights, in_dims=(0, None))(batch, batch[0])
    assert scaled.equal(batch @ batch[0])
    least, greatest = vmap(lambda row: (row.min(), row * 2), out_dims=(0, 1))(batch)
    assert least.equal(batch.min(1).values)
    assert greatest.equal((batch * 2).t())


def test_gradients_of_each_item():
    batch = tl.stack([X, 2 * X])
    assert close(vmap(grad(cube))(batch), [[3.0, 12.0, 27.0], [12.0, 48.0, 108.0]])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: grad(lambda x: x * 2)(X), RuntimeError, r"scalar tensor, got \[3\]"),
        (lambda: grad(lambda x: 2.0)(X), RuntimeError, "scalar tensor, got float"),
        (lambda: grad(cube, argnums=1)(X), RuntimeError, "only 1 positional inputs"),
        (lambda: grad(cube)(1.0), ValueError, "differentiates by Tensors"),
        (lambda: vmap(cube, in_dims=(0, 0))(X), ValueError, "2 entries for 1 arguments"),
        (lambda: vmap(cube, in_dims=None)(X), ValueError, "at least one argument must be a batch"),
        (lambda: vmap(tl.add)(X, tl.ones(2)), ValueError, r"same size.*\[2, 3\]"),
        (lambda: vmap(tl.add)(X, 2.0), ValueError, "give None as its in_dim"),
        (lambda: vmap(cube)(tl.ones(0, 3)), ValueError, "no items"),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
