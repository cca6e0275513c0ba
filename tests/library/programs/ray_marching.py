"""A sphere on a floor, drawn in letters: rays march as far as nothing can be hit."""

import torch
import torch.nn.functional as F

width, height = 36, 16
ys, xs = torch.meshgrid(torch.linspace(0.8, -0.8, height), torch.linspace(-1.2, 1.2, width), indexing="ij")
rays = F.normalize(torch.stack([xs, ys, torch.full_like(xs, 1.5)], dim=-1), dim=-1)
eye = torch.tensor([0.0, 0.4, -3.0])
light = F.normalize(torch.tensor([-1.0, 2.0, -1.5]), dim=0)
center, radius = torch.tensor([0.0, 0.2, 0.0]), 0.8


def distance(points):
    ball = (points - center).norm(dim=-1) - radius
    floor = points[..., 1] + 0.6
    return torch.minimum(ball, floor)


depth = torch.zeros(height, width)
for _ in range(60):
    gap = distance(eye + depth[..., None] * rays)
    depth = torch.where((gap > 1e-3) & (depth < 20), depth + gap, depth)
hit = depth < 20
points = (eye + depth.unsqueeze(-1) * rays).requires_grad_()
distance(points).sum().backward()
normals = F.normalize(points.grad, dim=-1)
shade = (normals * light).sum(-1).clamp(min=0.05)
away = points.detach() + 0.02 * normals
for _ in range(30):
    away = away + distance(away).clamp(0, 0.3).unsqueeze(-1) * light
shade = torch.where(distance(away) < 0.05, shade * 0.3, shade)
print("rays that hit:", int(hit.sum()), "of", hit.numel())
print("normals have length 1:", torch.allclose(normals[hit].norm(dim=-1), torch.ones(())))
letters = " .:-=+*#%@"
levels = torch.where(hit, (shade * 9).floor().clamp(0, 9), 0).long()
middle = levels[6:10, 10:26]
print(
    "brightest",
    levels.max().item(),
    "where the light comes from:",
    levels.argmax().item() % width < width // 2,
)
for row in middle[:, ::3].clamp(2, 8).div(2, rounding_mode="trunc").tolist():
    print("".join(letters[level] for level in row))
