"""The engine, its modes and hooks: outcomes that PyTorch's users know, each tried on both."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import tensorlab as tl
from tensorlab.ops import correlations
from tests.library.gradients.outcomes import both, leaf, points

VIEWS = {
    "t": lambda t, x: x.t(),
    "permute": lambda t, x: x.permute(1, 0),
    "view": lambda t, x: x.view(-1),
    "reshape": lambda t, x: x.t().reshape(-1),
    "select": lambda t, x: x[1],
    "slice": lambda t, x: x[:, 1:],
    "mixed": lambda t, x: x[1:, None, ::2],
    "unfold": lambda t, x: x.unfold(1, 2, 1),
    "diagonal": lambda t, x: x.diagonal(1),
    "as_strided": lambda t, x: x.as_strided((2, 2), (1, 2), 1),
    "as_strided that overlaps": lambda t, x: x.as_strided((2, 3), (1, 1), 1),
    "split": lambda t, x: x.split(1, 1)[1],
    "unbind": lambda t, x: x.unbind(1)[2] * x.unbind(1)[0],
    "chunk": lambda t, x: x.chunk(2)[0],
    "narrow": lambda t, x: x.narrow(1, 1, 2),
    "expand": lambda t, x: x.expand(2, 3, 4),
    "squeeze": lambda t, x: x.unsqueeze(0).squeeze(0),
}


@pytest.mark.parametrize("name", VIEWS)
def test_the_gradient_of_a_view_is_its_adjoint(torch, name):
    def program(t):
        x = points(t, 3, 4)
        y = VIEWS[name](t, x)
        weights = (t.arange(y.numel(), dtype=t.float64) + 1).reshape(y.shape)
        (first,) = t.autograd.grad(y, x, weights, retain_graph=True)
        y.backward(weights)
        return y.detach(), first, x.grad

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_a_write_into_a_view_gives_its_base_another_history(torch):
    def program(t):
        x = points(t, 3, 4)
        y = x * 1
        part = y[1]
        part.mul_(x[0])
        names = y.grad_fn.name().rpartition(":")[2], part.grad_fn.name()
        (y * y).sum().backward()
        return y.detach(), x.grad, *names

    ours, theirs = both(torch, program)
    assert ours == theirs
    assert ours[2:] == ["CopySlices", "AsStridedBackward0"]


def test_a_tensor_that_is_filled_part_by_part(torch):
    def program(t):
        x = points(t, 3)
        y = t.zeros(4, 3, dtype=t.float64)
        y[1] = x
        y[2:] = x * 2
        y[0] = 7
        y[3, 1] = 0
        (y * y).sum().backward()
        return y.detach(), x.grad

    ours, theirs = both(torch, program)
    assert ours == theirs


REFUSED = {
    "a leaf is written": lambda t, x: x.add_(1),
    "a view of a leaf is written": lambda t, x: x[0].add_(1),
    "a position of a leaf is written": lambda t, x: x.__setitem__(0, 1),
    "what exp kept is written": lambda t, x: _after(x.exp(), lambda y: y.add_(1)),
    "a second pass": lambda t, x: _after(x * x, lambda y: y.sum().backward(), keep=False),
    "several elements": lambda t, x: (x * 2).backward(),
    "numbers as a gradient": lambda t, x: (x * 2).backward([1, 1, 1]),
    "a number as a gradient": lambda t, x: t.autograd.grad(x * 2, x, [1.0]),
    "fewer gradients than results": lambda t, x: t.autograd.backward([x * 2, x * 3], [points(t, 3)]),
    "no gradient anywhere": lambda t, x: t.zeros(1).sum().backward(),
    "numpy": lambda t, x: x.numpy(),
    "out": lambda t, x: t.add(x, 1, out=t.zeros(3, dtype=t.float64)),
    "integers": lambda t, x: t.zeros(3, dtype=t.int64, requires_grad=True),
    "flag of a result": lambda t, x: (x * 2).requires_grad_(False),
    "one of several views": lambda t, x: (x * 1).unbind()[0].add_(1),
    "unused": lambda t, x: t.autograd.grad((x * x).sum(), [x, points(t, 2)]),
    "a view made quietly": lambda t, x: _quiet_view(t, x * 1).add_(1),
    "grad of another shape": lambda t, x: setattr(x, "grad", t.zeros(2, dtype=t.float64)),
    "grad of another dtype": lambda t, x: setattr(x, "grad", t.zeros(3)),
    "retain without gradient": lambda t, x: x.detach().retain_grad(),
    "hook without gradient": lambda t, x: x.detach().register_hook(print),
}


def _after(y, write, keep=True):
    total = y.sum()
    write(y)
    if not keep:
        y.sum().backward()
    total.backward()


def _quiet_view(t, y):
    with t.no_grad():
        return y[1:]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(torch, name):
    ours, theirs = both(torch, lambda t: REFUSED[name](t, points(t, 3)))
    assert isinstance(theirs, str)
    assert ours == theirs


def test_a_kept_tensor_that_was_written_is_named():
    x = leaf(1.0, 2.0)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"ExpBackward0 kept .* its own result; it was at version 0"):
        y.sum().backward()


def test_hooks_in_order(torch):
    def program(t):
        x, seen = points(t, 2), []
        handle = x.register_hook(lambda g: (seen.append("leaf"), g * 2)[1])
        y = x * 3
        y.register_hook(lambda g: seen.append("tensor"))
        y.grad_fn.register_hook(lambda leaving, arrived: seen.append("after"))
        y.grad_fn.register_prehook(lambda arrived: seen.append("before"))
        x.register_post_accumulate_grad_hook(lambda p: seen.append("accumulated"))
        y.sum().backward()
        handle.remove()
        (x * 3).sum().backward()
        return x.grad, *seen

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_retained_gradients_follow_a_write(torch):
    def program(t):
        x = points(t, 3)
        y = x.mul(2)
        y.retain_grad()
        y.mul_(3)
        y.register_hook(lambda g: g * 2)
        y.sum().backward()
        return x.grad, y.grad

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_retained_gradients_of_a_view_that_was_written_without_recording(torch):
    """The gradient that it keeps is that of what it is now, and what was computed before has another."""

    def program(t):
        x = points(t, 3)
        view = x[1:]
        view.retain_grad()
        before = view * 2
        with t.no_grad():
            x.mul_(3)
        after = view * 5
        (before.sum() + after.sum()).backward()
        return x.grad, view.grad

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_a_view_is_out_of_date_after_a_write_without_recording(torch):
    """Its history begins again at its base: the view of a view is then a view of all of the base's cells."""

    def program(t):
        x = points(t, 3, 2)
        corner = x.diagonal()[0]
        view = corner.as_strided((2,), (1,))
        with t.no_grad():
            view.mul_(2)
        return view.grad_fn.name(), *t.autograd.grad(view, x, t.ones(2, dtype=t.float64))

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_the_second_pass_reaches_a_view_that_retains_and_was_written(torch):
    """What kept its own result is, differentiated again, a function of that same view."""

    def program(t):
        x = points(t, 3)
        view = (x * 1)[1:]
        view.tanh_()
        view.retain_grad()
        (first,) = t.autograd.grad(view.sum(), x, create_graph=True)
        t.autograd.grad((first * first).sum(), x)
        return first, view.grad

    ours, theirs = both(torch, program)
    assert ours == [pytest.approx(numbers, rel=1e-14) for numbers in theirs]


