"""Convolution as loops, as unfolded products, as the function; pooling; upsampling."""

import torch
import torch.nn.functional as F

torch.manual_seed(9)
x = torch.randn(2, 3, 6, 7, requires_grad=True)
w = torch.randn(4, 3, 3, 3, requires_grad=True)
b = torch.randn(4)
ref = F.conv2d(x, w, b, stride=2, padding=1)
cols = F.unfold(x, 3, stride=2, padding=1)
out = (w.flatten(1) @ cols + b[:, None]).view(2, 4, *ref.shape[2:])
print(ref.shape, cols.shape, torch.allclose(ref, out, atol=1e-5))
xp = F.pad(x, (1, 1, 1, 1))
loop = torch.zeros_like(ref)
for i in range(ref.shape[2]):
    for j in range(ref.shape[3]):
        loop[:, :, i, j] = (
            torch.einsum("nchw,ochw->no", xp[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3], w) + b
        )
print(torch.allclose(ref, loop, atol=1e-5))
g1 = torch.autograd.grad(ref.square().sum(), (x, w))
g2 = torch.autograd.grad(out.square().sum(), (x, w))
print([torch.allclose(a, c, rtol=1e-4, atol=1e-4) for a, c in zip(g1, g2)])
print(
    F.max_pool2d(x, 2).shape,
    F.avg_pool2d(x, 3, 2, 1).mean().item() - 0 < 1,
    F.adaptive_avg_pool2d(x, (1, 1)).flatten(1).allclose(x.mean((2, 3))),
)
v, i = F.max_pool2d(x.detach(), 2, return_indices=True)
print(i[0, 0], torch.equal(x.detach().flatten(2).gather(2, i.flatten(2)), v.flatten(2)))
img = torch.arange(16.0).view(1, 1, 4, 4)
print(
    F.interpolate(img, scale_factor=2, mode="nearest")[0, 0, :2],
    F.interpolate(img, size=(2, 2), mode="bilinear", align_corners=False)[0, 0],
)
print(
    F.conv1d(torch.arange(6.0).view(1, 1, 6), torch.tensor([[[1.0, 0.0, -1.0]]])),
    F.conv_transpose2d(img, torch.ones(1, 1, 2, 2), stride=2).shape,
)
print(
    F.pixel_shuffle(torch.arange(16).view(1, 4, 2, 2), 2)[0, 0],
    F.fold(F.unfold(img, 2, stride=2), (4, 4), 2, stride=2).equal(img),
)
sobel = torch.tensor([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]])
print(
    F.conv2d(img, sobel[None, None]),
    F.conv2d(img.expand(1, 2, 4, 4), sobel.expand(2, 1, 3, 3), groups=2, padding=1).shape,
)
bn = F.batch_norm(x, torch.zeros(3), torch.ones(3), training=True)
print(
    bn.mean((0, 2, 3)).abs().max() < 1e-6,
    bn.var((0, 2, 3), unbiased=False),
    F.group_norm(x, 3).shape,
    F.instance_norm(x).std((2, 3), correction=0).mean(),
)
try:
    F.conv2d(x, torch.randn(4, 2, 3, 3))
except RuntimeError:
    print("RuntimeError")
