"""Which names look into one memory: views, copies, in-place writes, conversions."""

import torch

a = torch.arange(12).view(3, 4)
b, c, d = a.t(), a.reshape(4, 3), a.t().reshape(12)
b[0, 0] = 100
print(a[0, 0], c[0, 0], d[0])
for name, x in {
    "t": b,
    "reshape": c,
    "copy": d,
    "row": a[1],
    "column": a[:, 1],
    "every": a[::2, ::2],
}.items():
    same = x.untyped_storage().data_ptr() == a.untyped_storage().data_ptr()
    print(name, same, tuple(x.shape), x.stride(), x.storage_offset(), x.is_contiguous())
try:
    a.t().view(12)
except RuntimeError as error:
    print("view refused", type(error).__name__)
row = a[1]
row += 1
a[:, 0] = torch.tensor([7, 8, 9])
a[a > 50] = 0
print(a, row)
copy = a.clone()
a.zero_()
print(copy.sum(), a.sum(), a.double().dtype, (a / 2).dtype, (a // 2).dtype, (a > 0).dtype, (a + 0.5).dtype)
wide = torch.tensor([1.0, 2.0]).unsqueeze(1).expand(2, 3)
print(wide.stride(), wide + torch.tensor([10, 20, 30]))
try:
    wide.add_(1)
except RuntimeError as error:
    print("write refused", type(error).__name__)
x, y = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
print(x * 10 + y, torch.stack((x, y), -1).flatten(0, 1).tolist())
