"""Backward passes used wrongly and rightly: PyTorch's outcome, error by error."""

from __future__ import annotations

import pytest

from tests.library.gradients.outcomes import blocks, refusal, same_outcome

PROGRAMS = blocks(
    """
# a second pass
y = (x * x).sum()
y.backward()
y.backward()

# a second pass through a part of the graph
y = x * x
y.sum().backward()
(y * 2).sum().backward()

# a third pass after one that retained the graph
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
y.backward()

# what a node kept
y = x * x
z = x.exp()
y.grad_fn._saved_self, y.grad_fn._saved_other, z.grad_fn._saved_result, z.grad_fn._saved_result.equal(z)

# what a node keeps for the operand that requires a gradient
(x * t.ones(3, dtype=t.float64)).grad_fn._saved_self

# what a node has let go of
y = x * x
node = y.grad_fn
y.sum().backward()
node._saved_self

# what no node keeps
x.exp().grad_fn._saved_nothing

# several elements
(x * 2).backward()

# no elements
points(t, 0).mul(2).backward()

# one element in one dimension
y = points(t, 1)
(y * 2).backward()
y.grad

# nothing requires a gradient
t.zeros(()).backward()

# an integer
t.zeros((), dtype=t.int64).backward()

# an input that requires none
t.autograd.grad(x.sum(), t.zeros(3))

# an input that was not used
t.autograd.grad(points(t).sum(), x)

# an input that need not be used
t.autograd.grad(points(t).sum(), x, allow_unused=True)

# zeros for an input that was not used
t.autograd.grad(points(t).sum(), x, materialize_grads=True)

# zeros are asked for, and not allowed
t.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)

# only_inputs is ignored
t.autograd.grad(x.sum(), x, only_inputs=False)

# no inputs
t.autograd.grad(x.sum(), [])

# an input twice
t.autograd.grad(x.sum(), [x, x])

# an input that is a number
t.autograd.grad(x.sum(), [1])

# an input that is None
t.autograd.grad(x.sum(), (x, None))

# an output that is a number
t.autograd.grad([1.0], x)

# a gradient of another shape
t.autograd.grad(x * 2, x, t.zeros(2, dtype=t.float64))

# a gradient of another dtype
t.autograd.grad(x * 2, x, t.ones(3))

# a gradient of integers
t.autograd.grad(x * 2, x, t.ones(3, dtype=t.int64))

# a gradient that is a number
t.autograd.grad(x.sum(), x, [1.0])

# a gradient too few
t.autograd.grad([x.sum(), x.sum()], x, [None])

# a gradient of one element for several
(x * 2).backward(t.ones(1, dtype=t.float64))

# a gradient of one element for none
x.sum().backward(t.ones(1, dtype=t.float64))

# backward to no inputs
x.sum().backward(inputs=[])

# backward to an input that requires none
x.sum().backward(inputs=[t.zeros(3)])

# backward to a number
x.sum().backward(inputs=[1])

# backward to what was not used
y = points(t)
x.sum().backward(inputs=[y])
y.grad, x.grad

# backward while nothing is recorded
y = (x * x).sum()
with t.no_grad():
    y.backward()
x.grad

# backward with a graph while nothing is recorded
y = (x * x).sum()
with t.no_grad():
    y.backward(create_graph=True)
x.grad

# backward in inference mode
y = (x * x).sum()
with t.inference_mode():
    y.backward()
x.grad.tolist()

# backward of what was not recorded
with t.no_grad():
    y = (x * x).sum()
y.backward()

# a second derivative of what was written
y = x * 1
(g,) = t.autograd.grad((y * y * y).sum(), x, create_graph=True)
y.add_(1)
g.sum().backward()

# a second derivative after an update
(g,) = t.autograd.grad((x**3).sum(), x, create_graph=True)
with t.no_grad():
    x.add_(1)
g.sum().backward()

# a second derivative without a graph
(g,) = t.autograd.grad((x**3).sum(), x)
g.sum().backward()

# a second derivative of a line
(g,) = t.autograd.grad((x * 2).sum(), x, create_graph=True)
g.sum().backward()

# a gradient with a graph is zeroed
(x**2).sum().backward(create_graph=True)
x.grad.zero_()

# a batch of gradients
t.autograd.grad(x * x, x, t.eye(3, dtype=t.float64), is_grads_batched=True)

# a batch for two outputs
weights = t.eye(3, dtype=t.float64), t.ones(3, dtype=t.float64)
t.autograd.grad([x * x, x.sum()], x, weights, is_grads_batched=True)

# a batch with a graph
(g,) = t.autograd.grad(x**3, x, t.eye(3, dtype=t.float64), is_grads_batched=True, create_graph=True)
g.sum().backward()
x.grad

# a batch of other shapes
t.autograd.grad(x * x, x, t.ones(4, 2, dtype=t.float64), is_grads_batched=True)

# a batch without its dimension
t.autograd.grad(x * x, x, t.ones(3, dtype=t.float64), is_grads_batched=True)

# a batch of none
t.autograd.grad(x * x, x, t.ones(0, 3, dtype=t.float64), is_grads_batched=True)

# batches of two sizes
weights = t.eye(3, dtype=t.float64), t.ones(2, dtype=t.float64)
t.autograd.grad([x * x, x.sum()], x, weights, is_grads_batched=True)

# a batch without gradients
t.autograd.grad(x * x, x, is_grads_batched=True)

# a batch without gradients for one element
t.autograd.grad((x * x).sum(), x, is_grads_batched=True)

# a batch for what was not used
t.autograd.grad(points(t) * 1, x, t.eye(3, dtype=t.float64), is_grads_batched=True)

# a batch of zeros for what was not used
t.autograd.grad(points(t) * 1, x, t.eye(3, dtype=t.float64), is_grads_batched=True, materialize_grads=True)

# retaining the gradient of a leaf
x.retain_grad()
x.sum().backward()
x.grad, x.retains_grad

# retaining the gradient of what requires none
t.zeros(3).retain_grad()

# retaining twice, and writing
y = x * 2
y.retain_grad()
y.retain_grad()
y.mul_(3)
y.sum().backward()
y.grad, y.retains_grad

# retaining, another layout in place, and retaining again
y = x * 2
y.retain_grad()
y.unsqueeze_(0)
y.retain_grad()
y.square().sum().backward()
y.grad.tolist(), y.retains_grad

# retaining after another layout in place
y = x * 2
y.unsqueeze_(0)
before = y.retains_grad
y.retain_grad()
y.square().sum().backward()
y.grad, before

# calling a node
y = x.exp() * points(t)
exp, leaf = (node for node, _ in y.grad_fn.next_functions)
y.grad_fn(t.ones(3, dtype=t.float64)), exp(None), leaf(t.ones(3, dtype=t.float64)), leaf.variable.grad

# calling a node without gradients
x.exp().grad_fn()

# calling a node with a number
x.exp().grad_fn(1.0)

# calling a node of several results
parts = x.unbind()
one = t.ones((), dtype=t.float64)
parts[0].grad_fn(one, None, one)

# calling a node that has let go
y = x.exp()
y.sum().backward()
y.grad_fn(t.ones(3, dtype=t.float64))

# NaN in a backward pass that is watched
with t.autograd.detect_anomaly():
    (t.zeros(1, requires_grad=True).sqrt() * 0).sum().backward()

# an unpack hook that returns a number
with t.autograd.graph.saved_tensors_hooks(lambda a: 1, lambda a: a):
    y = x * x
y.sum().backward()

# a pack hook that writes its tensor
with t.autograd.graph.saved_tensors_hooks(lambda a: a.mul_(2), lambda a: a):
    (x * 1).exp()

# pack hooks that are no functions
with t.autograd.graph.saved_tensors_hooks(1, 2):
    x * x

# func.grad by an argument that is not there
t.func.grad(lambda x: x.sum(), argnums=3)(t.ones(2))

# func.grad by a name
t.func.grad(lambda x: x.sum(), argnums="x")(t.ones(2))

# func.grad by a number
t.func.grad(lambda x: x * 2)(1.0)

# func.grad by the last argument
t.func.grad(lambda x, y: (x * y).sum(), argnums=-1)(t.ones(2), t.ones(2))
""",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outcome_is_pytorchs(torch, name):
    same_outcome(torch, PROGRAMS[name])


# Of some errors what the message has to name: what was given, the rule, what would work.
NAMED = {
    "a second pass": ("MulBackward0", "retain_graph=True"),
    "several elements": ("[3]", "scalar outputs", "sum it first"),
    "nothing requires a gradient": ("does not require grad", "no_grad()"),
    "an input that was not used": ("input 0", "[3]", "allow_unused=True"),
    "no inputs": ("cannot be empty",),
    "an input that is a number": ("have to be Tensors", "int"),
    "a batch of other shapes": ("first dimension", "[4, 2]", "[3]"),
    "batches of two sizes": ("same size", "[3, 2]"),
    "a pack hook that writes its tensor": ("pack hook", "clone()"),
    "calling a node without gradients": ("ExpBackward0", "expected 1 arguments, got 0"),
    "func.grad by an argument that is not there": ("argnum=3", "only 1"),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_message_names_what_was_given_and_what_would_work(name):
    message = refusal(PROGRAMS[name])
    assert all(words in message for words in NAMED[name]), message
