"""Embedding: against indexing in NumPy, PyTorch, and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.gradients.derivatives import assert_like_differences, assert_like_torch
from tests.library.layouts import KINDS, lay_out
from tests.library.references import agree

TABLE = np.random.default_rng(0).normal(size=(7, 5))
NUMBERS = np.array([[1, 6, 1], [0, 3, 1]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_rows(kind, dtype):
    table, numbers = lay_out(TABLE.astype(dtype), kind), lay_out(NUMBERS, kind)
    got = F.embedding(numbers, table)
    assert got.tolist() == np.asarray(table)[np.asarray(numbers)].tolist()
    assert got.is_contiguous()
    assert F.embedding(numbers.int(), table).tolist() == got.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", ["", ", padding_idx=1", ", padding_idx=-1", ", scale_grad_by_freq=True",
                                  ", 1, scale_grad_by_freq=True"])  # fmt: skip
def test_gradients(torch, more, kind):
    expression = f"F.embedding(m.tensor([[1, 6, 1], [0, 3, 1]]), x{more})"
    for second in (False, True):
        assert_like_torch(torch, expression, [TABLE], [kind], second=second)
    if "freq" not in more and "padding" not in more:  # these are no gradients of the function
        assert_like_differences(expression, [TABLE])


def test_the_gradient_of_a_gradient(torch):
    weights = np.random.default_rng(1).normal(size=(2, 3, 5))
    found = []
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        table = library.tensor(TABLE).requires_grad_()
        grad = library.tensor(weights).requires_grad_()
        y = functional.embedding(library.tensor(NUMBERS), table, 3)
        (first,) = library.autograd.grad(y, table, grad, create_graph=True)
        (second,) = library.autograd.grad((first**2).sum(), grad)
        found.append((first.detach(), second))
    agree(*found, rtol=1e-12)


@pytest.mark.parametrize("places", ["int64", "int32"])
def test_long_rows_are_shortened(torch, places):
    found = []
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        table, rows = library.tensor(TABLE), library.tensor(NUMBERS, dtype=getattr(library, places))
        got = functional.embedding(rows, table, max_norm=1.5, norm_type=1.0)
        found.append((got, table))
    agree(*found, rtol=1e-12)
    assert found[0][1]._version > 0


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_sixteen_bits(half):
    table = tl.tensor(TABLE.astype("float32")).to(getattr(tl, half)).requires_grad_()
    got = F.embedding(tl.tensor(NUMBERS), table)
    assert got.tolist() == [[table[i].tolist() for i in row] for row in NUMBERS.tolist()]
    got.sum().backward()
    assert table.grad.sum(1).tolist() == [5.0, 15.0, 0.0, 5.0, 0.0, 0.0, 5.0]


def test_without_elements():
    assert F.embedding(tl.zeros(0, 2, dtype=tl.int64), tl.ones(3, 4)).shape == (0, 2, 4)
    assert F.embedding(tl.zeros(2, dtype=tl.int64), tl.ones(3, 0)).shape == (2, 0)
    table = tl.ones(3, 4, requires_grad=True)
    F.embedding(tl.zeros(0, dtype=tl.int64), table).sum().backward()
    assert table.grad.tolist() == np.zeros((3, 4)).tolist()


def test_refusals():
    table, numbers = tl.ones(7, 5), tl.tensor([1, 2])
    for wrong, found in ((numbers + 6, 7), (numbers - 2, -1)):
        with pytest.raises(IndexError, match=f"index {found} is out of bounds for dimension 0 with size 7"):
            F.embedding(wrong, table)
    with pytest.raises(RuntimeError, match="'weight' must be 2-D"):
        F.embedding(numbers, table[0])
    with pytest.raises(RuntimeError, match=r"convert it with \.long"):
        F.embedding(numbers.float(), table)
    with pytest.raises(NotImplementedError, match="no sparse gradients"):
        F.embedding(numbers, table, sparse=True)
    with pytest.raises(AssertionError, match="within num_embeddings"):
        F.embedding(numbers, table, padding_idx=7)
