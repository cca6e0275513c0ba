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
def take_at(address, team, chunks, done):
    return turns.take(address, team, chunks, done)


def take(board, team, chunks, done):
    return take_at(board.ctypes.data, team, chunks, done)


def cores_of(board, team):
    """How many threads came to each core."""
    first = turns.first_core(team)
    return board[first : first + turns.known_cores()]


def test_a_thread_empties_its_queue_and_then_the_others():
    board = turns.board(3)
    first = take(board, 3, 4, -1)
    done = [first]
    while done[-1] >= 0:
        done.append(take(board, 3, 4, done[-1]))
    own = first // 4
    queues = [own, (own + 1) % 3, (own + 2) % 3]
    assert done == [*(queue * 4 + chunk for queue in queues for chunk in range(4)), -1]
    assert take(board, 3, 4, -1) == -1


@pytest.mark.parametrize("team", [1, 2, 7])
def test_threads_of_a_team_take_each_chunk_once(team):
    board = turns.board(team)
    taken = [take(board, team, 2, -1) for _ in range(team)]
    taken += [take(board, team, 2, done) for done in taken]
    assert sorted(taken) == list(range(2 * team))


@needs_cores
@pytest.mark.parametrize("team", [2, 5])
def test_a_thread_goes_to_the_one_core_that_is_free_and_to_its_queue(team):
    allowed = sorted(os.sched_getaffinity(0))
    for free in allowed:
        board = turns.board(team)
        cores = cores_of(board, team)
        cores[:] = 5
        cores[free] = 0
        assert take(board, team, 4, -1) == free * team // turns.known_cores() * 4
        assert cores[free] == 1
        assert sorted(os.sched_getaffinity(0)) == allowed


@needs_cores
def test_a_thread_stays_where_no_core_is_free_or_nothing_is_left():
    board = turns.board(2)
    cores = cores_of(board, 2)
    cores[:] = 1
    chunk = take(board, 2, 1, -1)
    assert (np.sort(cores)[:-1] == 1).all()
    assert cores.max() == 2
    assert take(board, 2, 1, chunk) == 1 - chunk
    before = cores.copy()
    assert take(board, 2, 1, -1) == -1
    np.testing.assert_array_equal(cores, before)


@needs_cores
def test_a_core_that_the_thread_may_not_use_is_none():
    """In a process of its own: what a thread may use is for its whole life."""
    code = """
import os
from numba import njit
from tensorlab.backends.cpu import turns
first, *others = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, {first})
take = njit(lambda address, team, chunks, done: turns.take(address, team, chunks, done))
board = turns.board(2)
cores = board[turns.first_core(2) :][: turns.known_cores()]
cores[first] = 1
take(board.ctypes.data, 2, 4, -1)
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
