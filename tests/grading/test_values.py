"""Plain values through the wall: what goes out comes back, and nothing else gets in."""

from __future__ import annotations

import contextlib
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlab.core import dtypes
from tensorlab.grading.inside import calls, frames, values
from tensorlab.grading.outcomes import BadReply, Raised, outcome

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**values.MAX_BITS) + 1, 2**values.MAX_BITS - 1)
    | st.floats()
    | st.text()
    | st.binary()
    | st.sampled_from(dtypes.ALL),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.builds(slice, inner, inner, inner),
    max_leaves=30,
)
anything_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["int", "list", "str", "none", "x"]), inner)
        | st.dictionaries(
            st.sampled_from(["list of int", "tuple of float"]), inner | st.binary().map(bytes.hex)
        )
        | st.lists(st.sampled_from(["float32", "00" * 24, "00" * 40]) | inner, min_size=3, max_size=3).map(
            lambda told: {"tensor": told}
        )
    ),
    max_leaves=20,
)


def through_a_frame(message):
    data = bytearray(frames.pack(message))

    def take(count):
        taken = bytes(data[:count])
        del data[:count]
        return taken

    return frames.read(take, frames.MAX_REPLY)


@given(plain)
def test_plain_values_come_back_the_same(value):
    back = values.decode(through_a_frame({"value": values.encode(value)})["value"])
    expected = values.decode(values.encode(value))
    assert values.same(back, expected)
    if not _has_text(value):  # text comes back with its control characters escaped
        assert values.same(back, value)


def _has_text(value):
    if isinstance(value, slice):
        value = (value.start, value.stop, value.step)
    return isinstance(value, str) or (isinstance(value, (list, tuple)) and any(map(_has_text, value)))


@pytest.mark.parametrize(
    "value", [(1, -2), [1.5, math.inf], (), (1, True), [1, 2.5], ([1], [2.5]), [2**4000]]
)
def test_rows_of_numbers_keep_every_type(value):
    assert values.same(values.decode(through_a_frame(values.encode(value))), value)


@given(anything_json)
def test_the_decoder_takes_nothing_else(node):
    try:
        value = values.decode(node)
    except values.NotPlain:
        return
    assert value is None or type(value) in (bool, int, float, str, tuple, list, values.Opaque, dtypes.dtype)


@given(st.dictionaries(st.sampled_from(["returned", "raised", "id"]), anything_json))
def test_no_reply_breaks_the_reader(reply):
    with contextlib.suppress(BadReply):
        outcome(reply)


class Pretender(int):
    pass


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (np.int64(6), "numpy.int64"),
        (np.zeros(2), "numpy.ndarray"),
        (Pretender(6), "tests.Pretender"),
        ({1: 2}, "dict"),
        (..., "ellipsis"),
        (1 << 5000, "int (more than 4096 bits)"),
        ("x" * 100_000, "str (too large to send)"),
        ([0] * 100_000, "list (too large to send)"),
    ],
)
def test_what_is_not_plain_is_described_by_its_type(value, described):
    opaque = values.decode(values.encode(value))
    assert isinstance(opaque, values.Opaque)
    assert opaque.type_name.endswith(described.rpartition(".")[2] if "Pretender" in described else described)


def test_a_list_in_itself_is_too_deep():
    loop = []
    loop.append(loop)
    assert "nested deeper" in values.encode(loop)["opaque"]


def test_the_largest_plain_value_fits_a_frame():
    text = "\U0001f600" * (values.MAX_SIZE - 20)
    assert "str" in values.encode(text)
    assert len(frames.pack({"returned": values.encode(text)})) <= frames.MAX_REPLY


