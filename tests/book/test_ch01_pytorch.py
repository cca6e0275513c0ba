"""Chapter 1 says that its code runs on PyTorch under the same names: so it does, cell by cell."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "01_a_tensor_is_a_line") >= 20


def test_untyped_storage_shows_bytes() -> None:
    assert torch.tensor([1.0, 2.0]).untyped_storage().tolist() == [0, 0, 128, 63, 0, 0, 0, 64]


def test_storage_is_deprecated() -> None:
    # PyTorch warns once in a process, and another test may have heard it.
    call = [sys.executable, "-c", "import torch; torch.tensor([1.0]).storage().tolist()"]
    said = subprocess.run(call, capture_output=True, text=True, check=True).stderr
    assert "TypedStorage is deprecated" in said


def test_the_remarks_of_the_table() -> None:
    x = torch.zeros(3, 4)
    assert x.size() == x.shape
    assert x.stride() == (4, 1)
    assert x.numpy().strides == (16, 4)
    assert x.layout is torch.strided
    assert x.device.type == x.untyped_storage().device.type == "cpu"
    assert torch.tensor([1j]).dtype is torch.complex64
    with pytest.raises(RuntimeError, match="out of bounds"):
        torch.as_strided(x, (3, 4), (4, 1), 1)
