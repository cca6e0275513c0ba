"""Graphs and events of ``device="cuda"``."""

from __future__ import annotations

import gc

import pytest

import tensorlab as tl
from tensorlab.backends import cuda, gpu
from tests.library.device import IS_REAL


@pytest.fixture(autouse=True)
def memory(monkeypatch):
    if not IS_REAL:
        monkeypatch.setenv(cuda.VARIABLE, "simulated")
    return gpu("the test").memory


def unused(memory):
    """The bytes that no tensor uses, once all was given back that can be."""
    gc.collect()
    tl.cuda.empty_cache()
    return memory.reserved - memory.allocated


def recorded(work, is_compiled=False):
    if not is_compiled:
        work()
    graph = tl.cuda.CUDAGraph()
    with tl.cuda.graph(graph):
        made = work()
    return graph, made


def test_a_graph_does_nothing_until_it_is_replayed_and_then_reads_what_is_there():
    x = tl.arange(4.0).cuda()
    graph, y = recorded(lambda: (x * 2 + 1).sum())
    assert IS_REAL or y.isnan().item()
    for values in ([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 5.0]):
        x.copy_(tl.tensor(values).cuda())
        graph.replay()
        assert y.item() == 2 * sum(values) + 4


def test_a_training_step_is_replayed():
    def trained(graphed):
        tl.manual_seed(0)
        model = tl.nn.Linear(3, 2).to("cuda")
        optimizer = tl.optim.SGD(model.parameters(), lr=0.1)
        x, y = tl.randn(4, 3).cuda(), tl.randn(4, 2).cuda()

        def step():
            optimizer.zero_grad(set_to_none=False)
            loss = tl.nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        losses = [step().item() for _ in range(2)]  # the second adds to gradients that are there
        if graphed:
            graph, loss = recorded(step, is_compiled=True)
        for _ in range(3):
            if graphed:
                graph.replay()
            else:
                loss = step()
            losses.append(loss.item())
        return losses

    assert trained(graphed=True) == trained(graphed=False)


@pytest.mark.parametrize("set_to_none", [True, False])
def test_a_whole_step_of_training_with_adamw_is_replayed(set_to_none):
    """Forward, backward, clipping and the optimizer's step: each replay is one more step, not the same."""

    def trained(graphed):
        tl.manual_seed(0)
        model = tl.nn.Sequential(tl.nn.Linear(3, 4), tl.nn.Tanh(), tl.nn.Linear(4, 2)).to("cuda")
        optimizer = tl.optim.AdamW(model.parameters(), lr=0.1, capturable=True)
        x, y = tl.randn(4, 3).cuda(), tl.randn(4, 2).cuda()

        def step():
            optimizer.zero_grad(set_to_none)
            loss = tl.nn.functional.mse_loss(model(x), y)
            loss.backward()
            tl.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            return loss

        losses = [step().item() for _ in range(2)]
        if graphed:
            graph, loss = recorded(step, is_compiled=True)
        for _ in range(5):
            if graphed:
                graph.replay()
            else:
                loss = step()
            losses.append(loss.item())
        return losses, [each["step"].item() for each in optimizer.state.values()]

    losses, steps = trained(graphed=True)
    assert (losses, steps) == trained(graphed=False)
    assert losses == sorted(losses, reverse=True)
    assert steps == [7.0] * 4


CAPTURABLE = [
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}),
    ("Adam", {"lr": 0.1, "betas": (0.0, 0.9)}),
    ("AdamW", {"lr": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.1}),
    ("Adamax", {"lr": 0.1}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "t0": 3}),
    ("Rprop", {"lr": 0.1}),
    ("Adadelta", {"lr": 0.1}),
    ("RMSprop", {"lr": 0.1, "centered": True, "momentum": 0.9}),
]


def moved(name, settings, way, is_tensor, steps=7):
    """Where a parameter goes, if the rate falls from step to step."""
    device = "cpu" if way == "on the CPU" else "cuda"
    x, start = tl.linspace(1, 2, 9, device=device).requires_grad_(), settings["lr"]
    settings = settings | ({} if way == "on the CPU" or name == "SGD" else {"capturable": True})
    optimizer = getattr(tl.optim, name)(
        [x], **settings | {"lr": tl.tensor(start, device=device) if is_tensor else start}
    )
    schedule = tl.optim.lr_scheduler.ExponentialLR(optimizer, 0.5 if is_tensor else 1.0)
    x.grad, graph, found = tl.linspace(-1, 1, 9, device=device), None, []
    for step in range(steps):
        x.grad.mul_(0.9)
        if way == "in a graph" and step == 2:
            graph, _ = recorded(optimizer.step, is_compiled=True)
        graph.replay() if graph else optimizer.step()
        schedule.step()
        found.append(x.tolist())
    return found


@pytest.mark.parametrize("is_tensor", [False, True], ids=["a number", "a tensor"])
@pytest.mark.parametrize(("name", "settings"), [*CAPTURABLE, ("SGD", {"lr": 0.1})], ids=str)
def test_replayed_steps_count_and_see_the_rate_of_the_time(name, settings, is_tensor):
    found = moved(name, settings, "in a graph", is_tensor)
    assert found == moved(name, settings, "without one", is_tensor)
    for ours, expected in zip(found, moved(name, settings, "on the CPU", is_tensor), strict=True):
        assert ours == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("name", ["Adam", "NAdam", "ASGD"])
