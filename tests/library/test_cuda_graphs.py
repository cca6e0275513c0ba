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
    optimizer = tl.optim.Adam([x])
    for work, words in (
        (optimizer.step, "step\\(\\) of Adam, which counts its steps in Python"),
        (lambda: tl.nn.functional.dropout(x), "the same in every replay"),
    ):
        with pytest.raises(RuntimeError, match=words):
            recorded(work)
    optimizer.step()


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