@pytest.mark.parametrize(("number", "costs"), [(-math.ulp(0.0), 20), (2**4095, 20 + 1024)])
def test_the_longest_row_of_numbers_fits_a_frame(number, costs):
    row = (number,) * (values.MAX_SIZE // costs - 1)
    assert values.decode(values.encode(row)) == row
    assert len(frames.pack({"returned": values.encode(row)})) <= frames.MAX_REPLY
    assert "too large" in values.decode(values.encode(row + row)).type_name


@pytest.mark.parametrize(
    "node",
    [
        {"int": "0x" + "f" * 2000},
        {"int": 6},
        {"float": "1" * 50},
        {"float": "0x1p99999999999"},
        {"bool": 1},
        {"none": None},
        {"dtype": "complex64"},
        {"list": "ab"},
        {"list of int": "12"},
        {"list of int": "0x" + "0" * 14},
        {"list of int": ["0" * 16]},
        {"tuple of float": "0" * 15},
        {"tuple of float": "g" * 16},
        {"tuple of str": "00" * 8},
        {"tensor": []},
        {"tensor": ["float32", "00" * 16, {"tuple": []}]},
        {"tensor": ["float33", "00" * 24, {"tuple": []}]},
        {"tensor": ["float32", "00" * 24, {"list": []}]},
        {"list": [6]},
        {"eval": "1"},
        {},
        {"int": "0x1", "str": "a"},
        [],
        "6",
        None,
    ],
)
def test_descriptions_of_nothing(node):
    with pytest.raises(values.NotPlain):
        values.decode(node)


def test_same_looks_at_types_all_the_way_down():
    assert values.same((1, [2.0, None]), (1, [2.0, None]))
    assert values.same([math.nan], [math.nan])
    for got, want in [(True, 1), (6.0, 6), ([1], (1,)), ((1, True), (1, 1)), ((1,), (1, 1)), ("6", 6)]:
        assert not values.same(got, want)
    opaque = values.Opaque("numpy.int64")
    assert not values.same(opaque, opaque)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"[1]",
        b"7",
        b"NaN",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"\xff",
        b"[" * 10_000,
        b'{"a": ' + b"9" * 9999 + b"}",
    ],
)
def test_frames_hold_one_bounded_json_object(payload):
    with pytest.raises(frames.FrameError):
        frames.unpack(payload)


@given(st.binary(max_size=40))
def test_no_bytes_break_the_frame_reader(data):
    rest = bytearray(data)

    def take(count):
        taken = bytes(rest[:count])
        del rest[:count]
        return taken

    try:
        message = frames.read(take, frames.MAX_REPLY)
    except frames.FrameError:
        return
    assert message is None or isinstance(message, dict)


def test_a_frame_longer_than_the_limit_is_not_read():
    def take(count):
        assert count == 4, "only the header"
        return b"\x7f\xff\xff\xff"

    with pytest.raises(frames.FrameError, match="the limit"):
        frames.read(take, frames.MAX_REPLY)


def test_an_exception_is_described_in_plain_words():
    class Odd(LookupError):
        def __str__(self):
            raise ValueError("no text")

    def fail():
        raise Odd

    raised = outcome(calls.call(fail, ()))
    assert isinstance(raised, Raised)
    assert (raised.kind, raised.message) == ("LookupError", "(its text could not be read: ValueError)")
    assert raised.source == "raise Odd"


def test_descriptions_of_exceptions_are_bounded_and_harmless():
    described = {
        "kind": "ValueError",
        "type": "<b>x",
        "message": "\x1b[1m" + "y" * 10**6,
        "line": 10**9,
        "source": "z" * 10**6,
    }
    raised = outcome({"raised": described})
    assert raised.type == "ValueError"
    assert raised.message.startswith("\\x1b[1m")
    assert len(raised.message) <= calls.MAX_MESSAGE + 3
    assert raised.line == 0
    assert len(raised.source) <= calls.MAX_LINE
    with pytest.raises(BadReply):
        outcome({"raised": described | {"kind": "print"}})
    json.dumps(str(raised))


def test_the_refusal_is_the_text_that_the_switched_off_function_raises():
    parts = calls.Parts(["tensorlab.core.layout:numel"])
    from tensorlab.core import layout

    with parts.without("tensorlab.core.layout:numel"):
        raised = outcome(calls.call(layout.numel, ((2, 3),)))
    assert raised.message == calls.REFUSAL
    assert layout.numel((2, 3)) == 6


def test_an_operator_that_does_the_same_work_is_switched_off_too():
    part = "tensorlab.ops.matmul:matmul"
    parts = calls.Parts([part])
    import tensorlab as tl

    x = tl.ones(2, 2)
    with parts.without(part):
        for student in (lambda: x @ x, lambda: tl.matmul(x, x), lambda: x.matmul(x)):
            assert outcome(calls.call(student, ())).message == calls.REFUSAL
        assert tl.mm(x, x).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert (x @ x).tolist() == [[2.0, 2.0], [2.0, 2.0]]
