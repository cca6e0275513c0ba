"""Derivatives as functions of functions, against what one works out by hand; and `vmap` against a loop."""

from __future__ import annotations

import collections
import importlib
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
        (lambda: grad(cube)(1.0), ValueError, "is differentiated by Tensors"),
        (
            lambda: vmap(cube, in_dims=(0, 0))(X),
            ValueError,
            "not compatible with the structure of 1 argument",
        ),
        (lambda: vmap(cube, in_dims=None)(X), ValueError, "at least one argument must be a batch"),
        (lambda: vmap(tl.add)(X, tl.ones(2)), ValueError, r"same size.*\[2, 3\]"),
        (lambda: vmap(tl.add)(X, 2.0), ValueError, "give None as its in_dim"),
        (lambda: vmap(cube)(tl.ones(0, 3)), ValueError, "no items"),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


Pair = collections.namedtuple("Pair", "w b")

# Functions of containers, and functions whose results are some.
OF_CONTAINERS = {
    "grad by a dict": lambda m, x: m.func.grad(lambda p: (p["a"] * p["b"][0]).sum())({"a": x, "b": [x + 1]}),
    "grad by a list": lambda m, x: m.func.grad(lambda p: (p[0] * p[1]).sum())([x, x + 1]),
    "grad by a named tuple": lambda m, x: m.func.grad(lambda p: (p.w * p.b).sum())(Pair(x, x + 1)),
    "grad by nothing": lambda m, x: m.func.grad(lambda p: x.sum())({}),
    "grad by several": lambda m, x: m.func.grad(lambda p, y: (p["a"] * y).sum(), (0, 1))({"a": x}, x),
    "grad by no tensor": lambda m, x: m.func.grad(lambda p: p["a"].sum())({"a": x, "n": 2}),
    "value too": lambda m, x: m.func.grad_and_value(lambda p: (p["a"] ** 2).sum())({"a": x}),
    "something else too": lambda m, x: m.func.grad(lambda p: ((p * p).sum(), {"n": p.max()}), has_aux=True)(
        x
    ),
    "gradients of samples": lambda m, x: m.func.vmap(
        m.func.grad(lambda p, row: ((p["w"] * row).sum() + p["b"]) ** 2), in_dims=(None, 0)
    )({"w": x, "b": x[0]}, m.eye(3)),
    "jacrev by a dict": lambda m, x: m.func.jacrev(lambda p: p["a"] * 2)({"a": x}),
    "jacrev of a dict": lambda m, x: m.func.jacrev(lambda p: {"o": p * 2})(x),
    "hessian by a dict": lambda m, x: m.func.hessian(lambda p: (p["a"] ** 3).sum())({"a": x}),
    "vjp by a dict": lambda m, x: m.func.vjp(lambda p: p["a"] * 2, {"a": x})[1](x),
    "vjp of a dict": lambda m, x: m.func.vjp(lambda p: {"o": p * 2}, x)[1]({"o": x}),
    "jvp of a dict": lambda m, x: m.func.jvp(lambda p: {"o": p * p}, (x,), (x,)),
    "vmap over a dict": lambda m, x: m.func.vmap(lambda p: p["a"] * 2)({"a": x}),
    "vmap of a dict": lambda m, x: m.func.vmap(lambda p: {"o": p * 2, "s": (p, p)})(x),
    "vmap beside a dict": lambda m, x: m.func.vmap(lambda p, q: p["a"] * q, ({"a": None}, 0))({"a": x}, x),
    "vmap over another dict": lambda m, x: m.func.vmap(lambda p: p["a"], ({"b": 0},))({"a": x}),
    "vmap of a list": lambda m, x: m.func.vmap(lambda p: [p, p])(x),
    "vmap of results with names": lambda m, x: m.func.vmap(lambda p: p.max(0))(m.stack([x, -x])).indices,
    "vmap of such a result in a dict": lambda m, x: (
        m.func.vmap(lambda p: {"o": p.sort(0)})(m.stack([x, -x]))["o"].values
    ),
    "grad by a dict of its own kind": lambda m, x: m.func.grad(lambda p: (p["a"] * p["b"]).sum())(
        collections.defaultdict(list, a=x, b=x + 1)
    ),
    "vmap of no tensor": lambda m, x: m.func.vmap(lambda p: (p, 3.0))(x),
    "vmap with a keyword": lambda m, x: m.func.vmap(lambda p, k=None: p * k)(x, k=x),
    "vmap along no dimension": lambda m, x: m.func.vmap(lambda p: p, in_dims=2)(x),
    "vmap of one argument of two": lambda m, x: m.func.vmap(lambda p, q: p, in_dims=(0,))(x, x),
    "vmap in chunks": lambda m, x: m.func.vmap(lambda p: p + 1, chunk_size=2)(x),
    "the same numbers": lambda m, x: m.func.vmap(lambda p: p + m.rand(2), randomness="same")(x),
    "other numbers": lambda m, x: m.func.vmap(lambda p: p + m.rand(2), randomness="different")(x),
    "numbers, unsaid": lambda m, x: m.func.vmap(lambda p: p + m.rand(2))(x),
    "a dropout, unsaid": lambda m, x: m.func.vmap(m.nn.functional.dropout)(x),
    "an order, unsaid": lambda m, x: m.func.vmap(lambda p: p + m.randperm(2))(x),
    "a dropout of nothing": lambda m, x: m.func.vmap(lambda p: m.nn.functional.dropout(p, 0.0))(x),
    "no such randomness": lambda m, x: m.func.vmap(lambda p: p, randomness="some")(x),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.parametrize("call", OF_CONTAINERS.values(), ids=OF_CONTAINERS)
def test_containers_go_through_as_in_pytorch(torch, call):
    found = []
    for library in (tl, torch):
        importlib.import_module(f"{library.__name__}.func")
        library.manual_seed(0)
        try:
            found.append(repr(call(library, library.tensor([1.0, 2.0, 4.0]))))
        except (RuntimeError, ValueError) as error:
            found.append(type(error))
    assert found[0] == found[1]
