"""Functions of a library of arrays, each in one line of arange, where, comparison, indexing and @."""

import torch


def arange(n):
    return torch.arange(n)


def where(q, a, b):
    return (q * a) + (~q) * b


def ones(n):
    return where(arange(n) > -1, 1, 0)


def total(a):
    return ones(a.shape[0]) @ a


def outer(a, b):
    return a[:, None] * b[None, :]


def diag(a):
    return a[arange(a.shape[0]), arange(a.shape[0])]


def eye(n):
    return where(arange(n)[:, None] == arange(n), 1, 0)


def triu(n):
    return where(arange(n)[:, None] <= arange(n), 1, 0)


def cumsum(a):
    return a @ triu(a.shape[0])


def diff(a):
    return where(arange(a.shape[0]) == 0, a, a - a[arange(a.shape[0]) - 1])


def vstack(a, b):
    return where((arange(2) == 0)[:, None], a, b)


def roll(a):
    return a[(arange(a.shape[0]) + 1) % a.shape[0]]


def flip(a):
    return a[a.shape[0] - 1 - arange(a.shape[0])]


def compress(g, v):
    return v @ where(g[:, None], eye(g.shape[0])[cumsum(1 * g) - 1], 0)


def pad_to(a, n):
    return a @ (1 * (arange(a.shape[0])[:, None] == arange(n)))


def sequence_mask(values, length):
    return where(length[:, None] > arange(values.shape[1]), values, 0)


def bincount(a, n):
    return ones(a.shape[0]) @ eye(n)[a]


def scatter_add(values, link, n):
    return values @ eye(n)[link]


def flatten(a):
    return a[arange(a.shape[0] * a.shape[1]) // a.shape[1], arange(a.shape[0] * a.shape[1]) % a.shape[1]]


def linspace(i, j, n):
    return i + (j - i) * arange(n) / max(1, n - 1)


def heaviside(a, b):
    return where(a == 0, b, where(a > 0, 1, 0))


def repeat(a, d):
    return ones(d)[:, None] * a


def bucketize(v, boundaries):
    return 1 * (v[:, None] >= boundaries) @ ones(boundaries.shape[0])


a, b = torch.tensor([3, 1, 4, 1, 5]), torch.tensor([2, 7, 1, 8, 2])
m = torch.arange(12).view(3, 4)
print(ones(4), total(a), outer(a, b[:3]), diag(m), sep="\n")
print(eye(3), triu(3), cumsum(a), diff(a), vstack(a, b), roll(a), flip(a), sep="\n")
print(compress(a > 2, b), pad_to(a, 7), pad_to(a, 3), sequence_mask(m, torch.tensor([1, 3, 0])), sep="\n")
print(bincount(a, 6), scatter_add(b, a, 6), flatten(m), linspace(-1.0, 1.0, 5), sep="\n")
print(heaviside(torch.tensor([-1, 0, 2]), torch.tensor([7, 7, 7])), repeat(a, 2), sep="\n")
print(bucketize(torch.tensor([3, 6, 9]), torch.tensor([1, 3, 5, 7])))
checks = [
    (cumsum(a), a.cumsum(0)), (flip(a), a.flip(0)), (roll(a), a.roll(-1)), (bincount(a, 6), a.bincount()),
    (triu(4), torch.ones(4, 4).triu()), (flatten(m), m.flatten()), (outer(a, b), torch.outer(a, b)),
    (linspace(0.0, 2.0, 5), torch.linspace(0, 2, 5)), (vstack(a, b), torch.vstack([a, b])),
]  # fmt: skip
print([torch.equal(mine, theirs.to(mine.dtype)) for mine, theirs in checks])
