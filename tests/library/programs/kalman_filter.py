"""A ball is thrown, seen through noise, and followed by a Kalman filter."""

import torch

torch.manual_seed(5)
dt, steps = 0.1, 40
motion = torch.eye(4, dtype=torch.float64)
motion[0, 2] = motion[1, 3] = dt
gravity = torch.tensor([0.0, -0.5 * 9.81 * dt**2, 0.0, -9.81 * dt], dtype=torch.float64)
observe = torch.eye(2, 4, dtype=torch.float64)
process = torch.diag(torch.tensor([1e-4, 1e-4, 1e-3, 1e-3], dtype=torch.float64))
noise = 0.25 * torch.eye(2, dtype=torch.float64)

truth = torch.empty(steps, 4, dtype=torch.float64)
truth[0] = torch.tensor([0.0, 1.0, 6.0, 18.0])
for step in range(1, steps):
    truth[step] = motion @ truth[step - 1] + gravity
seen = truth @ observe.T + 0.5 * torch.randn(steps, 2, dtype=torch.float64)

state = torch.cat([seen[0], seen.new_zeros(2)])
spread = torch.eye(4, dtype=torch.float64) * 100
followed = torch.empty_like(truth)
for step, measured in enumerate(seen.unbind(0)):
    if step:
        state = torch.addmv(gravity, motion, state)
        spread = motion @ spread @ motion.mT + process
    innovation = torch.addmm(noise, observe @ spread, observe.T)
    gain = torch.linalg.solve(innovation, observe @ spread).T
    state = state + gain @ (measured - observe @ state)
    spread = (torch.eye(4).double() - gain @ observe) @ spread
    followed[step] = state

errors = [(path - truth[:, :2]).square().sum(1).sqrt() for path in (seen, followed[:, :2])]
print("raw", f"{errors[0].mean():.4f}", "filtered", f"{errors[1].mean():.4f}")
print("later half", *[f"{e[steps // 2 :].mean().item():.4f}" for e in errors])
print("speed at the end", followed[-1, 2:].round(decimals=3), truth[-1, 2:].round(decimals=3))
print("spread shrinks:", torch.trace(spread).item() < 1, torch.allclose(spread, spread.T, atol=1e-9))
print(torch.linalg.eigvalsh((spread + spread.T) / 2).gt(0).all())
