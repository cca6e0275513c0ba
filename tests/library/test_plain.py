"""Tensors as bytes and facts, and what the bits of a float say."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.core.float_bits import float32_fields
from tensorlab.io.plain import put_together, take_apart


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_fields_are_the_number(value):
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    sign, significand, exponent = float32_fields(bits)
    assert (-1) ** sign * significand * 2.0**exponent == value
    assert sign == bits >> 31
    assert significand < 2**24
    assert significand >= 2**23 or exponent == -149


def test_infinity_and_nan_have_no_fields():
    for bits, text in [(0x7F800000, "infinity"), (0xFF800000, "infinity"), (0x7FC00000, "not a number")]:
        with pytest.raises(ValueError, match=text):
            float32_fields(bits)
    with pytest.raises(ValueError, match="32 bits"):
        float32_fields(2**32)
    with pytest.raises(TypeError):
        float32_fields(1.0)


def test_views_stay_linked_and_strangers_apart():
    x, stranger = tl.arange(6, dtype=tl.float32), tl.arange(6, dtype=tl.float32)
    tensors = [x.view(2, 3).t(), stranger, x[1:], x]
    storages, records = take_apart(tensors)
    assert [record[0] for record in records] == [0, 1, 0, 0]
    assert storages == [x.untyped_storage().bytes().tobytes()] * 2
    again = put_together(storages, records)
    assert [y.tolist() for y in again] == [y.tolist() for y in tensors]
    assert [y.stride() for y in again] == [y.stride() for y in tensors]
    again[2][0] = 99
    assert again[0][1, 0].item() == again[3][1].item() == 99
    assert again[1][1].item() == x[1].item() == 1


def test_a_record_that_reaches_outside_is_refused():
    with pytest.raises(RuntimeError, match="reaches outside its storage"):
        put_together([bytes(8)], [(0, tl.int64, (2,), (1,), 0)])


def test_a_cast_is_what_to_does():
    x = tl.zeros(2, 3).t()
    assert x.to(tl.float32) is x
    assert x.to(tl.float64).stride() == (1, 3)
    assert x.to(tl.float32, copy=True) is not x
