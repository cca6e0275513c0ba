"""Random numbers on ``device="cuda"``, in the simulator: those of a counted stream, and nothing waits."""

from __future__ import annotations

import pickle

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


def test_the_stream_of_the_gpu_has_a_seed_and_a_state_of_its_own(device):
    def drawn():
        return tl.rand(3, device="cuda").tolist()

    tl.manual_seed(5)
    assert tl.cuda.initial_seed() == 5
    host = tl.get_rng_state()
    tl.cuda.manual_seed(-1)
    assert (tl.cuda.initial_seed(), tl.initial_seed()) == (2**64 - 1, 5)
    assert drawn() == tl.random.Philox(2**64 - 1).uniform(3).tolist()
    assert tl.rand(2).tolist() == tl.rand(2, generator=tl.Generator().manual_seed(5)).tolist()
    on_gpu, both = tl.cuda.get_rng_state(), tl.get_rng_state()
    assert (on_gpu.dtype, on_gpu.shape, on_gpu.device.type) == (tl.uint8, (16,), "cpu")
    first = drawn()
    tl.cuda.set_rng_state(on_gpu)
    assert drawn() == first
    tl.cuda.set_rng_state_all(tl.cuda.get_rng_state_all())
    assert drawn() != first
    for restored in ((on_gpu, both), (both, on_gpu)):  # a checkpoint may put them back in either order
        for state in restored:
            (tl.cuda.set_rng_state if state is on_gpu else tl.set_rng_state)(state)
        assert drawn() == first
    tl.set_rng_state(host)
    assert tl.cuda.initial_seed() == 5
    tl.cuda.seed()
    assert tl.cuda.initial_seed() != 5
    for refused, why in (
        (host, "a GPU generator has 16 bytes, got 5056"),
        (tl.zeros(16), "uint8, got float32"),
    ):
        with pytest.raises((RuntimeError, TypeError), match=why):
            tl.cuda.set_rng_state(refused)
    with pytest.raises(RuntimeError, match=r"there is no CUDA device 'cuda:1'"):
        tl.cuda.set_rng_state_all([on_gpu, on_gpu])
    with pytest.raises(ValueError, match="64 bits"):
        tl.cuda.manual_seed(1 << 64)


def test_a_generator_of_the_gpu_draws_there_alone(device):
    generator = tl.Generator("cuda").manual_seed(3)
    assert (generator.device, generator.initial_seed()) == (tl.device("cuda", 0), 3)
    drawn = [tl.rand(3, device="cuda", generator=generator).tolist() for _ in range(2)]
    assert drawn[0] == tl.random.Philox(3).uniform(3).tolist() != drawn[1]
    state = generator.get_state()
    twin = tl.Generator(device="cuda")
    twin.set_state(state)
    assert (state.shape, twin.initial_seed()) == ((16,), 3)
    assert tl.rand(3, device="cuda", generator=twin).tolist() == (
        tl.rand(3, device="cuda", generator=pickle.loads(pickle.dumps(generator))).tolist()
    )
    for draw in (
        lambda: tl.rand(3, generator=generator),
        lambda: tl.multinomial(tl.ones(3), 2, True, generator=generator),
        lambda: tl.bernoulli(tl.full((2,), 0.5), generator=generator),
    ):
        with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'cuda'"):
            draw()


def test_streams_of_gpus_stand_where_they_stood_behind_a_fork(device):
    tl.cuda.manual_seed(4)
    with tl.random.fork_rng(devices=[0], device_type="cuda"):
        inside = tl.rand(3, device="cuda")
    assert tl.rand(3, device="cuda").equal(inside)


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
    "of a leaky unit": (lambda x: F.rrelu(x.fill_(-4), 0.25, 0.75, training=True), -2, 0.58),
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


@pytest.mark.parametrize("rows", [(), (2,)])
def test_categories_are_drawn_for_a_row_of_weights_and_for_several(device, rows):
    weights = tl.tensor([0.0, 2.0, 0.0]).cuda().expand(*rows, 3)
    for replacement in (True, False):
        draws = 4 if replacement else 1
        found = weights.multinomial(draws, replacement=replacement)
        assert found.is_cuda
        assert found.tolist() == tl.ones(*rows, draws).tolist()


def test_randomized_slopes_are_drawn_on_the_device(device):
    x = tl.arange(-4.0, 4.0).cuda()
    found = F.rrelu(x, 0.25, 0.5, training=True)
    assert found.is_cuda
    assert found[4:].equal(x[4:])
    assert all(0.25 <= slope <= 0.5 for slope in (found[:4] / x[:4]).tolist())
