"""Chapter 10 says that its code runs on PyTorch with the same results; what it says of PyTorch is so."""

from __future__ import annotations

import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")

#: The running picture, and what the library alone has.
ONLY_HERE = ("photo", "programs[", "placed(", "figures")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "10_gradients_of_shape_operations", ONLY_HERE) >= 30


def test_the_remarks_on_gradients() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        x[:].backward()
    assert torch.ones(2, 3).sum_to_size(2, 1).tolist() == [[3], [3]]
    tie = torch.tensor([3.0, 1.0, 3.0], requires_grad=True)
    for largest, shared in ((tie.amax(), True), (tie.max(), True), (tie.max(0).values, False)):
        (found,) = torch.autograd.grad(largest, tie)
        assert (found.tolist() == [0.5, 0, 0.5]) is shared


def test_the_remarks_on_gradcheck() -> None:
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    with pytest.warns(UserWarning, match="double precision"):
        torch.autograd.gradcheck(lambda x: x * x, x, raise_exception=False)
    stretched = torch.ones(1, dtype=torch.float64, requires_grad=True).expand(2).detach().requires_grad_()
    with pytest.raises(RuntimeError):
        torch.autograd.gradcheck(lambda x: x * x, stretched)
