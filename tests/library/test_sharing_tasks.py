"""The tasks of a kernel, shared among threads: each is done once, with the arguments that were given."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numba.core import config

from tensorlab.backends.cpu import threads
from tensorlab.backends.cpu.sharing import prepare, share
from tests.library.test_kernels import run

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="interpreted kernels run on one thread")


@njit
def mark(first, last, out, number, adds, pair, nested):
    for task in range(first, last):
        out[task] += number + pair[0] * 10 + pair[1] * 100 + nested[1][0] * 1000 + nested[0][1] * 10_000
        if adds:
            out[task] += 0.5


@njit
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


def test_what_is_prepared_takes_any_arguments_of_those_types():
    launch = prepare(mark, np.zeros(1), 0, True, (0, 0), ((0, 0), (0, 0)))
    for team, tasks in ((2, 7), (3, 40)):
        out = np.zeros(tasks)
        launch(team, tasks, out, 5, False, (1, 0), ((0, 0), (0, 0)))
        np.testing.assert_array_equal(out, np.full(tasks, 15.0))


@pytest.mark.skipif(threads.layer() != "tbb", reason="TBB is not installed, or another layer was asked for")
def test_a_layer_may_be_asked_for_by_its_name():
    """TBB lies where Numba does not look; asked for by name it is found all the same."""
    code = "import numba, tensorlab as tl; tl.ones(300, 300) @ tl.ones(300, 300); "
    code += "print(numba.threading_layer())"
    assert run(code, NUMBA_THREADING_LAYER="tbb", NUMBA_NUM_THREADS="2").strip() == "tbb"
