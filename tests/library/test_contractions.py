"""Outer, inner, Kronecker and cross products, tensordot, chains and powers, against PyTorch."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.ops.extras.matrix_functions import best_cuts
from tests.library.layouts import KINDS, lay_out
from tests.library.test_matmul import whole_numbers


def agree(torch, name, shapes, *arguments, kind="row", **keywords):
    """A function of both libraries, on equal operands in equal layouts: equal values, shapes, strides."""
    ours = [lay_out(whole_numbers(shape, i + 1), kind) for i, shape in enumerate(shapes)]
    theirs = [torch.from_numpy(np.asarray(x)) for x in ours]
    result = _find(tl, name)(*ours, *arguments, **keywords)
    expected = _find(torch, name)(*theirs, *arguments, **keywords)
    assert result.tolist() == expected.tolist()
    assert (tuple(result.shape), result.stride()) == (tuple(expected.shape), expected.stride())
    assert result.dtype.name == str(expected.dtype).removeprefix("torch.")


def _find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


@pytest.mark.parametrize("kind", KINDS)
def test_outer(torch, kind):
    agree(torch, "outer", [(3,), (4,)], kind=kind)
    agree(torch, "ger", [(3,), (1,)], kind=kind)
    agree(torch, "outer", [(0,), (4,)])
    out = tl.empty(2, 3)
    assert tl.ones(2).outer(tl.ones(3), out=out) is out
    assert tl.outer(tl.ones(2), tl.ones(3, dtype=tl.float64)).dtype is tl.float64
    with pytest.raises(RuntimeError, match="outer: Expected 1-D argument vec2, but got 2-D"):
        tl.outer(tl.ones(2), tl.ones(2, 3))


@pytest.mark.parametrize("kind", KINDS)
def test_inner(torch, kind):
    for shapes in ([(3,), (3,)], [(2, 3), (3,)], [(2, 3), (4, 3)], [(2, 3), (5, 4, 3)], [(2, 3), ()]):
        agree(torch, "inner", shapes, kind=kind)
    with pytest.raises(RuntimeError, match=r"last dimension must match .* \[2, 3\] and \[4, 2\]"):
        tl.inner(tl.ones(2, 3), tl.ones(4, 2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("a", "b", "dims"),
    [
        ((2, 3, 4), (4, 3, 5), ([1, 2], [1, 0])),
        ((2, 3, 4), (4, 3, 5), ([-1], [0])),
        ((2, 3, 4), (3, 4), 2),
        ((2, 3), (4, 5), 0),
        ((2, 3), (3, 4), 1),
        ((2, 1), (3, 4), 1),
        ((2, 3), (1, 4), 1),
        ((2, 0), (0, 4), 1),
        ((2, 3), (2, 3), ([0, 1], [0, 1])),
    ],
    ids=str,
)
def test_tensordot(torch, a, b, dims, kind):
    if not (kind == "expanded" and 0 in (*a, *b)):
        agree(torch, "tensordot", [a, b], dims=dims, kind=kind)


@pytest.mark.parametrize(
    ("a", "b", "dims", "message"),
    [
        ((2, 3), (4, 5), 1, "contracted dimensions need to match, but first has size 3 in dim 1"),
        ((2, 3), (3, 5), -1, "tensordot expects dims >= 0, but got dims=-1"),
        ((2, 3), (3, 5), 3, "tensordot expects dims < ndim_a or ndim_b, but got dims=3"),
        ((2, 3), (3, 5), ([0], [0, 1]), "both dimension lists should have same length"),
        ((2, 2), (2, 2), ([0, 0], [0, 1]), "appears multiple times in the list of dims"),
    ],
)
def test_tensordot_refuses(torch, a, b, dims, message):
    with pytest.raises(RuntimeError, match=re.escape(message)):
        tl.tensordot(tl.ones(a), tl.ones(b), dims)
    with pytest.raises(RuntimeError):
        torch.tensordot(torch.ones(a), torch.ones(b), dims)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shapes", [[(2, 3), (2, 2)], [(3,), (2, 2)], [(2, 2), (3,)], [(), (2, 2)], [(1, 2, 2), (3,)]], ids=str
)
def test_kron(torch, shapes, kind):
    if kind == "transposed" and len(shapes[0]) != len(shapes[1]):  # PyTorch fails
        x, y = (whole_numbers(shape, i) for i, shape in enumerate(shapes))
        assert tl.kron(lay_out(x, kind), lay_out(y, kind)).tolist() == np.kron(x, y).tolist()
    else:
        agree(torch, "kron", shapes, kind=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_trace(torch, kind):
    for shape in [(3, 3), (3, 5), (5, 2)]:
        agree(torch, "trace", [shape], kind=kind)
    assert tl.trace(tl.ones(3, 4, dtype=tl.int8)).dtype is tl.int64
    assert tl.trace(tl.ones(0, 4)).tolist() == 0
    with pytest.raises(RuntimeError, match="expected a matrix, but got tensor with dim 1"):
        tl.trace(tl.ones(3))
    with pytest.raises(NotImplementedError, match="'Bool'"):
        tl.trace(tl.ones(3, 3, dtype=tl.bool))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (2.5, -1)])
def test_addr(torch, kind, beta, alpha):
    agree(torch, "addr", [(3, 4), (3,), (4,)], kind=kind, beta=beta, alpha=alpha)
    agree(torch, "addr", [(4,), (3,), (4,)], kind=kind, beta=beta, alpha=alpha)


def test_addr_in_place_and_among_integers():
    x = tl.zeros(2, 2)
    assert x.addr_(tl.ones(2), tl.tensor([1.0, 2.0]), alpha=3).tolist() == [[3.0, 6.0]] * 2
    nan = tl.full((2, 2), float("nan"))
    assert tl.addr(nan, tl.ones(2), tl.ones(2), beta=0).tolist() == [[1.0, 1.0]] * 2
    yes = tl.ones(2, dtype=tl.bool)
    assert tl.addr(tl.ones(2, 2, dtype=tl.bool), yes, yes).dtype is tl.bool
    whole = tl.ones(2, dtype=tl.int32)
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        tl.addr(tl.ones(2, 2, dtype=tl.int32), whole, whole, alpha=1.5)


@pytest.mark.parametrize("kind", KINDS)
def test_cross(torch, kind):
    agree(torch, "cross", [(2, 3), (2, 3)], -1, kind=kind)
    agree(torch, "cross", [(3, 3, 2), (3, 3, 2)], 0, kind=kind)
    agree(torch, "linalg.cross", [(2, 3), (1, 3)], kind=kind)
    agree(torch, "linalg.cross", [(3, 2), (3, 2)], dim=0, kind=kind)


def test_cross_takes_the_first_dimension_of_size_3():
    x, y = tl.tensor(whole_numbers((2, 3, 3), 1)), tl.tensor(whole_numbers((2, 3, 3), 2))
    assert tl.cross(x, y).tolist() == tl.cross(x, y, 1).tolist() != tl.cross(x, y, 2).tolist()


def test_cross_refuses():
    for operands, message in [
        ((tl.ones(2, 2), tl.ones(2, 2)), "no dimension of size 3 in input"),
        ((tl.ones(2, 3), tl.ones(3)), "must have the same number of dimensions"),
        ((tl.ones(2, 3), tl.ones(2, 4)), "inputs dimension 1 must have length 3"),
        ((tl.ones(3), tl.ones(3, dtype=tl.int64)), "expected both of one dtype"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            tl.cross(*operands)


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3), (3, 4)],
        [(2, 3), (3, 4), (4, 5)],
        [(3,), (3, 4), (4,)],
        [(3,), (3,)],
        [(9, 2), (2, 9), (9, 1), (1, 7), (7, 3)],
    ],
    ids=str,
)
def test_chains(torch, shapes):
    ours = [tl.tensor(whole_numbers(shape, i)) for i, shape in enumerate(shapes)]
    theirs = [torch.from_numpy(whole_numbers(shape, i)) for i, shape in enumerate(shapes)]
    expected = torch.linalg.multi_dot(theirs)
    for result in (tl.chain_matmul(*ours), tl.linalg.multi_dot(ours)):
        assert result.tolist() == expected.tolist()
        assert result.stride() == expected.stride()


def test_chains_are_cut_where_it_costs_least():
    sizes = [7, 2, 9, 1, 8, 3]

    def cost(first, last):
        """By trying every order."""
        if first == last:
            return 0
        return min(
            cost(first, cut) + cost(cut + 1, last) + sizes[first] * sizes[cut + 1] * sizes[last + 1]
            for cut in range(first, last)
        )

    def chosen(first, last):
        if first == last:
            return 0
        cut = best_cuts(sizes)[first, last]
        return chosen(first, cut) + chosen(cut + 1, last) + sizes[first] * sizes[cut + 1] * sizes[last + 1]

    for first, last in itertools.combinations(range(len(sizes) - 1), 2):
        assert chosen(first, last) == cost(first, last)


def test_chains_that_do_not_fit():
    for shapes, message in [
        ([(2, 3)], "expected at least 2 tensors but got 1"),
        ([(2, 3), (2, 4)], r"tensors 0 and 1 with shapes \[2, 3\] and \[2, 4\] cannot be multiplied"),
        ([(2, 3, 3), (3, 4)], "the first tensor must be 1D or 2D but got 3D"),
        ([(2, 3), (3,), (3, 4)], "tensor 1 must be 2D but got 1D"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            tl.linalg.multi_dot([tl.ones(shape) for shape in shapes])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 2, 2), (0, 0), (1, 1)], ids=str)
def test_matrix_power(torch, shape, n):
    small = np.sign(whole_numbers(shape, 3))
    ours, theirs = tl.tensor(small), torch.from_numpy(small)
    result, expected = tl.matrix_power(ours, n), torch.matrix_power(theirs, n)
    assert result.tolist() == expected.tolist()
    assert result.stride() == expected.stride()
    assert result is not ours


def test_matrix_power_of_inverses_and_what_it_refuses():
    x = tl.tensor([[2.0, 0.0], [0.0, 4.0]])
    assert tl.matrix_power(x, -2).tolist() == [[0.25, 0.0], [0.0, 0.0625]]
    assert (x.matrix_power(-1).stride(), x.T.matrix_power(1).stride()) == ((1, 2), (2, 1))
    with pytest.raises(RuntimeError, match="must be batches of square matrices"):
        tl.matrix_power(tl.ones(2, 3), 2)
    with pytest.raises(TypeError, match="the exponent n must be an integer"):
        tl.matrix_power(x, 2.5)
