"""What shares memory and what does not: strides, offsets, versions, clones."""

import torch

x = torch.arange(24).view(2, 3, 4)
views = {
    "t": x.transpose(0, 2),
    "perm": x.permute(1, 2, 0),
    "sl": x[:, 1:, ::2],
    "row": x[1],
    "exp": x[:1].expand(5, 3, 4),
    "unf": x.unfold(2, 2, 1),
    "diag": x.diagonal(0, 1, 2),
    "nar": x.narrow(2, 1, 2),
    "sq": x[:, :1].squeeze(1),
    "as": x.as_strided((3, 2), (1, 5), 2),
    "flat": x.flatten(),
    "resh": x.reshape(4, 6),
    "trs": x.transpose(0, 1).reshape(6, 4),
    "con": x.transpose(0, 1).contiguous(),
    "cl": x.clone(),
    "mov": x.movedim(0, -1),
    "swap": x.swapaxes(0, 1),
    "un": x.unsqueeze(1),
    "split": x.split(2, 2)[1],
    "chunk": x.chunk(3, 1)[2],
    "unb": x.unbind(2)[3],
    "sel": x.select(1, 2),
    "T": x[0].T,
    "mT": x.mT,
    "view8": x.view(torch.int32),
    "real": x.real,
    "det": x.detach(),
    "flip": x.flip(0),
    "roll": x.roll(1),
    "rep": x.repeat(1, 1, 1),
    "bt": x[0].broadcast_to(2, 3, 4),
    "unfl": x.unflatten(2, (2, 2)),
    "ts": x.tensor_split(2, 2)[0],
}
for name, v in views.items():
    shares = v.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    print(
        f"{name:6s}",
        tuple(v.shape),
        v.stride(),
        v.storage_offset(),
        shares,
        v.is_contiguous(),
        shares and v._base is not None,  # a copy may be a view of the copy
    )
before = x._version
views["sl"].zero_()
print(x._version - before, x[0], views["cl"][0, 1], views["trs"].sum(), views["flat"].sum())
a = torch.zeros(2, 2)
b = a.t()
b += torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(a, b.stride(), a.data_ptr() == b.data_ptr())
c = a
a = a + 1
c[0, 0] = 50
print(a[0, 0], c[0, 0])
for shape in [(8, 3), (4, 3, 2), (24,), (2, 12), (-1, 8), (3, 8)]:
    for name in ("perm", "sl", "t", "nar"):
        v = views[name]
        try:
            w = v.view(shape)
            print(shape, name, w.stride())
        except RuntimeError:
            print(shape, name, "no view", v.reshape(shape).stride() if v.numel() == 24 else "")
m = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
print(
    m.stride(),
    m.is_contiguous(),
    m.is_contiguous(memory_format=torch.channels_last),
    (m + 1).stride(),
    m.contiguous().stride(),
    m.relu().stride(),
    m[0].stride(),
    m.mean((2, 3)).stride(),
    m.permute(0, 2, 3, 1).is_contiguous(),
)
s = torch.empty_strided((3, 4), (1, 3)).fill_(2)
print(
    s.stride(),
    (s * 2).stride(),
    torch.zeros_like(s).stride(),
    s.clone().stride(),
    s.t().is_contiguous(),
    s.untyped_storage().nbytes(),
    s.element_size(),
    s.nbytes,
)
