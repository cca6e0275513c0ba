"""Chapter 8 says that its code runs on PyTorch with the same results; what it says of PyTorch is so."""

from __future__ import annotations

import math

import numpy as np
import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")


#: Cells that measure times, where it matters how threads are started, and those with the running picture.
TIMED = ("seconds(", "slow", "times", "t_each", "photo")


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "08_matmul_in_all_ranks", TIMED) >= 25


def test_the_strict_functions_refuse_other_ranks() -> None:
    table, vector = torch.ones(2, 2), torch.ones(2)
    for call in (
        lambda: torch.dot(table, table),
        lambda: torch.mv(vector, table),
        lambda: torch.mm(vector, table),
        lambda: torch.bmm(table, table),
        lambda: torch.bmm(torch.ones(1, 2, 2), torch.ones(3, 2, 2)),
    ):
        with pytest.raises(RuntimeError):
            call()


def test_numpys_dot_meets_all_with_all() -> None:
    a, b = np.ones((2, 3, 4)), np.ones((2, 4, 5))
    assert np.dot(np.ones((2, 2)), np.ones((2, 2))).shape == (2, 2)
    assert np.dot(a, b).shape == (2, 3, 2, 5)
    assert np.matmul(a, b).shape == (2, 3, 5)


def test_the_remarks_of_the_table() -> None:
    x, weight, bias = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5)
    layer = torch.nn.functional.linear(x, weight, bias)
    assert torch.allclose(layer, x @ weight.t() + bias, atol=1e-5)
    assert torch.allclose(layer, torch.addmm(bias, x, weight.t()), atol=1e-5)
    with pytest.raises(RuntimeError, match="same dtype"):
        torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)
    assert torch.einsum("ii->i", torch.ones(3, 3)).stride() == (4,)


def test_attention_scales_by_the_length_of_the_vectors() -> None:
    query, key, value = torch.randn(2, 4, 5, 9), torch.randn(2, 4, 7, 9), torch.randn(2, 4, 7, 3)
    found = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    scores = query @ key.transpose(-2, -1) / math.sqrt(9)
    assert torch.allclose(found, scores.softmax(-1) @ value, atol=1e-5)


def test_pytorch_counts_flops_in_the_same_way() -> None:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        torch.ones(10, 2, 3) @ torch.ones(10, 3, 4)
    assert counter.get_total_flops() == 480
