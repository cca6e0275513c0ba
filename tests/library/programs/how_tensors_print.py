"""How tensors print: precision, edges, exponents, columns, formats."""

import torch

inf, nan = float("inf"), float("nan")
print(
    torch.tensor([1.0, 2.5, 1000.0]),
    torch.tensor([1e-5, 1.0]),
    torch.tensor([1e8, 1.0]),
    torch.tensor([123456789.0]),
)
print(
    torch.tensor([0.1, nan, inf, -inf]),
    torch.tensor([nan]),
    torch.tensor([inf, 1]),
    torch.tensor([-0.0, 0.0]),
)
print(
    torch.tensor([1, -20, 300]),
    torch.tensor([True, False]),
    torch.tensor([], dtype=torch.int64),
    torch.empty(0, 3),
    torch.empty(2, 0),
)
print(torch.tensor(3.14159), torch.tensor(7), torch.tensor(True), torch.tensor(1e-12), torch.tensor(1e20))
print(torch.arange(2000), torch.arange(2000).view(40, 50), torch.zeros(3, 400, 3).sum(0)[:2])
print(torch.zeros(30, 40), torch.ones(1, 1, 1, 1), torch.zeros(11, 11, 11).shape)
print(torch.arange(24.0).view(2, 3, 4), torch.arange(8).view(2, 2, 2).half(), torch.rand(0, 2, 2))
print(
    torch.tensor([1.5], requires_grad=True),
    torch.tensor([1.5], requires_grad=True) * 2,
    torch.tensor(2.0, dtype=torch.float64),
)
print(
    torch.tensor([1, 2], dtype=torch.int8),
    torch.tensor([1.0], dtype=torch.bfloat16),
    torch.tensor([1e-7, 1e7], dtype=torch.float64),
)
for options in (
    {"precision": 2},
    {"sci_mode": True},
    {"sci_mode": False},
    {"linewidth": 40},
    {"threshold": 5, "edgeitems": 1},
    {"profile": "full"},
    {"profile": "short"},
    {"profile": "default"},
):
    torch.set_printoptions(**options)
    print(options)
    print(torch.linspace(0, 1000, 12).view(3, 4), torch.arange(10) * 1000, torch.tensor([1e-10, 1.0]))
torch.set_printoptions(profile="default")
x = torch.tensor([[1.25, -2.0], [3.5, 1e4]])
print(f"{x}", f"{x[0, 0]:.1f}", f"{x[1, 1]:e}", f"{x[0, 0]}", f"{x[0]}", f"{x.sum():>12.3f}", f"{x.mean()!r}")
print(
    str(x.shape), repr(x.size()), x.dtype, x.device, x.layout, x.stride(), x.is_contiguous(), type(x).__name__
)
print([x[0, 0], x[1]], (x[0],), {"a": x[0, 1]})
print(x.tolist(), x[0].tolist(), x[0, 0].item(), torch.tensor([True]).tolist(), torch.tensor(2).half().item())
print(torch.finfo(torch.float32), torch.iinfo(torch.int16))
print(
    torch.tensor([[1e-3, 1e3], [1e5, 1]]),
    torch.tensor([99999.0, 1.0]),
    torch.tensor([100000.0, 1.5]),
    torch.tensor([1e-4, 9e-5]),
)
print(
    torch.Size([2, 3]),
    torch.Size([2, 3])[0],
    torch.Size([2, 3]) + (4,),
    torch.Size([2, 3]).numel(),
    torch.Size([]),
    list(torch.Size([2])),
)
print(torch.rand(3, generator=torch.Generator().manual_seed(5)))
print(torch.eye(3), torch.full((2, 2), 7), torch.full((2,), 0.1), torch.full((2,), True))
