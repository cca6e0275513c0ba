"""Names of dimensions: the algebra of tuples, then tensors that carry them through operations."""

from __future__ import annotations

import copy
import inspect
import io
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab import registry
from tensorlab.names import NamedTensor, labels, rules
from tensorlab.names.tensor import bare

# --- tuples ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        (("N", "C"), ("N", "C"), ("N", "C")),
        (("N", "C"), (None, None), ("N", "C")),
        (("N", None), (None, "C"), ("N", "C")),
        (("N", "C"), ("C",), ("N", "C")),
        (("C",), ("N", "C"), ("N", "C")),
        ((), ("N",), ("N",)),
        ((None,), (None, None), (None, None)),
    ],
)
def test_unify(first, second, result):
    assert labels.unify(first, second) == labels.unify(second, first) == result


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (("N", "C"), ("N", "D"), r"dimension -1 is 'C' in one and 'D' in the other.*x\.rename\(D='C'\)"),
        (("N", "C"), ("C", "N"), "do not match"),
        (("N", None), ("N",), r"misaligned: 'N' is dimension -2 in one and -1 in the other"),
        (("C", None), (None, "C"), "misaligned: 'C' is dimension -2 in one and -1 in the other"),
    ],
)
def test_unify_refuses(first, second, text):
    with pytest.raises(RuntimeError, match=text):
        labels.unify(first, second)
    with pytest.raises(RuntimeError, match=r"do not match|misaligned"):
        labels.unify(second, first)


letters = st.sampled_from([None, "N", "C", "H", "W"])
tuples = st.lists(letters, max_size=4).filter(
    lambda names: len(set(names) - {None}) == len(names) - names.count(None)
)


def united(first, second):
    try:
        return labels.unify(tuple(first), tuple(second))
    except RuntimeError:
        return None


@given(tuples, tuples)
def test_unify_is_commutative_and_keeps_every_name(first, second):
    result = united(first, second)
    assert result == united(second, first)
    if result is not None:
        assert set(result) - {None} == (set(first) | set(second)) - {None}
        assert len(result) == max(len(first), len(second))
        for names in (first, second):
            assert all(new == old for old, new in zip(names[::-1], result[::-1], strict=False) if old)


@given(tuples)
def test_unify_with_itself_and_with_nothing_changes_nothing(names):
    assert united(names, names) == united(names, []) == united(names, [None] * len(names)) == tuple(names)


@given(tuples)
def test_align_to_any_order_is_a_permutation(names):
    if None in names:
        with pytest.raises(RuntimeError, match="all dimensions of the tensor must have names"):
            labels.align(tuple(names), names)
        return
    order, result = labels.align(tuple(names), names[::-1])
    assert order == list(range(len(names)))[::-1]
    assert result == tuple(names[::-1])


@pytest.mark.parametrize(
    ("names", "error", "text"),
    [
        (["N"], RuntimeError, r"Number of names \(1\) and number of dimensions in tensor \(2\) do not match"),
        (["N", "N"], RuntimeError, "duplicate names: 'N' comes 2 times"),
        (["N", "2"], RuntimeError, "not begin with a digit, got '2'"),
        (["N", ""], RuntimeError, "Invalid name"),
        (["N", "a b"], RuntimeError, "Invalid name"),
        (["N", 1], TypeError, "a dimension's name must be a str or None, got 1"),
    ],
)
def test_what_names_can_be(names, error, text):
    with pytest.raises(error, match=text):
        labels.checked(names, 2)


# --- getting and losing names ----------------------------------------------------------------------------


def X(*names, shape=None):
    shape = shape or tuple(range(2, 2 + len(names)))
    return tl.arange(int(np.prod(shape))).view(*shape).refine_names(*names)


def test_a_tensor_without_names():
    x = tl.zeros(2, 3)
    assert (x.names, x.has_names(), type(x)) == ((None, None), False, tl.Tensor)
    assert type(x.refine_names(None, None)) is tl.Tensor
    assert type(X("N").rename(None)) is tl.Tensor


