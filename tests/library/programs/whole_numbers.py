"""Whole numbers: an edit distance, a sieve, counts, bits, images of bytes, indices, divisions."""

import torch

a, b = "kitten", "sitting"
D = torch.zeros(len(a) + 1, len(b) + 1, dtype=torch.int32)
D[:, 0] = torch.arange(len(a) + 1)
D[0] = torch.arange(len(b) + 1)
for i in range(1, len(a) + 1):
    for j in range(1, len(b) + 1):
        D[i, j] = torch.stack(
            (D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
        ).min()
print(D, D[-1, -1].item(), D.dtype)
sieve = torch.ones(50, dtype=torch.bool)
sieve[:2] = False
for p in range(2, 8):
    if sieve[p]:
        sieve[p * p :: p] = False
print(sieve.nonzero().flatten(), sieve.sum(), torch.where(sieve)[0][-3:])
x = torch.tensor([5, 3, 9, 3, 1, 9, 9])
v, inv, cnt = torch.unique(x, return_inverse=True, return_counts=True)
print(v, inv, cnt, v[cnt.argmax()], torch.searchsorted(v, torch.tensor([0, 3, 4, 10])))
print(
    x.sort(stable=True),
    x.topk(3),
    x.cummax(0),
    x.flip(0),
    x.roll(2),
    torch.tensor([1, 2]).repeat_interleave(torch.tensor([2, 1])),
)
print(torch.tril(torch.ones(3, 3, dtype=torch.int64)) @ torch.arange(3), torch.triu_indices(3, 3, 1))
f = torch.tensor([[1, 1], [1, 0]])
print(torch.linalg.matrix_power(f, 10), (f @ f @ f)[0, 0], f.matrix_power(20)[0, 1])
img = torch.zeros(5, 5, dtype=torch.uint8)
img[1:4, 1:4] = 200
print(
    img + 100,
    img // 3,
    (img.float() / 255).round(decimals=2)[2],
    img.sum(),
    img.max(),
    ~img[0, :2],
    img[2] & 15,
    img[2] >> 3,
)
bits = (torch.tensor([5, 12])[:, None] >> torch.arange(4)) & 1
print(
    bits,
    (bits * 2 ** torch.arange(4)).sum(1),
    bits.bool().any(0),
    bits.bool().all(),
    bits.bool().logical_not(),
)
m = torch.arange(12).view(3, 4)
print(
    m[m % 2 == 0],
    m[m.sum(1) > 10],
    m[:, m.sum(0) > 13],
    m.masked_fill(m > 8, -1),
    torch.take(m, torch.tensor([0, 5, -1])),
)
g = m.clone()
g[g > 5] -= 100
g[1, [0, 2]] = torch.tensor([7, 8])
g.index_add_(0, torch.tensor([0, 0]), torch.ones(2, 4, dtype=torch.int64))
print(
    g,
    g.gather(1, torch.tensor([[0], [1], [3]])),
    g.scatter(1, torch.tensor([[0], [1], [2]]), 0),
    g.diagonal(),
    g.rot90(),
)
print(
    m.float().std(0),
    m.prod(1),
    m.cumsum(1),
    m.cumprod(1)[2],
    m.median(),
    m.mode(0),
    m.float().norm(dim=0),
    m.trace(),
)
print(
    torch.tensor(7) // 2,
    torch.tensor(-7) // 2,
    torch.tensor(-7) % 3,
    torch.fmod(torch.tensor(-7), 3),
    torch.tensor(7) / 2,
    -7 // torch.tensor(2),
)
print(
    torch.tensor([1, 2]) == torch.tensor([1.0, 2.5]),
    torch.tensor(3) > 2,
    bool(torch.tensor(0)),
    torch.tensor([0.1]) + 0.2 == 0.3,
)
print(
    torch.result_type(torch.tensor([1]), 1.5),
    torch.tensor([1], dtype=torch.int8) * 200,
    torch.tensor([1], dtype=torch.uint8) - 2,
)
for r, row in enumerate(m):
    print(r, row.tolist(), row.sum().item(), f"{row.float().mean():.2f}", row[-1])
print(
    {int(k): int(c) for k, c in zip(v, cnt)},
    list(map(int, x[:3])),
    sum(x),
    max(x),
    sorted(x.tolist()),
    len(x),
    9 in x,
)