@pytest.mark.parametrize("first", [True, False], ids="first capturable={}".format)
def test_a_state_goes_on_with_and_without_capturable(name, first):
    """The settings of a saved state are those that hold, as in PyTorch: here they are changed with it."""

    def trained(is_capturable, state=None, start=None):
        x = (tl.linspace(1, 2, 9) if start is None else start.detach().clone()).cuda().requires_grad_()
        optimizer = getattr(tl.optim, name)([x], lr=0.1, capturable=is_capturable)
        if state is not None:
            state["param_groups"][0]["capturable"] = is_capturable
            optimizer.load_state_dict(state)
        x.grad = tl.linspace(-1, 1, 9).cuda()
        for _ in range(3):
            optimizer.step()
        return x, optimizer

    x, optimizer = trained(first)
    y, changed = trained(not first, optimizer.state_dict(), x)
    z, _ = trained(first, optimizer.state_dict(), x)
    tl.testing.assert_close(y, z, rtol=2e-6, atol=0.0)
    assert changed.state[y]["step"].item() == 6
    assert changed.state[y]["step"].is_cuda is not first
    assert optimizer.state[x]["step"].item() == 3


def test_memory_of_a_graph_serves_nothing_else_until_the_graph_is_gone(memory):
    x, before = tl.ones(1000).cuda(), unused(memory)
    graph, y = recorded(lambda: (x + 1) * 2)
    reserved = memory.reserved
    others = [tl.zeros(1000).cuda() for _ in range(4)]
    assert memory.reserved == reserved + 4 * 4096
    graph.replay()
    assert [each.sum().item() for each in others] == [0] * 4
    assert y.sum().item() == 4000
    del others, y
    assert unused(memory) > before
    graph.reset()
    assert unused(memory) == before


def test_graphs_that_share_memory_keep_it_while_one_of_them_is_left(memory):
    x, before, pool = tl.ones(1000).cuda(), unused(memory), tl.cuda.graph_pool_handle()
    first, second = tl.cuda.CUDAGraph(), tl.cuda.CUDAGraph()
    with tl.cuda.graph(first, pool=pool):
        x + 1
    reserved = memory.reserved
    with tl.cuda.graph(second, pool=first.pool()):
        x + 2
    assert memory.reserved == reserved
    del pool
    first.reset()
    assert unused(memory) > before
    second.reset()
    assert unused(memory) == before


@pytest.mark.parametrize(
    "wait",
    [
        lambda x: x.sum().item(),
        lambda x: x.cpu(),
        lambda x: tl.ones(2).cuda(),
        lambda x: tl.cuda.synchronize(),
        lambda x: tl.cuda.current_stream().synchronize(),
    ],
)
def test_what_waits_or_copies_is_refused_while_recording_and_recording_ends(wait):
    x, graph = tl.ones(2).cuda(), tl.cuda.CUDAGraph()
    with (
        pytest.raises(RuntimeError, match=r"not permitted when stream is capturing.*tensorlab\.cuda\.graph"),
        tl.cuda.graph(graph),
    ):
        wait(x)
    assert not tl.cuda.is_current_stream_capturing()
    assert (x + 1).tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="has not been recorded"):
        graph.replay()


def test_what_python_counts_or_draws_is_refused_while_recording():
    x = tl.ones(2, device="cuda", requires_grad=True)
    x.sum().backward()
    optimizer, other = tl.optim.Adam([x]), tl.optim.Adagrad([x])
    for work, words in (
        (optimizer.step, "step\\(\\) for an instance of Adam but .* make it with capturable=True"),
        (other.step, "step\\(\\) for an instance of Adagrad but .* call step\\(\\) behind replay"),
        (lambda: tl.nn.functional.dropout(x), "the same in every replay"),
    ):
        with pytest.raises(RuntimeError, match=words):
            recorded(work)
    optimizer.step()
    for first in (tl.optim.Adam([x], capturable=True), tl.optim.SGD([x], momentum=0.9)):
        with pytest.raises(RuntimeError, match=r"first step\(\).* Call step\(\) once before"):
            recorded(first.step, is_compiled=True)


def test_a_graph_is_recorded_once_and_one_at_a_time():
    graph, _ = recorded(lambda: None)
    with pytest.raises(RuntimeError, match="has been recorded"):
        graph.capture_begin()
    graph.reset()
    graph.capture_begin()
    assert tl.cuda.is_current_stream_capturing()
    with pytest.raises(RuntimeError, match="another graph is being recorded"):
        tl.cuda.CUDAGraph().capture_begin()
    graph.capture_end()
    with pytest.raises(RuntimeError, match="without capture_begin"):
        graph.capture_end()


def test_an_event_is_recorded_before_it_is_asked_for_the_time():
    first, last = tl.cuda.Event(enable_timing=True), tl.cuda.Event(enable_timing=True)
    assert first.query()
    first.record()
    with pytest.raises(ValueError, match="must be recorded"):
        first.elapsed_time(last)
    tl.cuda.current_stream().record_event(last)
    last.synchronize()
    assert tl.cuda.current_stream().query()
    assert 0 <= first.elapsed_time(last) < 1000
