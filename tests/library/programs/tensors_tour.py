"""A tour of tensors: lists and arrays, attributes, slices, joins, single numbers, in place, the bridge."""

import numpy as np
import torch

data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
np_array = np.array(data)
x_np = torch.from_numpy(np_array)
print(x_data.dtype, x_np.dtype, torch.ones_like(x_data), torch.zeros_like(x_data, dtype=torch.float))
torch.manual_seed(0)
print(f"Random Tensor: \n {torch.rand_like(x_data, dtype=torch.float)} \n")
shape = (2, 3)
for made in (torch.rand(shape), torch.ones(shape), torch.zeros(shape)):
    print(f"{made} \n")
tensor = torch.rand(3, 4)
print(f"Shape of tensor: {tensor.shape}\nDatatype: {tensor.dtype}\nDevice: {tensor.device}")
tensor = torch.ones(4, 4)
print(f"First row: {tensor[0]}")
print(f"First column: {tensor[:, 0]}")
print(f"Last column: {tensor[..., -1]}")
tensor[:, 1] = 0
print(tensor)
t1 = torch.cat([tensor, tensor, tensor], dim=1)
print(t1)
y1, y2, y3 = tensor @ tensor.T, tensor.matmul(tensor.T), torch.rand_like(tensor)
print(torch.matmul(tensor, tensor.T, out=y3), (y1 == y2).all(), tensor.mul(tensor)[0])
agg = tensor.sum()
print(agg.item(), type(agg.item()), agg)
print(tensor, "\n")
tensor.add_(5)
print(tensor)
t = torch.ones(5)
n = t.numpy()
t.add_(1)
print(f"t: {t}\nn: {n}")
n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(f"t: {t}\nn: {n}")
print(
    torch.tensor(3), torch.tensor(3.5).int(), torch.tensor([True, False]), torch.tensor([]), torch.empty(0, 3)
)
print(
    torch.tensor([1e-8, 1.0, 1e8]), torch.tensor([1.0, float("nan"), float("inf")]), torch.arange(1100)[::100]
)
print(torch.arange(24).reshape(2, 3, 4).float() / 7)
print(torch.eye(3, dtype=torch.int8), torch.linspace(0, 1, 5), torch.logspace(0, 2, 3), torch.full((2,), 1.5))
x = torch.randn(4, 4)
print(x.size(), x.view(16).size(), x.view(-1, 8).size(), x[:, 1].tolist()[0] == x[0, 1].item())
a, b = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
print(a, b, torch.randperm(5), torch.randint(3, 9, (2, 2)))
print(torch.zeros(3, 1200).sum(1), torch.zeros(40, 40))
