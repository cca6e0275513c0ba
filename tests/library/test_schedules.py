"""A kernel that races is found in any order of its threads, with both lines; a right one has one result."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tensorlab import cuda
from tensorlab.backends.cuda import ladder, schedules
from tensorlab.backends.cuda.simulator import Block, Grid, Shape, line_of, text_of


def block_sum(x, out):
    partial = cuda.shared.array(64, np.float64)
    me = cuda.threadIdx.x
    partial[me] = x[me]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if me < half:
            partial[me] += partial[me + half]
        cuda.syncthreads()
        half //= 2
    if me == 0:
        out[0] = partial[0]


def without_first_barrier(x, out):
    partial = cuda.shared.array(64, np.float64)
    me = cuda.threadIdx.x
    partial[me] = x[me]
    half = 32
    while half > 0:
        if me < half:
            partial[me] += partial[me + half]
        cuda.syncthreads()
        half //= 2
    if me == 0:
        out[0] = partial[0]


def tiles(last, x, out):
    """Each tile of 64 is summed by thread 0; `last` is the barrier before the next tile overwrites it."""
    tile = cuda.shared.array(64, np.float64)
    me = cuda.threadIdx.x
    total = 0.0
    for begin in range(0, x.size, 64):
        tile[me] = x[begin + me]
        cuda.syncthreads()
        for i in range(64):
            total += tile[i]
        if last:
            cuda.syncthreads()
    out[me] = total


X = np.arange(64.0)


def test_a_right_kernel_has_no_race_and_one_result():
    out = np.full(1, 7.0)
    found = cuda.explore(block_sum, 1, 64, X, out, schedules=12)
    assert found.is_right
    assert found.is_deterministic
    assert repr(found) == "block_sum, 12 schedules: no race, one result"
    (outcome,) = found.outcomes
    assert outcome.arrays["out"] == X.sum()
    assert len(outcome.schedules) == len(set(outcome.schedules)) == 12
    assert out == 7  # what the kernel wrote is in the outcomes


def test_a_missing_barrier_is_found_with_both_lines_and_threads():
    found = cuda.explore(without_first_barrier, 1, 64, X, np.zeros(1), schedules=8)
    (race,) = found.races
    touches = {each.doing: each for each in (race.first, race.second)}
    assert set(touches) == {"reads", "writes"}
    first = without_first_barrier.__code__.co_firstlineno
    assert line_of(touches["writes"].place) == first + 3
    assert line_of(touches["reads"].place) == first + 7
    assert touches["writes"].thread != touches["reads"].thread
    assert race.space == "shared"
    told = repr(found)
    assert re.search(r"race for partial\[\d+\] in shared memory, no barrier between:\n", told)
    assert re.search(rf"thread \(\d+, 0, 0\) writes it in line {first + 3}, `partial\[me\] = x\[me\]`", told)
    assert re.search(rf"thread \(\d+, 0, 0\) reads it in line {first + 7}, `partial\[me\] \+= ", told)
    assert not found.is_deterministic
    assert re.search(r"out\[0\] is (2016\.0|nan) in \d schedules, (2016\.0|nan) in \d", told)


@pytest.mark.parametrize("seed", range(3))
def test_every_schedule_finds_it_whatever_the_seed(seed):
    for schedule in schedules.schedules_of(2, 8, seed):
        grid = Grid(without_first_barrier, 1, 64, [X, np.zeros(1)], schedule, forgives=True)
        Block(grid, Shape(0, 0, 0)).run()
        assert grid.races


def test_a_missing_second_barrier_of_a_tiled_loop_is_found():
    x = np.arange(128.0)
    assert cuda.explore(tiles, 1, 64, True, x, np.zeros(64), schedules=6).is_right
    found = cuda.explore(tiles, 1, 64, False, x, np.zeros(64), schedules=6)
    texts = {text_of(each.place) for race in found.races for each in (race.first, race.second)}
    assert texts == {"total += tile[i]", "tile[me] = x[begin + me]"}
    assert len(found.outcomes) > 1


def test_an_update_that_is_not_atomic_gets_lost_where_threads_switch_in_between():
    def careless(out):
        out[0] += 1

    found = cuda.explore(careless, 1, 32, np.zeros(1), schedules=4)
    totals = {float(outcome.arrays["out"][0]): outcome.schedules for outcome in found.outcomes}
    assert max(totals) == 32
    assert min(totals) < 32
    assert all("next touch of memory" in schedule for schedule in totals[min(totals)])


def test_atomic_additions_of_floats_depend_on_the_order_and_of_integers_do_not():
    def add_all(x, out):
        cuda.atomic.add(out, 0, x[cuda.grid(1)])

    x = (np.random.default_rng(0).standard_normal(64) * 100).astype(np.float32)
    found = cuda.explore(add_all, 2, 32, x, np.zeros(1, np.float32))
    assert found.races == []
    assert not found.is_deterministic
    assert "no race: the order of atomic operations changes the result" in repr(found)
    whole = cuda.explore(add_all, 2, 32, x.astype(np.int64), np.zeros(1, np.int64), schedules=8)
    assert whole.is_right


def test_blocks_that_write_one_cell_race():
    def last(out):
        out[0] = cuda.blockIdx.x

    (race,) = cuda.explore(last, 2, 1, np.zeros(1), schedules=2).races
    assert str(race).count(" of block (") == 2
    assert race.space == "global"


def test_shared_memory_that_nobody_writes_is_an_error_as_is_a_divergent_barrier():
    def unwritten(out):
        seen = cuda.shared.array(1, np.float32)
        out[0] = seen[0]

    with pytest.raises(cuda.KernelError, match=r"seen\[0\] in shared memory is read before any thread"):
        cuda.explore(unwritten, 1, 1, np.zeros(1))

    def divergent(out):
        if cuda.threadIdx.x < 8:
            cuda.syncthreads()

    with pytest.raises(cuda.KernelError, match="barrier that is divergent") as raised:
        cuda.explore(divergent, 1, 32, np.zeros(1))
    assert raised.value.__notes__[0].startswith("The schedule: warps in the order 0, each up to")


def test_a_thread_that_waits_for_a_later_one_is_ended(monkeypatch):
    def waiting(flag):
        if cuda.threadIdx.x == 0:
            while flag[0] == 0:
                pass
        else:
            cuda.atomic.add(flag, 0, 1)

    monkeypatch.setattr(schedules, "MOST_TOUCHES", 1000)
    with pytest.raises(cuda.KernelError, match=r"touched memory 1,000 times: does it wait for a thread"):
        cuda.explore(waiting, 1, 2, np.zeros(1))


def test_arguments_get_their_contents_back_also_after_an_error():
    def fails(x):
        x[0] = 5
        raise ValueError("no")

    x = np.arange(3.0)
    with pytest.raises(cuda.KernelError, match="no"):
        cuda.explore(fails, 1, 1, x)
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="at least one schedule is tried, got schedules=0"):
        cuda.explore(fails, 1, 1, x, schedules=0)


def test_schedules_are_bounded_seeded_and_each_another_one():
    assert len({str(each) for each in schedules.schedules_of(3, 48, seed=5)}) == 48
    assert sum("warps in the order" in str(each) for each in schedules.schedules_of(3, 48, seed=5)) == 24
    orders = {
        each.order for each in schedules.schedules_of(3, 48, 0) if isinstance(each, schedules.WarpOrder)
    }
    assert len(orders) == 6  # all that there are
    assert len(list(schedules.schedules_of(1, 24, 0))) == 24
    assert len(list(schedules.schedules_of(32, 5, 0))) == 5


def test_a_rung_of_the_ladder_is_right_in_any_order():
    kernel, block, _ = ladder.LADDER["square_tile"]
    a = np.random.default_rng(0).standard_normal(256).astype(np.float32)
    found = cuda.explore(
        kernel, 1, block, 16, 16, 8, a[:128], a[128:], np.zeros(256, np.float32), schedules=4
    )
    assert found.is_right
