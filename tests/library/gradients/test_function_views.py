"""Functions of the user's own that write their arguments or return views: PyTorch's outcome."""

from __future__ import annotations

from typing import Any

import pytest

from tests.library.gradients.outcomes import blocks, calling, function, refusal, same_outcome


def doubling(*marks: str, then: Any = lambda a: a) -> Any:
    """A forward that doubles its argument in place, and marks it."""

    def forward(ctx: Any, a: Any) -> Any:
        for mark in marks:
            getattr(ctx, mark)(a)
        a.mul_(2)
        return then(a)

    return forward


PROGRAMS = blocks(
    """
# what was saved is written
def forward(c, a):
    c.save_for_backward(a)
    return a * a
y = x * 1
z = F(t, forward, lambda c, g: 2 * g * c.saved_tensors[0]).apply(y)
y.add_(1)
z.sum().backward()

# a result that was saved is written
def forward(c, a):
    result = a.exp()
    c.save_for_backward(result)
    return result
z = F(t, forward, lambda c, g: g * c.saved_tensors[0]).apply(x)
z.add_(1)
z.sum().backward()

# dirty, and not returned
F(t, doubling("mark_dirty", then=lambda a: a * 1), lambda c, g: g).apply(x * 1)

# a dirty leaf
F(t, doubling("mark_dirty"), lambda c, g: g).apply(x)

# dirty
y = x * 1
z = F(t, doubling("mark_dirty"), lambda c, g: 2 * g).apply(y)
z.sum().backward()
x.grad, z is y, y

# a dirty number
F(t, calling("mark_dirty", 3), lambda c, g: g).apply(x)

# a dirty tensor that requires no gradient
F(t, doubling("mark_dirty"), lambda c, g: g).apply(t.ones(3))

# a dirty view
y = x * 1
F(t, doubling("mark_dirty"), lambda c, g: 2 * g).apply(y[1:])
y.sum().backward()
x.grad

# a dirty view and another result
F(t, doubling("mark_dirty", then=lambda a: (a, a.sum())), lambda c, g, h: 2 * g).apply((x * 1)[1:])

# a dirty one of several views
F(t, doubling("mark_dirty"), lambda c, g: 2 * g).apply((x * 1).split(1)[0])

# dirty, and not marked
y = x * 1
z = F(t, doubling(), lambda c, g: 2 * g).apply(y)
z.sum().backward()
x.grad, z is y

# dirty, and not differentiable
F(t, doubling("mark_dirty", "mark_non_differentiable"), lambda c, g: g).apply(x * 1).requires_grad

# the argument itself
z = F(t, lambda c, a: a, lambda c, g: 2 * g).apply(x)
z.sum().backward()
x.grad, z is x, z.data_ptr() == x.data_ptr(), z._is_view()

# the argument itself is written
F(t, lambda c, a: a, lambda c, g: 5 * g).apply(x * 1).mul_(2)

# a leaf returned as it is is written
F(t, lambda c, a: a, lambda c, g: 5 * g).apply(x).mul_(2)

# a view of the argument itself is written
F(t, lambda c, a: a, lambda c, g: 5 * g).apply(x * 1)[1:].mul_(2)

# the argument itself, and the argument is written
y = x * 1
z = F(t, lambda c, a: a, lambda c, g: 5 * g).apply(y)
y.mul_(2)
z.sum().backward()

# the argument itself, written without recording
z = F(t, lambda c, a: a, lambda c, g: 5 * g).apply(x * 1)
with t.no_grad():
    z.mul_(2)
z.grad_fn

# a view
z = F(t, lambda c, a: a.view(1, 3), lambda c, g: 5 * g.view(3)).apply(x * 1)
z.sum().backward()
x.grad

# a view of a view is differentiated twice
def forward(c, a):
    c.save_for_backward(a)
    return a.view(1, 3)
z = F(t, forward, lambda c, g: g.view(3) * c.saved_tensors[0]).apply(x * 1)[0]
(first,) = t.autograd.grad(z.sum(), x, create_graph=True)
first, t.autograd.grad(first.sum(), x)

# a view is written
F(t, lambda c, a: a[1:], lambda c, g: 5 * g).apply(x * 1).mul_(2)

# a view of its own result is written
F(t, lambda c, a: (a * 2).view(3), lambda c, g: 5 * g).apply(x * 1).mul_(2)

# one of several views is written
F(t, lambda c, a: (a[:1], a[1:]), lambda c, g, h: t.cat([g, h])).apply(x * 1)[0].mul_(2)
""",
    F=function,
    calling=calling,
    doubling=doubling,
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outcome_is_pytorchs(torch, name):
    same_outcome(torch, PROGRAMS[name])


# Of some errors what the message has to name: what was given, the rule, what would work.
NAMED = {
    "dirty, and not returned": ("marked as dirty", "outputs"),
    "a dirty number": ("mark_dirty", "argument 0", "int"),
    "a dirty view and another result": ("more than one Tensor", "clone()"),
    "a view is written": ("Output 0 of FBackward", "custom Function", "clone()"),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_message_names_what_was_given_and_what_would_work(name):
    message = refusal(PROGRAMS[name])
    assert all(words in message for words in NAMED[name]), message
