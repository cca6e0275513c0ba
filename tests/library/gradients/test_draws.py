"""Draws and gradients: what was there before, and what a draw depends on, gets zeros."""

from __future__ import annotations

import pytest

import tensorlab

FILLS = {
    "uniform_": lambda x: x.uniform_(),
    "normal_": lambda x: x.normal_(),
    "log_normal_": lambda x: x.log_normal_(),
    "exponential_": lambda x: x.exponential_(),
    "cauchy_": lambda x: x.cauchy_(),
    "geometric_": lambda x: x.geometric_(0.5),
    "bernoulli_": lambda x: x.bernoulli_(),
    "random_": lambda x: x.random_(),
    "random_ to": lambda x: x.random_(5),
    "random_ from": lambda x: x.random_(2, 5),
}

TARGETS = {
    "leaf": lambda t, leaf: leaf,
    "view of a leaf": lambda t, leaf: leaf[1:],
    "result": lambda t, leaf: leaf * 2,
    "view": lambda t, leaf: (leaf * 2)[1:],
    "constant": lambda t, leaf: t.zeros(3),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fill", FILLS)
def test_fills(torch, fill, target):
    def outcome(library):
        leaf = library.ones(3, requires_grad=True)
        x = TARGETS[target](library, leaf)
        try:
            FILLS[fill](x)
        except RuntimeError as error:
            return type(error)
        node = x.grad_fn and x.grad_fn.name()
        if x.requires_grad:
            x.sum().backward()
        return x.requires_grad, node, leaf.grad is not None and leaf.grad.tolist()

    assert outcome(tensorlab) == outcome(torch)


DRAWS = {
    "bernoulli": lambda t, p: t.bernoulli(p),
    "normal of means": lambda t, p: t.normal(p, 1.0),
    "normal of deviations": lambda t, p: t.normal(0.0, p),
    "normal of both": lambda t, p: t.normal(p, p),
    "poisson": lambda t, p: t.poisson(p),
    "bernoulli_": lambda t, p: t.zeros(3).bernoulli_(p),
    "bernoulli with p": lambda t, p: t.bernoulli(p, 0.5),
    "rand_like": lambda t, p: t.rand_like(p),
    "multinomial": lambda t, p: t.multinomial(p, 2),
}


@pytest.mark.parametrize("draw", DRAWS)
def test_parameters(torch, draw):
    def outcome(library):
        p = library.tensor([0.25, 0.5, 0.75], requires_grad=True)
        x = DRAWS[draw](library, p)
        if x.requires_grad:
            node = x.grad_fn.name().removeprefix("torch::autograd::")
            try:
                x.sum().backward()
            except RuntimeError as error:
                return node, type(error)
            return node, x._version, p.grad.tolist()
        return x._version, x.is_leaf

    assert outcome(tensorlab) == outcome(torch)


@pytest.mark.parametrize("draw", ["normal", "bernoulli"])
def test_out_is_refused_where_a_gradient_is_wanted(torch, draw):
    for library in (tensorlab, torch):
        p = library.tensor([0.5], requires_grad=True)
        with pytest.raises(RuntimeError, match="out="):
            getattr(library, draw)(p, out=library.zeros(1))
