"""What types meet in what type, and what overflows, rounds and divides how."""

import torch

i, f, b, d, u = (
    torch.tensor([7, -7]),
    torch.tensor([2.5, -2.5]),
    torch.tensor([True, False]),
    torch.tensor([1.5, 2.5], dtype=torch.float64),
    torch.tensor([250, 10], dtype=torch.uint8),
)
for name, v in (
    ("i+f", i + f),
    ("i/2", i / 2),
    ("i//2", i // 2),
    ("i%3", i % 3),
    ("f//1", f // 1),
    ("f%2", f % 2),
    ("b+b", b + b),
    ("b*2", b * 2),
    ("b+1.5", b + 1.5),
    ("i*2.0", i * 2.0),
    ("f*d", f * d),
    ("u+10", u + 10),
    ("u+u", u + u),
    ("-u", -u),
    ("u-i", u - i),
    ("i**2", i**2),
    ("2**i.abs()", 2 ** i.abs()),
    ("i/i", i / i),
    ("i>f", i > f),
    ("~b", ~b),
    ("~i", ~i),
    ("i&3", i & 3),
    ("i<<1", i << 1),
    ("i>>1", i >> 1),
    ("u^255", u ^ 255),
    ("f*True", f * True),
    ("abs", abs(i)),
    ("divmod", torch.div(i, 2, rounding_mode="trunc")),
    ("floor", torch.div(f, 2, rounding_mode="floor")),
    ("fmod", torch.fmod(i, 3)),
    ("rem", torch.remainder(i, -3)),
    ("pow", torch.pow(2, f)),
    ("sqrt", i.abs().sqrt()),
    ("exp", b.exp()),
    ("mean", f.mean()),
    ("sum b", b.sum()),
    ("sum u", u.sum()),
    ("prod", i.prod()),
    ("cumsum u", u.cumsum(0)),
    ("any", i.any()),
    ("max", i.max()),
    ("0-dim", i + torch.tensor(1.5)),
    ("0-dim d", f + torch.tensor(1.5, dtype=torch.float64)),
    ("0-dim i8", torch.tensor(1, dtype=torch.int8) + torch.tensor([1], dtype=torch.int16)),
    ("half", torch.tensor([1.0]).half() + 1e-4),
    ("half+f", torch.tensor([1.0]).half() + f),
    ("bf", torch.tensor([1.0], dtype=torch.bfloat16) * 3.14159),
    ("bf+half", torch.tensor([1.0], dtype=torch.bfloat16) + torch.tensor([1.0]).half()),
):
    print(name, v, v.dtype)
print(
    torch.result_type(i, 1.0),
    torch.promote_types(torch.int8, torch.uint8),
    torch.can_cast(torch.float32, torch.int32),
    torch.can_cast(torch.int32, torch.float16),
)
print(
    torch.tensor([300, -1]).to(torch.uint8),
    torch.tensor([1.9, -1.9]).long(),
    torch.tensor([0.0, 0.1]).bool(),
    torch.tensor([1e10]).half(),
    torch.tensor([2**31]).int(),
    torch.tensor([200]).to(torch.int8),
    torch.tensor([1, 2]).float().dtype,
    torch.tensor([1.7]).int(),
    torch.tensor([True]).double(),
)
for bad in (
    lambda: i.add_(1.5),
    lambda: i.div_(2),
    lambda: b.add_(1),
    lambda: u.mul_(2.5),
    lambda: -b,
    lambda: b - b,
    lambda: i << 1.5,
    lambda: f & f,
    lambda: ~f,
    lambda: i.mean(),
    lambda: i.softmax(0),
    lambda: torch.tensor([1, 2]) @ torch.tensor([1.0, 2.0]),
    lambda: torch.zeros(2).index_add_(0, i[:1] * 0, d[:1]),
    lambda: torch.cat([i, "a"]),
    lambda: torch.tensor(2) // 0,
    lambda: torch.tensor(2) % 0,
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__)
print(
    torch.tensor(2.0) // 0,
    torch.tensor(-2.0) / 0,
    torch.tensor(0.0) / 0,
    torch.tensor(5.0) % 0,
    torch.tensor([2.5, 3.5, -2.5]).round(),
    torch.tensor(2.345).round(decimals=2),
    torch.tensor([-1.5]).trunc(),
    torch.tensor([-1.5]).floor(),
    torch.tensor([-1.5]).frac(),
)
x = torch.tensor([1, 2, 3], dtype=torch.int32)
print(
    x.view(torch.float32),
    x.view(torch.uint8).shape,
    torch.tensor([1.0]).view(torch.int32),
    x.type(),
    x.type(torch.float64).dtype,
    x.type_as(d).dtype,
    x.to(d).dtype,
    x.element_size(),
    x.nbytes,
)
torch.set_default_dtype(torch.float64)
print(
    torch.tensor(1.0).dtype,
    torch.ones(2).dtype,
    (torch.tensor([1]) / 2).dtype,
    torch.arange(2.0).dtype,
    torch.rand(1).dtype,
)
torch.set_default_dtype(torch.float32)
print(
    torch.float16.itemsize,
    torch.int8.is_signed,
    torch.bfloat16.is_floating_point,
    torch.get_default_dtype(),
    torch.is_floating_point(f),
    torch.iinfo(torch.int64).max,
    torch.finfo(torch.float16).tiny,
)
print(
    torch.isclose(
        torch.tensor([1.0, float("nan")]), torch.tensor([1.0 + 1e-9, float("nan")]), equal_nan=True
    ),
    torch.nan_to_num(torch.tensor([float("nan"), float("inf"), -float("inf")])),
    torch.isfinite(torch.tensor([1.0, float("inf")])),
    torch.maximum(torch.tensor([1.0, float("nan")]), torch.tensor([2.0, 0.0])),
)