def test_refine_names():
    assert X("N", "C").names == ("N", "C")
    assert X("N", None).refine_names(..., "C").names == ("N", "C")
    assert tl.zeros(1, 2, 3, 4).refine_names("N", ..., "W").names == ("N", None, None, "W")
    assert tl.zeros(2).refine_names(["N"]).names == ("N",)
    with pytest.raises(RuntimeError, match="dimension 0 is called 'N' and cannot become 'C'"):
        X("N", "C").refine_names("C", "N")
    with pytest.raises(RuntimeError, match="cannot become None"):
        X("N", "C").refine_names(None, "C")
    with pytest.raises(RuntimeError, match="Number of names"):
        X("N", "C").refine_names("N")
    with pytest.raises(RuntimeError, match=r"one \.\.\. may stand"):
        X("N", "C").refine_names(..., "N", ...)


def test_rename_is_a_view_with_other_names():
    x = X("N", "C")
    y = x.rename("batch", "channels")
    assert (x.names, y.names) == (("N", "C"), ("batch", "channels"))
    y[0, 0] = -5
    assert x[0, 0].item() == -5
    assert x.rename(N="batch").names == ("batch", "C")
    assert x.rename(N="C", C="N").names == ("C", "N")
    assert x.rename("batch", ...).names == ("batch", "C")
    assert x.rename(None).names == (None, None)
    with pytest.raises(RuntimeError, match=r"Name 'H' not found in Tensor\['N', 'C'\]"):
        x.rename(H="W")
    with pytest.raises(RuntimeError, match="duplicate names"):
        x.rename(N="C")
    with pytest.raises(RuntimeError, match="not both"):
        x.rename("A", "B", N="C")


def test_names_change_in_place():
    x = tl.arange(6).view(2, 3)
    view = x[0]
    assert x.rename_("N", "C") is x
    assert isinstance(x, NamedTensor)
    x.names = ["A", "B"]
    assert x.transpose("A", "B").tolist() == [[0, 3], [1, 4], [2, 5]]
    x.names = None
    assert (type(x), x.names) == (tl.Tensor, (None, None))
    x.rename_(None)
    x.add_(1)
    assert (x.tolist(), view.tolist()) == ([[1, 2, 3], [4, 5, 6]], [1, 2, 3])
    x.rename_("N", "C").rename_(C="D")
    assert x.names == ("N", "D")


def test_an_object_that_changes_its_layout_takes_no_other_with_it():
    x = tl.zeros(2, 3)
    y = x.refine_names("N", "C")
    for change in (lambda: y.transpose_(0, 1), lambda: y.t_(), lambda: y.unsqueeze_(0)):
        change()
        assert x.shape == (2, 3)
        assert dict(zip(y.names, y.shape, strict=True)) | {None: 1} == {"N": 2, "C": 3, None: 1}


def test_align_to_and_align_as():
    x = X("N", "C", "H")
    y = x.align_to("H", "N", "W", "C")
    assert (y.names, y.shape) == (("H", "N", "W", "C"), (4, 2, 1, 3))
    assert y.tolist() == bare(x).permute(2, 0, 1)[:, :, None].tolist()
    assert x.align_to("H", ...).names == ("H", "N", "C")
    assert x.align_to(..., "N").names == ("C", "H", "N")
    assert X("C").align_as(x).shape == (1, 2, 1)
    assert (x * X("C", shape=(3,)).align_as(x)).names == x.names
    assert y.storage().untyped() is x.storage().untyped()
    a, b = tl.align_tensors(x, X("H", shape=(4,)))
    assert (a.shape, b.shape) == ((2, 3, 4), (1, 1, 4))
    with pytest.raises(RuntimeError, match="'C' would get lost"):
        x.align_to("N", "H")
    with pytest.raises(RuntimeError, match="must have names"):
        X("N", None).align_to("N", "C")


