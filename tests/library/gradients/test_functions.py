"""Functions of the user's own, used wrongly and rightly: PyTorch's outcome, error by error."""

from __future__ import annotations

import pytest

from tests.library.gradients.outcomes import blocks, calling, function, refusal, same_outcome

PROGRAMS = blocks(
    """
# a gradient too few
F(t, lambda c, a, b: a * b, lambda c, g: g).apply(x, points(t)).sum().backward()

# a gradient too many
F(t, lambda c, a: a * 2, lambda c, g: (g, g)).apply(x).sum().backward()

# a None too many
F(t, lambda c, a: a * 2, lambda c, g: (g, None)).apply(x).sum().backward()
x.grad

# a list of gradients
F(t, lambda c, a, b: a * b, lambda c, g: [g, g]).apply(x, x).sum().backward()

# a list of one gradient
F(t, lambda c, a: a * 2, lambda c, g: [g]).apply(x).sum().backward()

# a gradient that is a number
F(t, lambda c, a: a * 2, lambda c, g: 1.0).apply(x).sum().backward()

# a gradient for a number
F(t, lambda c, a, n: a * n, lambda c, g: (g, g)).apply(x, 2.0).sum().backward()

# no gradient for a number
F(t, lambda c, a, n: a * n, lambda c, g: (g, None)).apply(x, 2.0).sum().backward()
x.grad

# a gradient of another shape
F(t, lambda c, a: a * 2, lambda c, g: g[:2]).apply(x).sum().backward()

# a gradient of a stretched shape
y = points(t, 1)
F(t, lambda c, a: a.expand(3) * 2, lambda c, g: g).apply(y).sum().backward()
y.grad

# a gradient of another dtype
F(t, lambda c, a: a * 2, lambda c, g: g.float()).apply(x).sum().backward()
x.grad.dtype == t.float64

# no gradient at all
F(t, lambda c, a: a * 2, lambda c, g: None).apply(x).sum().backward()
x.grad

# a number is saved
F(t, calling("save_for_backward", 3.0), lambda c, g: g).apply(x)

# a number is saved where nothing is recorded
F(t, calling("save_for_backward", 3.0), lambda c, g: g).apply(t.zeros(3))

# a list is saved
F(t, calling("save_for_backward", [1]), lambda c, g: g).apply(x)

# a tensor and None are saved
def forward(c, a):
    c.save_for_backward(a, None)
    return a * a
backward = lambda c, g: g * c.saved_tensors[0] if c.saved_tensors[1] is None else None
F(t, forward, backward).apply(x).sum().backward()
x.grad

# what is saved is saved again
def forward(c, a):
    c.save_for_backward(a)
    c.save_for_backward(a * 3)
    return a * 2
F(t, forward, lambda c, g: c.saved_tensors[0]).apply(x).sum().backward()
x.grad

# a second pass with something saved
def forward(c, a):
    c.save_for_backward(a)
    return a * a
z = F(t, forward, lambda c, g: 2 * g * c.saved_tensors[0]).apply(x).sum()
z.backward()
z.backward()

# a second pass with nothing saved
z = F(t, lambda c, a: a * 2, lambda c, g: 2 * g).apply(x).sum()
z.backward()
z.backward()
x.grad

# a number for a result
F(t, lambda c, a: 3, lambda c, g: g).apply(x)

# a tensor and a word
F(t, lambda c, a: (a * 2, "word"), lambda c, g, h: g).apply(x)

# a list for a result
(z,) = F(t, lambda c, a: [a * 2], lambda c, g: g).apply(x)
z.requires_grad

# no result
F(t, lambda c, a: None, lambda c, g: g).apply(x)

# a result without gradient
def forward(c, a):
    result = a.sign()
    c.mark_non_differentiable(result)
    return result
F(t, forward, lambda c, g: g).apply(x)

# a number without gradient
F(t, calling("mark_non_differentiable", 2), lambda c, g: g).apply(x)

# a result of integers
F(t, lambda c, a: (a * 2, a.argmax()), lambda c, g, h: g).apply(x)

# one result twice
def forward(c, a):
    result = a * 2
    return result, result
u, v = F(t, forward, lambda c, g, h: g + 2 * h).apply(x)
(u + v).sum().backward()
x.grad, u is v

# one argument twice
F(t, lambda c, a, b: a * b, lambda c, g: (g, g * 2)).apply(x, x).sum().backward()
x.grad

# an object is called
F(t, lambda c, a: a, lambda c, g: g)()(x)

# no forward
type("N", (t.autograd.Function,), {}).apply(x)

# no backward
type("N", (t.autograd.Function,), {"forward": staticmethod(lambda c, a: a * 2)}).apply(x).sum().backward()

# methods that are not static
N = type("N", (t.autograd.Function,), {"forward": lambda c, a: a * 2, "backward": lambda c, g: g * 2})
N.apply(x).sum().backward()
x.grad

# an argument by name
F(t, lambda c, a: a * 2, lambda c, g: g).apply(a=x)

# an argument with a default
G = F(t, lambda c, a, n=3: a * n, lambda c, g: (g, None))
z = G.apply(x), G.apply(x, n=5)
z[0].sum().backward()
z, x.grad

# an argument that is not there
F(t, lambda c, a: a * 2, lambda c, g: g).apply(x, b=3)

# a setup of the context
seen = []
def setup(c, inputs, output):
    seen.append(len(inputs))
    c.save_for_backward(inputs[0])
G = F(t, lambda a, n=2: a * a * n, lambda c, g: (4 * g * c.saved_tensors[0], None), setup)
G.apply(x).sum().backward()
x.grad, seen

# which arguments need a gradient
seen = []
def backward(c, g):
    seen.append(c.needs_input_grad)
    return g, None, None
F(t, lambda c, a, b, n: a * b * n, backward).apply(x, t.ones(3, dtype=t.float64), 2).sum().backward()
seen

# zeros for a result without gradient
seen = []
def backward(c, g, h):
    seen.append(h)
    return g
F(t, lambda c, a: (a * 2, a * 3), backward).apply(x)[0].sum().backward()
seen

# None for results that are no tensors
seen = []
def backward(c, g, *others):
    seen.extend(others)
    return g
F(t, lambda c, a: (a * 2, None, "word"), backward).apply(x)[0].sum().backward()
seen

# None for a result without gradient
def forward(c, a):
    c.set_materialize_grads(False)
    return a * 2, a * 3
seen = []
def backward(c, g, h):
    seen.append(h)
    return g
F(t, forward, backward).apply(x)[0].sum().backward()
seen

# differentiated once
G = F(t, lambda c, a: a * a, t.autograd.function.once_differentiable(lambda c, g: g * 2))
(g,) = t.autograd.grad(G.apply(x).sum(), x, create_graph=True)
g.sum().backward()

# differentiated twice
def forward(c, a):
    c.save_for_backward(a)
    return a**3
G = F(t, forward, lambda c, g: 3 * g * c.saved_tensors[0] ** 2)
(g,) = t.autograd.grad(G.apply(x).sum(), x, create_graph=True)
g.sum().backward()
x.grad

# the backward raises
F(t, lambda c, a: a * 2, lambda c, g: 1 / 0).apply(x).sum().backward()

# the backward takes no gradient
F(t, lambda c, a: a * 2, lambda c: 1).apply(x).sum().backward()

# recording goes on after a forward that raised
try:
    F(t, lambda c, a: 1 / 0, lambda c, g: g).apply(x)
except ZeroDivisionError:
    on = t.is_grad_enabled()
on

# what the forward sees
seen = []
def forward(c, a):
    y = a * 2
    seen.extend([t.is_grad_enabled(), a.requires_grad, y.requires_grad])
    return y
F(t, forward, lambda c, g: g).apply(x)
seen

# a backward pass inside a forward
def forward(c, a):
    with t.enable_grad():
        b = a.detach().requires_grad_()
        (b * b).sum().backward()
        c.save_for_backward(b.grad)
    return (a * a).sum()
F(t, forward, lambda c, g: g * c.saved_tensors[0]).apply(x).backward()
x.grad

# its name and its text
z = F(t, lambda c, a: a * 2, lambda c, g: g).apply(x)
z.grad_fn.name(), repr(z).rpartition(", ")[2]

# nothing is recorded
with t.no_grad():
    z = F(t, lambda c, a: a * 2, lambda c, g: g).apply(x)
z

# a list of tensors is no argument
F(t, lambda c, tensors: tensors[0] * 2, lambda c, g: g).apply([x])
""",
    F=function,
    calling=calling,
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outcome_is_pytorchs(torch, name):
    same_outcome(torch, PROGRAMS[name])


# Of some errors what the message has to name: what was given, the rule, what would work.
NAMED = {
    "a gradient too few": ("FBackward", "expected 2, got 1", "one for each argument"),
    "a list of gradients": ("expected 2, got 1", "return a tuple"),
    "a gradient that is a number": ("float", "FBackward", "a gradient is a Tensor"),
    "a gradient of another shape": ("[2]", "[3]"),
    "a number is saved": ("argument 0", "float", "attributes of ctx"),
    "differentiated once": ("does not require grad",),
    "an object is called": ("F.apply(...)",),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_message_names_what_was_given_and_what_would_work(name):
    message = refusal(PROGRAMS[name])
    assert all(words in message for words in NAMED[name]), message
