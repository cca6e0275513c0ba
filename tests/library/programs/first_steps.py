"""Tensors from lists, their shapes, arithmetic, joining and indexing."""

import torch

x = torch.arange(12, dtype=torch.float32)
print(x, x.numel(), x.shape)
X = x.reshape(3, 4)
Y = torch.tensor([[2.0, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]])
print(torch.cat((X, Y), dim=0), torch.cat((X, Y), dim=1), X == Y, X.sum())
print(X[-1], X[1:3], X[..., 1], X.T)
X[1, 2] = 9
X[:2, :] = 12
print(X, torch.exp(-Y))
Z = torch.zeros_like(Y)
before = id(Z)
Z[:] = X + Y
print(id(Z) == before, Z)
before = id(X)
X += Y
print(id(X) == before, X.mean(axis=0), X.sum(axis=1, keepdims=True))
A = X.numpy()
B = torch.from_numpy(A)
B[0, 0] = -1
print(type(A).__name__, A[0, 0], X[0, 0])
a = torch.tensor([3.5])
print(a, a.item(), float(a), int(a))
