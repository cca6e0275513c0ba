"""Optimizers beside PyTorch's: the same steps, the same state, the same refusals; and what is their own."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.backends.numpy.compute import update
from tensorlab.core import dtypes
from tensorlab.scalars import updates
from tensorlab.scalars.recurrent import RECURRENCES

SHAPES = [(4, 5), (7,), (1,), (3, 0), ()]
CASES = [
    ("SGD", {"lr": 0.01}),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "nesterov": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}),
    ("AdamW", {"lr": 0.1, "betas": (0.4, 0.9)}),
    ("AdamW", {"maximize": True, "amsgrad": True}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.2}),
    ("Adadelta", {"weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {"weight_decay": 0.01}),
    ("RMSprop", {"momentum": 0.9}),
    ("RMSprop", {"centered": True, "maximize": True}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
    ("NAdam", {"lr": 0.1}),
    ("NAdam", {"weight_decay": 0.1, "momentum_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1}),
    ("RAdam", {"betas": (0.5, 0.9), "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.3, "etas": (0.4, 1.5), "step_sizes": (0.1, 0.5), "maximize": True}),
    ("ASGD", {"lr": 0.01, "weight_decay": 0.1}),
    ("ASGD", {"lr": 0.01, "lambd": 0.1, "t0": 3, "maximize": True}),
    ("LBFGS", {"lr": 0.1}),
    ("LBFGS", {"line_search_fn": "strong_wolfe", "max_iter": 4}),
    ("LBFGS", {"line_search_fn": "strong_wolfe", "history_size": 2}),
]


def parameters(library, dtype="float64"):
    rng = np.random.default_rng(0)
    kind = getattr(library, dtype)
    return [library.tensor(rng.standard_normal(shape), dtype=kind).requires_grad_() for shape in SHAPES]


def train(library, name, settings, dtype="float64", steps=10):
    """The losses and the optimizer after some steps on a hilly function of all parameters."""
    values = parameters(library, dtype)
    rng = np.random.default_rng(1)
    targets = [library.tensor(rng.standard_normal(tuple(x.shape)), dtype=x.dtype) for x in values]
    optimizer = getattr(library.optim, name)(values, **settings)

    def closure():
        optimizer.zero_grad()
        hills = [((x - t) ** 2 * (1 + x.cos() ** 2)).sum() for x, t in zip(values, targets, strict=True)]
        loss = sum(hills)
        loss.backward()
        return loss

    losses = [float(optimizer.step(closure).detach()) for _ in range(steps)]
    return losses, [x.detach().tolist() for x in values], optimizer


@pytest.mark.parametrize(("name", "settings"), CASES, ids=str)
def test_steps_and_state_are_pytorchs(torch, name, settings):
    theirs, moved, optimizer = train(torch, name, settings)
    losses, values, own = train(tl, name, settings)
    np.testing.assert_allclose(losses, theirs, rtol=1e-9)
    for value, expected in zip(values, moved, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)
    expected_state, state = optimizer.state_dict(), own.state_dict()
    assert state["param_groups"] == expected_state["param_groups"]
    if name != "LBFGS":
        assert state["state"].keys() == expected_state["state"].keys()
        for number, memories in expected_state["state"].items():
            assert state["state"][number].keys() == memories.keys()
            for key, memory in memories.items():
                np.testing.assert_allclose(state["state"][number][key].tolist(), memory.tolist(), rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(("name", "settings"), [CASES[1], CASES[5]], ids=str)
def test_narrow_parameters_move_as_in_pytorch(torch, name, settings, dtype):
    tolerance = {"float32": 1e-6, "bfloat16": 0.03}[dtype]
    theirs, _, _ = train(torch, name, settings, dtype)
    losses, _, optimizer = train(tl, name, settings, dtype)
    np.testing.assert_allclose(losses, theirs, rtol=tolerance)
    (first, *_) = optimizer.state_dict()["state"].values()
    assert {memory.dtype for key, memory in first.items() if key != "step"} == {getattr(tl, dtype)}


@pytest.mark.parametrize("kind", ["transposed", "sliced", "offset"])
def test_every_layout_of_parameter_and_gradient(kind):
    base = tl.arange(24.0).view(4, 6)
    x = {"transposed": base.t(), "sliced": base[:, ::2], "offset": base[1:, 1:]}[kind]
    x = x.detach().requires_grad_()
    before = x.tolist()
    x.grad = tl.ones(x.shape[1], x.shape[0]).t()
    optimizer = tl.optim.SGD([x], lr=0.5, momentum=0.9)
    version = x._version
    optimizer.step()
    assert x.tolist() == [[number - 0.5 for number in row] for row in before]
    assert x._version > version
    untouched = base.numel() - x.numel()
    assert sum(int(number % 1 == 0) for number in base.flatten().tolist()) == untouched


def test_a_backward_pass_that_needs_the_old_parameter_says_who_wrote_it():
    w = tl.ones(2, requires_grad=True)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    tl.optim.SGD([w], lr=0.1).step()
    with pytest.raises(RuntimeError, match=r"SGD\.step"):
        loss.backward()


RULES = [rule for rule in vars(updates).values() if isinstance(rule, updates.Update)]
RULES += [rule for kind in RECURRENCES.values() for rule in (kind.step, kind.gradient)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_updates_are_what_their_formulas_say_of_each_position(rule):
    """Of rows that lie apart, of numbers that are the same for all rows, and longer than a block."""
    numbers = [0.1 + 0.05 * k for k in range(rule.numbers)]
    count = len(rule.arguments[0])
    arrays = [np.linspace(0.5, 0.9, 3000).reshape(3, 1000) / (k + 2) for k in range(count)]
    steps = [0 if name in rule.read and name != "grad" else 1000 for name in rule.arguments[0]]
    rows = [array[[0, 1, 2] if step else [0, 0, 0], :700] for array, step in zip(arrays, steps, strict=True)]
    cells = zip(*(row.ravel().tolist() for row in rows), strict=True)
    expected = [rule.formula(*each, *numbers) for each in cells]
    buffers = [(array.ravel(), 0) for array in arrays]
    update(rule, dtypes.float64, (3, 700), steps)(*buffers, *numbers)
    written = [
        array[:, :700].ravel() for array, is_written in zip(arrays, rule.written, strict=True) if is_written
    ]
    np.testing.assert_allclose(np.transpose(written), expected, rtol=1e-12)


def with_gradient(x):
    loss = (x * x).sum()
    loss.backward()
    return loss


REFUSED = [
    lambda library, x: library.optim.SGD([]),
    lambda library, x: library.optim.SGD(x),
    lambda library, x: library.optim.SGD([1]),
    lambda library, x: library.optim.SGD([{"params": {x}}]),
    lambda library, x: library.optim.SGD([x * 2]),
    lambda library, x: library.optim.SGD([{"params": [x]}, {"params": [x]}]),
    lambda library, x: library.optim.SGD([{"lr": 1}]),
    lambda library, x: library.optim.SGD([x], lr=-1),
    lambda library, x: library.optim.SGD([x], nesterov=True),
    lambda library, x: library.optim.Adam([x], betas=(1.0, 0.9)),
    lambda library, x: library.optim.Adam([x], eps=-1),
    lambda library, x: library.optim.NAdam([x], momentum_decay=-1),
    lambda library, x: library.optim.RAdam([x], betas=(0.9, 1.0)),
    lambda library, x: library.optim.Adamax([x], lr=-1),
    lambda library, x: library.optim.Rprop([x], etas=(1.2, 0.5)),
    lambda library, x: library.optim.ASGD([x], weight_decay=-1),
    lambda library, x: library.optim.Adadelta([x], rho=2),
    lambda library, x: library.optim.SGD([x], lr=library.ones(2)),
    *(
        lambda library, x, name=name: (
            with_gradient(x),
            getattr(library.optim, name)([x], capturable=True).step(),
        )
        for name in ("Adam", "AdamW", "NAdam", "RAdam", "Adamax", "ASGD", "Rprop", "Adadelta", "RMSprop")
    ),
    lambda library, x: library.optim.LBFGS([{"params": [x]}, {"params": [library.ones(1)]}]),
    lambda library, x: library.optim.LBFGS([x]).step(),
    lambda library, x: library.optim.LBFGS([x], line_search_fn="armijo").step(lambda: with_gradient(x)),
    lambda library, x: library.optim.SGD([x]).add_param_group([x]),
    lambda library, x: library.optim.SGD([x]).load_state_dict({"param_groups": [], "state": {}}),
    lambda library, x: library.optim.SGD([x, library.ones(1)]).load_state_dict(
        library.optim.SGD([x]).state_dict()
    ),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals_are_pytorchs(torch, case):
    raised = []
    for library in (torch, tl):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            REFUSED[case](library, library.ones(2, requires_grad=True))
        raised.append(caught)
    assert raised[1].type is raised[0].type
    begin = str(raised[0].value).replace("torch.FloatTensor", "")[:25]
    assert begin in str(raised[1].value)


def test_groups_repr_and_names_are_pytorchs(torch):
    shown = []
    for library in (torch, tl):
        x, y = library.ones(2, requires_grad=True), library.ones(1, requires_grad=True)
        optimizer = library.optim.AdamW([{"params": [("x", x)]}, {"params": [("y", y)], "lr": 0.5}])
        shown.append(repr(optimizer))
    assert shown[1] == shown[0]


@pytest.mark.parametrize("way", ["state_dict", "saved", "pickle", "deepcopy"])
def test_training_goes_on_where_it_stopped(way):
    def batch(optimizer):
        optimizer.zero_grad()
        (x,) = optimizer.param_groups[0]["params"]
        ((x - 3) ** 2).sum().backward()
        optimizer.step()
        return x.tolist()

    first = tl.optim.Adam([tl.zeros(3, requires_grad=True)], lr=0.1)
    for _ in range(3):
        batch(first)
    if way in ("pickle", "deepcopy"):
        second = copy.deepcopy(first) if way == "deepcopy" else pickle.loads(pickle.dumps(first))
    else:
        state = first.state_dict()
        if way == "saved":
            file = io.BytesIO()
            tl.save(state, file)
            file.seek(0)
            state = tl.load(file)
        x = first.param_groups[0]["params"][0].detach().clone().requires_grad_()
        second = tl.optim.Adam([x], lr=0.7)
        second.load_state_dict(state)
    assert batch(second) == batch(first)


def test_state_of_pytorch_is_read(torch):
    *_, theirs = train(torch, "Adam", {"lr": 0.1, "amsgrad": True})
    *_, own = train(tl, "Adam", {"lr": 0.3, "amsgrad": True}, steps=1)
    state = theirs.state_dict()
    state["state"] = {
        number: {key: tl.tensor(memory.numpy()) for key, memory in memories.items()}
        for number, memories in state["state"].items()
    }
    own.load_state_dict(state)
    assert own.param_groups[0]["lr"] == 0.1
    assert own.state_dict()["state"][0]["step"].item() == 10


def test_hooks_see_every_step_and_can_leave():
    optimizer, seen = tl.optim.SGD([tl.ones(1, requires_grad=True)]), []
    before = optimizer.register_step_pre_hook(lambda *_: seen.append("before"))
    optimizer.register_step_post_hook(lambda *_: seen.append("after"))
    optimizer.step()
    before.remove()
    optimizer.step()
    assert seen == ["before", "after", "after"]


def test_zero_grad_forgets_or_clears():
    x = tl.ones(2, requires_grad=True)
    optimizer = tl.optim.SGD([x])
    x.sum().backward()
    grad = x.grad
    optimizer.zero_grad(set_to_none=False)
    assert x.grad is grad
    assert grad.tolist() == [0, 0]
    optimizer.zero_grad()
    assert x.grad is None


def test_the_same_numbers_on_any_number_of_threads():
    found = []
    for threads in (1, 2):
        tl.set_num_threads(threads)
        tl.manual_seed(0)
        x = tl.randn(1 << 18).requires_grad_()
        optimizer = tl.optim.AdamW([x], lr=0.1)
        for _ in range(3):
            x.grad = tl.randn(1 << 18)
            optimizer.step()
        found.append(x.detach())
    tl.set_num_threads(2)
    assert tl.equal(*found)


def test_a_name_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match="no 'Adem'"):
        _ = tl.optim.Adem
