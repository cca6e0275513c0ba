"""Every kind of index, read and written, with what shares memory."""

import torch

x = torch.arange(60).view(3, 4, 5)
print(x[1], x[1, 2], x[1, 2, 3], x[..., 0], x[:, -1], x[:, 1:3, ::2], x[None].shape, x[:, None, 1].shape)
print(x[[0, 2]], x[[0, 2], [1, 3]], x[[0, 2], :, [1, 3]], x[:, [0, 1], [2, 2]], x[[[0], [1]], [0, 1]].shape)
print(
    x[x > 50],
    x[x % 7 == 0],
    x[torch.tensor([True, False, True])].shape,
    x[:, torch.tensor([True, False, True, False])].shape,
)
print(
    x[torch.tensor(1)].shape,
    x[torch.tensor([[0, 1], [2, 0]])].shape,
    x[1, torch.tensor([0, 3]), 1:2],
    x[-1, ..., -2:],
)
y = x.clone()
y[0] = -1
y[:, 1] = torch.arange(5)
y[[1, 2], [2, 3]] = torch.tensor([[100], [200]])
y[y > 55] = 0
y[..., ::2] *= 2
y[2, 3] += torch.arange(5)
print(y)
y[torch.tensor([0, 0, 1])] = torch.zeros(3, 4, 5, dtype=torch.long)
print(y.sum(), (y == 0).sum(), y.nonzero().shape, y.nonzero(as_tuple=True)[0][:5])
idx = torch.tensor([[0, 1, 2, 3, 0]])
print(
    x.gather(1, idx.expand(3, 1, 5).clone()),
    x.take(torch.tensor([0, 59, -1])),
    x.index_select(2, torch.tensor([4, 0])).shape,
)
z = torch.zeros(3, 5)
print(
    z.scatter(0, torch.tensor([[0, 1, 2, 0, 0]]), 1.0),
    z.scatter_add(1, torch.tensor([[0, 0, 1], [2, 2, 2], [4, 3, 4]]), torch.ones(3, 3)),
)
print(
    z.index_add(0, torch.tensor([0, 0, 2]), torch.ones(3, 5), alpha=2),
    z.index_fill(1, torch.tensor([1, 3]), 5),
    z.masked_fill(z == 0, -1)[0],
)
print(
    torch.where(x > 30, x, -x)[2, 0],
    torch.take_along_dim(x, x.argmax(1, keepdim=True), 1).shape,
    x.masked_select(x < 3),
)
v = x[1]
v[0, 0] = 999
print(x[1, 0, 0], v.storage_offset(), v.data_ptr() == x.data_ptr() + 20 * 8)
print(
    torch.argwhere(x == 999), (x == 999).nonzero().tolist(), x.flatten()[::13], x.view(-1)[[1, 2]], x.mT.shape
)
for bad in (
    lambda: x[3],
    lambda: x[0, 0, 0, 0],
    lambda: x[[0, 5]],
    lambda: x["a"],
    lambda: x[1.5],
    lambda: x[torch.tensor([0.5])],
    lambda: x[[True, False]],
    lambda: x[::-1],
    lambda: x[torch.zeros(2, 2, dtype=torch.bool)],
    lambda: x.__setitem__(0, torch.zeros(7)),
    lambda: x[[0, 1], [0, 1, 2]],
):
    try:
        bad()
        print("fine")
    except Exception as e:
        print(type(e).__name__)
print(
    x.unbind(0)[1].shape,
    [c.shape for c in x.chunk(2, 1)],
    [c.shape for c in x.split([1, 3], 1)],
    x.diagonal(0, 0, 1).shape,
    x.unfold(2, 2, 2).shape,
)
print(
    torch.stack([x[0], x[2]], -1)[0, 0],
    torch.cat([x[:1], x[1:]]).equal(x),
    torch.roll(x, 1, 0)[0, 0],
    x.flip(2)[0, 0],
    torch.rot90(x[0])[0],
)
