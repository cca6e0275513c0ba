"""A tensor's facts, its way to Python numbers, and its text."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import tensorlab as tl
from tensorlab import printing
from tensorlab.core import dtypes
from tests.library.layouts import KINDS, lay_out, random_values


def test_the_facts():
    x = tl.zeros(3, 4, dtype=tl.int16)[1:, ::2]
    assert (x.shape, x.stride(), x.storage_offset(), x.dtype) == ((2, 2), (4, 2), 4, tl.int16)
    assert (x.size(), x.size(-1), x.stride(0), x.dim(), x.ndim) == ((2, 2), 2, 4, 2, 2)
    assert (x.numel(), x.nelement(), x.element_size(), x.itemsize, x.nbytes) == (4, 4, 2, 2, 8)
    assert (x.is_contiguous(), x.is_floating_point(), str(x.device)) == (False, False, "cpu")
    for method in (x.stride, x.size):
        with pytest.raises(IndexError, match="Dimension out of range"):
            method(2)
        with pytest.raises(TypeError, match="must be an integer"):
            method(0.5)
    with pytest.raises(IndexError, match="0 dimensions"):
        tl.tensor(1).size(0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 1, 4), (2, 0, 3), (0, 2)], ids=str)
def test_tolist_in_all_layouts(shape, kind):
    x = lay_out(random_values(shape, "int32", 5), kind)
    assert x.tolist() == np.asarray(x).tolist()
    assert list(x.shape) == list(np.asarray(x).shape)


def test_item_and_its_short_forms():
    assert tl.tensor([[2.5]]).item() == 2.5
    assert (int(tl.tensor([3.9])), float(tl.tensor(2)), bool(tl.tensor([0.0]))) == (3, 2.0, False)
    assert [10, 20, 30][tl.tensor(1)] == 20
    assert type(tl.tensor(True).item()) is bool
    for many in (tl.zeros(2), tl.zeros(0)):
        with pytest.raises(RuntimeError, match=r"elements cannot be converted to Scalar"):
            many.item()
        with pytest.raises(RuntimeError, match="Boolean value of Tensor with"):
            bool(many)
        for convert in (int, float):
            with pytest.raises(
                ValueError, match="only one element tensors can be converted to Python scalars"
            ):
                convert(many)
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        [1, 2][tl.tensor(1.0)]


def test_iteration_and_length():
    x = tl.arange(6).view(3, 2)
    assert len(x) == 3
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert next(iter(x)).untyped_storage() is x.untyped_storage()
    with pytest.raises(TypeError, match="len\\(\\) of a 0-d tensor"):
        len(tl.tensor(1))
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(tl.tensor(1))


def test_tensors_are_keys_by_identity():
    x, y = tl.zeros(2), tl.zeros(2)
    assert {x: 1, y: 2}[x] == 1


def test_format():
    assert f"{tl.tensor(3.14159):.2f}" == "3.14"
    assert f"{tl.tensor([1, 2])}" == "tensor([1, 2])"
    assert (f"{tl.tensor(3)}", f"{tl.tensor(3)!r}", f"{tl.tensor(3):05d}") == ("3", "tensor(3)", "00003")
    assert "%s %.1f %d" % (tl.tensor(3), tl.tensor(2.25), tl.tensor(7)) == "tensor(3) 2.2 7"  # noqa: UP031
    with pytest.raises(TypeError, match=r"unsupported format string passed to Tensor\.__format__"):
        f"{tl.tensor([1.5]):.2f}"


def test_contains_asks_for_any_equal_pair():
    x = tl.arange(6.0).view(2, 3)
    assert [v in x for v in (3, 7, 3.0, True, 1j, 3 + 0j, np.float32(3))] == [
        True,
        False,
        True,
        True,
        False,
        True,
        True,
    ]
    assert tl.tensor([9.0, 9, 2]) in x
    assert tl.tensor([2.0, 0, 0]) not in x
    assert math.nan not in tl.tensor([math.nan])
    assert 0 not in tl.zeros(0)
    for stranger in ("a", None, [1]):
        with pytest.raises(RuntimeError, match="only supports Tensor or scalar, but you passed in"):
            stranger in x  # noqa: B015


def test_complex_and_float_of_one_element():
    assert complex(tl.tensor([2.5])) == 2.5
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        int(tl.tensor(math.nan))
    with pytest.raises(OverflowError):
        int(tl.tensor(math.inf))


SIZES = {
    "slice": lambda s: s[1:],
    "step": lambda s: s[::2],
    "item": lambda s: s[-1],
    "add": lambda s: operator.add(s, (5,)),
    "add a size": lambda s: s + s,
    "add a list": lambda s: operator.add(s, [1]),
    "add text": lambda s: operator.add(s, ("a",)),
    "after a tuple": lambda s: operator.add((5,), s),
    "after a list": lambda s: operator.add([1], s),
    "mul": lambda s: s * 2,
    "rmul": lambda s: 2 * s,
    "mul by nothing": lambda s: s * 0,
    "mul by a float": lambda s: s * 1.5,
    "equal": lambda s: s == (2, 3, 4),
    "hash": lambda s: hash(s) == hash((2, 3, 4)),
    "of a float": lambda s: type(s)([1.5]),
    "of text": lambda s: type(s)("a"),
    "of a bool": lambda s: type(s)([True]),
    "of a negative": lambda s: type(s)([-1, 2]).numel(),
    "of a generator": lambda s: type(s)(i for i in (1, 2)),
    "of an int": lambda s: type(s)(3),
    "of two": lambda s: type(s)(2, 3),
    "of nothing": lambda s: (type(s)(), type(s)().numel()),
    "numel": lambda s: s.numel(),
}


@pytest.mark.parametrize("name", SIZES)
def test_size_is_pytorchs(torch, name):
    def outcome(size):
        try:
            result = SIZES[name](size((2, 3, 4)))
        except Exception as error:
            return type(error)
        return repr(result).replace("torch.", "tensorlab.")

    assert outcome(tl.Size) == outcome(torch.Size)


nan, inf = math.nan, math.inf
PRINTED = [
    [1.0, 2.0],
    [1.5, 2.0],
    [1e-5, 1.0],
    [1e9, 1.0],
    [123456.0, 0.5],
    [0.001, 0.9],
    [nan, 1.0, inf],
    [nan, 1.5, -inf],
    [0.0, 0.0],
    [-1.0, 10.0],
    [1e-8],
    [100000000.0],
    [200000000.0],
    [1, -20, 300],
    [True, False],
    [[1.5, -2.25], [3.0, 4.0]],
    [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
    [],
    [[], []],
    3,
    2.5,
    1e10,
    list(range(100)),
    [x / 7 for x in range(40)],
]


TYPES = [None, "float16", "bfloat16", "float64", "int32", "uint8", "bool"]


def fits(data, t):
    numbers = np.array(data, dtype=object).reshape(-1).tolist()
    return t not in ("int32", "uint8") or all(0 <= number < 250 for number in numbers)


@pytest.mark.parametrize(
    ("data", "t"), [(data, t) for data in PRINTED for t in TYPES if fits(data, t)], ids=lambda v: str(v)[:30]
)
def test_repr_is_pytorchs(torch, data, t):
    ours = tl.tensor(data, dtype=None if t is None else dtypes.by_name(t))
    theirs = torch.tensor(data, dtype=None if t is None else getattr(torch, t))
    assert repr(ours) == repr(theirs).replace("torch.", "tensorlab.")


@pytest.mark.parametrize(
    "shape", [(1001,), (40, 50), (3, 30, 30), (7, 1, 200), (2, 2, 2, 200), (1200, 1)], ids=str
)
def test_repr_of_large_tensors_is_pytorchs(torch, shape):
    values = np.arange(math.prod(shape)).reshape(shape)
    assert repr(tl.tensor(values)) == repr(torch.tensor(values))
    assert repr(tl.tensor(values / 3).to(tl.float32)) == repr(torch.tensor(values / 3, dtype=torch.float32))


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2},
        {"threshold": 5, "edgeitems": 1},
        {"linewidth": 30},
        {"sci_mode": True},
        {"sci_mode": False},
        {"profile": "short"},
        {"profile": "full"},
    ],
    ids=str,
)
def test_set_printoptions_is_pytorchs(torch, options):
    values = np.arange(1200).reshape(30, 40) / 7
    small = np.array([0.5, 100000.0])
    try:
        for module in (tl, torch):
            module.set_printoptions(profile="default")
            module.set_printoptions(**options)
        for array in (values, small):
            assert repr(tl.tensor(array).to(tl.float32)) == repr(torch.tensor(array, dtype=torch.float32))
    finally:
        for module in (tl, torch):
            module.set_printoptions(profile="default")
    with pytest.raises(ValueError, match="no print profile is called 'long'"):
        tl.set_printoptions(profile="long")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "expanded"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (2, 0), (0, 2)], ids=str)
def test_nested_repr_is_the_text_of_the_nested_list(shape, kind):
    x = lay_out(random_values(shape, "int32", 6), kind)
    text = printing.nested_repr(x.storage().tolist(), x.shape, x.stride(), x.storage_offset())
    assert text == repr(x.tolist())
