"""Chapter 3 says that its code runs on PyTorch under the same names, and what else is true there."""

from __future__ import annotations

import io

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "03_views_without_copying") >= 35


def test_the_remarks_of_the_table() -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1]
    assert torch.flip(x, (0,)).data_ptr() != x.data_ptr()
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)  # PyTorch warns once a process, and another test may have been first
    try:
        with pytest.warns(UserWarning, match="deprecated"):
            _ = torch.zeros(2, 3, 4).T
    finally:
        torch.set_warn_always(always)
    assert torch.zeros(2, 3).squeeze(0).shape == (2, 3)
    with pytest.raises(ValueError, match="size not equal to one"):
        np.zeros((2, 3)).squeeze(0)
    assert x[1:][0, 1:].storage_offset() == 4


def test_which_are_views_and_which_are_copies() -> None:
    x = torch.arange(12).view(3, 4)
    index = torch.tensor([[0, 1]])
    views = [x.narrow(0, 1, 2), x.select(0, 1), x.chunk(2)[1], x.split(1)[1], x.mT, x.movedim(0, 1)]
    copies = [x[[0]], x[x > 5], x.index_select(0, torch.tensor([0])), x.gather(0, index)]
    where = x.untyped_storage().data_ptr()
    assert all(view.untyped_storage().data_ptr() == where for view in views)
    assert all(copy.untyped_storage().data_ptr() != where for copy in copies)


def test_a_file_of_pytorch_is_a_zip_archive_with_the_whole_storage() -> None:
    file = io.BytesIO()
    torch.save(torch.zeros(1_000_000)[:10], file)
    assert file.getvalue()[:2] == b"PK"
    assert len(file.getvalue()) > 4_000_000
