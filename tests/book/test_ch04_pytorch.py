"""Chapter 4 says that its code runs on PyTorch with the same outcomes, and names what differs there."""

from __future__ import annotations

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "04_view_reshape_contiguous") >= 30


def test_the_refusal_has_the_words_that_the_chapter_quotes() -> None:
    with pytest.raises(RuntimeError) as refused:
        torch.arange(12).view(3, 4).t().view(12)
    assert (
        "view size is not compatible with input tensor's size and stride "
        "(at least one dimension spans across two contiguous subspaces)"
    ) in str(refused.value)


def test_the_remarks_of_the_table() -> None:
    x = torch.arange(12).view(3, 4)
    turned = x.t()
    assert turned.clone().stride() == (1, 4)
    assert turned.clone(memory_format=torch.contiguous_format).stride() == (3, 1)
    assert not torch.zeros(2, 3, 4, 5).is_contiguous(memory_format=torch.channels_last)
    assert turned.unflatten(0, (2, 2)).untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    with pytest.raises(RuntimeError, match=r"stride\(-1\) must be 1"):
        turned.view(torch.int32)
    with pytest.raises(RuntimeError, match="can be any value"):
        torch.zeros(0).view(-1, 0)
    flat = torch.zeros(3)
    assert flat.flatten() is flat
    assert torch.tensor(5).flatten().shape == (1,)


def test_numpys_reshape_refuses_a_copy_when_told_to() -> None:
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
        pytest.skip("NumPy before 2.1 has no copy=False in reshape")
    turned = np.arange(12).reshape(3, 4).T
    assert np.reshape(turned, (2, 2, 3), copy=False).base is not None
    with pytest.raises(ValueError, match="copy"):
        np.reshape(turned, 12, copy=False)