@pytest.mark.parametrize("make", [tl.zeros, tl.ones, tl.empty, tl.rand, tl.randn])
def test_functions_that_make_tensors_take_names(make):
    x = make(2, 3, names=("N", None))
    assert (x.names, x.shape) == (("N", None), (2, 3))
    assert make((2, 3), names=["N", "C"]).names == ("N", "C")
    assert type(make(2, 3, names=(None, None))) is type(make(2, 3)) is tl.Tensor
    with pytest.raises(RuntimeError, match=r"Number of names \(1\)"):
        make(2, 3, names=("N",))


def test_tensor_and_full_take_names():
    assert tl.tensor([[1, 2]], names=("N", "C")).names == ("N", "C")
    assert tl.tensor([1.5], dtype=tl.float64, names=["N"]).dtype is tl.float64
    assert tl.full((2,), 7, names=("N",)).tolist() == [7, 7]


# --- operations -----------------------------------------------------------------------------------------


def test_facts_and_values_do_not_mind_names():
    x, plain = X("N", "C"), tl.arange(6).view(2, 3)
    assert (x.shape, x.stride(), x.dtype, x.numel(), x.ndim) == ((2, 3), (3, 1), tl.int64, 6, 2)
    assert (str(x.device), x.storage_offset(), len(x), x.nbytes) == ("cpu", 0, 2, 48)
    assert x.tolist() == x.numpy().tolist() == np.asarray(x).tolist() == plain.tolist()
    assert np.from_dlpack(x).tolist() == plain.tolist()
    assert (5 in x, 6 in x, x[1, 2].item(), int(x[1, 2]), bool(x[0, 1])) == (True, False, 5, 5, True)
    assert x.data_ptr() == x.storage().data_ptr() == x.rename(None).untyped_storage().data_ptr()
    assert [row.names for row in x] == [("C",), ("C",)]
    assert {x: 1}[x] == 1
    assert isinstance(x, tl.Tensor)
    assert f"{x[0, 2]}" == "2"
    with pytest.raises(AttributeError, match="'NamedTensor' object has no attribute 'nonsense'"):
        x.nonsense  # noqa: B018


def test_repr_says_the_names():
    assert repr(X("N", None)) == "tensor([[0, 1, 2],\n        [3, 4, 5]], names=('N', None))"
    assert (
        repr(tl.zeros(1).rename("N").to(tl.float64)) == "tensor([0.], dtype=tensorlab.float64, names=('N',))"
    )


@pytest.mark.parametrize("operator", ["__add__", "__sub__", "__mul__", "__truediv__", "__lt__", "__eq__"])
def test_two_operands_unify(operator):
    x, weights = (
        X("N", "C").float() if hasattr(tl.Tensor, "float") else X("N", "C").to(tl.float32),
        tl.ones(3),
    )
    for other in (weights, weights.rename("C"), 2, 2.0, tl.tensor(2.0)):
        result = getattr(x, operator)(other)
        assert result.names == ("N", "C")
        assert result.tolist() == getattr(bare(x), operator)(bare(other)).tolist()
    with pytest.raises(RuntimeError, match="do not match"):
        getattr(x, operator)(weights.rename("H"))


def test_names_come_from_either_side():
    plain, x = tl.ones(2, 3), tl.ones(2, 3).rename("N", "C")
    for result in (
        plain + x,
        x + plain,
        tl.add(plain, x),
        tl.add(x, plain),
        plain.add(x),
        2 - x,
        tl.sub(2, x),
    ):
        assert result.names == ("N", "C")
    assert (plain == x).names == ("N", "C")
    assert tl.neg(x).names == (-x).names == ("N", "C")


def test_in_place_takes_names_over():
    x = tl.ones(2, 3)
    x.add_(tl.ones(3).rename("C"))
    assert (x.names, x.tolist()) == ((None, "C"), [[2, 2, 2]] * 2)
    x += tl.ones(2, 3).rename("N", "C")
    assert (x.names, x.tolist()) == (("N", "C"), [[3, 3, 3]] * 2)
    x.mul_(2)
    x.zero_()
    assert (x.names, x.tolist()) == (("N", "C"), [[0, 0, 0]] * 2)
    with pytest.raises(RuntimeError, match="do not match"):
        x.add_(tl.ones(3).rename("H"))
    assert x.tolist() == [[0, 0, 0]] * 2


