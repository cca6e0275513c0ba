"""Distributions beside PyTorch's: draws from the same seed, densities, moments, entropies and divergences."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl

ROWS = [[0.2, 0.5, 0.3], [1.0, 0.0, 3.0]]
MADE = {
    "Normal": lambda d, lib: d.Normal(lib.tensor([0.5, -1.0]), 2.0),
    "Normal of numbers": lambda d, lib: d.Normal(0.0, 1.0),
    "Uniform": lambda d, lib: d.Uniform(lib.tensor([0.0, 1.0]), lib.tensor([2.0, 1.5])),
    "Bernoulli": lambda d, lib: d.Bernoulli(lib.tensor([0.1, 0.5, 1.0])),
    "Bernoulli, logits": lambda d, lib: d.Bernoulli(logits=lib.tensor([-3.0, 0.0, 2.0])),
    "Categorical": lambda d, lib: d.Categorical(lib.tensor(ROWS)),
    "Categorical, logits": lambda d, lib: d.Categorical(logits=lib.tensor([0.5, -1.0, 3.0])),
    "Multinomial": lambda d, lib: d.Multinomial(5, lib.tensor(ROWS)),
    "Multinomial, logits": lambda d, lib: d.Multinomial(3, logits=lib.tensor([0.5, -1.0, 3.0])),
}


def both(name, torch):
    return MADE[name](tl.distributions, tl), MADE[name](torch.distributions, torch)


def close(own, theirs):
    np.testing.assert_allclose(own.detach().numpy(), theirs.detach().numpy(), rtol=2e-5, atol=1e-6)
    assert tuple(own.shape) == tuple(theirs.shape)


@pytest.mark.parametrize("name", MADE)
def test_draws_and_densities_are_pytorchs(torch, name):
    own, theirs = both(name, torch)
    for shape in ((), (4,), (2, 3)):
        tl.manual_seed(0)
        torch.manual_seed(0)
        drawn, expected = own.sample(shape), theirs.sample(shape)
        close(drawn, expected)
        close(own.log_prob(drawn), theirs.log_prob(expected))
    assert (own.batch_shape, own.event_shape) == (theirs.batch_shape, theirs.event_shape)
    assert own.has_rsample == theirs.has_rsample
    for what in ("mean", "variance", "stddev", "mode"):
        if hasattr(type(own), what):
            close(getattr(own, what), getattr(theirs, what))
    close(own.entropy(), theirs.entropy())
    close(own.perplexity(), theirs.perplexity())
    if name.partition(",")[0] not in ("Multinomial",):
        assert repr(own) == repr(theirs).replace("torch.Size", "tensorlab.Size")
    wider, one = (3, *own.batch_shape), own.sample()
    close(own.expand(wider).log_prob(one), theirs.expand(wider).log_prob(torch.from_numpy(one.numpy())))


@pytest.mark.parametrize("name", ["Normal", "Uniform"])
def test_gradients_follow_draws_to_the_parameters(torch, name):
    found = []
    for library in (tl, torch):
        library.manual_seed(0)
        first = library.tensor([0.5, 1.0], requires_grad=True)
        second = library.tensor([1.5, 3.0], requires_grad=True)
        kind = getattr(library.distributions, name)
        made = kind(first, second)
        drawn = made.rsample((3,))
        (drawn**2).sum().backward(retain_graph=True)
        made.log_prob(drawn.detach()).sum().backward()
        assert not made.sample().requires_grad
        found.append([drawn.tolist(), first.grad.tolist(), second.grad.tolist()])
    for own, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(own, theirs, rtol=1e-5)


@pytest.mark.parametrize("name", ["Normal", "Uniform"])
def test_distribution_functions_are_pytorchs(torch, name):
    own, theirs = both(name, torch)
    close(own.cdf(tl.tensor([1.2, 1.4])), theirs.cdf(torch.tensor([1.2, 1.4])))
    close(own.icdf(tl.tensor(0.3)), theirs.icdf(torch.tensor(0.3)))


@pytest.mark.parametrize("name", ["Bernoulli", "Categorical"])
@pytest.mark.parametrize("expand", [True, False])
def test_all_outcomes(torch, name, expand):
    own, theirs = both(name, torch)
    assert own.enumerate_support(expand).tolist() == theirs.enumerate_support(expand).tolist()


DIVERGING = [
    lambda d, lib: (d.Normal(lib.tensor([0.0, 1.0]), 2.0), d.Normal(1.0, lib.tensor([0.5, 3.0]))),
    lambda d, lib: (d.Categorical(lib.tensor(ROWS)), d.Categorical(lib.tensor([0.1, 0.1, 0.8]))),
    lambda d, lib: (d.Categorical(lib.tensor([0.5, 0.5])), d.Categorical(lib.tensor([1.0, 0.0]))),
    lambda d, lib: (d.Bernoulli(lib.tensor([0.0, 0.3, 1.0])), d.Bernoulli(lib.tensor([0.2, 1.0, 0.9]))),
    lambda d, lib: (d.Uniform(0.0, lib.tensor([1.0, 5.0])), d.Uniform(-1.0, 2.0)),
    lambda d, lib: (d.Normal(0.0, 1.0), d.Uniform(0.0, 1.0)),
]


@pytest.mark.parametrize("case", range(5))
def test_divergences_are_pytorchs(torch, case):
    own = tl.distributions.kl_divergence(*DIVERGING[case](tl.distributions, tl))
    theirs = torch.distributions.kl_divergence(*DIVERGING[case](torch.distributions, torch))
    close(own, theirs)


def test_a_divergence_without_a_formula():
    with pytest.raises(NotImplementedError, match="p type Normal and q type Bernoulli"):
        tl.distributions.kl_divergence(tl.distributions.Normal(0, 1), tl.distributions.Bernoulli(0.5))


REFUSED = [
    lambda d, lib: d.Normal(0.0, lib.tensor([1.0, 0.0])),
    lambda d, lib: d.Normal(lib.tensor(lib.nan), 1.0),
    lambda d, lib: d.Normal("0", 1.0),
    lambda d, lib: d.Normal(0.0, 1.0).log_prob(3.0),
    lambda d, lib: d.Uniform(1.0, 1.0),
    lambda d, lib: d.Uniform(0.0, 1.0).log_prob(lib.tensor(2.0)),
    lambda d, lib: d.Bernoulli(lib.tensor(1.5)),
    lambda d, lib: d.Bernoulli(),
    lambda d, lib: d.Bernoulli(0.5).log_prob(lib.tensor(0.5)),
    lambda d, lib: d.Categorical(lib.tensor(1.0)),
    lambda d, lib: d.Categorical(lib.tensor([1.0, -0.5])),
    lambda d, lib: d.Categorical(lib.ones(2), lib.ones(2)),
    lambda d, lib: d.Categorical(lib.ones(2)).log_prob(lib.tensor(2)),
    lambda d, lib: d.Multinomial(3, lib.ones(2)).log_prob(lib.tensor([3.0, 1.0])),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals_are_pytorchs(torch, case):
    raised = []
    for library in (torch, tl):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            REFUSED[case](library.distributions, library)
        raised.append(caught)
    assert raised[1].type is raised[0].type
    assert str(raised[1].value)[:20] == str(raised[0].value)[:20]


def test_checks_can_be_left_out():
    made = tl.distributions.Uniform(0.0, 1.0, validate_args=False)
    assert made.log_prob(tl.tensor(2.0)).item() == -tl.inf


def test_a_name_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match="no 'Poisson'"):
        _ = tl.distributions.Poisson