@pytest.mark.parametrize(
    "write",
    [
        lambda t, x: x.__setitem__(t.tensor([0]), 1),
        lambda t, x: x.index_add_(0, t.tensor([0]), t.ones(1, 0)),
        lambda t, x: x.scatter_(0, t.zeros(1, 0, dtype=t.int64), 1.0),
    ],
)
def test_a_write_of_no_elements_is_a_write(torch, write):
    def program(t):
        y = t.ones(2, 0, requires_grad=True).exp()
        write(t, y)
        y.sum().backward()

    ours, theirs = both(torch, program)
    assert ours == theirs == "RuntimeError"


def test_backward_to_some_inputs_only(torch):
    def program(t):
        x = points(t, 2)
        y = x * 3
        y.square().sum().backward(inputs=[y])
        return x.grad, y.grad

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_gradients_in_a_batch(torch):
    def program(t):
        x = points(t, 2)
        return t.autograd.grad(x * x, x, t.eye(2, dtype=t.float64), is_grads_batched=True)

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_data_is_written_unseen_and_detach_is_not(torch):
    def program(t):
        x = points(t, 2)
        y = x.clone()
        y.data.mul_(2)
        unseen = y._version
        y.detach().mul_(2)
        return x, unseen, y._version

    ours, theirs = both(torch, program)
    assert ours == theirs


def test_inference_mode():
    with tl.inference_mode():
        quiet = tl.ones(2)
    assert quiet.is_inference()
    leaf(1.0, 2.0) * quiet.double()  # outside of the mode a copy is an ordinary tensor
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        tl.ones(2, requires_grad=True) * quiet
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        quiet.add_(1)


