"""The switch that lets products of float32 lose bits for speed, under PyTorch's name."""

from __future__ import annotations

# Whether products of float32 matrices may go to tensor cores, which take 10 of 23 bits of each fraction.
# `tensorlab.set_float32_matmul_precision` sets it.
allow_tf32 = False
