"""Chapter 2 says that its code runs on PyTorch under the same names, and what else is true there."""

from __future__ import annotations

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "02_strides") >= 30


def test_the_remarks_of_the_table() -> None:
    x = torch.zeros(2, 3, 4)
    assert x.stride(1) == 4
    assert x.numpy().strides == (48, 16, 4)
    assert torch.empty(4, 1).t().is_contiguous()
    assert not torch.zeros(1, 2, 3, 3).is_contiguous(memory_format=torch.channels_last)
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(np.arange(5.0)[::-1])
    assert torch.flip(x, (0,)).data_ptr() != x.data_ptr()
    assert [i.item() for i in torch.unravel_index(torch.tensor(17), (4, 3, 2))] == [2, 2, 1]


def test_which_overlaps_pytorch_looks_for() -> None:
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.zeros(1).expand(3).add_(1)
    torch.as_strided(torch.zeros(7), (3, 3), (2, 1)).add_(1)  # cells 2 and 4 are shared, and nobody minds