def test_out_takes_names_over():
    x, out = tl.ones(2, 3).rename("N", "C"), tl.zeros(2, 3)
    assert tl.add(x, 1, out=out) is out
    assert (out.names, out.tolist()) == (("N", "C"), [[2, 2, 2]] * 2)
    tl.add(x, 2, out=out)
    assert out.tolist() == [[3, 3, 3]] * 2
    with pytest.raises(
        RuntimeError, match=r"the result has the names \('N', 'C'\), and `out` has \('A', 'B'\)"
    ):
        tl.add(x, 1, out=tl.zeros(2, 3).rename("A", "B"))


def test_an_operand_that_cannot_be_is_refused_as_ever():
    x = X("N", "C")
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "a"
    with pytest.raises(TypeError, match="unsupported operand"):
        x += None
    assert (x == "a") is False


def test_copies_keep_names():
    x = X("N", "C")
    for y in (x.clone(), x.t().contiguous().t(), x.to(tl.float32), copy.copy(x), copy.deepcopy(x)):
        assert y.names == ("N", "C")
        assert y.tolist() == x.tolist()
    assert x.contiguous() is x
    assert x.to(tl.int64) is x
    y = pickle.loads(pickle.dumps([x, x[0]]))
    assert [each.names for each in y] == [("N", "C"), ("C",)]
    y[0][0, 0] = 9
    assert y[1][0].item() == 9


def test_files_keep_names():
    x, file = X("N", "C"), io.BytesIO()
    tl.save({"x": x, "row": x[0], "plain": x.rename(None)}, file)
    file.seek(0)
    back = tl.load(file)
    assert [value.names for value in back.values()] == [("N", "C"), ("C",), (None, None)]
    back["plain"][0, 1] = 7
    assert back["row"].tolist() == [0, 7, 2]


INDICES = [
    (0, ("C", "H")),
    ((slice(None), 1), ("N", "H")),
    ((..., 0), ("N", "C")),
    ((None, 0), (None, "C", "H")),
    ((slice(1), None, ..., -1), ("N", None, "C")),
    ((1, 2, 3), ()),
    (slice(0, 2, 2), ("N", "C", "H")),
    ((np.int64(1),), ("C", "H")),
    (..., ("N", "C", "H")),
    ((0, ..., None), ("C", "H", None)),
]


@pytest.mark.parametrize(("index", "names"), INDICES, ids=str)
def test_indexing(index, names):
    x = X("N", "C", "H")
    assert x[index].names == names
    assert x[index].tolist() == bare(x)[index].tolist()


def test_indexing_refuses():
    x = X("N", "C")
    for index in ([0], tl.tensor([0]), True, (0, [1])):
        with pytest.raises(RuntimeError, match=r"indexing a named tensor with a .* is not supported"):
            x[index]
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0, 0]


def test_assignment_compares_names():
    x = X("N", "C")
    x[0] = 0
    x[1] = tl.tensor([7, 8, 9]).rename("C")
    x[:, 0] = tl.tensor([5, 6])
    assert x.tolist() == [[5, 0, 0], [6, 8, 9]]
    with pytest.raises(RuntimeError, match="do not match"):
        x[0] = tl.tensor([1, 2, 3]).rename("H")


