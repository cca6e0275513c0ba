"""A Kalman filter that follows a moving point, in float64 by default."""

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(2)
dt = 0.1
F = torch.tensor([[1, dt], [0, 1]])
H = torch.tensor([[1.0, 0.0]])
Q = 0.01 * torch.eye(2)
R = torch.tensor([[0.5]])
x, P = torch.zeros(2), torch.eye(2)
truth = torch.arange(0, 5, dt) * 2.0
zs = truth + torch.randn(truth.shape) * R.sqrt().squeeze()
track = []
for z in zs:
    x = F @ x
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    Kg = P @ H.T @ torch.linalg.inv(S)
    x = x + (Kg @ (z.view(1) - H @ x))
    P = (torch.eye(2) - Kg @ H) @ P
    track.append(x.clone())
track = torch.stack(track)
print(track[::10], P)
print((track[:, 0] - truth).abs().mean() < (zs - truth).abs().mean(), torch.linalg.det(P), torch.trace(P))
print(track.dtype, torch.get_default_dtype(), torch.tensor(1.0).dtype, torch.ones(1).dtype)
torch.set_default_dtype(torch.float32)
print(torch.tensor([1.5]).dtype, torch.linspace(0, 1, 3))
