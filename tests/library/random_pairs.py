"""One random call made by both libraries: seeded alike, compared bit for bit."""

from __future__ import annotations

import importlib

import numpy as np

import tensorlab as tl


def seed_both(torch, seed: int) -> None:
    tl.manual_seed(seed)
    torch.manual_seed(seed)


def bits(tensor) -> np.ndarray:
    """The cells of a tensor of either library, NaN and the sign of zero included."""
    if isinstance(tensor, tl.Tensor):
        cells = np.ascontiguousarray(tensor._cells_array())
    else:
        torch = importlib.import_module("torch")
        dense = tensor.contiguous()
        cells = (
            dense.view(torch.uint16) if dense.dtype in (torch.float16, torch.bfloat16) else dense
        ).numpy()
    return cells.view(f"u{cells.itemsize}")


def assert_same(ours, theirs) -> None:
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.stride() == theirs.stride()
    np.testing.assert_array_equal(bits(ours), bits(theirs))


def assert_in_step(torch) -> None:
    """Both default generators stand at the same place of the same stream."""
    assert tl.get_rng_state().tolist() == torch.get_rng_state().tolist()
