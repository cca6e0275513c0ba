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
def begin(board, team, chunks):
    return turns.begin(board, team, chunks)


@njit
def take(board, team, heap):
    return turns.take(board, team, heap)


def cores_of(board):
    """How many threads came to each core."""
    return board[board.size - turns.known_cores() :]


def test_chunks_of_each_heap_are_taken_one_by_one():
    board = turns.board(3)
    assert [take(board, 3, heap) for heap in (0, 2, 0, 0, 2, 1)] == [0, 0, 1, 2, 1, 0]


def test_a_thread_begins_with_a_heap_of_the_team():
    for team in (1, 2, 3, 7):
        board = turns.board(team)
        assert all(0 <= begin(board, team, 2) < team for _ in range(team))


@needs_cores
@pytest.mark.parametrize("team", [2, 5])
def test_a_thread_goes_to_the_one_core_that_is_free_and_to_its_heap(team):
    allowed = sorted(os.sched_getaffinity(0))
    for free in allowed:
        board = turns.board(team)
        cores = cores_of(board)
        cores[:] = 5
        cores[free] = 0
        assert begin(board, team, 4) == free * team // turns.known_cores()
        assert cores[free] == 1
        assert sorted(os.sched_getaffinity(0)) == allowed


@needs_cores
def test_a_thread_stays_where_no_core_is_free_or_nothing_is_left():
    board = turns.board(2)
    cores = cores_of(board)
    cores[:] = 1
    begin(board, 2, 4)
    assert (np.sort(cores)[:-1] == 1).all()
    assert cores.max() == 2
    cores[:] = 1
    for heap in (0, 1):
        take(board, 2, heap)
    begin(board, 2, 1)
    assert (cores == 1).all()


@needs_cores
def test_a_core_that_the_thread_may_not_use_is_none():
    """In a process of its own: what a thread may use is for its whole life."""
    code = """
import os
from numba import njit
from tensorlab.backends.cpu import turns
first, *others = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, {first})
begin = njit(lambda board, team, chunks: turns.begin(board, team, chunks))
board = turns.board(2)
cores = board[board.size - turns.known_cores():]
cores[first] = 1
begin(board, 2, 4)
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
