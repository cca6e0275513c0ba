"""The forms that fix a rank, that add a product to something, and that write into a given tensor."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.core import dtypes
from tests.library.layouts import KINDS, lay_out
from tests.library.test_matmul import whole_numbers

FORMS = {
    "addmm": ((4, 5), (4, 3), (3, 5)),
    "addmv": ((4,), (4, 3), (3,)),
    "baddbmm": ((2, 4, 5), (2, 4, 3), (2, 3, 5)),
    "addbmm": ((4, 5), (2, 4, 3), (2, 3, 5)),
}
PRODUCTS = {
    "mm": ((4, 3), (3, 5)),
    "bmm": ((2, 4, 3), (2, 3, 5)),
    "mv": ((4, 3), (3,)),
    "dot": ((3,), (3,)),
    "vdot": ((3,), (3,)),
}


def operands(name: str, kind: str = "row") -> list[tl.Tensor]:
    return [lay_out(whole_numbers(shape, i), kind) for i, shape in enumerate((FORMS | PRODUCTS)[name])]


def as_torch(torch, tensor: tl.Tensor):
    return torch.from_numpy(np.asarray(tensor))


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("kind", KINDS)
def test_products_of_one_rank(torch, name, kind):
    x, y = operands(name, kind)
    result, expected = getattr(tl, name)(x, y), getattr(torch, name)(as_torch(torch, x), as_torch(torch, y))
    assert result.stride() == expected.stride()
    assert result.tolist() == getattr(x, name)(y).tolist() == expected.tolist()
    out = tl.empty(expected.shape)
    assert getattr(tl, name)(x, y, out=out) is out
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (0, 2), (2.5, 1), (-1, 0.5), (1, 0)])
def test_added_products(torch, name, kind, beta, alpha):
    source, x, y = operands(name, kind)
    theirs = [as_torch(torch, t) for t in (source, x, y)]
    expected = getattr(torch, name)(*theirs, beta=beta, alpha=alpha)
    result = getattr(tl, name)(source, x, y, beta=beta, alpha=alpha)
    assert result.stride() == expected.stride()
    assert result.tolist() == expected.tolist()
    out = lay_out(np.full(expected.shape, np.nan, np.float32), "transposed")
    getattr(tl, name)(source, x, y, beta=beta, alpha=alpha, out=out)
    assert out.tolist() == expected.tolist()
    if kind != "expanded":
        version = source._version
        assert getattr(source, name + "_")(x, y, beta=beta, alpha=alpha) is source
        assert source.tolist() == expected.tolist()
        assert source._version > version


@pytest.mark.parametrize("shape", [(), (1,), (5,), (4, 1), (1, 5), (1, 1)], ids=str)
def test_the_source_is_broadcast(torch, shape):
    source = whole_numbers(shape, 9)
    _, x, y = operands("addmm")
    expected = torch.addmm(torch.from_numpy(source), as_torch(torch, x), as_torch(torch, y), beta=2)
    assert tl.addmm(tl.tensor(source), x, y, beta=2).tolist() == expected.tolist()


@pytest.mark.parametrize("element_type", ["float32", "float16", "int64"])
def test_integers_take_the_whole_part_of_alpha_and_beta(torch, element_type):
    ours = [
        tl.tensor(whole_numbers(s, i) + 9).to(dtypes.by_name(element_type))
        for i, s in enumerate(FORMS["addmm"])
    ]
    theirs = [
        torch.from_numpy(whole_numbers(s, i) + 9).to(getattr(torch, element_type))
        for i, s in enumerate(FORMS["addmm"])
    ]
    assert tl.addmm(*ours, beta=1.5, alpha=2.5).tolist() == torch.addmm(*theirs, beta=1.5, alpha=2.5).tolist()


@pytest.mark.parametrize("sizes", [(4, 3, 5), (40, 1, 1), (1, 8, 70), (20, 0, 9)], ids=str)
@pytest.mark.parametrize("element_type", [tl.float32, tl.float16], ids=str)
def test_what_is_multiplied_by_zero_is_not_read(sizes, element_type):
    m, k, n = sizes
    nan = tl.full((m, n), float("nan"), dtype=element_type)
    x, y = tl.ones(m, k, dtype=element_type), tl.ones(k, n, dtype=element_type)
    assert tl.addmm(nan, x, y, beta=0).tolist() == [[float(k)] * n] * m
    assert tl.addmm(tl.ones(m, n, dtype=element_type), x * nan[:, :1], y, alpha=0).tolist() == [[1.0] * n] * m


def test_an_empty_inner_dimension_gives_zeros():
    assert tl.mm(tl.ones(2, 0), tl.ones(0, 3)).tolist() == [[0.0] * 3] * 2
    assert tl.mv(tl.ones(2, 0), tl.ones(0)).tolist() == [0.0, 0.0]
    assert tl.dot(tl.ones(0), tl.ones(0)).tolist() == 0.0
    assert tl.addmm(tl.ones(2, 3), tl.ones(2, 0), tl.ones(0, 3), beta=3).tolist() == [[3.0] * 3] * 2


@pytest.mark.parametrize("kind", ["row", "transposed", "sliced", "offset"])
@pytest.mark.parametrize("element_type", ["float32", "int64"])
def test_out_of_any_layout(kind, element_type):
    x, y = whole_numbers((6, 4), 1), whole_numbers((4, 7), 2)
    out = lay_out(np.zeros((6, 7), element_type), kind)
    cells_before = out.storage().tolist()
    tl.mm(tl.tensor(x.astype(element_type)), tl.tensor(y.astype(element_type)), out=out)
    assert out.tolist() == (x @ y).tolist()
    written = np.asarray(out.storage().tolist()) != np.asarray(cells_before)
    assert written.sum() <= 42


def test_out_that_is_an_operand_or_overlaps_one():
    values = whole_numbers((4, 4), 3)
    x = tl.tensor(values)
    tl.mm(x, x, out=x)
    assert x.tolist() == (values @ values).tolist()
    flat = tl.tensor(whole_numbers((20,), 4))
    cells = np.asarray(flat).copy()
    x, out = flat[:16].view(4, 4), flat[4:].view(4, 4)
    tl.mm(x, x, out=out)
    assert out.tolist() == (cells[:16].reshape(4, 4) @ cells[:16].reshape(4, 4)).tolist()
    x = tl.tensor(values)
    assert x.addmm_(x, x).tolist() == (values + values @ values).tolist()
    x = tl.tensor(values)
    tl.addmm(x, tl.tensor(values), tl.tensor(values), out=x.T)
    assert x.T.tolist() == (values + values @ values).tolist()


def test_out_that_is_refused():
    x = tl.ones(2, 2)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float32, but got float64"):
        tl.mm(x, x, out=tl.ones(2, 2, dtype=tl.float64))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        tl.mm(x, x, out=tl.ones(1, 2).as_strided((2, 2), (0, 1)))
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match"):
        tl.ones(2).addmm_(x, x)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda o: tl.mm(o(2, 3), o(3)), r"mm\(\): mat2 must be a matrix, and it has shape \(3,\)"),
        (lambda o: tl.mm(o(3), o(3, 2)), r"mm\(\): self must be a matrix"),
        (lambda o: tl.bmm(o(2, 3), o(3, 2)), r"bmm\(\): batch1 must be a 3D tensor"),
        (
            lambda o: tl.bmm(o(2, 3, 3), o(4, 3, 2)),
            r"Expected size for first two dimensions of batch2 tensor to be: \[2, 3\] but got: \[4, 3\]",
        ),
        (lambda o: tl.bmm(o(1, 3, 3), o(4, 3, 2)), r"\[1, 3\] but got: \[4, 3\]"),
        (lambda o: tl.mv(o(3), o(3)), r"mv\(\): vector \+ matrix @ vector expected"),
        (lambda o: tl.dot(o(2, 3), o(3)), "1D tensors expected, but got 2D and 1D tensors"),
        (
            lambda o: tl.addmm(o(3, 2), o(2, 2), o(2, 2)),
            r"The expanded size of the tensor \(2\) must match the existing size \(3\)",
        ),
        (
            lambda o: tl.addmm(o(2, 2, 2), o(2, 2), o(2, 2)),
            "must be greater or equal to the number of dimensions",
        ),
        (
            lambda o: tl.addmm(o(2, 2).to(tl.float64), o(2, 2), o(2, 2)),
            "self and mat2 must have the same dtype, but got float64",
        ),
    ],
)
def test_what_does_not_fit(call, message):
    with pytest.raises(RuntimeError, match=message):
        call(tl.ones)


def test_alpha_must_be_a_number():
    with pytest.raises(TypeError, match="alpha must be a number"):
        tl.addmm(tl.ones(2, 2), tl.ones(2, 2), tl.ones(2, 2), alpha=tl.ones(2))
