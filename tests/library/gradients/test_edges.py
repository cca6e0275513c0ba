"""Edges as values, hooks of several tensors, writes on kept tensors, hooks and second derivatives."""

from __future__ import annotations

import pytest

from tests.library.gradients.outcomes import blocks, same_outcome

LISTS = "lambda gradients: seen.append([None if g is None else g.tolist() for g in gradients])"

PROGRAMS = blocks(
    f"""
# two leaves, of which a pass may reach one
seen, other = [], points(t)
handle = t.autograd.graph.register_multi_grad_hook((x, other), {LISTS})
(x * 2).sum().backward()
(x * other).sum().backward()
handle.remove()
(x * other).sum().backward()
seen

# a chain, with passes to some inputs
seen = []
y = x * 2
z = y * 3
handle = t.autograd.graph.register_multi_grad_hook((x, y, z), {LISTS})
z.sum().backward(retain_graph=True)
t.autograd.grad(z.sum(), y, retain_graph=True)
y.sum().backward(inputs=[x], retain_graph=True)
seen

# the first gradient of each pass
seen = []
y = x * 2
t.autograd.graph.register_multi_grad_hook((x, y), lambda g: seen.append(g.tolist()), mode="any")
y.sum().backward(retain_graph=True)
y.sum().backward()
seen

# the first gradient, and one tensor has none
seen = []
t.autograd.graph.register_multi_grad_hook((x, t.zeros(2)), lambda g: seen.append(g.tolist()), mode="any")
x.sum().backward()
seen

# one tensor has no gradient to wait for
t.autograd.graph.register_multi_grad_hook((t.zeros(2),), print)

# another mode
t.autograd.graph.register_multi_grad_hook((x,), print, mode="some")

# several results of one node
seen = []
a, b = x.split([1, 2])
t.autograd.graph.register_multi_grad_hook((a, b), {LISTS})
(a.sum() + 2 * b.sum()).backward()
seen

# a handle is a context
seen = []
with t.autograd.graph.register_multi_grad_hook((x,), lambda g: seen.append(1)):
    x.sum().backward()
x.sum().backward()
seen

# the gradient of a tensor that is gone
y = x * 2
edge = t.autograd.graph.get_gradient_edge(y)
z = (y * y).sum()
del y
edge.output_nr, edge.node.name(), t.autograd.grad(z, edge)

# the edge of a leaf
edge = t.autograd.graph.get_gradient_edge(x)
edge.output_nr, t.autograd.grad((x * x).sum(), [edge])

# a pass begins at an edge
edge = t.autograd.graph.get_gradient_edge(x * 2)
t.autograd.grad(edge, x, t.ones(3, dtype=t.float64))

# a pass begins at the edge of a scalar
t.autograd.backward(t.autograd.graph.get_gradient_edge((x * 2).sum()))
x.grad

# a pass begins at an edge of several elements
t.autograd.backward(t.autograd.graph.get_gradient_edge(x * 2))

# a pass begins at an edge with a gradient of another shape
t.autograd.backward(t.autograd.graph.get_gradient_edge(x * 2), t.ones(2, dtype=t.float64))

# the edge of one of several results
a, b = points(t, 2, 2).unbind()
edge = t.autograd.graph.get_gradient_edge(b)
edge.output_nr, t.autograd.grad((a + b * b).sum(), edge)

# an edge made by hand
a, b = points(t, 2, 2).unbind()
t.autograd.grad((a + b * b).sum(), t.autograd.graph.GradientEdge(b.grad_fn, 1))

# the edge of what requires no gradient
t.autograd.graph.get_gradient_edge(t.zeros(2))

# a kept tensor is written
with t.autograd.graph.allow_mutation_on_saved_tensors():
    y = x * 1
    z = (y * y).sum()
    y.add_(1)
    z.backward()
x.grad

# a kept result is written, and differentiated twice
with t.autograd.graph.allow_mutation_on_saved_tensors():
    y = (x * 1).exp()
    z = (y * y).sum()
    y.mul_(3)
    (slope,) = t.autograd.grad(z, x, create_graph=True)
    (bend,) = t.autograd.grad(slope.sum(), x)
bend

# backward outside of the context
with t.autograd.graph.allow_mutation_on_saved_tensors():
    y = x.exp().sum()
y.backward()

# the context twice
with t.autograd.graph.allow_mutation_on_saved_tensors():
    with t.autograd.graph.allow_mutation_on_saved_tensors():
        pass

# the copies are gone
with t.autograd.graph.allow_mutation_on_saved_tensors() as context:
    y = x.exp().sum()
    context.clear()
    y.backward()

# a write that nobody saw
y = x.exp()
t.autograd.graph.increment_version(y)
y.sum().backward()

# packed as arrays, differentiated twice
with t.autograd.graph.saved_tensors_hooks(lambda a: a.detach().numpy().copy(), t.from_numpy):
    y = (x * 1).pow(3).sum()
(slope,) = t.autograd.grad(y, x, create_graph=True)
t.autograd.grad(slope.sum(), x)

# packed copies of leaves and views, differentiated twice
with t.autograd.graph.saved_tensors_hooks(lambda a: a.detach().clone(), lambda a: a):
    leaf = points(t, 2, 2)
    y = (leaf.t() @ leaf[0]).view(1, 2).exp().sum()
(slope,) = t.autograd.grad(y, leaf, create_graph=True)
slope.sum().backward()
leaf.grad

# the product of two batches
leaf = points(t, 2, 2, 2)
y = leaf @ leaf
y.retain_grad()
y.register_hook(lambda g: g * 2)
(slope,) = t.autograd.grad(y.exp().sum(), leaf, create_graph=True)
(slope.sum() + y.sum()).backward()
y, y.grad, leaf.grad

# the product of two batches, written in place
leaf = points(t, 2, 2, 2)
y = leaf @ leaf
y.view(-1).mul_(2)
y.sum().backward()
leaf.grad

# products of a batch and less: the nodes' names
leaf = points(t, 2, 2, 2)
row = points(t, 2)
[y.grad_fn.name() for y in (leaf @ row, leaf @ points(t, 2, 2), t.matmul(row.detach(), leaf))]

# a number over a tensor
y = 3 / x
(slope,) = t.autograd.grad(y.sum(), x, create_graph=True)
y, y.grad_fn.name(), t.autograd.grad(slope.sum(), x)

# the retained gradient is a copy, which can be written
given = t.ones(3, dtype=t.float64)
y, z = x * 2, x * 3
y.retain_grad()
z.retain_grad()
(y.sum() + x.sum()).backward()
z.backward(given)
y.grad.stride(), y.grad.mul_(2), z.grad is given, z.grad.mul_(2), given

# the retained gradient of a pass that is recorded
y = x * 2
y.retain_grad()
(y * y).sum().backward(create_graph=True)
y.grad

# a tensor of a tensor has no history
a, b, c = t.tensor(x * 2), t.tensor(x, requires_grad=True), x.new_tensor(x)
a, b, c, b.is_leaf, t.asarray(x * 2, copy=True), t.as_tensor(x) is x

# inputs with names
other = points(t)
found = t.autograd.grad((x * x).sum(), dict(x=x, other=other), allow_unused=True)
sorted(found), found["x"], found["other"]

# inputs with names, and a batch of gradients
t.autograd.grad(x * x, dict(x=x), t.eye(3, dtype=t.float64), is_grads_batched=True)["x"]

# no inputs with names
t.autograd.grad(x.sum(), dict())

# a pass to inputs with names
(x * x).sum().backward(inputs=dict(x=x))
x.grad

# an index that is a mask
y = x[x > 0.6]
y.sum().backward()
y, x.grad
""",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outcome_is_pytorchs(torch, name):
    same_outcome(torch, PROGRAMS[name])
