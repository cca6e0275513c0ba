"""Reading and writing by slices, masks, lists and tensors."""

import torch

x = torch.arange(24).view(4, 6)
print(
    x[1],
    x[-1, -1],
    x[1:3, ::2],
    x[:, 1],
    x[..., 0],
    x[None].shape,
    x[:, None, 2:4].shape,
    x[[0, 2]],
    x[[0, 2], [1, 3]],
    x[torch.tensor([[0, 1], [2, 3]])].shape,
)
print(
    x[x % 5 == 0],
    x[x[:, 0] > 5],
    x[:, torch.tensor([True, False, True, False, False, True])],
    x[torch.tensor(2)],
    x[2, [1, 1, 0]],
    x[[True, False, False, True], 1:3],
)
y = x.clone()
y[0] = -1
y[:, 0] = torch.tensor([1, 2, 3, 4])
y[y > 20] = 0
y[[1, 2], [2, 2]] += 100
y[1:3, 4:] = torch.ones(2, dtype=torch.long)
y[-1, ::3] *= 2
print(y)
print(
    x.gather(1, torch.tensor([[0, 1], [2, 3], [4, 5], [0, 0]])),
    torch.zeros(2, 3).scatter_(1, torch.tensor([[0], [2]]), 1.0),
    torch.zeros(3).scatter_add_(0, torch.tensor([0, 0, 2]), torch.ones(3)),
    torch.zeros(3, 2).index_add_(0, torch.tensor([0, 0, 1]), torch.ones(3, 2)),
)
print(
    x.index_select(1, torch.tensor([5, 0])),
    x.take(torch.tensor([0, -1])),
    torch.take_along_dim(x, x.argmax(1, keepdim=True), 1),
    x.masked_select(x > 21),
    x.masked_fill(x > 2, 0).sum(),
    torch.where(x > 20),
    x.nonzero().shape,
)
print(
    x.index_fill(0, torch.tensor([1]), 7)[1],
    x.index_copy(0, torch.tensor([0]), torch.zeros(1, 6, dtype=torch.long))[0],
    x.diagonal(),
    x.diagonal(1),
    x.unbind(1)[2],
    x.select(0, 1),
    x.narrow(1, 2, 2),
    torch.chunk(x, 3),
    [p.shape for p in x.split([1, 3])],
    [tuple(p.shape) for p in torch.tensor_split(x, 4, dim=1)],
)
print(
    x.flip(0)[0],
    x.roll(1, 0)[0],
    x.rot90()[0],
    x.t()[0],
    x.repeat(1, 2).shape,
    x.tile((2,)).shape,
    x.repeat_interleave(2, dim=0)[:3],
    torch.cat([x, x], 1).shape,
    torch.stack([x, x]).shape,
    torch.hstack([x[0], x[1]]).shape,
    torch.dstack([x, x]).shape,
)
print(
    x.view(2, 2, -1).permute(2, 0, 1).shape,
    x.reshape(-1)[3:6],
    x.flatten().shape,
    x.unflatten(1, (2, 3)).shape,
    x.unsqueeze(-1).squeeze().shape,
    x.expand(2, 4, 6).stride(),
    x.movedim(0, 1).shape,
    x.swapaxes(0, 1).stride(),
    x.ravel().is_contiguous(),
    x.T.is_contiguous(),
    x.as_strided((2, 2), (1, 6)),
)
for bad in (
    lambda: x[4],
    lambda: x[0, 0, 0],
    lambda: x[1.0],
    lambda: x["a"],
    lambda: x[[0, 9]],
    lambda: x[torch.tensor([0.5])],
    lambda: x[torch.ones(3, dtype=torch.bool)],
    lambda: x[::-1],
    lambda: x.view(5, 5),
    lambda: x.t().view(24),
    lambda: x[[0, 1], [0, 1, 2]],
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__)
z = torch.zeros(3, 4)
for bad in (
    lambda: z.__setitem__(0, torch.ones(3)),
    lambda: z.__setitem__((0, 5), 1),
    lambda: z.__setitem__(slice(None), torch.ones(4, 3)),
    lambda: z.__setitem__(0, "a"),
):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__)
z[torch.tensor([0, 0, 1])] = torch.arange(3.0).unsqueeze(1)
z[1:, None] = 5
z[..., -1] = torch.tensor(9)
print(
    z,
    x[()].shape,
    x[...].shape,
    torch.tensor(5)[...],
    torch.tensor(5)[None],
    x[:0].shape,
    x[5:].shape,
    x[torch.empty(0, dtype=torch.long)].shape,
)
