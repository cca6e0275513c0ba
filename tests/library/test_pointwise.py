"""Pointwise operations against NumPy and PyTorch, in every layout and dtype."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config

import tensorlab as tl
from tensorlab.core import broadcasting, cells, dtypes, memory_formats
from tests.library.layouts import KINDS, lay_out, random_values

BINARY = ["add", "sub", "mul", "truediv", "eq", "ne", "lt", "le", "gt", "ge"]
NUMPY_TYPES = [t.name for t in dtypes.ALL if t.numpy is not None]


def same(ours: tl.Tensor, expected: np.ndarray) -> None:
    assert ours.shape == expected.shape
    np.testing.assert_array_equal(np.asarray(ours), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other_kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (1, 5), (5, 1), (0, 3), (7,), ()], ids=str)
def test_add_in_all_layouts(shape, kind, other_kind):
    x, y = (
        lay_out(random_values(shape, "float32", 1), kind),
        lay_out(random_values(shape, "float32", 2), other_kind),
    )
    result = x + y
    same(result, np.asarray(x) + np.asarray(y))
    strides = [broadcasting.broadcast_strides(t.shape, t.stride(), shape) for t in (x, y)]
    assert result.stride() == memory_formats.elementwise_strides(shape, strides)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 1), (1, 4)), ((4,), (2, 3, 4)), ((), (3, 2)), ((2, 1, 3), (5, 1)), ((0, 1), (1, 4))],
    ids=str,
)
def test_broadcasting(name, a, b):
    function = getattr(operator, name)
    x, y = random_values(a, "float64", 3), random_values(b, "float64", 4)
    with np.errstate(all="ignore"):
        expected = function(x, y)
    same(function(tl.tensor(x), tl.tensor(y)), expected)


@pytest.mark.skipif(config.DISABLE_JIT, reason="the interpreter takes minutes for so many cells")
def test_transposed_operands_that_no_cache_keeps():
    rows, columns = 1500, 1501  # 9 MB, and a last block that is neither high nor wide
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    y = x[::-1].T.copy()
    result = tl.from_numpy(x) + tl.from_numpy(y).t()
    np.testing.assert_array_equal(result.numpy(), x + y.T)
    np.testing.assert_array_equal((tl.from_numpy(y).t() * tl.from_numpy(y).t()).numpy(), y.T * y.T)


def test_operands_are_not_copied_to_be_broadcast():
    row = tl.ones(1, 4)
    assert broadcasting.broadcast_strides(row.shape, row.stride(), (1000, 4)) == (0, 1)


ALL_PAIRS = [("add", a.name, b.name) for a in dtypes.ALL for b in dtypes.ALL]
SOME_PAIRS = [
    (name, first, second)
    for name in BINARY
    for first, second in [
        ("bool", "bool"),
        ("uint8", "int8"),
        ("int64", "float16"),
        ("bfloat16", "float16"),
        ("float64", "int32"),
        ("bool", "float32"),
    ]
]


@pytest.mark.interpreted
@pytest.mark.parametrize(("name", "first", "second"), ALL_PAIRS + SOME_PAIRS)
def test_pairs_of_dtypes_are_pytorchs(torch, name, first, second):
    """One operation for every pair of dtypes, every operation for some pairs: each is a kernel to compile."""
    function = getattr(operator, name)
    a, b = [0, 1, 3, 100, 7], [2, 1, 5, 100, 0]
    ours = [tl.tensor(v, dtype=dtypes.by_name(t)) for v, t in ((a, first), (b, second))]
    theirs = [torch.tensor(v, dtype=getattr(torch, t)) for v, t in ((a, first), (b, second))]
    if name == "sub" and "bool" in (first, second):
        for pair in (ours, theirs):
            with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with"):
                function(*pair)
        return
    result, expected = function(*ours), function(*theirs)
    assert result.dtype.name == str(expected.dtype).removeprefix("torch.")
    np.testing.assert_array_equal(result.tolist(), expected.tolist())


@pytest.mark.interpreted
@pytest.mark.parametrize("t", ["bool", "uint8", "int8", "int64", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("number", [True, 2, -3, 1000, 0.5, float("inf")], ids=str)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
def test_numbers_beside_tensors_are_pytorchs(torch, t, number, name):
    function = getattr(operator, name)
    ours, theirs = (
        tl.tensor([1, 0, 1], dtype=dtypes.by_name(t)),
        torch.tensor([1, 0, 1], dtype=getattr(torch, t)),
    )
    for swap in (False, True):
        pair, reference = ((number, ours), (number, theirs)) if swap else ((ours, number), (theirs, number))
        if name == "sub" and (t == "bool" or number is True):
            for operands in (pair, reference):
                with pytest.raises(RuntimeError, match="Subtraction"):
                    function(*operands)
            continue
        result, expected = function(*pair), function(*reference)
        assert result.dtype.name == str(expected.dtype).removeprefix("torch.")
        np.testing.assert_array_equal(result.tolist(), expected.tolist())


def test_integers_wrap_around():
    assert (tl.tensor([1, 2], dtype=tl.int8) + 1000).tolist() == [-23, -22]
    assert (tl.tensor([200], dtype=tl.uint8) + tl.tensor([100], dtype=tl.uint8)).tolist() == [44]
    assert (-tl.tensor([1], dtype=tl.uint8)).tolist() == [255]
    assert (tl.tensor([2**62]) * 2).tolist() == [-(2**63)]


def test_division():
    assert (tl.tensor([1, 0, -1]) / 0).tolist()[::2] == [float("inf"), float("-inf")]
    assert (tl.tensor([1, 2]) / tl.tensor([2, 4])).dtype is tl.float32


def test_sixteen_bit_floats_compute_in_float32_and_round_once():
    assert (tl.tensor([2048.0], dtype=tl.float16) + 1).tolist() == [2048.0]
    assert (tl.tensor([65504.0], dtype=tl.float16) + 16).tolist() == [float("inf")]
    assert (tl.tensor([256.0], dtype=tl.bfloat16) + tl.tensor([1.0], dtype=tl.bfloat16)).tolist() == [256.0]


@pytest.mark.parametrize("t", ["float16", "bfloat16"])
def test_sixteen_bit_conversions_in_kernels_are_exact(t):
    every = np.arange(2**16, dtype=np.uint16)
    x = tl.tensor(every.view(np.int16))
    halves = tl.empty(2**16, dtype=dtypes.by_name(t))
    halves.untyped_storage().cells(np.dtype(np.uint16))[:] = every
    wide = halves.to(tl.float32)
    np.testing.assert_array_equal(np.asarray(wide), cells.to_float32(every, dtypes.by_name(t)))
    back = wide.to(dtypes.by_name(t)).untyped_storage().cells(np.dtype(np.uint16))
    numbers = ~np.isnan(np.asarray(wide))
    np.testing.assert_array_equal(back[numbers], every[numbers])
    assert x.shape == halves.shape


@settings(max_examples=50)
@given(st.lists(st.floats(width=32), min_size=1, max_size=40))
def test_rounding_to_float16_in_kernels_is_numpys(values):
    singles = np.array(values, np.float32)
    with np.errstate(over="ignore"):
        expected = singles.astype(np.float16)
    np.testing.assert_array_equal(tl.tensor(singles).to(tl.float16).numpy(), expected)


@pytest.mark.parametrize("source", NUMPY_TYPES)
@pytest.mark.parametrize("target", NUMPY_TYPES)
def test_conversions(source, target):
    values = np.array([0, 1, 5, 100], source)
    same(tl.tensor(values).to(dtypes.by_name(target)), values.astype(target))


def test_conversion_drops_the_fraction_and_keeps_the_same_dtype_itself():
    assert tl.tensor([1.9, -1.9, 250.7]).to(tl.uint8).tolist() == [1, 255, 250]
    x = tl.zeros(2)
    assert x.to(tl.float32) is x


def test_in_place_writes_where_the_tensor_lies():
    x = tl.arange(6, dtype=tl.float32).view(2, 3)
    pointer = x.data_ptr()
    x.T.add_(tl.tensor([10.0, 20.0]))
    x -= 1
    x *= 2
    x /= 4
    assert x.tolist() == [[4.5, 5.0, 5.5], [11.0, 11.5, 12.0]]
    assert x.data_ptr() == pointer
    assert x.neg_().tolist() == [[-4.5, -5.0, -5.5], [-11.0, -11.5, -12.0]]


def test_in_place_refuses_what_would_lose_or_grow():
    with pytest.raises(
        RuntimeError, match="result type float32 can't be cast to the desired output type int64"
    ):
        tl.tensor([1, 2]).add_(0.5)
    with pytest.raises(RuntimeError, match="result type float32 can't be cast"):
        tl.tensor([1, 2]).div_(2)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        tl.zeros(3).add_(tl.zeros(2, 3))


def test_overlapping_writes_are_refused():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        tl.zeros(1).as_strided((3,), (0,)).add_(1)
    x = tl.arange(5)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        x[1:].add_(x[:-1])
    with pytest.raises(RuntimeError, match="Please clone"):
        x[1:] = x[:-1]
    x.add_(x)
    assert x.tolist() == [0, 2, 4, 6, 8]


def test_shapes_that_do_not_meet():
    with pytest.raises(
        RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"
    ):
        tl.ones(2, 3) + tl.ones(2)
    with pytest.raises(RuntimeError, match=r"tensor a \(4\) .* tensor b \(3\) at non-singleton dimension 2"):
        tl.ones(2, 3, 4) + tl.ones(2, 3)  # of two dimensions that clash the last is named, as in PyTorch


def test_strangers_are_left_to_python():
    with pytest.raises(TypeError, match="unsupported operand"):
        tl.zeros(2) + "a"
    with pytest.raises(TypeError, match="unsupported operand"):
        None - tl.zeros(2)
    assert (tl.zeros(2) == "a") is False
    assert (tl.zeros(2) != None) is True  # noqa: E711


def test_negation_of_bools_is_refused():
    with pytest.raises(RuntimeError, match="Negation, the `-` operator, on a bool tensor"):
        -tl.zeros(2, dtype=tl.bool)


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other_kind", KINDS)
def test_three_operands_in_all_layouts(kind, other_kind):
    mask = lay_out(random_values((6, 5), "bool", 1), kind)
    x, y = (
        lay_out(random_values((6, 5), "float32", 2), other_kind),
        lay_out(random_values((6, 5), "float32", 3), kind),
    )
    chosen = np.where(np.asarray(mask), np.asarray(x), np.asarray(y))
    same(tl.where(mask, x, y), chosen)
    same(x.masked_fill(mask, 7.0), np.where(np.asarray(mask), np.float32(7), np.asarray(x)))
    low, high = tl.minimum(x, y), tl.maximum(x, y)
    same(tl.clamp(y, low, high), np.asarray(y))
    np.testing.assert_allclose(
        np.asarray(tl.addcmul(x, y, low, value=0.5)),
        np.asarray(x) + 0.5 * np.asarray(y) * np.asarray(low),
        rtol=1e-5,
        atol=1e-5,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_functions_with_a_slow_way_in_all_layouts(kind):
    values = random_values((4, 6), "float64", 5)
    values[0, 1] = 3e8
    x = lay_out(values, kind)
    np.testing.assert_allclose(np.asarray(tl.sin(x)), np.sin(np.asarray(x)), rtol=1e-14)
    y = x.clone()
    np.testing.assert_allclose(np.asarray(y.T.cos_().T), np.cos(np.asarray(x)), rtol=1e-14)


def test_truths_meet_in_every_layout():
    """The compiler keeps a truth in memory as a byte, and computes with a bit."""
    x, y = np.arange(12).reshape(3, 4) % 3 == 0, np.arange(12).reshape(4, 3) % 2 == 0
    a, b = tl.from_numpy(x), tl.from_numpy(y)
    for function in ("logical_and", "bitwise_and", "bitwise_or", "bitwise_xor", "not_equal", "greater"):
        ours, theirs = getattr(tl, function), getattr(np, function)
        assert ours(a, b.t()).tolist() == theirs(x, y.T).tolist()
        assert ours(a.t()[::2], b[::2]).tolist() == theirs(x.T[::2], y[::2]).tolist()
        assert ours(a.expand(2, 3, 4), b.t()).tolist() == theirs(np.broadcast_to(x, (2, 3, 4)), y.T).tolist()
