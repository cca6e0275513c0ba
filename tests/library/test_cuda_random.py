"""Random numbers on ``device="cuda"``, in the simulator: those of a counted stream, and nothing waits."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.backends import cuda, gpu

F = tl.nn.functional


@pytest.fixture
def device(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    return gpu("a test")


def test_uniform_numbers_are_those_of_a_counted_stream(device, monkeypatch):
    x, y = tl.zeros(7).cuda(), tl.zeros(6, dtype=tl.float64).cuda()
    monkeypatch.setattr(device.driver, "upload", None)
    before = device.launches
    tl.manual_seed(5)
    x.uniform_()
    y.uniform_()
    assert device.launches == before + 2
    stream = tl.random.Philox(5)
    assert x.cpu().equal(stream.uniform(7))
    assert y.cpu().equal(stream.uniform(6, start=4, dtype=tl.float64))  # eight words were taken before
    tl.manual_seed(5)
    assert x[::2].uniform_().cpu().equal(stream.uniform(4))


@pytest.mark.parametrize("kind", [tl.float32, tl.float64])
def test_normal_numbers_are_those_of_a_counted_stream(device, kind):
    tl.manual_seed(9)
    found = tl.zeros(9, dtype=kind).cuda().normal_().cpu()
    tl.testing.assert_close(found, tl.random.Philox(9).normal(9, dtype=kind), rtol=1e-5, atol=1e-6)


def test_a_stream_goes_on_from_where_its_state_was_taken(device):
    x, generator = tl.zeros(5).cuda(), tl.Generator().manual_seed(3)
    x.uniform_(generator=generator)
    twin = generator.clone_state()
    first = x.clone().uniform_(generator=generator)
    assert x.uniform_(generator=twin).equal(first)
    with tl.random.fork_rng():
        inside = x.clone().bernoulli_()
    assert x.bernoulli_().equal(inside)


DRAWN = {
    "uniform": (lambda x: x.uniform_(2, 5), 3.5, 0.87),
    "of sixteen bits": (lambda x: x.bfloat16().uniform_(0, 1).float(), 0.5, 0.29),
    "normal": (lambda x: x.view(30, 20).t().normal_(1, 2), 1, 2),
    "log_normal": (lambda x: x.log_normal_(0, 0.5), 1.13, 0.6),
    "exponential": (lambda x: x.exponential_(2), 0.5, 0.5),
    "geometric": (lambda x: x.geometric_(0.25), 4, 3.46),
    "cauchy": (lambda x: x.cauchy_().atan(), 0, 0.907),
    "bernoulli": (lambda x: x.bool().bernoulli_(0.3).float(), 0.3, 0.46),
    "each by chance": (lambda x: tl.bernoulli(x.fill_(0.4)), 0.4, 0.49),
    "integers": (lambda x: x.int().random_(2, 9).float(), 5, 2),
    "wide integers": (lambda x: x.long().random_(0, 1 << 40).double() / 2**40, 0.5, 0.29),
    "of two tensors": (lambda x: tl.normal(x + 1, x + 2), 1, 2),
    "from the host": (lambda x: tl.poisson(x.fill_(4)), 4, 2),
    "dropout": (lambda x: F.dropout(x + 1, 0.25), 1, 0.58),
    "channels": (lambda x: F.dropout1d((x + 1).view(60, 10, 1), 0.25), 1, 0.58),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_distribution_has_its_mean_and_deviation(device, name):
    draw, mean, deviation = DRAWN[name]
    tl.manual_seed(7)
    found = draw(tl.zeros(600).cuda())
    assert found.is_cuda
    assert found.mean().item() == pytest.approx(mean, abs=deviation / 6)
    assert found.std().item() == pytest.approx(deviation, rel=0.15)
    assert found.cpu().unique().numel() > 1


def test_a_chance_outside_of_its_range_is_refused(device):
    with pytest.raises(RuntimeError, match=r"expects every p to be in \[0, 1\]"):
        tl.bernoulli(tl.tensor([0.5, 1.5]).cuda())