MOVES = {
    "squeeze": (lambda x: x[:1].squeeze(), ("C", "H")),
    "squeeze by name": (lambda x: x[:1].squeeze("N"), ("C", "H")),
    "squeeze of another": (lambda x: x[:1].squeeze("C"), ("N", "C", "H")),
    "unsqueeze": (lambda x: x.unsqueeze(1), ("N", None, "C", "H")),
    "unsqueeze last": (lambda x: x.unsqueeze(-1), ("N", "C", "H", None)),
    "select": (lambda x: x.select("C", 1), ("N", "H")),
    "unbind": (lambda x: x.unbind("N")[0], ("C", "H")),
    "narrow": (lambda x: x.narrow("H", 1, 2), ("N", "C", "H")),
    "split": (lambda x: x.split(2, "H")[1], ("N", "C", "H")),
    "chunk": (lambda x: tl.chunk(x, 2, dim="H")[0], ("N", "C", "H")),
    "movedim": (lambda x: x.movedim("N", -1), ("C", "H", "N")),
    "movedim of two": (lambda x: x.movedim(("H", "C"), (0, 1)), ("H", "C", "N")),
    "swapaxes": (lambda x: x.swapaxes("N", "C"), ("C", "N", "H")),
    "mT": (lambda x: x.mT, ("N", "H", "C")),
    "expand": (lambda x: x.expand(5, 2, 3, 4), (None, "N", "C", "H")),
    "expand_as": (lambda x: x[0].expand_as(bare(x)), (None, "C", "H")),
    "unfold": (lambda x: x.unfold("H", 2, 1), ("N", "C", "H", None)),
    "diagonal": (lambda x: x.diagonal(dim1="N", dim2="H"), ("C", None)),
    "flip": (lambda x: x.flip("H"), ("N", "C", "H")),
    "roll": (lambda x: x.roll(1, "C"), ("N", "C", "H")),
    "cumsum": (lambda x: x.cumsum("C"), ("N", "C", "H")),
    "softmax": (lambda x: x.float().softmax("C"), ("N", "C", "H")),
    "max": (lambda x: x.max("C").indices, ("N", "H")),
    "max of two": (lambda x: x.max(bare(x)), ("N", "C", "H")),
    "cat": (lambda x: tl.cat([x, bare(x)], "C"), ("N", "C", "H")),
    "stack": (lambda x: tl.stack([x, x], 1), ("N", None, "C", "H")),
    "flatten": (lambda x: x.flatten(["C", "H"], "features"), ("N", "features")),
    "flatten from to": (lambda x: x.flatten("N", "C", "rows"), ("rows", "H")),
    "flatten out_dim": (lambda x: x.flatten(1, 2, out_dim="features"), ("N", "features")),
    "unflatten": (lambda x: x.unflatten("H", [("A", 2), ("B", 2)]), ("N", "C", "A", "B")),
    "unflatten a dict": (lambda x: x.unflatten(-1, {"A": 2, "B": 2}), ("N", "C", "A", "B")),
    "unflatten sizes": (lambda x: x.unflatten("H", (2, 2)), ("N", "C", None, None)),
    "sort": (lambda x: x.sort("C").indices, ("N", "C", "H")),
    "topk": (lambda x: tl.topk(x, 2, "H").values, ("N", "C", "H")),
    "median": (lambda x: x.median("C").values, ("N", "H")),
    "mode": (lambda x: x.mode().values, ("N", "C")),
    "kthvalue": (lambda x: x.kthvalue(1).values, ("N", "C")),
    "norm": (lambda x: x.float().norm(2, "C"), ("N", "H")),
    "index_select": (lambda x: x.index_select("C", tl.tensor([0, 2])), ("N", "C", "H")),
    "masked_fill": (lambda x: tl.masked_fill(x, bare(x) > 3, 0), ("N", "C", "H")),
    "masked_select": (lambda x: x.masked_select(x > 3), (None,)),
    "detach": (lambda x: x.detach(), ("N", "C", "H")),
    "data": (lambda x: x.data, ("N", "C", "H")),
    "allclose": (lambda x: tl.tensor(tl.allclose(x, x)), ()),
    "zeros_like": (lambda x: tl.zeros_like(x), ("N", "C", "H")),
    "where": (lambda x: tl.where(bare(x) > 2, x, 0), ("N", "C", "H")),
    "clamp": (lambda x: x.clamp(1, 3), ("N", "C", "H")),
    "reversed": (reversed, ("N", "C", "H")),
    "numpy": (np.sqrt, ("N", "C", "H")),
    "sqrt": (lambda x: x.sqrt(), ("N", "C", "H")),
    "round": (lambda x: x.float().round(decimals=1), ("N", "C", "H")),
    "div": (lambda x: tl.div(2, x + 1, rounding_mode="floor"), ("N", "C", "H")),
    "mul": (lambda x: tl.mul(bare(x), x), ("N", "C", "H")),
}


