"""Cross-correlation written as loops, and a kernel that is learned from its results."""

import torch
import torch.nn.functional as F


def corr2d(X, K):
    h, w = K.shape
    Y = torch.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y


X = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
K = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
print(corr2d(X, K), F.conv2d(X[None, None], K[None, None])[0, 0])
X = torch.ones((6, 8))
X[:, 2:6] = 0
K = torch.tensor([[1.0, -1.0]])
Y = corr2d(X, K)
print(X, Y, corr2d(X.t(), K), sep="\n")
torch.manual_seed(4)
kernel = torch.randn(1, 1, 1, 2, requires_grad=True)
image, wanted = X.reshape((1, 1, 6, 8)), Y.reshape((1, 1, 6, 7))
for i in range(10):
    loss = ((F.conv2d(image, kernel) - wanted) ** 2).sum()
    kernel.grad = None
    loss.backward()
    kernel.data[:] -= 3e-2 * kernel.grad
    if (i + 1) % 2 == 0:
        print(f"epoch {i + 1}, loss {loss:.3f}")
print(kernel.data.reshape((1, 2)))
learned = torch.tensor([[0.5, -0.5]], requires_grad=True)
corr2d(X, learned).pow(2).sum().backward()
print(learned.grad)
x = torch.arange(16.0).view(1, 1, 4, 4)
print(
    F.max_pool2d(x, 3),
    F.avg_pool2d(x, 2),
    F.max_pool2d(x, 3, padding=1, stride=2),
    F.pad(x, (1, 0, 0, 1))[0, 0],
)
print(
    F.unfold(x, 2).shape,
    F.interpolate(x, scale_factor=0.5),
    F.conv2d(x, torch.ones(2, 1, 2, 2), stride=2).shape,
)
