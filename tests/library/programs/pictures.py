"""A picture as a tensor: channels, grey, thresholds, histogram, flips, crops, memory formats."""

import torch

picture = (torch.arange(2 * 3 * 4 * 5) * 37 % 256).to(torch.uint8).view(2, 3, 4, 5)
print(picture.dtype, picture.float().mean(dim=(0, 2, 3)), picture.float().std((0, 2, 3)))
grey = (picture.float() * torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)).sum(1)
print(grey.shape, grey.round()[0], (grey > 128).sum(), torch.histc(grey, bins=4, min=0, max=256))
mirrored = picture.flip(-1)
print(torch.equal(mirrored[..., 0], picture[..., -1]), picture.rot90(1, (2, 3)).shape)
hwc = picture.permute(0, 2, 3, 1)
print(hwc.stride(), hwc.is_contiguous(), hwc.contiguous().stride())
last = picture.to(memory_format=torch.channels_last)
print(last.stride(), last.is_contiguous(memory_format=torch.channels_last), torch.equal(last, picture))
crop = picture[:, :, 1:3, 1:4]
crop[:] = 255 - crop
print(crop.storage_offset(), picture[0, 0], picture.sum(), picture.max())
patches = picture.unfold(2, 2, 2).unfold(3, 2, 2).flatten(-2).float().mean(-1)
print(patches.shape, patches[1, 2], (picture // 64).unique(return_counts=True))
normal = (picture.float() / 255 - 0.5) / 0.25
print(normal.amin((0, 2, 3)), normal.clamp(-1, 1).amax(), (picture.int() + 200).to(torch.uint8)[0, 0, 0])
