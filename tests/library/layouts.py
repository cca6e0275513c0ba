"""The layouts that every operation is tried on: one set of values, laid out in memory in many ways."""

from __future__ import annotations

import numpy as np

import tensorlab as tl

KINDS = ("row", "transposed", "sliced", "offset", "expanded")


def lay_out(values: np.ndarray, kind: str) -> tl.Tensor:
    """A tensor equal to `values` (or, for "expanded", to its first row repeated), laid out as `kind` says."""
    values = np.asarray(values, order="C")
    if kind == "row" or values.ndim == 0:
        return tl.tensor(values)
    if kind == "transposed":
        return tl.tensor(np.ascontiguousarray(values.T)).T
    if kind == "sliced":
        wide = np.zeros([2 * size + 1 for size in values.shape], values.dtype)
        wide[tuple(slice(1, 2 * size + 1, 2) for size in values.shape)] = values
        return tl.tensor(wide)[tuple(slice(1, 2 * size + 1, 2) for size in values.shape)]
    if kind == "offset":
        flat = np.concatenate([np.ones(5, values.dtype), values.reshape(-1)])
        return tl.tensor(flat).as_strided(values.shape, tl.layout.default_strides(values.shape), 5)
    if kind == "expanded":
        first = tl.tensor(np.ascontiguousarray(values[:1]))
        return first.as_strided(values.shape, (0, *first.stride()[1:])) if values.size else first[:0]
    raise AssertionError(kind)


def random_values(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Values of every sign, among them 0, without repeats where the dtype has room."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return (rng.normal(size=shape) * 8).astype(dtype)
    low = 0 if dtype == "uint8" else -100
    return rng.integers(low, 100, shape).astype(dtype)
