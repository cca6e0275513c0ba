"""Writes that autograd refuses, one by one, and those that it lets pass: PyTorch's outcome, its own words."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tests.library.gradients.outcomes import blocks, refusal, same_outcome

PROGRAMS = blocks(
    """
# a leaf is added to
x.add_(1)

# a leaf is assigned to
x[0] = 1

# a view of a view of a leaf is assigned to
x[1:][0] = 1

# a leaf is copied into
x.copy_(t.zeros(3))

# a leaf is drawn anew
x.normal_()

# a leaf is transposed in place
points(t, 2, 3).t_()

# a leaf gets a dimension in place
x.unsqueeze_(0)

# a leaf is resized
x.resize_(4)

# an expanded leaf is written
points(t, 1).expand(3).add_(1)

# an expanded result is written
(points(t, 1) * 1).expand(3).mul_(2)

# a leaf is written by way of detach
x.detach().add_(1)
x

# a leaf is written without recording
with t.no_grad():
    x.add_(1)
x

# a leaf is written in inference mode
with t.inference_mode():
    x.add_(1)
x

# a leaf is an out
t.add(t.ones(3, dtype=t.float64), 1, out=x)

# a leaf is an out without recording
with t.no_grad():
    t.add(t.ones(3, dtype=t.float64), 1, out=x)
x

# a result is an out
t.add(t.ones(3, dtype=t.float64), 1, out=x * 2)

# an operand of an out requires a gradient
t.matmul(x, x, out=t.zeros((), dtype=t.float64))

# an operand that gather(out=) reads requires a gradient
t.gather(x, 0, t.tensor([1]), out=t.zeros(1, dtype=t.float64))

# what scatter(out=) writes requires a gradient
t.scatter(t.zeros(3, dtype=t.float64), 0, t.tensor([1, 0]), x[:2], out=t.zeros(3, dtype=t.float64))

# an inference tensor is transposed in place after its mode
with t.inference_mode():
    y = t.ones(2, 3)
y.t_()

# an inference tensor gets a dimension in place inside of its mode
with t.inference_mode():
    y = t.ones(2, 3).unsqueeze_(0)
y.shape[0]

# data is written in inference mode
y = x * 1
with t.inference_mode():
    z = y.data
    z.mul_(2)
z.add_(1)
z, z.is_inference(), z._version, y._version

# a leaf gets other data
x.data = t.zeros(2, dtype=t.float64)
x

# a leaf gets integers for data
x.data = t.zeros(2, dtype=t.int64)

# a leaf gets a number for data
x.data = 3

# an operand of a product is written
y = x * 1
z = y * y
y.add_(1)
z.sum().backward()

# a result that its own node kept is written
y = x.exp()
y.add_(1)
y.sum().backward()

# what a power kept is written by way of a view
y = x * 1
z = y.pow(2)
y[0] = 0
z.sum().backward()

# what a power kept is written by way of detach
y = x * 1
z = y.pow(2)
y.detach()[0] = 0
z.sum().backward()

# what a power kept is written by way of data
y = x * 1
z = y.pow(2)
y.data[0] = 0
z.sum().backward()
x.grad

# an index is written
i = t.tensor([0, 1])
y = x[i]
i[0] = 2
y.sum().backward()

# an index of 32 bits is written
i = t.tensor([0, 2], dtype=t.int32)
y = x[i]
i[0] = 1
y.sum().backward()

# an index beside a slice is written
i = t.tensor([0, 2])
y = points(t, 3, 3)[1:, i]
i.fill_(0)
y.sum().backward()

# an index of no dimensions is written
i = t.tensor(1)
y = x[i]
i.fill_(0)
y.sum().backward()
x.grad

# an index of no dimensions beside a slice is written
i = t.tensor(1)
y = points(t, 3, 3)
z = y[1:, i]
i.fill_(0)
z.sum().backward()
y.grad

# a mask is written
m = t.tensor([True, False, True])
y = x[m]
m[0] = False
y.sum().backward()

# an index that was assigned to is written
i = t.tensor([0, 2])
y = x * 1
y[i] = 0
i[0] = 1
y.sum().backward()

