"""A two-dimensional convolution four ways: loops, windows as views, as_strided, and a sum of shifts."""

import torch

image = torch.arange(30.0).reshape(5, 6) % 7
kernel = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])
h, w = (image.shape[i] - kernel.shape[i] + 1 for i in range(2))

loops = torch.zeros(h, w)
for i in range(h):
    for j in range(w):
        loops[i, j] = (image[i : i + 3, j : j + 3] * kernel).sum()
windows = image.unfold(0, 3, 1).unfold(1, 3, 1)
by_views = (windows * kernel).sum((-1, -2))
s0, s1 = image.stride()
strided = torch.as_strided(image, (h, w, 3, 3), (s0, s1, s0, s1))
by_strides = torch.einsum("ijkl,kl->ij", strided, kernel)
shifts = sum(kernel[a, b] * image[a : a + h, b : b + w] for a in range(3) for b in range(3))
print(loops)
print(windows.shape, windows.stride(), strided.data_ptr() == image.data_ptr())
print(torch.equal(loops, by_views), torch.equal(loops, by_strides), torch.equal(loops, shifts))
print(image.unfold(0, 2, 2).amax(-1).unfold(1, 2, 2).amax(-1))