def test_a_mode_is_of_its_thread():
    seen = []
    with tl.no_grad():
        thread = threading.Thread(target=lambda: seen.append(tl.is_grad_enabled()))
        thread.start()
        thread.join()
        assert not tl.is_grad_enabled()
    assert seen == [True]


def test_generators_and_functions_are_decorated():
    @tl.no_grad()
    def numbers():
        yield tl.is_grad_enabled()
        yield tl.is_grad_enabled()

    @tl.no_grad
    def plain():
        return tl.is_grad_enabled()

    inside = []
    for number in numbers():
        inside += [number, tl.is_grad_enabled()]
    assert inside == [False, True, False, True]
    assert plain() is False


def test_a_chain_of_100_000_operations():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.sum().backward()
    assert x.grad.tolist() == [1.0]


def test_the_graph_goes_with_its_result():
    x = leaf(1.0, 2.0)
    y = (x * x).exp()
    node = weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert node() is None  # by counting references alone: there is no cycle
    finally:
        gc.enable()


def test_what_was_kept_is_freed_during_the_pass():
    x = leaf(*[1.0] * 1000)
    kept = x.exp()
    storage = weakref.ref(kept.untyped_storage())
    y = kept.exp().sum()
    del kept
    assert storage() is not None
    y.backward()
    assert storage() is None


def test_a_node_that_kept_no_tensor_can_run_again():
    x = leaf(1.0, 2.0)
    y = (x + 1)[1:].sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [0.0, 2.0]


OWN_NODES = {
    "roll": lambda x: x.roll(1),
    "roll along": lambda x: x.roll((1, -1), (0, 1)),
    "rot90": lambda x: x.rot90(),
    "rot90 three times": lambda x: x.rot90(3),
    "repeat": lambda x: x.repeat(2, 1, 3),
    "repeat once": lambda x: x.repeat(1, 1),
    "tile": lambda x: x.tile(2),
    "trace": lambda x: x.trace(),
    "kron": lambda x: x.kron(x),
}


@pytest.mark.parametrize("name", OWN_NODES)
def test_copies_are_no_views_and_have_their_operations_node(torch, name):
    def program(t):
        x = points(t, 2, 3)
        y = OWN_NODES[name](x)
        flags = y._is_view(), y._version, y.is_contiguous()
        first = t.autograd.grad(y.sin().sum(), x, create_graph=True)[0]
        (second,) = t.autograd.grad(first.square().sum(), x)
        node = "UnsafeViewBackward0" if name == "kron" else y.grad_fn.name()  # ours is a ViewBackward0
        return node, *flags, first.detach().reshape(-1), second.reshape(-1)

    ours, theirs = both(torch, program)
    assert ours[:4] == theirs[:4]
    assert [pytest.approx(g, rel=1e-12, abs=1e-14) for g in ours[4:]] == theirs[4:]


def test_the_graph_of_one_view_of_several_is_drawn():
    (row,) = (tl.ones(1, 3, requires_grad=True) * 2).unbind()
    assert "UnbindBackward0" in str(tl.autograd.graph(row.sum()))


def test_a_pass_to_some_inputs_computes_no_other_gradients(monkeypatch):
    def refuse(*_):
        raise AssertionError("the gradient of the weights was not asked for")

    x = tl.ones(1, 1, 4, 19, requires_grad=True)
    weight = tl.ones(1, 1, 2, 2, requires_grad=True)
    y = tl.conv2d(x, weight)
    monkeypatch.setattr(correlations.WeightSide, "launch", refuse)
    for create_graph in (False, True):
        (found,) = tl.autograd.grad(y, x, tl.ones_like(y), create_graph=create_graph, retain_graph=True)
        assert found.sum().item() == 4 * y.numel()
    y.backward(tl.ones_like(y), inputs=[x], retain_graph=True)
    assert x.grad.sum().item() == 4 * y.numel()
    with pytest.raises(AssertionError, match="not asked for"):
        y.backward(tl.ones_like(y))


def test_a_pass_to_some_inputs_goes_through_writes_into_views(torch):
    found = []
    for library in (torch, tl):
        a = library.ones(3, dtype=library.float64, requires_grad=True)
        b = library.full((2,), 3.0, dtype=library.float64, requires_grad=True)
        y = a * 2
        y[1:].mul_(b)
        norm = library.nn.functional.layer_norm(y * y, (3,), weight=a)
        found.append([library.autograd.grad(norm[0], each, retain_graph=True)[0].tolist() for each in (a, b)])
    for theirs, ours in zip(*found, strict=True):
        assert ours == pytest.approx(theirs)
