"""Element types, their promotion, and how numbers become bits."""

from __future__ import annotations

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.core import cells, dtypes


def test_item_sizes():
    assert {t.name: t.itemsize for t in dtypes.ALL} == {
        "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8,
        "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
    }  # fmt: skip


def test_there_is_one_object_per_type():
    for t in dtypes.ALL:
        assert dtypes.by_name(t.name) is t
        assert pickle.loads(pickle.dumps(t)) is t
        assert copy.deepcopy(t) is t
    assert tl.long is tl.int64
    assert tl.half is tl.float16
    with pytest.raises(TypeError, match="no dtype is called 'float31'"):
        dtypes.by_name("float31")


def test_numpy_types_without_a_counterpart_are_refused():
    assert dtypes.from_numpy_dtype(np.dtype("int16")) is tl.int16
    for name in ("complex64", "uint16", "U3", ">u2"):
        with pytest.raises(TypeError, match="can't convert a NumPy array of type"):
            dtypes.from_numpy_dtype(np.dtype(name))
    with pytest.raises(ValueError, match="byte order different from the native byte order"):
        dtypes.from_numpy_dtype(np.dtype(">f4"))


def test_promotion_is_pytorchs(torch):
    for a, b in itertools.product(dtypes.ALL, repeat=2):
        expected = torch.promote_types(getattr(torch, a.name), getattr(torch, b.name))
        assert tl.promote_types(a, b).name == str(expected).removeprefix("torch."), (a, b)


def test_promotion_is_a_lattice():
    """Commutative, idempotent, associative: the order in which operands meet does not matter."""
    for a, b in itertools.product(dtypes.ALL, repeat=2):
        assert tl.promote_types(a, b) is tl.promote_types(b, a)
    for a in dtypes.ALL:
        assert tl.promote_types(a, a) is a
    for a, b, c in itertools.product(dtypes.ALL, repeat=3):
        left = tl.promote_types(tl.promote_types(a, b), c)
        assert left is tl.promote_types(a, tl.promote_types(b, c))


def operands_of_all_kinds(module):
    kinds = [True, 3, 0.5]
    for t in dtypes.ALL:
        dtype = getattr(module, t.name)
        kinds += [module.zeros(2, dtype=dtype), module.tensor(0, dtype=dtype)]
    return kinds


def test_result_type_is_pytorchs(torch):
    ours, theirs = operands_of_all_kinds(tl), operands_of_all_kinds(torch)
    for (a, x), (b, y) in itertools.product(zip(ours, theirs, strict=True), repeat=2):
        if isinstance(a, tl.Tensor) or isinstance(b, tl.Tensor):
            expected = str(torch.result_type(x, y)).removeprefix("torch.")
            assert tl.result_type(a, b).name == expected, (a, b)


def test_default_dtype():
    tl.set_default_dtype(tl.float64)
    try:
        assert tl.tensor(1.5).dtype is tl.float64
        assert tl.zeros(1).dtype is tl.float64
        assert (tl.tensor([1]) + 0.5).dtype is tl.float64
    finally:
        tl.set_default_dtype(tl.float32)
    with pytest.raises(TypeError, match="must be a floating-point dtype"):
        tl.set_default_dtype(tl.int32)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_all_sixteen_bit_floats_survive_the_way_to_float32_and_back(name):
    t = dtypes.by_name(name)
    bits = np.arange(2**16, dtype=np.uint16)
    values = cells.to_float32(bits, t)
    finite = ~np.isnan(values)
    assert (cells.from_float32(values, t)[finite] == bits[finite]).all()
    assert np.isnan(cells.to_float32(cells.from_float32(values[~finite], t), t)).all()


@given(st.floats(width=32, allow_nan=False))
def test_bfloat16_rounds_to_the_nearest_and_ties_to_even(value):
    single = np.array([value], np.float32)
    bits = int(cells.from_float32(single, tl.bfloat16)[0])
    exact = single.view(np.uint32)[0] / 65536  # the bits of a bfloat16, with a fraction
    assert abs(bits - exact) <= 0.5
    if abs(bits - exact) == 0.5:
        assert bits % 2 == 0


@pytest.mark.parametrize("t", [t for t in dtypes.ALL if t.category == dtypes.INTEGER], ids=lambda t: t.name)
def test_integers_hold_their_range_and_refuse_the_next(t):
    low, high = dtypes.integer_range(t)
    assert int(cells.encode_one(low, t)) == low
    assert int(cells.encode_one(high, t)) == high
    for beyond in (high + 1, math.inf, math.nan, low - 1 if t.is_signed else -high - 1):
        with pytest.raises(RuntimeError, match=f"cannot be converted to type {t.name} without overflow"):
            cells.encode_one(beyond, t)


@given(st.integers(-(2**70), 2**70))
def test_wrap_integer_is_arithmetic_modulo_two_to_the_bits(value):
    wrapped = cells.wrap_integer(value, tl.int8)
    assert -128 <= wrapped <= 127
    assert (wrapped - value) % 256 == 0


def test_floats_lose_their_fraction_as_integers():
    assert [int(cells.encode_one(v, tl.int32)) for v in (1.9, -1.9, 0.5)] == [1, -1, 0]


def test_floats_beyond_the_range_become_infinite():
    assert tl.tensor([1e40, -1e40]).tolist() == [math.inf, -math.inf]
    assert tl.tensor([1e6], dtype=tl.float16).tolist() == [math.inf]
