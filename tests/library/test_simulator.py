"""Kernels for a GPU run without one, and what is undefined on a GPU is an error."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tensorlab.backends.cuda.simulator import KernelError, cuda, launch

ALL = 0xFFFFFFFF


def block_sums(x, out):
    """Each block adds its part of `x` in shared memory."""
    partial = cuda.shared.array(64, np.float64)
    me, i = cuda.threadIdx.x, cuda.grid(1)
    partial[me] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if me < half:
            partial[me] += partial[me + half]
        cuda.syncthreads()
        half //= 2
    if me == 0:
        out[cuda.blockIdx.x] = partial[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_block_adds_in_shared_memory_in_any_order_of_the_threads(seed):
    x, out = np.arange(150.0), np.zeros(3)
    launch(block_sums, 3, 64, x, out, seed=seed)
    assert out.tolist() == [x[:64].sum(), x[64:128].sum(), x[128:].sum()]


@pytest.mark.parametrize("seed", range(5))
def test_a_missing_barrier_is_found_in_every_order_of_the_threads(seed):
    def kernel(x, out):
        partial = cuda.shared.array(64, np.float64)
        me = cuda.threadIdx.x
        partial[me] = x[me]
        half = 32
        while half > 0:
            if me < half:
                partial[me] += partial[me + half]
            cuda.syncthreads()
            half //= 2
        out[0] = partial[0]

    with pytest.raises(KernelError, match=r"a race for|read before any thread has written"):
        launch(kernel, 1, 64, np.ones(64), np.zeros(1), seed=seed)


@pytest.mark.parametrize("seed", range(5))
def test_two_threads_that_add_to_one_cell_race_and_atomic_additions_do_not(seed):
    def careless(out):
        out[0] += 1

    def careful(out):
        cuda.atomic.add(out, 0, 1)

    with pytest.raises(KernelError, match=r"careless, block .*: a race for out\[0\] in global memory"):
        launch(careless, 1, 64, np.zeros(1), seed=seed)
    names = r"thread \(0, 0, 0\) of block \(\d, 0, 0\) writes it in line \d+, `out\[0\] \+= 1`"
    with pytest.raises(KernelError, match=names):
        launch(careless, 2, 1, np.zeros(1), seed=seed)
    out = np.zeros(1)
    launch(careful, 3, 50, out, seed=seed)
    assert out[0] == 150


@pytest.mark.parametrize("seed", range(3))
def test_views_of_one_array_are_one_memory(seed):
    def copied(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i]

    x = np.arange(40.0)
    with pytest.raises(KernelError, match=r"a race for (x|out)\[\d+\] in global memory"):
        launch(copied, 2, 32, x[1:], x[:-1], seed=seed)
    x = np.arange(40.0)
    launch(copied, 2, 32, x[::2], x[1::2], seed=seed)
    assert x.tolist() == [i // 2 * 2 for i in range(40)]


def test_a_tail_that_is_not_guarded_is_out_of_bounds():
    def kernel(x):
        x[cuda.grid(1)] = 1

    with pytest.raises(KernelError, match=r"index 10[01] is outside of x, 100 cells of global memory"):
        launch(kernel, 4, 26, np.zeros(100))

    def before(x):
        x[cuda.threadIdx.x - 1] = 1

    with pytest.raises(KernelError, match=r"thread \(0, 0, 0\): index -1 is outside"):
        launch(before, 1, 4, np.zeros(4))


def test_shared_memory_holds_nothing_at_first_and_belongs_to_one_block():
    def kernel(out):
        seen = cuda.shared.array((2, 3), np.float32)
        if cuda.blockIdx.x == cuda.threadIdx.x:
            seen[1, 2] = 5
        cuda.syncthreads()
        out[cuda.blockIdx.x] = seen[1, 2]

    with pytest.raises(KernelError, match=r"seen\[1, 2\] in shared memory is read before"):
        launch(kernel, 2, 1, np.zeros(2))

    def too_wide(out):
        cuda.shared.array((2, 3), np.float32)[0, 3] = 1

    with pytest.raises(KernelError, match=r"index \(0, 3\) is outside of an array, 2 × 3 cells of shared"):
        launch(too_wide, 1, 1, np.zeros(1))


def test_local_memory_begins_as_nan():
    def kernel(out):
        mine = cuda.local.array(2, np.float32)
        out[0] = mine[1]

    out = np.zeros(1)
    launch(kernel, 1, 1, out)
    assert np.isnan(out[0])


def test_a_divergent_barrier_is_found():
    def left_out(out):
        if cuda.threadIdx.x < 20:
            cuda.syncthreads()

    def elsewhere(out):
        if cuda.threadIdx.x < 20:
            cuda.syncthreads()
        else:
            cuda.syncthreads()

    with pytest.raises(KernelError, match="barrier that is divergent: 12 threads of the block ended without"):
        launch(left_out, 1, 32, np.zeros(1))
    with pytest.raises(KernelError, match="divergent: others wait at another one"):
        launch(elsewhere, 1, 32, np.zeros(1))


@pytest.mark.parametrize("seed", range(3))
def test_warps_exchange_values_without_shared_memory(seed):
    def kernel(x, sums, shifted, swapped, first, votes):
        me = cuda.grid(1)
        value = x[me]
        shifted[me] = cuda.shfl_up_sync(ALL, value, 1)
        swapped[me] = cuda.shfl_xor_sync(ALL, value, 1)
        first[me] = cuda.shfl_sync(ALL, value, 0)
        votes[me] = cuda.ballot_sync(ALL, value % 3 == 0)
        total, distance = value, 16
        while distance > 0:
            total += cuda.shfl_down_sync(ALL, total, distance)
            distance //= 2
        if cuda.laneid == 0:
            sums[me // 32] = total

    x = np.arange(64.0)
    sums, shifted, swapped, first, votes = np.zeros(2), *(np.zeros(64) for _ in range(4))
    launch(kernel, 1, 64, x, sums, shifted, swapped, first, votes, seed=seed)
    assert sums.tolist() == [x[:32].sum(), x[32:].sum()]
    assert shifted.tolist() == [0, *range(31), 32, *range(32, 63)]
    assert swapped.tolist() == (np.arange(64) ^ 1).tolist()
    assert set(first[:32]) == {0}
    assert set(first[32:]) == {32}
    assert votes[0] == sum(1 << lane for lane in range(0, 32, 3))


def test_all_and_any_and_count_ask_for_a_condition():
    def kernel(out):
        me = cuda.threadIdx.x
        found = cuda.syncthreads_count(me < 5), cuda.any_sync(ALL, me == 3), cuda.all_sync(ALL, me < 40)
        cuda.syncwarp()
        if me == 39:
            out[0], out[1], out[2] = found

    out = np.zeros(3)
    launch(kernel, 1, 40, out)  # the second warp has 8 lanes
    assert out.tolist() == [5, 0, 1]


@pytest.mark.parametrize("seed", range(3))
def test_a_barrier_of_a_warp_orders_its_lanes_and_no_others(seed):
    def kernel(out):
        beside = cuda.shared.array(64, np.int64)
        me = cuda.threadIdx.x
        beside[me] = me
        cuda.syncwarp()
        out[me] = beside[(me + 1) % cuda.blockDim.x]

    out = np.zeros(32)
    launch(kernel, 1, 32, out, seed=seed)
    assert out.tolist() == [*range(1, 32), 0]
    with pytest.raises(KernelError, match=r"a race|read before"):
        launch(kernel, 1, 64, np.zeros(64), seed=seed)


def test_lanes_that_are_named_and_never_come_are_found():
    def kernel(out):
        if cuda.threadIdx.x < 16:
            cuda.syncwarp()

    with pytest.raises(KernelError, match="lanes of its warp that never come"):
        launch(kernel, 1, 32, np.zeros(1))


def test_positions_in_three_directions():
    def kernel(out):
        x, y, z = cuda.grid(3)
        width, height, _ = cuda.gridsize(3)
        out[(z * height + y) * width + x] = 100 * cuda.blockIdx.z + 10 * cuda.threadIdx.y + cuda.blockIdx.x

    out = np.zeros((2, 3, 4))
    launch(kernel, (2, 1, 2), (2, 3), out.reshape(-1))
    z, y, x = np.indices(out.shape)
    assert (out == 100 * z + 10 * y + x // 2).all()


def test_errors_of_a_kernel_say_where_and_sizes_are_checked():
    def kernel(out):
        raise ValueError("no")

    with pytest.raises(KernelError, match=r"kernel, block \(0, 0, 0\), thread \(\d, 0, 0\): no"):
        launch(kernel, 1, 3, np.zeros(1))
    with pytest.raises(ValueError, match="a block has 1 to 1024 threads"):
        launch(kernel, 1, 1025)
    with pytest.raises(RuntimeError, match="this is code of a kernel: call it with launch"):
        cuda.grid(1)


def test_without_greenlet_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "greenlet", None)
    with pytest.raises(ModuleNotFoundError, match="pip install 'greenlet"):
        launch(lambda: None, 1, 1)
