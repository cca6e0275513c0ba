"""Hooks of tensors, nodes and accumulated gradients: PyTorch's outcome, whatever they return or remove."""

from __future__ import annotations

import pytest

from tests.library.gradients.outcomes import blocks, refusal, same_outcome

PROGRAMS = blocks(
    """
# on what requires no gradient
t.zeros(3).register_hook(print)

# it returns a part
x.register_hook(lambda g: g[:1])
x.sum().backward()

# it returns another dtype
x.register_hook(lambda g: g.float())
x.sum().backward()

# it returns a number
x.register_hook(lambda g: 1.0)
x.sum().backward()

# it returns a tuple
x.register_hook(lambda g: (g,))
x.sum().backward()

# it takes no arguments
x.register_hook(lambda: None)
x.sum().backward()

# it raises
x.register_hook(lambda g: {}["mine"])
x.sum().backward()

# two, one after the other
x.register_hook(lambda g: g * 2)
x.register_hook(lambda g: g + 1)
x.sum().backward()
x.grad

# the same one twice
double = lambda g: g * 2
x.register_hook(double)
x.register_hook(double)
x.sum().backward()
x.grad

# it removes itself
handles = []
handles.append(x.register_hook(lambda g: (handles[0].remove(), g * 2)[1]))
x.sum().backward()
x.sum().backward()
x.grad

# it removes the next one
handles = []
x.register_hook(lambda g: handles[0].remove())
handles.append(x.register_hook(lambda g: g * 2))
x.sum().backward()
first = x.grad.clone()
x.sum().backward()
first, x.grad

# it adds another
x.register_hook(lambda g: (x.register_hook(lambda h: h * 3), None)[1])
x.sum().backward()
first = x.grad.clone()
x.sum().backward()
first, x.grad

# it writes into the gradient
y = x * 1
y.register_hook(lambda g: (g.mul_(2), None)[1])
y.sum().backward()
x.grad

# of a node: it sees one gradient for each operand, of its shape and dtype
seen = []
w = t.ones((), requires_grad=True)
y = x * w
y.grad_fn.register_hook(lambda left, came: seen.extend([*left, *came]))
y.sum().backward()
seen

# of a node: it sees None for an operand that requires none
seen = []
y = x * t.ones(3, dtype=t.float64)
y.grad_fn.register_hook(lambda left, came: seen.append([g is None for g in left]))
y.sum().backward()
seen

# of a node: it removes itself
handles = []
y = x * 2
change = lambda left, came: (handles[0].remove(), tuple(g if g is None else g * 2 for g in left))[1]
handles.append(y.grad_fn.register_hook(change))
y.sum().backward(retain_graph=True)
y.sum().backward()
x.grad

# of a node: too many
y = x.exp()
y.grad_fn.register_hook(lambda left, came: left * 5)
y.sum().backward()

# of a node: no tuple
y = x.exp()
y.grad_fn.register_hook(lambda left, came: left[0] * 2)
y.sum().backward()

# of a node: a number
y = x.exp()
y.grad_fn.register_hook(lambda left, came: (1.0,))
y.sum().backward()

# of a node: a part
y = x.exp()
y.grad_fn.register_hook(lambda left, came: (left[0][:1],))
y.sum().backward()

# of a node: another dtype
y = x.exp()
y.grad_fn.register_hook(lambda left, came: (left[0].float(),))
y.sum().backward()

# of a node: none
y = x.exp()
y.grad_fn.register_hook(lambda left, came: (None,))
y.sum().backward()
x.grad

# of a node: a gradient for what requires none
y = x * t.ones(3, dtype=t.float64)
y.grad_fn.register_hook(lambda left, came: (left[0], left[0]))
y.sum().backward()

# before a node: too many
y = x.exp()
y.grad_fn.register_prehook(lambda came: came * 2)
y.sum().backward()

# before a node: no tuple
y = x.exp()
y.grad_fn.register_prehook(lambda came: came[0])
y.sum().backward()

# before a node: a number
y = x.exp()
y.grad_fn.register_prehook(lambda came: (1.0,))
y.sum().backward()

# before a node: a part
y = x.exp()
y.grad_fn.register_prehook(lambda came: (came[0][:1],))
y.sum().backward()

# before a node: none
y = x.exp()
y.grad_fn.register_prehook(lambda came: (None,))
y.sum().backward()
x.grad

# before a node: nothing
y = x.exp()
y.grad_fn.register_prehook(lambda came: None)
y.sum().backward()
x.grad

# of a leaf's node
seen = []
y = x * 2
y.grad_fn.next_functions[0][0].register_hook(lambda left, came: seen.extend([left, came]))
y.sum().backward()
seen

# of an accumulated gradient: on a result
(x * 2).register_post_accumulate_grad_hook(print)

# of an accumulated gradient: on what requires none
t.zeros(2).register_post_accumulate_grad_hook(print)

# of an accumulated gradient: it returns a number
x.register_post_accumulate_grad_hook(lambda leaf: 1)
x.sum().backward()

# of an accumulated gradient: it clears it
x.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, "grad", None))
x.sum().backward()
x.grad

# of an accumulated gradient: two, and one removes itself
seen, handles = [], []
def once(leaf):
    seen.append(1)
    handles[0].remove()
handles.append(x.register_post_accumulate_grad_hook(once))
x.register_post_accumulate_grad_hook(lambda leaf: seen.append(2))
x.sum().backward()
x.sum().backward()
seen
""",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_outcome_is_pytorchs(torch, name):
    same_outcome(torch, PROGRAMS[name])


# Of some errors what the message has to name: what was given, the rule, what would work.
NAMED = {
    "it returns a part": ("'<lambda>'", "[3]", "[1]"),
    "it returns a number": ("'float'", "return None"),
    "of a node: too many": ("got 5", "expected 1", "one for each operand"),
    "of a node: no tuple": ("'Tensor'", "returns a tuple"),
    "of a node: a gradient for what requires none": ("None gradient", "requires none"),
    "of a node: another dtype": ("float64", "float32"),
    "of an accumulated gradient: it returns a number": ("'int'", "x.grad"),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_message_names_what_was_given_and_what_would_work(name):
    message = refusal(PROGRAMS[name])
    assert all(words in message for words in NAMED[name]), message