# a mask that was assigned to is written
m = t.tensor([True, False, True])
y = x * 1
y[m] = t.ones(2, dtype=t.float64)
m[0] = False
y.sum().backward()

# the index of index_select is written
i = t.tensor([0, 1])
y = x.index_select(0, i)
i[0] = 2
y.sum().backward()

# the condition of where is written
m = t.tensor([True, False, True])
y = t.where(m, x, x * 2)
m[0] = False
y.sum().backward()

# a weight is updated before the backward pass
w = points(t, 3, 3)
y = w @ x
with t.no_grad():
    w.add_(1)
y.sum().backward()

# a weight is updated between two backward passes
w = points(t, 2, 2)
y = (w @ w) @ w
y.sum().backward(retain_graph=True)
with t.no_grad():
    w.sub_(0.1 * w.grad)
y.sum().backward()

# the sigmoid is written by itself
y = x * 1
y.sigmoid_()
y.sigmoid_()
y.sum().backward()

# a part of a softmax is written
y = t.softmax(x, 0)
y[0] = 0
y.sum().backward()

# a part of what cat made is written
y = t.cat([x, x])
y[0] = 0
y.sum().backward()
x.grad

# a source overlaps its target
y = x * 1
y[1:].copy_(y[:-1])

# one of several views is written
x.mul(1).split(1)[0].add_(1)

# the rows of a tensor are written one after the other
for row in points(t, 2, 2) * 1:
    row.mul_(2)

# the base of several views is written
y = x.mul(1)
a, b, c = y.split(1)
y.mul_(2)
(a + 1).sum().backward()

# the node of one of several views is asked for after a write
y = x.mul(1)
a, b, c = y.split(1)
y.mul_(2)
a.grad_fn

# one of several views is written by way of detach
y = x.mul(1)
y.split(1)[0].detach().mul_(2)
y

# a view that was made without recording is written
y = x.mul(1)
with t.no_grad():
    view = y[1:]
view.mul_(2)

# one of several views that were made without recording is written
y = x.mul(1)
with t.no_grad():
    view = y.split(1)[0]
view.mul_(2)

# a view is made and written without recording
y = x.mul(1)
with t.no_grad():
    view = y[1:]
    view.mul_(2)
y, view.requires_grad

# a base comes to require a gradient, and its view is written
y = t.zeros(3)
view = y[1:]
y.requires_grad_()
view.mul_(2)

# a view alone requires a gradient, and is written
y = t.zeros(3)
y[1:].requires_grad_().mul_(2)

# a view alone requires a gradient, and its base is written
y = t.zeros(3)
view = y[1:].requires_grad_()
y.mul_(2)
y.requires_grad, view.requires_grad
""",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outcome_is_pytorchs(torch, name):
    same_outcome(torch, PROGRAMS[name])


# Of some errors what the message has to name: what was given, the rule, what would work.
NAMED = {
    "a leaf is added to": ("a leaf Variable that requires grad", "no_grad()"),
    "a view of a view of a leaf is assigned to": ("a view of a leaf", "clone()"),
    "an operand of a product is written": ("MulBackward0", "version 0", "version 1", "add_ wrote it"),
    "an index is written": ("IndexBackward0", "`indices[0]`", "int64", "x[...] = value wrote it"),
    "a leaf gets integers for data": ("int64", "floating point", "requires_grad_(False)"),
    "a leaf is an out": ("add()", "out=", "no_grad()"),
    "one of several views is written": ("Output 0 of SplitBackward0", "out-of-place"),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_message_names_what_was_given_and_what_would_work(name):
    message = refusal(PROGRAMS[name])
    assert all(words in message for words in NAMED[name]), message


@pytest.mark.parametrize("required", ["a leaf", "a result", "nothing"])
def test_a_view_made_without_recording_is_not_written_while_recording(required):
    base = tl.ones(3, requires_grad=required != "nothing")
    base = base * 1 if required == "a result" else base
    with tl.no_grad():
        view = base[:2]
        view.mul_(2)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view.mul_(tl.ones(2, requires_grad=True))
    assert base.tolist() == [2.0, 2.0, 1.0]
    with tl.no_grad():
        view.mul_(tl.ones(2, requires_grad=True))
    view.detach().mul_(2)
    assert base.tolist() == [4.0, 4.0, 1.0]
