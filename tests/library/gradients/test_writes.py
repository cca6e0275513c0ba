"""What is written, frozen or run again after a graph was made: outcomes of the engine, each tried on both."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tests.library.gradients.test_engine import both, points

FROZEN = {
    "requires_grad_(False)": lambda w: w.requires_grad_(False),
    "detach_": lambda w: w.detach_(),
}


@pytest.mark.parametrize("freeze", FROZEN)
@pytest.mark.parametrize("of_a_view", [False, True])
def test_a_leaf_that_was_frozen_since_gets_no_gradient(torch, freeze, of_a_view):
    def program(t):
        w, v = points(t, 3), points(t, 3)
        y = (w[1:] if of_a_view else w) * 2
        z = y.sum() + v.sum()
        FROZEN[freeze](w)
        z.backward()
        return [w.grad is None, v.grad]

    ours, theirs = both(torch, program)
    assert ours == theirs
    assert ours[0] is True


def test_views_of_constants_cannot_be_detached_in_place(torch):
    ours, theirs = both(torch, lambda t: t.ones(2, 2)[0].detach_())
    assert ours == theirs == "RuntimeError"


def test_a_number_that_is_a_parameter_is_not_let_go_of(torch):
    """So the graph of ``lerp`` with a number as weight can run again, and that of ``mul`` cannot."""

    def program(t, function):
        a, b = points(t, 2), points(t, 2)
        y = function(t, a, b)
        y.sum().backward()
        y.sum().backward()
        return a.grad, b.grad

    for function in (lambda t, a, b: t.lerp(a, b, 0.3), lambda t, a, b: a * 2 + b):
        ours, theirs = both(torch, lambda t, function=function: program(t, function))
        assert ours == theirs


LEAF_WRITES = {
    "index_copy_": lambda t, w: w.index_copy_(0, t.tensor([9]), t.ones(1)),
    "index_fill_": lambda t, w: w.index_fill_(0, t.tensor([9]), 1),
    "index_put_": lambda t, w: w.index_put_((t.tensor([9]), t.tensor([1])), t.ones(1)),
    "index_add_": lambda t, w: w.index_add_(0, t.tensor([9]), t.ones(1)),
    "put_": lambda t, w: w.put_(t.tensor([9]), t.ones(1)),
    "cumsum_": lambda t, w: w.cumsum_(7),
}


@pytest.mark.parametrize("name", LEAF_WRITES)
def test_that_a_leaf_is_written_is_said_before_all_else(torch, name):
    for library in (tl, torch):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            LEAF_WRITES[name](library, library.ones(3, requires_grad=True))


def test_a_vector_of_one_copied_into_a_number(torch):
    def program(t):
        x, y = points(t), points(t, 1)
        (x * 1).index_copy(0, t.tensor([0]), y).backward()
        return x.grad, y.grad

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_a_reshape_that_copies_is_no_view(torch):
    """Nobody sees the copy in its first shape: a write needs no detour by way of a base."""

    def program(t):
        x = points(t, 2, 3)
        y = (x * 1).t().reshape(-1)
        facts = y._is_view(), y.grad_fn.name()
        y.mul_(2)
        y.square().sum().backward()
        return *facts, y.grad_fn.name(), x.grad

    ours, theirs = both(torch, program)
    assert ours == theirs


@pytest.mark.parametrize("name", ["scatter_", "scatter_add_"])
def test_a_tensor_with_gaps_is_not_scattered_into_itself(torch, name):
    for library in (tl, torch):
        x = library.ones(3, 3).diagonal()
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            getattr(x, name)(0, library.tensor([0, 1, 2]), x)
