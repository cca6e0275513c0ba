"""How tensors print."""

import torch

for x in (
    torch.tensor([]),
    torch.zeros(0, 3),
    torch.zeros(2, 0, 3),
    torch.tensor(3),
    torch.tensor(3.0),
    torch.tensor(True),
    torch.tensor([1, -20, 300]),
    torch.tensor([1.0, 2.5]),
    torch.tensor([1e-5, 1.0]),
    torch.tensor([1e10, 1.0]),
    torch.tensor([1e8, 1.0]),
    torch.tensor([float("nan"), float("inf"), -1]),
    torch.tensor([float("inf")]),
    torch.tensor([0.1, 0.22, 0.333]),
    torch.tensor([1e-8]),
    torch.tensor([123456.789]),
    torch.tensor([100000.0, 1.5]),
    torch.tensor([0.0, -0.0]),
    torch.tensor([1e-45]),
    torch.tensor([3.4e38]),
):
    print(x)
for dtype in (
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int8,
    torch.uint8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.bool,
):
    print(torch.tensor([0, 1, 2]).to(dtype), torch.zeros((), dtype=dtype), torch.empty(0, dtype=dtype))
print(torch.arange(1001), torch.arange(1000).shape)
print(torch.arange(10000.0).view(100, 100))
print(torch.arange(24).view(2, 3, 4) / 7)
print(torch.ones(2, 2, 2, 2) * torch.tensor([1e-4, 1.0]))
print(torch.randn(2, requires_grad=True).sign().abs())
x = torch.ones(2, requires_grad=True)
print(x, x * 2, x.sum(), x.detach(), (x * 2).view(2, 1), x.exp().mean(), x[0], x.clone().mul_(2))
torch.set_printoptions(precision=2)
print(torch.tensor([1.23456, 100.0]), torch.tensor(3.14159))
torch.set_printoptions(sci_mode=True)
print(torch.tensor([1.23456, 100.0]))
torch.set_printoptions(sci_mode=False)
print(torch.tensor([1e-10, 1e5]))
torch.set_printoptions(profile="default")
torch.set_printoptions(threshold=5, edgeitems=1)
print(torch.arange(6), torch.arange(12).view(3, 4), torch.arange(60.0).view(3, 4, 5))
torch.set_printoptions(profile="short")
print(torch.rand(3, 3) > 2, torch.linspace(0, 1, 7))
torch.set_printoptions(profile="full")
print(torch.arange(1100.0).sum(), len(str(torch.arange(1100))))
torch.set_printoptions(profile="default", linewidth=40)
print(torch.arange(20), torch.arange(20.0) / 3)
torch.set_printoptions(profile="default")
print(
    f"{torch.tensor(3.14159):.2f} {torch.tensor(7):>5} {torch.tensor(7):03d} {torch.tensor([1.5])}",
    f"{torch.tensor(0.5):.0%} {torch.tensor(2.0)!r} {torch.tensor(12345.678):,.1f} {torch.tensor(1e-9):e}",
)
print(
    f"{torch.tensor(2)} {torch.tensor(1.0):.3f} {torch.tensor(9):d}",
    str(torch.tensor(1.0)),
    f"{torch.tensor(2.25):.1f}",
)
print(torch.Size([2, 3]), torch.float32, torch.device("cpu"), torch.strided, torch.contiguous_format)
print([torch.tensor(1), torch.tensor([2.0])], {"a": torch.tensor(1)}, (torch.zeros(2, 2),))
print(torch.tensor([[1.0, float("nan")], [float("-inf"), 1e-3]]), torch.tensor([1.0, float("inf"), 1e6]))
print(torch.tensor([1.0, 2.0, 3.0]).expand(3, 3), torch.tensor([[1, 2], [3, 4]]).t(), torch.eye(3)[::2])
print(
    torch.tensor([12345678, 1]),
    torch.tensor([0.5, 1234567.0]),
    torch.tensor([99999.5]),
    torch.tensor([0.00012, 12.0]),
)
print(
    torch.finfo(torch.float32),
    torch.iinfo(torch.int8),
    torch.finfo(torch.float64).eps,
    torch.finfo(torch.bfloat16).max,
)
