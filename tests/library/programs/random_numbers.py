"""Random numbers: the same seed, generators, states, kinds of distributions."""

import torch

torch.manual_seed(1234)
print(
    torch.rand(3),
    torch.randn(3),
    torch.randint(0, 10, (5,)),
    torch.randperm(6),
    torch.rand(2, 2, dtype=torch.float64),
)
print(torch.randn(20)[-4:], torch.randn(17)[-2:], torch.randn(5, dtype=torch.float64))
print(
    torch.normal(torch.arange(3.0), torch.tensor([1.0, 0.1, 0.01])),
    torch.normal(0.0, 1.0, (2, 2)),
    torch.normal(torch.zeros(2), 1.0),
)
print(
    torch.bernoulli(torch.tensor([0.1, 0.9, 0.5])),
    torch.empty(3).bernoulli_(0.5),
    torch.multinomial(torch.tensor([1.0, 2.0, 3.0]), 3),
    torch.multinomial(torch.ones(2, 3), 4, replacement=True),
)
print(
    torch.empty(3).uniform_(-1, 1),
    torch.empty(3).normal_(2, 3),
    torch.empty(3).exponential_(2),
    torch.empty(3).geometric_(0.5),
    torch.empty(3).cauchy_(),
    torch.empty(3).log_normal_(),
)
print(
    torch.empty(3, dtype=torch.int64).random_(10),
    torch.empty(3).random_(5, 9),
    torch.randint(5, (2,), dtype=torch.int32),
    torch.randint_like(torch.zeros(3), 4),
    torch.rand_like(torch.zeros(2)),
    torch.randn_like(torch.zeros(2)),
)
g = torch.Generator()
print(
    g.manual_seed(5) is g,
    g.initial_seed(),
    torch.rand(2, generator=g),
    torch.randperm(4, generator=g),
    torch.randint(0, 5, (2,), generator=g),
)
state = torch.get_rng_state()
a = torch.rand(2)
torch.set_rng_state(state)
print(torch.equal(a, torch.rand(2)), state.dtype, state.shape)
with torch.random.fork_rng():
    torch.manual_seed(0)
    inside = torch.rand(1)
print(inside, torch.rand(1), torch.initial_seed(), torch.random.initial_seed())
torch.manual_seed(0)
print(
    torch.nn.functional.dropout(torch.ones(6), 0.5),
    torch.nn.functional.dropout(torch.ones(2, 3), p=0.2, training=False),
)
w = torch.empty(3, 2)
bound = (6 / (2 + 3)) ** 0.5
print(w.uniform_(-bound, bound), torch.rand(2, 3)[:, 1], torch.randn(2, 3).t())
torch.manual_seed(2**40 + 1)
print(
    torch.rand(1),
    torch.randint(2**40, (1,)),
    torch.randint(-5, 5, (4,)),
    torch.rand(10).half()[:2],
    torch.rand(3, dtype=torch.bfloat16),
    torch.randn(3, dtype=torch.float16),
)
u = torch.rand(1000)
z = (-2 * u.clamp_min(1e-7).log()).sqrt() * torch.cos(6.283185 * torch.rand(1000))
print(z.mean().abs() < 0.1, (z.std() - 1).abs() < 0.1, u.min() >= 0, u.max() < 1)
