"""Checkpointing: what PyTorch gives, refuses and keeps, case by case."""

from __future__ import annotations

import importlib

import pytest

import tensorlab as tl


def square(v):
    return (v * v).exp()


def written_argument(m, checkpoint, x):
    h = x * 1
    y = checkpoint(square, h)
    h.add_(1)
    return y


def written_second_argument(m, checkpoint, x):
    c = m.ones(2)
    y = checkpoint(lambda v, c: square(v) * c, x, c)
    c.add_(1)
    return y


def written_constant(m, checkpoint, x):
    k = m.ones(2)
    y = checkpoint(lambda v: square(v) * k, x)
    k.add_(1)
    return y


def fewer_tensors(m, checkpoint, x):
    runs = []
    return checkpoint(lambda v: runs.append(1) or (v.exp() * v if len(runs) == 1 else v.exp()), x)


def other_shapes(m, checkpoint, x, **options):
    runs = []
    return checkpoint(lambda v: runs.append(1) or square(v[: len(runs)]).sum(), x, **options)


def in_contexts(m, checkpoint, x):
    return checkpoint(square, x, context_fn=lambda: (m.enable_grad(), m.autograd.detect_anomaly()))


def of_an_inference_tensor(m, checkpoint, x):
    with m.inference_mode():
        k = m.ones(2)
    return checkpoint(lambda v, k: square(v), x, k)


CASES = {
    "plain": lambda m, checkpoint, x: checkpoint(square, x),
    "a keyword": lambda m, checkpoint, x: checkpoint(lambda v, power=2: v**power, x, power=3),
    "a list": lambda m, checkpoint, x: checkpoint(lambda items: square(items[0]), [x]),
    "two in each other": lambda m, checkpoint, x: checkpoint(
        lambda v: checkpoint(lambda u: u.exp() * u, v * 2).tanh(), x
    ),
    "an argument that is written": written_argument,
    "a second argument that is written": written_second_argument,
    "something else that is written": written_constant,
    "a function that writes its argument": lambda m, checkpoint, x: checkpoint(
        lambda v: v.mul_(2).exp(), x * 1
    ),
    "a function that keeps fewer tensors": fewer_tensors,
    "a function that keeps other shapes": other_shapes,
    "shapes that are not compared": lambda *given: other_shapes(*given, determinism_check="none"),
    "contexts": in_contexts,
    "an inference tensor": of_an_inference_tensor,
    "an unknown check": lambda m, checkpoint, x: checkpoint(square, x, determinism_check="some"),
}


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_gradients_and_refusals_are_those_of_pytorch(torch, case):
    found = []
    for library in (tl, torch):
        module = importlib.import_module(f"{library.__name__}.utils.checkpoint")

        def checkpoint(*arguments, module=module, **keywords):
            return module.checkpoint(*arguments, use_reentrant=False, **keywords)

        x = library.tensor([0.5, 1.0], requires_grad=True)
        try:
            case(library, checkpoint, x).sum().backward()
            found.append([round(value, 4) for value in x.grad.tolist()])
        except (RuntimeError, ValueError) as error:
            found.append(type(error).__name__)
    assert found[0] == found[1]


def test_an_argument_that_was_written_is_named():
    h = tl.ones(2, requires_grad=True) * 1
    y = tl.utils.checkpoint.checkpoint(square, h)
    h.mul_(2)
    with pytest.raises(
        RuntimeError, match=r"checkpoint kept .* as `args\[0\]`; .* version 0 .* mul_ wrote it"
    ):
        y.sum().backward()


def test_hooks_around_a_call_see_its_arguments_alone(torch):
    found = []
    for library in (tl, torch):
        module = importlib.import_module(f"{library.__name__}.utils.checkpoint")
        x, w = library.ones(2, 3, requires_grad=True), library.ones(3, 4, requires_grad=True)
        kept: list[tuple] = []
        hooks = library.autograd.graph.saved_tensors_hooks
        with hooks(lambda t, kept=kept: kept.append(tuple(t.shape)) or t, lambda t: t):
            y = module.checkpoint(lambda x, w: (x @ w).exp().tanh(), x, w, use_reentrant=False)
        y.sum().backward()
        found.append((kept, x.grad.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("early_stop", [True, False])
def test_the_second_run_ends_with_the_last_tensor_that_is_needed(torch, early_stop):
    found = []
    for library in (tl, torch):
        module = importlib.import_module(f"{library.__name__}.utils.checkpoint")
        ends: list[int] = []

        def function(v, ends=ends):
            result = square(v)
            ends.append(1)
            return result

        x = library.ones(2, requires_grad=True)
        module.checkpoint(function, x, use_reentrant=False, early_stop=early_stop).sum().backward()
        found.append(len(ends))
    assert found[0] == found[1]
