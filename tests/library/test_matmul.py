"""Matrix products of all ranks, layouts and dtypes, against NumPy, float64 and PyTorch."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.backends.cpu import threads
from tensorlab.core import dtypes
from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.test_kernels import run

SHAPES = [
    ((3,), (3,)),
    ((1,), (1,)),
    ((0,), (0,)),
    ((4, 3), (3,)),
    ((3,), (3, 5)),
    ((4, 3), (3, 5)),
    ((1, 1), (1, 1)),
    ((2, 0), (0, 3)),
    ((0, 2), (2, 3)),
    ((2, 3), (3, 0)),
    ((17, 33), (33, 19)),
    ((2, 4, 3), (3,)),
    ((3,), (2, 3, 5)),
    ((2, 4, 3), (3, 5)),
    ((4, 3), (2, 3, 5)),
    ((2, 4, 3), (2, 3, 5)),
    ((1, 4, 3), (2, 3, 5)),
    ((6, 1, 4, 3), (2, 3, 5)),
    ((6, 1, 1, 3), (1, 2, 3, 5)),
    ((0, 4, 3), (3, 5)),
    ((2, 4, 0), (2, 0, 5)),
    ((5, 1, 3), (3, 4)),
    ((2, 2, 3), (2, 3, 2)),
]


def whole_numbers(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """float32 values whose products and sums are exact, so that results must agree to the bit."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32)


def laid_out(shape: tuple[int, ...], kind: str, seed: int) -> tl.Tensor:
    """Whole numbers in a layout; what has no elements has no first row that could be expanded."""
    return lay_out(whole_numbers(shape, seed), "row" if 0 in shape and kind == "expanded" else kind)


@pytest.mark.parametrize(("a", "b"), SHAPES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other_kind", KINDS)
def test_all_ranks_in_all_layouts(a, b, kind, other_kind):
    x, y = laid_out(a, kind, 1), laid_out(b, other_kind, 2)
    result = x @ y
    expected = np.asarray(x) @ np.asarray(y)
    assert result.shape == expected.shape
    assert result.stride() == tl.layout.default_strides(expected.shape)
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize(("a", "b"), SHAPES, ids=str)
def test_shape_and_stride_are_pytorchs(torch, a, b):
    ours, theirs = tl.ones(a) @ tl.ones(b), torch.ones(a) @ torch.ones(b)
    assert (tuple(ours.shape), ours.stride()) == (tuple(theirs.shape), theirs.stride())
    np.testing.assert_array_equal(np.asarray(ours), theirs.numpy())


NUMBERS = [t.name for t in dtypes.ALL if t is not dtypes.bool]


@pytest.mark.interpreted
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("sizes", [(5, 7, 6), (1, 9, 1), (2, 5, 9), (9, 6, 2)], ids=str)
def test_dtypes_are_pytorchs(torch, name, sizes):
    m, k, n = sizes
    theirs = [
        torch.from_numpy(random_values(s, "int64", i)).to(getattr(torch, name))
        for i, s in enumerate([(m, k), (k, n)])
    ]
    ours = [
        tl.tensor(random_values(s, "int64", i)).to(dtypes.by_name(name))
        for i, s in enumerate([(m, k), (k, n)])
    ]
    expected = theirs[0] @ theirs[1]
    for transposed in (False, True):
        x = ours[0].T.contiguous().T if transposed else ours[0]
        result = x @ ours[1]
        assert result.dtype.name == name
        if dtypes.by_name(name).is_floating_point and result.element_size() == 2:
            exact = [t.to(torch.float64) for t in theirs]
            nearest = (exact[0] @ exact[1]).to(getattr(torch, name))
            assert result.tolist() == nearest.tolist()
        else:
            assert result.tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["float32", "float16", "int64"])
