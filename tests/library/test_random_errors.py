"""What functions of random numbers refuse: PyTorch's types of error, and a text that says what would work."""

from __future__ import annotations

import pytest

import tensorlab as tl

REFUSED = [
    (lambda m: m.bernoulli(m.tensor([1.5])), RuntimeError, "in \\[0, 1\\]"),
    (lambda m: m.bernoulli(m.tensor([float("nan")])), RuntimeError, "in \\[0, 1\\]"),
    (lambda m: m.empty(3).bernoulli_(-0.5), RuntimeError, "got p=-0.5"),
    (lambda m: m.empty(3).bernoulli_(float("nan")), RuntimeError, "got p=nan"),
    (lambda m: m.bernoulli(m.tensor([1])), NotImplementedError, "floating-point"),
    (lambda m: m.empty(3).bernoulli_("a"), TypeError, "must be float"),
    (lambda m: m.empty(3).bernoulli_(m.tensor([0.2, 0.3])), RuntimeError, "3"),
    (lambda m: m.nn.functional.rrelu(m.ones(2), 0.3, 0.1), RuntimeError, "Lower bound should be less"),
    (lambda m: m.nn.functional.rrelu(m.ones(2), 0.3, float("inf")), RuntimeError, "upper bound must be"),
    (lambda m: m.multinomial(m.tensor([-1.0, 2]), 1), RuntimeError, "element < 0"),
    (lambda m: m.multinomial(m.tensor([-1.0, 2]), 2, True), RuntimeError, "entry < 0"),
    (lambda m: m.multinomial(m.tensor([float("inf"), 2]), 2, True), RuntimeError, "infinity"),
    (lambda m: m.multinomial(m.tensor([float("nan"), 2]), 2, True), RuntimeError, "< 0"),
    (lambda m: m.multinomial(m.tensor([float("nan"), 2]), 1), RuntimeError, "nan"),
    (lambda m: m.multinomial(m.tensor([1.0, 2]), 3), RuntimeError, "replacement=True"),
    (lambda m: m.multinomial(m.tensor([1.0, 2]), 0), RuntimeError, "n_sample <= 0"),
    (lambda m: m.multinomial(m.tensor([0.0, 0]), 1), RuntimeError, "sum of probabilities"),
    (lambda m: m.multinomial(m.tensor([[1.0, 2], [0, 0]]), 2, True), RuntimeError, "sum of probabilities"),
    (lambda m: m.multinomial(m.tensor([1, 2]), 1), RuntimeError, "floating-point"),
    (lambda m: m.multinomial(m.tensor(1.0), 1), RuntimeError, "1 or 2 dim"),
    (lambda m: m.multinomial(m.ones(4), True), TypeError, "must be int, not bool"),
    (lambda m: m.multinomial(m.ones(4), 2.0), TypeError, "num_samples"),
    (lambda m: m.multinomial(m.ones(4), 2, 1), TypeError, "must be bool"),
    (lambda m: m.multinomial(m.ones(4), 2, out=m.empty(2, dtype=m.int32)), RuntimeError, "Long"),
    (lambda m: m.randint(5, 5, (2,)), RuntimeError, "from=5 >= to=5"),
    (lambda m: m.randint(0, 0, (0,)), RuntimeError, "from=0 >= to=0"),
    (lambda m: m.randint(0, 300, (2,), dtype=m.uint8), RuntimeError, "to - 1 is out of bounds"),
    (lambda m: m.randint(-1, 3, (2,), dtype=m.uint8), RuntimeError, "from is out of bounds"),
    (lambda m: m.randint(3, (2,), dtype=m.bool), RuntimeError, "out of bounds"),
    (lambda m: m.randint(2.5, (2,)), TypeError, "high"),
    (lambda m: m.randint(True, (2,)), TypeError, "not bool"),
    (lambda m: m.randint(3), TypeError, "randint"),
    (lambda m: m.randint(3, 2), TypeError, "size"),
    (lambda m: m.randint(0, 2**63, (2,)), ValueError, "Overflow"),
    (lambda m: m.randint(3, (2, -1)), RuntimeError, "negative"),
    (lambda m: m.empty(2).random_(2.5), TypeError, "random_"),
    (lambda m: m.empty(2).random_(1, 2, 3), TypeError, "random_"),
    (lambda m: m.empty(2).random_(high=3), TypeError, "random_"),
    (lambda m: m.empty(2, dtype=m.float16).random_(0, 70000), RuntimeError, "out of bounds"),
    (lambda m: m.empty(2, dtype=m.int32).random_(-(2**63), None), RuntimeError, "int64"),
    (lambda m: m.empty(2).normal_(0, -1), RuntimeError, "std >= 0.0"),
    (lambda m: m.empty(0).normal_(0, -1), RuntimeError, "std >= 0.0"),
    (lambda m: m.empty(2).normal_(0, float("nan")), RuntimeError, "std nan"),
    (lambda m: m.empty(2).normal_("a"), TypeError, "must be float, not str"),
    (lambda m: m.empty(2, dtype=m.int64).normal_(), NotImplementedError, "int64"),
    (lambda m: m.normal(m.zeros(2), m.tensor([1.0, -1])), RuntimeError, "all elements of std"),
    (lambda m: m.normal(m.zeros(2), m.ones(3)), RuntimeError, "must match|cannot be broadcast"),
    (lambda m: m.normal(0.0, 1.0), TypeError, "size"),
    (lambda m: m.normal(m.zeros(2), 1.0, (2,)), TypeError, "size"),
    (lambda m: m.normal(m.zeros(2), "a"), TypeError, "std"),
    (lambda m: m.empty(2).log_normal_(0, 0), RuntimeError, "std > 0.0"),
    (lambda m: m.empty(2, dtype=m.int64).uniform_(), NotImplementedError, "int64"),
    (lambda m: m.empty(2).uniform_(2, 1), RuntimeError, "from=2.0 > to=1.0"),
    (lambda m: m.empty(2).uniform_(float("nan"), 1), RuntimeError, "from is out of bounds"),
    (lambda m: m.empty(2).uniform_(0, float("inf")), RuntimeError, "to is out of bounds"),
    (lambda m: m.empty(2, dtype=m.float16).uniform_(0, 1e6), RuntimeError, "float16"),
    (lambda m: m.empty(2).uniform_(-3e38, 3e38), RuntimeError, "to - ?from|to-from"),
    (lambda m: m.empty(2).uniform_(low=1), TypeError, "low"),
    (lambda m: m.empty(2).exponential_(0), RuntimeError, "lambda > 0.0"),
    (lambda m: m.empty(2).exponential_(float("nan")), RuntimeError, "lambda=nan"),
    (lambda m: m.empty(2, dtype=m.int64).exponential_(), RuntimeError, "continuous"),
    (lambda m: m.empty(2).cauchy_(0, -1), RuntimeError, "sigma > 0.0"),
    (lambda m: m.empty(2, dtype=m.int32).cauchy_(), RuntimeError, "continuous"),
    (lambda m: m.empty(2).geometric_(1), RuntimeError, "\\(0, 1\\)"),
    (lambda m: m.empty(2, dtype=m.bool).geometric_(0.5), NotImplementedError, "bool"),
    (lambda m: m.poisson(m.tensor([-1.0])), RuntimeError, "non-negative"),
    (lambda m: m.poisson(m.tensor([1])), NotImplementedError, "floating-point"),
    (lambda m: m.randperm(-1), RuntimeError, "negative"),
    (lambda m: m.randperm(2.5), TypeError, "n"),
    (lambda m: m.randperm(300, dtype=m.uint8), RuntimeError, "uint8"),
    (lambda m: m.randperm(5000, dtype=m.float16), RuntimeError, "2049"),
    (lambda m: m.randperm(2, dtype=m.bool), NotImplementedError, "bool"),
    (lambda m: m.rand(), TypeError, "rand"),
    (lambda m: m.rand(-1), RuntimeError, "negative"),
    (lambda m: m.rand(2.0), TypeError, "integer"),
    (lambda m: m.rand(2, dtype=m.int64), NotImplementedError, "int64"),
    (lambda m: m.rand(2, generator=3), TypeError, "generator"),
    (lambda m: m.rand(2, out=m.empty(2, dtype=m.float64), dtype=m.float32), RuntimeError, "does not match"),
    (lambda m: m.zeros(3).as_strided((2, 3), (0, 1)).normal_(), RuntimeError, "clone\\(\\)"),
    (lambda m: m.rand_like([1.0]), TypeError, "Tensor"),
    (lambda m: m.multinomial([1.0], 1), TypeError, "Tensor"),
    (lambda m: m.bernoulli(0.5), TypeError, "Tensor"),
    (lambda m: m.poisson(0.5), TypeError, "Tensor"),
    (lambda m: m.randint_like(3, 4), TypeError, "Tensor"),
    (lambda m: m.rand_like(m.zeros(2, dtype=m.int64)), NotImplementedError, "int64"),
    (lambda m: m.randint_like(m.zeros(2)), TypeError, "high"),
    (lambda m: m.randint_like(m.zeros(2), 3, 3), RuntimeError, "from=3 >= to=3"),
    (lambda m: m.rand(2, layout="strided"), TypeError, "layout"),
    (lambda m: m.rand(2, bogus=1), TypeError, "bogus"),
    (lambda m: m.manual_seed("a"), ValueError, "invalid literal"),
    (lambda m: m.manual_seed(2**64), ValueError, "Overflow"),
    (lambda m: m.Generator().manual_seed(1.5), RuntimeError, "expected a long"),
    (lambda m: m.Generator().manual_seed(-(2**63) - 1), ValueError, "Overflow"),
    (lambda m: m.Generator().set_state(m.zeros(3, dtype=m.uint8)), RuntimeError, "5056"),
    (lambda m: m.Generator().set_state(m.zeros(5056, dtype=m.uint8)), RuntimeError, "Invalid mt19937"),
    (lambda m: m.Generator().set_state(m.zeros(5056)), TypeError, "uint8"),
    (lambda m: m.Generator().set_state("a"), TypeError, "tensor"),
    (lambda m: m.Generator("cuda"), RuntimeError, "cuda"),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text) as caught:
        call(tl)
    assert type(caught.value) is error


@pytest.mark.parametrize(("call", "error"), [(call, error) for call, error, _ in REFUSED])
def test_pytorch_refuses_alike(torch, call, error):
    with pytest.raises(error) as caught:
        call(torch)
    raised = type(caught.value)
    # PyTorch's CUDA build has a kind of RuntimeError of its own for devices that are not there.
    assert raised is error or (error is RuntimeError and raised is getattr(torch, "AcceleratorError", None))


def test_a_refused_call_draws_and_writes_nothing():
    for call, _, _ in REFUSED:
        state = tl.get_rng_state().tolist()
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            call(tl)
        assert tl.get_rng_state().tolist() == state
    x = tl.zeros(3)
    with pytest.raises(RuntimeError):
        x.bernoulli_(tl.tensor([1.0, 1.0, 2.0]))
    assert x.tolist() == [0, 0, 0]


def test_integers_that_a_float_leaves_out_are_warned_of(torch):
    for library in (tl, torch):
        with pytest.warns(UserWarning, match="out of bounds"):
            library.empty(2, dtype=library.float16).random_(0, 4000)
