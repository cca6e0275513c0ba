"""Benchmarks: this library side by side with NumPy and PyTorch, in one run, on one machine.

A single time says little on a machine that does other things too. So the candidates take turns, many times,
and what is reported is the median of the ratios within a turn, with its spread.
"""

from __future__ import annotations

from tensorlab.bench.measure import Comparison, compare, machine, noise

__all__ = ["Comparison", "compare", "machine", "noise"]
