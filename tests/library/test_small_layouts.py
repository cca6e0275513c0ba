"""Small operands in every layout: PyTorch's results the first time, and again by a plan that is kept."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import tensorlab as tl
from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.references import agree, twin

SHAPES = [(3, 4), (1, 4), (3, 1), (1, 1), (0, 4), (3, 0), (2, 1, 4), (5,), (1,), ()]


def laid(dtype: str, seed: int) -> list[tl.Tensor]:
    """Tensors of many shapes in many layouts."""
    found = []
    for shape in SHAPES:
        for kind in KINDS if shape else ("row",):
            found.append(lay_out(random_values(shape, dtype, seed), kind))
    return found


# Each function and each pair of dtypes, not each with each: the ways are the same, the kernels are not.
@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("add", "float32", "float32"),
        ("lt", "float64", "float64"),
        ("mul", "float32", "int64"),
        ("lt", "float32", "int64"),
        ("add", "int32", "int32"),
    ],
)
def test_two_tensors_in_any_layouts(torch, name, left, right):
    ours, theirs = getattr(tl, name), getattr(torch, name)
    method = f"__{name}__"
    for a, b in itertools.product(laid(left, 0), laid(right, 1)):
        p, q = twin(torch, a), twin(torch, b)
        try:
            expected = theirs(p, q)
        except RuntimeError:
            for _ in range(2):
                with pytest.raises(RuntimeError):
                    ours(a, b)
            continue
        for _ in range(2):
            found = ours(a, b)
            agree(found, expected)
            agree(getattr(a, method)(b), expected)
            assert found._version == 0
            assert found.untyped_storage().nbytes() == found.nbytes
            if found.numel():
                places = [x.untyped_storage().data_ptr() for x in (found, a, b)]
                assert places[0] not in places[1:]


@pytest.mark.parametrize(
    "size", [(7, 9), (9, 7), (15, 17), (31, 31), (20, 33), (18, 255), (257, 24)], ids=str
)
@pytest.mark.parametrize("cell", ["float32", "bool"])
def test_rows_and_columns_of_every_length(cell, size):
    """Tiles that share cells, rows that are computed as one, and neither."""
    rows, columns = size
    rng = np.random.default_rng(0)
    a, b, row, column, wide = (
        (rng.integers(-100, 100, shape) if cell != "bool" else rng.integers(0, 2, shape)).astype(cell)
        for shape in (size, (columns, rows), (columns,), (rows, 1), (2 * rows, 2 * columns))
    )
    every, part = (slice(None, None, 2),) * 2, (slice(1, rows + 1), slice(2, columns + 2))
    x, y, z, u, w = map(tl.from_numpy, (a, b, row, column, wide))
    ours = x, y.t(), z, u, w[every], w[part]
    theirs = a, b.T, row, column, wide[every], wide[part]
    meet = operator.xor if cell == "bool" else operator.add
    for (p, e), (q, f) in itertools.product(zip(ours, theirs, strict=True), [(x, a), (y.t(), b.T)]):
        np.testing.assert_array_equal(meet(p, q), meet(e, f))
    for target, expected in ((x, a), (w[every], wide[every]), (w[part], wide[part])):
        wanted = meet(expected, b.T)  # before the target changes, whose memory it is
        (target.bitwise_xor_ if cell == "bool" else target.add_)(y.t())
        np.testing.assert_array_equal(target, wanted)


def test_a_way_is_for_its_dtypes_strides_and_default_dtype():
    x = tl.arange(6).view(2, 3)
    assert (x / x.t().contiguous().t()).dtype is tl.float32
    tl.set_default_dtype(tl.float64)
    try:
        assert (x / x.t().contiguous().t()).dtype is tl.float64
        assert (x / x).dtype is tl.float64
    finally:
        tl.set_default_dtype(tl.float32)
    assert (x / x).dtype is tl.float32
    a = tl.arange(9.0).view(3, 3)
    assert [(a + b).tolist() for b in (a, a.t(), a)] == [
        (2 * a.numpy()).tolist(),
        (a.numpy() + a.numpy().T).tolist(),
        (2 * a.numpy()).tolist(),
    ]


def test_gradients_pass_through_views_that_meet_again(torch):
    for _ in range(3):
        pair = [library.arange(12.0).view(3, 4) for library in (tl, torch)]
        for x in pair:
            x.requires_grad_()
            (x[:, :1] * x[1:2] + x[0] + x.sum(1, keepdim=True)).sum().backward()
        assert pair[0].grad.tolist() == pair[1].grad.tolist()


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_where_of_any_layouts(torch, dtype):
    shapes = [(3, 4), (1, 4), (3, 1), (0, 4), (4,), ()]

    def some(kind: str, seed: int) -> list[tl.Tensor]:
        found = []
        for shape in shapes:
            for layout in ("row", "transposed", "offset") if shape else ("row",):
                found.append(lay_out(random_values(shape, kind, seed), layout))
        return found

    for mask, a, b in itertools.product(some("bool", 0), some(dtype, 1), some("float64", 2)):
        three = [twin(torch, x) for x in (mask, a, b)]
        try:
            expected = torch.where(*three)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                tl.where(mask, a, b)
            continue
        for _ in range(2):
            agree(tl.where(mask, a, b), expected)


def test_where_of_other_operands():
    x, mask = tl.tensor([1.0, 2.0], requires_grad=True), tl.tensor([True, False])
    for _ in range(2):
        assert tl.where(mask, x, x * 2).grad_fn.name() == "WhereBackward0"
        assert tl.where(mask, x.detach(), 5.0).tolist() == [1, 5]
        assert tl.where(mask.to(tl.uint8), x.detach(), x.detach()).tolist() == [1, 2]
        with pytest.raises(RuntimeError, match="boolean tensor"):
            tl.where(x.detach(), x.detach(), x.detach())
        out = tl.empty(2)
        assert tl.where(mask, x.detach(), x.detach(), out=out) is out


ITEMS = [
    0, -1, 5, -6, slice(None), slice(1, None), slice(None, 1), slice(None, None, 2), slice(5, 2),
    slice(-9, 99, 3), slice(2, 2), None, Ellipsis, True,
]  # fmt: skip


@pytest.mark.parametrize("kind", ["row", "transposed", "sliced", "offset"])
@pytest.mark.parametrize("shape", [(3, 4), (2, 0), (3, 1, 2), (4,), ()])
def test_integers_and_slices(torch, shape, kind):
    x = lay_out(random_values(shape, "float32", 0), kind)
    other = twin(torch, x)
    indices = [*ITEMS, (), *itertools.product(ITEMS, repeat=1), *itertools.product(ITEMS, repeat=2)]
    for index in [*indices, (0, 0, 0), (slice(None), slice(1), 0), (0, slice(None), slice(1), 0)]:
        try:
            expected = other[index]
        except IndexError:
            with pytest.raises(IndexError):
                x[index]
            continue
        found = x[index]
        agree(found, expected)
        assert found.storage_offset() == expected.storage_offset() or not found.numel()
        if found.numel():
            shares = found.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
            assert shares is (expected.untyped_storage().data_ptr() == other.untyped_storage().data_ptr())


def test_slices_are_refused_as_ever():
    x = tl.zeros(3, 4)
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[:, ::-1]
    with pytest.raises(TypeError):
        x[:, "a":]
    x[:, 1:3] = 5
    x[1, 0] = 2
    assert x.tolist() == [[0, 5, 5, 0], [2, 5, 5, 0], [0, 5, 5, 0]]


def test_a_view_of_several_items_is_recorded(torch):
    for index in ((slice(None), slice(1, 3)), (1, slice(None)), (slice(1, 2), -1)):
        pair = [library.arange(12.0).view(3, 4).requires_grad_() for library in (tl, torch)]
        views = [x[index] for x in pair]
        (views[0] * views[0]).sum().backward()
        (views[1] * views[1]).sum().backward()
        assert pair[0].grad.tolist() == pair[1].grad.tolist()


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "rand", "randn"])
@pytest.mark.parametrize("default", ["float32", "float64", "float16", "bfloat16"])
def test_new_tensors_of_sizes_alone(torch, name, default):
    tl.set_default_dtype(getattr(tl, default))
    try:
        for sizes in ((4,), (2, 3), ((2, 3),), ([2, 3],), (tl.Size([2, 3]),), ((),), (0, 3), (130, 130)):
            for _ in range(2):
                tl.manual_seed(3)
                found = getattr(tl, name)(*sizes)
                tl.manual_seed(3)
                expected = getattr(tl, name)(*sizes, dtype=getattr(tl, default))  # the general way
                assert found.dtype is expected.dtype is getattr(tl, default)
                assert (found.shape, found.stride()) == (expected.shape, expected.stride())
                assert type(found.shape) is tl.Size
                assert found._version == 0
                assert name == "empty" or found.tolist() == expected.tolist()
        for wrong in ((2.0,), (True,), ("2",), ((2, 1.5),), (None,), ()):
            with pytest.raises(TypeError):
                getattr(tl, name)(*wrong)
        for wrong in ((-1,), ((2, -3),)):
            with pytest.raises(RuntimeError, match="negative"):
                getattr(tl, name)(*wrong)
    finally:
        tl.set_default_dtype(tl.float32)


def test_draws_of_sizes_alone_are_pytorchs(torch):
    for name, sizes in itertools.product(("rand", "randn"), ((3,), (4, 5), (40, 40), (3,))):
        tl.manual_seed(5)
        torch.manual_seed(5)
        agree(getattr(tl, name)(*sizes), getattr(torch, name)(*sizes), 1e-5)


def test_options_of_new_tensors():
    assert tl.zeros(2, requires_grad=True).requires_grad
    assert not tl.zeros(2, requires_grad=False, pin_memory=False, layout=tl.strided).requires_grad
    with pytest.raises(TypeError, match="layout='rows' is not covered"):
        tl.zeros(2, layout="rows")
    with pytest.raises(RuntimeError, match="there is no CUDA device"):
        tl.ones(2, pin_memory=True)
    with pytest.raises(TypeError, match=r"'input' .* must be Tensor, not int"):
        tl.zeros_like(3)


@pytest.mark.parametrize("function", ["cat", "stack"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool"])
def test_two_tensors_are_joined(torch, function, dtype):
    shapes = [(3, 4), (2, 4), (1, 4), (3, 1, 2), (5,), (1,), (0,)]
    for (shape, kind), other in itertools.product(
        itertools.product(shapes, ("row", "transposed", "offset")), shapes
    ):
        a = lay_out(random_values(shape, dtype, 0), kind)
        b = lay_out(random_values(other, dtype, 1), "row")
        pair = [twin(torch, a), twin(torch, b)]
        for dim in range(-len(shape), len(shape)):
            try:
                expected = getattr(torch, function)(pair, dim)
            except (RuntimeError, IndexError) as error:
                with pytest.raises(type(error)):
                    getattr(tl, function)([a, b], dim)
                continue
            for _ in range(2):
                agree(getattr(tl, function)([a, b], dim), expected, 0)
                agree(getattr(tl, function)((a, b), dim=dim), expected, 0)


def test_a_pair_that_requires_a_gradient_is_recorded():
    x, y = tl.ones(2, requires_grad=True), tl.zeros(2)
    for _ in range(2):
        assert tl.cat([y, y]).grad_fn is None
        assert tl.cat([y, x]).grad_fn.name() == "CatBackward0"
        assert tl.stack([x[:1], y[:1]]).grad_fn.name() == "StackBackward0"
        with tl.no_grad():
            assert tl.cat([x, y]).grad_fn is None


EQUATIONS = [
    ("ij,j->i", (3, 4), (4,)), ("ij,jk->ik", (3, 4), (4, 2)), ("ij,kj->ki", (3, 4), (2, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 3)), ("bhid,bhjd->bhij", (2, 2, 3, 4), (2, 2, 5, 4)),
    ("i,j->ij", (3,), (4,)), ("i,j->ji", (3,), (4,)), ("i,i->", (4,), (4,)), ("ij,ij->ij", (3, 4), (3, 4)),
    ("ii,i->i", (3, 3), (3,)), ("ij,j", (3, 4), (1,)), ("...i,ij->...j", (2, 3, 4), (4, 2)),
    ("ijk,k->ji", (2, 3, 4), (4,)), ("ijk,i->k", (2, 3, 4), (2,)),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "left", "right"), EQUATIONS)
def test_einsum_gives_the_same_again(torch, equation, left, right):
    for kinds in itertools.product(("row", "transposed", "offset"), repeat=2):
        a, b = (lay_out(random_values(s, "float64", 0), k) for s, k in zip((left, right), kinds, strict=True))
        expected = torch.einsum(equation, twin(torch, a), twin(torch, b))
        for _ in range(3):
            found = tl.einsum(equation, a, b)
            agree(found, expected, 1e-12)
            assert found.untyped_storage().data_ptr() not in (
                a.untyped_storage().data_ptr(),
                b.untyped_storage().data_ptr(),
            )
    x = tl.tensor(random_values(left, "float64", 0), requires_grad=True)
    other = tl.tensor(random_values(right, "float64", 0))
    assert tl.einsum(equation, x, other).requires_grad
    square = tl.arange(9.0).view(3, 3)
    for _ in range(2):
        assert tl.einsum("ij,jk->ik", square, square).tolist() == (square @ square).tolist()
        assert tl.einsum("ij,jk->ki", square, square.t()).tolist() == (square @ square.t()).t().tolist()


@pytest.mark.parametrize("shape", [(31, 32), (3, 4), (5,), (2, 3, 4), (1, 7), (0, 3), (3, 0), ()])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_any_layout(torch, name, shape):
    for kind, dtype in itertools.product(("row", "transposed", "offset"), ("float32", "float64")):
        x = lay_out(random_values(shape, dtype, 0), kind)
        other = twin(torch, x)
        for dim in range(-max(1, len(shape)), max(1, len(shape))):
            for _ in range(2):
                agree(getattr(x, name)(dim), getattr(other, name)(dim), 1e-6)


def test_kernels_begin_at_the_first_element():
    """Operands at the end of a storage: a kernel that reads on would show another tensor's cells."""
    whole = tl.tensor(np.arange(20.0, dtype=np.float32))
    a, b = whole[12:].view(2, 4), whole[16:]
    for _ in range(2):
        assert (a + b).tolist() == [[28, 30, 32, 34], [32, 34, 36, 38]]
        assert (a.t() + b[:2]).tolist() == [[28, 33], [29, 34], [30, 35], [31, 36]]
        assert (whole[18:] + whole[18:]).tolist() == [36, 38]
