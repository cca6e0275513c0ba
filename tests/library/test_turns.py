"""The threads of a team: where they run, and which chunks they take."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core import config

import tensorlab as tl
from tensorlab.backends.cpu import turns
from tests.library.test_kernels import run

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="interpreted kernels run on one thread")
needs_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="only Linux tells which of several cores a thread runs on",
)


@njit
def begin(board, chunks):
    return turns.begin(board, chunks)


@njit
def take(board, team):
    return turns.take(board, team)


def test_chunks_are_taken_one_by_one():
    board = turns.board()
    assert [begin(board, 9), take(board, 1), take(board, 1), begin(board, 9), take(board, 2)] == [
        0,
        1,
        2,
        3,
        4,
    ]


@needs_cores
def test_a_thread_goes_to_the_one_core_that_is_free():
    allowed = sorted(os.sched_getaffinity(0))
    for free in allowed:
        board = turns.board()
        cores = board[-turns.known_cores() :]
        cores[:] = 5
        cores[free] = 0
        begin(board, 4)
        assert cores[free] == 1
        assert sorted(os.sched_getaffinity(0)) == allowed


@needs_cores
def test_a_thread_stays_where_no_core_is_free_or_nothing_is_left():
    board = turns.board()
    cores = board[-turns.known_cores() :]
    cores[:] = 1
    begin(board, 4)
    assert (np.sort(cores)[:-1] == 1).all()
    assert cores.max() == 2
    cores[:] = 1
    begin(board, 1)  # the only chunk was taken before
    assert (cores == 1).all()


@needs_cores
def test_a_core_that_the_thread_may_not_use_is_none():
    """In a process of its own: what a thread may use is for its whole life."""
    code = """
import os
import numpy as np
from numba import njit
from tensorlab.backends.cpu import turns
first, *others = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, {first})
begin = njit(lambda board, chunks: turns.begin(board, chunks))
board = turns.board()
board[-turns.known_cores():][first] = 1
begin(board, 4)
cores = board[-turns.known_cores():]
print(cores[first], cores[others].sum(), os.sched_getaffinity(0) == {first})
"""
    assert run(code).split() == ["2", "0", "True"]


@needs_cores
def test_every_thread_may_use_all_cores_afterwards():
    before = os.sched_getaffinity(0)
    threads = tl.get_num_threads()
    tl.set_num_threads(2)
    try:
        x = tl.ones(300, 200)
        for _ in range(50):
            x @ x.t()
    finally:
        tl.set_num_threads(threads)
    tasks = [int(task.name) for task in Path("/proc/self/task").iterdir()]
    assert len(tasks) > 1
    assert all(os.sched_getaffinity(task) == before for task in tasks)
