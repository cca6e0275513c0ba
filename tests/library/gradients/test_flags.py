"""Flags of tensors, copies and inference mode: PyTorch's outcome, error by error."""

from __future__ import annotations

import copy
import pickle

import pytest

from tests.library.gradients.outcomes import blocks, refusal, same_outcome

PROGRAMS = blocks(
    """
# integers require a gradient
t.zeros(3, dtype=t.int64).requires_grad_()

# bools require a gradient
t.zeros(3, dtype=t.bool).requires_grad = True

# a result shall require none
(x * 2).requires_grad_(False)

# a result shall require none, by its attribute
y = x * 2
y.requires_grad = False

# a result shall require one
(x * 2).requires_grad_().is_leaf

# the flag is a number
t.zeros(3).requires_grad = 1

# the flag is None
t.zeros(3).requires_grad = None

# the flag of the method is a number
t.zeros(3).requires_grad_(1)

# the flag of the method is a word
t.zeros(3).requires_grad_("yes")

# a view is cut off in place
(x * 2)[1:].detach_()

# a leaf is cut off in place
x.detach_().requires_grad

# a gradient of another shape
x.grad = t.zeros(2, dtype=t.float64)

# a gradient of another dtype
x.grad = t.zeros(3)

# a gradient that is a number
x.grad = 1.0

# a gradient that is the leaf
x.grad = x

# a gradient of what requires none
y = t.zeros(3)
y.grad = t.ones(3)
y.grad

# a gradient is deleted
x.sum().backward()
del x.grad
x.grad

# the node cannot be set
x.grad_fn = None

# being a leaf cannot be set
x.is_leaf = True

# the count of writes cannot be set
x._version = 2

# an array of what requires a gradient
x.numpy()

# a list of what requires a gradient
x.tolist()

# a copy of a result
copy.deepcopy(x * 2)

# a copy of a view of a leaf
copy.deepcopy(x[1:])

# a copy of a leaf
x.sum().backward()
y = copy.deepcopy(x)
y, y.grad, y.grad is x.grad, y.is_leaf

# a flat copy of a result
y = copy.copy(x * 2)
y, y.is_leaf

# a pickle of a leaf
x.sum().backward()
y = pickle.loads(pickle.dumps(x))
y, y.grad

# a pickle of a result
y = pickle.loads(pickle.dumps(x * 2))
y, y.is_leaf

# inference mode: a product keeps what was made in inference mode
with t.inference_mode():
    q = t.ones(3, dtype=t.float64)
x * q

# inference mode: a product of matrices keeps it
with t.inference_mode():
    q = t.ones(3, 3, dtype=t.float64)
q @ x

# inference mode: a power keeps it beside its base
with t.inference_mode():
    q = t.ones(3, dtype=t.float64)
x.pow(q)

# inference mode: a maximum keeps it beside another
with t.inference_mode():
    q = t.ones(3, dtype=t.float64)
t.maximum(x, q)

# inference mode: indexing keeps it
with t.inference_mode():
    i = t.tensor([0, 1])
x[i]

# inference mode: a sum keeps nothing
with t.inference_mode():
    q = t.ones(3, dtype=t.float64)
x + q

# inference mode: indexing without recording
with t.inference_mode():
    i = t.tensor([0, 1])
with t.no_grad():
    y = x[i]
y

# inference mode: it shall require a gradient
with t.inference_mode():
    q = t.ones(3)
q.requires_grad_()

# inference mode: it is written
with t.inference_mode():
    q = t.ones(3)
q.add_(1)

# inference mode: it is written without recording
with t.inference_mode():
    q = t.ones(3)
with t.no_grad():
    q.add_(1)

# inference mode: it is written in inference mode
with t.inference_mode():
    q = t.ones(3)
with t.inference_mode():
    q.add_(1)
q

# inference mode: it is assigned to
with t.inference_mode():
    q = t.ones(3)
q[0] = 2

# inference mode: it is an out
with t.inference_mode():
    q = t.ones(3)
t.add(t.ones(3), 1, out=q)

# inference mode: it is copied from
with t.inference_mode():
    q = t.ones(3)
t.zeros(3).copy_(q)

# inference mode: views of it and results
with t.inference_mode():
    q = t.ones(3)
q[1:].is_inference(), q.clone().is_inference(), (q * 2).is_inference(), q.detach().is_inference()

# inference mode: its count of writes
with t.inference_mode():
    q = t.ones(3)
q._version

# inference mode: an ordinary tensor is written in inference mode
y = t.ones(3)
with t.inference_mode():
    y.add_(1)
y, y._version, y.is_inference()

# inference mode: a view made in inference mode is written
y = x.mul(1)
with t.inference_mode():
    view = y[1:]
view.mul_(2)

# inference mode: flags in inference mode
with t.inference_mode():
    q = t.ones(3, requires_grad=True)
    flags = q.requires_grad, (q * 2).requires_grad
flags

# inference mode: a backward pass of what was made there
with t.inference_mode():
    q = t.ones(3, requires_grad=True)
    (q * 2).sum().backward()

# inference mode: recording is asked for in inference mode
with t.inference_mode(), t.enable_grad():
    y = x * 2
    flags = y.requires_grad, t.is_grad_enabled(), t.is_inference_mode_enabled()
flags, t.is_grad_enabled()

# inference mode: recording is set in inference mode
with t.inference_mode():
    before = t.is_grad_enabled()
    with t.set_grad_enabled(True):
        flags = before, t.is_grad_enabled(), (x * 2).requires_grad
    after = t.is_grad_enabled()
flags, after

# inference mode: inference mode that is none
with t.no_grad(), t.inference_mode(False):
    flags = t.is_grad_enabled(), (x * 2).requires_grad, t.ones(1).is_inference()
flags

# inference mode: the flag of set_grad_enabled is a word
t.set_grad_enabled("no")

# inference mode: the flag of set_grad_enabled is a number
t.set_grad_enabled(0)
""",
    copy=copy,
    pickle=pickle,
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outcome_is_pytorchs(torch, name):
    same_outcome(torch, PROGRAMS[name])


# Of some errors what the message has to name: what was given, the rule, what would work.
NAMED = {
    "a copy of a result": ("MulBackward0", "detach()", "clone()"),
    "the flag is a number": ("requires_grad must be a bool", "int"),
    "a gradient of another shape": ("[2]", "[3]"),
    "inference mode: it is written": ("Inplace update to inference tensor", "clone"),
    "inference mode: its count of writes": ("do not track version counter", "clone()"),
    "inference mode: indexing keeps it": ("cannot be saved for backward", "clone"),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_message_names_what_was_given_and_what_would_work(name):
    message = refusal(PROGRAMS[name])
    assert all(words in message for words in NAMED[name]), message
