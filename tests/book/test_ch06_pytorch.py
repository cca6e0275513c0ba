"""Chapter 6 says that its code runs on PyTorch with the same outcomes, and names what differs there."""

from __future__ import annotations

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")


def test_the_chapters_code_runs_on_pytorch() -> None:
    """All but the cells with the memory meter, which PyTorch doesn't have, and the running picture."""
    assert run_on(torch, "06_broadcasting", ours=("profile(", "memory.peak", "photo")) >= 30


def test_the_refusals_have_the_words_that_the_chapter_quotes() -> None:
    table = torch.zeros(3, 4)
    with pytest.raises(
        RuntimeError,
        match=r"size of tensor a \(4\) must match the size of tensor b \(3\) at non-singleton dimension 1",
    ):
        table + torch.zeros(3)
    with pytest.raises(
        RuntimeError, match=r"output with shape \[4\] doesn't match the broadcast shape \[3, 4\]"
    ):
        torch.zeros(4).add_(table)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.zeros(4).expand(3, 4).add_(table)


def test_the_squared_error_of_pytorch_warns_and_broadcasts() -> None:
    predicted = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    with pytest.warns(UserWarning, match="Using a target size .* that is different to the input size"):
        error = torch.nn.functional.mse_loss(predicted, predicted[:, 0])
    assert error.item() == 2.5


def test_expand_and_broadcast_to_are_views() -> None:
    row = torch.arange(4)
    for view in (
        row.expand(3, -1),
        torch.broadcast_to(row, (3, 4)),
        torch.broadcast_tensors(row, torch.zeros(3, 4))[0],
    ):
        assert view.stride() == (0, 1)
        assert view.data_ptr() == row.data_ptr()
    assert tuple(torch.broadcast_shapes((2, 1, 4), (3, 1))) == (2, 3, 4)


def test_windows_may_be_written() -> None:
    """The guard looks for strides of 0 and for no other overlap."""
    windows = torch.zeros(5).unfold(0, 3, 1)
    assert windows.fill_(1).sum().item() == 9


def test_numpys_broadcast_to_cannot_be_written() -> None:
    wide = np.broadcast_to(np.zeros(4), (3, 4))
    assert wide.strides[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        wide[0, 0] = 1
    assert [x.shape for x in np.broadcast_arrays(np.zeros((3, 1)), np.zeros(4))] == [(3, 4), (3, 4)]


def test_the_distances_of_all_pairs_are_those_of_cdist() -> None:
    points = torch.tensor([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    assert torch.cdist(points, points).tolist() == [[0, 5, 10], [5, 0, 5], [10, 5, 0]]
