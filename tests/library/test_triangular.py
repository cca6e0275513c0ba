"""Triangular systems, against PyTorch: values, layouts, gradients, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensorlab as tl
from tests.library.layouts import lay_out
from tests.library.test_linalg import same_layout, well_conditioned

SHAPES = [
    ((3, 3), (3, 2), True),
    ((1, 1), (1, 1), True),
    ((0, 0), (0, 2), True),
    ((3, 3), (3, 0), True),
    ((0, 3, 3), (3, 2), True),
    ((2, 3, 3), (3, 2), True),
    ((3, 3), (4, 3, 2), True),
    ((2, 1, 3, 3), (4, 3, 2), True),
    ((33, 33), (33, 5), True),
    ((2, 100, 100), (100, 3), True),
    ((3, 3), (2, 3), False),
    ((2, 1, 3, 3), (4, 5, 3), False),
    ((70, 70), (2, 2, 70), False),
]
FLAGS = [*itertools.product([False, True], repeat=2)]


def system(torch, a, b, kind="row", seed=0):
    """A and B of both libraries; the other triangle is there too, and must not be read."""
    x, y = well_conditioned(*a, seed=seed), np.random.default_rng(seed + 1).normal(size=b)
    if a[-1] > 4:
        x = x * 0.1 + 4 * np.eye(a[-1])
    return lay_out(x, kind), lay_out(y, kind), torch.from_numpy(x), torch.from_numpy(y)


@pytest.mark.parametrize(("a", "b", "left"), SHAPES, ids=str)
@pytest.mark.parametrize(("upper", "unit"), FLAGS)
@pytest.mark.parametrize("kind", ["row", "transposed", "sliced"])
def test_solutions_are_pytorchs(torch, a, b, left, upper, unit, kind):
    A, B, their_A, their_B = system(torch, a, b, kind)
    flags = {"upper": upper, "left": left, "unitriangular": unit}
    ours, theirs = (
        library.linalg.solve_triangular(x, y, **flags)
        for library, x, y in ((tl, A, B), (torch, their_A, their_B))
    )
    same_layout(ours, theirs)
    np.testing.assert_allclose(np.asarray(ours), theirs.numpy(), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("a", "b", "left"), [SHAPES[0], SHAPES[7], SHAPES[10], SHAPES[11]], ids=str)
@pytest.mark.parametrize(("upper", "unit"), FLAGS)
def test_gradients_are_pytorchs(torch, a, b, left, upper, unit):
    A, B, their_A, their_B = (x.requires_grad_() for x in system(torch, a, b))
    flags = {"upper": upper, "left": left, "unitriangular": unit}
    for library, x, y in ((tl, A, B), (torch, their_A, their_B)):
        solution = library.linalg.solve_triangular(x, y, **flags)
        (solution * solution).sum().backward()
        assert solution.grad_fn.name() == "LinalgSolveTriangularBackward0"
    for ours, theirs in ((A, their_A), (B, their_B)):
        np.testing.assert_allclose(np.asarray(ours.grad), theirs.grad.numpy(), rtol=1e-9, atol=1e-11)


def test_second_gradients():
    A = tl.tensor(well_conditioned(3, 3), requires_grad=True)
    B = tl.ones(3, 2, dtype=tl.float64, requires_grad=True)
    assert tl.autograd.gradgradcheck(lambda x, y: tl.linalg.solve_triangular(x, y, upper=True), (A, B))


def test_a_zero_on_the_diagonal_makes_what_it_makes_in_pytorch(torch):
    for b in (1.0, 0.0):
        ours, theirs = (
            library.linalg.solve_triangular(library.zeros(2, 2), library.full((2, 1), b), upper=True)
            for library in (tl, torch)
        )
        np.testing.assert_array_equal(np.asarray(ours), theirs.numpy())


CALLS = {
    "vector": lambda m: m.linalg.solve_triangular(m.eye(3), m.ones(3), upper=True),
    "not square": lambda m: m.linalg.solve_triangular(m.ones(2, 3), m.ones(3, 2), upper=True),
    "other size": lambda m: m.linalg.solve_triangular(m.eye(3), m.ones(2, 2), upper=True),
    "other size, right": lambda m: m.linalg.solve_triangular(m.eye(3), m.ones(3, 2), upper=True, left=False),
    "batches": lambda m: m.linalg.solve_triangular(m.ones(2, 3, 3), m.ones(4, 3, 1), upper=True),
    "ints": lambda m: m.linalg.solve_triangular(m.eye(3).int(), m.ones(3, 2).int(), upper=True),
    "halves": lambda m: m.linalg.solve_triangular(m.eye(3).half(), m.ones(3, 2).half(), upper=True),
    "no triangle": lambda m: m.linalg.solve_triangular(m.eye(3), m.ones(3, 2)),
    "a list": lambda m: m.linalg.solve_triangular(m.eye(3), [1.0], upper=True),
    "out of another dtype": lambda m: m.linalg.solve_triangular(
        m.eye(3), m.ones(3, 2), upper=True, out=m.empty(3, 2).double()
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_refusals_are_pytorchs(torch, call):
    refused = []
    for library in (torch, tl):
        with pytest.raises((NotImplementedError, RuntimeError, TypeError)) as refusal:
            call(library)
        refused.append(refusal.type)
    assert refused[0] is refused[1]


def test_the_numbers_of_another_dtype_are_converted(torch):
    ours, theirs = (
        library.linalg.solve_triangular(2 * library.eye(2), library.ones(2, 1).double(), upper=True)
        for library in (tl, torch)
    )
    same_layout(ours, theirs)
    assert ours.tolist() == theirs.tolist()


def test_out_keeps_its_own_layout_and_may_be_b():
    A, B = tl.eye(3) * 2, tl.ones(3, 2)
    assert tl.linalg.solve_triangular(A, B, upper=False, out=B) is B
    assert (B.stride(), B.tolist()) == ((2, 1), [[0.5, 0.5]] * 3)
