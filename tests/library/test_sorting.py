"""Sorting, order statistics, distinct elements and search against PyTorch and NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.core import dtypes
from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.references import agree, same_call, twin

SHAPES = [(3, 4), (2, 3, 5), (1, 5), (5, 1), (0, 3), (7,), ()]
FLAGS = list(itertools.product((False, True), repeat=2))
NUMBERS = st.lists(st.integers(-20, 20), max_size=60)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "expanded"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["sort", "argsort", "median", "nanmedian", "mode", "cummax"])
def test_orders_in_all_layouts(torch, name, shape, kind):
    """Without repeats, so that every index is determined."""
    x = lay_out(np.random.default_rng(3).permutation(int(np.prod(shape))).reshape(shape) * 1.5, kind)
    for dim in range(-max(x.ndim, 1), max(x.ndim, 1)):
        same_call(torch, name, x, dim)
        if name in ("sort", "argsort"):
            same_call(torch, name, x, dim, descending=True)
        elif name != "cummax":
            same_call(torch, name, x, dim, keepdim=True)
    if name in ("median", "nanmedian"):
        same_call(torch, name, x)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "expanded"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_greatest_few_in_all_layouts(torch, shape, kind):
    x = lay_out(np.random.default_rng(3).permutation(int(np.prod(shape))).reshape(shape) * 1.5, kind)
    for dim in range(max(x.ndim, 1)):
        for k in range(1, 7):
            same_call(torch, "topk", x, k, dim)
            same_call(torch, "topk", x, k, dim, largest=False)
            same_call(torch, "kthvalue", x, k, dim)
            same_call(torch, "kthvalue", x, k, dim, keepdim=True)


def _with_everything(torch, t, shape):
    """Elements with repeats and, where the dtype has them, zeros of both signs, infinities and NaN."""
    values = torch.from_numpy(np.random.default_rng(5).integers(0, 9, shape)).to(getattr(torch, t))
    flat = values.reshape(-1)
    if values.is_floating_point():
        specials = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), -float("nan"), -3.0]
        flat[: 2 * len(specials)] = torch.tensor(specials * 2)
    elif values.dtype.is_signed:
        flat[:6] = torch.tensor([-1, torch.iinfo(values.dtype).min, 7, torch.iinfo(values.dtype).max, -1, 0])
    return values


@pytest.mark.parametrize("shape", [(40,), (3, 30), (2, 3, 25)], ids=str)
@pytest.mark.parametrize("t", [t.name for t in dtypes.ALL])
def test_equal_and_special_elements_stay_in_their_order(torch, t, shape):
    theirs = _with_everything(torch, t, shape)
    ours = tl.tensor(theirs.tolist(), dtype=dtypes.by_name(t))
    for dim, descending in itertools.product((0, -1), (False, True)):
        agree(ours.sort(dim, descending), theirs.sort(dim=dim, descending=descending, stable=True))
        size = theirs.shape[dim]
        for k in {1, 2, size // 2, size - 1, size} if t != "bool" else ():
            values, places = ours.topk(k, dim, descending)
            if t not in ("int64", "float64"):  # of 32 bits, where the first of equal elements are chosen
                assert places.tolist() == ours.sort(dim, descending).indices.narrow(dim, 0, k).tolist()
            assert repr(ours.gather(dim, places)) == repr(values)
            agree(values.abs(), theirs.topk(k, dim, descending).values.abs())


def test_the_first_of_few_and_of_many(torch):
    """Of a row that is read once, of one that is numbered, and of one that is too long for that."""
    for size, k in itertools.product((200, 70_000), (1, 16, 17, 150)):
        numbers = np.random.default_rng(size).permutation(size).astype(np.float32)
        agree(tl.tensor(numbers).topk(k), torch.from_numpy(numbers).topk(k))


@pytest.mark.part(5)
@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        *itertools.product([(2, 33_000), (33_000, 2), (33_000,)], ("row", "sliced")),
        *itertools.product([(7, 3, 11), (20,)], KINDS),
    ],
    ids=str,
)
@pytest.mark.parametrize("t", [t.name for t in dtypes.ALL if t is not dtypes.bool])
def test_the_kth_of_few_and_of_many(torch, t, shape, kind):
    """Lines that NumPy parts, and longer ones whose bits are counted, with all that a dtype has."""
    if t in ("float16", "bfloat16"):
        x = lay_out(_with_everything(torch, t, shape).float().numpy(), kind).to(dtypes.by_name(t))
        x = x if kind != "sliced" else x[tuple(slice(None, None, 1 + (size > 9)) for size in shape)]
        theirs = torch.tensor(x.tolist(), dtype=getattr(torch, t))
    else:
        x = lay_out(_with_everything(torch, t, shape).numpy(), kind)
        theirs = twin(torch, x).contiguous()  # PyTorch orders shared cells in place
    for y, z in ((x, theirs), (x.nan_to_num(nan=2.0), theirs.nan_to_num(nan=2.0))):
        for name in ("median", "nanmedian"):
            agree(getattr(y, name)(), getattr(z, name)())
        for dim in range(y.ndim):
            size = y.shape[dim]
            calls = [("median",), ("nanmedian",), *(("kthvalue", k) for k in (1, 2, size // 2, size))]
            for name, *arguments in calls:
                values, places = getattr(y, name)(*arguments, dim)
                agree(values, getattr(z, name)(*arguments, dim).values)
                agree(
                    y.gather(dim, places.unsqueeze(dim)).squeeze(dim),
                    torch.tensor(values.tolist(), dtype=z.dtype),
                )


@pytest.mark.parametrize("least", [-(2**63), -5, 0, 2**63 - 1500])
def test_the_kth_of_integers_between_any_bounds(least):
    for spread in (1, 1400, 2**62 if least < 0 else 1400):
        numbers = np.random.default_rng(1).integers(least, least + spread, 40_000)
        for k in (1, 20_000, 40_000):
            assert tl.tensor(numbers).kthvalue(k).values.item() == np.sort(numbers)[k - 1]
        assert tl.tensor(numbers).median().item() == np.sort(numbers)[19_999]


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_without_numbers(name):
    for shape in ((3,), (40_000,), (2, 3), (40_000, 2)):
        x = tl.full(shape, tl.nan)
        assert getattr(x, name)().isnan()
        values, places = getattr(x, name)(0)
        assert values.isnan().all()
        assert not places.any()


def test_what_is_sorted_leaves_gradients(torch):
    for lib in (tl, torch):
        x = lib.tensor([3.0, 1.0, 2.0], requires_grad=True)
        (x.sort().values * lib.tensor([1.0, 10.0, 100.0])).sum().backward()
        x.topk(1).values.sum().backward()
        assert x.grad.tolist() == [101.0, 1.0, 10.0]


@pytest.mark.parametrize("t", [t.name for t in dtypes.ALL])
def test_orders_of_all_dtypes(torch, t):
    values = [[5, 0, 3, 3], [1, 1, 0, 2]]
    ours, theirs = tl.tensor(values, dtype=dtypes.by_name(t)), torch.tensor(values, dtype=getattr(torch, t))
    agree(ours.sort(1), theirs.sort(dim=1, stable=True))
    agree(ours.sort(0, descending=True), theirs.sort(dim=0, descending=True, stable=True))
    agree(ours.mode(1), theirs.mode(1))
    agree(ours.unique(), theirs.unique())
    for returned in ({"return_inverse": True}, {"return_counts": True, "dim": 1}):
        agree(tl.unique(ours, **returned), torch.unique(theirs, **returned))
    if t != "bool":
        agree(ours.topk(2, 1).values, theirs.topk(2, 1).values)
        agree(ours.median(1).values, theirs.median(1).values)
    if t not in ("bool", "float16", "bfloat16"):
        agree(tl.searchsorted(ours.sort().values, ours), torch.searchsorted(theirs.sort().values, theirs))


@given(NUMBERS, st.booleans())
def test_sorting_is_a_stable_permutation(values, descending):
    x = tl.tensor(values, dtype=tl.int64)
    result, places = x.sort(descending=descending)
    assert result.tolist() == sorted(values, reverse=descending)
    assert sorted(places.tolist()) == list(range(len(values)))
    assert [values[place] for place in places.tolist()] == result.tolist()
    pairs = list(zip(result.tolist(), places.tolist(), strict=True))
    assert all(p < q for (v, p), (w, q) in itertools.pairwise(pairs) if v == w)


@given(NUMBERS.filter(bool), st.data())
def test_the_greatest_few_are_the_end_of_the_sorted(values, data):
    k = data.draw(st.integers(0, len(values)))
    x = tl.tensor(values)
    result, places = x.topk(k)
    assert result.tolist() == sorted(values, reverse=True)[:k]
    assert [values[place] for place in places.tolist()] == result.tolist()
    if k:
        assert x.kthvalue(k).values.item() == sorted(values)[k - 1]
    assert x.median().item() == sorted(values)[(len(values) - 1) // 2]


@given(NUMBERS)
def test_distinct_elements_put_the_tensor_together_again(values):
    x = tl.tensor(values, dtype=tl.int32)
    distinct, inverse, counts = tl.unique(x, return_inverse=True, return_counts=True)
    assert distinct.tolist() == sorted(set(values))
    assert [distinct.tolist()[place] for place in inverse.tolist()] == values
    assert counts.tolist() == [values.count(value) for value in distinct.tolist()]
    runs, numbers, lengths = tl.unique_consecutive(x, return_inverse=True, return_counts=True)
    assert [runs.tolist()[number] for number in numbers.tolist()] == values
    assert sum(lengths.tolist()) == len(values)


@given(NUMBERS, st.integers(-25, 25), st.booleans())
def test_search_finds_where_to_put_a_number(values, number, right):
    places = tl.searchsorted(tl.tensor(sorted(values), dtype=tl.int64), tl.tensor([number]), right=right)
    assert places.item() == int(np.searchsorted(sorted(values), number, "right" if right else "left"))


def test_nan_is_the_greatest():
    nan = float("nan")
    x = tl.tensor([3.0, nan, 1.0, 2.0])
    assert x.sort().indices.tolist() == [2, 3, 0, 1]
    assert x.sort(descending=True).indices.tolist() == [1, 0, 3, 2]
    assert x.topk(2).indices.tolist() == [1, 0]
    assert np.isnan(x.median().item())
    assert x.nanmedian().item() == 2.0
    assert x.median(0).indices.item() == 1
    assert len(tl.tensor([nan, nan, 1.0]).unique()) == 3


def test_search_in_many_sequences_and_by_a_sorter(torch):
    sequences = random_values((3, 7), "float32", 1)
    numbers = random_values((3, 4), "float32", 2)
    order = np.argsort(sequences, axis=1)
    for keywords in ({}, {"right": True}, {"side": "right", "out_int32": True}):
        ours = tl.searchsorted(tl.tensor(sequences), tl.tensor(numbers), sorter=tl.tensor(order), **keywords)
        theirs = torch.searchsorted(
            torch.tensor(sequences), torch.tensor(numbers), sorter=torch.tensor(order), **keywords
        )
        agree(ours, theirs)
    agree(
        tl.bucketize(tl.tensor(numbers), tl.tensor([-1.0, 0.0, 1.0])),
        torch.bucketize(torch.tensor(numbers), torch.tensor([-1.0, 0.0, 1.0])),
    )
    assert tl.searchsorted(tl.tensor([1, 3, 5]), 2.5).tolist() == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.searchsorted(t.zeros(2, 3), 1.0),
        lambda t: t.searchsorted(t.zeros(()), t.zeros(2)),
        lambda t: t.searchsorted(t.zeros(2, 3), t.zeros(3, 3)),
        lambda t: t.searchsorted(t.zeros(3), t.zeros(3), side="middle"),
        lambda t: t.searchsorted(t.zeros(3), t.zeros(3), side="left", right=True),
        lambda t: t.searchsorted(t.zeros(3), t.zeros(3), sorter=t.zeros(3)),
        lambda t: t.searchsorted(t.zeros(3), t.zeros(3), sorter=t.tensor([0, 1, 5])),
        lambda t: t.searchsorted(t.zeros(3), t.zeros(3), sorter=t.tensor([0, 1])),
        lambda t: t.bucketize(t.zeros(3), t.zeros(3, 1)),
        lambda t: t.zeros(3).topk(4),
        lambda t: t.zeros(3).topk(-1),
        lambda t: t.zeros(3).topk(1.0),
        lambda t: t.zeros(3, dtype=t.bool).topk(1),
        lambda t: t.zeros(3).kthvalue(0),
        lambda t: t.zeros(0).kthvalue(1),
        lambda t: t.zeros(3, dtype=t.bool).median(),
        lambda t: t.zeros(3, 0).median(1),
        lambda t: t.zeros(3, 0).mode(1),
        lambda t: t.zeros(3).sort(1),
        lambda t: t.unique(t.zeros(2, 0), dim=0),
        lambda t: t.bincount(t.tensor([-1])),
        lambda t: t.bincount(t.tensor([1.0])),
        lambda t: t.bincount(t.zeros(2, 2, dtype=t.int64)),
        lambda t: t.bincount(t.tensor([1]), minlength=-1),
        lambda t: t.bincount(t.tensor([1]), t.ones(2)),
        lambda t: t.histc(t.tensor([1])),
        lambda t: t.histc(t.ones(2), bins=0),
        lambda t: t.histc(t.ones(2), min=3, max=1),
        lambda t: t.histc(t.tensor([float("inf"), 1.0])),
        lambda t: t.zeros(()).diff(),
        lambda t: t.zeros(3).diff(-1),
        lambda t: t.zeros(2, 3).diff(prepend=t.zeros(3, 1)),
    ],
)
def test_refusals_are_pytorchs(torch, call):
    with pytest.raises((RuntimeError, IndexError, TypeError)) as theirs:
        call(torch)
    kind = RuntimeError if issubclass(theirs.type, RuntimeError) else theirs.type
    with pytest.raises(kind):
        call(tl)


@pytest.mark.part(7)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(2, 1500), (20,), (3, 4, 5), (1,), (0, 3), ()], ids=str)
@pytest.mark.parametrize("t", [t.name for t in dtypes.ALL])
def test_distinct_elements_in_all_layouts(torch, t, shape, kind):
    values = _with_everything(torch, t, shape if int(np.prod(shape)) > 20 else (20,))
    values = values.reshape(-1)[: int(np.prod(shape))].reshape(shape)
    if t in ("float16", "bfloat16"):
        x = lay_out(values.float().numpy(), kind).to(dtypes.by_name(t))
        theirs = torch.tensor(x.tolist(), dtype=getattr(torch, t)).reshape(shape)
    else:
        x = lay_out(values.numpy(), kind)
        theirs = twin(torch, x)
    flags = [dict(zip(("return_inverse", "return_counts"), both, strict=True)) for both in FLAGS]
    for name, wanted in itertools.product(("unique", "unique_consecutive"), flags):
        if name == "unique" and wanted["return_inverse"] and values.isnan().any():
            continue  # PyTorch leaves open which NaN comes first
        agree(getattr(x, name)(**wanted), getattr(theirs, name)(**wanted))
        if 0 not in shape and x.ndim and not values.isnan().any():
            for dim in range(x.ndim):
                agree(getattr(x, name)(**wanted, dim=dim), getattr(theirs, name)(**wanted, dim=dim))
    if values.is_floating_point():  # the first of equal elements
        zeros = [value for value in x.reshape(-1).tolist() if value == 0]
        for found in (x.unique(), x.unique(return_inverse=True)[0]):
            assert [str(value) for value in found.tolist() if value == 0] == list(map(str, zeros[:1]))


def test_distinct_integers_of_64_bits(torch):
    numbers = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, 300).repeat(2)
    for wanted in ({}, {"return_inverse": True}, {"return_counts": True}):
        agree(tl.tensor(numbers).unique(**wanted), torch.tensor(numbers).unique(**wanted))


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 100])
def test_distinct_rows_stay_in_their_order(torch, rows):
    values = np.random.default_rng(rows).integers(0, 3, (rows, 4)).astype(np.float32)
    for wanted in ({}, {"return_inverse": True, "return_counts": True}):
        agree(tl.tensor(values).unique(dim=0, **wanted), torch.tensor(values).unique(dim=0, **wanted))
    ours = tl.tensor([[tl.nan, 1.0], [2.0, tl.nan], [tl.nan, 1.0], [2.0, 0.0]]).unique(dim=0)
    assert str(ours.tolist()) == "[[2.0, 0.0], [2.0, nan], [nan, 1.0], [nan, 1.0]]"


def test_counts(torch):
    numbers = [1, 1, 3, 0, 7]
    for keywords in ({}, {"minlength": 12}):
        agree(tl.bincount(tl.tensor(numbers), **keywords), torch.bincount(torch.tensor(numbers), **keywords))
    for t in ("float32", "float64", "int64", "float16"):
        weights = [0.5, 1, 2, 3, 4]
        agree(
            tl.bincount(tl.tensor(numbers), tl.tensor(weights, dtype=dtypes.by_name(t))),
            torch.bincount(torch.tensor(numbers), torch.tensor(weights, dtype=getattr(torch, t))),
        )
    agree(tl.bincount(tl.tensor([], dtype=tl.int64), minlength=2), torch.tensor([0, 0]))


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("t", ["uint8", "int8", "int16", "int32", "int64"])
def test_counts_of_all_integers_in_all_layouts(torch, t, kind):
    numbers = lay_out(np.random.default_rng(1).integers(0, 100, 70).astype(t), kind)
    weights = lay_out(random_values((70,), "float32", 2), kind)
    agree(tl.bincount(numbers), torch.bincount(twin(torch, numbers)))
    for w in (weights, weights.double(), weights.half(), numbers):
        theirs = twin(torch, w) if w is not numbers else twin(torch, numbers)
        agree(tl.bincount(numbers, w, 200), torch.bincount(twin(torch, numbers), theirs, 200), rtol=1e-5)
    negative = numbers.clone() if t == "uint8" else -numbers
    same_call(torch, "bincount", negative)
    same_call(torch, "bincount", numbers.view(7, 10))


@pytest.mark.parametrize("t", ["float32", "float64"])
def test_histograms(torch, t):
    values = random_values((500,), t, 4)
    for keywords in ({}, {"bins": 7}, {"bins": 5, "min": -3, "max": 8}):
        agree(tl.histc(tl.tensor(values), **keywords), torch.histc(torch.tensor(values), **keywords))
    agree(tl.histc(tl.tensor([2.0, 2.0]), 4), torch.histc(torch.tensor([2.0, 2.0]), 4))


def test_differences(torch):
    values = random_values((3, 4), "int64", 2)
    for arguments in ((), (2,), (1, 0), (0,), (9,)):
        agree(tl.tensor(values).diff(*arguments), torch.tensor(values).diff(*arguments))
    ends = {"prepend": [[0]] * 3, "append": [[5, 6]] * 3}
    agree(
        tl.tensor(values).diff(**{name: tl.tensor(value) for name, value in ends.items()}),
        torch.tensor(values).diff(**{name: torch.tensor(value) for name, value in ends.items()}),
    )
    assert tl.tensor([True, False, False]).diff().tolist() == [True, False]


def test_out_receives_values_and_places():
    values, places = tl.empty(2), tl.empty(2, dtype=tl.int64)
    result = tl.topk(tl.tensor([1.0, 3.0, 2.0]), 2, out=(values, places))
    assert result.values is values
    assert (values.tolist(), places.tolist()) == ([3.0, 2.0], [1, 2])
    tl.sort(tl.tensor([2.0, 1.0]), out=(values, places))
    assert (values.tolist(), places.tolist()) == ([1.0, 2.0], [1, 0])
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype int64, but got int32"):
        tl.sort(tl.tensor([2.0, 1.0]), out=(values, tl.empty(2, dtype=tl.int32)))
