"""Functions that make random numbers, and random programs of them, against PyTorch: bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl
from tests.library.random_pairs import assert_in_step, assert_same, bits, seed_both

SIZES = (0, 1, 2, 15, 16, 17, 100, 625)
FLOATS = ("float16", "bfloat16", "float32", "float64")


def test_book_values(torch):
    seed_both(torch, 8)
    assert_same(tl.rand(3, 4), torch.rand(3, 4))
    tl.manual_seed(8)
    assert [round(value, 4) for value in tl.rand(3, 4)[0].tolist()] == [0.5979, 0.8453, 0.9464, 0.2965]


@pytest.mark.parametrize("dtype", ["uint8", "int64", "bfloat16", "float32"])
def test_randint_and_randperm(torch, dtype):
    for size in SIZES:
        seed_both(torch, size)
        for call in (
            lambda m, **keywords: m.randint(7, (size,), **keywords),  # noqa: B023
            lambda m, **keywords: m.randint(3, 99, (size, 2), **keywords),  # noqa: B023
            lambda m, **keywords: m.randperm(min(size, 128), **keywords),  # noqa: B023
        ):
            assert_same(call(tl, dtype=getattr(tl, dtype)), call(torch, dtype=getattr(torch, dtype)))
        assert_in_step(torch)


@pytest.mark.usefixtures("vector_code")
def test_forms_of_calls(torch):
    seed_both(torch, 1)
    forms = [
        lambda m: m.randint(5, (3,)),
        lambda m: m.randint(2, 5, (3,)),
        lambda m: m.randint(5, size=(3,)),
        lambda m: m.randint(2, high=5, size=(3,)),
        lambda m: m.randint(high=5, size=[3]),
        lambda m: m.randint(low=-2, high=5, size=(2, 2)),
        lambda m: m.randint(-(2**62), 2**62, (3,)),
        lambda m: m.randint(2, (3,), dtype=m.bool),
        lambda m: m.empty(4).random_(**{"from": 2, "to": 9}),
        lambda m: m.empty(4).random_(2, to=9),
        lambda m: m.empty(4).random_(to=9),
        lambda m: m.empty(4).uniform_(**{"from": -1}),
        lambda m: m.empty(4).uniform_(to=3),
        lambda m: m.rand(size=(2, 3)),
        lambda m: m.rand([2, 3]),
        lambda m: m.randn(()),
        lambda m: m.randn(2, 3, dtype=m.float64),
        lambda m: m.randperm(6, out=m.empty(12, dtype=m.int32)[::2]),
        lambda m: m.rand(2, 3, out=m.empty(3, 2).t()),
        lambda m: m.rand(2, 3, out=m.empty(0)),
        lambda m: m.randperm(5, out=m.empty(0, dtype=m.int64)),
        lambda m: m.rand_like(m.zeros(3, 8).t()),
        lambda m: m.rand_like(m.zeros(3, 8)[:, ::2], dtype=m.float64),
        lambda m: m.randn_like(m.zeros(3, 8)),
        lambda m: m.randn_like(m.zeros(3, 8).t()),
        lambda m: m.randn_like(m.zeros(3, 8).t(), memory_format=m.contiguous_format),
        lambda m: m.randn_like(m.zeros(2, 3, 4, 5), memory_format=m.channels_last),
        lambda m: m.randint_like(m.zeros(3, 8).t(), 5),
        lambda m: m.randint_like(m.zeros(3), 2, 9, dtype=m.int8),
        lambda m: m.randint_like(m.zeros(3), low=-4, high=9),
        lambda m: m.rand(3, layout=m.strided, pin_memory=False, requires_grad=False, device="cpu"),
        lambda m: m.randn(3, dtype=float),
        lambda m: m.randint(9, (3,), out=m.empty(3, dtype=m.float64)),
    ]
    for form in forms:
        assert_same(form(tl), form(torch))
    assert_in_step(torch)


@pytest.mark.parametrize("dtype", FLOATS)
def test_bernoulli_of_tensors(torch, dtype):
    values = np.random.default_rng(3).random((5, 7)).astype(np.float32)
    ours, theirs = tl.tensor(values).to(getattr(tl, dtype)), torch.tensor(values).to(getattr(torch, dtype))
    seed_both(torch, 5)
    assert_same(tl.bernoulli(ours), torch.bernoulli(theirs))
    assert_same(ours.t().bernoulli(), theirs.t().bernoulli())
    assert_same(tl.bernoulli(ours, 0.4), torch.bernoulli(theirs, 0.4))
    for target in {"float64": ("int64",), "bfloat16": ("bool",)}.get(dtype, ("float16",)):
        mine = tl.empty(7, 5, dtype=getattr(tl, target)).t()
        other = torch.empty(7, 5, dtype=getattr(torch, target)).t()
        assert_same(mine.bernoulli_(ours), other.bernoulli_(theirs))
        assert_same(mine.bernoulli_(ours[:, :1]), other.bernoulli_(theirs[:, :1]))
        assert_same(mine.bernoulli_(ours[2, 3]), other.bernoulli_(theirs[2, 3]))
    assert_same(ours.bernoulli_(ours), theirs.bernoulli_(theirs))
    assert_in_step(torch)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.usefixtures("vector_code")
def test_normal_of_tensors(torch, dtype):
    values = np.random.default_rng(3).random((5, 7)).astype(np.float32)
    ours, theirs = tl.tensor(values).to(getattr(tl, dtype)), torch.tensor(values).to(getattr(torch, dtype))
    forms = [
        lambda m, x: m.normal(x, 0.5),
        lambda m, x: m.normal(x),
        lambda m, x: m.normal(2.0, x[0]),
        lambda m, x: m.normal(x, x[:, :1]),
        lambda m, x: m.normal(x[:1], x[:, 2:3]),
        lambda m, x: m.normal(x[0, 0], x),
        lambda m, x: m.normal(mean=x[0], std=x[1]),
        lambda m, x: m.normal(1, 2, (2, 3)),
        lambda m, x: m.normal(1.0, 2.0, size=(20,), dtype=x.dtype),
    ]
    for form in forms:
        seed_both(torch, 5)
        mine, other = form(tl, ours), form(torch, theirs)
        assert mine.stride() == other.stride()
        assert mine.dtype.name == str(other.dtype).removeprefix("torch.")
        np.testing.assert_array_equal(bits(mine), bits(other))
        assert_in_step(torch)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_multinomial(torch, dtype):
    values = np.random.default_rng(3).random((5, 7)).astype(np.float32)
    ours, theirs = tl.tensor(values).to(getattr(tl, dtype)), torch.tensor(values).to(getattr(torch, dtype))
    forms = [
        lambda m, x: m.multinomial(x[0], 1),
        lambda m, x: m.multinomial(x[0], 1, True),
        lambda m, x: m.multinomial(x, 1),
        lambda m, x: m.multinomial(x[1], 7),
        lambda m, x: m.multinomial(x, 4),
        lambda m, x: m.multinomial(x.t(), 3),
        lambda m, x: m.multinomial(x[:, ::2], 3),
        lambda m, x: x.multinomial(20, replacement=True),
        lambda m, x: x.t().multinomial(9, True),
        lambda m, x: x[:, 1].multinomial(9, True),
        lambda m, x: m.multinomial(x, 2, out=m.empty(5, 2, dtype=m.int64)),
        lambda m, x: m.multinomial(x[:0], 2),
    ]
    for seed, form in enumerate(forms):
        seed_both(torch, seed)
        assert_same(form(tl, ours), form(torch, theirs))
        assert_in_step(torch)


@pytest.mark.parametrize("shape", [(70_000,), (2, 70_000), (200, 400)], ids=str)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
def test_multinomial_of_weights_that_are_drawn_in_parts(torch, dtype, shape):
    values = np.random.default_rng(3).random(shape).astype(np.float32)
    values.reshape(-1)[::3] = 0
    ours, theirs = tl.tensor(values).to(getattr(tl, dtype)), torch.tensor(values).to(getattr(torch, dtype))
    for draws in (1, 2, 300, shape[-1] // 64 + 1):
        seed_both(torch, draws)
        assert_same(tl.multinomial(ours, draws), torch.multinomial(theirs, draws))
        assert_in_step(torch)


@pytest.mark.parametrize("shape", [(7,), (70_000,), (132, 132), (3, 70_000)], ids=str)
@pytest.mark.parametrize("replacement", [False, True])
def test_weights_with_a_gradient_are_drawn_by(torch, shape, replacement):
    """Drawing ends the graph, however the table is gone through."""
    values = np.random.default_rng(3).random(shape).astype(np.float32)
    ours, theirs = tl.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
    for form in (lambda x: x, lambda x: x.t() if x.ndim == 2 and x.shape[1] < 1000 else x * 2):
        for draws in (1, 5):
            seed_both(torch, draws)
            assert_same(
                form(ours).multinomial(draws, replacement), form(theirs).multinomial(draws, replacement)
            )
            assert_in_step(torch)


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_poisson(torch, dtype):
    rates = np.array([0, 0.1, 0.5, 3, 9.5, 10, 12, 77, 1e3, 6e4])
    ours, theirs = tl.tensor(rates).to(getattr(tl, dtype)), torch.tensor(rates).to(getattr(torch, dtype))
    seed_both(torch, 5)
    for _ in range(20):
        assert_same(tl.poisson(ours), torch.poisson(theirs))
    assert_same(tl.poisson(ours.view(2, 5).t()), torch.poisson(theirs.view(2, 5).t()))
    assert_in_step(torch)


CALLS = st.sampled_from(
    [
        lambda m, n: m.rand(n),
        lambda m, n: m.rand(n, dtype=m.float64),
        lambda m, n: m.randn(n),
        lambda m, n: m.randn(n, dtype=m.float64),
        lambda m, n: m.randn(n, 2)[:, 1].normal_(1.0, 2.0),
        lambda m, n: m.empty(n, 3).t().normal_(),
        lambda m, n: m.randint(10, (n,)),
        lambda m, n: m.randint(2**40, (n,)),
        lambda m, n: m.randperm(n),
        lambda m, n: m.empty(n).exponential_(2.0),
        lambda m, n: m.empty(n).log_normal_(),
        lambda m, n: m.empty(n).bernoulli_(0.5),
        lambda m, n: m.bernoulli(m.rand(n)),
        lambda m, n: m.normal(m.zeros(n), 2.0),
        lambda m, n: m.multinomial(m.rand(n + 1), n + 1, True),
    ]
)


@pytest.mark.usefixtures("vector_code")
@given(
    seed=st.integers(-(2**63), 2**64 - 1),
    program=st.lists(st.tuples(CALLS, st.integers(0, 700)), min_size=1, max_size=6),
)
@settings(max_examples=60)
def test_random_programs_stay_in_step(torch, seed, program):
    seed_both(torch, seed)
    for call, size in program:
        assert_same(call(tl, size), call(torch, size))
    assert_in_step(torch)


def test_states_travel_between_the_libraries(torch):
    seed_both(torch, 8)
    torch.randn(7)  # an odd number: one normal number waits
    tl.set_rng_state(tl.tensor(torch.get_rng_state().numpy()))
    assert_same(tl.randn(3), torch.randn(3))
    tl.rand(1000)
    tl.empty(5).normal_()
    torch.set_rng_state(torch.tensor(tl.get_rng_state().numpy()))
    assert_same(tl.randn(5), torch.randn(5))
    assert_in_step(torch)


@pytest.mark.parametrize("seed", [0, 1, -1, 2**32, 2**32 + 5, 2**63, 2**64 - 1, -(2**63)])
def test_seeds(torch, seed):
    seed_both(torch, seed)
    assert tl.initial_seed() == torch.initial_seed()
    assert_same(tl.rand(20), torch.rand(20))
    ours, theirs = tl.Generator().manual_seed(seed), torch.Generator().manual_seed(seed)
    assert_same(tl.rand(20, generator=ours), torch.rand(20, generator=theirs))
    assert ours.get_state().tolist() == theirs.get_state().tolist()


def test_an_unseeded_generator_is_pytorchs(torch):
    assert tl.Generator().initial_seed() == torch.Generator().initial_seed()
    assert_same(tl.rand(3, generator=tl.Generator()), torch.rand(3, generator=torch.Generator()))
