"""Norms against PyTorch."""

from __future__ import annotations

import math

import pytest

import tensorlab as tl
from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.references import agree, twin

ORDERS = [0, 1, 2, 3, 0.5, -1, math.inf, -math.inf]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 5), (7,), ()], ids=str)
def test_vector_norms_in_all_layouts(torch, shape, kind):
    x = lay_out(random_values(shape, "float64", 5), kind)
    other = twin(torch, x)
    for order in ORDERS:
        for dim in (None, -1, 0, tuple(range(x.ndim))):
            for keepdim in (False, True):
                ours = tl.linalg.vector_norm(x, order, dim, keepdim)
                agree(ours, torch.linalg.vector_norm(other, order, dim, keepdim), 1e-14)
        agree(x.norm(order), other.norm(order), 1e-14)


@pytest.mark.parametrize("t", ["float16", "float32", "float64"])
def test_matrix_norms(torch, t):
    x = tl.tensor(random_values((3, 4), t, 5))
    other = torch.tensor(x.tolist(), dtype=getattr(torch, t))
    tolerance = {"float16": 1e-3, "float32": 2e-6, "float64": 1e-14}[t]
    for order in ("fro", 1, -1, math.inf, -math.inf):
        agree(tl.linalg.norm(x, order), torch.linalg.norm(other, order), tolerance)
        agree(
            tl.linalg.matrix_norm(x, order, keepdim=True),
            torch.linalg.matrix_norm(other, order, keepdim=True),
            tolerance,
        )
    for order in ("nuc", 2, -2):
        if t == "float16":
            with pytest.raises(RuntimeError, match="Low precision dtypes not supported"):
                tl.linalg.norm(x, order)
        else:
            agree(tl.linalg.norm(x, order), torch.linalg.norm(other, order), 10 * tolerance)


def test_matrices_along_any_two_dimensions(torch):
    x = tl.tensor(random_values((2, 3, 4), "float64", 5))
    other = torch.tensor(x.tolist(), dtype=torch.float64)
    for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        for dim in ((0, 2), (2, 0), (-1, 1)):
            for keepdim in (False, True):
                ours = tl.linalg.norm(x, order, dim, keepdim)
                agree(ours, torch.linalg.norm(other, order, dim, keepdim), 1e-13)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.arange(3).norm(),
        lambda t: t.linalg.vector_norm(t.arange(3)),
        lambda t: t.linalg.vector_norm(t.ones(3), "fro"),
        lambda t: t.linalg.vector_norm(t.ones(3, dtype=t.float64), dtype=t.float32),
        lambda t: t.linalg.vector_norm(t.ones(0, 3), math.inf, 0),
        lambda t: t.linalg.vector_norm(t.ones(0, 3), -1),
        lambda t: t.linalg.norm(t.ones(2, 2, 2), 2),
        lambda t: t.linalg.norm(t.ones(2, 2), 3),
        lambda t: t.linalg.norm(t.ones(2, 2), "abc"),
        lambda t: t.linalg.norm(t.ones(2), "fro"),
        lambda t: t.linalg.norm(t.ones(2, 2), "fro", 0),
        lambda t: t.linalg.matrix_norm(t.ones(2, 2), dim=(0, 0)),
        lambda t: t.linalg.matrix_norm(t.ones(2, 2), dim=(0, -2)),
        lambda t: t.norm(t.ones(2, 2), "nuc", dim=0),
        lambda t: t.linalg.vector_norm(t.ones(2), dim=1),
    ],
)
def test_refusals_are_pytorchs(torch, call):
    with pytest.raises((RuntimeError, IndexError, TypeError)) as theirs:
        call(torch)
    with pytest.raises(theirs.type):
        call(tl)


def test_long_float32_vectors_keep_their_length():
    """PyTorch squares in float32 and answers infinity here."""
    assert tl.tensor([3e30, 4e30]).norm().item() == pytest.approx(5e30)
    assert tl.tensor([3e-30, 4e-30]).norm().item() == pytest.approx(5e-30)
