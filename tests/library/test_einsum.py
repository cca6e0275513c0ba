"""Einstein summation against PyTorch: equations of every kind, and random ones."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.ops.einsum import _cheapest_pair
from tests.library.test_matmul import whole_numbers

EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    (" i j , j k -> k i ", (2, 3), (3, 4)),
    ("Ba,aC", (2, 3), (3, 4)),
    ("ij->ji", (2, 3)),
    ("ij", (2, 3)),
    ("ba", (2, 3)),
    ("ij->", (2, 3)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij->ji", (3, 3, 2)),
    ("iijj->ij", (3, 3, 2, 2)),
    ("i,i", (3,), (3,)),
    ("i,j->ij", (3,), (4,)),
    ("i,j->ji", (3,), (4,)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("bij,bjk->ibk", (5, 2, 3), (5, 3, 4)),
    ("bij,bjk->kbi", (5, 2, 3), (5, 3, 4)),
    ("bqhd,bkhd->bhqk", (2, 4, 3, 5), (2, 6, 3, 5)),
    ("bhqk,bkhd->bqhd", (2, 3, 4, 6), (2, 6, 3, 5)),
    ("ijk,ljm->ilkm", (2, 3, 4), (5, 3, 6)),
    ("ik,jl->ijkl", (2, 3), (4, 5)),
    ("...i->...", (4, 2, 3)),
    ("...ij,...jk->...ik", (6, 1, 2, 3), (5, 3, 4)),
    ("b...,a...", (2, 3), (4, 3)),
    ("...i->i", (2, 3)),
    ("...ij->ij", (2, 3)),
    ("ij,ij->ij", (2, 1), (1, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("ij,", (2, 3), ()),
    ("", ()),
    (",", (), ()),
    ("ij,jk->ik", (2, 0), (0, 4)),
    ("ij,jk->ik", (0, 3), (3, 4)),
    ("abc,cd,de->abe", (2, 3, 4), (4, 5), (5, 6)),
    ("ij,kl,jk->il", (2, 3), (4, 5), (3, 4)),
    ("i,i,i->i", (3,), (3,), (3,)),
]


@pytest.mark.parametrize("case", EQUATIONS, ids=str)
def test_values_and_layouts_are_pytorchs(torch, case):
    equation, *shapes = case
    arrays = [whole_numbers(shape, i) for i, shape in enumerate(shapes)]
    ours = tl.einsum(equation, *map(tl.tensor, arrays))
    theirs = torch.einsum(equation, *map(torch.from_numpy, arrays))
    assert ours.tolist() == theirs.tolist()
    assert (tuple(ours.shape), ours.stride()) == (tuple(theirs.shape), theirs.stride())


def test_the_sublist_form():
    a, b = tl.tensor(whole_numbers((5, 2, 3), 1)), tl.tensor(whole_numbers((3, 4), 2))
    expected = tl.einsum("...ij,jk->...ik", a, b).tolist()
    assert tl.einsum(a, [..., 0, 1], b, [1, 2], [..., 0, 2]).tolist() == expected
    assert tl.einsum(a, [..., 0, 1], b, [1, 2]).tolist() == expected
    assert tl.einsum("...ij,jk->...ik", [a, b]).tolist() == expected


def test_one_operand_is_viewed_where_nothing_is_summed():
    x = tl.zeros(3, 3)
    for equation in ("ij->ji", "ij", "ii->i"):
        tl.einsum(equation, x).fill_(1)
    assert x.tolist() == [[1.0] * 3] * 3


@pytest.mark.parametrize("name", ["int64", "float16", "bool"])
def test_dtypes(torch, name):
    arrays = [np.abs(whole_numbers(shape, i)) for i, shape in enumerate([(2, 3), (3, 4), (3,), (4,)])]
    a, b, u, v = (tl.tensor(x).to(getattr(tl, name)) for x in arrays)
    c, d, w, z = (torch.from_numpy(x).to(getattr(torch, name)) for x in arrays)
    assert tl.einsum("i,j->ij", u, v).tolist() == torch.einsum("i,j->ij", w, z).tolist()
    summed, expected = tl.einsum("ij->j", a), torch.einsum("ij->j", c)
    assert summed.dtype.name == str(expected.dtype).removeprefix("torch.")
    if name == "bool":
        with pytest.raises(NotImplementedError, match="Bool"):
            tl.einsum("ij,jk", a, b)
    else:
        assert tl.einsum("ij,jk", a, b).tolist() == torch.einsum("ij,jk", c, d).tolist()


def test_operands_that_are_broadcast_are_not_copied():
    wide = tl.ones(1, 3).as_strided((1 << 20, 1 << 14, 3), (0, 0, 1))  # 192 GB, were it copied
    assert tl.einsum("abc,cd->abd", wide[:2, :2], tl.ones(3, 2)).tolist() == [[[3.0, 3.0]] * 2] * 2
    many = tl.ones(1, 4).as_strided((1 << 20, 1 << 14, 4), (0, 0, 1))[:1000, :2]
    assert tl.einsum("bij,jk->bik", many, tl.ones(4, 1)).shape == (1000, 2, 1)


def test_a_chain_is_contracted_where_the_products_are_small():
    # ij,kl,jk->il with i and k of 100, j and l of 2; the dimensions are i, l, which are kept, then j, k
    assert _cheapest_pair([(100, 1, 2, 1), (1, 2, 1, 100), (1, 1, 2, 100)], 2) == (1, 2)


LAYOUTS = [
    "aij,ajk->aik", "aij,jk->aik", "ij,ajk->aik", "ij,jak->iak", "ija,jk->iak",
    "iaj,jk->ika", "ij,jk->ki", "iaj,jak->ik", "iaj,jak->aik", "iaj,jak->ika",
    "abij,bjk->aibk", "i,j->ij", "bi,bi->b", "bij,bj->bi", "ai,bi->ba",
    "aib,bj->aij", "aij->iaj", "bnd,nd->bn", "bhqd,bhkd->bhqk", "bhqk,bkhd->bqhd",
    "a,ij->aij", "ij,jk,kl->il",
]  # fmt: skip


@pytest.mark.parametrize("equation", LAYOUTS)
@given(st.data())
@settings(max_examples=20)
def test_results_lie_in_memory_as_in_pytorch(torch, equation, data):
    size = {letter: data.draw(st.sampled_from([1, 1, 2, 3])) for letter in sorted(set(equation) - set(",->"))}
    shapes = [[size[letter] for letter in term] for term in equation.partition("->")[0].split(",")]
    ours = tl.einsum(equation, *[tl.ones(shape) for shape in shapes])
    theirs = torch.einsum(equation, *[torch.ones(shape) for shape in shapes])
    assert (tuple(ours.shape), ours.stride()) == (tuple(theirs.shape), theirs.stride())


@st.composite
def calls(draw):
    """An equation with operands that fit it, sizes of 1 among them."""
    letters = draw(st.lists(st.sampled_from("abcAB"), min_size=1, max_size=4, unique=True))
    sizes = {letter: draw(st.integers(0, 3)) for letter in letters}
    covered = draw(st.lists(st.integers(1, 3), max_size=2))
    texts, shapes = [], []
    for _ in range(draw(st.integers(1, 3))):
        subscripts = draw(st.lists(st.sampled_from(letters), max_size=3))
        single = set(draw(st.lists(st.sampled_from(letters), max_size=1)))
        shape = [1 if letter in single else sizes[letter] for letter in subscripts]
        if draw(st.booleans()):
            at = draw(st.integers(0, len(subscripts)))
            dims = covered[draw(st.integers(0, len(covered))) :]
            subscripts.insert(at, "...")
            shape[at:at] = dims
        texts.append("".join(subscripts))
        shapes.append(tuple(shape))
    equation = ",".join(texts)
    if draw(st.booleans()):
        used = [letter for letter in letters if letter in equation]
        output = draw(st.permutations(used))[: draw(st.integers(0, len(used)))]
        if "..." in equation:
            output.insert(draw(st.integers(0, len(output))), "...")
        equation += "->" + "".join(output)
    return equation, shapes, draw(st.integers(0, 2**31))


@settings(max_examples=300)
@given(calls())
def test_random_equations_are_pytorchs(torch, call):
    equation, shapes, seed = call
    arrays = [whole_numbers(shape, seed + i) for i, shape in enumerate(shapes)]
    expected = torch.einsum(equation, *map(torch.from_numpy, arrays))
    ours = tl.einsum(equation, *map(tl.tensor, arrays))
    assert tuple(ours.shape) == tuple(expected.shape)
    assert ours.tolist() == expected.tolist()


WRONG = [
    ("ij,jk->ik", [(2, 3)], "fewer operands were provided than specified"),
    ("ij->i", [(2, 3), (3,)], "more operands were provided than specified"),
    ("ij,jk", [(2, 3, 4), (4, 5)], "the number of subscripts in the equation (2) does not match the number"),
    ("i...j", [(2,)], "(2) is more than the number of dimensions (1) for operand 0"),
    ("i1,jk", [(2, 3), (3, 4)], "invalid subscript given at index 1 in the equation string"),
    ("ij,j1", [(2, 3), (3, 4)], "invalid subscript given at index 4 in the equation string"),
    ("ij->i->j", [(2, 3)], "invalid subscript given at index 5 in the equation string"),
    ("ij,jk", [(2, 3), (4, 5)], "subscript j has size 4 for operand 1 which does not broadcast"),
    ("ij->ii", [(2, 2)], "output subscript i appears more than once in the output"),
    ("ij->k", [(2, 2)], "output subscript k does not appear in the equation for any input operand"),
    ("ii", [(2, 3)], "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
    ("i..j", [(2, 3)], "found '.' for operand 0 that is not part of any ellipsis"),
    ("...i...", [(2, 3)], "found '.' for operand 0 for which an ellipsis was already found"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("equation", "shapes", "message"), WRONG, ids=lambda v: v if isinstance(v, str) else ""
)
def test_what_does_not_fit_is_refused_as_in_pytorch(torch, equation, shapes, message):
    with pytest.raises(RuntimeError, match=re.escape(message)):
        tl.einsum(equation, *(tl.ones(shape) for shape in shapes))
    with pytest.raises(RuntimeError, match=re.escape(message)):
        torch.einsum(equation, *(torch.ones(shape) for shape in shapes))


def test_calls_that_mean_nothing():
    for arguments in ((), ("ij",)):
        with pytest.raises(ValueError, match="must specify the equation string and at least one operand"):
            tl.einsum(*arguments)
    for subscript in (52, -1):
        with pytest.raises(ValueError, match=r"not within the valid range \[0, 52\)"):
            tl.einsum(tl.ones(2, 3), [0, subscript])
    with pytest.raises(TypeError, match="must be str, not int"):
        tl.einsum(3, tl.ones(2))
    with pytest.raises(TypeError, match="operand 1 must be a tensor, got int"):
        tl.einsum("i,i", tl.ones(2), 3)
