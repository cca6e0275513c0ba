"""One call on a tensor and on a PyTorch tensor over the same cells, and how the results are compared."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl


def twin(torch, x: tl.Tensor):
    """The same storage, shape, stride and offset as a PyTorch tensor."""
    cells = torch.from_numpy(x.storage().untyped().cells(np.dtype(x.dtype.numpy)).copy())
    return cells.as_strided(x.shape, x.stride(), x.storage_offset())


def agree(ours, theirs, rtol: float = 2e-6) -> None:
    """Equal structure, dtypes, shapes, strides; equal values up to a relative `rtol`."""
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            agree(mine, other, rtol)
        return
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.stride() == theirs.stride()
    np.testing.assert_allclose(
        np.array(ours.tolist(), float), np.array(theirs.tolist(), float), rtol=rtol, atol=rtol
    )


def same_call(torch, name: str, x: tl.Tensor, *arguments, rtol: float = 2e-6, **keywords) -> None:
    """One method on a tensor and on its PyTorch twin: the same result, or the same type of error."""
    other = twin(torch, x)
    try:
        expected = getattr(other, name)(*arguments, **keywords)
    except (RuntimeError, IndexError, TypeError) as error:
        kind = RuntimeError if isinstance(error, NotImplementedError) else type(error)
        with pytest.raises(kind):
            getattr(x, name)(*arguments, **keywords)
        return
    agree(getattr(x, name)(*arguments, **keywords), expected, rtol)