@pytest.mark.parametrize("name", MOVES)
def test_names_go_where_their_dimension_goes(name):
    call, names = MOVES[name]
    x = tl.arange(24).view(2, 3, 4).rename("N", "C", "H")
    result = call(x)
    assert result.names == names
    sizes = dict(zip(result.names, result.shape, strict=True))
    for kept in set(names) & {"N", "H"} - {None}:
        if name not in ("unflatten", "narrow", "split", "chunk", "unfold", "squeeze of another", "topk"):
            assert sizes[kept] == {"N": 2, "H": 4}[kept]


def test_flatten_and_unflatten_refuse():
    x = X("N", "C", "H")
    with pytest.raises(RuntimeError, match="not consecutive"):
        x.flatten(["N", "H"], "all")
    with pytest.raises(RuntimeError, match="not consecutive"):
        x.flatten(["C", "N"], "all")
    with pytest.raises(RuntimeError, match=r"x\.flatten\(\['C', 'H'\], 'features'\)"):
        x.flatten("C", "H")
    with pytest.raises(RuntimeError, match="duplicate names"):
        x.unflatten("H", [("C", 2), ("B", 2)])


def test_dimensions_change_in_place():
    x = X("N", "C")
    x.unsqueeze_(0)
    assert (x.names, x.shape) == ((None, "N", "C"), (1, 2, 3))
    x.squeeze_()
    assert (x.names, x.shape) == (("N", "C"), (2, 3))
    x.t_()
    assert (x.names, x.shape, x.tolist()) == (("C", "N"), (3, 2), [[0, 3], [1, 4], [2, 5]])
    x.transpose_("C", "N")
    assert (x.names, x.shape) == (("N", "C"), (2, 3))


def test_dimensions_that_move():
    x = X("N", "C", "H")
    assert x.transpose("N", "H").names == x.transpose(0, -1).names == ("H", "C", "N")
    assert x.permute(2, 0, 1).names == x.permute("H", "N", "C").names == tl.permute(x, (2, 0, 1)).names
    assert tl.transpose(x, "C", "H").shape == (2, 4, 3)
    assert X("N", "C").t().names == X("N", "C").T.names == ("C", "N")
    with pytest.raises(RuntimeError, match="Name 'W' not found"):
        x.transpose("N", "W")
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.transpose(0, 3)


