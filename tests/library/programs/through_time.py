"""Gradients through a simulation: how hard to throw, and the length of a pendulum from its swing."""

import math

import torch


def fly(speed, angle, steps=40, dt=0.05):
    velocity = torch.stack([speed * torch.cos(angle), speed * torch.sin(angle)])
    position = torch.zeros(2, dtype=torch.float64)
    path = [position]
    for _ in range(steps):
        velocity = (
            velocity
            + dt * torch.tensor([0.0, -9.81], dtype=torch.float64)
            - dt * 0.05 * velocity * velocity.norm()
        )
        position = position + dt * velocity
        path.append(position)
    return torch.stack(path)


speed = torch.tensor(8.0, dtype=torch.float64, requires_grad=True)
angle = torch.tensor(math.pi / 5, dtype=torch.float64, requires_grad=True)
goal = torch.tensor([9.0, 1.0], dtype=torch.float64)
for i in range(30):
    end = fly(speed, angle)[-1]
    loss = (end - goal).square().sum()
    slopes = torch.autograd.grad(loss, (speed, angle))
    with torch.no_grad():
        speed -= 0.02 * slopes[0]
        angle -= 0.001 * slopes[1]
    if i % 10 == 0:
        print(
            f"{i}: {loss.item():.5f} at {end.tolist()[0]:.4f}, {end[1].item():.4f}",
            [f"{s:.4f}" for s in slopes],
        )
print(fly(speed, angle).shape, loss < 1, torch.rad2deg(angle.detach()))


def swing(length, steps=100):
    theta, omega, seen = torch.tensor(0.5, dtype=torch.float64), torch.zeros((), dtype=torch.float64), []
    for _ in range(steps):
        omega = omega - 0.02 * 9.81 / length * torch.sin(theta)
        theta = theta + 0.02 * omega
        seen.append(theta)
    return torch.stack(seen)


truth = swing(torch.tensor(1.3, dtype=torch.float64))
length = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
for i in range(25):
    loss = torch.mean((swing(length) - truth) ** 2)
    loss.backward()
    with torch.no_grad():
        length -= 0.8 * length.grad
    length.grad.zero_()
print(f"{length.item():.4f}", loss < 1e-2, truth[::25])
