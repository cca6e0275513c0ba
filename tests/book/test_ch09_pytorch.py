"""Chapter 9 says that its code runs on PyTorch with the same results; what it says of PyTorch is so."""

from __future__ import annotations

import warnings

import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")

#: Cells that show what the library keeps, draw its graphs, or read the text of functions.
OURS = (
    *("autograd.saved(", "drawn(", "inspect", "get_ipython", "mutant", "gradient(backward"),
    *("seconds(", "both", "source"),
)


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "09_graph_and_engine", OURS) >= 35


def test_the_remarks_of_the_table() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    (first, number), second = y.grad_fn.next_functions
    assert (first, number) == second
    assert first.name() == "torch::autograd::AccumulateGrad"
    assert first.variable is x
    assert isinstance(y.grad_fn(torch.ones(2)), tuple)
    assert isinstance(x.exp().grad_fn(torch.ones(2)), torch.Tensor)
    assert (x * torch.ones(2)).grad_fn.next_functions[1] == (None, 0)
    assert torch.ones(2).is_leaf
    assert not x.double().is_leaf
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert y.grad is None
    assert any("leaf" in str(warning.message) for warning in found)


def test_a_typing_error_goes_through() -> None:
    x = torch.ones(2)
    x.require_grad = True
    assert not x.requires_grad


def test_the_graph_is_there_before_backward() -> None:
    x = torch.tensor(3.0, requires_grad=True)
    assert (x * x).grad_fn.name() == "MulBackward0"
