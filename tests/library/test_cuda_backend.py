"""The kernels of ``device="cuda"``, in the simulator, compute what the backend in NumPy computes."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tensorlab import folds
from tensorlab.backends.cuda import copy, elementwise, gemm, reduce, scan
from tensorlab.backends.cuda.compute import Cuda
from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.counts import simulate
from tensorlab.backends.cuda.driver import Simulated
from tensorlab.backends.cuda.kernel_text import kernel_of
from tensorlab.backends.cuda.memory import OutOfMemoryError, Pool
from tensorlab.backends.cuda.simulator import KernelError, launch
from tensorlab.backends.layers import AttentionLayout, NormalGroups
from tensorlab.backends.numpy import NumPy
from tensorlab.backends.operands import OperandLayout
from tensorlab.backends.protocol import IndexLayout
from tensorlab.core import dtypes
from tensorlab.scalars import COUNTING, FLOATING, INTEGERS, NUMERIC, TABLE, TRUTH
from tensorlab.scalars import updates as rules
from tests.library.device import IS_REAL, backend, simulated_only

NUMPY = NumPy()
KINDS = {FLOATING: ("float32", "float64"), INTEGERS: ("int64", "bool"), COUNTING: ("int64", "uint8")}


@pytest.fixture(params=[0, 1], ids="seed{}".format)
def gpu(request) -> Cuda:
    found = backend()
    found.driver.seed = request.param
    return found


def agree(gpu, prepare, out, *given, rtol=1e-12, atol=1e-7, results=1):
    """Run a launch on both backends, over the same cells, and compare all cells afterwards."""
    arrays = [out, *given]
    expected = [each.copy() if isinstance(each, np.ndarray) else each for each in arrays]
    prepare(NUMPY)(*[(each, 0) if isinstance(each, np.ndarray) else each for each in expected])
    found = [gpu.upload(each.data) if isinstance(each, np.ndarray) else each for each in arrays]
    prepare(gpu)(*[(each, 0) if hasattr(each, "cells") else each for each in found])
    for theirs, ours in zip(expected[:results], found[:results], strict=True):
        np.testing.assert_allclose(np.asarray(gpu.download(ours)), theirs, rtol=rtol, atol=atol)
    assert not np.array_equal(expected[0], out, equal_nan=True)


@pytest.mark.parametrize("name", TABLE)
def test_a_row_of_the_table_of_scalar_functions(name):
    row, count, gpu = TABLE[name], 7, backend()
    for kind in KINDS.get(row.takes, ("float32", "int64") if row.takes == NUMERIC else ("float32", "uint8")):
        compute = dtypes.by_name(kind)
        result = dtypes.bool if row.result == TRUTH else compute
        if row.result == "float" and not compute.is_floating_point:
            compute = result = dtypes.float32
        rng = np.random.default_rng(5)
        draw = rng.uniform if compute.is_floating_point else rng.integers
        ends = (0.05, 0.95) if compute.is_floating_point else (1, 6)
        given = [draw(*ends, count).astype(compute.cell) for _ in range(row.arity + row.parameters)]
        layouts = OperandLayout(result, (1,)), [OperandLayout(compute, (1,))] * len(given)
        expected = np.zeros(count, result.cell)
        NUMPY.pointwise(row, compute, (count,), *layouts)((expected, 0), *[(each, 0) for each in given])
        found = gpu.allocate(count, result.cell)
        buffers = [(gpu.upload(each.data), 0) for each in given]
        gpu.pointwise(row, compute, (count,), *layouts)((found, 0), *buffers)
        rtol = 4e-6 if compute is dtypes.float32 else 1e-12
        np.testing.assert_allclose(np.asarray(gpu.download(found)), expected, rtol=rtol, atol=1e-7)


def test_pointwise_of_views_broadcast_operands_numbers_and_halves(gpu):
    half, single = dtypes.bfloat16, dtypes.float32
    out, x = np.zeros(12, np.float32), np.arange(12, dtype=np.float32)
    y = (np.arange(1, 4, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16)
    layouts = OperandLayout(single, (4, 1)), [OperandLayout(single, (1, 3)), OperandLayout(half, (1, 0))]
    agree(gpu, lambda b: b.pointwise(TABLE["mul"], single, (3, 4), *layouts), out, x, y)
    numbers = [OperandLayout(single, (1, 3)), OperandLayout(dtypes.float64, (0, 0), is_number=True)]
    agree(gpu, lambda b: b.pointwise(TABLE["add"], single, (3, 4), layouts[0], numbers), out, x, 2.5)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "bool", "int64"])
@pytest.mark.parametrize("first", [0, 1])
def test_runs_of_neighbours_are_whole_or_ragged_aligned_or_not(gpu, kind, first):
    element, count = dtypes.by_name(kind), 16 * 3 * 37 + 5
    gpu.driver.blocks = 1
    one = 0x3F80 if kind == "bfloat16" else 1
    x, y = (np.random.default_rng(first).integers(0, 2, (2, count + first)) * one).astype(element.cell)
    y[first] = 0
    layouts = OperandLayout(element, (1,)), [OperandLayout(element, (1,)), OperandLayout(element, (0,))]
    compute = dtypes.float32 if kind == "bfloat16" else element
    prepared = (TABLE["maximum"], compute, (count,), *layouts)

    def begun(backend):
        launch = backend.pointwise(*prepared)
        return lambda *buffers: launch(*[(cells, first) for cells, _ in buffers])

    agree(gpu, begun, np.full_like(x, one), x, y)


@pytest.mark.parametrize("most", [1 << 31, 40])
def test_runs_lie_in_rows_with_what_is_broadcast_along_them(gpu, most, monkeypatch):
    monkeypatch.setattr(elementwise, "MOST_RUNS", most)
    kind = dtypes.float32
    out, x = np.zeros(3 * 5 * 16, np.float32), np.arange(3 * 5 * 20, dtype=np.float32)
    for strides, size in ((0, 20, 1), 5 * 20), ((1, 3, 0), 15), ((0, 0, 0), 1), ((5 * 16, 1, 5), 3 * 80):
        given = OperandLayout(kind, (100, 20, 1)), OperandLayout(kind, strides)
        layouts = OperandLayout(kind, (80, 16, 1)), list(given)
        y = np.arange(1, size + 1, dtype=np.float32)
        agree(gpu, lambda b: b.pointwise(TABLE["mul"], kind, (3, 5, 16), *layouts), out, x, y)  # noqa: B023


@pytest.mark.parametrize("kind", ["float32", "bool", "bfloat16"])
def test_a_transposed_copy_goes_through_shared_memory(gpu, kind):
    element = dtypes.by_name(kind)
    one = 0x3F80 if kind == "bfloat16" else 1
    x = (np.random.default_rng(8).integers(0, 2, 2 * 9 * 19) * one).astype(element.cell)
    layouts = OperandLayout(element, (9 * 19, 19, 1)), OperandLayout(element, (9 * 19, 1, 9))
    agree(gpu, lambda b: b.pointwise(TABLE["copy"], element, (2, 9, 19), layouts[0], [layouts[1]]), 0 * x, x)


def test_a_transposed_copy_moves_whole_sectors_and_finds_no_bank_conflicts():
    large = specialised(copy.transpose, **copy.LARGE)
    x, out = np.arange(32.0 * 32, dtype=np.float32), np.zeros(32 * 32, np.float32)
    report = simulate(large, 1, 256, 32, 32, (1,), out, 0, (0,), 32, x, 0, (0,), 32)
    assert out.reshape(32, 32).T.ravel().tolist() == x.tolist()
    assert report.conflicts == 0
    assert report.bytes_used == report.bytes_moved == 2 * x.nbytes


FOLDED = [
    (name, kind)
    for name, fold in folds.TABLE.items()
    for kind in ("float32", "int64", "bool", "bfloat16")
    if dtypes.by_name(kind).is_floating_point
    or name == "prod"
    or not (fold.wide or fold.center or name == "mean")
]


@pytest.mark.parametrize(("name", "kind"), FOLDED)
def test_a_row_of_the_table_of_folds(name, kind):
    fold, source, gpu = folds.TABLE[name], dtypes.by_name(kind), backend()
    floating = source.is_floating_point
    value = dtypes.float32 if kind == "bfloat16" else source
    extreme = fold.join.start in ("lowest", "highest")
    result = dtypes.bool if fold.truth else source if floating or extreme else dtypes.int64
    cells = np.random.default_rng(3).integers(0, 3, 30).astype(np.float32)
    cells = (cells + 0.5).view(np.uint32) >> 16 if kind == "bfloat16" else cells
    for dims, strides in (((1,), (1, 0)), ((0,), (0, 1)), ((0, 1), (0, 0))):
        layouts = OperandLayout(result, strides), OperandLayout(source, (6, 1))
        expected, found = np.zeros(6, result.cell), gpu.upload(np.zeros(6, result.cell).data)
        NUMPY.reduce(fold, value, (5, 6), dims, *layouts, 2.0)((expected, 0), (cells.astype(source.cell), 0))
        given = gpu.upload(cells.astype(source.cell).data)
        gpu.reduce(fold, value, (5, 6), dims, *layouts, 2.0)((found, 0), (given, 0))
        np.testing.assert_allclose(np.asarray(gpu.download(found)), expected, rtol=1e-6)


def test_a_reduction_gives_the_same_bits_in_every_order_of_the_threads(monkeypatch):
    x = np.random.default_rng(0).standard_normal(200).astype(np.float32)
    layouts = OperandLayout(dtypes.float32, (0,)), OperandLayout(dtypes.float32, (1,))
    found = set()
    for seed in range(4):
        gpu = backend()
        gpu.driver.seed = seed
        monkeypatch.setattr(gpu.driver, "threads", 64)
        out = gpu.allocate(1, np.dtype(np.float32))
        launch = gpu.reduce(folds.TABLE["sum"], dtypes.float32, (200,), (0,), *layouts)
        launch((out, 0), (gpu.upload(x.data), 0))
        found.add(gpu.download(out)[0])
    assert len(found) == 1
    np.testing.assert_allclose(found.pop(), x.sum(dtype=np.float64), rtol=1e-5)


@pytest.mark.parametrize("name", ["sum", "amax", "all", "mean", "norm_2", "var", "std", "logsumexp"])
def test_several_blocks_share_a_result_of_many_elements(gpu, name, monkeypatch):
    fold, single = folds.TABLE[name], dtypes.float32
    x = np.random.default_rng(1).standard_normal((2, 700)).astype(np.float32)
    x[1, 650] = 0
    result = dtypes.bool if fold.truth else single
    layouts = OperandLayout(result, (1, 0)), OperandLayout(single, (700, 1))
    monkeypatch.setattr(gpu.driver, "blocks", 12)
    before = gpu.launches
    found, expected = gpu.allocate(2, result.cell), np.zeros(2, result.cell)
    gpu.reduce(fold, single, (2, 700), (1,), *layouts, 2.0)((found, 0), (gpu.upload(x.data), 0))
    NUMPY.reduce(fold, single, (2, 700), (1,), *layouts, 2.0)((expected, 0), (x.ravel(), 0))
    assert IS_REAL or gpu.launches - before == (2 if fold.center is None else 4)
    np.testing.assert_allclose(np.asarray(gpu.download(found)), expected, rtol=1e-5)


def test_a_variance_that_several_blocks_share_is_exact_far_from_zero(gpu, monkeypatch):
    x, single = np.float32(3e6) + np.arange(900, dtype=np.float32) % 7, dtypes.float32
    layouts = OperandLayout(single, (0,)), OperandLayout(single, (1,))
    monkeypatch.setattr(gpu.driver, "blocks", 8)
    found = gpu.allocate(1, single.cell)
    gpu.reduce(folds.TABLE["var"], single, (900,), (0,), *layouts, 1.0)((found, 0), (gpu.upload(x.data), 0))
    np.testing.assert_allclose(gpu.download(found)[0], x.astype(np.float64).var(ddof=1), rtol=1e-7)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "int64", "bool"])
@pytest.mark.parametrize(("dims", "strides", "count"), [((1,), (1, 0), 2), ((0, 1), (0, 0), 1)])
@pytest.mark.parametrize("greatest", [True, False])
def test_several_blocks_share_the_search_for_the_first_extreme(
    gpu, kind, dims, strides, count, greatest, monkeypatch
):
    element, x = dtypes.by_name(kind), np.random.default_rng(7).integers(0, 2, (2, 700))
    cells = (x.astype(np.float32).view(np.uint32) >> 16) if kind == "bfloat16" else x
    cells = cells.astype(element.cell)
    if kind == "float32":
        cells[1, [501, 333]] = np.nan
    monkeypatch.setattr(gpu.driver, "blocks", 12)
    layouts, before = (OperandLayout(dtypes.int64, strides), OperandLayout(element, (700, 1))), gpu.launches
    given = greatest, (2, 700), dims, *layouts
    agree(gpu, lambda b: b.arg_reduce(*given), np.full(count, -1), cells.ravel(), rtol=0)
    assert IS_REAL or gpu.launches - before == 2


def test_blocks_share_the_search_in_columns(gpu, monkeypatch):
    monkeypatch.setattr(gpu.driver, "threads", 64)
    monkeypatch.setattr(gpu.driver, "blocks", 40)
    x = np.random.default_rng(8).integers(0, 50, (90, 19)).astype(np.float32)
    layouts, before = (
        (OperandLayout(dtypes.int64, (0, 1)), OperandLayout(dtypes.float32, (19, 1))),
        gpu.launches,
    )
    agree(gpu, lambda b: b.arg_reduce(True, (90, 19), (0,), *layouts), np.full(19, -1), x.ravel(), rtol=0)
    assert IS_REAL or gpu.launches - before == 2


@pytest.mark.parametrize("name", ["sum", "any", "std"])
@pytest.mark.parametrize("blocks", [2, 40])
def test_lanes_look_after_results_that_lie_side_by_side(gpu, name, blocks, monkeypatch):
    fold, single = folds.TABLE[name], dtypes.float32
    monkeypatch.setattr(gpu.driver, "threads", 64)
    monkeypatch.setattr(gpu.driver, "blocks", blocks)
    x = np.random.default_rng(blocks).uniform(0.5, 1, (2, 41, 2, 19)).astype(np.float32)
    result, source = dtypes.bool if fold.truth else single, OperandLayout(single, (41 * 38, 38, 19, 1))
    for dims, strides, count in ((1,), (38, 0, 19, 1), 76), ((0, 1), (0, 0, 19, 1), 38):
        given = x.shape, dims, OperandLayout(result, strides), source, 1.0
        out = np.zeros(count, result.cell)
        agree(gpu, lambda b: b.reduce(fold, single, *given), out, x.ravel(), rtol=1e-5)  # noqa: B023


def test_a_reduction_without_its_barrier_is_a_race():
    made = reduce.reduce_text(folds.TABLE["sum"], *[dtypes.float32] * 3)
    careless = kernel_of("careless", made.replace("cuda.syncthreads()", "pass"))
    x, out = np.ones(64, np.float32), np.ones(1, np.float32)
    with pytest.raises(KernelError, match=r"a race for|read before any thread has written"):
        launch(careless, 1, 64, 1, 64, 0.0, (1,), (64,), out, 0, (1,), x, 0, (64,), (1,))


@pytest.mark.parametrize("logarithm", [False, True])
def test_softmax_of_rows_and_columns_with_infinities(gpu, logarithm):
    x = np.random.default_rng(5).standard_normal(360).astype(np.float32)
    x[[0, 3, 41]] = -np.inf
    layouts = (
        ((9, 40), 1, (40, 1)),
        ((2, 180), 1, (180, 1)),
        ((40, 9), 0, (1, 40)),
        ((6, 5, 12), -2, (60, 12, 1)),
    )
    for shape, dim, strides in layouts:
        source = OperandLayout(dtypes.float32, strides)
        before = gpu.launches
        agree(
            gpu, lambda b, s=shape, d=dim, o=source: b.softmax(logarithm, s, d, dtypes.float32, o),
            np.zeros(360, "f"), x, rtol=2e-5,
        )  # fmt: skip
        assert gpu.launches == before + 1
    hopeless, source = np.full(2, -np.inf, np.float32), OperandLayout(dtypes.float32, (1,))
    found = gpu.upload(hopeless)
    gpu.softmax(logarithm, (2,), 0, dtypes.float32, source)((found, 0), (gpu.upload(hopeless), 0))
    assert np.isnan(np.asarray(gpu.download(found))).all()


def test_softmax_of_half_as_many_bits(gpu):
    x = (np.arange(7, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16)
    source, out = OperandLayout(dtypes.bfloat16, (1,)), np.zeros(7, np.uint16)
    agree(gpu, lambda b: b.softmax(False, (7,), 0, dtypes.bfloat16, source), out, x, rtol=0)


@pytest.mark.parametrize("centers", [True, False])
@pytest.mark.parametrize("n", [50, 132])
def test_rows_are_normalised_in_one_launch(gpu, centers, n):
    rng = np.random.default_rng(6)
    x = (rng.standard_normal(3 * n) * 3 + 5).astype("f")
    weights, biases = rng.standard_normal((2, n)).astype("f")
    before, groups = gpu.launches, NormalGroups("rows", 3, n)
    agree(
        gpu, lambda b: b.normalise(dtypes.float32, groups, 1e-5, centers=centers),
        np.zeros(3 * n, "f"), np.zeros(3, "f"), np.full(3, 9, "f"), None, x, weights, biases,
        rtol=2e-5, results=3,
    )  # fmt: skip
    assert gpu.launches == before + 1


GROUPS = {  # what is normalised together; how many weights there are; launches there and back
    "rows": (NormalGroups("rows", 9, 50), 50, 1, 2),
    "columns": (NormalGroups("columns", 5, 41), 5, 2, 2),
    "many columns": (NormalGroups("columns", 40, 11), 40, 2, 2),
    "channels of images": (NormalGroups("runs", 3, 35, 7, 3 * 35, 35, 3, 1, 0), 3, 2, 2),
    "groups of channels": (NormalGroups("runs", 2 * 3, 7, 2, 7, 14, 3, 2, 1), 6, 2, 3),
}


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize(("training", "wants"), [(True, True), (True, False), (False, True), (False, False)])
def test_normalisation_and_its_gradient_take_few_launches(gpu, name, training, wants, monkeypatch):
    if name == "rows" and not training:
        return
    monkeypatch.setattr(gpu.driver, "blocks", 12)  # so that several share a group
    (groups, weights, there, back), single = GROUPS[name], dtypes.float32
    rng, cells = np.random.default_rng(10), groups.number * groups.length * groups.runs
    x, grad = rng.standard_normal((2, cells)).astype("f") * 3 + 5
    factors, biases = rng.standard_normal((2, weights)).astype("f")
    of_rows = name == "rows"
    statistic = np.dtype("f" if of_rows else "d")
    means, variances = rng.uniform(4, 6, groups.number).astype(statistic), rng.uniform(1, 2, groups.number)
    scales, before = np.zeros(groups.number, "f"), gpu.launches

    def normalise(backend):
        launch = backend.normalise(single, groups, 1e-5, training)
        return lambda out, scales, means, variances, *given: launch(
            out, scales, means, None if of_rows else variances, *given
        )

    given = x, factors, biases
    agree(
        gpu, normalise, 0 * x, scales, means, variances, *given,
        rtol=2e-5, atol=1e-5, results=3 if of_rows else 4,
    )  # fmt: skip
    assert IS_REAL or gpu.launches - before == (there if training else 1)
    NUMPY.normalise(single, groups, 1e-5, training)(
        *[(each, 0) for each in (0 * x, scales, means)], None if of_rows else (variances, 0),
        *[(each, 0) for each in given],
    )  # fmt: skip

    def gradient(backend):
        return backend.normalise_gradient(single, groups, training, wants_weights=wants)

    before = gpu.launches
    results = 0 * x, np.zeros(weights, "f"), np.zeros(weights, "f")
    agree(
        gpu, gradient, *results, x, grad, factors, means, scales,
        rtol=1e-4, atol=1e-4, results=3 if wants else 1,
    )  # fmt: skip
    expected = back if wants else 1 if of_rows else 2 if training else 1
    assert IS_REAL or gpu.launches - before == expected


@pytest.mark.parametrize(("mask", "causal"), [(0, False), (0, True), (1, False), (2, False)])
def test_attention_is_one_launch_and_knows_its_sums(gpu, mask, causal):
    rng = np.random.default_rng(7)
    q, k, v = (rng.standard_normal(count).astype("f") for count in (2 * 3 * 4, 35 * 4, 2 * 35 * 3))
    masks = [None, rng.random(3 * 35) > 0.3, rng.standard_normal(3 * 35).astype("f")]
    if mask == 1:
        masks[1][:35] = False  # a query that sees no key
    strides = (12, 4, 1), (0, 1, 35), (105, 3, 1), (0, 35, 1), (9, 3, 1), (9, 3, 1)
    layout, before = AttentionLayout((2,), 3, 35, 4, 3, strides, mask, causal), gpu.launches

    def prepare(backend):
        launch = backend.attention(dtypes.float32, layout, 0.5)
        return lambda out, sums, *given: launch(*given, out, sums[0])

    agree(gpu, prepare, np.zeros(18, "f"), np.zeros(6, "f"), q, k, v, masks[mask], rtol=2e-5, results=2)
    assert gpu.launches == before + 1


GRADIENTS = [  # queries, keys, length, width; mask, causal
    ((3, 35, 4, 3), 0, False, "float32"),
    ((17, 5, 3, 4), 0, True, "float32"),
    ((2, 3, 36, 33), 1, False, "float32"),
    ((5, 66, 4, 3), 1, False, "float64"),
    ((9, 18, 4, 4), 2, True, "float64"),
]


@pytest.mark.parametrize(("sizes", "mask", "causal", "kind"), GRADIENTS, ids=str)
def test_the_gradient_of_attention_is_two_launches(gpu, sizes, mask, causal, kind):
    queries, keys, length, width = sizes
    element, rng = dtypes.by_name(kind), np.random.default_rng(9)
    counts = 2 * queries * length, keys * length, 2 * keys * width, 2 * queries * width
    q, k, v, grad = (rng.standard_normal(count).astype(element.cell) for count in counts)
    masks = [None, rng.random(queries * keys) > 0.3, rng.standard_normal(queries * keys).astype(element.cell)]
    masks[1][:keys] = False  # a query that sees no key
    of_result = queries * width, width, 1
    strides = (
        (queries * length, length, 1), (0, 1, keys), (keys * width, width, 1), (0, keys, 1),
        of_result, (queries * width, 1, queries),
    )  # fmt: skip
    layout = AttentionLayout((2,), queries, keys, length, width, strides, mask, causal)
    out, sums = np.zeros(2 * queries * width, element.cell), np.zeros(2 * queries, element.cell)
    mask_cells = None if masks[mask] is None else (masks[mask], 0)
    NUMPY.attention(element, layout, 0.5)((q, 0), (k, 0), (v, 0), mask_cells, (out, 0), sums)

    def prepare(backend):
        launch = backend.attention_gradient(element, layout, 0.5)
        return lambda *buffers: launch(*buffers[3:-1], buffers[-1][0], *(cells for cells, _ in buffers[:3]))

    found = [np.full(count, 7, element.cell) for count in (q.size, 2 * keys * length, v.size)]
    before, (rtol, atol) = gpu.launches, (1e-4, 5e-6) if kind == "float32" else (1e-9, 1e-12)
    operands = q, k, v, masks[mask], out, grad, sums
    agree(gpu, prepare, *found, *operands, rtol=rtol, atol=atol, results=3)
    assert gpu.launches == before + 2


def test_attention_to_a_score_that_is_no_number_is_no_number():
    single, strides = dtypes.float32, ((1, 1),) * 6
    layout = AttentionLayout((), 1, 2, 1, 1, strides, 0, False)
    gpu = backend()
    found, sums = gpu.allocate(1, single.cell), gpu.allocate(1, single.cell)
    q, k = gpu.upload(np.ones(1, "f")), gpu.upload(np.array([np.nan, -np.inf], "f"))
    gpu.attention(single, layout, 1.0)(
        (q, 0), (k, 0), (gpu.upload(np.ones(2, "f")), 0), None, (found, 0), sums
    )
    assert np.isnan(gpu.download(found)[0])


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "bool"])
def test_the_first_of_equal_extremes_is_found_whichever_thread_sees_it(gpu, kind, monkeypatch):
    monkeypatch.setattr(gpu.driver, "threads", 64)
    element, rng = dtypes.by_name(kind), np.random.default_rng(4)
    x = rng.integers(0, 2 if kind == "bool" else 9, 2 * 67 * 9).astype(element.cell)
    if kind == "float32":
        x[rng.integers(0, x.size, 12)] = np.nan
    if kind == "bfloat16":
        x = (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    source = OperandLayout(element, (67 * 9, 9, 1))
    for dims, strides, count in ((1,), (9, 0, 1), 18), ((2,), (67, 1, 0), 134), ((0, 1), (0, 0, 1), 9):
        given = (2, 67, 9), dims, OperandLayout(dtypes.int64, strides), source
        for greatest in (True, False):
            agree(gpu, lambda b: b.arg_reduce(greatest, *given), np.full(count, -1), x)  # noqa: B023
    layouts = OperandLayout(dtypes.int64, (0,)), OperandLayout(element, (1,))
    agree(gpu, lambda b: b.arg_reduce(True, (x.size,), (0,), *layouts), np.full(1, -1), x)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
@pytest.mark.parametrize("kind", ["float32", "int64", "bfloat16"])
@pytest.mark.parametrize("blocks", [1, 3])
def test_blocks_share_a_line_of_running_totals(gpu, name, kind, blocks, monkeypatch):
    monkeypatch.setattr(gpu.driver, "threads", 64 if blocks == 1 else 32)
    monkeypatch.setattr(gpu.driver, "blocks", 4 * blocks)
    monkeypatch.setattr(scan, "PASSES", 8 if blocks == 1 else 1)
    element, rng = dtypes.by_name(kind), np.random.default_rng(6)
    value = dtypes.float32 if kind == "bfloat16" else element
    x = rng.integers(1, 3 if name == "cumprod" else 9, 2 * 301).astype(element.cell)
    if kind != "int64":
        x = (1 + rng.uniform(-0.02, 0.02, x.size)).astype(np.float32)
    if kind == "float32" and name in ("cummax", "cummin"):
        x[[250, 290]] = np.nan
    if kind == "bfloat16":
        x = (x.view(np.uint32) >> 16).astype(np.uint16)
    for shape, dim, strides in ((2, 301), 1, (301, 1)), ((301, 2), 0, (2, 1)):
        line, places = OperandLayout(element, strides), OperandLayout(dtypes.int64, strides)
        before = gpu.launches
        if name in ("cumsum", "cumprod"):
            given = name, value, shape, dim, line, line
            agree(gpu, lambda b: b.scan(*given), 0 * x, x, rtol=1e-6)  # noqa: B023
        else:
            given = name, value, shape, dim, line, line, places
            agree(gpu, lambda b: b.scan(*given), 0 * x, np.full(602, -1), x, results=2)  # noqa: B023
        assert IS_REAL or gpu.launches - before == blocks  # one, or three that share a line


def test_extremes_and_running_totals(gpu):
    x = np.array([3, 1, np.nan, 1, 2, 2, 5, 5, -1, 0, np.nan, np.nan], np.float32)
    whole, line = OperandLayout(dtypes.int64, (0, 1)), OperandLayout(dtypes.float32, (4, 1))
    for greatest in (True, False):
        places = np.full(4, -1)
        agree(gpu, lambda b, g=greatest: b.arg_reduce(g, (3, 4), (0,), whole, line), places, x)
    places = OperandLayout(dtypes.int64, (4, 1))
    for name in ("cummax", "cummin"):
        agree(
            gpu,
            lambda b, n=name: b.scan(n, dtypes.float32, (3, 4), 1, line, line, places),
            np.zeros(12, np.float32), np.full(12, -1), x, results=2,
        )  # fmt: skip
    y = np.arange(1, 13, dtype=np.float32)
    for name in ("cumsum", "cumprod"):
        agree(gpu, lambda b, n=name: b.scan(n, dtypes.float32, (3, 4), 0, line, line), np.zeros(12, "f"), y)


@pytest.mark.parametrize("sizes", [(3, 5, 2), (9, 17, 20), (1, 1, 33), (4, 4, 0)], ids=str)
def test_products_of_matrices_of_ragged_sizes_in_a_batch(gpu, sizes):
    m, n, k = sizes
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, m, k)).astype("f"), rng.standard_normal((k, n)).astype("f")
    strides = (m * n, n, 1), (m * k, k, 1), (0, n, 1)
    out = np.full(2 * m * n, 7, np.float32)

    def prepare(backend):
        return backend.gemm(dtypes.float32, (2,), sizes, *strides)

    agree(gpu, prepare, out, a.ravel(), b.ravel(), rtol=1e-5)


@pytest.mark.parametrize("batch", [(5, 3), (3, 5)])
def test_a_product_of_more_matrices_than_a_grid_has_blocks_takes_pieces(gpu, batch, monkeypatch):
    monkeypatch.setattr(gemm, "MOST", 4)
    rng, before = np.random.default_rng(3), gpu.launches
    a, b, c = (rng.standard_normal(count).astype("f") for count in (5 * 3 * 2, batch[0] * 2, 5 * 3))
    row = batch[1]
    strides = (row, 1, 1, 1), (2 * row, 2, 2, 1), (2, 0, 1, 1), (row, 1, 1, 1)

    def prepare(backend):
        *others, source = strides
        return backend.gemm(dtypes.float32, batch, (1, 1, 2), *others, source)

    agree(gpu, prepare, np.zeros(15, "f"), a, b, c, 1.0, 0.5, rtol=1e-5)
    assert gpu.launches == before + 5


@pytest.mark.parametrize("sizes", [(3, 3, 4), (3, 8, 4)], ids=str)
def test_a_product_with_what_is_added_an_activation_and_a_residual(gpu, sizes):
    m, n, k = sizes
    rng = np.random.default_rng(2)
    a, b, s, r = (rng.standard_normal(count).astype("f") for count in (m * k, k * n, m * n, m * n))
    layouts = (n, 1), (k, 1), (n, 1), (1, m)
    for activation, residual in ((None, None), (TABLE["relu"], None), (TABLE["sigmoid"], (n, 1))):
        given = [a, b, s, 0.5, 2.0, *([r] if residual else [])]
        agree(
            gpu,
            lambda g, f=activation, e=residual: g.gemm(dtypes.float32, (), sizes, *layouts, f, e),
            np.zeros(m * n, "f"), *given, rtol=1e-5,
        )  # fmt: skip


def test_gather_and_scatter_go_in_order(gpu):
    x, index = np.arange(6.0), np.array([2, 0, -1, 2, 1, 2])
    line = IndexLayout((1,), 3, 2, -3)
    agree(gpu, lambda b: b.indexed("gather", (6,), (1,), (0,), (line,)), np.full(6, 9.0), x, index)
    for action in ("replace", "add", "mul", "max", "min"):
        target = np.array([1.5, 0, 2, 0, 3, 0])
        agree(gpu, lambda b, a=action: b.indexed(a, (6,), (0,), (1,), (line,)), target, x, index)


def test_an_index_that_leads_out_of_the_tensor_is_told(gpu):
    out, x, index = gpu.upload(np.zeros(3)), gpu.upload(np.arange(3.0)), gpu.upload(np.array([0, 3, 1]))
    launch = gpu.indexed("gather", (3,), (1,), (0,), (IndexLayout((1,), 3, 1),))
    assert not launch((out, 0), (x, 0), (index, 0))
    with pytest.raises(IndexError, match="index 3 is out of bounds for a dimension with size 3"):
        gpu.synchronize()
    assert gpu.download(out).tolist() == [0, 0, 1]


def test_what_a_mask_chooses(gpu):
    mask = np.random.default_rng(4).integers(0, 2, 90).astype(bool)
    count, shape, strides, x = int(mask.sum()), (9, 10), (10, 1), np.arange(90.0)
    for action, line, other in (
        ("positions", np.zeros(2 * count, int), ()),
        ("select", x[:count] - 1, (1, 9)),
    ):
        given = [mask, x if other else None, count]
        agree(gpu, lambda b, a=action, o=other: b.compact(a, shape, strides, o), line, *given)
    found, line = gpu.upload(x.data), gpu.upload((-x[:count]).data)
    gpu.compact("scatter", shape, strides, strides)((line, 0), (gpu.upload(mask), 0), (found, 0), count)
    expected = x.copy()
    expected[mask] = -x[:count]
    assert gpu.download(found).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [1, 65, 140])
@pytest.mark.parametrize("wanted", [None, (1, 40)])
def test_runs_in_order_are_merged(gpu, size, wanted, monkeypatch):
    monkeypatch.setattr(gpu.driver, "threads", 8)
    begin, end = wanted or (0, size)
    begin, end = min(begin, size - 1), min(end, size)
    for kind, descending in ("float32", False), ("int64", True):
        element, rng = dtypes.by_name(kind), np.random.default_rng(size)
        x = rng.integers(0, 40, 2 * size).astype(element.cell)
        if kind == "float32":
            x[rng.integers(0, x.size, 3)] = np.nan
        given = element, 2, size, (begin, end), descending
        agree(gpu, lambda b: b.sort(*given), np.full(2 * (end - begin), -1), x)  # noqa: B023


@pytest.mark.parametrize("descending", [False, True])
def test_order_with_equal_elements_and_nan(gpu, descending):
    x = np.array([2, np.nan, 1, 2, np.nan, -1, 0, 0, 0, 5, -np.inf, 1], np.float32)
    for wanted in ((0, 6), (1, 3)):
        places = np.full(2 * (wanted[1] - wanted[0]), -1)
        agree(gpu, lambda b, w=wanted: b.sort(dtypes.float32, 2, 6, w, descending), places, x)


def test_updates_move_all_that_they_write(gpu):
    rng = np.random.default_rng(6)
    arrays = [rng.uniform(0.1, 1, 6) for _ in range(3)]
    agree(
        gpu, lambda b: b.update(rules.SGD_MOMENTUM, dtypes.float64, (2, 3)),
        *arrays, 0.1, 0.01, 1.0, 0.9, 1.0, 1.0, results=3,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("first", [0, 1])
def test_updates_move_runs_that_are_whole_or_ragged_aligned_or_not(gpu, kind, first):
    element, count = dtypes.by_name(kind), 8 * 37 + 5
    rng = np.random.default_rng(first)
    arrays = [rng.uniform(0.1, 1, count + first).astype(np.float32) for _ in range(4)]
    if kind == "bfloat16":
        arrays = [(array.view(np.uint32) >> 16).astype(np.uint16) for array in arrays]
    numbers = 0.1, 0.99, 0.01, 1.0, 0.1, 0.9, 0.1, 0.3, 1e-8

    def begun(backend):
        launch = backend.update(rules.ADAM, element, (1, count))
        return lambda *given: launch(*[(cells, first) for cells, _ in given[:4]], *given[4:])

    agree(gpu, begun, *[array.astype(element.cell) for array in arrays], *numbers, results=4)


def test_updates_move_rows_that_lie_apart(gpu):
    rng = np.random.default_rng(7)
    arrays, steps = [rng.uniform(0.1, 1, 70).astype(np.float32) for _ in range(3)], (10, 0, 13)
    agree(
        gpu, lambda b: b.update(rules.SGD_MOMENTUM, dtypes.float32, (5, 9), steps),
        *arrays, 0.1, 0.01, 1.0, 0.9, 1.0, 1.0, results=3,
    )  # fmt: skip


def test_the_numbers_of_an_update_may_stand_in_cells(gpu):
    found = []
    for in_cells in (False, True):
        arrays = [gpu.upload(np.arange(1, 7, dtype=np.float32).data) for _ in range(2)]
        rates = gpu.upload(np.array([0.5, 0.25], np.float32).data)
        rate = (rates, 1) if in_cells else 0.25
        gpu.update(rules.SGD, dtypes.float32, (1, 6))(*[(cells, 0) for cells in arrays], rate, 0.1, 1.0)
        found.append(np.asarray(gpu.download(arrays[0])).tolist())
    assert found[0] == found[1] != list(range(1, 7))


@simulated_only
def test_a_kernel_is_checked_whoever_launches_it(gpu):
    memory = gpu.upload(np.zeros(3))
    with pytest.raises(KernelError, match=r"fill, .*: index 3 is outside of cells, 3 cells"):
        gpu.fill((memory, 0), 4, np.float64(1))


# --- memory -------------------------------------------------------------------------------------------------


def test_a_block_that_nobody_uses_serves_the_next_of_its_size():
    pool = Pool(Simulated(total=1 << 20))
    first = pool.allocate(100, np.dtype(np.float32))
    view = first.view(np.uint8)[:8]
    address = first.pointer
    assert np.isnan(first.cells).all()
    del first
    gc.collect()
    assert pool.allocated == 512  # a view keeps it
    del view
    gc.collect()
    assert (pool.allocated, pool.reserved, pool.peak) == (0, 512, 512)
    again = pool.allocate(50, np.dtype(np.float64))
    assert (again.pointer, pool.from_driver) == (address, 1)
    pool.empty_cache()
    assert pool.reserved == 512  # in use
    pool.reset_peak()
    assert pool.peak == 512


def test_what_does_not_fit_is_refused_with_its_sizes_after_the_kept_blocks_were_given_back():
    pool = Pool(Simulated(total=1 << 20))
    kept = pool.allocate(512 << 10, np.dtype(np.uint8))
    with pytest.raises(OutOfMemoryError, match=r"Tried to allocate 1\.00 MiB.*use 512\.00 KiB"):
        pool.allocate(1 << 20, np.dtype(np.uint8))
    del kept
    gc.collect()
    assert pool.allocate(1 << 20, np.dtype(np.uint8)).nbytes == 1 << 20
    assert pool.reserved == 1 << 20


def test_a_large_block_serves_a_tensor_that_fills_most_of_it():
    pool, byte = Pool(Simulated()), np.dtype(np.uint8)
    pool.allocate(33 << 20, byte)
    assert pool.reserved == 34 << 20
    most, little = pool.allocate(31 << 20, byte), pool.allocate(8 << 20, byte)
    assert (pool.from_driver, pool.allocated, pool.reserved) == (2, 39 << 20, 42 << 20)
    del most, little
    assert pool.allocate((8 << 20) - 100, byte).nbytes == (8 << 20) - 100
    assert pool.from_driver == 2


def test_threads_take_and_leave_memory_and_the_counts_come_out():
    pool, cell = Pool(Simulated()), np.dtype(np.int64)

    def work(number):
        for size in range(1, 200):
            memory = pool.allocate(size, cell)
            memory.cells[:] = number
            assert (memory.cells == number).all()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert pool.allocated == 0
    pool.empty_cache()
    assert (pool.reserved, pool.driver.free()) == (0, pool.total)


def test_a_finalizer_may_take_memory_while_memory_is_taken(monkeypatch):
    pool, cell = Pool(Simulated()), np.dtype(np.int64)
    taken, make = [], pool.driver.new_block

    def new_block(size):
        block = make(size)
        if size == 512:
            taken.append(pool.allocate(1000, cell))
        return block

    monkeypatch.setattr(pool.driver, "new_block", new_block)
    memory = pool.allocate(10, cell)
    assert pool.allocated == 512 + 8192
    assert memory.pointer != taken[0].pointer


def test_fill_copy_and_uploads_of_views(gpu):
    array = np.arange(12.0).reshape(3, 4).T
    memory = gpu.upload(memoryview(array))
    assert gpu.download(memory).tolist() == array.ravel().tolist()
    to = gpu.upload(np.zeros(20).data)
    gpu.copy(to, memory)
    gpu.fill((to, 10), 2, np.float64(-1))
    gpu.synchronize()
    assert gpu.download(to).tolist() == [*array.ravel()[:10], -1, -1, *[0] * 8]
