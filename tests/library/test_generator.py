"""Generators: streams of their own, saved and set back, shared by threads."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading

import pytest

import tensorlab as tl


def test_generators_are_independent_of_one_another():
    first, second = tl.Generator().manual_seed(8), tl.Generator().manual_seed(9)
    alone = tl.rand(100, generator=tl.Generator().manual_seed(8)).tolist()
    mixed = []
    for _ in range(10):
        mixed += tl.rand(10, generator=first).tolist()
        tl.rand(3, generator=second)
        tl.rand(3)
    assert mixed == alone


@pytest.mark.parametrize("size", [3, 20, 700])
def test_a_state_brings_the_stream_back(size):
    g = tl.Generator().manual_seed(3)
    tl.randn(size, generator=g)
    state = g.get_state()
    first = tl.randn(5, generator=g).tolist() + tl.rand(700, generator=g).tolist()
    g.set_state(state)
    assert tl.randn(5, generator=g).tolist() + tl.rand(700, generator=g).tolist() == first
    assert state.dtype is tl.uint8
    assert state.shape == (5056,)


def test_a_state_is_a_copy():
    g = tl.Generator().manual_seed(3)
    state = g.get_state()
    before = state.tolist()
    tl.rand(10, generator=g)
    assert state.tolist() == before
    state.zero_()
    tl.rand(10, generator=g)


@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g)), tl.Generator.clone_state]
)
def test_twins_go_on_alike_and_apart(twin):
    g = tl.Generator().manual_seed(3)
    tl.randn(3, generator=g)
    other = twin(g)
    assert other.initial_seed() == 3
    assert tl.randn(5, generator=g).tolist() == tl.randn(5, generator=other).tolist()
    tl.rand(1, generator=g)
    assert tl.rand(5, generator=g).tolist() != tl.rand(5, generator=other).tolist()


def test_seeding_forgets_what_was_left_over():
    tl.manual_seed(8)
    expected = tl.randn(3).tolist()
    tl.manual_seed(8)
    tl.randn(3)  # an odd number: one normal number waits
    assert tl.manual_seed(8) is tl.default_generator
    assert tl.randn(3).tolist() == expected


def test_unforeseeable_seeds_differ():
    g = tl.Generator()
    seeds = {g.seed() for _ in range(5)}
    assert len(seeds) == 5
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert g.initial_seed() in seeds
    assert tl.seed() == tl.initial_seed()


def test_the_default_stream_begins_otherwise_in_each_process():
    program = "import tensorlab as tl; print(tl.initial_seed())"
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] != runs[1]


def test_fork_rng():
    tl.manual_seed(8)
    with tl.random.fork_rng():
        inside = tl.rand(5).tolist()
    assert tl.rand(5).tolist() == inside
    tl.manual_seed(8)
    with tl.random.fork_rng(enabled=False):
        inside = tl.rand(5).tolist()
    assert tl.rand(5).tolist() != inside
    tl.manual_seed(8)
    inside = tl.rand(5).tolist()
    tl.manual_seed(8)
    with pytest.raises(RuntimeError, match="element < 0"), tl.random.fork_rng(devices=[]):
        tl.multinomial(tl.rand(5) - 2, 1)
    assert tl.rand(5).tolist() == inside
    with pytest.raises(RuntimeError, match="cuda"), tl.random.fork_rng(devices=["cuda:0"]):
        tl.rand(5)


def test_threads_never_get_the_same_numbers():
    g = tl.Generator().manual_seed(5)
    expected = sorted(tl.rand(8000, dtype=tl.float64, generator=g).tolist())
    g.manual_seed(5)
    found: list[float] = []

    def draw() -> None:
        for _ in range(20):
            found.extend(tl.rand(100, dtype=tl.float64, generator=g).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == expected


def test_filling_in_place_counts_as_a_write():
    x = tl.zeros(4)
    version = x._version
    x.uniform_()
    assert x._version == version + 1


def test_repr():
    assert repr(tl.Generator().manual_seed(7)) == "Generator(device='cpu', initial_seed=7)"