REDUCTIONS = ["sum", "mean", "prod", "var", "std", "amax", "amin", "all", "any", "logsumexp", "argmax"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    x = X("N", "C", "H").to(tl.float32)
    method, plain = getattr(x, name), getattr(bare(x), name)
    assert method("C").names == method(dim="C").names == method(1).names == ("N", "H")
    assert method("C").tolist() == plain(1).tolist()
    assert method("C", keepdim=True).names == method(-2, keepdim=True).names == ("N", "C", "H")
    assert getattr(tl, name)(x, "H").names == ("N", "C")
    if name not in ("argmax", "prod"):
        assert method(("N", "H")).names == method([0, 2]).names == ("C",)
    if name != "logsumexp":
        assert method().names == ()
    with pytest.raises(RuntimeError, match="Name 'W' not found"):
        method("W")


def test_a_result_in_several_parts_has_names_in_each():
    x = X("N", "C").to(tl.float32)
    for name in ("var_mean", "std_mean"):
        assert [part.names for part in getattr(tl, name)(x, "C")] == [("N",), ("N",)]


def test_matrix_products():
    x, w = X("N", "in").to(tl.float32), tl.ones(3, 4).rename("in", "out")
    plain = bare(x) @ bare(w)
    for product in (x @ w, x.matmul(w), tl.matmul(x, w), x.mm(w), tl.mm(x, w)):
        assert product.names == ("N", "out")
        assert product.tolist() == plain.tolist()
    assert (bare(x) @ w).names == tl.matmul(bare(x), w).names == (None, "out")
    assert (x @ bare(w)).names == ("N", None)
    assert (x @ w[:, 0]).names == x.mv(w[:, 0]).names == ("N",)
    assert (x[0] @ w).names == ("out",)
    assert x[0].dot(x[1]).names == ()
    batch = tl.ones(5, 2, 3).rename("B", "N", "in")
    assert (batch @ w).names == ("B", "N", "out")
    assert tl.bmm(batch, tl.ones(5, 3, 4).rename("B", ..., "out").rename("B", "in", "out")).names == (
        "B",
        "N",
        "out",
    )
    with pytest.raises(RuntimeError, match="duplicate names: 'N' comes 2 times"):
        x @ x.t()
    with pytest.raises(RuntimeError, match="do not match"):
        batch @ tl.ones(5, 3, 4).rename("K", "in", "out")
    with pytest.raises(TypeError, match="unsupported operand"):
        x @ 2
    assert tl.addmm(tl.ones(4).rename("out"), x, w).names == ("N", "out")
    assert tl.outer(x[0].rename("a"), x[1].rename("b")).names == ("a", "b")


def test_no_rule_is_a_refusal():
    x = X("N", "C")
    for call in (
        lambda: x.view(6),
        lambda: x.reshape(6),
        lambda: tl.reshape(x, (6,)),
        lambda: x.as_strided((2,), (1,)),
    ):
        with pytest.raises(
            RuntimeError, match=r"not supported with named tensors.*\('N', 'C'\).*x\.rename\(None\)"
        ):
            call()
    assert x.rename(None).view(6).refine_names("all").names == ("all",)


def test_whatever_is_exported_keeps_names_or_refuses():
    """No function that takes one tensor may drop names without a word."""
    x = tl.ones(2, 3).rename("N", "C")
    silent = {
        "diagonal",
        "from_dlpack",
        "numel",
        "result_type",
        "tensor",
        "as_tensor",
        "asarray",
        "is_tensor",
        "save",
    }
    for name in sorted(set(tl.__all__) - silent):
        function = getattr(tl, name)
        if not getattr(inspect.unwrap(function), "__module__", "").startswith(
            ("tensorlab.ops", "tensorlab.scalars")
        ):
            continue
        try:
            result = function(x)
        except (TypeError, RuntimeError, IndexError, ValueError, AttributeError):
            continue
        results = result if isinstance(result, (tuple, list)) else [result]
        for each in results:
            if isinstance(each, tl.Tensor) and each.ndim:
                assert each.has_names(), name


def test_every_operator_with_a_rule_names_one_that_there_is():
    groups = [registry.members(), *map(registry.functions, ("", "linalg", "special", "nn.functional"))]
    said = {op.names for group in groups for op in group.values() if op.names}
    assert [name for name in said if not hasattr(rules, name)] == []
    assert {name for name in rules.__all__ if name != "numbered"} == said


def test_a_leaf_with_names_gathers_a_gradient():
    for x in (
        tl.ones(2, 3, names=("N", "C"), requires_grad=True),
        tl.ones(2, 3, names=("N", "C")).requires_grad_(),
        tl.ones(2, 3).refine_names("N", "C").requires_grad_(),
    ):
        assert (x.names, x.is_leaf, x.requires_grad) == (("N", "C"), True, True)
        y = (2 * x).sum("N")
        y.retain_grad()
        y.sum().backward()
        assert (x.grad.tolist(), x.grad.names) == ([[2.0] * 3] * 2, (None, None))
        assert y.grad.tolist() == [1.0] * 3
        x.grad = None
        assert x.grad is None
        x.requires_grad = False
        assert not (2 * x).requires_grad


def test_copy_takes_the_names_of_the_source():
    source = tl.ones(2, 3, names=("N", None))
    for _ in range(3):
        target = tl.zeros(2, 3)
        assert target.copy_(source) is target
        assert target.names == ("N", None)
        assert target.rename(None).tolist() == [[1.0] * 3] * 2
    target = tl.zeros(2, 3, names=(None, "C"))
    assert target.copy_(source).names == ("N", "C")
    with pytest.raises(RuntimeError):
        tl.zeros(2, 3, names=("C", None)).copy_(source)
    assert tl.zeros(2, 3).copy_(tl.ones(3, names=("C",))).names == (None, "C")
