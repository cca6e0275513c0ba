"""Index tensors and masks lead to the same elements on ``device="cuda"``, in the simulator, as on the CPU."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.backends import cuda, gpu

F = tl.nn.functional


@pytest.fixture(params=[0, 1], ids="seed{}".format)
def device(request, monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    found = gpu("a test")
    monkeypatch.setattr(found.driver, "seed", request.param)
    return found


def _put(x, where, values):
    x = x.clone()
    x[where] = values
    return x


# Of a 5 × 8 tensor, and indices 4, 0, -1, 2, 0, 4.
MOVES = {
    "rows": lambda x, i: x[i],
    "rows of a view": lambda x, i: x[:, 1:7][i],
    "columns": lambda x, i: x[:, i],
    "columns of the transpose": lambda x, i: x.t()[:, i],
    "pairs": lambda x, i: x[i, i % 8],
    "between": lambda x, i: x.view(5, 2, 4)[:, i % 2],
    "apart": lambda x, i: x.view(5, 2, 4)[i, :, i % 4],
    "gather": lambda x, i: x.gather(0, i[1:4].abs().view(3, 1).expand(3, 8)),
    "gather along": lambda x, i: x.gather(1, i.abs().view(1, 6).expand(5, 6)),
    "index_select": lambda x, i: x.index_select(1, i.abs()),
    "take": lambda x, i: x.take(i * 3),
    "embedding": lambda x, i: F.embedding(i.abs().view(2, 3), x),
    "bytes": lambda x, i: x.to(tl.uint8)[i],
    "truths": lambda x, i: (x > 15)[i],
    "doubles": lambda x, i: x.double()[:, :6][i],
    "put rows": lambda x, i: _put(x, i, tl.arange(48.0, device=x.device).view(6, 8)),
    "put a number": lambda x, i: _put(x, (slice(None), i), 7.0),
    "put pairs": lambda x, i: _put(x, (i, i % 8), tl.arange(6.0, device=x.device)),
    "put halves": lambda x, i: _put(x.bfloat16(), i, tl.arange(48, device=x.device).view(6, 8).bfloat16()),
    "add rows": lambda x, i: x.index_add(0, i.abs(), x[i]),
    "add columns": lambda x, i: x.index_add(1, i.abs(), x[:, i]),
    "add whole numbers": lambda x, i: x.long().index_add(0, i.abs(), x[i].long()),
    "add bytes": lambda x, i: x.to(tl.uint8).index_add(0, i.abs(), x[i].to(tl.uint8)),
    "add halves": lambda x, i: x.half().index_add(0, i.abs(), x[i].half()),
    "scatter": lambda x, i: x.scatter(1, i.abs().view(1, 6).expand(5, 6), x + 100),
    "scatter_add": lambda x, i: x.scatter_add(0, i.abs().view(6, 1).expand(6, 8)[:5], x),
    "greatest": lambda x, i: x.scatter_reduce(0, i.abs().view(6, 1).expand(6, 8)[:5], -x, "amax"),
    "product": lambda x, i: x.scatter_reduce(0, i.abs().view(6, 1).expand(6, 8)[:5], x, "prod"),
    "add truths": lambda x, i: (x > 15).index_add(0, i.abs(), x[i] > 7),
    "fill": lambda x, i: x.index_fill(0, i.abs(), -1),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_move(device, name):
    x, index = tl.arange(40.0).view(5, 8), tl.tensor([4, 0, -1, 2, 0, 4])
    expected, found = (MOVES[name](x.to(place), index.to(place)) for place in ("cpu", "cuda"))
    assert found.is_cuda
    tl.testing.assert_close(found.cpu(), expected)


# Floats of many sizes, whose sum depends on the order in which they are added.
ADDITIONS = {
    "scatter_add": lambda x, i, v: x.scatter_add(0, i.view(-1, 1).expand(-1, 2), v),
    "index_add": lambda x, i, v: x.index_add(0, i, v),
    "index_put": lambda x, i, v: x.index_put((i,), v, accumulate=True),
    "scatter_reduce": lambda x, i, v: x.scatter_reduce(0, i.view(-1, 1).expand(-1, 2), v, "mean"),
    "embedding": lambda x, i, v: tl.autograd.grad(F.embedding(i, x.requires_grad_()), x, v)[0],
    "indexing": lambda x, i, v: tl.autograd.grad(x.requires_grad_()[i], x, v)[0],
    "halves": lambda x, i, v: x.half().index_add(0, i, v.half()),
    "pairs": lambda x, i, v: x.index_put((i, i % 2), v[:, 0], accumulate=True),
    "bincount": lambda x, i, v: tl.bincount(i, v[:, 0]),
}


@pytest.fixture
def deterministic():
    tl.use_deterministic_algorithms(True)
    yield
    tl.use_deterministic_algorithms(False)


def _additions(name, place):
    values = tl.tensor([(-1.1) ** k * 3.0 ** (k % 13) for k in range(80)]).view(40, 2)
    return ADDITIONS[name](tl.ones(3, 2, device=place), (tl.arange(40) * 7 % 3).to(place), values.to(place))


@pytest.mark.parametrize("name", ADDITIONS)
def test_additions_have_the_bits_of_the_cpu_where_that_is_asked_for(device, deterministic, name):
    assert _additions(name, "cuda").tolist() == _additions(name, "cpu").tolist()


def test_additions_are_in_any_order_where_nothing_is_asked_for(device, monkeypatch):
    found = []
    for seed in range(4):
        monkeypatch.setattr(device.driver, "seed", seed)
        found.append(_additions("index_add", "cuda").tolist())
    assert any(each != found[0] for each in found)
    tl.testing.assert_close(tl.tensor(found[0]), _additions("index_add", "cpu"))


@pytest.mark.parametrize("reduce", ["prod", "amax", "amin"])
@pytest.mark.parametrize("kind", [tl.float32, tl.int64, tl.uint8])
def test_elements_are_combined_in_the_order_of_the_cpu(device, reduce, kind):
    index = (tl.arange(40) * 7 % 3).view(-1, 1).expand(-1, 2)
    values = (tl.arange(80).view(40, 2) * 37 % 101 + 1).to(kind)
    if kind is tl.float32:
        values[20, 1] = float("nan")
    results = [
        tl.full((3, 2), 50, dtype=kind, device=place).scatter_reduce(
            0, index.to(place), values.to(place), reduce
        )
        for place in ("cpu", "cuda")
    ]
    tl.testing.assert_close(results[1].cpu(), results[0], rtol=0, atol=0, equal_nan=True)


def test_the_modes_of_determinism_are_pytorchs(torch):
    for library in torch, tl:
        try:
            for mode, number in (("default", 0), ("warn", 1), (2, 2), (0, 0)):
                library.set_deterministic_debug_mode(mode)
                assert library.get_deterministic_debug_mode() == number
                assert library.are_deterministic_algorithms_enabled() == (number > 0)
                assert library.is_deterministic_algorithms_warn_only_enabled() == (number == 1)
            library.use_deterministic_algorithms(True, warn_only=True)
            assert library.get_deterministic_debug_mode() == 1
            with pytest.raises(RuntimeError, match="invalid value of debug_mode"):
                library.set_deterministic_debug_mode(3)
            with pytest.raises(TypeError, match="debug_mode must be str or int"):
                library.set_deterministic_debug_mode(None)
            with pytest.raises(TypeError, match="must be bool"):
                library.use_deterministic_algorithms(1)
        finally:
            library.use_deterministic_algorithms(False)


def test_following_indices_waits_for_nothing(device, monkeypatch):
    x, index = tl.arange(40.0).view(5, 8).cuda(), tl.tensor([4, 0, -1]).cuda()
    monkeypatch.setattr(device.driver, "download", None)
    before = device.launches
    rows = x[index]
    assert device.launches == before + 1
    x[index] = rows
    x.index_add_(0, index.abs(), rows)


@pytest.mark.parametrize(
    "move",
    [
        lambda x, i: x[i],
        lambda x, i: x.t()[:, i],
        lambda x, i: _put(x, i, 0.0),
        lambda x, i: x.index_add(0, i, x[:3]),
        lambda x, i: x.index_fill_(0, i, 3.0),
    ],
)
def test_an_index_that_leads_out_is_told_when_the_host_waits(device, move):
    x = tl.arange(40.0).view(5, 8).cuda()
    move(x, tl.tensor([0, 5, 1]).cuda())
    with pytest.raises(IndexError, match="index 5 is out of bounds for a dimension with size 5"):
        tl.cuda.synchronize()
    tl.cuda.synchronize()
    assert x[2:].tolist() == tl.arange(40.0).view(5, 8)[2:].tolist()


def test_a_replay_tells_of_an_index_that_leads_out(device):
    x, index = tl.arange(3.0).cuda(), tl.tensor([0, 2]).cuda()
    graph = tl.cuda.CUDAGraph()
    with tl.cuda.graph(graph):
        rows = x[index]
    for last, expected in ((2, [0, 2]), (7, None), (1, [0, 1])):
        index.copy_(tl.tensor([0, last]))
        graph.replay()
        if expected:
            assert rows.tolist() == expected
        else:
            with pytest.raises(IndexError, match="index 7 is out of bounds"):
                tl.cuda.synchronize()
