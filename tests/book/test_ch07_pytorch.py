"""Chapter 7 says that its code runs on PyTorch with the same results, and names what differs there."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")

#: Named dimensions, the counter-based generator, which PyTorch has on graphics cards only, and the picture.
ONLY_HERE = ("names=", "named.", "Philox(", "stream.words", "photo")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "07_reductions_indexing_randomness", ONLY_HERE) >= 35


def test_the_remarks_on_reductions() -> None:
    x = torch.arange(6.0).view(2, 3)
    assert x.sum(()).item() == 15
    assert x.sum(axis=1, keepdims=True).shape == (2, 1)
    values, places = x.max(1)
    assert (values.tolist(), places.tolist()) == ([2, 5], [2, 2])
    assert torch.tensor([3.0, 3.0]).argmax().item() == 0
    spoiled = torch.tensor([1.0, float("nan"), 0.0])
    assert spoiled.argmax().item() == spoiled.argmin().item() == 1
    with pytest.raises(TypeError, match="softmax"):
        x.softmax()


@pytest.mark.parametrize(("ndim", "guess"), [(1, 0), (2, 1), (3, 0)])
def test_softmax_without_a_dimension_warns_and_guesses(ndim: int, guess: int) -> None:
    x = torch.arange(2.0**ndim).view((2,) * ndim)
    with pytest.warns(UserWarning, match="Implicit dimension choice"):
        guessed = torch.nn.functional.softmax(x)
    assert torch.equal(guessed, x.softmax(guess))


def test_the_remarks_on_random_numbers() -> None:
    assert torch.get_rng_state().numel() == 5056
    if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 13):
        assert not hasattr(torch.Tensor, "refine_names")


class Numbers(torch.utils.data.IterableDataset):  # type: ignore[misc, name-defined]
    """One number of NumPy's from each worker, drawn as programs without a thought draw it."""

    def __iter__(self) -> Iterator[float]:
        yield np.random.random()


def test_the_workers_of_a_data_loader_draw_different_numbers() -> None:
    """The old bug, https://github.com/pytorch/pytorch/issues/5059, has not come back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of Python warn of every fork beside threads
        loader = torch.utils.data.DataLoader(Numbers(), num_workers=2, batch_size=None)
        drawn = [float(number) for number in loader]
    assert len(drawn) == len(set(drawn)) == 2
