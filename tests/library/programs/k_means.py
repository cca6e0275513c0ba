"""Lloyd's algorithm: distances to all centres, the nearest one, means by scatter_add."""

import torch

torch.manual_seed(3)
points = torch.cat([torch.randn(40, 2) * 0.4 + torch.tensor(c) for c in ([0.0, 0.0], [3.0, 3.0], [0.0, 4.0])])
centres = points[torch.tensor([0, 50, 100])].clone()
for iteration in range(5):
    nearest = torch.cdist(points, centres).argmin(dim=1)
    counts = torch.bincount(nearest, minlength=3)
    sums = torch.zeros(3, 2).scatter_add(0, nearest[:, None].expand(-1, 2), points)
    moved = sums / counts.clamp(min=1).unsqueeze(1)
    shift = (moved - centres).norm(dim=1).max()
    centres = moved
    print(iteration, counts.tolist(), f"{shift:.4f}")
print(centres)
print((points - centres[nearest]).square().sum(1).sqrt().mean())
