"""What the simulator counts is what one counts by hand: sectors, bank conflicts, waiting lanes, occupancy."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import tensorlab as tl
from tensorlab import cuda, figures
from tensorlab.backends.cuda import ladder
from tensorlab.backends.cuda.copy import copy_bytes

ALL = 0xFFFFFFFF


def floats(count):
    return np.zeros(count, np.float32)


# --- global memory ------------------------------------------------------------------------------------------


def read(step, shift, x, out):
    out[cuda.threadIdx.x] = x[step * cuda.threadIdx.x + shift]


@pytest.mark.parametrize(
    ("step", "shift", "sectors", "cache_lines", "used"),
    [
        (1, 0, 4, 1, 128),  # 32 floats side by side: four sectors, all of it used
        (1, 1, 5, 2, 128),  # misaligned by one float: one sector and one line more
        (2, 0, 8, 2, 128),  # every other float: half of each sector
        (8, 0, 32, 8, 128),  # a sector for each lane
        (32, 0, 32, 32, 128),  # a line for each lane
        (0, 5, 1, 1, 4),  # one float for all lanes
        (-1, 31, 4, 1, 128),  # backwards is as good as forwards
    ],
)
def test_a_read_costs_the_sectors_that_the_lanes_touch(step, shift, sectors, cache_lines, used):
    request = cuda.simulate(read, 1, 32, step, shift, floats(1024), floats(32)).request("x")
    assert (len(request.sectors), len(request.cache_lines), request.bytes_used) == (
        sectors,
        cache_lines,
        used,
    )
    assert request.wavefronts == request.conflicts == 0


@pytest.mark.parametrize(("dtype", "sectors"), [("i1", 1), ("f2", 2), ("f4", 4), ("f8", 8), ("c16", 16)])
def test_the_size_of_an_element_counts(dtype, sectors):
    report = cuda.simulate(read, 1, 32, 1, 0, np.zeros(32, dtype), np.zeros(32, dtype))
    assert report.sectors == 2 * sectors
    assert report.bytes_used == report.bytes_moved == 64 * sectors


def test_a_view_begins_where_it_does_in_its_array():
    x = floats(64)
    assert cuda.simulate(read, 1, 32, 1, 0, x[8:], floats(32)).request("x").sectors == [1, 2, 3, 4]
    assert cuda.simulate(read, 1, 32, 1, 0, x[1:], floats(32)).request("x").sectors == [0, 1, 2, 3, 4]
    assert len(cuda.simulate(read, 1, 32, 1, 0, x[::2], floats(32)).request("x").sectors) == 8


def test_a_warp_asks_once_for_each_of_its_runs():
    def strided(x, n):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            x[i] = i

    report = cuda.simulate(strided, 2, 64, floats(512), 512)
    line = report.line("x[i] = i")
    (writes,) = line.accesses
    assert (report.warps, line.runs, line.lanes) == (4, 16, 512)  # each warp goes round four times
    assert (writes.requests, writes.sectors, writes.lanes) == (16, 64, 512)
    assert [each.addresses[0] for each in report.requests[:2]] == [0, 4 * 128]


def test_a_kernel_of_the_library_moves_each_byte_once():
    to, cells = np.zeros(256, np.uint8), np.arange(256, dtype=np.uint8)
    report = cuda.simulate(copy_bytes, 2, 32, to, cells, 256)
    assert report.sectors == 2 * 256 // 32
    assert report.bytes_moved == report.bytes_used == 512
    assert (to == cells).all()


def double(x, out):
    i = cuda.threadIdx.x
    out[i] = 2 * x[i]


@pytest.mark.parametrize("place", ["cpu", "cuda"])
def test_a_tensor_is_memory_as_an_array_is(place, monkeypatch):
    monkeypatch.setenv("TENSORLAB_CUDA", "simulated")
    x, out = tl.arange(64.0, device=place)[::2], tl.zeros(33, device=place, requires_grad=True)
    report = cuda.simulate(double, 1, 32, x, out[1:])
    assert out.tolist() == [0, *range(0, 128, 4)]
    assert len(report.request("x").sectors) == 8
    assert cuda.explore(double, 1, 32, x, out[1:]).is_right


def test_a_tensor_on_a_real_gpu_is_no_memory_of_the_simulator(monkeypatch):
    monkeypatch.setenv("TENSORLAB_CUDA", "simulated")
    x = tl.ones(32, device="cuda")
    monkeypatch.setattr(x.untyped_storage().backend.driver, "capability", (9, 0))
    with pytest.raises(TypeError, match=r"lies on a GPU: give it tensor.cpu\(\)"):
        cuda.simulate(double, 1, 32, x, (x, x))


# --- shared memory ------------------------------------------------------------------------------------------


def through_shared(step, dtype, out):
    words = cuda.shared.array(1024, dtype)
    me = cuda.threadIdx.x
    words[step * me] = me
    out[me] = words[step * me]


@pytest.mark.parametrize(
    ("step", "wavefronts"), [(1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (31, 1), (32, 32), (33, 1)]
)
def test_words_a_step_apart_conflict_as_their_greatest_common_divisor_with_32(step, wavefronts):
    if step * 31 >= 1024:
        step -= 32  # 33: the same banks as 1
    report = cuda.simulate(through_shared, 1, 32, step, np.float32, floats(32))
    request = report.request("words", "writes")
    assert request.wavefronts == wavefronts == math.gcd(step, 32)
    assert request.conflicts == wavefronts - 1
    assert request.sectors == request.cache_lines == []
    assert report.wavefronts == 2 * wavefronts
    assert report.shared_bytes == 4096


@pytest.mark.parametrize(
    ("dtype", "step", "wavefronts", "conflicts"),
    [
        ("i1", 1, 1, 0),  # four lanes share a word
        ("f2", 1, 1, 0),
        ("f8", 1, 2, 0),  # 256 bytes take two turns in any case
        ("f8", 2, 4, 2),
        ("c16", 1, 4, 0),
    ],
)
def test_elements_of_other_sizes_share_words_or_take_several(dtype, step, wavefronts, conflicts):
    report = cuda.simulate(through_shared, 1, 32, step, dtype, np.zeros(32, dtype))
    request = report.request("words")
    assert (request.wavefronts, request.conflicts) == (wavefronts, conflicts)


def test_one_word_for_all_lanes_is_one_turn_but_not_for_atomic_additions():
    def counting(out):
        total = cuda.shared.array(1, np.int32)
        me = cuda.threadIdx.x
        if me == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, 1)
        cuda.syncthreads()
        out[me] = total[0]

    out = floats(32)
    report = cuda.simulate(counting, 1, 32, out)
    assert report.request("total", "updates").wavefronts == 32
    assert report.request("total", "reads").wavefronts == 1
    assert set(out) == {32}


def transpose(pad, a, out):
    tile = cuda.shared.array((32, 32 + pad), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for row in range(y, 32, 8):
        tile[row, x] = a[row, x]
    cuda.syncthreads()
    for row in range(y, 32, 8):
        out[row, x] = tile[x, row]


def naive_transpose(a, out):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for row in range(y, 32, 8):
        out[x, row] = a[row, x]


def test_a_transpose_through_shared_memory_with_and_without_padding():
    a = np.arange(1024, dtype=np.float32).reshape(32, 32)
    out = np.zeros_like(a)
    naive = cuda.simulate(naive_transpose, 1, (32, 8), a, out)
    assert (out == a.T).all()
    assert [len(naive.request("a").sectors), len(naive.request("out", "writes").sectors)] == [4, 32]
    assert naive.sectors == 32 * (4 + 32)
    for pad, turns in ((0, 32), (1, 1)):
        out[:] = 0
        report = cuda.simulate(transpose, 1, (32, 8), pad, a, out)
        assert (out == a.T).all()
        assert report.sectors == 32 * (4 + 4)
        assert report.request("tile").wavefronts == turns
        assert report.wavefronts == 32 * (1 + turns)
        assert report.conflicts == 32 * (turns - 1)
        assert report.shared_bytes == 4 * 32 * (32 + pad)


# --- the ladder ---------------------------------------------------------------------------------------------


def climbed(rung):
    """One block computes 16 × 16 results, with 32 steps along k."""
    kernel, block, _ = ladder.LADDER[rung]
    ones = np.ones(16 * 32, np.float32)
    c = floats(16 * 16)
    report = cuda.simulate(kernel, 1, block, 16, 16, 32, ones, ones.copy(), c)
    assert (c == 32).all()
    return report


def test_each_rung_of_the_ladder_asks_for_less():
    naive, coalesced, shared = map(climbed, ["naive", "coalesced", "shared_tile"])
    # A warp is 16 × 2 threads. Its 16 lanes go down a column of `a`: each needs a sector of its own, and so
    # does each of its rows of `c`; two neighbours of `b` share one. Along a row it is two numbers of `a`, in
    # different rows, and 16 neighbours of `b`, two sectors.
    warps, steps = 8, 32
    assert naive.sectors == warps * (steps * (16 + 1) + 16)
    assert coalesced.sectors == warps * (steps * (2 + 2) + 4)
    # A tile brings each number once for its 16 uses: a 16th of the requests, of 4 full sectors each.
    assert shared.sectors == warps * (steps // 16 * (4 + 4) + 4)
    assert naive.sectors > 4 * coalesced.sectors > 4 * 6 * shared.sectors
    assert shared.bytes_used == shared.bytes_moved
    assert shared.conflicts == 0


# --- divergence ---------------------------------------------------------------------------------------------


def test_halves_that_go_different_ways_run_one_after_the_other():
    def halves(x):
        i = cuda.grid(1)
        if i % 2 == 0:
            value = 1.0
        elif i % 2 == 1:
            value = 2.0
        x[i] = value

    report = cuda.simulate(halves, 1, 32, floats(32))
    lanes = {line.text.strip(): line.lanes for line in report.lines}
    assert lanes == {
        "i = cuda.grid(1)": 32, "if i % 2 == 0:": 32, "value = 1.0": 16,
        "elif i % 2 == 1:": 16, "value = 2.0": 16, "x[i] = value": 32,
    }  # fmt: skip
    assert report.line("if i").parted == report.parted == 1
    assert report.active_lanes == (3 * 32 + 3 * 16) / 6
    assert [lanes for text, lanes in report.first_warp if text == "value = 2.0"] == [list(range(1, 32, 2))]


def test_a_branch_between_warps_costs_nothing():
    def by_warp(x):
        i = cuda.grid(1)
        if i // 32 == 0:
            x[i] = 1
        else:
            x[i] = 2

    report = cuda.simulate(by_warp, 1, 64, floats(64))
    assert report.active_lanes == 32
    assert report.parted == 0


def test_lanes_that_end_a_loop_early_wait_for_the_longest():
    def triangle(x):
        i = cuda.threadIdx.x
        total = 0
        for j in range(i + 1):
            total += j
        x[i] = total

    report = cuda.simulate(triangle, 1, 32, floats(32))
    assert (report.line("total += j").runs, report.line("total += j").lanes) == (32, 32 * 33 // 2)
    assert report.line("x[i] = total").lanes == 32  # they are together again


def test_lanes_meet_again_after_a_function_that_some_leave_early():
    def clipped(value):
        if value > 3:
            return 3
        return value

    def kernel(x):
        i = cuda.threadIdx.x
        x[i] = clipped(i) + clipped(i // 2)

    report = cuda.simulate(kernel, 1, 32, floats(32))
    assert report.line("return 3").lanes == 28 + 24
    assert report.line("return value").lanes == 4 + 8
    line = report.line("x[i] = ")
    assert (line.runs, line.lanes, line.accesses[0].requests) == (1, 32, 1)


def test_a_choice_within_a_line_shows_in_who_touches_memory():
    def guarded(n, x, out):
        i = cuda.grid(1)
        out[i] = x[i] if i < n else 0

    report = cuda.simulate(guarded, 1, 64, 40, floats(40), floats(64))
    assert [len(each.addresses) for each in report.requests if each.array == "x"] == [32, 8]
    assert report.active_lanes == 32


def test_a_short_last_warp_counts_its_lanes():
    report = cuda.simulate(read, 1, 40, 1, 0, floats(40), floats(40))
    assert report.warps == 2
    assert report.active_lanes == 20
    assert [len(each.sectors) for each in report.requests if each.array == "x"] == [4, 1]


@pytest.mark.parametrize("block", [32, 64])
def test_lanes_that_wait_for_each_other_are_counted_together(block):
    def sums(x, out):
        value = x[cuda.grid(1)]
        distance = 16
        while distance > 0:
            value += cuda.shfl_down_sync(ALL, value, distance)
            distance //= 2
        if cuda.laneid == 0:
            out[cuda.grid(1) // 32] = value

    out = np.zeros(block // 32)
    report = cuda.simulate(sums, 1, block, np.ones(block), out)
    assert set(out) == {32}
    assert report.line("shfl_down").runs == 5 * block // 32
    assert report.line("out[").lanes == block // 32


# --- the report ---------------------------------------------------------------------------------------------


def test_a_report_prints_its_lines_and_is_a_picture():
    a = np.zeros((32, 32), np.float32)
    report = cuda.simulate(transpose, 1, (32, 8), 0, a, a.copy())
    told = repr(report)
    assert told.startswith("transpose: 1 block of 256 threads, 8 warps\n")
    assert (
        "global memory: 64 requests, 256 sectors of 32 bytes (4 a request), 100% of the bytes used\n" in told
    )
    assert "shared memory: 64 requests, 1,056 wavefronts, 992 of them bank conflicts; 4,096 bytes" in told
    assert "    out[row, x] = tile[x, row]\n" in told
    assert "reads tile: 32 wavefronts\n" in told
    assert "writes tile: 1 wavefront\n" in told
    assert "tile[x, row]" in report._repr_html_()
    assert report.request("a", number=-1).warp == 7
    with pytest.raises(
        ValueError, match=r"has 0 requests that say 'writes' 'a', .* it reads a, reads tile, "
    ):
        report.request("a", "writes")
    with pytest.raises(ValueError, match="no line of transpose that ran contains 'nowhere'"):
        report.line("nowhere")


def test_figures_say_which_memory_they_draw():
    report = cuda.simulate(through_shared, 1, 32, 1, np.float32, floats(32))
    shared, out = report.request("words"), report.request("out", "writes")
    with pytest.raises(ValueError, match="words is in shared memory"):
        figures.lanes_and_sectors({"words": shared})
    with pytest.raises(ValueError, match="out is in global memory"):
        figures.lanes_and_banks({"out": out})


def test_undefined_behaviour_and_bad_sizes_are_errors_and_tracing_ends():
    def beyond(x):
        x[cuda.grid(1)] = 1

    before = sys.gettrace()
    with pytest.raises(cuda.KernelError, match=r"beyond, .*: index 32 is outside of x, 32 cells"):
        cuda.simulate(beyond, 1, 64, floats(32))
    assert sys.gettrace() is before
    with pytest.raises(ValueError, match="a block has 1 to 1024 threads"):
        cuda.simulate(beyond, 1, 2000, floats(32))
    with pytest.raises(AttributeError, match=r"module 'tensorlab\.cuda' has no attribute 'threadId'"):
        cuda.threadId  # noqa: B018


# --- occupancy ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "capability", "blocks", "limit"),
    [  # as cuda_occupancy.h of CUDA 13.0 computes them
        (256, 32, 0, (8, 0), 8, "warps"),
        (256, 33, 0, (8, 0), 6, "registers"),
        (64, 200, 0, (8, 0), 4, "registers"),
        (96, 48, 0, (9, 0), 13, "registers"),
        (32, 16, 0, (8, 0), 32, "blocks"),
        (1024, 64, 0, (8, 0), 1, "registers"),
        (256, 32, 48 << 10, (8, 0), 3, "shared memory"),
        (256, 32, 48 << 10, (9, 0), 4, "shared memory"),
        (256, 32, 48 << 10, (7, 5), 1, "shared memory"),
        (256, 32, 0, (7, 5), 4, "warps"),
        (64, 32, 20_000, (7, 5), 3, "shared memory"),
    ],
)
def test_occupancy_is_what_nvidia_computes(threads, registers, shared, capability, blocks, limit):
    found = cuda.occupancy(threads, registers, shared, capability)
    assert (found.blocks, found.limit) == (blocks, limit)
    assert found.warps == blocks * -(-threads // 32)
    assert found.share == found.warps / found.most


def test_the_occupancy_of_a_report_knows_its_block():
    report = cuda.simulate(through_shared, 1, 32, 1, np.float32, floats(32))
    assert report.occupancy(registers=24) == cuda.occupancy(32, 24, 4096)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ((256, 32, 0, (6, 1)), r"capability \(6, 1\) is not known; .* \(7, 5\), \(8, 0\), \(9, 0\)"),
        ((2048, 32), "threads from 1 to 1,024, got threads=2,048"),
        ((256, 0), "registers from 1 to 255, got registers=0"),
        ((256, 32, 200_000), "shared from 0 to 166,912, got shared=200,000"),
        ((1024, 128), "1,024 threads with 128 registers each need more than 65,536"),
    ],
)
def test_blocks_that_no_card_runs_are_errors(asked, told):
    with pytest.raises(ValueError, match=told):
        cuda.occupancy(*asked)
