"""The tasks of a kernel, shared among threads: each is done once, with the arguments that were given."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from numba import njit

from tensorlab.backends.cpu.sharing import share


@njit(nogil=True)
def mark(first, last, out, number, adds, pair, nested):
    for task in range(first, last):
        out[task] += number + pair[0] * 10 + pair[1] * 100 + nested[1][0] * 1000 + nested[0][1] * 10_000
        if adds:
            out[task] += 0.5


@njit(nogil=True)
def fill(first, last, out, work):
    for task in range(first, last):
        work[0] = task
        work[1] += 1
        out[task] = work[0] * 2 + work.size


@pytest.mark.parametrize(("team", "tasks"), [(2, 7), (3, 3), (4, 100), (2, 1)])
def test_each_task_is_done_once(team, tasks):
    out = np.zeros(tasks)
    share(mark, team, tasks, out, 1, True, (2, 3), ((4, 5), (6, 7)))
    np.testing.assert_array_equal(out, np.full(tasks, 1 + 20 + 300 + 6000 + 50_000 + 0.5))


def test_arguments_of_other_types_have_kernels_of_their_own():
    for kind in (np.float32, np.float64, np.int64):
        out = np.zeros(9, kind)
        share(mark, 2, 9, out, 1, False, (0, 0), ((0, 0), (0, 0)))
        np.testing.assert_array_equal(out, np.ones(9, kind))


def test_each_thread_has_a_workspace_of_its_own():
    out, work = np.zeros(50, np.int64), np.zeros((3, 8), np.int64)
    share(fill, 3, 50, out, work, workspaces=True)
    np.testing.assert_array_equal(out, 2 * np.arange(50) + 8)
    assert work[:, 1].sum() == 50


def test_what_a_kernel_raises_is_raised_by_who_asked():
    def fails(first, last):
        if first == 0:
            raise ValueError("the first task")

    with pytest.raises(ValueError, match="the first task"):
        share(fails, 2, 8)
    share(mark, 2, 3, np.zeros(3), 1, True, (2, 3), ((4, 5), (6, 7)))


def test_no_array_is_held_when_all_is_done():
    out = np.zeros(100)
    share(mark, 3, 100, out, 1, True, (2, 3), ((4, 5), (6, 7)))
    waited = time.monotonic() + 10
    while sys.getrefcount(out) > 2 and time.monotonic() < waited:
        time.sleep(0.001)  # a thread that came too late looks for a chunk, and forgets the launch
    assert sys.getrefcount(out) == 2
