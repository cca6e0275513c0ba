"""Saving and loading: dicts of tensors, views, optimiser-like states, in memory and in a file."""

import copy
import io
import pickle
import tempfile
from pathlib import Path

import torch

state = {
    "w": torch.arange(6.0).view(2, 3),
    "b": torch.zeros(3),
    "step": 7,
    "lr": 0.1,
    "name": "net",
    "betas": (0.9, 0.999),
    "none": None,
    "list": [torch.tensor(1), 2],
    "dtype": torch.float64,
    "shape": torch.Size([1, 2]),
}
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "model.pt")
    torch.save(state, path)
    again = torch.load(path)
    print(
        list(again),
        again["w"],
        again["betas"],
        again["list"],
        again["dtype"],
        again["shape"],
        type(again["shape"]).__name__,
    )
    print(path.stat().st_size > 0, torch.load(path, map_location="cpu", weights_only=True)["b"])
buffer = io.BytesIO()
x = torch.arange(10)
torch.save([x, x[2:5], x.view(2, 5).t()], buffer)
buffer.seek(0)
a, b, c = torch.load(buffer)
a[3] = -1
print(b, c, c.stride(), b.storage_offset(), a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr())
p = torch.ones(2, requires_grad=True)
buffer = io.BytesIO()
torch.save(p, buffer)
buffer.seek(0)
q = torch.load(buffer)
print(q, q.requires_grad, q.is_leaf)
for dtype in (torch.bool, torch.bfloat16, torch.float16, torch.int8, torch.float64):
    buffer = io.BytesIO()
    torch.save(torch.tensor([0, 1, 2]).to(dtype), buffer)
    buffer.seek(0)
    print(torch.load(buffer))
try:
    torch.load("nowhere.pt")
except FileNotFoundError as e:
    print(type(e).__name__)
y = pickle.loads(pickle.dumps({"t": torch.ones(2, 2).t()}))
print(y, copy.deepcopy(p).requires_grad, copy.copy(x).data_ptr() == x.data_ptr())
