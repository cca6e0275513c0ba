"""Operators that few programs use, by subject. Nothing outside of this folder depends on them."""

from __future__ import annotations

from tensorlab.ops.extras import (
    calculus,
    combinations,
    layers,
    matrix_functions,
    matrix_rank,
    slice_scatter,
    special_functions,
    statistics,
    triangular,
    window_functions,
)

__all__ = [
    "calculus",
    "combinations",
    "layers",
    "matrix_functions",
    "matrix_rank",
    "slice_scatter",
    "special_functions",
    "statistics",
    "triangular",
    "window_functions",
]
