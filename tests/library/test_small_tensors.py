"""Small tensors: what functions give the first time, and again by a plan that is kept."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.core import dtypes
from tests.library.references import agree

# One dtype of each kind will do.
KINDS = ["bool", "int32", "float32", "bfloat16"]
SHAPES = [(4,), (1,), (0,), (2, 3), (3, 1), (2, 1, 1, 1), (2, 3, 1, 2)]


def filled(library, shape, name="float32"):
    count = int(np.prod(shape))
    return library.arange(count).reshape(shape).to(getattr(library, name))


@pytest.mark.parametrize("function", ["cat", "stack"])
@pytest.mark.parametrize("shape", SHAPES)
def test_joining_gives_the_same_again(torch, function, shape):
    for dim in range(-len(shape), len(shape)):
        expected = getattr(torch, function)([filled(torch, shape)] * 3, dim)
        for _ in range(3):
            found = getattr(tl, function)([filled(tl, shape)] * 3, dim)
            agree(found, expected, 0)
            assert found.stride() == expected.stride()
            assert found._version == 0


def test_joining_knows_layouts_and_dtypes_apart(torch):
    def parts(library):
        x = library.arange(6).view(2, 3)
        return x, x.t().contiguous().t(), x.to(library.float32), x + 1

    pairs = zip(
        itertools.product(parts(tl), repeat=2), itertools.product(parts(torch), repeat=2), strict=True
    )
    for ours, theirs in [*pairs] * 2:
        for dim in (0, 1):
            found, expected = tl.cat(ours, dim), torch.cat(theirs, dim)
            agree(found, expected, 0)
            assert found.stride() == expected.stride()


def test_joining_refuses_again_what_it_refused():
    for _ in range(2):
        with pytest.raises(RuntimeError, match="Sizes of tensors must match except in dimension 0"):
            tl.cat([tl.zeros(2, 3), tl.zeros(2, 2)])
        with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
            tl.stack([tl.zeros(2), tl.zeros(3)])
    named = tl.zeros(2, names=("N",))
    tl.cat([tl.zeros(2), tl.zeros(2)])
    assert tl.cat([named, named]).names == ("N",)


@pytest.mark.part(3)
@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin", "mean"])
@pytest.mark.parametrize("t", KINDS)
def test_folds_of_small_tensors(torch, name, t):
    if name == "mean" and not dtypes.by_name(t).is_floating_point:
        return
    for shape in ((5,), (3, 4), (40, 25), (2, 3, 4)):
        ours, theirs = (filled(library, shape, t) % 2 for library in (tl, torch))
        tolerance = 1e-2 if t in ("float16", "bfloat16") else 1e-6
        for dim in (None, *range(-len(shape), len(shape))):
            arguments = () if dim is None else (dim,)
            for _ in range(2):
                agree(getattr(ours, name)(*arguments), getattr(theirs, name)(*arguments), tolerance)
                agree(getattr(tl, name)(ours, *arguments), getattr(theirs, name)(*arguments), tolerance)


def test_folds_beside_their_short_way():
    x = filled(tl, (3, 4))
    assert x.max(x).tolist() == x.tolist()
    assert x.sum([0, 1]).item() == x.sum((0,)).sum().item() == 66
    assert x.sum(0, True).tolist() == [x.sum(0).tolist()]
    assert x[:, ::2].sum(0).tolist() == x.sum(0)[::2].tolist()
    assert [part.tolist() for part in x.max(1)] == [[3, 7, 11], [3, 3, 3]]
    for _ in range(2):
        with pytest.raises(TypeError, match="argument 'dim'"):
            x.sum(1.5)
        with pytest.raises(IndexError, match="Dimension out of range"):
            x.sum(2)


@pytest.mark.parametrize("shape", [(3, 4), (5, 1, 3), (300, 400)])
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "any", "all", "softmax", "log_softmax"])
def test_arguments_by_their_names_mean_what_they_mean_in_their_places(torch, name, shape):
    ours, theirs = (filled(library, shape) % 7 - 3 for library in (tl, torch))
    forms: list[tuple[tuple, dict]] = [((0,), {}), ((), {"dim": -1}), ((), {"dim": 1})]
    if "softmax" not in name:
        forms += [((1, True), {}), ((1,), {"keepdim": True}), ((), {"keepdim": False, "dim": 0}), ((), {})]
    for arguments, names in forms * 2:
        found = getattr(tl, name)(ours, *arguments, **names)
        expected = getattr(torch, name)(theirs, *arguments, **names)
        agree(found, expected, 1e-5)
        assert found.stride() == expected.stride()


@pytest.mark.parametrize("name", ["sum", "mean", "any", "softmax"])
def test_what_equals_an_argument_is_not_taken_for_it(name):
    x = filled(tl, (3, 4))
    function = getattr(x, name)
    for _ in range(2):
        function(1)  # 1, True and 1.0 are one key of a dictionary
        for wrong in (True, 1.0):
            with pytest.raises(TypeError):
                function(wrong)
            with pytest.raises(TypeError):
                function(dim=wrong)
    if name != "softmax":
        function(1, True)
        with pytest.raises(TypeError, match="argument 'keepdim' must be bool"):
            function(1, 1)


def test_equal_elements(torch):
    nan = float("nan")
    for left, right in (
        ([1.0, 2.0], [1.0, 2.0]),
        ([1.0, nan], [1.0, nan]),
        ([0.0], [-0.0]),
        ([], []),
        ([1.0], [[1.0]]),
        ([1.0], [1.0, 1.0]),
        (2.0, 2.0),
    ):
        assert tl.equal(tl.tensor(left), tl.tensor(right)) is torch.equal(
            torch.tensor(left), torch.tensor(right)
        )
    x = filled(tl, (2, 3))
    assert tl.equal(x.t(), x.t().contiguous())
    assert not tl.equal(x.t(), (x + 1).t())


@pytest.mark.parametrize("source", [t.name for t in dtypes.ALL])
def test_casts_of_few_elements(torch, source):
    for target in dtypes.ALL:
        for shape in ((5,), (), (0,), (2, 3)):
            ours, theirs = (filled(library, shape, source) for library in (tl, torch))
            for _ in range(2):
                found, expected = ours.to(target), theirs.to(getattr(torch, target.name))
                agree(found, expected, 0)
                assert found.stride() == expected.stride()
                assert (found is ours) is (expected is theirs)
                assert found._version == 0


def test_one_bound(torch):
    ours, theirs = (filled(library, (2, 3)) - 2 for library in (tl, torch))
    for bounds in ({"min": 0}, {"max": 0.5}, {"min": -1, "max": 1}):
        for _ in range(2):
            agree(ours.clamp(**bounds), theirs.clamp(**bounds), 0)
            agree(ours.t().clamp(**bounds), theirs.t().clamp(**bounds), 0)
    x = tl.tensor([-1.0, 2.0], requires_grad=True)
    assert x.clamp(min=0).grad_fn.name() == "ClampBackward1"
    assert x.clamp(max=tl.tensor(1.0)).grad_fn.name() == "ClampBackward0"


@pytest.mark.parametrize("count", [10, 5000])
def test_index_tensors_and_masks_of_few_and_of_many(count):
    values = np.arange(3 * count, dtype=np.float32).reshape(count, 3)
    index = np.random.default_rng(0).integers(-count, count, count)
    x, places = tl.tensor(values), tl.tensor(index)
    assert x[places].tolist() == values[index].tolist()
    assert x[:, 1][places].tolist() == values[:, 1][index].tolist()
    mask = values % 2 == 0
    assert x[tl.tensor(mask)].tolist() == values[mask].tolist()
    x[tl.tensor(mask)] = -1
    values[mask] = -1
    assert x.tolist() == values.tolist()
    for wrong in (count, -count - 1):
        places[2] = wrong
        with pytest.raises(IndexError, match=rf"index {wrong} is out of bounds .* at \(2,\) of the index"):
            x[places]


def _indexed(library, t, index_type):
    """Tensors and indices to read and add with: vectors, tables in three layouts, and a number."""
    x = filled(library, (6,), t)
    table = filled(library, (4, 6), t)
    places = library.tensor([5, 0, 3, 3]).to(getattr(library, index_type))
    wide = library.tensor([[3, 0, 0], [1, 2, 3]]).to(getattr(library, index_type))
    number = places[1]
    return [
        (x, 0, places, places),
        (x, -1, places, places),
        (x[::2], 0, wide[0, 1:], wide[0, 1:]),
        (table, 0, wide, wide[1]),
        (table, 1, wide, places),
        (table.t(), -1, wide.t()[:, :2], wide[0]),
        (table[1:, ::2], 1, wide[:, 1:] - 1 + wide[:1, 1:] // 3, wide[0, 1:]),
        (x[2], 0, number, number.reshape(1)),
        (x, 0, number, number),
    ]


@pytest.mark.parametrize("index_type", ["int64", "int32"])
@pytest.mark.parametrize("t", KINDS)
def test_indices_are_followed_again_as_the_first_time(torch, t, index_type):
    pairs = zip(_indexed(tl, t, index_type), _indexed(torch, t, index_type), strict=True)
    for (x, dim, index, slices), (theirs, _, their_index, their_slices) in [*pairs] * 2:
        index, their_index = index.clamp(0), their_index.clamp(0)
        for found, expected in (
            (x.gather(dim, index), theirs.gather(dim, their_index)),
            (x.index_select(dim, slices), theirs.index_select(dim, their_slices)),
            (
                x.scatter_add(dim, index, index.to(x.dtype)),
                theirs.scatter_add(dim, their_index, their_index.to(theirs.dtype)),
            ),
        ):
            agree(found, expected, 0)
            assert found.stride() == expected.stride()
            assert found._version == 0


@pytest.mark.parametrize("shape", [(5,), (5, 4), (40_000,)])
def test_indices_outside_are_refused_again(shape):
    x = tl.ones(shape)
    before = x.tolist()
    for wrong in (shape[0], -1, 2**40, -(2**40)):
        good, bad = (tl.zeros(shape, dtype=tl.int64) for _ in range(2))
        bad[(3,) * len(shape)] = wrong
        for _ in range(2):
            x.gather(0, good), x.scatter_add(0, good, x), x.index_select(0, good.reshape(-1))
            with pytest.raises(RuntimeError, match=f"index {wrong} is out of bounds"):
                x.gather(0, bad)
            with pytest.raises(RuntimeError, match=f"index {wrong} is out of bounds"):
                x.scatter_add(0, bad, x)
            with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
                x.index_select(0, bad.reshape(-1))
    assert x.tolist() == before
    for dim in (1.0, len(shape)):
        with pytest.raises((TypeError, IndexError)):
            x.gather(dim, good)


def test_what_is_followed_again_leaves_gradients(torch):
    for lib in (tl, torch):
        x, index = lib.ones(3, requires_grad=True), lib.tensor([2, 0, 2])
        plain = lib.ones(3)
        for _ in range(2):
            plain.gather(0, index), plain.index_select(0, index), plain.scatter_add(0, index, plain)
            x.gather(0, index).sum().backward()
            (x * 1)[:].index_select(0, index).sum().backward()
            plain.scatter_add(0, index, x).sum().backward()
        assert x.grad.tolist() == [6.0, 2.0, 10.0]


@pytest.mark.parametrize("t", KINDS)
def test_running_sums_and_searches_again(torch, t):
    for shape in ((5,), (3, 4), (2, 1, 3), ()):
        ours, theirs = (filled(library, shape, t) % 3 for library in (tl, torch))
        for dim, _ in itertools.product(range(-max(len(shape), 1), max(len(shape), 1)), range(2)):
            agree(ours.cumsum(dim), theirs.cumsum(dim), 0)
            agree(ours.cumprod(dim, dtype=tl.float64), theirs.cumprod(dim, dtype=torch.float64), 0)
            for name, keepdim in itertools.product(("max", "min"), (False, True)):
                agree(getattr(ours, name)(dim, keepdim), getattr(theirs, name)(dim, keepdim), 0)
                if t != "bool":
                    agree(
                        getattr(ours, f"arg{name}")(dim, keepdim), getattr(theirs, f"arg{name}")(dim, keepdim)
                    )
        if t != "bool" and len(shape) == 2:
            agree(ours.t().argmax(), theirs.t().argmax(), 0)
        for wrong in (1.0, len(shape) + 1):
            for call in (ours.cumsum, ours.max, ours.argmin):
                with pytest.raises((TypeError, IndexError, RuntimeError)):
                    call(wrong)


@pytest.mark.parametrize("t", KINDS)
def test_places_that_are_not_zero(torch, t):
    for shape in ((7,), (3, 4), (2, 3, 3), (0,), (2, 0), (), (5000,)):
        ours, theirs = (filled(library, shape, t) % 2 for library in (tl, torch))
        found, expected = ours.nonzero(), theirs.nonzero()
        agree(found, expected, 0)
        assert found.stride() == expected.stride()
        agree(ours.nonzero(as_tuple=True), theirs.nonzero(as_tuple=True), 0)
        assert found._version == 0


def test_running_sums_and_searches_leave_gradients(torch):
    for lib in (tl, torch):
        x, plain = lib.tensor([1.0, 3.0, 2.0], requires_grad=True), lib.ones(3)
        for _ in range(2):
            plain.cumsum(0), plain.max(0)
            x.cumsum(0).sum().backward()
            (x * 2)[:].max(0).values.backward()
        assert x.grad.tolist() == [6.0, 8.0, 2.0]
        assert x.max(0, True).values.requires_grad


@pytest.mark.parametrize("count", [3, 5000])
def test_new_tensors_have_never_been_written(count):
    x = tl.ones(count)
    made = [x, tl.full((count,), 2.5), tl.zeros(count), tl.full_like(x, 7), x.new_ones(count), x.clone()]
    assert [tensor._version for tensor in made] == [0] * len(made)
    assert [tensor[-1].item() for tensor in made] == [1, 2.5, 0, 7, 1, 1]
    x.fill_(3)
    x[0] = 4
    assert x._version == 2
    assert x.sum().item() == 3 * count + 1
    assert tl.full((count,), -0.0).numpy().tobytes() == np.full(count, -0.0, np.float32).tobytes()
    with pytest.raises(RuntimeError, match="value 300 cannot be converted to type uint8"):
        tl.full((count,), 300, dtype=tl.uint8)


def test_writing_is_refused_again():
    target = tl.zeros(3).expand(2, 3)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            target.copy_(tl.ones(2, 3))
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            target.add_(tl.ones(2, 3))
    x = tl.zeros(4)
    x[:2].copy_(tl.ones(2))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            x[1:].copy_(x[:3])


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 4)])
def test_functions_of_three_operands(torch, shape):
    def results(library):
        x, y = filled(library, shape) - 2, filled(library, shape, "float64") * 2
        whole = filled(library, shape, "int32")
        mask = x > 0
        return [
            *(library.where(mask, a, b) for a, b in [(x, y), (x, whole), (whole, 1), (x, 0.5), (1, whole)]),
            library.where(mask, 2.5, y),
            *(x.clamp(low, high) for low, high in [(-1, 2), (-1.5, 1.5), (0.0, math.inf), (1, 0)]),
            whole.clamp(1, 3),
            x.clamp(x - 1, x + 1),
            library.lerp(x, x * 2, 0.25),
            library.addcmul(x, x, x, value=2),
            library.where(mask, x, x.reshape(-1)[:1]),
        ]

    for _ in range(2):
        for found, expected in zip(results(tl), results(torch), strict=True):
            agree(found, expected, 0)
            assert found.stride() == expected.stride()
