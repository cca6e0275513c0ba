"""Chapter 5 says that its code runs on PyTorch with the same results, and names what differs there."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")


def test_the_chapters_code_runs_on_pytorch() -> None:
    """All but the cells with the running picture, which is a figure."""
    assert run_on(torch, "05_dtypes_and_interop", ours=("photo",)) >= 30


def test_the_remarks_of_the_table(tmp_path: Path) -> None:
    x = torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        x.numpy()
    assert x.detach().numpy().tolist() == [0, 0, 0]
    y = torch.zeros(3)
    assert y.to(torch.float32) is y
    assert y.to(torch.float32, copy=True) is not y
    assert torch.promote_types(torch.float64, torch.complex64) is torch.complex128
    assert torch.finfo(torch.bfloat16).eps == 2**-7
    assert torch.finfo(torch.bfloat16).max > 1e38
    assert hasattr(torch, "float8_e4m3fn")
    assert hasattr(torch, "uint16")
    torch.save(y, tmp_path / "y.pt")
    assert any(name.endswith(".pkl") for name in zipfile.ZipFile(tmp_path / "y.pt").namelist())


class Stranger:
    """An object that only a pickle can hold."""


def test_loading_allows_only_plain_data(tmp_path: Path) -> None:
    torch.save(Stranger(), tmp_path / "stranger.pt")
    with pytest.raises(pickle.UnpicklingError, match="weights_only"):
        torch.load(tmp_path / "stranger.pt")
    assert isinstance(torch.load(tmp_path / "stranger.pt", weights_only=False), Stranger)


def test_the_lattice_is_pytorchs() -> None:
    import tensorlab as tl

    for one in tl.dtypes.ALL:
        for other in tl.dtypes.ALL:
            theirs = torch.promote_types(getattr(torch, one.name), getattr(torch, other.name))
            assert tl.promote_types(one, other).name == str(theirs).removeprefix("torch.")
            assert tl.can_cast(one, other) == torch.can_cast(
                getattr(torch, one.name), getattr(torch, other.name)
            )
    assert np.result_type(np.float32, np.int64) == np.float64
