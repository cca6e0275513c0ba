"""Random numbers on the CPU: the Mersenne Twister with PyTorch's recipes, and the counter-based Philox."""

from __future__ import annotations

from tensorlab.backends.cpu.random.fill import prepare

__all__ = ["prepare"]