def test_blocks_and_their_edges(monkeypatch, name):
    """Sizes beyond every block, none a multiple of anything; numbers so small that every sum is exact."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (133, 260)), rng.integers(-1, 2, (260, 517))
    expected = x @ y
    monkeypatch.setattr(threads, "team_for", lambda work: 1)
    element_type = dtypes.by_name(name)
    for left, right in [(x, y), (x.T.copy().T, y), (x, y.T.copy().T), (x.T.copy().T, y.T.copy().T)]:
        result = tl.tensor(left).to(element_type) @ tl.tensor(right).to(element_type)
        np.testing.assert_array_equal(np.asarray(result.to(tl.float64)), expected)


@pytest.mark.parametrize("name", ["float32", "float16", "int8"])
@pytest.mark.parametrize(
    "sizes", [(9, 3000, 2), (2, 2100, 1), (600, 9, 2), (1, 40, 700), (1100, 33, 1)], ids=str
)
def test_narrow_products_of_operands_that_are_no_runs(name, sizes):
    m, k, n = sizes
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (m, k)).astype(name), rng.integers(-1, 2, (k, n)).astype(name)
    for first, second in itertools.product(KINDS, repeat=2):
        left, right = lay_out(x, first), lay_out(y, second)
        expected = np.asarray(left).astype(np.int64) @ np.asarray(right).astype(np.int64)
        np.testing.assert_array_equal(np.asarray(left @ right), expected.astype(name))


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(64, 1000, 64), (300, 300, 300), (1, 5000, 1), (2, 3000, 65)], ids=str)
def test_rounding_errors_stay_small(name, sizes):
    m, k, n = sizes
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(m, k)).astype(name), rng.normal(size=(k, n)).astype(name)
    wide = np.longdouble if name == "float64" else np.float64
    exact = x.astype(wide) @ y.astype(wide)
    # A sum of k products is off by about sqrt(k) roundings of the sum of magnitudes; 8 times that is far out.
    bound = 8 * np.sqrt(k) * np.finfo(name).eps * np.sqrt(k)
    assert np.abs(np.asarray(tl.tensor(x) @ tl.tensor(y)) - exact).max() < bound


def test_sixteen_bit_products_round_once():
    # 2048 + 1 is no float16: had the sum been rounded at each step, it would stay 2048
    ones = tl.full((1, 2051), 1.0, dtype=tl.float16)
    assert (ones @ ones.T).tolist() == [[2052.0]]
    assert (tl.full((300, 2051), 1.0, dtype=tl.float16) @ ones.T)[7].tolist() == [2052.0]


@pytest.mark.parametrize(
    "sizes",
    [
        (64, 64, 64),
        (130, 33, 70),
        (1, 700, 700),
        (700, 700, 1),
        (3, 600, 1000),
        (1000, 4001, 1),
        (30_000, 30, 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
def test_threads_do_not_change_a_bit(monkeypatch, sizes, batch):
    m, k, n = sizes
    rng = np.random.default_rng(2)
    x, y = (tl.tensor(rng.normal(size=(*batch, *s)).astype(np.float32)) for s in ((m, k), (k, n)))
    results = []
    for team in (1, 2, 4):
        monkeypatch.setattr(threads, "team_for", lambda work, team=team: min(team, threads.get_num_threads()))
        results.append(tl.addmm(tl.zeros(()), x, y) if not batch else tl.baddbmm(tl.zeros(()), x, y))
        results.append(x @ y)
        results.append(x @ y.mT.contiguous().mT)
    for i, result in enumerate(results):
        np.testing.assert_array_equal(np.asarray(result), np.asarray(results[i % 3]))
    np.testing.assert_allclose(np.asarray(results[0]), np.asarray(x) @ np.asarray(y), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("sizes", [(250, 250, 250), (130, 384, 300), (7, 300, 900), (2, 37, 90)], ids=str)
def test_the_short_kernels_give_the_same_bits(monkeypatch, sizes):
    """On one thread a product that lies well takes another kernel than the one that threads share."""
    m, k, n = sizes
    rng = np.random.default_rng(3)
    x, y = (tl.tensor(rng.normal(size=size).astype(np.float32)) for size in ((m, k), (k, n)))
    wide = tl.zeros(m, 2 * k)
    wide[:, ::2] = x
    for a, b in itertools.product((x, x.t().contiguous().t(), wide[:, ::2]), (y, y.t().contiguous().t())):
        for team in (1, 4):
            most = min(team, threads.get_num_threads())
            monkeypatch.setattr(threads, "team_for", lambda work, most=most: most)
            np.testing.assert_array_equal(np.asarray(a @ b), np.asarray(tl.addmm(tl.zeros(()), a, b)))


def test_infinities_and_nan_are_kept():
    x = tl.tensor([[float("inf"), 1.0], [0.0, float("nan")]])
    assert (x @ tl.ones(2, 3))[0].tolist() == [float("inf")] * 3
    assert np.isnan(np.asarray(x @ tl.ones(2, 3))[1]).all()


@st.composite
def problems(draw):
    m, k, n = (draw(st.integers(0, 9)) for _ in range(3))
    batch = draw(st.lists(st.integers(0, 3), max_size=2))
    drop, ones = draw(st.integers(0, len(batch))), draw(st.lists(st.booleans(), min_size=4, max_size=4))
    first = [1 if one else size for size, one in zip(batch, ones, strict=False)]
    second = [1 if one else size for size, one in zip(batch[drop:], ones[2:], strict=False)]
    return (*first, m, k), (*second, k, n), draw(st.integers(0, 2**32 - 1))


@settings(max_examples=150)
@given(problems())
def test_random_shapes_and_strides_against_numpy(problem):
    a, b, seed = problem
    rng = np.random.default_rng(seed)
    operands = []
    for shape in (a, b):
        order = rng.permutation(len(shape))
        wide = whole_numbers(tuple(shape[d] * 2 + 1 for d in order), int(rng.integers(1 << 30)))
        sliced = wide[
            tuple(slice(1, 2 * shape[d] + 1, 2) if rng.integers(2) else slice(0, shape[d]) for d in order)
        ]
        operands.append(sliced.transpose(np.argsort(order)))
    ours = [tl.from_numpy(operand) for operand in operands]
    np.testing.assert_array_equal(np.asarray(ours[0] @ ours[1]), operands[0] @ operands[1])


def test_broadcast_operands_are_not_copied():
    """A batch of a million broadcast matrices would not fit into memory as a copy."""
    x = tl.ones(1, 3).as_strided((1, 1 << 20, 1 << 12), (0, 0, 0))
    assert x.shape[1] * x.shape[2] * 4 > 1 << 33
    y = x[:, :4, :8] @ tl.ones(8, 2)
    assert y.tolist() == [[[8.0, 8.0]] * 4]
    a = tl.ones(1, 4, 4).as_strided((100_000, 4, 4), (0, 4, 1))
    assert (a @ tl.ones(4)).shape == (100_000, 4)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (
            (2, 3),
            (4, 5),
            r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 4x5\): the last size of the first, 3",
        ),
        ((3,), (4,), r"inconsistent tensor size, expected tensor \[3\] and src \[4\]"),
        ((2, 3), (4,), r"size mismatch, got input \(2\), mat \(2x3\), vec \(4\)"),
        ((3,), (4, 5), r"cannot be multiplied \(1x3 and 4x5\)"),
        ((2, 2, 3), (3, 3, 5), r"The size of tensor a \(2\) must match the size of tensor b \(3\)"),
        ((2, 2, 3), (2, 4, 5), r"\(2x3 and 4x5\).*the shapes are \(2, 2, 3\) and \(2, 4, 5\)"),
        ((), (2,), "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
    ],
    ids=str,
)
def test_shapes_that_do_not_fit(torch, a, b, message):
    with pytest.raises(RuntimeError, match=message):
        tl.zeros(a) @ tl.zeros(b)
    with pytest.raises(RuntimeError):
        torch.zeros(a) @ torch.zeros(b)


def test_dtypes_that_do_not_fit():
    with pytest.raises(
        RuntimeError, match=r"expected m1 and m2 to have the same dtype, but got: float32 != float64.*convert"
    ):
        tl.ones(2, 2) @ tl.ones(2, 2, dtype=tl.float64)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        tl.ones(2, 2, dtype=tl.bool) @ tl.ones(2, 2, dtype=tl.bool)
    with pytest.raises(TypeError, match="unsupported operand"):
        tl.ones(2) @ 2
    with pytest.raises(TypeError, match="both operands must be tensors, got list"):
        tl.matmul(tl.ones(2), [1, 2])


INTERPRETED = """
import itertools
import numpy as np
import tensorlab as tl
rng = np.random.default_rng(0)
total = 0
problems = [(1, 1, 1, ()), (5, 6, 7, ()), (4, 4, 4, (2,)), (9, 5, 3, (3,)), (2, 9, 6, ()), (1, 3, 8, (3,))]
for m, k, n, batch in problems:
    for name, turn_a, turn_b in itertools.product(("float32", "bfloat16", "int8", "int64"), (0, 1), (0, 1)):
        arrays = [rng.integers(-9, 9, (*batch, *size)) for size in ((m, k), (k, n), (m, n))]
        # Tensors that end where their storage ends: to read past the end would raise.
        a, b, c = (tl.tensor(array).to(getattr(tl, name)) for array in arrays)
        a, b = (x.mT.contiguous().mT if turn else x for x, turn in ((a, turn_a), (b, turn_b)))
        add = tl.baddbmm if batch else tl.addmm
        wide = arrays[0] @ arrays[1]
        pairs = [(a @ b, wide), (add(c, a, b, beta=2, alpha=3), 2 * arrays[2] + 3 * wide)]
        for result, expected in pairs:
            assert result.tolist() == tl.tensor(expected).to(result.dtype).tolist(), (name, m, k, n, batch)
            total += result.numel()
print(total)
"""


def test_interpreted_levels_give_the_same_and_stay_inside_their_storage():
    """Interpreted, an index past the end is an IndexError."""
    assert int(run(INTERPRETED, NUMBA_DISABLE_JIT="1")) > 0


LONG_SUMS = [(1, 1, 500_000), (2, 3, 200_001), (8, 40, 131_071), (1, 64, 98_304)]


@pytest.mark.parametrize("layout", ["plain", "transposed", "stepped", "expanded"])
@pytest.mark.parametrize("sizes", LONG_SUMS)
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_a_long_sum_is_cut_into_pieces(name, sizes, layout):
    m, n, k = sizes
    generator = np.random.default_rng(8)
    a, b = (generator.standard_normal(shape).astype(name) for shape in ((m, k), (k, n)))
    x, y = tl.from_numpy(a), tl.from_numpy(b)
    if layout == "transposed":
        x, y = x.t().contiguous().t(), y.t().contiguous().t()
    elif layout == "stepped":
        x = tl.stack([x, x.neg()], 2).flatten(1)[:, ::2]
        y = tl.cat([y.neg(), y, y.neg()], 1)[:, n : 2 * n]
    elif layout == "expanded":
        x, a = x[:, :1].expand(m, k), np.broadcast_to(a[:, :1], (m, k))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    limit = 2 * np.finfo(name).eps * (abs(a.astype(np.float64)) @ abs(b.astype(np.float64)))
    found = x @ y
    assert (abs(found.numpy() - expected) <= limit).all()
    out = tl.full((n + 1, 2 * m), 9.0, dtype=found.dtype)
    tl.matmul(x, y, out=out[:n, ::2].t())
    assert tl.equal(out[:n, ::2].t(), found)
    assert (out[n] == 9).all()
    assert (out[:, 1::2] == 9).all()
    threads = tl.get_num_threads()
    try:
        for team in (1, 2, 3):
            tl.set_num_threads(team)
            assert tl.equal(x @ y, found)
    finally:
        tl.set_num_threads(threads)
